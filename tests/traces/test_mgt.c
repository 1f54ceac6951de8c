/* test_mgt.c - the compact format: what goes in comes out, or an error */
#define _GNU_SOURCE
#include "tests/rounds.h"
#include "tests/traces/read_all.h"
#include "traces/base/random.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/mgt.h"
#include "traces/formats/reading.h"

/* ------------------------------------------------------------- helpers -- */

struct bytes {
    uint8_t *data;
    size_t count;
};

static enum margay_status append_bytes(void *context, const void *bytes,
                                       size_t count, struct margay_error *error)
{
    struct bytes *all = context;
    (void)error;
    all->data = realloc(all->data, all->count + count);
    if (all->data == NULL)
        abort();
    memcpy(all->data + all->count, bytes, count);
    all->count += count;
    return MARGAY_OK;
}

/* A trace with every column, of which a batch may show some. */
struct columns {
    size_t count;
    uint64_t *numbers, *sites;
    uint8_t *kinds;
    uint32_t *extents, *counts, *threads;
};

enum { KINDS = 1, EXTENTS = 2, COUNTS = 4, THREADS = 8, SITES = 16, ALL = 31 };

/* A file in memory.  go_to() succeeds `go_tos` times, and then fails. */
struct file {
    struct bytes bytes;
    size_t at;
    int go_tos;
};

static enum margay_status read_file(void *context, void *bytes, size_t count,
                                    size_t *got, struct margay_error *error)
{
    struct file *file = context;
    size_t left = file->bytes.count - file->at;
    (void)error;
    *got = left < count ? left : count;
    memcpy(bytes, file->bytes.data + file->at, *got);
    file->at += *got;
    return MARGAY_OK;
}

static bool file_bytes(void *context, uint64_t *bytes)
{
    *bytes = ((struct file *)context)->bytes.count;
    return true;
}

static enum margay_status go_to(void *context, uint64_t offset,
                                struct margay_error *error)
{
    struct file *file = context;
    if (file->go_tos-- == 0) {
        if (error != NULL)
            error->status = MARGAY_IO;
        return MARGAY_IO;
    }
    file->at = offset;
    return MARGAY_OK;
}

static void *allocate(size_t count, size_t bytes)
{
    void *array = calloc(count + 1, bytes);
    if (array == NULL)
        abort();
    return array;
}

static struct columns make_columns(size_t count)
{
    return (struct columns){
        .count = count,
        .numbers = allocate(count, 8),
        .sites = allocate(count, 8),
        .kinds = allocate(count, 1),
        .extents = allocate(count, 4),
        .counts = allocate(count, 4),
        .threads = allocate(count, 4),
    };
}

static void free_columns(struct columns *columns)
{
    free(columns->numbers);
    free(columns->sites);
    free(columns->kinds);
    free(columns->extents);
    free(columns->counts);
    free(columns->threads);
}

static struct margay_batch batch_of(const struct columns *columns,
                                    unsigned shown, size_t from, size_t count)
{
    return (struct margay_batch){
        .references = count,
        .numbers = columns->numbers + from,
        .kinds = shown & KINDS ? columns->kinds + from : NULL,
        .extents = shown & EXTENTS ? columns->extents + from : NULL,
        .counts = shown & COUNTS ? columns->counts + from : NULL,
        .threads = shown & THREADS ? columns->threads + from : NULL,
        .sites = shown & SITES ? columns->sites + from : NULL,
    };
}

static margay_writer *make_writer(struct bytes *bytes)
{
    const struct margay_sink sink = {bytes, append_bytes};
    margay_writer *writer;
    if (margay_writer_create("mgt", NULL, &sink, &writer, NULL) != MARGAY_OK)
        abort();
    return writer;
}

static void end_writer(margay_writer *writer)
{
    if (margay_writer_finish(writer, NULL) != MARGAY_OK)
        abort();
    margay_writer_free(writer);
}

/* False once a trace was longer than the bound that its writer had given. */
static bool within_most = true;

