/* cmd_compare.c - margay compare */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/cache_grid.h"
#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/result/csv.h"
#include "sim/result/run_csv.h"
#include "sim/result/tables.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

/* The errors of one prediction for all caches of one number of ways. */
struct errors {
    uint64_t count;
    double sum, largest; /* of absolute values */
};

struct compare {
    const struct options *options;
    struct cache_grid grid;
    struct csv_writer csv;
    struct run_csv signature; /* of --prediction; its histogram may be NULL */
    struct errors fully_associative[MARGAY_MOST_WAYS];
    struct errors binomial[MARGAY_MOST_WAYS];
    struct errors of_signature[MARGAY_MOST_WAYS], total[MARGAY_MOST_WAYS];
};

/* -------------------------------------------------------------- reading -- */

static enum margay_status open_caches(void *context, margay_question **question,
                                      struct margay_error *error)
{
    const struct compare *compare = context;
    const struct margay_caches_request request =
        cache_grid_request(&compare->grid, compare->options);
    return margay_caches_question(&request, question, error);
}

static enum margay_status begun(void *context, const struct margay_job *job,
                                struct margay_error *error)
{
    const struct compare *compare = context;
    enum margay_status status = MARGAY_OK;
    if (compare->signature.histogram != NULL)
        status = run_csv_check_blocks(&compare->signature, job->trace,
                                      job->passes[0].block_bytes, error);
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++)
        status = cache_grid_check(&compare->grid, &job->passes[i], error);
    return status;
}

/* ------------------------------------------------------------- the rows -- */

/* The misses of fully associative caches of the same capacity, [set][way]. */
static enum margay_status find_fully_associative(const struct compare *compare,
                                                 const margay_histogram *h,
                                                 uint64_t *misses,
                                                 struct margay_error *error)
{
    const struct cache_grid *grid = &compare->grid;
    for (size_t set = 0; set < grid->set_count; set++) {
        uint64_t sizes[MARGAY_MOST_WAYS];
        struct margay_sizes list = {MARGAY_SIZES_LIST, 0, sizes,
                                    grid->way_count};
        struct margay_point *points;
        size_t count;
        for (size_t way = 0; way < grid->way_count; way++)
            sizes[way] = grid->ways[way] * grid->sets[set];
        enum margay_status status =
            margay_histogram_curve(h, &list, &points, &count, error);
        if (status != MARGAY_OK)
            return status;
        for (size_t way = 0; way < grid->way_count; way++)
            misses[set * grid->way_count + way] = points[way].misses;
        free(points);
    }
    return MARGAY_OK;
}

static void note_error(struct errors *errors, double error)
{
    errors->count++;
    errors->sum += fabs(error);
    errors->largest = fmax(errors->largest, fabs(error));
}

/* The predictions for a cache: misses from the distances of the trace, and miss
   ratios from the distances of --prediction. */
struct prediction {
    uint64_t fully_associative, cold;
    double binomial;
    double signature_fully_associative, signature_binomial;
};

/* Add the columns of --prediction: the error of the predicted distances, and
   the total with the error of the step from distances to sets. */
static void write_signature(struct compare *compare, unsigned ways,
                            double fully, double simulated,
                            const struct prediction *prediction)
{
    struct csv_writer *csv = &compare->csv;
    double of_signature = prediction->signature_fully_associative - fully;
    double total = prediction->signature_binomial - simulated;
    csv_decimal(csv, prediction->signature_fully_associative);
    csv_decimal(csv, prediction->signature_binomial);
    csv_decimal(csv, of_signature);
    csv_decimal(csv, total);
    note_error(&compare->of_signature[ways - 1], of_signature);
    note_error(&compare->total[ways - 1], total);
}

