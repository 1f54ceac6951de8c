/*
 * cmd_info.c - margay info: the contents of a trace; --profile: popularity,
 * sizes and rate; --heatmap: the use of blocks over time
 *
 * Algorithm: the uses of blocks are counted of all of them while these are few,
 *   and then of a half, a quarter, ... of them, which their hash chooses
 *   (sample.h), so that all uses of a block count or none.  A heat map has
 *   COLUMNS counts of each, of some references, which become twice as many
 *   where they do not reach.  The exponent of Zipf's law is the slope of the
 *   line of least squares through the logarithms of ranks and uses, of groups
 *   of ranks that grow by a quarter; blocks used less than LEAST_USES times are
 *   left out, as chance orders them.
 *
 * Source: Breslau et al., "Web caching and Zipf-like distributions", INFOCOM
 *   1999; Waldspurger et al., "Efficient MRC construction with SHARDS", FAST
 *   2015, for the sample.
 *
 * Guarantee: a profile is exact up to 2^20 distinct blocks; of more, numbers
 *   and shares of blocks are estimates, of 2^19 blocks or more.  A quantile of
 *   sizes is less than 1/64 below the true one, up to 2^56 bytes; larger sizes
 *   count as 2^56 - 1.
 *
 * Cost: a look into a hash table for each block reference; of a profile 57 MiB
 *   at most, and 2 bytes for each second of the trace, of a heat map 12 MiB.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assoc/assoc_internal.h"
#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/result/tables.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "stackdist/stackdist_internal.h"

#define CHUNK_REFS  4096
#define MOST_BLOCKS (1 << 20)
#define MOST_PLACES (1 << 14) /* of a heat map, which shows these */
#define PLACES      32
#define COLUMNS     64
#define LEAST_USES  10
#define LEAST_RANKS 16 /* to say anything of a law */
#define INTERVALS   64
#define MOST_VALUE  ((UINT64_C(1) << 56) - 1) /* of a histogram */

struct information {
    const struct options *options;
    struct csv_writer csv;
};

/* Of whole references. */
struct survey {
    margay_analysis analysis;
    uint64_t references, block_refs;
    uint64_t of_kind[MARGAY_KINDS]; /* block references */
    uint64_t of_op[MARGAY_OPS];
    uint64_t lowest, highest; /* numbers as read; empty: low > high */
    bool has_ops;
    margay_histogram *sizes, *seconds; /* these since the first time */
    double size_sum;
    uint64_t first_time;
    /* Of each block that counts, by its number: the block, and its uses in each
       column of 2^step references; of info alone there is no column. */
    margay_numbering *numbering;
    uint64_t *records;
    size_t most, columns;
    unsigned step, halvings;
};

static struct survey *self(const margay_analysis *analysis)
{
    return (struct survey *)analysis;
}

/* ------------------------------------------------------- uses of blocks -- */

static size_t block_count(const struct survey *survey)
{
    return margay_numbering_count(survey->numbering);
}

static uint64_t *record_of(const struct survey *survey, size_t number)
{
    return &survey->records[number * (1 + survey->columns)];
}

static bool is_counted(const struct survey *survey, uint64_t block)
{
    return survey->halvings == 0 ||
           margay_sample_hash(block, 0) <= UINT64_MAX >> survey->halvings;
}

/* Count half as many blocks. */
static enum margay_status halve(struct survey *survey,
                                struct margay_error *error)
{
    margay_numbering *old = survey->numbering;
    const size_t count = block_count(survey);
    const size_t bytes = (1 + survey->columns) * sizeof *survey->records;
    enum margay_status status =
        margay_numbering_create(&survey->numbering, error);
    survey->halvings++;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        uint32_t number = 0;
        if (!is_counted(survey, *record_of(survey, i)))
            continue;
        status = margay_numbering_feed(survey->numbering, record_of(survey, i),
                                       1, &number, error);
        memmove(record_of(survey, number), record_of(survey, i), bytes);
    }
    margay_numbering_free(old);
    if (status == MARGAY_OK)
        memset(record_of(survey, block_count(survey)), 0,
               bytes * (count - block_count(survey)));
    return status;
}

