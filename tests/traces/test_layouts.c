/* test_layouts.c - tables: ids of several columns, devices, quotes, long
   ones */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/traces/read_all.h"
#include "traces/base/fnv.h"
#include "traces/formats/format.h"

/* A composite id is the hash of its fields with a NUL byte between two. */
static void test_composite(void)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    char expected[128];
    options.column = "id=2+1";
    snprintf(expected, sizeof expected, "%" PRIx64 " %" PRIx64,
             margay_fnv1a("b\0"
                          "17",
                          4),
             margay_fnv1a("\0", 1));
    CHECK_TEXT(show_bytes("table", &options, "17,b\n,\n", 7), expected,
               "in the order of --column");
    options.column = "id=1+2";
    snprintf(expected, sizeof expected, "%" PRIx64 " %" PRIx64,
             margay_fnv1a("1\0"
                          "12",
                          4),
             margay_fnv1a("11\0"
                          "2",
                          4));
    CHECK_TEXT(show_bytes("table", &options, "1,12\n11,2\n", 10), expected,
               "and no two alike");
}

/* Devices whose numbers collide get different ones. */
static void test_devices(void)
{
    enum { DEVICES = 3000 };
    char *text = malloc(DEVICES * 32), path[TEST_PATH_BYTES];
    size_t used = 0, wrong = 0;
    for (unsigned i = 0; i < DEVICES; i++)
        used += (size_t)sprintf(text + used, "1,host%u,%u,Read,0,1,1\n", i / 7,
                                i % 7);
    struct whole_trace whole = read_bytes("devices", "msr", text, used);
    CHECK_U64(whole.count, DEVICES, "%d devices", DEVICES);
    for (size_t i = 0; i < whole.count; i++) {
        for (size_t k = 0; k < i; k++)
            wrong += whole.numbers[i] == whole.numbers[k];
    }
    CHECK_U64(wrong, 0, "no two have the same number");
    drop_trace(&whole);
    free(text);
    (void)path;
}

/* ------------------------------------------------------ plain and quoted -- */

static size_t random_field(char *text, bool *quoted)
{
    static const char *const fields[] = {"7",
                                         "12345678",
                                         "0",
                                         "",
                                         "key",
                                         "a b",
                                         " 5",
                                         "6 ",
                                         "-1",
                                         "007",
                                         "1.5",
                                         "12a",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "get",
                                         "1234567890123456"};
    const char *field = fields[below(sizeof fields / sizeof *fields)];
    *quoted = one_in(8) && field[0] != ' ' && strchr(field, ' ') == NULL;
    return (size_t)sprintf(text, *quoted ? "\"%s\"" : "%s", field);
}

/* A plain row gives the same as through libcsv: the same rows once as they are,
   and once with a quoted field in front of each, which no plain row has. */
static void test_plain(void)
{
    seed_chance(11);
    uint64_t tries = rounds(3000);
    unsigned different = 0;
    for (uint64_t t = 0; t < tries; t++) {
        char plain[1024] = "x,0,0\nx,0,0\n", quoted[1024] = "x,0,0\nx,0,0\n";
        size_t p = strlen(plain), q = p, start;
        for (unsigned row = 0; row < 4; row++) {
            p += (size_t)sprintf(plain + p, "x");
            q += (size_t)sprintf(quoted + q, "\"x\"");
            for (unsigned i = one_in(8); i < 3; i++) {
                bool is_quoted;
                plain[p++] = quoted[q++] = ',';
                start = p;
                p += random_field(plain + p, &is_quoted);
                memcpy(quoted + q, plain + start, p - start);
                q += p - start;
            }
            bool carriage = one_in(4);
            p += (size_t)sprintf(plain + p, carriage ? "\r\n" : "\n");
            q += (size_t)sprintf(quoted + q, carriage ? "\r\n" : "\n");
        }
        struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
        options.column = t % 4 == 0   ? "id=2"
                         : t % 4 == 1 ? "id=2+4,size=3"
                         : t % 4 == 2 ? "id=3,size=4,time=2"
                                      : "id=2,ttl=3";
        char *one = strdup(show_bytes("table", &options, plain, p));
        const char *two = show_bytes("table", &options, quoted, q);
        /* Up to the text found, where the line is wrong. */
        const char *end = strstr(one, ": found");
        bool same = end == NULL
                        ? strcmp(one, two) == 0
                        : strncmp(one, two, (size_t)(end - one) + 7) == 0;
        if (!same && different++ == 0)
            printf("# %s\n# %s\n# %s\n", plain, one, two);
        free(one);
    }
    CHECK_U64(different, 0, "plain and quoted, %" PRIu64 " times", tries);
}

