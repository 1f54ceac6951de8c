/*
 * split.c - a question asked of each key apart: threads, tenants, sites, ...
 *
 * Algorithm: the first reference of a key begins an analysis for it.  A span is
 *   sorted by keys, stably, with all of its columns, and each analysis is fed
 *   its part.  No analysis knows of the others.
 * Guarantee: each has the result that it would have of the references of its
 *   key alone.
 * Cost: an analysis for each key, and a copy of each column that is used.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "sim/run/keys.h"
#include "sim/run/spans.h"
#include <margay/questions.h>

struct asked {
    margay_question *inner; /* owned by the question */
    enum margay_attribution by;
};

/* The analysis of a key, and where its references are in a sorted span. */
struct piece {
    margay_analysis *analysis;
    size_t in_span, end;
};

struct split {
    margay_analysis analysis;
    const struct asked *asked;
    struct margay_share share;
    struct margay_keys keys;
    struct piece *pieces; /* by the number of the key; owned */
    size_t count, capacity;
    /* The keys of a span in the order of their first references, and the place
       of each entry in the sorted span. */
    uint32_t met[MARGAY_SPAN_REFS], numbers[MARGAY_SPAN_REFS];
    uint32_t places[MARGAY_SPAN_REFS];
    struct margay_span_columns *sorted; /* owned */
    uint64_t blocks[MARGAY_SPAN_REFS];
};

static struct split *self(const margay_analysis *analysis)
{
    return (struct split *)analysis;
}

static void split_free(margay_analysis *analysis)
{
    struct split *split = self(analysis);
    for (size_t i = 0; i < split->count; i++)
        margay_analysis_free(split->pieces[i].analysis);
    margay_keys_clear(&split->keys);
    free(split->pieces);
    free(split->sorted);
}

/* -------------------------------------------------------------- feeding -- */

/* Find the keys of a span, and how many references each has there.  A new key
   gets an analysis. */
static enum margay_status count_references(struct split *split,
                                           const struct margay_span *span,
                                           size_t *met,
                                           struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *met = 0;
    for (size_t i = 0; i < span->count && status == MARGAY_OK; i++) {
        uint32_t *number = &split->numbers[i];
        status = margay_keys_number(
            &split->keys, margay_keys_source(split->asked->by, span, i), number,
            error);
        if (status == MARGAY_OK && *number == split->count) {
            if (!MARGAY_MAKE_ROOM(split->pieces, split->count, 1,
                                  split->capacity))
                return margay_fail_memory(error, "the analyses of keys");
            split->pieces[split->count] = (struct piece){.analysis = NULL};
            status = margay_question_begin(
                split->asked->inner, split->analysis.pass,
                split->analysis.pass_count, &split->share,
                &split->pieces[split->count++].analysis, error);
        }
        if (status == MARGAY_OK && split->pieces[*number].in_span++ == 0)
            split->met[(*met)++] = *number;
    }
    return status;
}

/* The span is sorted by keys, in the order of their first references. */
static enum margay_status split_feed(margay_analysis *analysis,
                                     const struct margay_span *span,
                                     struct margay_error *error)
{
    struct split *split = self(analysis);
    struct margay_span sorted = {.warmup = span->warmup,
                                 .blocks = split->blocks};
    size_t met, from = 0;
    enum margay_status status = count_references(split, span, &met, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t k = 0; k < met; k++) {
        struct piece *piece = &split->pieces[split->met[k]];
        piece->end = from;
        from += piece->in_span;
    }
    for (size_t i = 0; i < span->count; i++) {
        split->places[i] = (uint32_t)split->pieces[split->numbers[i]].end++;
        split->blocks[split->places[i]] = span->blocks[i];
    }
    margay_span_columns_sort(span, split->places, split->sorted, &sorted);
    for (size_t k = 0; k < met && status == MARGAY_OK; k++) {
        struct piece *piece = &split->pieces[split->met[k]];
        const struct margay_span part = margay_span_part(
            &sorted, piece->end - piece->in_span, piece->in_span);
        status = margay_analysis_feed(piece->analysis, &part, error);
        piece->in_span = 0;
    }
    return status;
}

