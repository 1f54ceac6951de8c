/* caches_single.c - every cache by itself, all of them in one reading */
#include <stdlib.h>

#include "assoc/assoc_internal.h"
#include "sim/run/caches.h"
#include "traces/traces_internal.h"

struct single {
    struct margay_caches caches;
    size_t count;
    margay_cache **each; /* [set][ways] */
    margay_crew *crew;
    const struct margay_span *span; /* that the crew feeds */
};

static struct single *self(const void *caches)
{
    return (struct single *)caches;
}

static void single_free(margay_analysis *analysis)
{
    struct single *single = self(analysis);
    margay_crew_free(single->crew);
    for (size_t i = 0; i < single->count; i++)
        margay_cache_free(single->each[i]);
    free(single->each);
    free(single);
}

static void feed_one(void *context, size_t i)
{
    const struct single *single = context;
    const struct margay_span *span = single->span;
    margay_cache_tell_sites(single->each[i], span->sites);
    margay_cache_feed(single->each[i], span->blocks, span->kinds, span->count);
}

static enum margay_status single_feed(margay_analysis *analysis,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    struct single *single = self(analysis);
    (void)error;
    single->span = span;
    margay_crew_start(single->crew, feed_one, single, single->count);
    margay_crew_finish(single->crew);
    return MARGAY_OK;
}

static enum margay_status single_reset(margay_analysis *analysis,
                                       struct margay_error *error)
{
    struct single *single = self(analysis);
    (void)error;
    for (size_t i = 0; i < single->count; i++)
        margay_cache_reset_counts(single->each[i]);
    return MARGAY_OK;
}

static void single_get(const struct margay_caches *caches,
                       const struct margay_pass *pass, size_t set, size_t way,
                       struct margay_cache_row *row)
{
    const struct margay_cache_counts *counts = margay_cache_counts(
        self(caches)->each[set * caches->part->request.way_count + way]);
    (void)pass;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        row->references += counts->references[kind];
        row->misses[kind] = counts->misses[kind];
    }
    row->writebacks = counts->writebacks;
    row->blocks_fetched = counts->blocks_fetched;
    row->blocks_written = counts->blocks_written;
}

/* Fail if this machine's memory has no room for all caches, one by one, of each
   pass. */
static enum margay_status check_room(const struct margay_caches_part *part,
                                     const struct margay_share *share,
                                     struct margay_error *error)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < margay_caches_count(part); i++) {
        const struct margay_cache_options options =
            margay_caches_options(part, i);
        bytes += margay_cache_bytes(&options);
    }
    return margay_room_check("the caches", bytes * share->pass_count, error);
}

static enum margay_status make_caches(struct single *single,
                                      const struct margay_caches_part *part,
                                      struct margay_error *error)
{
    size_t all = margay_caches_count(part);
    enum margay_status status = MARGAY_OK;
    single->each = calloc(all, sizeof *single->each);
    if (single->each == NULL)
        return margay_fail_memory(error, "the caches");
    while (single->count < all && status == MARGAY_OK) {
        const struct margay_cache_options options =
            margay_caches_options(part, single->count);
        status = margay_cache_create(&options, &single->each[single->count++],
                                     error);
    }
    return status;
}

enum margay_status margay_caches_begin_single(
    const struct margay_caches_part *part, const struct margay_pass *passes,
    size_t count, const struct margay_share *share,
    struct margay_caches **caches, struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .feed = single_feed,
        .reset = single_reset,
        .free = single_free,
    };
    enum margay_status status = check_room(part, share, error);
    (void)passes, (void)count;
    if (status != MARGAY_OK)
        return status;
    struct single *single = calloc(1, sizeof *single);
    if (single == NULL)
        return margay_fail_memory(error, "the caches");
    single->caches.analysis.functions = &functions;
    single->caches.get = single_get;
    status = make_caches(single, part, error);
    if (status == MARGAY_OK)
        status = margay_crew_create(share->threads, &single->crew, error);
    if (status == MARGAY_OK)
        *caches = &single->caches;
    else
        single_free(&single->caches.analysis);
    return status;
}
