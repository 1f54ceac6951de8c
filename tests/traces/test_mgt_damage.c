/* test_mgt_damage.c - the compact format: damaged and cut files, and
   nonsense */
#define _GNU_SOURCE
#include "tests/rounds.h"
#include "tests/traces/mgt_files.h"

/* --------------------------------------------------------------- damage -- */

static bool says_how_many(const struct reading *reading)
{
    char text[80];
    snprintf(text, sizeof text, "the first %zu references of the trace",
             reading->entries);
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
    size_t step = rounds(100) < 100 ? 97 : 5;
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

/* ------------------------------------------------- whole, but nonsense -- */

/* A file of one block with this payload, check sums and all. */
static struct bytes make_file(const uint8_t *payload, size_t payload_bytes,
                              unsigned columns, uint32_t entries,
                              uint64_t references)
{
    struct bytes bytes = {0};
    const struct margay_trace_facts facts = {.splits = false};
    uint8_t head[MARGAY_MGT_HEADER_BYTES], block[MARGAY_MGT_BLOCK_HEADER_BYTES];
    margay_mgt_put_header(&facts, columns, head);
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
    const unsigned threads =
        MARGAY_MGT_ALWAYS | MARGAY_MGT_COLUMN_BIT(MARGAY_MGT_THREADS);
    NONSENSE(3, 0, 0, "the header of a block", ONE_NUMBER, ONE_ACCESS);
    NONSENSE(3, 65537, 65537, "the header of a block", ONE_NUMBER, ONE_ACCESS);
    NONSENSE(3, 5, 4, "the header of a block", ONE_NUMBER, ONE_ACCESS);
    NONSENSE(3, 1, 2, "the header of a block", ONE_NUMBER, ONE_ACCESS);
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
    NONSENSE(3, 1, 1, "extents within 64 bits", 0, 0, 255, 255, 255, 255, 255,
             255, 255, 255, 1, 0, NUMBER(8));
    NONSENSE(counted, 1, 1, "a trace without counts of repeats", ONE_NUMBER,
             ONE_ACCESS, 2, 0, NUMBER(1));
    NONSENSE(threads, 1, 1, "a number of 32 bits", ONE_NUMBER, ONE_ACCESS, 3, 0,
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

int main(void)
{
    test_cuts();
    test_flips();
    test_nonsense();
    return tap_done();
}
