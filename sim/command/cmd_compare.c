/* cmd_compare.c - margay compare */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim/command/cache_grid.h"
#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/result/run_csv.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* The errors of one prediction for all caches of one number of ways. */
struct errors {
    uint64_t count;
    double sum, largest; /* of absolute values */
};

/* The sources of error: the step from distances to sets, without and with the
   binomial; the distances of --prediction; and both. */
enum { FULLY_ASSOCIATIVE, BINOMIAL, SIGNATURE, TOTAL, ERRORS };

struct compare {
    struct cache_grid grid;
    struct run_csv signature; /* of --prediction; its histogram may be NULL */
    struct errors errors[ERRORS][MARGAY_MOST_WAYS];
};

/* -------------------------------------------------------------- reading -- */

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

static enum margay_status begun(struct drive *drive,
                                const struct margay_job *job,
                                struct margay_error *error)
{
    const struct compare *compare = (struct compare *)drive;
    enum margay_status status = MARGAY_OK;
    if (compare->signature.histogram != NULL)
        status = run_csv_check_blocks(&compare->signature, job->trace,
                                      job->passes[0].block_bytes, error);
    return status == MARGAY_OK ? cache_grid_begun(drive, job, error) : status;
}

/* ------------------------------------------------------------- the rows -- */

/* The miss ratios that distances predict for caches of some sets, [way]. */
struct predicted {
    double fully_associative[MARGAY_MOST_WAYS], binomial[MARGAY_MOST_WAYS];
    uint64_t misses[MARGAY_MOST_WAYS]; /* of the former */
};

static enum margay_status predict(const struct cache_grid *grid, uint64_t sets,
                                  const margay_histogram *histogram,
                                  struct predicted *predicted,
                                  struct margay_error *error)
{
    double references = (double)margay_histogram_references(histogram);
    uint64_t sizes[MARGAY_MOST_WAYS];
    double binomial[MARGAY_MOST_WAYS];
    struct margay_sizes list = {MARGAY_SIZES_LIST, 0, sizes, grid->way_count};
    struct margay_point *points;
    size_t count;
    for (size_t way = 0; way < grid->way_count; way++)
        sizes[way] = grid->ways[way] * sets;
    enum margay_status status =
        margay_histogram_curve(histogram, &list, &points, &count, error);
    if (status != MARGAY_OK)
        return status;
    margay_binomial_misses(histogram, margay_log2_floor(sets), grid->most_ways,
                           binomial);
    for (size_t way = 0; way < count; way++) {
        predicted->misses[way] = points[way].misses;
        predicted->fully_associative[way] =
            (double)points[way].misses / references;
        predicted->binomial[way] = binomial[grid->ways[way] - 1] / references;
    }
    free(points);
    return MARGAY_OK;
}

static void write_error(struct compare *compare, int what, unsigned ways,
                        double error)
{
    struct errors *errors = &compare->errors[what][ways - 1];
    csv_decimal(compare->grid.drive.csvs, error);
    errors->count++;
    errors->sum += fabs(error);
    errors->largest = fmax(errors->largest, fabs(error));
}

/* A row, from the predictions of the trace's distances and, unless they are
   NULL, those of --prediction. */
static void write_row(struct compare *compare, const struct margay_pass *pass,
                      const struct margay_cache_row *row, uint64_t sets,
                      size_t way, uint64_t cold, const struct predicted *own,
                      const struct predicted *other)
{
    struct csv_writer *csv = compare->grid.drive.csvs;
    unsigned ways = compare->grid.ways[way];
    uint64_t misses = of_all_kinds(row->misses);
    double simulated = (double)misses / (double)row->references;
    double fully = own->fully_associative[way], binomial = own->binomial[way];
    table_cache(csv, pass, sets, ways, row);
    csv_decimal(csv, fully);
    csv_decimal(csv, binomial);
    write_error(compare, FULLY_ASSOCIATIVE, ways, fully - simulated);
    write_error(compare, BINOMIAL, ways, binomial - simulated);
    csv_u64(csv, cold);
    csv_u64(csv, own->misses[way] - cold);
    csv_i64(csv, (int64_t)(misses - own->misses[way]));
    if (other != NULL) {
        double signature = other->fully_associative[way];
        csv_decimal(csv, signature);
        csv_decimal(csv, other->binomial[way]);
        write_error(compare, SIGNATURE, ways, signature - fully);
        write_error(compare, TOTAL, ways, other->binomial[way] - simulated);
    }
    csv_end_row(csv);
}

static enum margay_status write_pass(struct drive *drive,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct compare *compare = (struct compare *)drive;
    const struct cache_grid *grid = &compare->grid;
    const margay_analysis *engine = job->analyses[pass->index];
    const struct margay_result *result = margay_engine_analysis_result(engine);
    const margay_histogram *signature = compare->signature.histogram;
    struct predicted own, other;
    if (result->references == 0)
        return MARGAY_OK;
    enum margay_status status =
        csv_set_key(drive->csvs, pass->trace, pass->block_bytes, error);
    for (size_t set = 0; set < grid->set_count && status == MARGAY_OK; set++) {
        uint64_t sets = grid->sets[set];
        status = predict(grid, sets, result->histogram, &own, error);
        if (status == MARGAY_OK && signature != NULL)
            status = predict(grid, sets, signature, &other, error);
        for (size_t way = 0; way < grid->way_count && status == MARGAY_OK;
             way++) {
            struct margay_cache_row row;
            margay_caches_analysis_row(engine->next, pass, set, way, 0, &row);
            write_row(compare, pass, &row, sets, way,
                      margay_histogram_infinite(result->histogram), &own,
                      signature == NULL ? NULL : &other);
        }
    }
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
    double largest = 0,
           tolerance = compare->grid.drive.options.caches.tolerance;
    for (unsigned i = 0; i < MARGAY_MOST_WAYS; i++)
        largest = fmax(largest, compare->errors[BINOMIAL][i].largest);
    if (tolerance < 0 || largest <= tolerance)
        return true;
    message_print("a binomial prediction errs by %.6g, more than the "
                  "tolerance of %g",
                  largest, tolerance);
    return false;
}

static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    struct compare *compare = (struct compare *)drive;
    const struct options *options = &drive->options;
    const char *prediction = options->caches.prediction;
    enum margay_status status = check_grid(&compare->grid, error);
    if (status == MARGAY_OK && prediction != NULL &&
        (options->operand_count > 1 || options->run.blocks.count > 1))
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--prediction is of one trace at one block size");
    else if (status == MARGAY_OK && prediction != NULL)
        status = run_csv_read(&compare->signature, prediction, false, error);
    return status == MARGAY_OK ? cache_grid_question(drive, question, error)
                               : status;
}

int cmd_compare(const struct options *options)
{
    struct compare compare = {
        .grid.drive = {
            .options = *options,
            .measures = true,
            .needs = MARGAY_CAN_GIVE_HISTOGRAM,
            .files = {{.columns =
                           options->caches.prediction == NULL
                               ? COMPARE_COLUMNS
                               : COMPARE_COLUMNS COMPARE_PREDICTION_COLUMNS}},
            .ask = ask,
            .begun = begun,
            .ended = write_pass,
        }};
    cache_grid_init(&compare.grid);
    int exit_status = drive_command(&compare.grid.drive);
    run_csv_clear(&compare.signature);
    if (exit_status != EXIT_TROUBLE && !options->quiet)
        summarise(&compare);
    return exit_status == EXIT_DONE && !within_tolerance(&compare)
               ? EXIT_DENIED
               : exit_status;
}
