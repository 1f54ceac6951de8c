/*
 * run_csv.c - histograms, read from their tables
 *
 * A table of exact histograms has redundancy that shows damage: distances
 * ascend, each has its own row, the row of infinite distances ends a histogram,
 * and the shares follow from the counts.  The shares can be checked at the end
 * of a histogram only, so that its rows are kept until then.
 *
 * A table of bins may have been written by hand, as a wish: any bins and counts
 * are taken, and shares are not checked.
 */
#define _GNU_SOURCE
#include "sim/result/run_csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/options/options.h"
#include "sim/result/csv.h"
#include "sim/result/csv_read.h"
#include "stackdist/stackdist_internal.h"

/* Shares are written with 12 digits. */
#define SHARE_TOLERANCE 1e-9

enum column { TRACE, BLOCK_BYTES, FROM, TO, REFERENCES, SHARE, COLUMNS };

struct kept_row {
    struct margay_bin bin; /* infinite distances: from MARGAY_INFINITE */
    uint64_t line;
    double share;
};

struct reader {
    const char *path;
    enum run_bins bins;
    bool may_have_places, has_header;
    bool is_open; /* the last histogram lacks its end */
    struct run_places *places;
    char block_text[24];    /* of that histogram, */
    uint64_t next_distance; /* the smallest that may come in it, */
    struct kept_row *rows;  /* and its rows */
    size_t row_count, row_capacity;
};

/* There may be one column before those of a histogram, a place. */
static enum margay_status check_header(struct reader *reader,
                                       const struct csv_row *row,
                                       struct margay_error *error)
{
    static const char *const places[] = {"site", "thread", "region", "tenant",
                                         "op"};
    char columns[256];
    csv_join_row(row, columns, sizeof columns);
    reader->has_header = true;
    if (strcmp(columns, HISTOGRAM_COLUMNS) == 0)
        return MARGAY_OK;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        size_t bytes = strlen(places[i]);
        if (reader->may_have_places &&
            strncmp(columns, places[i], bytes) == 0 && columns[bytes] == ',' &&
            strcmp(columns + bytes + 1, HISTOGRAM_COLUMNS) == 0) {
            strcpy(reader->places->column, places[i]);
            return MARGAY_OK;
        }
    }
    return csv_fail(reader->path, row->line, error,
                    "found columns '%s', expected a histogram: '%s'", columns,
                    HISTOGRAM_COLUMNS);
}

/* --------------------------------------------------------- one histogram -- */

static struct run_csv *last_run(const struct reader *reader)
{
    return &reader->places->runs[reader->places->count - 1];
}

static enum margay_status begin(struct reader *reader,
                                const struct csv_row *row, const char *place,
                                struct margay_error *error)
{
    struct run_places *places = reader->places;
    const char *block = row->fields[BLOCK_BYTES];
    if (!MARGAY_MAKE_ROOM(places->runs, places->count, 1, places->capacity))
        return margay_fail_memory(error, "the histograms of a table");
    struct run_csv *run = &places->runs[places->count++];
    *run = (struct run_csv){.path = strdup(reader->path),
                            .name = reader->path,
                            .trace = strdup(row->fields[TRACE]),
                            .place = place == NULL ? NULL : strdup(place)};
    if (run->path == NULL || run->trace == NULL ||
        (place != NULL && run->place == NULL))
        return margay_fail_memory(error, "a histogram");
    if (*block != '\0' && (!margay_parse_u64(block, &run->block_bytes) ||
                           !margay_is_power_of_two(run->block_bytes)))
        return csv_fail(reader->path, row->line, error,
                        "found block_bytes '%s', expected a power of two",
                        block);
    strcpy(reader->block_text, block); /* a power of two is short */
    reader->is_open = true;
    reader->row_count = 0;
    reader->next_distance = 0;
    return reader->bins == RUN_ANY
               ? MARGAY_OK
               : margay_histogram_create(&run->histogram, error);
}

static enum margay_status fail_end(const struct reader *reader, uint64_t line,
                                   struct margay_error *error)
{
    return csv_fail(reader->path, line, error,
                    "the histogram of %s ends without its row inf,inf; is the "
                    "table cut?",
                    last_run(reader)->trace);
}

/* Shares follow from the counts; or they add up to 1, and the counts follow
   from one sum of masses that fade, each rounded. */
