/* test_words.c - the format words: what goes in comes out, or an error */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/tap.h"
#include "tests/traces/read_all.h"
#include "traces/capture/stream.h"
#include "traces/formats/reading.h"
#include "traces/formats/words.h"

#define REFS 20000

static struct {
    char *data;
    size_t count;
} written;

static enum margay_status keep(void *context, const void *bytes, size_t count,
                               struct margay_error *error)
{
    (void)context, (void)error;
    written.data = realloc(written.data, written.count + count);
    memcpy(written.data + written.count, bytes, count);
    written.count += count;
    return MARGAY_OK;
}

/* Write words, a batch, and words again; NULL = none. */
static void write_all(const struct margay_words *first,
                      const struct margay_batch *batch,
                      const struct margay_words *last)
{
    struct margay_sink sink = {NULL, keep};
    margay_writer *writer;
    written.count = 0;
    if (margay_writer_create("words", NULL, &sink, &writer, NULL) !=
            MARGAY_OK ||
        (first != NULL &&
         margay_writer_put_words(writer, first, NULL) != MARGAY_OK) ||
        margay_writer_put(writer, batch, NULL) != MARGAY_OK ||
        (last != NULL &&
         margay_writer_put_words(writer, last, NULL) != MARGAY_OK) ||
        margay_writer_finish(writer, NULL) != MARGAY_OK)
        printf("Bail out! nothing written\n");
    margay_writer_free(writer);
}

static struct whole_trace read_written(void)
{
    return read_bytes("x.words", NULL, written.data, written.count);
}

/* A caller that wants only numbers gets no more, and the same. */
static void check_numbers(const uint64_t *numbers)
{
    const struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    const struct margay_reading reading = {.numbers_only = true};
    char path[TEST_PATH_BYTES];
    margay_trace *trace;
    struct margay_batch batch;
    size_t entry = 0;
    bool same = true, bare = true;
    write_file(make_path(path, "x.words"), written.data, written.count);
    margay_trace_open_for(path, &options, &reading, &trace, NULL);
    while (margay_trace_next(trace, -1, &batch, NULL) == MARGAY_OK) {
        bare = bare && batch.kinds == NULL && batch.extents == NULL &&
               batch.threads == NULL;
        for (size_t i = 0; i < batch.references && same; i++, entry++)
            same = entry < REFS && numbers[entry] == batch.numbers[i];
    }
    CHECK(bare, "numbers without anything else");
    CHECK(same && entry == REFS, "the same numbers");
    margay_trace_free(trace);
    unlink(path);
}

static void write_trace(void)
{
    static uint64_t numbers[REFS];
    static uint8_t kinds[REFS];
    static uint32_t extents[REFS], threads[REFS];
    seed_chance(7);
    for (size_t i = 0; i < REFS; i++) {
        /* Some far above the others, for a while. */
        numbers[i] = 1 + below(UINT64_C(1) << 47) +
                     (i / 900 % 3 == 1 ? UINT64_C(0xffff8000) << 32 : 0);
        kinds[i] = (uint8_t)below(MARGAY_KINDS);
        extents[i] = (uint32_t)below(64) + 1;
        threads[i] = (uint32_t)(i / 3000 % 2);
    }
    const struct margay_batch batch = {.references = REFS,
                                       .numbers = numbers,
                                       .kinds = kinds,
                                       .extents = extents,
                                       .threads = threads};
    write_all(NULL, &batch, NULL);
    struct whole_trace got = read_written();
    CHECK_U64(got.status, MARGAY_OK, "read without an error");
    CHECK_U64(got.count, REFS, "all references");
    bool same = got.count == REFS;
    for (size_t i = 0; i < REFS && same; i++)
        same = got.numbers[i] == numbers[i] && got.kinds[i] == kinds[i] &&
               got.extents[i] == extents[i];
    CHECK(same, "each of them the same");
    drop_trace(&got);
    check_numbers(numbers);
}

static void test_cut(void)
{
    write_trace();
    struct whole_trace got =
        read_bytes("x.words", NULL, written.data, 16 + 8 + 100 * 8 + 3);
    CHECK_U64(got.status, MARGAY_BAD_INPUT, "a cut trace is an error");
    CHECK_U64(got.count, 100, "behind its whole words");
    drop_trace(&got);
    memset(written.data + 16, 0xff, 4);
    got = read_written();
    CHECK_U64(got.status, MARGAY_BAD_INPUT, "a part that cannot be so long");
    drop_trace(&got);
    for (unsigned flag = 0; flag < 64; flag++) {
        const uint64_t head = UINT64_C(1) << flag;
        memcpy(written.data + 8, &head, sizeof head);
        got = read_bytes("x.words", NULL, written.data, 16);
        CHECK_U64(got.status, flag == 32 ? MARGAY_OK : MARGAY_BAD_INPUT,
                  "a head with bit %u", flag);
        drop_trace(&got);
    }
}

static enum margay_status try_one(uint64_t number, uint32_t extent)
{
    struct margay_sink sink = {NULL, keep};
    struct margay_batch batch = {
        .references = 1, .numbers = &number, .extents = &extent};
    margay_writer *writer;
    margay_writer_create("words", NULL, &sink, &writer, NULL);
    enum margay_status status = margay_writer_put(writer, &batch, NULL);
    margay_writer_free(writer);
    return status;
}

