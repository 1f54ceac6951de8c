/* test_detect.c - the format that a file is taken for, and why; test_texts.c
   has which texts are known */
#define _GNU_SOURCE
#include "tests/traces/read_all.h"

static const struct known {
    const char *name, *text;
    const char *format; /* "" = nothing known */
    size_t references;
    const char *evidence; /* or a piece of the message */
} knowns[] = {
    /* The content decides, and not the name. */
    {"trace", "0 10\n2 ff\n", "din", 2, "content: 2 lines"},
    {"trace", "0x77ad0", "hex", 1, "content: 1 line"},
    {"trace.u64", "0 10\n2 ff\n", "din", 2, "content"},
    {"trace", "id,n\n5,1\n", "csv", 1, "content"},
    {"trace", "a,n\n5,1\n", "csv", 0, ":1: found 'a,n', expected --column"},
    {"trace", "10,1\n11,2\n", "", 0, ":1: found '10,1', expected a record"},
    {"trace.csv", "10,1\n", "csv", 0, ":1: found '10,1', expected --column"},
    {"trace.csv", "id\n7\n8\n", "csv", 2, "content: 3 lines"},
    {"trace.csv.xz", "a\nb\n", "csv", 2, "content: 2 lines"},
    {"trace.csv", "\"a", "csv", 0, ":1: found the end, expected the quotes"},
    {"trace.lis", "0x77ad0\n", "hex", 1, "content"},

    /* Both arc and din fit: the suffix decides, otherwise arc. */
    {"trace", "1 1 0 0\n2 1 0 0\n", "arc", 2, "content"},
    {"trace.lis", "1 1 0 0\n2 1 0 0\n", "arc", 2, "content"},
    {"trace.din", "1 1 0 0\n2 1 0 0\n", "din", 2, "content"},
    {"trace", "1 1f 0 0\n2 1 0 0\n", "din", 2, "content"},

    /* Both din and a storage layout fit: the suffix decides, or else the
       user.  Labels that go up and down are no times. */
    {"trace", "1 2 3\n", "", 0, ":1: found '1 2 3', which is both din and"},
    {"trace", "0 1 8\n1 2 3\n", "", 0, "expected -f din or -f webcachesim"},
    {"trace.din", "1 2 3\n", "din", 1, "content"},
    {"trace", "1 2 3\n0 2 3\n", "din", 2, "content"},
    {"trace", "1 2 3\n3 2 3\n", "webcachesim", 2, "content: 2 lines"},
    {"trace", "5 2 3\n4 2 3\n", "webcachesim", 2, "the first 1 line"},
    {"trace", "3 2 3 4 5\n4 2 3 4 5\n", "", 0, "expected a record"},

    /* Layouts of tables.  The suffix csv does not speak for one. */
    {"trace.csv", "128166372003061629,hm,1,Read,383496192,32768,113736\n",
     "msr", 1, "content: 1 line"},
    {"trace", "128166372003061629,hm,1,Scan,383496192,32768,113736\n", "", 0,
     "expected a record of a known"},
    {"trace.csv", "1538323200,12910952,128,0,1063\n", "tencent", 1, "content"},
    {"trace.csv", "1538323200,12910952,128,2,1063\n", "csv", 0,
     ":1: found '1538323200,12910952,128,2,1063', expected --column"},
    {"trace.csv", "key,op,size,op_count,key_size\na,GET,1,1,1\n", "meta-kv", 1,
     "content: 2 lines"},
    {"trace",
     "# block_id io_offset io_size op_time op_name user_namespace\n"
     "28 0 4194304 1570.5 1 3\n",
     "meta-block", 1, "content: 2 lines"},
    {"trace",
     "\r\n \nblock_id\tio_offset\tio_size\top_name\r\n28\t0\t4096\t1\r\n",
     "meta-block", 1, "content: 4 lines"},
    {"trace", "\nblock_id,io_offset,io_size,op_name\n28,0,4096,1\n",
     "meta-block", 1, "content: 3 lines"},

    {"trace", "8,0 3 1 0.0 697 Q W 2 + 8 [a]\nCPU0\n", "blkparse", 1,
     "content: 2 lines"},

    /* Of processors' simulators. */
    {"trace", "0x401136: R 0x10\n0x40113a: Q 0x10\n", "pinatrace", 1,
     ":2: found '0x40113a: Q"},
    {"trace", "id: 5\nid: 6\n", "", 0, ":1: found 'id: 5', expected a record"},
    {"trace", "main(void)\n", "", 0, ":1: found 'main(void)', expected a rec"},
    {"trace.xdin", "r 10 4\nx 20 4\n", "xdin", 1, ":2: found 'x 20 4'"},
    {"trace.perf", "7ffe10 401136 f\n", "perf-script", 1, "content: 1 line"},
    {"trace", "7ffe10 401136 f\n", "", 0, "expected a record of a known"},

    /* Digits without 0x are ids, unless the suffix says hex. */
    {"trace.hex", "10\n20\n", "hex", 2, "content"},
    {"trace.hex", "ff\n", "hex", 1, "content"},
    {"trace", "ff\n", "", 0, ":1: found 'ff', expected a record of a known"},

    /* Packed numbers do not show what they are. */
    {"trace.u32", "\x01\x02\x03\x04", "u32", 1, "the suffix"},
    {"TRACE.U32BE", "\x01\x02\x03\x04", "u32be", 1, "the suffix"},
    {"trace.u64", "\x01\x02\x03\x04\x05\x06\x07\x08", "u64", 1, "the suffix"},
    {"trace.u64.gz", "\x01\x02\x03\x04\x05\x06\x07\x08", "u64", 1, "the suff"},
    {"trace.u64", "*\x02\x03\x04\x05\x06\x07\x08", "u64", 1, "the suffix"},
    {"trace.din.u64", "\x01\x02\x03\x04\x05\x06\x07\x08", "u64", 1, "the suf"},

    /* Empty. */
    {"trace", "", "lines", 0, "empty"},
    {"trace", "\n \n", "lines", 0, "empty"},
    {"trace.din", "", "din", 0, "the suffix"},
    {"trace.u64", "", "u64", 0, "the suffix"},
    {"trace.lis.zst", "\n", "arc", 0, "the suffix"},
    {"trace", "==1== Lackey\n==1==\n", "lackey", 0, "comments"},
    {"trace", "*\n", "lines", 0, "comments"},

    /* Damaged: the format that decodes most lines reports the line. */
    {"trace", "0 10\n0 20\n3 30\n", "din", 2, ":3: found '3 30'"},
    {"trace.din", "3 30\n", "din", 0, ":1: found '3 30'"},
    {"trace", "0x10 I\n0x20 D\n0x30 X\n", "id", 2, ":3: found '0x30 X'"},
    {"trace", "0x10\n0xg\n", "hex", 1, ":2: found '0xg'"},
    {"trace", " L 10,4\n L 10,\n", "lackey", 1, ":2: found 'L 10,'"},
    {"trace", "1 1 0 0\n9 1 0 x\n", "arc", 1, "found"},

    {"trace.csv", "key,op,size,op_count,key_size\na,GET,1,1,1\na,GET,-1,1,1\n",
     "meta-kv", 1, ":3: found 'a,GET,-1,1,1', expected a size"},
    {"trace.csv", "key,op,size,op_count\na,GET,1,1\na,GET,-1,1\n", "csv", 1,
     ":3: found 'a,GET,-1,1', expected a size"},

    /* Unknown. */
    {"trace", "nothing of the kind\n", "", 0, "expected a record of a known"},
    {"trace", "nothing\tof\tthe\tkind\tat\n", "", 0, "expected a record"},
    {"trace", "hello world\n", "", 0, ":1: found 'hello world', expected"},
    {"trace", "hello", "", 0, "named with -f ('margay help formats' l"},
    {"trace.txt", "3 30\n", "", 0, ":1: found '3 30'"},
    {".din", "hello\n", "din", 0, ":1: found 'hello', expected a label"},
};