/* Written in batches of `piece` references, a block for every `flush`. */
static struct bytes write_columns(const struct columns *columns, unsigned shown,
                                  size_t piece, size_t flush)
{
    struct bytes bytes = {0};
    margay_writer *writer = make_writer(&bytes);
    uint64_t most = margay_writer_most_bytes(writer, NULL);
    for (size_t done = 0; done < columns->count; done += piece) {
        size_t left = columns->count - done;
        struct margay_batch batch =
            batch_of(columns, shown, done, left < piece ? left : piece);
        most = margay_writer_most_bytes(writer, &batch);
        if (margay_writer_put(writer, &batch, NULL) != MARGAY_OK ||
            (flush > 0 && (done + piece) % flush == 0 &&
             margay_writer_flush(writer, NULL) != MARGAY_OK))
            abort();
    }
    end_writer(writer);
    within_most = within_most && bytes.count <= most;
    return bytes;
}

/* How many entries, from `first` on, are read as they were written, and how the
   reading ends. */
struct reading {
    size_t entries;
    uint64_t references;
    bool same;
    enum margay_status status;
    struct margay_error error;
};

static bool same_entry(const struct columns *columns, size_t to,
                       const struct margay_batch *batch, size_t i,
                       unsigned shown)
{
    return columns->numbers[to] == batch->numbers[i] &&
           batch->kinds[i] == (shown & KINDS ? columns->kinds[to] : 0) &&
           batch->extents[i] == (shown & EXTENTS ? columns->extents[to] : 1) &&
           (!(shown & COUNTS) || batch->counts[i] == columns->counts[to]) &&
           (!(shown & THREADS) || batch->threads[i] == columns->threads[to]) &&
           (!(shown & SITES) || batch->sites[i] == columns->sites[to]);
}

static void compare_batch(struct reading *reading,
                          const struct columns *columns, size_t first,
                          const struct margay_batch *batch, unsigned shown)
{
    reading->same = reading->same &&
                    (batch->counts != NULL) == ((shown & COUNTS) != 0) &&
                    (batch->threads != NULL) == ((shown & THREADS) != 0) &&
                    (batch->sites != NULL) == ((shown & SITES) != 0);
    for (size_t i = 0; i < batch->references; i++, reading->entries++) {
        size_t to = first + reading->entries;
        reading->same = reading->same && to < columns->count &&
                        same_entry(columns, to, batch, i, shown);
        reading->references += batch->counts == NULL ? 1 : batch->counts[i];
    }
}

static const struct margay_reading with_counts = {.counts = true};

static struct reading read_path_as(const char *path, uint64_t skip_refs,
                                   const struct columns *columns, size_t first,
                                   unsigned shown)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct reading reading = {.same = true};
    struct margay_batch batch;
    margay_trace *trace;
    options.format = "mgt";
    options.skip_refs = skip_refs;
    if (margay_trace_open_for(path, &options, &with_counts, &trace, NULL) !=
        MARGAY_OK)
        abort();
    while ((reading.status = margay_trace_next(trace, -1, &batch,
                                               &reading.error)) == MARGAY_OK) {
        if (batch.references > 0)
            compare_batch(&reading, columns, first, &batch, shown);
    }
    margay_trace_free(trace);
    return reading;
}

static struct reading read_as(const struct bytes *bytes,
                              const struct columns *columns, unsigned shown)
{
    char path[TEST_PATH_BYTES];
    write_file(make_path(path, "x"), bytes->data, bytes->count);
    struct reading reading = read_path_as(path, 0, columns, 0, shown);
    unlink(path);
    return reading;
}

/* ---------------------------------------------------------- round trips -- */

/* How wild each column is: constant, a few values, many, any. */
static uint64_t draw(struct margay_random *random, unsigned wildness,
                     uint64_t before, unsigned bits)
{
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    switch (wildness) {
    case 0:
        return 7 & mask;
    case 1:
        return margay_random_below(random, 200) * 3 & mask;
    case 2:
        return (before + margay_random_below(random, 1000) - 500) & mask;
    default:
        return margay_random_u64(random) >> margay_random_below(random, 64) &
               mask;
    }
}