static void write_row(struct compare *compare, const struct margay_job *job,
                      const struct margay_pass *pass, size_t set, size_t way,
                      const struct prediction *prediction)
{
    struct csv_writer *csv = &compare->csv;
    struct margay_cache_row row;
    margay_caches_analysis_row(
        margay_engine_analysis_next(job->analyses[pass->index]), pass, set, way,
        0, &row);
    unsigned ways = compare->grid.ways[way];
    uint64_t misses = cache_row_misses(&row);
    double references = (double)row.references;
    double simulated = (double)misses / references;
    double fully = (double)prediction->fully_associative / references;
    double binomial = prediction->binomial / references;
    table_cache(csv, pass, compare->grid.sets[set], ways, &row);
    csv_decimal(csv, fully);
    csv_decimal(csv, binomial);
    csv_decimal(csv, fully - simulated);
    csv_decimal(csv, binomial - simulated);
    csv_u64(csv, prediction->cold);
    csv_u64(csv, prediction->fully_associative - prediction->cold);
    csv_i64(csv, (int64_t)(misses - prediction->fully_associative));
    if (compare->signature.histogram != NULL)
        write_signature(compare, ways, fully, simulated, prediction);
    csv_end_row(csv);
    note_error(&compare->fully_associative[ways - 1], fully - simulated);
    note_error(&compare->binomial[ways - 1], binomial - simulated);
}

/* Fully associative misses from the distances of the trace, and from those of
   --prediction. */
struct misses {
    uint64_t *measured, *predicted; /* [set][way]; the latter may be NULL */
};

static void write_rows(struct compare *compare, const struct margay_job *job,
                       const struct margay_pass *pass,
                       const struct misses *misses)
{
    const struct cache_grid *grid = &compare->grid;
    const margay_histogram *histogram =
        margay_engine_analysis_result(job->analyses[pass->index])->histogram;
    const margay_histogram *signature = compare->signature.histogram;
    double all =
        signature == NULL ? 1 : (double)margay_histogram_references(signature);
    for (size_t set = 0; set < grid->set_count; set++) {
        double binomial[MARGAY_MOST_WAYS], predicted[MARGAY_MOST_WAYS] = {0};
        margay_binomial_misses(histogram, margay_log2_floor(grid->sets[set]),
                               grid->most_ways, binomial);
        if (signature != NULL)
            margay_binomial_misses(signature,
                                   margay_log2_floor(grid->sets[set]),
                                   grid->most_ways, predicted);
        for (size_t way = 0; way < grid->way_count; way++) {
            size_t cache = set * grid->way_count + way;
            struct prediction prediction = {
                .fully_associative = misses->measured[cache],
                .cold = margay_histogram_infinite(histogram),
                .binomial = binomial[grid->ways[way] - 1],
                .signature_binomial = predicted[grid->ways[way] - 1] / all,
            };
            if (signature != NULL)
                prediction.signature_fully_associative =
                    (double)misses->predicted[cache] / all;
            write_row(compare, job, pass, set, way, &prediction);
        }
    }
}

static enum margay_status find_misses(struct compare *compare,
                                      const margay_histogram *histogram,
                                      struct misses *misses,
                                      struct margay_error *error)
{
    const margay_histogram *signature = compare->signature.histogram;
    size_t caches = compare->grid.set_count * compare->grid.way_count;
    misses->measured = calloc(caches, sizeof *misses->measured);
    misses->predicted = calloc(caches, sizeof *misses->predicted);
    if (misses->measured == NULL || misses->predicted == NULL)
        return margay_fail_memory(error, "the comparison");
    enum margay_status status =
        find_fully_associative(compare, histogram, misses->measured, error);
    if (status == MARGAY_OK && signature != NULL)
        status = find_fully_associative(compare, signature, misses->predicted,
                                        error);
    return status;
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct compare *compare = context;
    const struct margay_result *result =
        margay_engine_analysis_result(job->analyses[pass->index]);
    struct misses misses = {NULL, NULL};
    if (result->references == 0)
        return MARGAY_OK;
    enum margay_status status =
        find_misses(compare, result->histogram, &misses, error);
    if (status == MARGAY_OK)
        status =
            csv_set_key(&compare->csv, pass->trace, pass->block_bytes, error);
    if (status == MARGAY_OK)
        write_rows(compare, job, pass, &misses);
    free(misses.measured);
    free(misses.predicted);
    return status;
}

