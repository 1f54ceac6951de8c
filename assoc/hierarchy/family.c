/*
 * family.c - machines that have caches in common, and what they are fed
 *
 * Algorithm: references are gathered, some ten thousands at a time, and go
 *   through the caches level by level: all that come first, then all that these
 *   feed, and so on, each with all references at once, so that a cache's state
 *   stays in the processor's own caches meanwhile.
 * Source: shared.h, shared_step.c.
 * Guarantee: what is counted is what the machines count one by one.
 * Cost: for machines of 100 first levels and 100 second ones, those of 100
 *   first levels, and for each of these the references that it passes on, in
 *   as many second levels as have different sets.
 */
#include "assoc/hierarchy/family.h"

#include <stdlib.h>
#include <string.h>

#include "assoc/hierarchy/node.h"
#include "assoc/hierarchy/shared.h"

/* The references of the trace that are gathered, and of each source: one that
   is split may be any number of these. */
#define ROUND_REFS 65536

struct margay_family {
    struct margay_family_options options;
    struct margay_shared_caches shared;
    margay_crew *crew;
    uint32_t waiting; /* references */
    uint64_t references[MARGAY_KINDS];
    bool is_core[MARGAY_MOST_CORES]; /* has made a reference */
    bool shares_cores;
    /* What the crew works on. */
    struct margay_source **sources;
    struct margay_shared_group **groups;
};

enum margay_status margay_family_create(
    const struct margay_family_options *options, margay_family **result,
    struct margay_error *error)
{
    struct margay_family *family = calloc(1, sizeof *family);
    *result = NULL;
    if (family == NULL)
        return margay_fail_memory(error, "the machines");
    family->options = *options;
    family->shared.levels = options->levels;
    family->shared.level_count = options->level_count;
    family->shared.machine_count = options->machine_count;
    family->shared.seed = options->seed;
    enum margay_status status = margay_shared_make(&family->shared, error);
    if (status == MARGAY_OK)
        status = margay_crew_create(options->threads, &family->crew, error);
    if (status == MARGAY_OK)
        *result = family;
    else
        margay_family_free(family);
    return status;
}

void margay_family_free(margay_family *family)
{
    if (family == NULL)
        return;
    margay_crew_free(family->crew);
    margay_shared_free(&family->shared);
    free(family);
}

/* --------------------------------------------------------------- working -- */

static void gather(void *context, size_t i)
{
    margay_shared_gather(((struct margay_family *)context)->sources[i]);
}

static void step(void *context, size_t i)
{
    margay_shared_step(((struct margay_family *)context)->groups[i]);
}

static enum margay_status find_failure(const struct margay_family *family,
                                       struct margay_error *error)
{
    const struct margay_shared_caches *shared = &family->shared;
    bool failed = false;
    for (size_t i = 0; i < shared->source_count; i++)
        failed |= shared->sources[i]->flow.failed;
    for (size_t i = 0; i < shared->group_count; i++) {
        const struct margay_shared_group *group = shared->groups[i];
        if (group->status != MARGAY_OK && error != NULL)
            *error = group->error;
        if (group->status != MARGAY_OK)
            return group->status;
        for (size_t k = 0; k < group->cache_count; k++)
            failed |= group->caches[k]->passed.failed;
    }
    return failed ? margay_fail_memory(error, "what caches pass on")
                  : MARGAY_OK;
}

enum margay_status margay_family_settle(margay_family *family,
                                        struct margay_error *error)
{
    const struct margay_shared_caches *shared = &family->shared;
    size_t source = 0, group = 0;
    for (size_t depth = 0; group < shared->group_count; depth++) {
        size_t sources = 0, groups = 0;
        while (source + sources < shared->source_count &&
               shared->sources[source + sources]->depth == depth)
            sources++;
        while (group + groups < shared->group_count &&
               shared->groups[group + groups]->source->depth == depth)
            groups++;
        family->sources = shared->sources + source;
        family->groups = shared->groups + group;
        if (depth > 0) {
            margay_crew_start(family->crew, gather, family, sources);
            margay_crew_finish(family->crew);
        }
        margay_crew_start(family->crew, step, family, groups);
        margay_crew_finish(family->crew);
        source += sources;
        group += groups;
    }
    for (struct margay_source *at = shared->entries; at != NULL; at = at->next)
        at->flow.count = 0;
    family->waiting = 0;
    return find_failure(family, error);
}

/* --------------------------------------------------------------- feeding -- */