static void fill_columns(struct columns *columns, unsigned wildness,
                         uint64_t seed)
{
    struct margay_random random;
    margay_random_seed(&random, seed);
    for (size_t i = 0; i < columns->count; i++) {
        size_t before = i == 0 ? 0 : i - 1;
        columns->numbers[i] =
            draw(&random, wildness, columns->numbers[before], 64);
        columns->sites[i] = draw(&random, wildness, columns->sites[before], 64);
        columns->kinds[i] = (uint8_t)(margay_random_u64(&random) % 3);
        columns->extents[i] =
            (uint32_t)draw(&random, wildness, columns->extents[before], 32);
        columns->threads[i] =
            (uint32_t)draw(&random, wildness, columns->threads[before], 32);
        uint32_t count =
            (uint32_t)draw(&random, wildness, columns->counts[before], 20);
        columns->counts[i] = count == 0 ? 1 : count;
    }
    /* Values that are easily decoded wrong. */
    for (size_t i = 0; wildness == 3 && i < columns->count; i += 97) {
        columns->numbers[i] = i % 2 == 0 ? 0 : UINT64_MAX;
        columns->extents[i] = i % 2 == 0 ? UINT32_MAX : 0;
        columns->sites[i] = i % 2 == 0 ? UINT64_MAX : INT64_MAX;
    }
}

static void check_round_trip(size_t count, unsigned wildness, unsigned shown,
                             size_t piece, size_t flush)
{
    struct columns columns = make_columns(count);
    fill_columns(&columns, wildness, count + wildness);
    struct bytes bytes = write_columns(&columns, shown, piece, flush);
    struct reading reading = read_as(&bytes, &columns, shown);
    CHECK(reading.status == MARGAY_END && reading.entries == count &&
              reading.same,
          "%zu entries of kind %u, columns %u, in pieces of %zu: %.2f bytes "
          "each",
          count, wildness, shown, piece,
          (double)bytes.count / (double)(count + !count));
    if (reading.status != MARGAY_END)
        printf("#   %s\n", reading.error.message);
    free(bytes.data);
    free_columns(&columns);
}

static void test_round_trips(void)
{
    static const size_t counts[] = {0, 1, 2, 63, 64, 65, 66, 1000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (unsigned wildness = 0; wildness < 4; wildness++)
            check_round_trip(counts[i], wildness, ALL, 7, 0);
    }
    for (unsigned shown = 0; shown < ALL; shown++)
        check_round_trip(300, shown % 4, shown, 100, 200);
    for (unsigned wildness = 0; wildness < 4; wildness++) {
        check_round_trip(65535, wildness, ALL, 65535, 0);
        check_round_trip(65536, wildness, ALL, 1000, 0);
        check_round_trip(65537, wildness, EXTENTS | KINDS, 70000, 0);
        check_round_trip(200000, wildness, ALL, 16384, 32768);
    }
    CHECK(within_most, "no longer than margay_writer_most_bytes() says");
}

/* What a trace says about itself. */
static void test_facts(void)
{
    static const uint64_t units[] = {0, 1, 512, UINT64_C(1) << 63};
    char path[TEST_PATH_BYTES];
    make_path(path, "facts.mgt");
    for (size_t i = 0; i < 4; i++) {
        struct bytes bytes = {0};
        margay_writer *writer = make_writer(&bytes);
        uint64_t id = 5;
        struct margay_batch batch = {.references = 1, .numbers = &id};
        margay_writer_set_numbers(writer, MARGAY_IDS, units[i], i == 2, NULL);
        margay_writer_set_collapsed(writer, units[i], NULL);
        margay_writer_put(writer, &batch, NULL);
        end_writer(writer);
        write_file(path, bytes.data, bytes.count);
        struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
        margay_trace *trace;
        uint64_t known = 0;
        margay_trace_open(path, &options, &trace, NULL);
        CHECK(margay_trace_ready(trace, -1, NULL) == MARGAY_OK &&
                  margay_trace_numbers(trace) == MARGAY_IDS &&
                  margay_trace_unit_bytes(trace) == units[i] &&
                  margay_trace_collapsed_bytes(trace) == units[i] &&
                  margay_trace_splits(trace) == (i == 2) &&
                  margay_trace_columns(trace) ==
                      (MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                       (units[i] == 0 ? 0u : MARGAY_COLUMN_COUNTS)),
              "ids that stand for %" PRIu64 " bytes", units[i]);
        CHECK(margay_trace_known_references(trace, &known) && known == 1,
              "how many there are is known");
        CHECK_TEXT(margay_trace_evidence(trace), "content: its first 8 bytes",
                   "it is known by its content");
        margay_trace_free(trace);
        free(bytes.data);
    }
    unlink(path);
}

