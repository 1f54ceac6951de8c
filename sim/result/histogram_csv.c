/*
 * histogram_csv.c - reading histograms from their tables
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
#include "sim/result/histogram_csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/csv.h"
#include "sim/result/csv_read.h"
#include "traces/traces_internal.h"

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
    struct histogram_reading as;
    bool has_header;

    char *place_text; /* what as.place->text is */
    char *trace;      /* of the histogram being read; NULL = none */
    char block_text[24];
    uint64_t block_bytes;
    uint64_t next_distance; /* the smallest that may come */
    margay_histogram *histogram;
    struct kept_row *rows;
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
        if (reader->as.place != NULL &&
            strncmp(columns, places[i], bytes) == 0 && columns[bytes] == ',' &&
            strcmp(columns + bytes + 1, HISTOGRAM_COLUMNS) == 0) {
            strcpy(reader->as.place->column, places[i]);
            return MARGAY_OK;
        }
    }
    return csv_fail(reader->path, row->line, error,
                    "found columns '%s', expected a histogram: '%s'", columns,
                    HISTOGRAM_COLUMNS);
}

/* ---------------------------------------------------------- one histogram --
 */

static void forget(struct reader *reader)
{
    margay_histogram_free(reader->histogram);
    reader->histogram = NULL;
    free(reader->trace);
    reader->trace = NULL;
    free(reader->place_text);
    reader->place_text = NULL;
    reader->row_count = 0;
    reader->next_distance = 0;
}

static enum margay_status begin(struct reader *reader,
                                const struct csv_row *row, const char *place,
                                struct margay_error *error)
{
    const char *block = row->fields[BLOCK_BYTES];
    reader->block_bytes = 0;
    if (*block != '\0' && (!margay_parse_u64(block, &reader->block_bytes) ||
                           !margay_is_power_of_two(reader->block_bytes)))
        return csv_fail(reader->path, row->line, error,
                        "found block_bytes '%s', expected a power of two",
                        block);
    reader->trace = strdup(row->fields[TRACE]);
    if (place != NULL)
        reader->as.place->text = reader->place_text = strdup(place);
    if (reader->trace == NULL || (place != NULL && reader->place_text == NULL))
        return margay_fail_memory(error, "a histogram");
    strcpy(reader->block_text, block); /* a power of two is short */
    return margay_histogram_create(&reader->histogram, error);
}

static enum margay_status fail_end(const struct reader *reader, uint64_t line,
                                   struct margay_error *error)
{
    return csv_fail(reader->path, line, error,
                    "the histogram of %s ends without its row inf,inf; is the "
                    "table cut?",
                    reader->trace);
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
    uint64_t all = margay_histogram_references(reader->histogram);
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

/* Hand on the histogram, whose last row is that of infinite distances. */
static enum margay_status end(struct reader *reader, struct margay_error *error)
{
    const struct histogram_reading *as = &reader->as;
    size_t count = reader->row_count - 1;
    enum margay_status status;
    if (as->take_bins != NULL) {
        struct margay_bin *bins = calloc(count + 1, sizeof *bins);
        if (bins == NULL)
            return margay_fail_memory(error, "the bins of a histogram");
        for (size_t i = 0; i < count; i++)
            bins[i] = reader->rows[i].bin;
        status =
            as->take_bins(as->context, reader->trace, reader->block_bytes, bins,
                          count, reader->rows[count].bin.references, error);
        free(bins);
    } else {
        status = check_shares(reader, error);
        if (status == MARGAY_OK)
            status = as->take(as->context, reader->trace, reader->block_bytes,
                              reader->histogram, error);
    }
    forget(reader);
    return status;
}

/* ----------------------------------------------------------------- rows -- */

/* Refuse a row that no table of exact histograms has. */
static enum margay_status check_exact(const struct reader *reader,
                                      const struct csv_row *row,
                                      const struct margay_bin *bin,
                                      struct margay_error *error)
{
    const char *from = row->fields[FROM], *to = row->fields[TO];
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
                        "found distance %s behind a larger or the same one, "
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
    enum margay_status status = MARGAY_OK;
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
    if (reader->as.take_bins == NULL)
        status = check_exact(reader, row, bin, error);
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
    struct kept_row *rows = margay_grow(reader->rows, reader->row_count,
                                        &reader->row_capacity, sizeof *rows);
    if (rows == NULL)
        return margay_fail_memory(error, "the rows of a histogram");
    reader->rows = rows;
    rows[reader->row_count++] = kept;
    uint64_t distance = kept.bin.from;
    if (reader->as.take_bins == NULL &&
        margay_histogram_add(reader->histogram, distance, kept.bin.references,
                             &why) != MARGAY_OK)
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
    bool placed =
        reader->as.place != NULL && reader->as.place->column[0] != '\0';
    size_t expected = COLUMNS + (size_t)placed;
    if (row->count != expected)
        return csv_fail(reader->path, row->line, error,
                        "found %zu field%s, expected %zu", row->count,
                        margay_plural(row->count, "s"), expected);
    const char *place = placed ? row->fields[0] : NULL;
    struct csv_row own = {.count = COLUMNS, .line = row->line};
    memcpy(own.fields, row->fields + placed, COLUMNS * sizeof *own.fields);
    if (reader->trace == NULL)
        status = begin(reader, &own, place, error);
    else if ((placed && strcmp(place, reader->place_text) != 0) ||
             strcmp(own.fields[TRACE], reader->trace) != 0 ||
             strcmp(own.fields[BLOCK_BYTES], reader->block_text) != 0)
        status = fail_end(reader, row->line, error);
    return status == MARGAY_OK ? add_row(reader, &own, error) : status;
}

enum margay_status histogram_csv_read_as(
    const char *path, const struct histogram_reading *reading,
    struct margay_error *error)
{
    struct reader reader = {.path = path, .as = *reading};
    enum margay_status status = csv_read(path, NULL, take_row, &reader, error);
    if (status == MARGAY_OK && !reader.has_header)
        status = csv_fail(path, 1, error,
                          "found nothing, expected a histogram: '%s'",
                          HISTOGRAM_COLUMNS);
    else if (status == MARGAY_OK && reader.trace != NULL)
        status =
            fail_end(&reader, reader.rows[reader.row_count - 1].line, error);
    forget(&reader);
    free(reader.rows);
    return status;
}

enum margay_status histogram_csv_read(const char *path, histogram_take *take,
                                      void *context, struct margay_error *error)
{
    const struct histogram_reading reading = {.take = take, .context = context};
    return histogram_csv_read_as(path, &reading, error);
}