/* Columns of twice the width. */
static void widen(struct survey *survey)
{
    for (size_t i = 0; i < block_count(survey); i++) {
        uint64_t *counts = record_of(survey, i) + 1;
        for (size_t k = 0; k < COLUMNS; k++)
            counts[k] = k < COLUMNS / 2 ? counts[2 * k] + counts[2 * k + 1] : 0;
    }
    survey->step++;
}

/* The next blocks of the trace, CHUNK_REFS at most. */
static enum margay_status count_blocks(struct survey *survey,
                                       const uint64_t *blocks, size_t count,
                                       struct margay_error *error)
{
    uint64_t counted[CHUNK_REFS];
    uint32_t numbers[CHUNK_REFS];
    uint8_t columns[CHUNK_REFS];
    size_t picked = 0;
    if (survey->columns == 0)
        return margay_numbering_feed(survey->numbering, blocks, count, numbers,
                                     error);
    while ((survey->block_refs + count - 1) >> survey->step >= COLUMNS)
        widen(survey);
    for (size_t i = 0; i < count; i++) {
        counted[picked] = blocks[i];
        columns[picked] = (uint8_t)(survey->block_refs++ >> survey->step);
        picked += is_counted(survey, blocks[i]);
    }
    enum margay_status status = margay_numbering_feed(
        survey->numbering, counted, picked, numbers, error);
    for (size_t i = 0; i < picked && status == MARGAY_OK; i++) {
        uint64_t *record = record_of(survey, numbers[i]);
        record[0] = counted[i];
        record[1 + columns[i]]++;
    }
    while (status == MARGAY_OK && block_count(survey) > survey->most)
        status = halve(survey, error);
    return status;
}

/* -------------------------------------------------------------- entries -- */

/* Seven binary digits count, so that there are few different sizes. */
static enum margay_status count_size(struct survey *survey, uint64_t size,
                                     struct margay_error *error)
{
    survey->size_sum += (double)size;
    size = size < MOST_VALUE ? size : MOST_VALUE;
    if (size >= 128)
        size &= UINT64_MAX << (margay_log2_floor(size) - 6);
    return margay_histogram_add(survey->sizes, size, 1, error);
}

/* Count the columns of a reference; it counts once for each of its blocks. */
static inline enum margay_status count_entry(struct survey *survey,
                                             const struct margay_span *span,
                                             size_t i,
                                             struct margay_error *error)
{
    const struct margay_pass *pass = survey->analysis.pass;
    const uint64_t unit_bytes = pass->block_bytes >> pass->shift;
    const uint64_t first = span->blocks[i];
    const uint64_t extent = span->extents == NULL ? 1 : span->extents[i];
    uint64_t last = first, refs = 1;
    enum margay_status status = MARGAY_OK;
    if (pass->splits) {
        refs = margay_extent_blocks(first, extent, pass->shift);
        last = extent == 0 ? first : margay_extent_last(first, extent);
    }
    if (refs > 0 && first < survey->lowest)
        survey->lowest = first;
    if (refs > 0 && last > survey->highest)
        survey->highest = last;
    survey->of_kind[span->kinds == NULL ? MARGAY_READ : span->kinds[i]] += refs;
    if (span->ops != NULL)
        survey->of_op[span->ops[i]]++;
    if (survey->columns != 1)
        return MARGAY_OK;
    if (span->times != NULL && survey->references == 0)
        survey->first_time = span->times[i];
    if (span->times != NULL) {
        uint64_t time = span->times[i];
        time -= time < survey->first_time ? time : survey->first_time;
        status = margay_histogram_add(
            survey->seconds, time < MOST_VALUE ? time : MOST_VALUE, 1, error);
    }
    survey->references++;
    if (status == MARGAY_OK && span->sizes != NULL &&
        (span->ops == NULL || span->ops[i] != MARGAY_DELETE))
        status = count_size(survey, span->sizes[i], error);
    else if (status == MARGAY_OK && span->sizes == NULL &&
             span->extents != NULL && unit_bytes > 0) {
        uint64_t size;
        if (!margay_multiply_u64(extent, unit_bytes, &size))
            size = UINT64_MAX;
        status = count_size(survey, size, error);
    }
    return status;
}

