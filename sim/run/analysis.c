/* analysis.c - functions of all questions and analyses */
#include <margay/analysis.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/series.h"
#include "sim/run/spans.h"
#include "stackdist/stackdist_internal.h"

enum margay_status margay_question_create(const margay_question *kind,
                                          const void *context, size_t bytes,
                                          margay_question **question,
                                          struct margay_error *error)
{
    margay_question *made = malloc(sizeof *made + bytes);
    *question = made;
    if (made == NULL) {
        margay_question_free(kind->next);
        return margay_fail_memory(error, kind->name);
    }
    *made = *kind;
    made->context =
        bytes == 0 ? (void *)context : memcpy(made + 1, context, bytes);
    return MARGAY_OK;
}

/* ----------------------------------------------------- counts that fade -- */

/* Nothing is reset where a piece of half_life.h ends: caches go on, and
   their counts since the last end become masses. */
struct margay_faded_counts {
    uint64_t piece_refs, fed_refs; /* of the piece that has begun */
    double factor;
    double *masses;    /* of each count; they stand after these: */
    uint64_t before[]; /* the counts before the piece */
};

static enum margay_status begin_fading(margay_analysis *analysis,
                                       struct margay_error *error)
{
    size_t count = analysis->count_count;
    struct margay_faded_counts *fading =
        calloc(1, sizeof *fading + 2 * count * sizeof *fading->before);
    if (fading == NULL)
        return margay_fail_memory(error, "counts that fade");
    fading->masses = (void *)(fading->before + count);
    fading->piece_refs = margay_half_life_piece(
        analysis->question->half_life_refs, &fading->factor);
    analysis->fading = fading;
    return MARGAY_OK;
}

static void reset_fading(margay_analysis *analysis)
{
    struct margay_faded_counts *fading = analysis->fading;
    fading->fed_refs = 0;
    memset(fading->before, 0,
           2 * analysis->count_count * sizeof *fading->before);
}

static enum margay_status end_piece(margay_analysis *analysis,
                                    struct margay_error *error)
{
    struct margay_faded_counts *fading = analysis->fading;
    enum margay_status status = analysis->functions->look(analysis, error);
    for (size_t i = 0; i < analysis->count_count; i++) {
        uint64_t counted = analysis->counts[i];
        analysis->counts[i] -= fading->before[i];
        fading->before[i] = counted;
    }
    margay_masses_fade(fading->masses, analysis->counts, analysis->count_count,
                       fading->factor);
    fading->fed_refs = 0;
    return status;
}

static enum margay_status feed_pieces(margay_analysis *analysis,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    struct margay_faded_counts *fading = analysis->fading;
    enum margay_status status = MARGAY_OK;
    for (size_t from = 0, some; from < span->count && status == MARGAY_OK;
         from += some) {
        some = margay_half_life_left(fading->piece_refs, fading->fed_refs,
                                     span->count - from);
        const struct margay_span part = margay_span_part(span, from, some);
        status = analysis->functions->feed(analysis, &part, error);
        fading->fed_refs += some;
        if (status == MARGAY_OK && fading->fed_refs == fading->piece_refs)
            status = end_piece(analysis, error);
    }
    return status;
}

/* Put the masses of all pieces in the place of the counts.  One may be below 0
   where an optimum takes write-backs back that have faded. */
static enum margay_status settle(margay_analysis *analysis,
                                 enum margay_status status)
{
    const struct margay_faded_counts *fading = analysis->fading;
    uint64_t *counts = analysis->counts;
    double most = 0;
    if (fading == NULL || status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < analysis->count_count; i++) {
        counts[i] -= fading->before[i];
        most = fmax(most, fading->masses[i] + (double)(int64_t)counts[i]);
    }
    analysis->fraction_bits = margay_fraction_bits(most);
    for (size_t i = 0; i < analysis->count_count; i++) {
        counts[i] = margay_mass_of(counts[i], fading->masses[i],
                                   analysis->fraction_bits);
        if ((int64_t)counts[i] < 0)
            counts[i] = 0;
    }
    return MARGAY_OK;
}

/* ------------------------------------------------ questions and analyses -- */