/* ----------------------------------------------------------- all pieces -- */

static enum margay_status tell_all(
    const margay_analysis *analysis,
    enum margay_status (*tell)(margay_analysis *analysis,
                               struct margay_error *error),
    struct margay_error *error)
{
    const struct split *split = self(analysis);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < split->count && status == MARGAY_OK; i++)
        status = tell(split->pieces[i].analysis, error);
    return status;
}

static enum margay_status split_reset(margay_analysis *analysis,
                                      struct margay_error *error)
{
    return tell_all(analysis, margay_analysis_reset, error);
}

static enum margay_status split_finish(margay_analysis *analysis,
                                       struct margay_error *error)
{
    return tell_all(analysis, margay_analysis_finish, error);
}

static enum margay_status split_look(margay_analysis *analysis,
                                     struct margay_error *error)
{
    return tell_all(analysis, margay_analysis_look, error);
}

/* A series of a key, on its way to the caller of all. */
struct keyed {
    uint64_t key;
    margay_series_take *take;
    void *context;
};

static enum margay_status take_keyed(void *context,
                                     const struct margay_series *series,
                                     struct margay_error *error)
{
    const struct keyed *keyed = context;
    struct margay_series labelled = *series;
    labelled.has_key = true;
    labelled.key = keyed->key;
    return series->references == 0
               ? MARGAY_OK
               : keyed->take(keyed->context, &labelled, error);
}

static enum margay_status split_series(margay_analysis *analysis,
                                       const struct margay_sizes *sizes,
                                       margay_series_take *take, void *context,
                                       struct margay_error *error)
{
    const struct split *split = self(analysis);
    uint32_t *order = margay_keys_order(&split->keys);
    enum margay_status status =
        order == NULL ? margay_fail_memory(error, "the keys") : MARGAY_OK;
    for (size_t i = 0; i < split->keys.count && status == MARGAY_OK; i++) {
        struct keyed keyed = {split->keys.list[order[i]], take, context};
        status = margay_analysis_series(split->pieces[order[i]].analysis, sizes,
                                        take_keyed, &keyed, error);
    }
    free(order);
    return status;
}

/* --------------------------------------------------------------- making -- */

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct split *split = self(analysis);
    split->asked = analysis->question->context;
    split->share = *share;
    split->share.threads = 1; /* keys are many */
    split->sorted = margay_span_columns_create();
    enum margay_status status =
        margay_keys_begin(&split->keys, MARGAY_MOST_KEYS, error);
    return status == MARGAY_OK && split->sorted == NULL
               ? margay_fail_memory(error, "the analyses of keys")
               : status;
}

static void question_free(margay_question *question)
{
    margay_question_free(((struct asked *)question->context)->inner);
    free(question);
}

enum margay_status margay_split_question(enum margay_attribution by,
                                         margay_question *inner,
                                         margay_question **question,
                                         struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct split),
        .begin = begin,
        .feed = split_feed,
        .reset = split_reset,
        .finish = split_finish,
        .free = split_free,
        .look = split_look,
        .series = split_series,
    };
    const struct asked asked = {inner, by};
    const margay_question kind = {
        .functions = &functions,
        .free = question_free,
        .can = {.needs = inner->can.needs | margay_keys_column(by),
                .uses = inner->can.uses,
                .times_for_ttls = inner->can.times_for_ttls,
                .all_blocks = inner->can.all_blocks,
                .references = inner->can.references,
                .passes = inner->can.passes,
                .traces = inner->can.traces,
                .curves = inner->can.curves,
                .looks = inner->can.looks},
        .name = inner->name,
    };
    enum margay_status status =
        margay_question_create(&kind, &asked, sizeof asked, question, error);
    if (status != MARGAY_OK)
        margay_question_free(inner);
    return status;
}
