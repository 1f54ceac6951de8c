/* caches_optimal.c - all optimal caches of a trace in one structure */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assoc/assoc_internal.h"
#include "sim/run/caches.h"
#include "traces/traces_internal.h"

struct optimal {
    margay_analysis analysis;
    uint64_t references;
    margay_opt *all;
};

static struct optimal *self(const margay_analysis *analysis)
{
    return (struct optimal *)analysis;
}

static void optimal_free(margay_analysis *analysis)
{
    margay_opt_free(self(analysis)->all);
    free(analysis);
}

static enum margay_status optimal_feed(margay_analysis *analysis,
                                       const struct margay_span *span,
                                       struct margay_error *error)
{
    struct optimal *optimal = self(analysis);
    optimal->references += span->count;
    return margay_opt_feed(optimal->all, span->blocks, span->kinds, span->count,
                           error);
}

static enum margay_status optimal_reset(margay_analysis *analysis,
                                        struct margay_error *error)
{
    struct optimal *optimal = self(analysis);
    (void)error;
    optimal->references = 0;
    margay_opt_reset_counts(optimal->all);
    return MARGAY_OK;
}

static void optimal_get(const margay_analysis *analysis,
                        const struct margay_pass *pass, size_t set, size_t way,
                        struct margay_cache_row *row)
{
    const struct optimal *optimal = self(analysis);
    unsigned ways = margay_caches_part_of(analysis)->ways[way];
    (void)pass;
    row->references = optimal->references;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] =
            margay_opt_misses(optimal->all, set, ways, MARGAY_KIND_BIT(kind));
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    const struct margay_caches_part *part = margay_caches_part_of(analysis);
    const struct margay_opt_options options = {
        .sets = part->sets,
        .set_count = part->request.set_count,
        .index = part->request.index,
        .most_ways = part->most_ways,
        .bypass = strcasecmp(part->spec, "opt:bypass=on") == 0,
        .threads = share->threads,
    };
    enum margay_status status = margay_room_check(
        "the caches", margay_opt_bytes(&options) * share->pass_count, error);
    return status == MARGAY_OK
               ? margay_opt_create(&options, &self(analysis)->all, error)
               : status;
}

const struct margay_caches_way margay_caches_optimal = {
    .functions = {.bytes = sizeof(struct optimal),
                  .begin = begin,
                  .feed = optimal_feed,
                  .reset = optimal_reset,
                  .free = optimal_free},
    .get = optimal_get,
};