static void test_refusals(void)
{
    struct bytes bytes = {0};
    margay_writer *writer = make_writer(&bytes);
    CHECK(margay_writer_set_collapsed(writer, 48, NULL) == MARGAY_BAD_ARGUMENT,
          "repeats within 48 bytes");
    CHECK(margay_writer_set_numbers(writer, MARGAY_IDS, 48, false, NULL) ==
              MARGAY_BAD_ARGUMENT,
          "a unit of 48 bytes");
    margay_writer_free(writer);
    const struct margay_sink sink = {&bytes, append_bytes};
    if (margay_writer_create("din", NULL, &sink, &writer, NULL) != MARGAY_OK)
        abort();
    CHECK(margay_writer_set_numbers(writer, MARGAY_IDS, 0, false, NULL) ==
              MARGAY_BAD_ARGUMENT,
          "ids in din");
    CHECK(margay_writer_set_numbers(writer, MARGAY_ADDRESSES, 1, false, NULL) ==
              MARGAY_OK,
          "addresses in din");
    CHECK(margay_writer_set_collapsed(writer, 64, NULL) == MARGAY_BAD_ARGUMENT,
          "counts in din");
    margay_writer_free(writer);
    free(bytes.data);
}

/* --------------------------------------------------------------- damage -- */

#define SMALL       24
#define SMALL_FLUSH 6

/* The ends of the blocks; the header counts as a block without entries. */
static size_t whole_entries(const size_t ends[5], size_t bytes)
{
    size_t entries = 0;
    for (size_t i = 1; i < 5; i++)
        entries += bytes >= ends[i] ? SMALL_FLUSH : 0;
    return entries;
}

/* Four blocks of six entries each, and where they end. */
static struct bytes make_small(struct columns *columns, size_t ends[5])
{
    struct bytes bytes = {0};
    margay_writer *writer = make_writer(&bytes);
    *columns = make_columns(SMALL);
    fill_columns(columns, 1, 3);
    for (size_t i = 0; i < 4; i++) {
        struct margay_batch batch =
            batch_of(columns, ALL, i * SMALL_FLUSH, SMALL_FLUSH);
        margay_writer_put(writer, &batch, NULL);
        margay_writer_flush(writer, NULL);
        ends[i + 1] = bytes.count;
    }
    end_writer(writer);
    return bytes;
}

static bool says_how_many(const struct reading *reading)
{
    char text[80];
    snprintf(text, sizeof text, "the first %" PRIu64 " references of the trace",
             reading->references);
    return strstr(reading->error.message, text) != NULL &&
           strstr(reading->error.message, "expected") != NULL;
}

static void test_cuts(void)
{
    size_t ends[5], wrong = 0, silent = 0;
    struct columns columns;
    struct bytes bytes = make_small(&columns, ends);
    struct reading reading = read_as(&bytes, &columns, ALL);
    CHECK(reading.status == MARGAY_END && reading.same &&
              reading.entries == SMALL,
          "a file of %zu bytes", bytes.count);
    size_t step = rounds(100) < 100 ? 7 : 1;
    for (size_t cut = 0; cut < bytes.count; cut += step) {
        struct bytes part = {bytes.data, cut};
        reading = read_as(&part, &columns, ALL);
        wrong += reading.status != MARGAY_BAD_INPUT || !reading.same ||
                 reading.entries != whole_entries(ends, cut);
        silent += cut >= MARGAY_MGT_HEADER_BYTES && !says_how_many(&reading);
    }
    CHECK_U64(wrong, 0, "cut at every byte: all that is whole, and an error");
    CHECK_U64(silent, 0, "which says how much that is");
    append_bytes(&bytes, "x", 1, NULL);
    reading = read_as(&bytes, &columns, ALL);
    CHECK(reading.status == MARGAY_BAD_INPUT && reading.same &&
              reading.entries == SMALL &&
              strstr(reading.error.message, "expected the end") != NULL,
          "a byte too many");
    free(bytes.data);
    free_columns(&columns);
}

