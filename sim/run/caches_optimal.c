/* caches_optimal.c - all optimal caches of a trace in one structure */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assoc/assoc_internal.h"
#include "sim/run/caches.h"
#include "traces/traces_internal.h"

struct optimal {
    struct margay_caches caches;
    uint64_t references;
    margay_opt *all;
};

static struct optimal *self(const void *caches)
{
    return (struct optimal *)caches;
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

static void optimal_get(const struct margay_caches *caches,
                        const struct margay_pass *pass, size_t set, size_t way,
                        struct margay_cache_row *row)
{
    const struct optimal *optimal = self(caches);
    (void)pass;
    row->references = optimal->references;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] = margay_opt_misses(
            optimal->all, set, caches->part->ways[way], MARGAY_KIND_BIT(kind));
}

enum margay_status margay_caches_begin_optimal(
    const struct margay_caches_part *part, const struct margay_pass *passes,
    size_t count, const struct margay_share *share,
    struct margay_caches **caches, struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .feed = optimal_feed,
        .reset = optimal_reset,
        .free = optimal_free,
    };
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
    (void)passes, (void)count;
    if (status != MARGAY_OK)
        return status;
    struct optimal *optimal = calloc(1, sizeof *optimal);
    if (optimal == NULL)
        return margay_fail_memory(error, "the caches");
    optimal->caches.analysis.functions = &functions;
    optimal->caches.get = optimal_get;
    status = margay_opt_create(&options, &optimal->all, error);
    if (status == MARGAY_OK)
        *caches = &optimal->caches;
    else
        optimal_free(&optimal->caches.analysis);
    return status;
}
