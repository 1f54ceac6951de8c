/*
 * shards.c - distances from a sample of the blocks
 *
 * Algorithm: a share R of all blocks, chosen by the hash of their ids, is
 *   analysed exactly; each sampled distance stands for 1 / R times as many
 *   blocks.  The sample rarely has exactly R N of the N references, and the
 *   difference is counted at distance 0 (adjust=on): it comes from blocks that
 *   are referenced very often, and these are near the top of the stack.
 *   With blocks=K, the sample has those K blocks of all so far that have the
 *   smallest hashes.  When one more comes, the block with the greatest hash
 *   leaves the sample for good, and R becomes the share of the hashes below it.
 *   Counts are in bars of scaled distances, each with the R that its counts
 *   stand for; they are rescaled when the bar is next counted in.  As long as
 *   the sample has every block, a histogram counts distances, which are exact.
 * Source: Waldspurger, Park, Garthwaite, Ahmad, "Efficient MRC construction
 *   with SHARDS", FAST 2015.
 * Guarantee: none; errors of about 0.01 on linear cache sizes where R M is
 *   thousands.  The adjustment harms scans and caches of less than 1 / R
 *   blocks.
 * Cost: O(N) to choose, R N references analysed, O(R M) space; with blocks=K,
 *   O(log K) per sampled reference, and O(K) space.
 */
#include <stdlib.h>

#include "stackdist/engine.h"
#include "stackdist/engines/estimate.h"
#include "stackdist/exact/hash.h"
#include "stackdist/half_life.h"
#include "stackdist/histogram.h"
#include "stackdist/reference/order.h"

#define PIECE_REFS 4096
#define BAR_BITS   8
#define BARS       MARGAY_BARS(BAR_BITS)

struct entry {
    uint64_t hash;
    uint64_t block;
    uint32_t node;
};

struct bar {
    double mass;
    double scale; /* the 1 / R that the mass stands for */
};

struct shards {
    struct margay_sample sample;
    bool adjust;
    uint64_t references, piece_refs; /* half_life.h */
    margay_engine *engine; /* of the sample; NULL with blocks=, and then: */
    uint64_t most_blocks;
    void *order;              /* of class CLASS */
    struct margay_hash nodes; /* block to node */
    struct entry *heap;       /* the greatest hash first */
    size_t heap_count, heap_capacity;
    margay_histogram *whole; /* counts until a block leaves the sample; then
                                NULL, and these count: */
    struct bar bars[BARS];
    struct bar cold;
};

/* The fastest order. */
#define CLASS (&margay_order_counts_16)

static void destroy(void *state)
{
    struct shards *shards = state;
    margay_engine_free(shards->engine);
    margay_order_destroy(CLASS, shards->order);
    margay_hash_destroy(&shards->nodes);
    margay_histogram_free(shards->whole);
    free(shards->heap);
}

static enum margay_status check(const struct margay_engine_setup *setup,
                                struct margay_error *error)
{
    unsigned both = 1u << MARGAY_SHARDS_BLOCKS | 1u << MARGAY_SHARDS_RATE;
    if (setup->settings.counts[MARGAY_SHARDS_BLOCKS] != 0 &&
        setup->options.measure != MARGAY_REUSE_DISTANCES)
        return margay_engine_fail_parameter(&margay_engine_shards, "blocks",
                                            "fades no counts", error);
    if ((setup->settings.given & both) != both)
        return MARGAY_OK;
    return margay_engine_fail_parameter(&margay_engine_shards, "rate",
                                        "has no meaning with blocks", error);
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    struct shards *shards = state;
    double factor;
    shards->adjust = setup->settings.choices[MARGAY_SHARDS_ADJUST] == 0;
    shards->most_blocks = setup->settings.counts[MARGAY_SHARDS_BLOCKS];
    bool fixed = shards->most_blocks != 0;
    shards->sample = margay_sample_of(
        fixed ? 1 : setup->settings.fractions[MARGAY_SHARDS_RATE],
        setup->options.seed);
    if (setup->options.measure != MARGAY_REUSE_DISTANCES)
        shards->piece_refs =
            margay_half_life_piece(setup->options.half_life_refs, &factor);
    if (!fixed)
        return margay_engine_create("exact", &setup->options, &shards->engine,
                                    error);
    enum margay_status status = margay_order_make(CLASS, &shards->order, error);
    if (status == MARGAY_OK)
        status = margay_hash_create(&shards->nodes, 0, error);
    if (status == MARGAY_OK)
        status = margay_histogram_create(&shards->whole, error);
    return status;
}

/* ------------------------------------------------------------- the heap -- */