static bool as_expected(const struct known *known,
                        const struct whole_trace *whole)
{
    const char *text =
        whole->status == MARGAY_OK ? whole->evidence : whole->error.message;
    bool fails = known->evidence[0] == ':' ||
                 strstr(known->evidence, "found") || known->format[0] == '\0';
    return strcmp(whole->format, known->format) == 0 &&
           whole->count == known->references &&
           strstr(text, known->evidence) != NULL &&
           whole->status == (fails ? MARGAY_BAD_INPUT : MARGAY_OK);
}

static void test_known(void)
{
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++) {
        const struct known *known = &knowns[i];
        struct whole_trace whole = read_text(known->name, NULL, known->text);
        if (!CHECK(as_expected(known, &whole), "%zu: %s is %s (%s)", i,
                   known->name, known->format, known->evidence))
            printf("#   %s: %zu references, status %d, %s%s\n", whole.format,
                   whole.count, whole.status, whole.evidence,
                   whole.error.message);
        drop_trace(&whole);
    }
}

static void test_binary(void)
{
    struct whole_trace whole = read_bytes("trace", NULL, "\0\1\2\3", 4);
    CHECK(whole.status == MARGAY_BAD_INPUT &&
              strstr(whole.error.message, "binary data") != NULL,
          "zeros are binary: %s", whole.error.message);
    drop_trace(&whole);
}