/* The blocks before the one with the changed bit are read whole. */
static void test_flips(void)
{
    size_t ends[5], wrong = 0;
    struct columns columns;
    struct bytes bytes = make_small(&columns, ends);
    size_t step = rounds(100) < 100 ? 97 : 1;
    for (size_t bit = 0; bit < 8 * bytes.count; bit += step) {
        bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        struct reading reading = read_as(&bytes, &columns, ALL);
        wrong += reading.status != MARGAY_BAD_INPUT || !reading.same ||
                 reading.entries != whole_entries(ends, bit / 8);
        bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    CHECK_U64(wrong, 0, "each bit flipped: all before it, and an error");
    free(bytes.data);
    free_columns(&columns);
}

/* ------------------------------------------------------------- skipping -- */

/* From any reference on, by the index or past a damaged one. */
static void check_skips(const char *path, const struct columns *columns,
                        const char *what)
{
    size_t wrong = 0, first = 0;
    uint64_t skipped = 0, all = 0;
    for (size_t i = 0; i < columns->count; i++)
        all += columns->counts[i];
    for (; first <= columns->count; first++) {
        struct reading reading =
            read_path_as(path, skipped, columns, first, ALL);
        wrong += reading.status != MARGAY_END || !reading.same ||
                 reading.entries != columns->count - first ||
                 reading.references != all - skipped;
        skipped += first < columns->count ? columns->counts[first] : 0;
    }
    struct reading reading =
        read_path_as(path, all + 5, columns, columns->count, ALL);
    wrong += reading.status != MARGAY_END || reading.entries != 0;
    CHECK_U64(wrong, 0, "%s, from every reference on", what);
}

/* References [first, first + count): entries, of which those at the ends may be
   cut. */
static bool check_range(margay_trace *trace, const struct columns *columns,
                        uint64_t first, uint64_t count)
{
    struct margay_batch batch;
    margay_range *range;
    uint64_t before = 0, expected = 0;
    size_t entry = 0;
    bool same = true;
    enum margay_status status =
        margay_trace_range(trace, first, count, &range, NULL);
    while (status == MARGAY_OK &&
           (status = margay_range_next(range, &batch, NULL)) == MARGAY_OK) {
        for (size_t i = 0; i < batch.references; i++, entry++) {
            while (entry < columns->count &&
                   before + columns->counts[entry] <= first)
                before += columns->counts[entry++];
            uint64_t begin = before < first ? first : before;
            before += columns->counts[entry];
            uint64_t end = before > first + count ? first + count : before;
            same = same &&
                   same_entry(columns, entry, &batch, i, ALL & ~COUNTS) &&
                   batch.counts[i] == end - begin;
            expected += end - begin;
        }
    }
    margay_range_free(range);
    return status == MARGAY_END && same && expected == count;
}

static void test_ranges(void)
{
    size_t ends[5], wrong = 0;
    char path[TEST_PATH_BYTES];
    struct columns columns;
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct bytes bytes = make_small(&columns, ends);
    uint64_t all = 0;
    margay_trace *trace;
    write_file(make_path(path, "x"), bytes.data, bytes.count);
    for (size_t i = 0; i < columns.count; i++)
        all += columns.counts[i];
    if (margay_trace_open_for(path, &options, &with_counts, &trace, NULL) !=
            MARGAY_OK ||
        margay_trace_ready(trace, -1, NULL) != MARGAY_OK)
        abort();
    for (uint64_t first = 0; first < all; first += 1 + all / 80) {
        for (uint64_t count = 0; count <= all - first; count += 1 + all / 12)
            wrong += !check_range(trace, &columns, first, count);
        wrong += !check_range(trace, &columns, first, all - first);
    }
    CHECK_U64(wrong, 0, "any range of references with counts");
    margay_trace_free(trace);
    unlink(path);
    free(bytes.data);
    free_columns(&columns);
}

static void test_skips(void)
{
    size_t ends[5];
    char path[TEST_PATH_BYTES];
    struct columns columns;
    struct bytes bytes = make_small(&columns, ends);
    write_file(make_path(path, "x"), bytes.data, bytes.count);
    check_skips(path, &columns, "by the index");
    /* Skipped blocks are not read. */
    bytes.data[ends[1] - 1] ^= 1;
    write_file(path, bytes.data, bytes.count);
    uint64_t skipped = 0;
    for (size_t i = 0; i < 2 * SMALL_FLUSH; i++)
        skipped += columns.counts[i];
    struct reading reading =
        read_path_as(path, skipped, &columns, 2 * SMALL_FLUSH, ALL);
    CHECK(reading.status == MARGAY_END && reading.same &&
              reading.entries == 2 * SMALL_FLUSH,
          "beyond a damaged block");
    unlink(path);
    free(bytes.data);
    free_columns(&columns);
}

/* ------------------------------------------------- whole, but nonsense -- */

/* A file of one block with this payload, check sums and all. */
static struct bytes make_file(const uint8_t *payload, size_t payload_bytes,
                              unsigned columns, uint32_t entries,
                              uint64_t references)
{
    struct bytes bytes = {0};
    struct margay_mgt_header header = {.columns = columns};
    uint8_t head[MARGAY_MGT_HEADER_BYTES], block[MARGAY_MGT_BLOCK_HEADER_BYTES];
    margay_mgt_put_header(&header, head);
    append_bytes(&bytes, head, sizeof head, NULL);
    margay_put_little(block, MARGAY_MGT_BLOCK_MARK, 4);
    margay_put_little(block + 4, payload_bytes, 4);
    margay_put_little(block + 8, entries, 4);
    margay_put_little(block + 12, references, 8);
    margay_put_little(block + 20, margay_mgt_crc(0, payload, payload_bytes), 4);
    margay_put_little(block + 24, margay_mgt_crc(0, block, 24), 4);
    append_bytes(&bytes, block, sizeof block, NULL);
    append_bytes(&bytes, payload, payload_bytes, NULL);
    return bytes;
}

static void check_nonsense(const uint8_t *payload, size_t payload_bytes,
                           unsigned columns, uint32_t entries,
                           uint64_t references, const char *expected)
{
    struct columns none = make_columns(0);
    struct bytes bytes =
        make_file(payload, payload_bytes, columns, entries, references);
    struct reading reading = read_as(&bytes, &none, 0);
    CHECK(reading.status == MARGAY_BAD_INPUT && reading.entries == 0 &&
              strstr(reading.error.message, expected) != NULL,
          "expected %s", expected);
    if (strstr(reading.error.message, expected) == NULL)
        printf("#   %s\n", reading.error.message);
    free(bytes.data);
    free_columns(&none);
}

#define NUMBER(v)  (v), 0, 0, 0, 0, 0, 0, 0
#define ONE_NUMBER MARGAY_MGT_NUMBERS, MARGAY_MGT_CONSTANT, NUMBER(1)
#define ONE_ACCESS MARGAY_MGT_ACCESSES, MARGAY_MGT_CONSTANT, NUMBER(4)
#define NONSENSE(columns, entries, references, expected, ...)         \
    do {                                                              \
        static const uint8_t payload[] = {__VA_ARGS__};               \
        check_nonsense(payload, sizeof payload, (columns), (entries), \
                       (references), (expected));                     \
    } while (0)

static void test_nonsense(void)
{
    const unsigned counted =
        MARGAY_MGT_ALWAYS | MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_COUNTS);
    NONSENSE(3, 0, 0, "the header of a block", ONE_NUMBER, ONE_ACCESS);
    NONSENSE(3, 65537, 65537, "the header of a block", ONE_NUMBER, ONE_ACCESS);
    NONSENSE(3, 5, 4, "the header of a block", ONE_NUMBER, ONE_ACCESS);
    NONSENSE(3, 1, 2, "as many references as", ONE_NUMBER, ONE_ACCESS);
    NONSENSE(3, 1, 1, "another column", ONE_ACCESS, ONE_NUMBER);
    NONSENSE(3, 1, 1, "another column", ONE_NUMBER);
    NONSENSE(3, 1, 1, "a coding that is known", MARGAY_MGT_NUMBERS, 3,
             NUMBER(1), ONE_ACCESS);
    NONSENSE(3, 1, 1, "a column that its coding allows", ONE_NUMBER,
             MARGAY_MGT_ACCESSES, 0, 4, 0, 0, 0, 0, 0, 0);
    NONSENSE(3, 1, 1, "the columns and nothing else", ONE_NUMBER, ONE_ACCESS,
             0);
    NONSENSE(3, 1, 1, "a kind", ONE_NUMBER, 1, 0, NUMBER(7));
    NONSENSE(3, 1, 1, "a size of 32 bits", ONE_NUMBER, 1, 0, 4, 0, 0, 0, 4, 0,
             0, 0);
    NONSENSE(counted, 1, 1, "counts from 1 up", ONE_NUMBER, ONE_ACCESS, 2, 0,
             NUMBER(0));
    NONSENSE(counted, 2, 9, "as many references", ONE_NUMBER, ONE_ACCESS, 2, 0,
             NUMBER(4));
    NONSENSE(counted, 1, 1, "a number of 32 bits", ONE_NUMBER, ONE_ACCESS, 2, 0,
             1, 0, 0, 0, 1, 0, 0, 0);
    /* Dictionaries: too many values, an index beyond them, too few indices. */
    NONSENSE(3, 1, 1, "a column that its coding", ONE_NUMBER, 1, 1, 1, 1);
    NONSENSE(3, 1, 1, "a column that its coding", ONE_NUMBER, 1, 1, 1, 0,
             NUMBER(4), 1, 0, 0, 0, 1, 0, 0, 0, 1);
    NONSENSE(3, 2, 2, "a column that its coding", ONE_NUMBER, 1, 1, 1, 0,
             NUMBER(4), 1, 0, 0, 0, 1, 0, 0, 0, 0);
    NONSENSE(3, 1, 1, "a stream as long as", ONE_NUMBER, 1, 1, 1, 0, NUMBER(4),
             1, 0, 0, 0, 2, 0, 0, 0, 0, 0);
    NONSENSE(3, 1, 1, "a stream as long as", ONE_NUMBER, 1, 1, 1, 0, NUMBER(4),
             9, 0, 1, 0, 9, 0, 1, 0, 0);
    NONSENSE(3, 9, 9, "zstd", ONE_NUMBER, 1, 1, 1, 0, NUMBER(4), 9, 0, 0, 0, 2,
             0, 0, 0, 0, 0);
    /* Differences of a byte that are missing, or one too many. */
    NONSENSE(3, 1, 1, "a column that its coding", 0, 2, 1, 0, 0, 0, 1, 0, 0, 0,
             0x40, 0, 0, 0, 0, 0, 0, 0, 0, ONE_ACCESS);
    NONSENSE(3, 1, 1, "a column that its coding", 0, 2, 1, 0, 0, 0, 1, 0, 0, 0,
             0, 1, 0, 0, 0, 1, 0, 0, 0, 5, ONE_ACCESS);
    /* An impossible access, coded as a difference. */
    NONSENSE(3, 1, 1, "a kind", ONE_NUMBER, 1, 2, 1, 0, 0, 0, 1, 0, 0, 0, 0x40,
             1, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
             0, 0, 0);
}