enum margay_status margay_question_begin(const margay_question *question,
                                         const struct margay_pass *passes,
                                         size_t count,
                                         const struct margay_share *share,
                                         margay_analysis **analysis,
                                         struct margay_error *error)
{
    margay_analysis *made = calloc(1, question->functions->bytes);
    enum margay_status status = MARGAY_OK;
    *analysis = NULL;
    if (made == NULL)
        return margay_fail_memory(error, question->name);
    made->functions = question->functions;
    made->question = question;
    made->pass = passes;
    made->pass_count = count;
    if (made->functions->begin != NULL)
        status = made->functions->begin(made, share, error);
    if (status == MARGAY_OK && question->half_life_refs != 0)
        status = begin_fading(made, error);
    if (status == MARGAY_OK && question->next != NULL)
        status =
            margay_question_begin(question->next, made->pass, made->pass_count,
                                  share, &made->next, error);
    if (status == MARGAY_OK)
        *analysis = made;
    else
        margay_analysis_free(made);
    return status;
}

void margay_question_free(margay_question *question)
{
    if (question == NULL)
        return;
    margay_question_free(question->next);
    if (question->free != NULL)
        question->free(question);
    else
        free(question);
}

enum margay_status margay_analysis_feed(margay_analysis *analysis,
                                        const struct margay_span *span,
                                        struct margay_error *error)
{
    return analysis->fading == NULL
               ? analysis->functions->feed(analysis, span, error)
               : feed_pieces(analysis, span, error);
}

typedef enum margay_status step(margay_analysis *analysis,
                                struct margay_error *error);

/* A step of the analysis that is fed, and then its own. */
static enum margay_status take_step(margay_analysis *analysis, step *of_next,
                                    step *own, struct margay_error *error)
{
    enum margay_status status =
        analysis->next == NULL ? MARGAY_OK : of_next(analysis->next, error);
    return status == MARGAY_OK && own != NULL ? own(analysis, error) : status;
}

enum margay_status margay_analysis_reset(margay_analysis *analysis,
                                         struct margay_error *error)
{
    if (analysis->fading != NULL)
        reset_fading(analysis);
    return take_step(analysis, margay_analysis_reset,
                     analysis->functions->reset, error);
}

enum margay_status margay_analysis_look(margay_analysis *analysis,
                                        struct margay_error *error)
{
    return settle(analysis, take_step(analysis, margay_analysis_look,
                                      analysis->functions->look, error));
}

enum margay_status margay_analysis_finish(margay_analysis *analysis,
                                          struct margay_error *error)
{
    return settle(analysis, take_step(analysis, margay_analysis_finish,
                                      analysis->functions->finish, error));
}

enum margay_status margay_analysis_series(margay_analysis *analysis,
                                          const struct margay_sizes *sizes,
                                          margay_series_take *take,
                                          void *context,
                                          struct margay_error *error)
{
    return analysis->functions->series(analysis, sizes, take, context, error);
}

void margay_analysis_free(margay_analysis *analysis)
{
    if (analysis == NULL)
        return;
    margay_analysis_free(analysis->next);
    if (analysis->functions->free != NULL)
        analysis->functions->free(analysis);
    free(analysis->counts);
    free(analysis->fading);
    free(analysis);
}

/* ---------------------------------------------------------------- sizes -- */

enum margay_status margay_cache_size_blocks(
    const struct margay_cache_size *size, const char *what,
    uint64_t block_bytes, uint64_t *blocks, struct margay_error *error)
{
    uint64_t bytes;
    *blocks = size->value;
    if (size->in_bytes && block_bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu64 " byte%s, but nothing says what a "
                           "block id of this trace stands for (expected a "
                           "number of blocks, or --unit BYTES)",
                           what, size->value, margay_plural(size->value, "s"));
    /* Where a block is of some tokens, no round size is a multiple of it. */
    bool rounds = !margay_is_power_of_two(block_bytes);
    if (size->in_bytes &&
        (rounds ? size->value < block_bytes : size->value % block_bytes != 0))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu64 " byte%s is not a multiple of the "
                           "block of %" PRIu64 " bytes",
                           what, size->value, margay_plural(size->value, "s"),
                           block_bytes);
    if (size->in_bytes)
        *blocks = size->value / block_bytes;
    else if (!margay_multiply_u64(size->value, block_bytes, &bytes))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu64 " blocks of %" PRIu64
                           " bytes are over 64 bits",
                           what, size->value, block_bytes);
    return MARGAY_OK;
}