/* The word of a byte at the last address is changed to one of two bytes. */
static void test_ends(void)
{
    CHECK_U64(try_one(UINT64_MAX - 1, 2), MARGAY_OK, "the last two bytes");
    CHECK_U64(try_one(UINT64_MAX, 2), MARGAY_BAD_ARGUMENT, "one too many");
    uint64_t number = UINT64_MAX, word;
    const struct margay_batch batch = {.references = 1, .numbers = &number};
    write_all(NULL, &batch, NULL);
    for (unsigned bytes = 1; bytes <= 2; bytes++) {
        memcpy(&word, written.data + written.count - sizeof word, sizeof word);
        word = (word & ~(UINT64_C(63) << MARGAY_WORD_BYTES_SHIFT)) |
               (uint64_t)bytes << MARGAY_WORD_BYTES_SHIFT;
        memcpy(written.data + written.count - sizeof word, &word, sizeof word);
        struct whole_trace got = read_written();
        CHECK_U64(got.status, bytes == 1 ? MARGAY_OK : MARGAY_BAD_INPUT,
                  "%u bytes at the last address", bytes);
        CHECK_U64(got.count, bytes == 1, "are read");
        drop_trace(&got);
    }
}

static void test_refusals(void)
{
    CHECK_U64(try_one(1, 65), MARGAY_BAD_ARGUMENT, "65 bytes");
    CHECK_U64(try_one(1, 0), MARGAY_BAD_ARGUMENT, "no byte");
    CHECK_U64(try_one(UINT64_C(5) << 48, 64), MARGAY_BAD_ARGUMENT,
              "what would be an unused word");
    CHECK_U64(try_one(UINT64_C(5) << 48, 63), MARGAY_OK, "and what would not");
    CHECK_U64(try_one(UINT64_MAX, 1), MARGAY_OK, "the last address");
}

/* Recorded words, as they are, among references that are not. */
static void test_raw_words(void)
{
    const uint64_t raw[] = {
        margay_word(0x1000, MARGAY_READ, 8),
        margay_control_word(MARGAY_CONTROL_SITE, 0x400123),
        margay_word(0x2000, MARGAY_WRITE, 64),
        0,
        margay_word(0x3000, MARGAY_FETCH, 4),
    };
    const struct margay_words words = {
        .words = raw, .count = 5, .thread = 3, .sites = true};
    const struct margay_batch batch = {.references = 1,
                                       .numbers = &(uint64_t){0x4000}};
    struct margay_sink sink = {NULL, keep};
    margay_writer *writer;
    CHECK_U64(margay_words_references(&words), 3, "how many references");
    write_all(&words, &batch, &words);
    CHECK_TEXT(show_bytes("x.words", NULL, written.data, written.count),
               "r1000+8@0#3 w2000+64@400123#3 f3000+4@400123#3 r4000@0#0 "
               "r1000+8@0#3 w2000+64@400123#3 f3000+4@400123#3",
               "all of them, in their order");
    margay_writer_create("u64", NULL, &sink, &writer, NULL);
    CHECK(!margay_writer_takes_words(writer), "others take none");
    margay_writer_free(writer);
}

/* True if the references written have these sites. */
static bool sites_read(const uint64_t *sites, size_t count)
{
    const struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    char path[TEST_PATH_BYTES];
    margay_trace *trace;
    struct margay_batch batch;
    size_t at = 0;
    write_file(make_path(path, "x.words"), written.data, written.count);
    bool same = margay_trace_open(path, &options, &trace, NULL) == MARGAY_OK;
    while (same && margay_trace_next(trace, -1, &batch, NULL) == MARGAY_OK) {
        for (size_t i = 0; i < batch.references && same; i++, at++)
            same = at < count && batch.sites[i] == sites[at];
    }
    margay_trace_free(trace);
    unlink(path);
    return same && at == count;
}

/* Words that name the slots of their sites, before others that have none. */
static void test_slots(void)
{
    const uint64_t raw[] = {
        margay_control_word(MARGAY_CONTROL_SITE, 0x400123),
        margay_word(0x1000, MARGAY_READ, 8) | UINT64_C(255) << 48,
        margay_control_word(MARGAY_CONTROL_SITE, 0x400456),
        margay_word(0x2000, MARGAY_READ, 8) | UINT64_C(16) << 48,
        margay_word(0x3000, MARGAY_READ, 8) | UINT64_C(255) << 48,
    };
    const struct margay_words words = {.words = raw, .count = 5, .sites = true};
    const struct margay_batch batch = {.references = 2,
                                       .numbers = (uint64_t[]){0x4000, 0x5000},
                                       .sites = (uint64_t[]){7, 0x400789}};
    const uint64_t sites[] = {0x400123, 0x400456, 0x400123, 7, 0x400789};
    CHECK_U64(margay_words_references(&words), 3, "slots are no repeats");
    write_all(&words, &batch, NULL);
    CHECK(sites_read(sites, 5), "each reference has its site");
    written.data[7] = 2;
    struct whole_trace got = read_written();
    CHECK_U64(got.count, 5, "an older version is read");
    drop_trace(&got);
    written.data[7] = 4;
    got = read_written();
    CHECK(got.status == MARGAY_BAD_INPUT, "and a later one is not");
    drop_trace(&got);
}

int main(void)
{
    write_trace();
    test_cut();
    test_refusals();
    test_ends();
    test_raw_words();
    test_slots();
    free(written.data);
    return tap_done();
}
