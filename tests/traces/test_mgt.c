/* test_mgt.c - the compact format: what goes in comes out, from any place on */
#define _GNU_SOURCE
#include "tests/rounds.h"
#include "tests/traces/mgt_files.h"

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
        margay_writer_put(writer, &batch, NULL);
        end_writer(writer);
        write_file(path, bytes.data, bytes.count);
        struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
        margay_trace *trace;
        margay_trace_open(path, &options, &trace, NULL);
        const struct margay_trace_facts *facts = margay_trace_facts(trace);
        CHECK(margay_trace_ready(trace, -1, NULL) == MARGAY_OK &&
                  facts->numbers == MARGAY_IDS &&
                  facts->unit_bytes == units[i] && facts->splits == (i == 2) &&
                  facts->columns ==
                      (MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS),
              "ids that stand for %" PRIu64 " bytes", units[i]);
        CHECK(facts->knows_references && facts->references == 1 &&
                  strcmp(facts->evidence, "content: its first 8 bytes") == 0,
              "how many there are is known, by its content the format");
        margay_trace_free(trace);
        free(bytes.data);
    }
    unlink(path);
}

static void test_refusals(void)
{
    struct bytes bytes = {0};
    margay_writer *writer = make_writer(&bytes);
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
    margay_writer_free(writer);
    free(bytes.data);
}

/* ------------------------------------------------------------- skipping -- */

/* From any reference on, by the index or past a damaged one. */
static void check_skips(const char *path, const struct columns *columns,
                        const char *what)
{
    size_t wrong = 0;
    for (size_t first = 0; first <= columns->count; first++) {
        struct reading reading = read_path_as(path, first, columns, first, ALL);
        wrong += reading.status != MARGAY_END || !reading.same ||
                 reading.entries != columns->count - first;
    }
    struct reading reading =
        read_path_as(path, columns->count + 5, columns, columns->count, ALL);
    wrong += reading.status != MARGAY_END || reading.entries != 0;
    CHECK_U64(wrong, 0, "%s, from every reference on", what);
}

static bool check_range(margay_trace *trace, const struct columns *columns,
                        size_t first, size_t count)
{
    struct margay_batch batch;
    margay_range *range = NULL;
    size_t entry = first;
    bool same = true;
    enum margay_status status =
        margay_trace_range(trace, first, count, &range, NULL);
    while (status == MARGAY_OK &&
           (status = margay_range_next(range, &batch, NULL)) == MARGAY_OK) {
        for (size_t i = 0; i < batch.references; i++, entry++)
            same = same && entry < columns->count &&
                   same_entry(columns, entry, &batch, i, ALL);
    }
    margay_range_free(range);
    return status == MARGAY_END && same && entry == first + count;
}

static void test_ranges(void)
{
    size_t ends[5], wrong = 0;
    char path[TEST_PATH_BYTES];
    struct columns columns;
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct bytes bytes = make_small(&columns, ends);
    margay_trace *trace;
    write_file(make_path(path, "x"), bytes.data, bytes.count);
    if (margay_trace_open(path, &options, &trace, NULL) != MARGAY_OK ||
        margay_trace_ready(trace, -1, NULL) != MARGAY_OK)
        abort();
    for (size_t first = 0; first < columns.count; first++) {
        for (size_t count = 0; count <= columns.count - first; count++)
            wrong += !check_range(trace, &columns, first, count);
    }
    CHECK_U64(wrong, 0, "any range of references");
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
    struct reading reading =
        read_path_as(path, 2 * SMALL_FLUSH, &columns, 2 * SMALL_FLUSH, ALL);
    CHECK(reading.status == MARGAY_END && reading.same &&
              reading.entries == 2 * SMALL_FLUSH,
          "beyond a damaged block");
    unlink(path);
    free(bytes.data);
    free_columns(&columns);
}

int main(void)
{
    test_round_trips();
    test_facts();
    test_refusals();
    test_skips();
    test_ranges();
    return tap_done();
}