/* The line that decides between two formats may come late in the window. */
static void test_late_evidence(void)
{
    size_t lines = 8000, used = 0;
    char *text = malloc(lines * 16);
    for (size_t i = 0; i < lines; i++)
        used += (size_t)sprintf(text + used, "1 2 0 %s\n",
                                i == lines - 10 ? "f" : "0");
    struct whole_trace whole = read_bytes("trace", NULL, text, used);
    CHECK_TEXT(whole.format, "din", "one letter in 64 KiB makes it din");
    CHECK_U64(whole.count, lines, "all of it is read");
    drop_trace(&whole);
    free(text);
}

/* Nothing after the window decides, and the window may cut a line. */
static void test_long_trace(void)
{
    size_t lines = 100000, used = 0;
    char *text = malloc(lines * 16);
    for (size_t i = 0; i < lines; i++)
        used += (size_t)sprintf(text + used, "0x%zx\n", i * 977);
    struct whole_trace whole = read_bytes("trace", NULL, text, used);
    CHECK_TEXT(whole.format, "hex", "a trace of %zu bytes", used);
    CHECK_U64(whole.count, lines, "all of it is read");
    drop_trace(&whole);
    memcpy(text + used - 3, "zz\n", 3);
    whole = read_bytes("trace", NULL, text, used);
    CHECK(strstr(whole.error.message, ":100000: found '0x5d") != NULL,
          "the last line is wrong: %s", whole.error.message);
    CHECK_U64(whole.count, lines - 1, "those before were read");
    drop_trace(&whole);
    free(text);
}

static void refused(const char *format, uint64_t unit_bytes, const char *why)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.format = format;
    options.unit_bytes = unit_bytes;
    struct whole_trace whole = read_path("/dev/null", &options);
    CHECK(whole.status == MARGAY_BAD_ARGUMENT &&
              strstr(whole.error.message, why) != NULL,
          "%s in units of %" PRIu64 " bytes: %s", format, unit_bytes,
          whole.error.message);
}

static void check_unit(const char *format, bool ids, uint64_t unit_bytes,
                       enum margay_numbers numbers, uint64_t expected)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    margay_trace *trace;
    options.format = format;
    options.ids = ids;
    options.unit_bytes = unit_bytes;
    margay_trace_open("/dev/null", &options, &trace, NULL);
    CHECK_U64(margay_trace_ready(trace, -1, NULL), MARGAY_OK, "%s", format);
    const struct margay_trace_facts *facts = margay_trace_facts(trace);
    CHECK_U64(facts->numbers, numbers, "what its numbers are");
    CHECK_U64(facts->unit_bytes, expected, "its unit");
    CHECK_U64(facts->splits,
              strcmp(format, "arc") == 0 || strcmp(format, "vscsi") == 0 ||
                  strcmp(format, "tencent") == 0,
              "whether it splits");
    margay_trace_free(trace);
}