/* Replace the greatest entry by another. */
static void replace(struct shards *shards, struct entry entry)
{
    struct entry *heap = shards->heap;
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < shards->heap_count; i = child) {
        if (child + 1 < shards->heap_count &&
            heap[child + 1].hash > heap[child].hash)
            child++;
        if (heap[child].hash <= entry.hash)
            break;
        heap[i] = heap[child];
    }
    heap[i] = entry;
}

static enum margay_status push(struct shards *shards, struct entry entry,
                               struct margay_error *error)
{
    if (!MARGAY_MAKE_ROOM(shards->heap, shards->heap_count, 1,
                          shards->heap_capacity))
        return margay_fail_memory(error, "the blocks of a sample");
    struct entry *heap = shards->heap;
    size_t i = shards->heap_count++;
    for (; i > 0 && heap[(i - 1) / 2].hash < entry.hash; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = entry;
    return MARGAY_OK;
}

/* ------------------------------------------------------------ the blocks -- */

/* Rescale a mass to the share of now, and add `more` to it. */
static void touch(struct shards *shards, struct bar *bar, double more)
{
    double scale = margay_sample_scale(&shards->sample);
    if (bar->mass > 0)
        bar->mass *= bar->scale / scale;
    bar->mass += more;
    bar->scale = scale;
}

static void count_in_bar(struct shards *shards, double distance, double count)
{
    size_t bar = margay_bar_of((uint64_t)(distance + 0.5), BAR_BITS);
    touch(shards, &shards->bars[bar], count);
}

/* Move all counts to bars, before a block leaves the sample. */
static void count_in_bars(struct shards *shards)
{
    MARGAY_EACH_COUNT (shards->whole, distance, count)
        count_in_bar(shards, (double)distance, (double)count);
    touch(shards, &shards->cold,
          (double)margay_histogram_infinite(shards->whole));
    margay_histogram_free(shards->whole);
    shards->whole = NULL;
}

static enum margay_status enter(struct shards *shards, struct entry entry,
                                struct margay_error *error)
{
    enum margay_status status = margay_hash_reserve(&shards->nodes, 1, error);
    if (status != MARGAY_OK)
        return status;
    if (shards->heap_count < shards->most_blocks) {
        status = CLASS->insert(shards->order, &entry.node, error);
        if (status == MARGAY_OK)
            status = push(shards, entry, error);
    } else {
        struct entry *greatest = &shards->heap[0];
        if (shards->whole != NULL)
            count_in_bars(shards);
        shards->sample.limit =
            (entry.hash > greatest->hash ? entry.hash : greatest->hash) - 1;
        if (entry.hash > greatest->hash)
            return MARGAY_OK; /* this one is not in the sample any more */
        margay_hash_erase(&shards->nodes, greatest->block);
        entry.node = greatest->node;
        CLASS->renew(shards->order, entry.node);
        replace(shards, entry);
    }
    if (status != MARGAY_OK)
        return status;
    *margay_hash_insert(&shards->nodes, entry.block) = entry.node;
    if (shards->whole != NULL)
        return margay_histogram_add(shards->whole, MARGAY_INFINITE, 1, error);
    touch(shards, &shards->cold, 1);
    return MARGAY_OK;
}

static enum margay_status refer(struct shards *shards, uint64_t block,
                                struct margay_error *error)
{
    struct entry entry = {margay_sample_hash(block, shards->sample.key), block,
                          0};
    if (entry.hash > shards->sample.limit)
        return MARGAY_OK; /* the limit has fallen since the block was picked */
    const uint32_t *node = margay_hash_find(&shards->nodes, block);
    if (node == NULL)
        return enter(shards, entry, error);
    uint64_t distance = CLASS->renew(shards->order, *node);
    if (shards->whole != NULL)
        return margay_histogram_add(shards->whole, distance, 1, error);
    count_in_bar(shards,
                 (double)distance * margay_sample_scale(&shards->sample), 1);
    return MARGAY_OK;
}

/* ------------------------------------------------------------ references -- */

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    (void)distances;
    struct shards *shards = state;
    for (size_t done = 0, piece; done < count; done += piece) {
        uint64_t sampled[PIECE_REFS + 1];
        enum margay_status status = MARGAY_OK;
        piece = (size_t)margay_half_life_left(
            shards->piece_refs, shards->references,
            count - done < PIECE_REFS ? count - done : PIECE_REFS);
        size_t picked =
            margay_sample_pick(&shards->sample, blocks + done, piece, sampled);
        if (shards->engine != NULL)
            status = margay_engine_feed_sample(shards->engine, sampled, picked,
                                               piece, error);
        else
            for (size_t i = 0; i < picked && status == MARGAY_OK; i++)
                status = refer(shards, sampled[i], error);
        if (status != MARGAY_OK)
            return status;
        shards->references += piece;
    }
    return MARGAY_OK;
}

