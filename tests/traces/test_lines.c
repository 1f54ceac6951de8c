/*
 * test_lines.c - a file of lines that stand alone, read in pieces
 *
 * Pieces cut anywhere have each line once; and where a line is wrong, the first
 * piece that fails says what a reader of the whole file says.
 */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/traces/read_all.h"
#include "traces/traces_internal.h"

#define MOST_BYTES  ((size_t)1 << 20)
#define MOST_PIECES 9
#define LONG_ONES   70000 /* more than a line may have */
#define LINE_ROOM   (LONG_ONES + 200)

static const struct sample {
    const char *format, *line, *other, *comment;
} samples[] = {
    {"din", "0 %x", "1 0x%x  4 x", ""},
    {"lackey", " L %x,4", "I  %x,16", "==1== M 1,2"},
    {"ls", "l 0x%x 7", "s 0x%x  0", ""},
    {"ramulator", "LD 0x%x", "ST  0x%x", ""},
    {"id", "0x%x I", "0x%x\tD", ""},
    {"hex", "0x%x", "%x", ""},
    {"lines", "%u", "000%u", "* 1"},
    {"arc", "%u 1 0 0", "%u 0 7 9", ""},
    {"pinatrace", "0x40: R 0x%x", "0x41:  W 0x%x 8", "#eof"},
    {"xdin", "r %x 8", "v %x 10 x", ""},
    {"perf-script", "p 1 7.5: e: %x 40 f", "%x 40", "# p: 1 2"},
};
#define SAMPLES (sizeof samples / sizeof *samples)

static char *text;
static size_t used;

static void add_blanks(size_t most)
{
    size_t count = below(most);
    memset(text + used, ' ', count);
    used += count;
}