enum margay_status margay_cache_sizes_resolve(
    const struct margay_cache_sizes *sizes, uint64_t block_bytes,
    struct margay_sizes *resolved, struct margay_error *error)
{
    static const struct margay_cache_sizes usual = {.kind = MARGAY_SIZES_USUAL};
    if (sizes == NULL)
        sizes = &usual;
    *resolved = (struct margay_sizes){.kind = sizes->kind,
                                      .per_octave = sizes->per_octave};
    if (sizes->kind != MARGAY_SIZES_LIST)
        return MARGAY_OK;
    uint64_t *list = calloc(sizes->count, sizeof *list);
    if (list == NULL)
        return margay_fail_memory(error, "the cache sizes");
    for (size_t i = 0; i < sizes->count; i++) {
        enum margay_status status = margay_cache_size_blocks(
            &sizes->list[i], "--sizes", block_bytes, &list[i], error);
        if (status != MARGAY_OK) {
            free(list);
            return status;
        }
    }
    resolved->list_blocks = list;
    resolved->list_count = margay_sort_unique(list, sizes->count);
    return MARGAY_OK;
}

/* --------------------------------------------------------------- series -- */

struct margay_series_point *margay_series_room(size_t count,
                                               struct margay_error *error)
{
    struct margay_series_point *points = calloc(count + 1, sizeof *points);
    if (points == NULL)
        margay_fail_memory(error, "the points of a curve");
    return points;
}

uint64_t *margay_series_sizes(const struct margay_series *series,
                              struct margay_error *error)
{
    uint64_t *sizes = calloc(series->count + 1, sizeof *sizes);
    if (sizes == NULL)
        margay_fail_memory(error, "the sizes of a curve");
    for (size_t i = 0; sizes != NULL && i < series->count; i++)
        sizes[i] = series->points[i].size;
    return sizes;
}

struct margay_series margay_result_describe(const struct margay_result *result)
{
    return (struct margay_series){
        .references = result->references,
        .distinct = result->distinct_blocks,
        .infinite = result->infinite,
        .bound = result->histogram == NULL
                     ? 0
                     : margay_histogram_exceeded_bound(result->histogram),
        .fraction_bits = result->fraction_bits,
        .histogram = result->histogram,
    };
}

enum margay_status margay_result_series(const struct margay_result *result,
                                        const struct margay_sizes *sizes,
                                        struct margay_series *series,
                                        struct margay_series_point **points,
                                        struct margay_error *error)
{
    struct margay_point *curve = NULL;
    static const struct margay_sizes every = {.kind = MARGAY_SIZES_ALL};
    size_t count = 0;
    *points = NULL;
    enum margay_status status = margay_result_curve(
        result, sizes == NULL ? &every : sizes, &curve, &count, error);
    if (status == MARGAY_OK &&
        (*points = margay_series_room(count, error)) == NULL)
        status = MARGAY_NO_MEMORY;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        (*points)[i] = (struct margay_series_point){
            .size = curve[i].cache_blocks, .misses = curve[i].misses};
    free(curve);
    *series = margay_result_describe(result);
    series->points = *points;
    series->count = count;
    return status;
}

struct margay_misses margay_misses_of(const margay_histogram *histogram)
{
    return (struct margay_misses){histogram, 0,
                                  margay_histogram_references(histogram)};
}

uint64_t margay_misses_at(struct margay_misses *misses, uint64_t cache_blocks)
{
    uint64_t distance, references;
    while (margay_histogram_next(misses->histogram, misses->next, &distance,
                                 &references) &&
           distance < cache_blocks) {
        misses->left -= references;
        misses->next = distance + 1;
    }
    return misses->left;
}

enum margay_status margay_first_failure(const struct margay_error *failures,
                                        size_t count,
                                        struct margay_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (failures[i].status == MARGAY_OK)
            continue;
        if (error != NULL)
            *error = failures[i];
        return failures[i].status;
    }
    return MARGAY_OK;
}