/* ---------------------------------------------------------- the summary -- */

static void summarise(const struct compare *compare)
{
    for (unsigned i = 0; i < MARGAY_MOST_WAYS; i++) {
        const struct errors *b = &compare->binomial[i];
        const struct errors *f = &compare->fully_associative[i];
        if (b->count == 0)
            continue;
        message_keep("%u way%s: binomial error %.6f on average, %.6f at "
                     "most; fully associative %.6f, %.6f",
                     i + 1, margay_plural(i + 1, "s"),
                     b->sum / (double)b->count, b->largest,
                     f->sum / (double)f->count, f->largest);
        const struct errors *s = &compare->of_signature[i];
        const struct errors *t = &compare->total[i];
        if (s->count > 0)
            message_keep("%u way%s: signature error %.6f on average, %.6f at "
                         "most; total %.6f, %.6f",
                         i + 1, margay_plural(i + 1, "s"),
                         s->sum / (double)s->count, s->largest,
                         t->sum / (double)t->count, t->largest);
    }
    message_tell_kept(true);
}

static bool within_tolerance(const struct compare *compare)
{
    double largest = 0;
    for (unsigned i = 0; i < MARGAY_MOST_WAYS; i++)
        largest = fmax(largest, compare->binomial[i].largest);
    if (compare->options->caches.tolerance < 0 ||
        largest <= compare->options->caches.tolerance)
        return true;
    message_print("a binomial prediction errs by %.6g, more than the "
                  "tolerance of %g",
                  largest, compare->options->caches.tolerance);
    return false;
}

static enum margay_status read_signature(struct compare *compare,
                                         struct margay_error *error)
{
    const struct options *options = compare->options;
    if (options->caches.prediction == NULL)
        return MARGAY_OK;
    if (options->operand_count > 1 || options->run.blocks.count > 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--prediction is of one trace at one block size");
    return run_csv_read(&compare->signature, options->caches.prediction, false,
                        error);
}

/* The prediction is for sets that the low bits of a block choose. */
static enum margay_status check_grid(const struct cache_grid *grid,
                                     struct margay_error *error)
{
    for (size_t i = 0; i < grid->set_count; i++) {
        if (!margay_is_power_of_two(grid->sets[i]))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--sets: '%" PRIu64
                               "' (expected powers of two up to %" PRIu64 ")",
                               grid->sets[i], MARGAY_MOST_SETS);
    }
    return grid->most_ways <= MARGAY_MOST_WAYS
               ? MARGAY_OK
               : margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--ways: '%u' (expected numbers from 1 to %d)",
                             grid->most_ways, MARGAY_MOST_WAYS);
}

int cmd_compare(const struct options *options)
{
    struct compare compare = {.options = options};
    const struct drive drive = {
        .options = options,
        .context = &compare,
        .measures = true,
        .needs = MARGAY_CAN_GIVE_HISTOGRAM,
        .csv = &compare.csv,
        .columns = options->caches.prediction == NULL
                       ? COMPARE_COLUMNS
                       : COMPARE_COLUMNS COMPARE_PREDICTION_COLUMNS,
        .open = open_caches,
        .begun = begun,
        .ended = write_pass,
    };
    struct margay_error error;
    cache_grid_init(&compare.grid, options);
    enum margay_status status = check_grid(&compare.grid, &error);
    if (status == MARGAY_OK)
        status = read_signature(&compare, &error);
    int exit_status = drive_table(&drive, status, &error);
    run_csv_clear(&compare.signature);
    if (exit_status != EXIT_TROUBLE && !options->quiet)
        summarise(&compare);
    if (exit_status == EXIT_DONE && !within_tolerance(&compare))
        return EXIT_DENIED;
    return exit_status;
}
