/* test_words.c - the format words: what goes in comes out, or an error */
#define _GNU_SOURCE
#include "tests/tap.h"
#include "tests/traces/read_all.h"
#include "traces/base/random.h"

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

/* One trace, with counts or without; returns how many references it holds. */
static uint64_t write_trace(bool collapsed)
{
    static uint64_t numbers[REFS];
    static uint8_t kinds[REFS];
    static uint32_t extents[REFS], counts[REFS], threads[REFS];
    struct margay_sink sink = {NULL, keep};
    struct margay_random random;
    margay_writer *writer;
    uint64_t refs = 0, most = 0;
    margay_random_seed(&random, 7);
    for (size_t i = 0; i < REFS; i++) {
        numbers[i] = margay_random_below(&random, UINT64_C(1) << 56);
        kinds[i] = (uint8_t)margay_random_below(&random, MARGAY_KINDS);
        extents[i] = (uint32_t)margay_random_below(&random, 64) + 1;
        counts[i] = (uint32_t)margay_random_below(&random, 5) + 1;
        threads[i] = (uint32_t)(i / 3000 % 2);
        refs += collapsed ? counts[i] : 1;
    }
    const struct margay_batch batch = {.references = REFS,
                                       .numbers = numbers,
                                       .kinds = kinds,
                                       .extents = extents,
                                       .counts = collapsed ? counts : NULL,
                                       .threads = threads};
    written.count = 0;
    if (margay_writer_create("words", NULL, &sink, &writer, NULL) !=
            MARGAY_OK ||
        (collapsed &&
         margay_writer_set_collapsed(writer, 64, NULL) != MARGAY_OK) ||
        (most = margay_writer_most_bytes(writer, &batch)) == 0 ||
        margay_writer_put(writer, &batch, NULL) != MARGAY_OK ||
        margay_writer_finish(writer, NULL) != MARGAY_OK)
        printf("Bail out! nothing written\n");
    margay_writer_free(writer);
    CHECK(written.count <= most, "%zu bytes, %llu at most", written.count,
          (unsigned long long)most);
    struct whole_trace got =
        read_bytes("x.words", NULL, written.data, written.count);
    CHECK_U64(got.status, MARGAY_OK, "read without an error");
    CHECK_U64(got.count, refs, "all references");
    bool same = got.count == refs;
    for (size_t i = 0, k = 0; i < REFS && same; i++) {
        for (uint32_t n = 0; n < (collapsed ? counts[i] : 1); n++, k++)
            same = same && got.numbers[k] == numbers[i] &&
                   got.kinds[k] == kinds[i] && got.extents[k] == extents[i];
    }
    CHECK(same, "each of them the same");
    drop_trace(&got);
    return refs;
}

static void test_cut(void)
{
    write_trace(false);
    struct whole_trace got =
        read_bytes("x.words", NULL, written.data, 16 + 8 + 100 * 8 + 3);
    CHECK_U64(got.status, MARGAY_BAD_INPUT, "a cut trace is an error");
    CHECK_U64(got.count, 100, "behind its whole words");
    drop_trace(&got);
    memset(written.data + 16, 0xff, 4);
    got = read_bytes("x.words", NULL, written.data, written.count);
    CHECK_U64(got.status, MARGAY_BAD_INPUT, "a part that cannot be so long");
    drop_trace(&got);
    written.data[8] = 3;
    got = read_bytes("x.words", NULL, written.data, written.count);
    CHECK_U64(got.status, MARGAY_BAD_INPUT, "blocks of three bytes");
    drop_trace(&got);
}

static void test_refusals(void)
{
    static const uint64_t far = UINT64_C(1) << 56;
    static const uint32_t large = 65;
    struct margay_sink sink = {NULL, keep};
    struct margay_batch batch = {.references = 1, .numbers = &far};
    margay_writer *writer;
    margay_writer_create("words", NULL, &sink, &writer, NULL);
    CHECK_U64(margay_writer_put(writer, &batch, NULL), MARGAY_BAD_ARGUMENT,
              "an address of 57 bits");
    margay_writer_free(writer);
    batch.numbers = &(uint64_t){1};
    batch.extents = &large;
    margay_writer_create("words", NULL, &sink, &writer, NULL);
    CHECK_U64(margay_writer_put(writer, &batch, NULL), MARGAY_BAD_ARGUMENT,
              "65 bytes");
    margay_writer_free(writer);
}

int main(void)
{
    write_trace(false);
    write_trace(true);
    test_cut();
    test_refusals();
    free(written.data);
    return tap_done();
}