static enum margay_status feed(margay_analysis *analysis,
                               const struct margay_span *span,
                               struct margay_error *error)
{
    struct survey *survey = self(analysis);
    const struct margay_pass *pass = analysis->pass;
    const struct margay_batch batch = {
        .references = span->count,
        .numbers = span->blocks,
        .extents = pass->splits ? span->extents : NULL,
    };
    uint64_t blocks[CHUNK_REFS];
    struct margay_block_cursor cursor = {0, 0};
    enum margay_status status = MARGAY_OK;
    size_t count;
    survey->has_ops |= span->ops != NULL;
    for (size_t i = 0; i < span->count && status == MARGAY_OK; i++)
        status = count_entry(survey, span, i, error);
    while (status == MARGAY_OK &&
           (count = margay_batch_blocks(&batch, pass->shift, pass->splits,
                                        &cursor, blocks, NULL, CHUNK_REFS)) > 0)
        status = count_blocks(survey, blocks, count, error);
    return status;
}

static void free_survey(margay_analysis *analysis)
{
    margay_numbering_free(self(analysis)->numbering);
    margay_histogram_free(self(analysis)->sizes);
    margay_histogram_free(self(analysis)->seconds);
    free(self(analysis)->records);
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct survey *survey = self(analysis);
    const struct options *options = analysis->question->context;
    (void)share;
    survey->lowest = UINT64_MAX;
    survey->columns = options->heatmap ? COLUMNS : options->profile;
    survey->step = options->heatmap ? 0 : 63;
    survey->most = options->heatmap   ? MOST_PLACES
                   : options->profile ? MOST_BLOCKS
                                      : SIZE_MAX;
    if (survey->columns > 0)
        survey->records = calloc(survey->most + CHUNK_REFS,
                                 (1 + survey->columns) * sizeof(uint64_t));
    if (survey->columns > 0 && survey->records == NULL)
        return margay_fail_memory(error, "the uses of blocks");
    enum margay_status status = margay_histogram_create(&survey->sizes, error);
    if (status == MARGAY_OK)
        status = margay_histogram_create(&survey->seconds, error);
    return status == MARGAY_OK
               ? margay_numbering_create(&survey->numbering, error)
               : status;
}

/* ----------------------------------------------------------------- info -- */

static void put_number(struct csv_writer *csv, const struct margay_pass *pass,
                       uint64_t number)
{
    if (pass->numbers == MARGAY_ADDRESSES)
        csv_hexadecimal(csv, number);
    else
        csv_u64(csv, number);
}

static void put_survey(struct csv_writer *csv, const struct margay_pass *pass,
                       const struct survey *survey)
{
    if (csv->columns[0] == 't') /* the trace */
        csv_text(csv, pass->trace);
    csv_text(csv, pass->format->name);
    csv_u64(csv, of_all_kinds(survey->of_kind));
    csv_u64(csv, survey->of_kind[MARGAY_READ]);
    csv_u64(csv, survey->of_kind[MARGAY_WRITE]);
    csv_u64(csv, survey->of_kind[MARGAY_FETCH]);
    csv_u64(csv, block_count(survey));
    for (size_t i = 0; i < 2; i++) {
        if (survey->lowest > survey->highest)
            csv_nothing(csv);
        else
            put_number(csv, pass, i == 0 ? survey->lowest : survey->highest);
    }
    csv_bytes(csv, 1, pass->block_bytes);
    csv_end_row(csv);
}

/* ------------------------------------------------------------ --profile -- */

/* A row; a share below 0 is none of anything. */
static void put(struct csv_writer *csv, const char *property, const char *at,
                double value, double share)
{
    csv_key(csv);
    csv_text(csv, property);
    csv_text(csv, at);
    if (value == floor(value) && value < 0x1p63)
        csv_u64(csv, (uint64_t)value);
    else
        csv_decimal(csv, round(1e4 * value) / 1e4);
    if (share < 0)
        csv_nothing(csv);
    else
        csv_decimal(csv, share);
    csv_end_row(csv);
}

static void put_at(struct csv_writer *csv, const char *property, double at,
                   double value, double share)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", at);
    put(csv, property, text, value, share);
}