/* A reference of the trace comes to a source.  The caches may catch up within
   it: no other source passes parts of it on to the same caches. */
static inline enum margay_status enter(struct margay_family *family,
                                       struct margay_source *source,
                                       const struct margay_span *span, size_t i,
                                       struct margay_passed item,
                                       struct margay_error *error)
{
    unsigned shift = source->shift - family->options.unit_shift;
    bool splits = family->options.splits && span->extents != NULL;
    uint64_t last = span->blocks[i];
    if (splits && span->extents[i] == 0)
        return MARGAY_OK;
    if (splits)
        last = margay_extent_last(last, span->extents[i]);
    for (item.block = span->blocks[i] >> shift;; item.block++) {
        item.time = family->waiting;
        margay_flow_add(&source->flow, item);
        enum margay_status status = source->flow.count == ROUND_REFS
                                        ? margay_family_settle(family, error)
                                        : MARGAY_OK;
        if (status != MARGAY_OK || item.block == last >> shift)
            return status;
    }
}

static enum margay_status feed_entry(struct margay_family *family,
                                     const struct margay_span *span, size_t i,
                                     struct margay_error *error)
{
    uint32_t core =
        span->threads == NULL
            ? 0
            : margay_core_of(span->threads[i], family->options.cores,
                             &family->shares_cores);
    uint8_t kind = span->kinds == NULL ? MARGAY_READ : span->kinds[i];
    enum margay_status status = margay_core_check(core, error);
    if (status != MARGAY_OK)
        return status;
    const struct margay_passed item = {.core = (uint16_t)core, .kind = kind};
    family->is_core[core] = true;
    family->references[kind]++;
    for (struct margay_source *at = family->shared.entries;
         at != NULL && status == MARGAY_OK; at = at->next) {
        if (at->holds & MARGAY_KIND_BIT(kind))
            status = enter(family, at, span, i, item, error);
    }
    if (status == MARGAY_OK && ++family->waiting == ROUND_REFS)
        status = margay_family_settle(family, error);
    return status;
}

enum margay_status margay_family_feed(margay_family *family,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < span->count && status == MARGAY_OK; i++)
        status = feed_entry(family, span, i, error);
    return status;
}

/* ---------------------------------------------------------------- counts -- */

enum margay_status margay_family_reset_counts(margay_family *family,
                                              struct margay_error *error)
{
    enum margay_status status = margay_family_settle(family, error);
    for (size_t i = 0; i < family->shared.group_count; i++) {
        struct margay_shared_group *group = family->shared.groups[i];
        memset(group->found, 0, sizeof group->found);
        for (size_t k = 0; k < group->cache_count; k++)
            group->caches[k]->writebacks = 0;
    }
    memset(family->references, 0, sizeof family->references);
    return status;
}

/* What comes to a memory. */
static struct margay_level_counts memory_counts(
    const struct margay_family *family, size_t machine, size_t index)
{
    size_t count = family->options.level_count;
    const struct margay_level *levels =
        family->options.levels + machine * count;
    struct margay_level_counts counts = {.writebacks = 0};
    for (size_t i = 0; i < count; i++) {
        uint64_t passed[MARGAY_SORTS];
        uint64_t parts = levels[i].block_bytes / levels[index].block_bytes;
        if (levels[i].next != index)
            continue;
        margay_shared_passed(family->shared.caches[machine * count + i],
                             passed);
        for (size_t sort = 0; sort < MARGAY_SORTS; sort++) {
            passed[sort] *= parts == 0 ? 1 : parts;
            margay_count(&counts, (enum margay_kind)(sort % MARGAY_KINDS),
                         (enum margay_purpose)(sort / MARGAY_KINDS),
                         passed[sort], 0);
        }
    }
    return counts;
}

struct margay_level_counts margay_family_counts(const margay_family *family,
                                                size_t machine, size_t level)
{
    const struct margay_shared_cache *cache =
        family->shared.caches[machine * family->options.level_count + level];
    return cache == NULL ? memory_counts(family, machine, level)
                         : margay_shared_counts(cache);
}

const uint64_t *margay_family_references(const margay_family *family)
{
    return family->references;
}

size_t margay_family_cores(const margay_family *family)
{
    size_t cores = 0;
    for (size_t i = 0; i < MARGAY_MOST_CORES; i++)
        cores += family->is_core[i];
    return cores;
}

bool margay_family_shares_cores(const margay_family *family)
{
    return family->shares_cores;
}
