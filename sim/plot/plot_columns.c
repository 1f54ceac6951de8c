/* plot_columns.c - what the columns of tables that are drawn may hold */
#include "sim/plot/plot_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

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

void plot_columns_find(struct plot_columns *columns,
                       const struct csv_row *header)
{
    const struct plot_column *blocks = find("cache_blocks");
    const struct plot_column *ratio = find("miss_ratio");
    bool has_objects = false, has_machines = false;
    columns->count = header->count;
    for (size_t i = 0; i < header->count; i++) {
        columns->columns[i] = find(header->fields[i]);
        has_objects |= strcmp(header->fields[i], "byte_miss_ratio") == 0 ||
                       strcmp(header->fields[i], "partition_bytes") == 0;
        has_machines |= strcmp(header->fields[i], "machine") == 0;
    }
    /* A cache of a machine may have no references. */
    for (size_t i = 0; i < header->count && has_machines; i++) {
        if (columns->columns[i] == ratio)
            columns->columns[i] = NULL;
    }
    /* A cache of objects has bytes alone. */
    for (size_t i = 0; i < header->count && has_objects; i++) {
        if (columns->columns[i] == blocks)
            columns->columns[i] = NULL;
    }
}

/* A finite decimal number: strtod() would also take blanks in front of it,
   hexadecimal digits, inf and nan. */
static bool parse_decimal(const char *text, double *value)
{
    char *end;
    if (*text == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

/* Does the text fit?  `next` is the field behind it, "" if there is none. */
static bool is_as_expected(enum holds holds, const char *text, const char *next)
{
    uint64_t count = 0;
    double value = 0;
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
        return parse_decimal(text, &value) && (holds == NUMBER || value >= 0) &&
               (holds != RATIO || value <= MOST_RATIO);
    }
}

enum margay_status plot_columns_check(const struct plot_columns *columns,
                                      const char *path,
                                      const struct csv_row *row,
                                      struct margay_error *error)
{
    if (row->count != columns->count)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:%llu: found %zu field%s, expected %zu as in the "
                           "header",
                           path, (unsigned long long)row->line, row->count,
                           margay_plural(row->count, "s"), columns->count);
    for (size_t i = 0; i < row->count; i++) {
        const struct plot_column *column = columns->columns[i];
        const char *text = row->fields[i];
        if (column == NULL || (*text == '\0' && column->may_be_empty) ||
            is_as_expected(column->holds, text,
                           i + 1 < row->count ? row->fields[i + 1] : ""))
            continue;
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:%llu: column %s: found '%.40s', expected %s",
                           path, (unsigned long long)row->line, column->name,
                           text, expected[column->holds]);
    }
    return MARGAY_OK;
}
