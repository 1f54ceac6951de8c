/*
 * test_named.c - lines by names: jsonl, logfmt, w3c and regex
 *
 * Random records are written in each syntax, among other fields, with other
 * blanks and other ways to write the same text, and have to come back as they
 * are.
 */
#define _GNU_SOURCE
#include <time.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/traces/read_all.h"
#include "tests/traces/text.h"
#include "traces/formats/reading.h"

#define MOST_RECORDS 40

/* ------------------------------------------------------------- records -- */

struct record {
    char id[24];
    uint64_t size, time, ttl;
    unsigned op;
};

static struct record records[MOST_RECORDS];
static size_t record_count;

static void make_records(void)
{
    static const char letters[] = "abz/.-_%&?=12";
    record_count = below(MOST_RECORDS);
    for (size_t i = 0; i < record_count; i++) {
        struct record *record = &records[i];
        size_t length = 1 + below(6);
        for (size_t k = 0; k < length; k++)
            record->id[k] = letters[below(sizeof letters - 1)];
        record->id[length] = '\0';
        if (strcmp(record->id, "-") == 0)
            record->id[0] = 'h';
        record->size = one_in(8) ? UINT64_MAX : below(1000);
        record->time =
            i == 0 || one_in(2)
                ? 1000000000000000 + below(100000000000)
                : record[-1].time + below(70) * (one_in(2) ? 12345 : 1000000);
        record->ttl = 1 + below(50);
        record->op = (unsigned)below(3);
    }
}

static uint64_t id_of(const char *id)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    if (strspn(id, "0123456789") == strlen(id))
        return strtoull(id, NULL, 10);
    for (; *id != '\0'; id++)
        hash = (hash ^ (unsigned char)*id) * UINT64_C(1099511628211);
    return hash;
}

/* -------------------------------------------------------------- syntaxes -- */

static const char *const ops[] = {"GET", "put", "Delete"};

static const char *blanks(void)
{
    static const char *const some[] = {"", " ", "  ", "\t"};
    return some[below(4)];
}

/* A time in one of all notations. */
static void add_time(uint64_t time, bool in_quotes)
{
    static const struct {
        long shift;
        const char *zone, *date;
    } zones[] = {{0, "Z", "%Y-%m-%dT%H:%M:%S"},
                 {5400, "+0130", "%Y-%m-%d %H:%M:%S"},
                 {5400, "9+01:30", "%Y-%m-%dT%H:%M:%S"},
                 {-3600, " -0100", "%d/%b/%Y:%H:%M:%S"}};
    char date[40];
    unsigned part = (unsigned)(time % 1000000), way = (unsigned)below(6);
    time_t seconds = (time_t)(time / 1000000);
    const char *quote = in_quotes ? "\"" : "";
    if (way < 4 && in_quotes) {
        seconds += zones[way].shift;
        strftime(date, sizeof date, zones[way].date, gmtime(&seconds));
        add("\"%s.%06u%s\"", date, part, zones[way].zone);
    } else if (way % 2 == 0) {
        add("%s%ld.%06u%s%s", quote, (long)seconds, part, one_in(2) ? "99" : "",
            quote);
    } else {
        add("%" PRIu64, time);
    }
}

/* A text in quotes, some of it escaped. */
static void add_quoted(const char *string, bool json)
{
    add("\"");
    for (; *string != '\0'; string++) {
        if (json && one_in(4))
            add("\\u%04x", (unsigned char)*string);
        else if (*string == '/' && one_in(2))
            add("\\/");
        else
            add("%c", *string);
    }
    add("\"");
}

static void add_json_member(const struct record *record, unsigned which)
{
    switch (which) {
    case 0:
        add("\"req\"%s:%s{%s", blanks(), blanks(),
            one_in(2) ? "\"more\": [1, {\"uri\": \"no\"}], " : "");
        add("%s\"uri\"%s:", blanks(), blanks());
        add_quoted(record->id, true);
        add(",\"op\":\"%s\"}", ops[record->op]);
        break;
    case 1:
        if (record->size == UINT64_MAX)
            add("\"bytes\":%s", one_in(2) ? "null" : "\"-\"");
        else
            add(one_in(2) ? "\"bytes\":%" PRIu64
                          : "\"bytes\" : \"%" PRIu64 "\"",
                record->size);
        break;
    case 2:
        add("\"ts\":");
        add_time(record->time, true);
        break;
    case 3:
        add("\"ttl\":%" PRIu64, record->ttl);
        break;
    default:
        add("\"x\":{\"req\":{\"uri\":\"no\"},\"bytes\":7,\"y\":[[],{}]}");
    }
}