/* Repeats of a row fill batch after batch, and the last row's too. */
static void test_counts(void)
{
    enum { ROWS = 40 };
    char text[ROWS * 32];
    size_t used = 0, wrong = 0, k = 0;
    used += (size_t)sprintf(text, "key,op,size,op_count,key_size\n");
    for (unsigned i = 0; i < ROWS; i++)
        used +=
            (size_t)sprintf(text + used, "%u,GET,0,%u,0\n", i, i * 1600 + 1);
    struct whole_trace whole = read_bytes("counts", "meta-kv", text, used);
    CHECK_U64(whole.count, ROWS + 1600 * ROWS * (ROWS - 1) / 2, "all repeats");
    for (unsigned i = 0; i < ROWS; i++) {
        for (unsigned c = 0; c <= i * 1600; c++, k++)
            wrong += k >= whole.count || whole.numbers[k] != i;
    }
    CHECK_U64(wrong, 0, "each in its place");
    drop_trace(&whole);
}

static void test_unit(void)
{
    struct whole_trace whole =
        read_text("unit", "tencent", "1538323200,16,8,0,3\n");
    CHECK_TEXT(whole.evidence, "the format asked for, offsets in 512 bytes",
               "the unit that was assumed is told");
    drop_trace(&whole);
}

/* ----------------------------------------------------------- long tables -- */

static struct whole_trace read_ids(const char *text, const char *column)
{
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.column = column;
    write_file(make_path(path, "table"), text, strlen(text));
    struct whole_trace whole = read_path(path, &options);
    unlink(path);
    return whole;
}

static void test_other_formats(void)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.format = "din";
    options.column = "a";
    struct whole_trace whole = read_path("/dev/null", &options);
    CHECK(whole.status == MARGAY_BAD_ARGUMENT &&
              strstr(whole.error.message, "for the format csv, not for din"),
          "a column of another format: %s", whole.error.message);
}

/* Many batches and buffers, so that their ends fall anywhere in a row. */
static void test_long_table(void)
{
    size_t rows = 100000, used = 0;
    char *text = malloc(rows * 32);
    used += (size_t)sprintf(text, "key,\"the id\"\r\n");
    for (size_t i = 0; i < rows; i++)
        used += (size_t)sprintf(text + used, "\"k%zu\r\n\",%zu%s", i % 977, i,
                                i % 3 ? "\n" : "\r\n");
    struct whole_trace whole = read_ids(text, "the id");
    unsigned wrong = whole.count != rows;
    for (size_t i = 0; i < whole.count; i++)
        wrong += whole.numbers[i] != i;
    CHECK_U64(wrong, 0, "%zu rows of two lines each", rows);
    CHECK_TEXT(whole.error.message, "", "no complaint");
    drop_trace(&whole);
    text[used - 3] = 'x';
    memcpy(text + used - 2, "\"\n", 2);
    whole = read_ids(text, "the id");
    CHECK(strstr(whole.error.message, ":200001: found '\",99") != NULL,
          "the last line is wrong: %s", whole.error.message);
    CHECK_U64(whole.count, rows - 1, "the rows before are there");
    drop_trace(&whole);
    free(text);
}

/* Memory stays bounded where a quote is never closed. */
static void test_open_quote(void)
{
    size_t bytes = 1000000;
    char *text = malloc(bytes + 1);
    memcpy(text, "1\n\"", 3);
    for (size_t i = 3; i < bytes; i++)
        text[i] = i % 80 == 0 ? '\n' : 'x';
    text[bytes] = '\0';
    struct whole_trace whole = read_bytes("open", "csv", text, bytes);
    CHECK(whole.status == MARGAY_BAD_INPUT &&
              strstr(whole.error.message, "a row of at most 65536 bytes"),
          "an open quote: %s", whole.error.message);
    drop_trace(&whole);
    memset(text, '\n', bytes);
    memcpy(text + bytes - 2, "7\n", 2);
    whole = read_bytes("empty", "csv", text, bytes);
    CHECK_U64(whole.count, 1, "empty lines make no long row");
    drop_trace(&whole);
    free(text);
}

int main(void)
{
    test_unit();
    test_other_formats();
    test_long_table();
    test_open_quote();
    test_composite();
    test_devices();
    test_plain();
    test_counts();
    return tap_done();
}
