/* phases.c - the question of the phases of a trace */
#include <stdlib.h>

#include "traces/traces_internal.h"
#include <margay/questions.h>

struct phases_analysis {
    margay_analysis analysis;
    margay_phases *phases;
};

static margay_phases *phases_of(const margay_analysis *analysis)
{
    return ((const struct phases_analysis *)analysis)->phases;
}

static void phases_free(margay_analysis *analysis)
{
    margay_phases_free(phases_of(analysis));
}

static enum margay_status phases_feed(margay_analysis *analysis,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    return margay_phases_feed(phases_of(analysis), span->blocks, span->count,
                              error);
}

static enum margay_status phases_finish(margay_analysis *analysis,
                                        struct margay_error *error)
{
    return margay_phases_finish(phases_of(analysis), error);
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    return margay_phases_create(
        share->threads, &((struct phases_analysis *)analysis)->phases, error);
}

enum margay_status margay_phases_question(margay_question **question,
                                          struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct phases_analysis),
        .begin = begin,
        .feed = phases_feed,
        .finish = phases_finish,
        .free = phases_free,
    };
    static const margay_question kind = {
        .functions = &functions,
        .can = {.passes = true, .traces = true},
        .name = "phases",
    };
    return margay_question_create(&kind, NULL, 0, question, error);
}

const margay_phases *margay_phases_analysis_of(const margay_analysis *analysis)
{
    return phases_of(analysis);
}