static void add_json(const struct record *record)
{
    unsigned first = (unsigned)below(5);
    add("%s{", blanks());
    for (unsigned i = 0; i < 5; i++) {
        add("%s%s", i == 0 ? "" : ",", blanks());
        add_json_member(record, (first + i) % 5);
    }
    add("}%s\n%s", one_in(5) ? "\r" : blanks(), one_in(9) ? "\n" : "");
}

static void add_logfmt(const struct record *record)
{
    bool quoted = one_in(3);
    add("%slevel=info msg=\"a \\\"b\\\" req.uri=no\" req.uri=", blanks());
    if (quoted || record->id[0] == '"')
        add_quoted(record->id, false);
    else
        add("%s", record->id);
    add(" alone %s", blanks());
    if (record->size == UINT64_MAX)
        add("bytes=%s", one_in(2) ? "" : one_in(2) ? "-" : "null");
    else
        add("bytes=%" PRIu64, record->size);
    add(" ttl=%" PRIu64 " req.op=%s ts=", record->ttl, ops[record->op]);
    add_time(record->time, one_in(2));
    add("\n");
}

static char fields[4][16];

static void add_w3c_heads(void)
{
    static const char *const names[] = {"req.uri", "bytes", "ttl", "req.op"};
    size_t first = below(4);
    add("#Version: 1.0\n#Fields: date time");
    for (size_t i = 0; i < 4; i++) {
        strcpy(fields[i], names[(first + i) % 4]);
        add(" %s cs(X)", fields[i]);
    }
    add("\n");
}

static void add_w3c(const struct record *record)
{
    char date[40];
    time_t time = (time_t)(record->time / 1000000);
    bool tabs = one_in(2);
    const char *between = tabs ? "\t" : one_in(2) ? " " : "  ";
    if (used == 0 || one_in(10))
        add_w3c_heads();
    strftime(date, sizeof date,
             tabs ? "%Y-%m-%d\t%H:%M:%S" : "%Y-%m-%d %H:%M:%S", gmtime(&time));
    add("%s.%06u", date, (unsigned)(record->time % 1000000));
    for (size_t i = 0; i < 4; i++) {
        add("%s", between);
        if (strcmp(fields[i], "req.uri") == 0)
            add("%s", record->id);
        else if (strcmp(fields[i], "bytes") == 0 && record->size == UINT64_MAX)
            add("-");
        else if (strcmp(fields[i], "bytes") == 0)
            add("%" PRIu64, record->size);
        else if (strcmp(fields[i], "ttl") == 0)
            add("%" PRIu64, record->ttl);
        else
            add("%s", ops[record->op]);
        /* Blanks in the end are none of a line. */
        const char *nothing = tabs && i < 3 ? "" : "-";
        add("%s%s", between, one_in(2) ? nothing : tabs ? "a b" : "\"a b\"");
    }
    add("\n");
}

static void add_regex(const struct record *record)
{
    add("%s ttl:%" PRIu64 " %s <%s> ", ops[record->op], record->ttl,
        one_in(2) ? "x" : "y", record->id);
    if (record->size != UINT64_MAX)
        add("%" PRIu64 " ", record->size);
    add("[");
    add_time(record->time, false);
    add("]\n");
}

/* ------------------------------------------------------------ comparison -- */

static const struct syntax {
    const char *format, *column, *pattern;
    void (*add)(const struct record *);
} syntaxes[] = {
    {"jsonl", "id=req.uri,size=bytes,op=req.op,time=ts,ttl=ttl", NULL,
     add_json},
    {"logfmt", "id=req.uri,size=bytes,op=req.op,time=ts,ttl=ttl", NULL,
     add_logfmt},
    {"w3c", "id=req.uri,size=bytes,op=req.op,time=date+time,ttl=ttl", NULL,
     add_w3c},
    {"regex", NULL,
     "^(?<op>\\w+) ttl:(?<ttl>\\d+) . <(?<id>[^>]+)> (?:(?<size>\\d+) )?"
     "\\[(?<time>[^]]*)\\]$",
     add_regex},
    {"regex", "op=1,ttl=2,id=3,size=4,time=5",
     "^(\\w+) ttl:(\\d+) . <([^>]+)> (?:(\\d+) )?\\[([^]]*)\\]$", add_regex},
};