/* A file that cannot be positioned is no fault of the trace: either all of it
   is read without the index, or the failure is reported. */
static void test_no_way(void)
{
    uint64_t numbers[1000];
    for (size_t i = 0; i < 1000; i++)
        numbers[i] = i * i;
    struct margay_batch batch = {.references = 1000, .numbers = numbers};
    struct bytes bytes = {0};
    margay_writer *writer = make_writer(&bytes);
    for (int i = 0; i < 200; i++)
        margay_writer_put(writer, &batch, NULL);
    end_writer(writer);
    int go_tos = 0, failed = 0;
    for (bool reached = true; reached; go_tos++) {
        struct file file = {.bytes = bytes, .go_tos = go_tos};
        const struct margay_block_source source = {
            .context = &file,
            .name = "a file",
            .evidence = "",
            .read = read_file,
            .plain_bytes = file_bytes,
            .go_to = go_to,
        };
        struct margay_trace_facts facts = {.columns = 0};
        struct margay_references references = {.capacity = 4096};
        struct margay_error error = {MARGAY_OK, ""};
        uint64_t skipped = 0, refs, count = 0;
        bool known;
        void *state;
        references.numbers = allocate(4096, 8);
        margay_references_allocate(&references, MARGAY_ALL_COLUMNS);
        margay_mgt_reading.open(&source, &state, &facts, NULL);
        enum margay_status status = margay_mgt_reading.skip(
            state, 150000, &skipped, &known, &refs, &error);
        failed += status == MARGAY_IO;
        while (status == MARGAY_OK) {
            references.count = 0;
            status = margay_mgt_reading.fill(state, &references, &error);
            count += references.count;
        }
        CHECK((status == MARGAY_END && skipped + count == 200000) ||
                  (status == MARGAY_IO && error.status == MARGAY_IO),
              "the file cannot be gone to after %d times: %s", go_tos,
              error.message);
        reached = file.go_tos < 0;
        margay_mgt_reading.free_state(state);
        margay_references_free(&references);
    }
    CHECK(go_tos > 3 && failed == 1, "%d times, of which the last one matters",
          go_tos - 1);
    free(bytes.data);
}

int main(void)
{
    test_no_way();
    test_round_trips();
    test_facts();
    test_refusals();
    test_cuts();
    test_flips();
    test_skips();
    test_ranges();
    test_nonsense();
    return tap_done();
}