static enum margay_status check_shares(const struct reader *reader,
                                       struct margay_error *error)
{
    double shares = 0, least = 0, most = HUGE_VAL;
    for (size_t i = 0; i < reader->row_count; i++) {
        double share = reader->rows[i].share;
        double count = (double)reader->rows[i].bin.references;
        shares += share;
        least = fmax(least, (count - 0.5) / share);
        most = fmin(most, (count + 0.5) / share);
    }
    if (fabs(shares - 1) <= SHARE_TOLERANCE &&
        least <= most * (1 + SHARE_TOLERANCE))
        return MARGAY_OK;
    uint64_t all = margay_histogram_references(last_run(reader)->histogram);
    for (size_t i = 0; i < reader->row_count; i++) {
        const struct kept_row *row = &reader->rows[i];
        uint64_t references = row->bin.references;
        double share = all == 0 ? 0 : (double)references / (double)all;
        if (!(fabs(row->share - share) <= SHARE_TOLERANCE * share))
            return csv_fail(
                reader->path, row->line, error,
                "found a share of %.12g, expected %.12g for %" PRIu64
                " of %" PRIu64 " reference%s; was the table edited?",
                row->share, share, references, all, margay_plural(all, "s"));
    }
    return MARGAY_OK;
}

/* End the histogram with its row of infinite distances, the last one kept. */
static enum margay_status end(struct reader *reader, struct margay_error *error)
{
    struct run_csv *run = last_run(reader);
    reader->is_open = false;
    if (reader->bins != RUN_ANY)
        return reader->bins == RUN_EXACT ? check_shares(reader, error)
                                         : MARGAY_OK;
    run->bins = calloc(reader->row_count, sizeof *run->bins);
    if (run->bins == NULL)
        return margay_fail_memory(error, "the bins of a histogram");
    run->bin_count = reader->row_count - 1;
    for (size_t i = 0; i < run->bin_count; i++)
        run->bins[i] = reader->rows[i].bin;
    run->infinite = reader->rows[run->bin_count].bin.references;
    return MARGAY_OK;
}

/* ----------------------------------------------------------------- rows -- */

/* Refuse a row that a table of such bins has not. */
static enum margay_status check_bin(const struct reader *reader,
                                    const struct csv_row *row,
                                    const struct margay_bin *bin,
                                    struct margay_error *error)
{
    const char *from = row->fields[FROM], *to = row->fields[TO];
    uint64_t power =
        bin->from == 0 ? 1 : UINT64_C(2) << margay_log2_floor(bin->from);
    if (reader->bins == RUN_BINNED && power != 0 && bin->to > power)
        return csv_fail(reader->path, row->line, error,
                        "found a bin from %s to %s, expected bins that no "
                        "power of two divides (--bins exact, log2 or "
                        "loglinear)",
                        from, to);
    if (reader->bins != RUN_EXACT)
        return MARGAY_OK;
    if (bin->from == MARGAY_INFINITE && strcmp(from, "inf") != 0)
        return csv_fail(
            reader->path, row->line, error,
            "the trace exceeded the bound of %s block%s, beyond which nothing "
            "is known; measure it again without --bound",
            from, margay_plural(strcmp(from, "1") == 0 ? 1 : 2, "s"));
    if (bin->from != MARGAY_INFINITE && bin->to - bin->from > 1)
        return csv_fail(reader->path, row->line, error,
                        "found a bin from %s to %s, expected one distance in "
                        "each row (--bins exact)",
                        from, to);
    if (bin->from < reader->next_distance)
        return csv_fail(reader->path, row->line, error,
                        "found distance %s after a larger or the same one, "
                        "expected ascending ones (--bins exact)",
                        from);
    return MARGAY_OK;
}