static void reset_counts(void *state)
{
    struct shards *shards = state;
    shards->references = 0;
    if (shards->engine != NULL)
        margay_engine_reset_counts(shards->engine);
    if (shards->whole != NULL)
        margay_histogram_clear(shards->whole);
    shards->cold = (struct bar){0, 0};
    for (size_t i = 0; i < BARS; i++)
        shards->bars[i] = (struct bar){0, 0};
}

/* --------------------------------------------------------------- results -- */

/* Begin a histogram of all references, of which `masses` have been sampled. */
static enum margay_status begin(const struct shards *shards,
                                uint64_t references, double masses,
                                struct margay_rounder *rounder,
                                struct margay_error *error)
{
    double expected = (double)references / margay_sample_scale(&shards->sample);
    enum margay_status status = margay_rounder_begin(
        rounder, references, shards->adjust ? expected : masses, error);
    if (status == MARGAY_OK && shards->adjust)
        status = margay_rounder_add(rounder, 0, expected - masses, error);
    return status;
}

static enum margay_status add_bars(struct shards *shards,
                                   margay_histogram **histogram,
                                   struct margay_error *error)
{
    struct margay_rounder rounder;
    touch(shards, &shards->cold, 0);
    double total = shards->cold.mass;
    for (size_t i = 0; i < BARS; i++) {
        touch(shards, &shards->bars[i], 0);
        total += shards->bars[i].mass;
    }
    enum margay_status status =
        begin(shards, shards->references, total, &rounder, error);
    for (size_t i = 0; i < BARS && status == MARGAY_OK; i++) {
        if (shards->bars[i].mass > 0)
            status = margay_rounder_add(&rounder, margay_bar_low(i, BAR_BITS),
                                        shards->bars[i].mass, error);
    }
    return margay_rounder_end(&rounder, status, histogram, error);
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct shards *shards = state;
    struct margay_result sampled = {0};
    enum margay_status status = MARGAY_OK;
    result->nodes = shards->heap_count;
    if (shards->engine != NULL) {
        status = margay_engine_peek(shards->engine, &sampled, error);
        if (status == MARGAY_OK) {
            /* A sample without references says nothing, as one without
               blocks. */
            if (margay_histogram_references(sampled.histogram) != 0)
                result->nodes = sampled.distinct_blocks;
            struct margay_rounder rounder;
            double scale = margay_sample_scale(&shards->sample);
            result->fraction_bits = sampled.fraction_bits;
            status =
                begin(shards,
                      shards->piece_refs != 0 ? sampled.references
                                              : shards->references,
                      (double)margay_histogram_references(sampled.histogram),
                      &rounder, error);
            MARGAY_EACH_COUNT (sampled.histogram, distance, count) {
                if (status == MARGAY_OK)
                    status = margay_rounder_add(
                        &rounder, (uint64_t)((double)distance * scale + 0.5),
                        (double)count, error);
            }
            status =
                margay_rounder_end(&rounder, status, &result->histogram, error);
        }
        margay_result_clear(&sampled);
    } else if (shards->whole == NULL) {
        status = add_bars(shards, &result->histogram, error);
    } else {
        status =
            margay_histogram_copy(shards->whole, &result->histogram, error);
    }
    result->distinct_blocks =
        (uint64_t)((double)result->nodes *
                       margay_sample_scale(&shards->sample) +
                   0.5);
    return status;
}

double margay_engine_share(const char *spec, uint64_t distinct_blocks)
{
    const struct margay_engine_class *class;
    struct margay_settings settings = {.given = 0};
    if (margay_engine_parse(spec, &class, &settings, NULL) != MARGAY_OK ||
        class != &margay_engine_shards)
        return 1;
    uint64_t most = settings.counts[MARGAY_SHARDS_BLOCKS];
    return most == 0                ? settings.fractions[MARGAY_SHARDS_RATE]
           : distinct_blocks > most ? (double)most / (double)distinct_blocks
                                    : 1;
}

const struct margay_engine_class margay_engine_shards = {
    .info = {.name = "shards",
             .guarantee = "a sample of the blocks; no bound on the error",
             .parameters = "rate=0.01|0.000001..1,adjust=on|off,"
                           "blocks=none|16..1000000000",
             .time = "O(N)",
             .space = "O(rate M), or O(blocks)",
             .source = "Waldspurger et al. 2015"},
    .can = MARGAY_GIVES_COUNTS,
    .check = check,
    MARGAY_ENGINE_FUNCTIONS(struct shards),
    .peek = finish,
};
