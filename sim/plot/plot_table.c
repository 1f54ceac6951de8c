/*
 * plot_table.c - tables checked and prepared for gnuplot
 *
 * The scripts trust numbers: a field that is no finite number would lead them
 * into wrong divisions and logarithms, and into endless loops.
 */
#define _GNU_SOURCE
#include "sim/plot/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/result/csv_read.h"
#include "traces/traces_internal.h"

/* ------------------------------------------------------------- columns -- */

/* A ratio is printed with 12 digits and may be rounded up. */
#define MOST_RATIO (1 + 1e-9)
#define MOST_WAYS  64

enum holds {
    COUNT,    /* an integer of 64 bits */
    SIZE,     /* the same, 1 or more, as its logarithm is taken */
    WAYS,     /* the same, at most MOST_WAYS */
    DISTANCE, /* a count or inf */
    FROM,     /* the same, and inf only where the next column is */
    RATIO,    /* from 0 to 1 */
    AMOUNT,   /* 0 or more */
    NUMBER,   /* any */
    ROLE,     /* a word of predict --with-runs */
    POLICY,   /* the spec of a policy */
};

static const char *const expected[] = {
    [COUNT] = "a count of up to 64 bits",
    [SIZE] = "a count of 1 or more, of up to 64 bits",
    [WAYS] = "a count from 1 to 64",
    [DISTANCE] = "a count of up to 64 bits, or inf",
    [FROM] = "a count of up to 64 bits, or inf if distance_to is",
    [RATIO] = "a number from 0 to 1",
    [AMOUNT] = "a number of 0 or more",
    [NUMBER] = "a number",
    [ROLE] = "training, truth or prediction",
    [POLICY] = "the spec of a policy, without blanks",
};

struct plot_column {
    const char *name;
    enum holds holds;
    bool may_be_empty;
};

/* All columns whose numbers a script reads, and more; others are text. */
static const struct plot_column known[] = {
    {"role", ROLE, false},
    {"policy", POLICY, false},
    {"window", COUNT, false},
    {"phase", COUNT, false},
    {"place", COUNT, false},
    {"from", COUNT, false},
    {"to", COUNT, false},
    {"recurs", COUNT, true},
    {"working_set_blocks", COUNT, false},
    {"thread", COUNT, false},
    {"block_bytes", SIZE, true},
    {"cache_blocks", SIZE, false},
    {"cache_bytes", SIZE, true},
    {"sets", SIZE, false},
    {"ways", WAYS, false},
    {"references", COUNT, false},
    {"misses", COUNT, false},
    {"miss_ratio", RATIO, false},
    {"byte_miss_ratio", RATIO, true},
    {"mpki", AMOUNT, true},
    {"demand_misses", COUNT, false},
    {"demand_miss_ratio", RATIO, true},
    {"demand_mpki", AMOUNT, true},
    {"bytes", SIZE, false},
    {"access_cycles", AMOUNT, false},
    {"front", COUNT, false},
    {"distance_from", FROM, false},
    {"distance_to", DISTANCE, false},
    {"share", RATIO, false},
    {"predicted_fully_associative", NUMBER, false},
    {"predicted_binomial", NUMBER, false},
    {"seconds", AMOUNT, false},
    {"refs_per_second", AMOUNT, false},
    {"mean_abs_error_log2", AMOUNT, true},
    {"distinct_blocks", SIZE, false},
};

static const struct plot_column *find(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, known[i].name) == 0)
            return &known[i];
    }
    return NULL;
}

/* Does the text fit?  `next` is the field after it, "" if there is none. */
static bool is_as_expected(enum holds holds, const char *text, const char *next)
{
    uint64_t count = 0;
    double value;
    char *end;
    switch (holds) {
    case ROLE:
        return strcmp(text, "training") == 0 || strcmp(text, "truth") == 0 ||
               strcmp(text, "prediction") == 0;
    case POLICY:
        return text[strcspn(text, " \t")] == '\0';
    case FROM:
        return margay_parse_u64(text, &count) ||
               (strcmp(text, "inf") == 0 && strcmp(next, "inf") == 0);
    case DISTANCE:
        return strcmp(text, "inf") == 0 || margay_parse_u64(text, &count);
    case COUNT:
        return margay_parse_u64(text, &count);
    case SIZE:
    case WAYS:
        return margay_parse_u64(text, &count) && count >= 1 &&
               (holds == SIZE || count <= MOST_WAYS);
    default:
        /* A finite decimal number: strtod() would also take blanks in front of
           it, hexadecimal digits, inf and nan. */
        value = strtod(text, &end);
        return *text != '\0' && text[strspn(text, "0123456789+-.eE")] == '\0' &&
               *end == '\0' && isfinite(value) &&
               (holds == NUMBER || value >= 0) &&
               (holds != RATIO || value <= MOST_RATIO);
    }
}

/* -------------------------------------------------------------- tables -- */

/* More than the header of any kind of table has. */
#define COLUMNS_BYTES 512

/* Room for the commands whose tables are drawn. */
#define LIST_BYTES 512

struct table {
    const char *shown; /* for messages */
    int source;
    int copy;                    /* a file in memory */
    bool quoted;                 /* the next byte stands within quotes */
    char last;                   /* the byte before it */
    struct margay_error failure; /* of copying; status MARGAY_OK = none */

    const struct plot_kind *kind; /* NULL until the header was read */
    size_t column_count;
    const struct plot_column *columns[CSV_ROW_FIELDS]; /* NULL = any text */
    bool has_rows;
};