/* The numbers of a row.  Distances beyond a bound count as infinite. */
static enum margay_status read_row(const struct reader *reader,
                                   const struct csv_row *row,
                                   struct kept_row *kept,
                                   struct margay_error *error)
{
    const char *from = row->fields[FROM], *to = row->fields[TO];
    const char *share = row->fields[SHARE];
    struct margay_bin *bin = &kept->bin;
    bool last = strcmp(to, "inf") == 0;
    char *end;
    kept->line = row->line;
    kept->share = strtod(share, &end);
    bin->from = bin->to = MARGAY_INFINITE;
    if (!(last && strcmp(from, "inf") == 0) &&
        (!margay_parse_u64(from, &bin->from) ||
         (!last && !margay_parse_u64(to, &bin->to))))
        return csv_fail(reader->path, row->line, error,
                        "found distances from '%s' to '%s', expected numbers "
                        "or inf",
                        from, to);
    if (!last && bin->to <= bin->from)
        return csv_fail(reader->path, row->line, error,
                        "found a bin from %s to %s, which holds no distance",
                        from, to);
    if (last)
        bin->from = MARGAY_INFINITE;
    enum margay_status status = check_bin(reader, row, bin, error);
    if (status == MARGAY_OK &&
        !margay_parse_u64(row->fields[REFERENCES], &bin->references))
        return csv_fail(reader->path, row->line, error,
                        "found '%s' references, expected a number",
                        row->fields[REFERENCES]);
    if (status == MARGAY_OK && (end == share || *end != '\0'))
        return csv_fail(reader->path, row->line, error,
                        "found a share of '%s', expected a number", share);
    return status;
}

static enum margay_status add_row(struct reader *reader,
                                  const struct csv_row *row,
                                  struct margay_error *error)
{
    struct kept_row kept;
    struct margay_error why;
    enum margay_status status = read_row(reader, row, &kept, error);
    if (status != MARGAY_OK)
        return status;
    if (!MARGAY_MAKE_ROOM(reader->rows, reader->row_count, 1,
                          reader->row_capacity))
        return margay_fail_memory(error, "the rows of a histogram");
    reader->rows[reader->row_count++] = kept;
    uint64_t distance = kept.bin.from;
    if (reader->bins != RUN_ANY &&
        margay_histogram_add(last_run(reader)->histogram, distance,
                             kept.bin.references, &why) != MARGAY_OK)
        return csv_fail(reader->path, row->line, error, "%s", why.message);
    reader->next_distance = distance + 1;
    return distance == MARGAY_INFINITE ? end(reader, error) : MARGAY_OK;
}

static enum margay_status take_row(void *context, const struct csv_row *row,
                                   struct margay_error *error)
{
    struct reader *reader = context;
    enum margay_status status = MARGAY_OK;
    if (!reader->has_header)
        return check_header(reader, row, error);
    bool placed = reader->places->column[0] != '\0';
    size_t expected = COLUMNS + (size_t)placed;
    if (row->count != expected)
        return csv_fail(reader->path, row->line, error,
                        "found %zu field%s, expected %zu", row->count,
                        margay_plural(row->count, "s"), expected);
    const char *place = placed ? row->fields[0] : NULL;
    struct csv_row own = {.count = COLUMNS, .line = row->line};
    memcpy(own.fields, row->fields + placed, COLUMNS * sizeof *own.fields);
    if (!reader->is_open)
        status = begin(reader, &own, place, error);
    else if ((placed && strcmp(place, last_run(reader)->place) != 0) ||
             strcmp(own.fields[TRACE], last_run(reader)->trace) != 0 ||
             strcmp(own.fields[BLOCK_BYTES], reader->block_text) != 0)
        status = fail_end(reader, row->line, error);
    return status == MARGAY_OK ? add_row(reader, &own, error) : status;
}

/* --------------------------------------------------------------- tables -- */

enum margay_status run_table_read(struct run_places *places, const char *path,
                                  enum run_bins bins, bool may_have_places,
                                  struct margay_error *error)
{
    struct reader reader = {.path = path,
                            .bins = bins,
                            .may_have_places = may_have_places,
                            .places = places};
    *places = (struct run_places){.runs = NULL};
    enum margay_status status = csv_read(path, NULL, take_row, &reader, error);
    if (status == MARGAY_OK && !reader.has_header)
        status = csv_fail(path, 1, error,
                          "found nothing, expected a histogram: '%s'",
                          HISTOGRAM_COLUMNS);
    else if (status == MARGAY_OK && reader.is_open)
        status =
            fail_end(&reader, reader.rows[reader.row_count - 1].line, error);
    free(reader.rows);
    return status;
}

static int by_place(const void *a, const void *b)
{
    const struct run_csv *const *x = a, *const *y = b;
    return strcmp((*x)->place, (*y)->place);
}

