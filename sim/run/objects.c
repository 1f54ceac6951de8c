/* objects.c - the question of objects with sizes */
#include <stdlib.h>

#include "sim/run/series.h"
#include "sim/run/spans.h"
#include "traces/traces_internal.h"
#include <margay/questions.h>

struct objects_analysis {
    margay_analysis analysis;
    struct margay_objects_options options;
    margay_objects *engine;  /* made with the first references, which show
                                whether objects expire */
    struct margay_pass pass; /* the only one, of no block size, for `next` */
    uint64_t passed_on;      /* references that `next` was fed */
    uint64_t distances[MARGAY_SPAN_REFS];
};

static struct objects_analysis *self(const margay_analysis *analysis)
{
    return (struct objects_analysis *)analysis;
}

static void objects_free(margay_analysis *analysis)
{
    margay_objects_free(self(analysis)->engine);
}

static enum margay_status make_engine(struct objects_analysis *own,
                                      bool have_ttls,
                                      struct margay_error *error)
{
    if (own->engine != NULL)
        return MARGAY_OK;
    own->options.ages |= have_ttls;
    return margay_objects_create(&own->options, &own->engine, error);
}

/* Pass on the references with their distances; a delete is none. */
static enum margay_status pass_on(struct objects_analysis *own,
                                  const struct margay_span *span,
                                  struct margay_error *error)
{
    struct margay_span measured = *span;
    enum margay_status status = MARGAY_OK;
    size_t from = 0, to;
    measured.distances = own->distances;
    for (; from < span->count && status == MARGAY_OK; from = to + 1) {
        for (to = from; to < span->count &&
                        (span->ops == NULL || span->ops[to] != MARGAY_DELETE);)
            to++;
        struct margay_span part = margay_span_part(&measured, from, to - from);
        part.first_index = own->passed_on;
        own->passed_on += part.count;
        if (part.count > 0)
            status = margay_analysis_feed(own->analysis.next, &part, error);
    }
    return status;
}

static enum margay_status objects_feed(margay_analysis *analysis,
                                       const struct margay_span *span,
                                       struct margay_error *error)
{
    struct objects_analysis *own = self(analysis);
    const struct margay_requests requests = {
        .count = span->count,
        .objects = span->blocks,
        .sizes = span->sizes,
        .times = span->times,
        .ttls = span->ttls,
        .ops = span->ops,
    };
    bool have_ttls = span->ttls != NULL && span->times != NULL;
    enum margay_status status = make_engine(own, have_ttls, error);
    if (status == MARGAY_OK)
        status = margay_objects_feed(
            own->engine, &requests,
            analysis->next == NULL ? NULL : own->distances, error);
    if (status == MARGAY_BAD_INPUT && error != NULL) {
        const struct margay_error reason = *error;
        return margay_fail(error, status, "%s: %s", own->pass.trace,
                           reason.message);
    }
    if (status != MARGAY_OK || analysis->next == NULL)
        return status;
    return pass_on(own, span, error);
}

static enum margay_status objects_reset(margay_analysis *analysis,
                                        struct margay_error *error)
{
    (void)error;
    if (self(analysis)->engine != NULL)
        margay_objects_reset_counts(self(analysis)->engine);
    return MARGAY_OK;
}

/* A trace without references has results, too. */
static enum margay_status objects_look(margay_analysis *analysis,
                                       struct margay_error *error)
{
    return make_engine(self(analysis), false, error);
}

/* -------------------------------------------------------------- results -- */

void margay_objects_describe(const margay_objects *engine,
                             struct margay_series *series)
{
    struct margay_objects_counts counts = {.references = 0};
    if (engine != NULL)
        counts = margay_objects_counted(engine);
    *series = (struct margay_series){
        .counters = MARGAY_COUNTS_BYTES,
        .in_bytes = true,
        .references = counts.references,
        .reference_bytes = counts.reference_bytes,
        .distinct = counts.objects,
        .resized = counts.resized,
        .doubtful = counts.doubtful,
        .unsure_below = counts.unsure_below,
        .infinite = counts.cold + counts.expired,
        .infinite_bytes = counts.cold_bytes + counts.expired_bytes,
        .bound = counts.exceeded_bound,
        .fraction_bits = counts.fraction_bits,
        .byte_fraction_bits = counts.byte_fraction_bits,
    };
}

static enum margay_status read_curve(const margay_objects *engine,
                                     const struct margay_sizes *sizes,
                                     struct margay_series *series,
                                     struct margay_series_point **points,
                                     struct margay_error *error)
{
    struct margay_objects_point *curve = NULL;
    enum margay_status status =
        margay_objects_curve(engine, sizes, &curve, &series->count, error);
    if (status == MARGAY_OK &&
        (*points = margay_series_room(series->count, error)) == NULL)
        status = MARGAY_NO_MEMORY;
    for (size_t i = 0; i < series->count && status == MARGAY_OK; i++)
        (*points)[i] = (struct margay_series_point){
            .size = curve[i].cache_bytes,
            .misses = curve[i].misses,
            .missed_bytes = curve[i].missed_bytes,
        };
    series->points = *points;
    free(curve);
    return status;
}

static enum margay_status objects_series(margay_analysis *analysis,
                                         const struct margay_sizes *sizes,
                                         margay_series_take *take,
                                         void *context,
                                         struct margay_error *error)
{
    struct objects_analysis *own = self(analysis);
    struct margay_series series;
    struct margay_series_point *points = NULL;
    margay_histogram *histogram = NULL;
    enum margay_status status = MARGAY_OK;
    margay_objects_describe(own->engine, &series);
    if (own->engine == NULL)
        return take(context, &series, error);
    if (own->options.curve != NULL)
        status = read_curve(own->engine, sizes, &series, &points, error);
    if (status == MARGAY_OK && own->options.distances)
        status = margay_objects_histogram(own->engine, &histogram, error);
    series.histogram = histogram;
    if (status == MARGAY_OK)
        status = take(context, &series, error);
    margay_histogram_free(histogram);
    free(points);
    return status;
}

const margay_objects *margay_objects_analysis_engine(
    const margay_analysis *analysis)
{
    return self(analysis)->engine;
}

/* --------------------------------------------------------------- making -- */

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct objects_analysis *own = self(analysis);
    (void)share, (void)error;
    own->options =
        *(const struct margay_objects_options *)analysis->question->context;
    own->pass = *analysis->pass;
    own->pass.block_bytes = 0;
    analysis->pass = &own->pass;
    analysis->pass_count = 1;
    return MARGAY_OK;
}

static const struct margay_analysis_class functions = {
    .bytes = sizeof(struct objects_analysis),
    .begin = begin,
    .feed = objects_feed,
    .reset = objects_reset,
    .finish = objects_look,
    .look = objects_look,
    .series = objects_series,
    .free = objects_free,
};

enum margay_status margay_objects_question(
    const struct margay_objects_options *options, margay_question *next,
    margay_question **question, struct margay_error *error)
{
    const margay_question kind = {
        .functions = &functions,
        .next = next,
        .can = {.needs =
                    MARGAY_COLUMN_SIZES |
                    (options->ages ? MARGAY_COLUMN_TIMES : 0u) |
                    (next == NULL ? 0
                                  : next->can.needs & ~MARGAY_COLUMN_DISTANCES),
                .uses = MARGAY_OBJECT_COLUMNS,
                .times_for_ttls = true,
                .references = true,
                .traces = next == NULL || next->can.traces,
                .curves = true,
                .looks = next == NULL || next->can.looks},
        .name = "objects",
    };
    return margay_question_create(&kind, options, sizeof *options, question,
                                  error);
}