static void put_names(struct csv_writer *csv, const char *property,
                      const char *const names[3], const uint64_t counts[3])
{
    double all = (double)(counts[0] + counts[1] + counts[2]);
    for (size_t i = 0; i < 3 && all > 0; i++)
        put(csv, property, names[i], (double)counts[i],
            (double)counts[i] / all);
}

static void put_sizes(struct csv_writer *csv, const struct survey *survey)
{
    static const double quantiles[] = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1};
    const double all = (double)margay_histogram_references(survey->sizes);
    uint64_t size = 0, next = 0, references = 0;
    double found = 0;
    if (all > 0)
        put(csv, "size", "mean", survey->size_sum / all, -1);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles && all > 0;
         i++) {
        while ((next == 0 || found < quantiles[i] * all) &&
               margay_histogram_next(survey->sizes, next, &size, &references)) {
            found += (double)references;
            next = size + 1;
        }
        put_at(csv, "size", quantiles[i], (double)size, -1);
    }
}

/* Requests in parts of the time that are alike. */
static void put_rate(struct csv_writer *csv, const struct survey *survey)
{
    uint64_t last;
    if (!margay_histogram_largest(survey->seconds, &last))
        return;
    const uint64_t width = last / INTERVALS + 1;
    for (uint64_t from = 0; from <= last; from += width) {
        double references = (double)margay_histogram_between(
            survey->seconds, from, from + width);
        put_at(csv, "second", (double)from, references / (double)width,
               references / (double)survey->references);
    }
}

static int descending(const void *a, const void *b)
{
    uint64_t x = ((const uint64_t *)a)[1], y = ((const uint64_t *)b)[1];
    return (x < y) - (x > y);
}

/* The slope of uses over ranks, and how much of the variance of uses it
   explains; `sums` are those of 1, x, y, xx, xy and yy. */
static void put_law(struct csv_writer *csv, const double sums[6], double ranks,
                    double share)
{
    double xx = sums[3] - sums[1] * sums[1] / sums[0];
    double xy = sums[4] - sums[1] * sums[2] / sums[0];
    double yy = sums[5] - sums[2] * sums[2] / sums[0];
    put(csv, "zipf", "exponent", fmax(-xy / xx, 0), -1);
    put(csv, "zipf", "r squared", yy > 0 ? xy * xy / (xx * yy) : 1, -1);
    put(csv, "zipf", "ranks", ranks, share);
}

/* Blocks, how they rank, and the law that they follow. */
static void put_popularity(struct csv_writer *csv, const struct survey *survey)
{
    const size_t count = block_count(survey);
    const double scale = ldexp(1, (int)survey->halvings);
    double sums[6] = {0}, all = 0, once = 0, sum = 0;
    size_t ranks = 0;
    qsort(survey->records, count, 2 * sizeof *survey->records, descending);
    for (size_t i = 0; i < count; i++) {
        uint64_t uses = record_of(survey, i)[1];
        all += (double)uses;
        once += uses == 1;
        ranks += uses >= LEAST_USES;
    }
    put(csv, "blocks", "distinct", scale * (double)count, -1);
    put(csv, "blocks", "counted", (double)count, 1 / scale);
    put(csv, "blocks", "used once", scale * once,
        once / fmax((double)count, 1));
    for (size_t from = 0, to; from < count; from = to) {
        double before = sum;
        to = from + 1 + from / 4;
        to = from < ranks && to > ranks ? ranks : to > count ? count : to;
        for (size_t i = from; i < to; i++)
            sum += (double)record_of(survey, i)[1];
        double x = log((double)(from + to + 1) / 2);
        double y = log((sum - before) / (double)(to - from));
        const double point[] = {1, x, y, x * x, x * y, y * y};
        for (size_t k = 0; k < 6 && from < ranks; k++)
            sums[k] += point[k];
        put_at(csv, "rank", scale * (double)to,
               (double)record_of(survey, to - 1)[1], sum / all);
    }
    if (ranks >= LEAST_RANKS)
        put_law(csv, sums, scale * (double)ranks,
                (double)ranks / (double)count);
}