static size_t compare_batch(const struct margay_batch *batch, size_t from,
                            const char *format)
{
    for (size_t i = 0; i < batch->references; i++) {
        const struct record *record = &records[from + i];
        if (from + i >= record_count ||
            batch->numbers[i] != id_of(record->id) ||
            batch->times[i] != record->time || batch->ttls[i] != record->ttl ||
            batch->ops[i] != record->op || batch->sizes[i] != record->size) {
            CHECK(false,
                  "%s: record %zu is %" PRIu64 " (%" PRIu64 ") %" PRIu64
                  " %" PRIu64 " %u",
                  format, from + i, batch->sizes[i], record->size,
                  batch->times[i], batch->ttls[i], batch->ops[i]);
            return SIZE_MAX;
        }
    }
    return from + batch->references;
}

static bool compare(const struct syntax *syntax)
{
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct margay_batch batch;
    struct margay_error error = {0};
    margay_trace *trace;
    const struct margay_reading as_they_are = {.raw_sizes = true};
    size_t count = 0;
    options.format = syntax->format;
    options.column = syntax->column;
    options.pattern = syntax->pattern;
    used = 0;
    for (size_t i = 0; i < record_count; i++)
        syntax->add(&records[i]);
    write_file(make_path(path, "log"), text, used);
    enum margay_status status =
        margay_trace_open_for(path, &options, &as_they_are, &trace, &error);
    while (status == MARGAY_OK && count < SIZE_MAX &&
           (status = margay_trace_next(trace, -1, &batch, &error)) == MARGAY_OK)
        count = compare_batch(&batch, count, syntax->format);
    margay_trace_free(trace);
    unlink(path);
    if (status == MARGAY_END && count == record_count)
        return true;
    if (count < SIZE_MAX)
        CHECK(false, "%s: %zu of %zu, %s", syntax->format, count, record_count,
              error.message);
    return false;
}

static void test_random(void)
{
    uint64_t each = rounds(600);
    for (size_t s = 0; s < sizeof syntaxes / sizeof *syntaxes; s++) {
        bool same = true;
#ifndef MARGAY_HAS_YAJL
        if (s == 0)
            continue;
#endif
#ifndef MARGAY_HAS_PCRE2
        if (syntaxes[s].pattern != NULL)
            continue;
#endif
        for (uint64_t round = 0; round < each && same; round++) {
            make_records();
            same = compare(&syntaxes[s]);
        }
        if (same)
            CHECK(true, "%" PRIu64 " logs in %s come back as they are", each,
                  syntaxes[s].format);
    }
}

/* ----------------------------------------------------------------- lists -- */

#ifdef MARGAY_HAS_YAJL
/* The same ids are read as mooncake; more than a batch holds. */
static void test_lists(void)
{
    static char lists[1 << 20];
    size_t length = 0;
    for (unsigned line = 0; line < 20; line++) {
        length += (size_t)sprintf(lists + length, "{\"hash_ids\": [");
        uint64_t count = line == 7 ? 0 : line % 5 == 4 ? 9000 : below(20);
        for (uint64_t i = 0; i < count; i++)
            length += (size_t)sprintf(lists + length, "%s%" PRIu64,
                                      i == 0 ? "" : ",", below(5000));
        length += (size_t)sprintf(lists + length, "], \"n\": [1]}\n");
    }
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.column = "id=hash_ids";
    write_file(make_path(path, "lists"), lists, length);
    struct whole_trace named = read_path(path, &options);
    unlink(path);
    struct whole_trace mooncake = read_bytes("l", "mooncake", lists, length);
    CHECK_TEXT(named.format, "jsonl", "a column of a trace in JSON is a path");
    CHECK(named.status == MARGAY_OK && same_trace(&named, &mooncake),
          "lists of ids are what mooncake has: %s", named.error.message);
    drop_trace(&named);
    drop_trace(&mooncake);
}
#endif

int main(void)
{
    margay_random_seed(&chance, 40);
    test_random();
#ifdef MARGAY_HAS_YAJL
    test_lists();
#endif
    return tap_done();
}