/* -------------------------------------------------------------- reading -- */

/* Replace characters that gnuplot misreads: control characters in fields, and a
   comma after a quotation mark in a quoted one, which would end it. */
static void clean(struct table *table, char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        table->quoted ^= text[i] == '"';
        /* Lines end outside of quotes. */
        bool is_control =
            margay_is_control(text[i]) &&
            (table->quoted || (text[i] != '\n' && text[i] != '\r'));
        bool is_end = text[i] == ',' && table->quoted && table->last == '"';
        if (is_control || is_end)
            text[i] = is_control ? '?' : ';';
        table->last = text[i];
    }
}

/* The read function of a stdio stream, which copies each piece. */
static ssize_t read_piece(void *cookie, char *buffer, size_t bytes)
{
    struct table *table = cookie;
    ssize_t got;
    do {
        got = read(table->source, buffer, bytes);
    } while (got < 0 && errno == EINTR);
    if (got <= 0)
        return got;
    clean(table, buffer, (size_t)got);
    if (output_write_to(table->copy, table->shown, buffer, (size_t)got,
                        &table->failure) != MARGAY_OK)
        return -1;
    return got;
}

static enum margay_status take_header(struct table *table,
                                      const struct csv_row *row,
                                      struct margay_error *error)
{
    char text[COLUMNS_BYTES], list[LIST_BYTES] = "";
    const struct plot_kind *kind;
    size_t used = 0;
    csv_join_row(row, text, sizeof text);
    table->kind = plot_kind_of(text);
    for (size_t i = 0; (kind = plot_kind_at(i)) != NULL && used < sizeof list;
         i++) {
        if (kind->table != NULL)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     used == 0 ? "" : ", ", kind->table);
    }
    if (table->kind == NULL || table->kind->script == NULL)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:1: found the columns '%.80s', of which there is "
                           "no picture; expected a table of %s",
                           table->shown, text, list);
    bool has_objects = false, has_machines = false;
    table->column_count = row->count;
    for (size_t i = 0; i < row->count; i++) {
        has_objects |= strcmp(row->fields[i], "byte_miss_ratio") == 0 ||
                       strcmp(row->fields[i], "partition_bytes") == 0;
        has_machines |= strcmp(row->fields[i], "machine") == 0;
    }
    /* A cache of objects has bytes alone, and one of a machine may have no
       references. */
    for (size_t i = 0; i < row->count; i++) {
        const char *name = row->fields[i];
        bool is_any = (has_objects && strcmp(name, "cache_blocks") == 0) ||
                      (has_machines && strcmp(name, "miss_ratio") == 0);
        table->columns[i] = is_any ? NULL : find(name);
    }
    return MARGAY_OK;
}

static enum margay_status take_row(void *context, const struct csv_row *row,
                                   struct margay_error *error)
{
    struct table *table = context;
    if (table->kind == NULL)
        return take_header(table, row, error);
    table->has_rows = true;
    if (row->count != table->column_count)
        return csv_fail(table->shown, row->line, error,
                        "found %zu field%s, expected %zu as in the header",
                        row->count, margay_plural(row->count, "s"),
                        table->column_count);
    for (size_t i = 0; i < row->count; i++) {
        const struct plot_column *column = table->columns[i];
        const char *text = row->fields[i];
        if (column == NULL || (*text == '\0' && column->may_be_empty) ||
            is_as_expected(column->holds, text,
                           i + 1 < row->count ? row->fields[i + 1] : ""))
            continue;
        return csv_fail(table->shown, row->line, error,
                        "column %s: found '%.40s', expected %s", column->name,
                        text, expected[column->holds]);
    }
    return MARGAY_OK;
}

static enum margay_status read_rows(struct table *table,
                                    struct margay_error *error)
{
    static const cookie_io_functions_t functions = {.read = read_piece};
    FILE *stream = fopencookie(table, "r", functions);
    if (stream == NULL)
        return margay_fail_memory(error, "a table");
    enum margay_status status =
        csv_read(table->shown, stream, take_row, table, error);
    fclose(stream);
    if (table->failure.status != MARGAY_OK)
        *error = table->failure;
    if (status != MARGAY_OK)
        return status;
    if (table->kind == NULL)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found nothing, expected a table that 'margay "
                           "help plot' names",
                           table->shown);
    if (!table->has_rows)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: no rows: there is nothing to plot",
                           table->shown);
    return MARGAY_OK;
}

enum margay_status plot_table_read(const char *path, const char *shown,
                                   const struct plot_kind **kind,
                                   char name[PLOT_NAME_BYTES],
                                   struct margay_error *error)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    struct table table = {
        .shown = shown,
        .source = is_stdin ? dup(STDIN_FILENO)
                           : open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC),
    };
    if (table.source < 0)
        return margay_fail(error, MARGAY_IO, "%s: %s", shown, strerror(errno));
    table.copy = memfd_create("margay-table", 0);
    enum margay_status status =
        table.copy < 0 ? margay_fail(error, MARGAY_IO, "%s: cannot copy: %s",
                                     shown, strerror(errno))
                       : read_rows(&table, error);
    if (status != MARGAY_OK && table.copy >= 0)
        close(table.copy);
    close(table.source);
    snprintf(name, PLOT_NAME_BYTES, "/proc/self/fd/%d", table.copy);
    *kind = table.kind;
    return status;
}