static void put_profile(struct csv_writer *csv, const struct survey *survey)
{
    static const char *const kinds[] = {"read", "write", "fetch"};
    static const char *const ops[] = {"get", "set", "delete"};
    put(csv, "references", "", (double)survey->references, -1);
    put(csv, "block references", "", (double)survey->block_refs, -1);
    put_names(csv, "kind", kinds, survey->of_kind);
    if (survey->has_ops)
        put_names(csv, "op", ops, survey->of_op);
    put_sizes(csv, survey);
    put_popularity(csv, survey);
    put_rate(csv, survey);
}

/* ------------------------------------------------------------ --heatmap -- */

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A place is of blocks next to each other, of those that have a size, or else
   of some in the order of their first uses. */
static void put_cells(struct csv_writer *csv, const struct margay_pass *pass,
                      const struct survey *survey)
{
    const size_t count = block_count(survey);
    const size_t places = count < PLACES ? count : PLACES;
    const bool sorted = pass->block_bytes != 0;
    if (sorted)
        qsort(survey->records, count, (1 + COLUMNS) * sizeof *survey->records,
              by_number);
    for (size_t cell = 0; cell < places * COLUMNS; cell++) {
        const size_t first = cell / COLUMNS * count / places;
        const size_t end = (cell / COLUMNS + 1) * count / places;
        const uint64_t from = (uint64_t)(cell % COLUMNS) << survey->step;
        const uint64_t to = from + (UINT64_C(1) << survey->step);
        uint64_t references = 0;
        for (size_t i = first; i < end; i++)
            references += record_of(survey, i)[1 + cell % COLUMNS];
        if (references == 0)
            continue;
        csv_key(csv);
        csv_u64(csv, cell / COLUMNS);
        if (sorted) {
            uint64_t last = *record_of(survey, end - 1) << pass->shift;
            put_number(csv, pass, *record_of(survey, first) << pass->shift);
            put_number(csv, pass, last | ~(UINT64_MAX << pass->shift));
        } else {
            csv_u64(csv, (uint64_t)first << survey->halvings);
            csv_u64(csv, ((uint64_t)end << survey->halvings) - 1);
        }
        csv_u64(csv, from);
        csv_u64(csv, to < survey->block_refs ? to : survey->block_refs);
        csv_u64(csv, references << survey->halvings);
        csv_end_row(csv);
    }
}

/* -------------------------------------------------------------- command -- */

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct information *information = context;
    struct csv_writer *csv = &information->csv;
    const struct survey *survey = self(job->analyses[0]);
    enum margay_status status = MARGAY_OK;
    if (survey->columns > 0)
        status = csv_set_key(csv, pass->trace, pass->block_bytes, error);
    if (survey->columns == 0)
        put_survey(csv, pass, survey);
    else if (status == MARGAY_OK && survey->columns == 1)
        put_profile(csv, survey);
    else if (status == MARGAY_OK)
        put_cells(csv, pass, survey);
    return status;
}

static enum margay_status open_survey(void *context, margay_question **question,
                                      struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct survey),
        .begin = begin,
        .feed = feed,
        .free = free_survey,
    };
    static const margay_question kind = {
        .functions = &functions,
        .can = {.uses = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS,
                .references = true},
        .name = "the survey",
    };
    const struct information *information = context;
    enum margay_status status =
        drive_question(&kind, (void *)information->options, question, error);
    if (status == MARGAY_OK && information->options->profile)
        (*question)->can.uses |=
            MARGAY_COLUMN_SIZES | MARGAY_COLUMN_TIMES | MARGAY_COLUMN_OPS;
    return status;
}

int cmd_info(const struct options *options)
{
    struct information information = {.options = options};
    bool one = options->operand_count <= 1 || options->run.join;
    const struct drive drive = {
        .options = options,
        .context = &information,
        .csvs = &information.csv,
        .files = {{.columns = options->profile        ? PROFILE_COLUMNS
                              : options->heatmap      ? HEATMAP_COLUMNS
                              : options->json || !one ? "trace," INFO_COLUMNS
                                                      : INFO_COLUMNS,
                   .upright = !options->profile && !options->heatmap}},
        .file_count = 1,
        .open = open_survey,
        .ended = write_pass,
    };
    struct margay_error error;
    enum margay_status status = drive_run(&drive, &error);
    return csv_conclude(status, &information.csv, 1, &error);
}
