/* caches_single.c - every cache by itself, all of them in one reading */
#include <stdlib.h>

#include "assoc/assoc_internal.h"
#include "sim/run/caches.h"
#include "sim/run/spans.h"
#include "traces/traces_internal.h"

/* References that change nothing in the caches of some sets change nothing in
   those of more sets, as long as misses are all that counts (Haque, Peddersen,
   Parameswaran, "DEW", DATE 2010, of FIFO), and are left out from there on. */
struct single {
    margay_analysis analysis;
    size_t count;
    margay_cache **each; /* [set][ways] */
    uint64_t references;
    margay_crew *crew;
    struct margay_span left; /* of a span, that the crew feeds */
    size_t first;            /* and the first of the caches */
    uint64_t blocks[MARGAY_SPAN_REFS];
    uint8_t kinds[MARGAY_SPAN_REFS];
};

static struct single *self(const margay_analysis *analysis)
{
    return (struct single *)analysis;
}

static size_t cache_count(const struct margay_caches_part *part)
{
    return part->request.set_count * part->request.way_count;
}

static struct margay_cache_options options_of(
    const struct margay_caches_part *part, size_t i)
{
    const struct margay_caches_request *request = &part->request;
    return (struct margay_cache_options){
        .sets = part->sets[i / request->way_count],
        .index = request->index,
        .ways = part->ways[i % request->way_count],
        .policy = part->spec,
        .seed = request->seed,
        .write_through = request->write_through,
        .no_allocate = request->no_allocate,
        .notes_latest = !request->counts_writes && i % request->way_count == 0,
    };
}

static void single_free(margay_analysis *analysis)
{
    struct single *single = self(analysis);
    margay_crew_free(single->crew);
    for (size_t i = 0; i < single->count; i++)
        margay_cache_free(single->each[i]);
    free(single->each);
}

static void feed_one(void *context, size_t i)
{
    const struct single *single = context;
    const struct margay_span *span = &single->left;
    margay_cache *cache = single->each[single->first + i];
    margay_cache_tell_sites(cache, span->sites);
    margay_cache_feed(cache, span->blocks, span->kinds, span->count);
}

static enum margay_status single_feed(margay_analysis *analysis,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    struct single *single = self(analysis);
    const struct margay_caches_part *part = margay_caches_part_of(analysis);
    const size_t ways = part->request.way_count;
    (void)error;
    single->references += span->count;
    single->left = *span;
    for (size_t i = 0; i < part->request.set_count; i++) {
        bool refines = i > 0 && part->request.index == MARGAY_INDEX_MODULO &&
                       part->sets[i] % part->sets[i - 1] == 0;
        const struct margay_span *from = refines ? &single->left : span;
        single->first = i * ways;
        if (!part->request.counts_writes) {
            single->left.count = margay_cache_condense(
                single->each[single->first], from->blocks, from->kinds,
                from->count, single->blocks, single->kinds);
            single->left.blocks = single->blocks;
            single->left.kinds = span->kinds == NULL ? NULL : single->kinds;
        }
        margay_crew_start(single->crew, feed_one, single, ways);
        margay_crew_finish(single->crew);
    }
    return MARGAY_OK;
}

static enum margay_status single_reset(margay_analysis *analysis,
                                       struct margay_error *error)
{
    struct single *single = self(analysis);
    (void)error;
    single->references = 0;
    for (size_t i = 0; i < single->count; i++)
        margay_cache_reset_counts(single->each[i]);
    return MARGAY_OK;
}

static void single_get(const margay_analysis *analysis,
                       const struct margay_pass *pass, size_t set, size_t way,
                       struct margay_cache_row *row)
{
    size_t ways = margay_caches_part_of(analysis)->request.way_count;
    const struct margay_cache_counts *counts =
        margay_cache_counts(self(analysis)->each[set * ways + way]);
    (void)pass;
    row->references = self(analysis)->references;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] = counts->misses[kind];
    row->writebacks = counts->writebacks;
    row->blocks_fetched = counts->blocks_fetched;
    row->blocks_written = counts->blocks_written;
}

static enum margay_status make_caches(struct single *single,
                                      const struct margay_caches_part *part,
                                      struct margay_error *error)
{
    size_t all = cache_count(part);
    enum margay_status status = MARGAY_OK;
    single->each = calloc(all, sizeof *single->each);
    if (single->each == NULL)
        return margay_fail_memory(error, "the caches");
    while (single->count < all && status == MARGAY_OK) {
        const struct margay_cache_options options =
            options_of(part, single->count);
        status = margay_cache_create(&options, &single->each[single->count++],
                                     error);
    }
    return status;
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct single *single = self(analysis);
    const struct margay_caches_part *part = margay_caches_part_of(analysis);
    uint64_t bytes = 0;
    for (size_t i = 0; i < cache_count(part); i++) {
        const struct margay_cache_options options = options_of(part, i);
        bytes += margay_cache_bytes(&options);
    }
    /* Of all passes together. */
    enum margay_status status =
        margay_room_check("the caches", bytes * share->pass_count, error);
    if (status == MARGAY_OK)
        status = make_caches(single, part, error);
    return status == MARGAY_OK
               ? margay_crew_create(share->threads, &single->crew, error)
               : status;
}

static const struct margay_analysis_class functions = {
    .bytes = sizeof(struct single),
    .begin = begin,
    .feed = single_feed,
    .reset = single_reset,
    .free = single_free,
};

const struct margay_caches_way margay_caches_single = {
    .question = {.functions = &functions},
    .get = single_get,
};
