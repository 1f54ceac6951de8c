/* test_csv.c - the column of ids in a table, its header, its limits */
#define _GNU_SOURCE
#include "tests/traces/read_all.h"

static struct whole_trace read_table(const char *text, const char *column,
                                     char delimiter, int quote)
{
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.column = column;
    options.delimiter = delimiter;
    options.quote = quote;
    write_file(make_path(path, "table"), text, strlen(text));
    struct whole_trace whole = read_path(path, &options);
    unlink(path);
    return whole;
}

static const struct table {
    const char *what, *column;
    char delimiter;
    const char *text;
    const char *outcome; /* references, or a piece of the message */
} tables[] = {
    {"by name", "b", 0, "a,b,c\n1,2,3\n4,5,6\n", "r2 r5"},
    {"by a quoted name", "b c", 0, "a,\"b c\"\n1,2\n", "r2"},
    {"by number", "3", 0, "a,b,c\n1,2,3\n4,5,6\n", "r3 r6"},
    {"by number, no header", "1", 0, "1,2\n4,5\n", "r1 r4"},
    {"a name that is there twice", "a", 0, "a,a\n1,2\n", "r1"},
    {"a name means a header", "a", 0, "a,b\nx,y\n", "raf63f54c86021707"},
    {"no number in two rows: no header", "1", 0, "a,b\nx,y\n",
     "raf63dc4c8601ec8c raf63f54c86021707"},
    {"a number elsewhere: a header", "1", 0, "a,b\nx,7\n", "raf63f54c86021707"},
    {"rows of other lengths", "2", 0, "1,2\n3,4,5\n6,7\n", "r2 r4 r7"},
    {"a header that lacks a name", "1", 0, ",b\n7,8\n", "r7"},
    {"semicolons", "2", ';', "a;b\n1;2\n", "r2"},
    {"tabs", "2", '\t', "1\t2\n", "r2"},
    {"spaces, one at a time", "2", ' ', "1 2\n3 4\n", "r2 r4"},
    {"a delimiter alone", NULL, ';', "1\n2\n", "r1 r2"},
    {"nothing", "a", 0, "", ""},
    {"a header alone", "a", 0, "a,b\n", ""},
    {"an empty trace as it is written", "1", 0, "id\n", ""},
    {"any other key alone", "1", 0, "ab\n", "r89c4407b545986a"},
    {"no such name", "d", 0, "a,b\n1,2\n", ":1: found 'a,b', expected a col"},
    {"no such number", "3", 0, "1,2\n3,4\n",
     ":2: found '3,4', expected an id in column 3 of the first row"},
    {"a row too short", "2", 0, "1,2\n3\n",
     ":2: found '3', expected an id in column 2 (the row has 1 column)"},
    {"one row too short", "2", 0, "1", ":1: found the end, expected an id"},
    {"column 0 is a name", "0", 0, "1,2\n", "a column named '0'"},
};

static const struct {
    int quote;
    struct table table;
} quoted[] = {
    {0, {"a quote holds a delimiter", "2", 0, "\"1,2\",3\n", "r3"}},
    {MARGAY_NO_QUOTE, {"no quotes: they hold none", "2", 0, "\"1,2,3\n", "r2"}},
    {MARGAY_NO_QUOTE,
     {"no quotes: they are text anywhere", "2", ' ',
      "\"GET 7\" a\"b\n\" 9\" \"\n", "r7f21407b4b4c6dc r8141407b4d1ad42"}},
    {MARGAY_NO_QUOTE,
     {"no quotes: that alone asks for a table", NULL, 0, "1\n2\n", "r1 r2"}},
    {'\'', {"another quote", "2", 0, "'1,2',3\n", "r3"}},
    {'\'',
     {"another quote doubled", "1", 0, "'1'',2',3\n'4',5\n",
      "r8f6344f1421b12df r4"}},
    {'\'',
     {"another quote: the usual one is text", "1", 0, "4,5\n\"6,7\n",
      "r4 r7cc8207b494b289"}},
    {0, {"a quote not closed", "1", 0, "1,2\n\"3,4\n", "to be closed"}},
    {0,
     {"a quote within a field", "1", 0, "1,2\n3\"3,4\n", "--quote none takes"}},
    {';', {"a quote is the delimiter", "1", ';', "1;2\n", "are both ';'"}},
    {',', {"or a comma", "1", 0, "1,2\n", "are both ','"}},
};

static void check_table(const struct table *table, int quote)
{
    char shown[256];
    struct whole_trace whole =
        read_table(table->text, table->column, table->delimiter, quote);
    if (whole.status == MARGAY_OK)
        CHECK_TEXT(show_trace(&whole, shown, sizeof shown), table->outcome,
                   "%s", table->what);
    else
        CHECK(table->outcome[0] != '\0' &&
                  strstr(whole.error.message, table->outcome) != NULL,
              "%s: %s", table->what, whole.error.message);
    drop_trace(&whole);
}

static void test_tables(void)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        check_table(&tables[i], 0);
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++)
        check_table(&quoted[i].table, quoted[i].quote);
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
    struct whole_trace whole = read_table(text, "the id", 0, 0);
    unsigned wrong = whole.count != rows;
    for (size_t i = 0; i < whole.count; i++)
        wrong += whole.numbers[i] != i;
    CHECK_U64(wrong, 0, "%zu rows of two lines each", rows);
    CHECK_TEXT(whole.error.message, "", "no complaint");
    drop_trace(&whole);
    text[used - 3] = 'x';
    memcpy(text + used - 2, "\"\n", 2);
    whole = read_table(text, "the id", 0, 0);
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
    test_tables();
    test_other_formats();
    test_long_table();
    test_open_quote();
    return tap_done();
}