static void add_line(const struct sample *sample)
{
    uint64_t what = below(100);
    /* A format string of the table. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    unsigned number = (unsigned)any_u64() >> below(31);
    add_blanks(what < 30 ? 9 : 1);
    if (what < 70)
        used += (size_t)sprintf(text + used, sample->line, number);
    else if (what < 90)
        used += (size_t)sprintf(text + used, sample->other, number);
    else if (what < 95)
        used += (size_t)sprintf(text + used, "%s", sample->comment);
#pragma GCC diagnostic pop
    add_blanks(what % 7 == 0 ? (one_in(50) ? 60000 : 20) : 1);
    if (what % 11 == 0)
        text[used++] = '\r';
    text[used++] = '\n';
}

static void make_text(const struct sample *sample, size_t bytes)
{
    used = 0;
    while (used < bytes)
        add_line(sample);
    if (one_in(3) && used > 0)
        used--;
}

static void make_table(const char *head, const struct sample *sample,
                       size_t bytes)
{
    make_text(sample, bytes);
    size_t length = strlen(head);
    memmove(text + length, text, used);
    memcpy(text, head, length);
    used += length;
}

/* Spoil a place. */
static void spoil(void)
{
    size_t at = below(used);
    switch (below(4)) {
    case 0:
        text[at] = '\0';
        break;
    case 1:
        memset(text + at, one_in(2) ? ' ' : 'x', LONG_ONES);
        used = at + LONG_ONES > used ? at + LONG_ONES : used;
        break;
    default:
        text[at] = "?x\n7"[below(4)];
    }
}

/* All ranges between `cuts`, up to the first that fails. */
static struct whole_trace read_pieces(margay_trace *trace, const uint64_t *cuts,
                                      size_t pieces)
{
    struct whole_trace whole = {.status = MARGAY_OK};
    margay_range *range = NULL; /* each takes the memory of the one before */
    for (size_t i = 0; i < pieces && whole.status == MARGAY_OK; i++) {
        uint64_t bytes = i + 1 == pieces ? UINT64_MAX : cuts[i + 1] - cuts[i];
        struct margay_batch batch;
        whole.status =
            margay_trace_range(trace, cuts[i], bytes, &range, &whole.error);
        while (whole.status == MARGAY_OK) {
            whole.status = margay_range_next(range, &batch, &whole.error);
            if (whole.status == MARGAY_OK)
                append_batch(&whole, &batch);
        }
        if (whole.status == MARGAY_END)
            whole.status = MARGAY_OK;
    }
    margay_range_free(range);
    return whole;
}

static size_t choose_cuts(uint64_t *cuts)
{
    size_t pieces = 1 + below(MOST_PIECES - 1);
    cuts[0] = 0;
    for (size_t i = 1; i < pieces; i++) {
        uint64_t left = used - cuts[i - 1];
        cuts[i] = cuts[i - 1] + below(1 + (left >> below(8)));
    }
    return pieces;
}

static bool same_outcome(const struct whole_trace *a,
                         const struct whole_trace *b)
{
    if (a->status != b->status)
        return false;
    return a->status == MARGAY_OK
               ? same_trace(a, b)
               : strcmp(a->error.message, b->error.message) == 0;
}

/* How a trace is read; NULL = as a sample of its format is. */
static const struct margay_trace_options *how;

static uint64_t cut_texts;

/* False: a difference.  Tables are read in pieces where these may be cut. */
static bool check_text(const char *format)
{
    char path[TEST_PATH_BYTES];
    uint64_t cuts[MOST_PIECES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    margay_trace *trace;
    uint64_t bytes, refs;
    if (how != NULL)
        options = *how;
    options.format = format;
    write_file(make_path(path, "lines"), text, used);
    struct whole_trace whole = read_path(path, &options);
    if (margay_trace_open(path, &options, &trace, NULL) != MARGAY_OK ||
        margay_trace_ready(trace, -1, NULL) != MARGAY_OK) {
        printf("Bail out! cannot open %s\n", path);
        exit(1);
    }
    size_t pieces = choose_cuts(cuts);
    /* Of an empty file there is nothing to cut. */
    bool cut = used > 0 &&
               (margay_trace_known_lines(trace, &bytes, &refs) || how == NULL);
    struct whole_trace got = {.status = MARGAY_OK};
    if (cut)
        got = read_pieces(trace, cuts, pieces);
    bool same = !cut || same_outcome(&whole, &got);
    cut_texts += cut;
    if (!same)
        printf("# %s, %zu pieces of %zu bytes: %zu references, %s; whole %zu, "
               "%s\n",
               format, pieces, used, got.count, got.error.message, whole.count,
               whole.error.message);
    margay_trace_free(trace);
    drop_trace(&whole);
    drop_trace(&got);
    unlink(path);
    return same;
}

static void test_format(const struct sample *sample)
{
    uint64_t wrong = 0, wrong_spoiled = 0;
    for (uint64_t round = 0; round < rounds(120); round++) {
        make_text(sample, 1 + below(round % 20 == 0 ? MOST_BYTES : 400));
        wrong += !check_text(sample->format);
        spoil();
        wrong_spoiled += !check_text(sample->format);
    }
    CHECK_U64(wrong, 0, "%s: pieces are the whole", sample->format);
    CHECK_U64(wrong_spoiled, 0, "%s: so are errors", sample->format);
}

/* ---------------------------------------------------------------- tables -- */

static const struct table {
    const char *format, *head, *line, *other;
    const char *column;
    char delimiter;
    bool quotes; /* one may stand in a row */
} tables[] = {
    {"csv", "id\n", "%u", "key%u", NULL, 0, true},
    {"csv", "", "%u", "0%u", NULL, 0, true},
    {"csv", "time,key,bytes\n", "3,%u,70", "4,a%u,0",
     "id=key,size=bytes,time=time", 0, true},
    {"csv", "\"key\",\"two\nlines\"\n", "%u,1", "x%u,2", "key", 0, true},
    {"csv", "", "7 %u", "8\tk%u x", "2", MARGAY_BLANKS, false},
    {"twitter", "", "3,k%u,2,70,4,get,0", "4,k,1,%u,7,set,60", NULL, 0, true},
    {"meta-kv", "key,op,size,op_count,key_size\n", "%u,GET,1,2,3",
     "%u,SET,7,0,3", NULL, 0, true},
    {"meta-kv", "key,op,size,op_count,key_size\n1,GET,5,65535,2\n",
     "%u,GET,1,2,3", "%u,SET,7,0,3", NULL, 0, true},
    {"wiki", "", "7\t%u\tjpeg\t9\t0.1", "7\t%u\t\"png\t9\t0", NULL, 0, false},
    {"webcachesim", "", "7 %u 70", "7 %u 0 9", NULL, 0, false},
    {"ibm-cos", "", "1 REST.GET.OBJECT %u 9 0 8", "2 REST.PUT.OBJECT %u 9",
     NULL, 0, false},
    {"redis", "OK\n", "1.5 [0 a:1] \"get\" \"k%u\"",
     "1.5 [0 a:1] \"mget\" \"k%u\" \"k\"", NULL, 0, false},
    {"clf", "", "1 - - [29/Feb/2024:23:59:60 +0100] \"GET /%u HTTP/1.0\" 200 7",
     "1 - - [29/Feb/2024:23:59:60 +0100] \"PUT /%u HTTP/1.0\" 201 -", NULL, 0,
     false},
    {"logfmt", "", "a=1 b=%u", "b=\"k %u\" c", "b", 0, false},
#ifdef MARGAY_HAS_YAJL
    {"jsonl", "", "{\"a\":{\"b\":%u}}", "{\"c\":1,\"a\":{\"b\":\"%u x\"}}",
     "id=a.b", 0, false},
#endif
};

/* A quote somewhere, often with a newline after it. */
static void add_quotes(void)
{
    for (uint64_t i = 1 + below(3); i > 0; i--) {
        size_t at = below(used);
        text[at] = '"';
        if (one_in(2) && at + 1 < used)
            text[at + 1] = '\n';
    }
}

static void test_table(const struct table *table)
{
    const struct sample sample = {table->format, table->line, table->other, ""};
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    uint64_t wrong = 0, all = rounds(120);
    options.column = table->column;
    options.delimiter = table->delimiter;
    how = &options;
    cut_texts = 0;
    for (uint64_t round = 0; round < all; round++) {
        make_table(table->head, &sample,
                   1 + below(round % 20 == 0 ? MOST_BYTES : 400));
        wrong += !check_text(table->format);
        spoil();
        wrong += !check_text(table->format);
        if (table->quotes)
            add_quotes();
        wrong += !check_text(table->format);
    }
    how = NULL;
    CHECK_U64(wrong, 0, "%s: pieces are the whole, or it is not cut",
              table->format);
    CHECK(cut_texts >= all / 4, "  which %llu of %llu texts are",
          (unsigned long long)cut_texts, (unsigned long long)(3 * all));
}

/* Formats whose lines lean on each other are not read so. */
static void test_others(void)
{
    static const struct {
        const char *format, *text;
    } others[] = {
        {"csv", "id\n7\n8\n"},
        {"redis", "1.5 [0 a:1] \"get\" \"k\"\n"},
        {"blkparse", "8,0 3 1 0.0 697 Q W 2 + 8 [a]\n"},
        {"webcachesim", "7 0 68\n"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char path[TEST_PATH_BYTES];
        struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
        margay_trace *trace;
        margay_range *range = NULL;
        options.format = others[i].format;
        write_file(make_path(path, "other"), others[i].text,
                   strlen(others[i].text));
        CHECK(margay_trace_open(path, &options, &trace, NULL) == MARGAY_OK &&
                  margay_trace_ready(trace, -1, NULL) == MARGAY_OK &&
                  margay_trace_range(trace, 0, 10, &range, NULL) ==
                      MARGAY_BAD_ARGUMENT,
              "%s is not read by lines", others[i].format);
        margay_trace_free(trace);
        unlink(path);
    }
}

int main(void)
{
    text = malloc(MOST_BYTES + 4 * LINE_ROOM);
    seed_chance(17);
    for (size_t i = 0; i < SAMPLES; i++)
        test_format(&samples[i]);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        test_table(&tables[i]);
    test_others();
    free(text);
    return tap_done();
}