/* Refuse several traces or block sizes, and a place that comes twice. */
static enum margay_status check_runs(const struct run_places *places,
                                     struct margay_error *error)
{
    const struct run_csv *first = places->runs;
    bool placed = places->column[0] != '\0';
    if (places->count == 0)
        return MARGAY_OK;
    const struct run_csv **order = calloc(places->count, sizeof *order);
    if (order == NULL)
        return margay_fail_memory(error, "the histograms of a table");
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < places->count && status == MARGAY_OK; i++) {
        const struct run_csv *run = order[i] = &places->runs[i];
        if (i > 0 && (!placed || strcmp(run->trace, first->trace) != 0 ||
                      run->block_bytes != first->block_bytes))
            status = margay_fail(error, MARGAY_BAD_INPUT,
                                 "%s: a second histogram, of %s, expected one "
                                 "trace at one block size",
                                 run->path, run->trace);
    }
    if (placed && status == MARGAY_OK)
        qsort(order, places->count, sizeof *order, by_place);
    for (size_t i = 1; i < places->count && status == MARGAY_OK; i++) {
        if (by_place(&order[i - 1], &order[i]) == 0)
            status = margay_fail(
                error, MARGAY_BAD_INPUT, "%s: a second histogram of %s %s",
                order[i]->path, places->column, order[i]->place);
    }
    free(order);
    return status;
}

enum margay_status run_places_read(struct run_places *places, const char *text,
                                   bool has_size, enum run_bins bins,
                                   bool may_have_places,
                                   struct margay_error *error)
{
    char *path = strdup(text);
    double size = 0;
    *places = (struct run_places){.runs = NULL};
    if (path == NULL)
        return margay_fail_memory(error, "the name of a run");
    enum margay_status status = MARGAY_OK;
    char *equals = has_size ? strrchr(path, '=') : NULL;
    if (equals != NULL && equals != path) {
        *equals = '\0';
        status = parse_input_size(text, equals + 1, &size, error);
    } else if (has_size) {
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "'%s' (expected RUN.csv=SIZE, the histogram of a "
                             "run and the size of its input)",
                             text);
    }
    if (status == MARGAY_OK)
        status = run_table_read(places, path, bins, may_have_places, error);
    for (size_t i = 0; i < places->count; i++) {
        places->runs[i].name = text;
        places->runs[i].size = size;
    }
    if (status == MARGAY_OK && places->count == 0)
        status = margay_fail(error, MARGAY_BAD_INPUT,
                             "%s: found no rows, expected the histogram of a "
                             "run",
                             path);
    free(path);
    return status == MARGAY_OK ? check_runs(places, error) : status;
}

enum margay_status run_csv_read(struct run_csv *run, const char *text,
                                bool has_size, struct margay_error *error)
{
    struct run_places places;
    enum margay_status status =
        run_places_read(&places, text, has_size, RUN_EXACT, false, error);
    *run = (struct run_csv){0};
    if (places.count > 0)
        *run = places.runs[--places.count];
    run_places_clear(&places);
    return status == MARGAY_OK ? run_csv_check_finite(run, error) : status;
}

enum margay_status run_csv_check_finite(const struct run_csv *run,
                                        struct margay_error *error)
{
    uint64_t largest;
    if (!margay_histogram_largest(run->histogram, &largest))
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: no finite distance: no block is used twice, so "
                           "there is nothing to learn from or to compare",
                           run->path);
    return MARGAY_OK;
}

enum margay_status run_csv_check_blocks(const struct run_csv *run,
                                        const char *other_name,
                                        uint64_t other_bytes,
                                        struct margay_error *error)
{
    const uint64_t bytes[2] = {run->block_bytes, other_bytes};
    char names[2][48];
    if (run->block_bytes == other_bytes)
        return MARGAY_OK;
    for (size_t i = 0; i < 2; i++) {
        snprintf(names[i], 48, "blocks of %" PRIu64 " byte%s", bytes[i],
                 margay_plural(bytes[i], "s"));
        if (bytes[i] == 0)
            strcpy(names[i], "blocks of unknown size");
    }
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: found %s, expected %s as in %s", run->path,
                       names[0], names[1], other_name);
}

void run_csv_clear(struct run_csv *run)
{
    margay_histogram_free(run->histogram);
    free(run->bins);
    free(run->path);
    free(run->trace);
    free(run->place);
    *run = (struct run_csv){0};
}

void run_places_clear(struct run_places *places)
{
    for (size_t i = 0; i < places->count; i++)
        run_csv_clear(&places->runs[i]);
    free(places->runs);
    *places = (struct run_places){.runs = NULL};
}
