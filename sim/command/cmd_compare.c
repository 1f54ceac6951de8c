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

/* What errs: the step from distances to sets, without and with the binomial;
   the distances of --prediction; and both. */
enum { FULLY_ASSOCIATIVE, BINOMIAL, SIGNATURE, TOTAL, ERRORS };

struct compare {
    const struct options *options;
    struct cache_grid grid;
    struct csv_writer csv;
    struct run_csv signature; /* of --prediction; its histogram may be NULL */
    struct errors errors[ERRORS][MARGAY_MOST_WAYS];
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

/* The misses of a cache that distances predict. */
struct predicted {
    uint64_t fully_associative;
    double binomial;
};

/* Those of all caches of the grid, [set][way].  The caller frees them in any
   case. */
static enum margay_status predict(const struct cache_grid *grid,
                                  const margay_histogram *histogram,
                                  struct predicted **predicted,
                                  struct margay_error *error)
{
    *predicted = calloc(grid->set_count * grid->way_count, sizeof **predicted);
    if (*predicted == NULL)
        return margay_fail_memory(error, "the comparison");
    for (size_t set = 0; set < grid->set_count; set++) {
        uint64_t sizes[MARGAY_MOST_WAYS];
        double binomial[MARGAY_MOST_WAYS];
        struct margay_sizes list = {MARGAY_SIZES_LIST, 0, sizes,
                                    grid->way_count};
        struct margay_point *points;
        size_t count;
        for (size_t way = 0; way < grid->way_count; way++)
            sizes[way] = grid->ways[way] * grid->sets[set];
        enum margay_status status =
            margay_histogram_curve(histogram, &list, &points, &count, error);
        if (status != MARGAY_OK)
            return status;
        margay_binomial_misses(histogram, margay_log2_floor(grid->sets[set]),
                               grid->most_ways, binomial);
        for (size_t way = 0; way < grid->way_count; way++)
            (*predicted)[set * grid->way_count + way] = (struct predicted){
                points[way].misses, binomial[grid->ways[way] - 1]};
        free(points);
    }
    return MARGAY_OK;
}

static void write_error(struct compare *compare, int what, unsigned ways,
                        double error)
{
    struct errors *errors = &compare->errors[what][ways - 1];
    csv_decimal(&compare->csv, error);
    errors->count++;
    errors->sum += fabs(error);
    errors->largest = fmax(errors->largest, fabs(error));
}

/* A row, from what the distances of the trace predict and, if there are any,
   those of --prediction. */
static void write_row(struct compare *compare, const struct margay_pass *pass,
                      const struct margay_cache_row *row, uint64_t sets,
                      unsigned ways, uint64_t cold, const struct predicted *own,
                      const struct predicted *other)
{
    struct csv_writer *csv = &compare->csv;
    uint64_t misses = cache_row_misses(row);
    double references = (double)row->references;
    double simulated = (double)misses / references;
    double fully = (double)own->fully_associative / references;
    double binomial = own->binomial / references;
    table_cache(csv, pass, sets, ways, row);
    csv_decimal(csv, fully);
    csv_decimal(csv, binomial);
    write_error(compare, FULLY_ASSOCIATIVE, ways, fully - simulated);
    write_error(compare, BINOMIAL, ways, binomial - simulated);
    csv_u64(csv, cold);
    csv_u64(csv, own->fully_associative - cold);
    csv_i64(csv, (int64_t)(misses - own->fully_associative));
    if (other != NULL) {
        double all =
            (double)margay_histogram_references(compare->signature.histogram);
        double signature = (double)other->fully_associative / all;
        csv_decimal(csv, signature);
        csv_decimal(csv, other->binomial / all);
        write_error(compare, SIGNATURE, ways, signature - fully);
        write_error(compare, TOTAL, ways, other->binomial / all - simulated);
    }
    csv_end_row(csv);
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct compare *compare = context;
    const struct cache_grid *grid = &compare->grid;
    const margay_analysis *engine = job->analyses[pass->index];
    const struct margay_result *result = margay_engine_analysis_result(engine);
    struct predicted *own = NULL, *other = NULL;
    struct margay_cache_row row;
    if (result->references == 0)
        return MARGAY_OK;
    enum margay_status status = predict(grid, result->histogram, &own, error);
    if (status == MARGAY_OK && compare->signature.histogram != NULL)
        status = predict(grid, compare->signature.histogram, &other, error);
    if (status == MARGAY_OK)
        status =
            csv_set_key(&compare->csv, pass->trace, pass->block_bytes, error);
    for (size_t i = 0;
         status == MARGAY_OK && i < grid->set_count * grid->way_count; i++) {
        size_t set = i / grid->way_count, way = i % grid->way_count;
        margay_caches_analysis_row(engine->next, pass, set, way, 0, &row);
        write_row(compare, pass, &row, grid->sets[set], grid->ways[way],
                  margay_histogram_infinite(result->histogram), &own[i],
                  other == NULL ? NULL : &other[i]);
    }
    free(own);
    free(other);
    return status;
}

/* ---------------------------------------------------------- the summary -- */

static void summarise(const struct compare *compare)
{
    static const struct {
        const char *first, *second;
        int errors[2];
    } pairs[] = {
        {"binomial", "fully associative", {BINOMIAL, FULLY_ASSOCIATIVE}},
        {"signature", "total", {SIGNATURE, TOTAL}},
    };
    for (unsigned i = 0; i < 2 * MARGAY_MOST_WAYS; i++) {
        unsigned ways = i / 2 + 1;
        const int *errors = pairs[i % 2].errors;
        const struct errors *first = &compare->errors[errors[0]][i / 2];
        const struct errors *second = &compare->errors[errors[1]][i / 2];
        if (first->count > 0)
            message_keep("%u way%s: %s error %.6f on average, %.6f at most; "
                         "%s %.6f, %.6f",
                         ways, margay_plural(ways, "s"), pairs[i % 2].first,
                         first->sum / (double)first->count, first->largest,
                         pairs[i % 2].second,
                         second->sum / (double)second->count, second->largest);
    }
    message_tell_kept(true);
}

static bool within_tolerance(const struct compare *compare)
{
    double largest = 0, tolerance = compare->options->caches.tolerance;
    for (unsigned i = 0; i < MARGAY_MOST_WAYS; i++)
        largest = fmax(largest, compare->errors[BINOMIAL][i].largest);
    if (tolerance < 0 || largest <= tolerance)
        return true;
    message_print("a binomial prediction errs by %.6g, more than the "
                  "tolerance of %g",
                  largest, tolerance);
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
    return exit_status == EXIT_DONE && !within_tolerance(&compare)
               ? EXIT_DENIED
               : exit_status;
}