/* A format has kinds exactly if it declares some; the columns of a trace are
   columns of its format, except that an empty trace has all. */
static void test_columns(void)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    margay_trace *trace;
    for (size_t i = 0; i < margay_format_count(); i++) {
        const struct margay_format_info *info = margay_format_at(i);
        CHECK((info->kinds != 0) ==
                      ((info->columns & MARGAY_COLUMN_KINDS) != 0) &&
                  info->columns <= MARGAY_ALL_COLUMNS &&
                  info->kinds <= MARGAY_ALL_KINDS,
              "%s: its columns and kinds", info->name);
        CHECK(!info->splits || (info->columns & MARGAY_COLUMN_EXTENTS),
              "%s: only extents can be split", info->name);
        if (info->any_numbers || strcmp(info->name, "words") == 0 ||
            strcmp(info->name, "w3c") == 0 || strcmp(info->name, "regex") == 0)
            continue; /* says it in the file, or in the pattern */
        for (int ids = 0; ids < 2; ids++) {
            unsigned lost = ids == 1 && info->numbers == MARGAY_ADDRESSES
                                ? MARGAY_COLUMN_EXTENTS
                                : 0;
            options.format = info->name;
            options.ids = ids == 1;
            margay_trace_open("/dev/null", &options, &trace, NULL);
            const struct margay_trace_facts *facts = margay_trace_facts(trace);
            /* Some formats have no empty file. */
            if (margay_trace_ready(trace, -1, NULL) == MARGAY_OK)
                CHECK(facts->kinds == info->kinds &&
                          facts->columns == (info->columns & ~lost),
                      "%s: columns%s, and kinds", info->name,
                      ids ? " of ids" : "");
            margay_trace_free(trace);
        }
    }
    options.format = NULL;
    options.ids = false;
    margay_trace_open("/dev/null", &options, &trace, NULL);
    margay_trace_ready(trace, -1, NULL);
    CHECK(margay_trace_facts(trace)->columns == MARGAY_ALL_COLUMNS &&
              margay_trace_facts(trace)->kinds == MARGAY_ALL_KINDS,
          "of nothing");
    margay_trace_free(trace);
    for (unsigned bit = 1; bit <= MARGAY_ALL_COLUMNS; bit *= 2)
        CHECK((margay_column_name((enum margay_column)bit) != NULL) ==
                  ((bit & MARGAY_ALL_COLUMNS) != 0),
              "column %u has a name, if it is one", bit);
    CHECK(margay_column_name(0) == NULL &&
              margay_column_name(MARGAY_ALL_COLUMNS + 1) == NULL,
          "there are no others");
}

static void test_units(void)
{
    check_unit("din", false, 0, MARGAY_ADDRESSES, 1);
    check_unit("din", true, 0, MARGAY_IDS, 0);
    check_unit("u64", true, 4096, MARGAY_IDS, 4096);
    check_unit("lines", false, 0, MARGAY_IDS, 0);
    check_unit("lines", false, 64, MARGAY_IDS, 64);
    check_unit("arc", false, 0, MARGAY_IDS, 512);
    check_unit("arc", true, 4096, MARGAY_IDS, 4096);
    check_unit("vscsi", false, 0, MARGAY_IDS, 512);
    check_unit("tencent", false, 1, MARGAY_ADDRESSES, 1);
}

int main(void)
{
    test_known();
    test_binary();
    test_late_evidence();
    test_long_trace();
    refused("lakey", 0, "'lackey'");
    refused("lines", 3, "unit 3 is not a power of two");
    refused("din", 64, "din holds addresses");
    test_units();
    test_columns();
    return tap_done();
}
