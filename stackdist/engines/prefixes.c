/*
 * prefixes.c - caches of prefixes of all sizes, by an exact engine
 *
 * Algorithm: a block's distance is the largest depth, before its request, of
 *   the blocks up to it.  The engine's distances come after the request's own
 *   earlier blocks, and yet their running maximum is the same.  For let a block
 *   be at depth p before the request, and k earlier blocks of the request have
 *   been deeper: the engine's distance is p + k.  If k = 0 the two agree.
 *   Otherwise these k depths are different and above p, so that the largest is
 *   at least p + k, and the maximum is unchanged.  A block that the request
 *   names twice, with k others in between, has distance k; of these k + 1
 *   blocks, at different depths, one was at depth k at least.  The optimum's
 *   distances work as well: it evicts nothing before the first miss of a
 *   request, and the blocks after that count as misses anyway.  With a
 *   half-life a request has the place of its last block: pieces (half_life.h)
 *   that end before it fade earlier counts, but not those of the request, which
 *   are held until it ends.  Where blocks are used from back to front, the
 *   engine is fed each request twice, forwards for the distances and then
 *   backwards for the order.
 * Source: the running maximum of depths follows from the definition of a prefix
 *   hit; the proof for the engine's distances is above.
 * Guarantee: exact, below the bound if there is one.
 * Cost: that of the engine, or up to twice that from back to front, and the
 *   memory of the longest request.
 */
#define _GNU_SOURCE
#include <margay/prefixes.h>

#include <math.h>
#include <stdlib.h>

#include "stackdist/engines/fading.h"
#include "stackdist/half_life.h"
#include "stackdist/histogram.h"
#include "traces/traces_internal.h"

/* The object of messages about memory. */
#define REQUEST_BLOCKS "the blocks of requests"

/* The counts, each in a histogram of its own; that of tokens is NULL where they
   are unknown. */
enum counted { BLOCKS, REQUESTS, TOKENS, COUNTED };

struct margay_prefixes {
    margay_engine *engine;
    enum margay_touch touch;
    uint64_t block_tokens;
    margay_histogram *counts[COUNTED];
    /* The blocks of a piece (0 = no fading), those of the present one, and the
       masses of earlier ones. */
    uint64_t piece_refs, fed_refs;
    double factor;
    struct margay_faded faded[COUNTED];

    /* The open request, if there is one: the largest distance so far, how many
       blocks and tokens at that distance are not yet counted, and the tokens
       that come after them. */
    bool open;
    bool counted; /* some of its blocks came after the warm-up */
    uint64_t request;
    uint64_t distance, uncounted, uncounted_tokens, rest;
    /* Where counts fade, those of its blocks at smaller distances: a distance,
       blocks and tokens each. */
    uint64_t *held;
    size_t held_count, held_room;

    uint64_t *distances; /* of a call */
    size_t distance_room;

    /* From back to front: the line of blocks that the engine is fed for a call,
       which has blocks of past requests again, and the open request. */
    uint64_t *line, *line_distances;
    size_t line_count, line_room, line_distance_room;
    uint64_t *asked;
    size_t asked_count, asked_room;
};

enum margay_status margay_prefixes_create(
    const struct margay_prefixes_options *options, margay_prefixes **prefixes,
    struct margay_error *error)
{
    struct margay_engine_options engine = options->engine_options;
    struct margay_engine_abilities abilities;
    *prefixes = NULL;
    enum margay_status status = margay_engine_abilities(
        options->engine, engine.measure, &abilities, error);
    if (status != MARGAY_OK)
        return status;
    if (!abilities.info->exact || !(abilities.can & MARGAY_CAN_TELL_DISTANCES))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "requests take the exact distance of each block, "
                           "and engine %s does not give that (exact does)",
                           abilities.info->name);
    margay_prefixes *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "the requests");
    made->touch = engine.measure == MARGAY_REUSE_DISTANCES
                      ? options->touch
                      : MARGAY_FRONT_TO_BACK;
    made->block_tokens = options->block_tokens;
    if (engine.half_life_refs != 0)
        made->piece_refs =
            margay_half_life_piece(engine.half_life_refs, &made->factor);
    status =
        margay_engine_create(options->engine, &engine, &made->engine, error);
    for (size_t i = 0; i < COUNTED && status == MARGAY_OK; i++) {
        if (i != TOKENS || made->block_tokens != 0)
            status = margay_histogram_create(&made->counts[i], error);
    }
    if (status == MARGAY_OK)
        *prefixes = made;
    else
        margay_prefixes_free(made);
    return status;
}

void margay_prefixes_free(margay_prefixes *prefixes)
{
    if (prefixes == NULL)
        return;
    margay_engine_free(prefixes->engine);
    for (size_t i = 0; i < COUNTED; i++) {
        margay_histogram_free(prefixes->counts[i]);
        margay_faded_clear(&prefixes->faded[i]);
    }
    free(prefixes->distances);
    free(prefixes->line);
    free(prefixes->line_distances);
    free(prefixes->asked);
    free(prefixes->held);
    free(prefixes);
}

/* ------------------------------------------------------------- counting -- */

/* Unknown tokens are not counted. */
static enum margay_status count_at(margay_histogram *const *counts,
                                   uint64_t distance, uint64_t blocks,
                                   uint64_t tokens, struct margay_error *error)
{
    enum margay_status status =
        blocks == 0
            ? MARGAY_OK
            : margay_histogram_add(counts[BLOCKS], distance, blocks, error);
    return status == MARGAY_OK && counts[TOKENS] != NULL && tokens != 0
               ? margay_histogram_add(counts[TOKENS], distance, tokens, error)
               : status;
}

/* Count the pending blocks of the open request. */
static enum margay_status count_blocks(const margay_prefixes *prefixes,
                                       margay_histogram *const *counts,
                                       struct margay_error *error)
{
    const uint64_t *held = prefixes->held;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < prefixes->held_count && status == MARGAY_OK; i += 3)
        status = count_at(counts, held[i], held[i + 1], held[i + 2], error);
    return status == MARGAY_OK
               ? count_at(counts, prefixes->distance, prefixes->uncounted,
                          prefixes->uncounted_tokens, error)
               : status;
}

/* The same, and the request, if it ends here. */
static enum margay_status count_request(const margay_prefixes *prefixes,
                                        margay_histogram *const *counts,
                                        struct margay_error *error)
{
    enum margay_status status = count_blocks(prefixes, counts, error);
    if (!prefixes->counted || status != MARGAY_OK)
        return status;
    status =
        margay_histogram_add(counts[REQUESTS], prefixes->distance, 1, error);
    return status == MARGAY_OK && prefixes->rest < MARGAY_TOKENS_UNKNOWN
               ? count_at(counts, MARGAY_INFINITE, 0, prefixes->rest, error)
               : status;
}

/* End the pieces that are whole without the last `kept` blocks. */
static enum margay_status fade(margay_prefixes *prefixes, uint64_t kept,
                               struct margay_error *error)
{
    if (prefixes->piece_refs == 0 || prefixes->fed_refs < kept)
        return MARGAY_OK;
    uint64_t ended = (prefixes->fed_refs - kept) / prefixes->piece_refs;
    double factor = pow(prefixes->factor, (double)ended);
    enum margay_status status = MARGAY_OK;
    prefixes->fed_refs -= ended * prefixes->piece_refs;
    for (size_t i = 0; i < COUNTED && status == MARGAY_OK && ended > 0; i++) {
        if (prefixes->counts[i] == NULL)
            continue;
        status = margay_faded_add(&prefixes->faded[i], prefixes->counts[i],
                                  factor, error);
        margay_histogram_clear(prefixes->counts[i]);
    }
    return status;
}

static enum margay_status end_request(margay_prefixes *prefixes,
                                      struct margay_error *error)
{
    enum margay_status status = fade(prefixes, 1, error);
    if (status == MARGAY_OK)
        status = count_request(prefixes, prefixes->counts, error);
    prefixes->open = prefixes->counted = false;
    prefixes->distance = prefixes->uncounted = prefixes->uncounted_tokens = 0;
    prefixes->held_count = 0;
    return status == MARGAY_OK ? fade(prefixes, 0, error) : status;
}

/* Does the block begin a request? */
static bool begins(const margay_prefixes *prefixes, uint64_t request)
{
    return !prefixes->open || prefixes->request != request;
}

/* -------------------------------------------------------------- feeding -- */

/* Append the blocks of the open request to the line, backwards, without the
   last one, which is the most recent already. */
static enum margay_status turn_back(margay_prefixes *prefixes,
                                    struct margay_error *error)
{
    size_t asked = prefixes->asked_count;
    prefixes->asked_count = 0;
    if (asked < 2)
        return MARGAY_OK;
    if (!MARGAY_MAKE_ROOM(prefixes->line, prefixes->line_count, asked - 1,
                          prefixes->line_room))
        return margay_fail_memory(error, REQUEST_BLOCKS);
    for (size_t i = asked - 1; i-- > 0;)
        prefixes->line[prefixes->line_count++] = prefixes->asked[i];
    return MARGAY_OK;
}

/* Find the distances of blocks that are used from back to front. */
static enum margay_status measure_back(margay_prefixes *prefixes,
                                       const uint64_t *blocks,
                                       const uint64_t *requests, size_t count,
                                       struct margay_error *error)
{
    uint64_t *distances = prefixes->distances;
    /* The line of a call; where[i] becomes the place of block i in it. */
    enum margay_status status = MARGAY_OK;
    prefixes->line_count = 0;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (i == 0 ? begins(prefixes, requests[0])
                   : requests[i] != requests[i - 1])
            status = turn_back(prefixes, error);
        if (status != MARGAY_OK)
            break;
        if (!MARGAY_MAKE_ROOM(prefixes->line, prefixes->line_count, 1,
                              prefixes->line_room) ||
            !MARGAY_MAKE_ROOM(prefixes->asked, prefixes->asked_count, 1,
                              prefixes->asked_room))
            return margay_fail_memory(error, REQUEST_BLOCKS);
        distances[i] = prefixes->line_count;
        prefixes->line[prefixes->line_count++] = blocks[i];
        prefixes->asked[prefixes->asked_count++] = blocks[i];
    }
    if (!MARGAY_MAKE_ROOM(prefixes->line_distances, 0, prefixes->line_count,
                          prefixes->line_distance_room))
        return margay_fail_memory(error, REQUEST_BLOCKS);
    if (status == MARGAY_OK)
        status = margay_engine_feed(prefixes->engine, prefixes->line,
                                    prefixes->line_count,
                                    prefixes->line_distances, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        distances[i] = prefixes->line_distances[distances[i]];
    return status;
}

/* The next block of the open request, at this distance. */
static enum margay_status take_block(margay_prefixes *prefixes,
                                     uint64_t distance,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (distance > prefixes->distance) {
        if (prefixes->piece_refs == 0) {
            status = count_blocks(prefixes, prefixes->counts, error);
        } else if (prefixes->uncounted > 0) {
            if (!MARGAY_MAKE_ROOM(prefixes->held, prefixes->held_count, 3,
                                  prefixes->held_room))
                return margay_fail_memory(error, REQUEST_BLOCKS);
            prefixes->held[prefixes->held_count++] = prefixes->distance;
            prefixes->held[prefixes->held_count++] = prefixes->uncounted;
            prefixes->held[prefixes->held_count++] = prefixes->uncounted_tokens;
        }
        prefixes->uncounted = prefixes->uncounted_tokens = 0;
        prefixes->distance = distance;
    }
    uint64_t tokens = prefixes->block_tokens;
    if (prefixes->rest < MARGAY_TOKENS_UNKNOWN) {
        tokens = prefixes->rest < tokens ? prefixes->rest : tokens;
        prefixes->rest -= tokens;
    }
    prefixes->uncounted++;
    prefixes->fed_refs++;
    prefixes->counted = true;
    if (!margay_add_u64(prefixes->uncounted_tokens, tokens,
                        &prefixes->uncounted_tokens))
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "the tokens of a request are over 64 bits");
    return status;
}

static enum margay_status feed_blocks(margay_prefixes *prefixes,
                                      const uint64_t *blocks,
                                      const uint64_t *requests,
                                      const uint64_t *tokens, size_t count,
                                      struct margay_error *error)
{
    if (count == 0)
        return MARGAY_OK;
    enum margay_status status;
    if (!MARGAY_MAKE_ROOM(prefixes->distances, 0, count,
                          prefixes->distance_room))
        return margay_fail_memory(error, REQUEST_BLOCKS);
    if (prefixes->touch == MARGAY_BACK_TO_FRONT)
        status = measure_back(prefixes, blocks, requests, count, error);
    else
        status = margay_engine_feed(prefixes->engine, blocks, count,
                                    prefixes->distances, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (begins(prefixes, requests[i])) {
            status = end_request(prefixes, error);
            prefixes->open = true;
            prefixes->request = requests[i];
            prefixes->rest = tokens == NULL ? MARGAY_TOKENS_UNKNOWN : tokens[i];
        }
        if (status == MARGAY_OK)
            status = take_block(prefixes, prefixes->distances[i], error);
    }
    return status;
}

enum margay_status margay_prefixes_feed(margay_prefixes *prefixes,
                                        const uint64_t *blocks,
                                        const uint64_t *requests,
                                        const uint64_t *tokens, size_t count,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    margay_histogram **counts = prefixes->counts;
    if (tokens == NULL)
        return feed_blocks(prefixes, blocks, requests, NULL, count, error);
    for (size_t from = 0, to; from < count && status == MARGAY_OK; from = to) {
        for (to = from; to < count && tokens[to] < MARGAY_NO_BLOCK;)
            to++;
        status = feed_blocks(prefixes, blocks + from, requests + from,
                             tokens + from, to - from, error);
        /* Requests with tokens only. */
        for (; to < count && tokens[to] >= MARGAY_NO_BLOCK; to++) {
            uint64_t own = tokens[to] & ~MARGAY_NO_BLOCK;
            if (status == MARGAY_OK)
                status = end_request(prefixes, error);
            if (status == MARGAY_OK)
                status = margay_histogram_add(counts[REQUESTS], 0, 1, error);
            if (status == MARGAY_OK)
                status =
                    count_at(counts, MARGAY_INFINITE, 0,
                             own == MARGAY_TOKENS_UNKNOWN ? 0 : own, error);
        }
    }
    return status;
}

void margay_prefixes_reset_counts(margay_prefixes *prefixes)
{
    margay_engine_reset_counts(prefixes->engine);
    for (size_t i = 0; i < COUNTED; i++) {
        margay_faded_clear(&prefixes->faded[i]);
        if (prefixes->counts[i] != NULL)
            margay_histogram_clear(prefixes->counts[i]);
    }
    prefixes->uncounted = prefixes->uncounted_tokens = prefixes->fed_refs = 0;
    prefixes->held_count = 0;
    prefixes->counted = false;
}

/* --------------------------------------------------------------- result -- */

/* Replace the counts of the piece that has begun by the masses of all, in the
   fractions of *bits, which becomes that of their sum. */
static enum margay_status complete(const margay_prefixes *prefixes,
                                   margay_histogram **counts, unsigned *bits,
                                   struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    double total = 0;
    for (size_t i = 0; i < COUNTED; i++) {
        if (counts[i] != NULL)
            total += margay_faded_total(&prefixes->faded[i], counts[i]);
    }
    *bits = margay_fraction_bits(total);
    for (size_t i = 0; i < COUNTED && status == MARGAY_OK; i++) {
        if (counts[i] != NULL)
            status = margay_faded_complete(&prefixes->faded[i], *bits,
                                           &counts[i], error);
    }
    return status;
}

/* Give the result from that of the engine; the open request counts as ended.
   Fading counts become masses, all of the same fractions. */
static enum margay_status conclude(
    margay_prefixes *prefixes,
    enum margay_status (*finish)(margay_engine *engine,
                                 struct margay_result *result,
                                 struct margay_error *error),
    struct margay_prefixes_result *result, struct margay_error *error)
{
    struct margay_result *blocks = &result->blocks;
    margay_histogram *counts[COUNTED] = {NULL};
    *result = (struct margay_prefixes_result){.requests = NULL};
    enum margay_status status = finish(prefixes->engine, blocks, error);
    if (status != MARGAY_OK)
        return status;
    uint64_t bound = margay_histogram_exceeded_bound(blocks->histogram);
    status = fade(prefixes, 1, error);
    for (size_t i = 0; i < COUNTED && status == MARGAY_OK; i++) {
        if (prefixes->counts[i] != NULL)
            status =
                margay_histogram_copy(prefixes->counts[i], &counts[i], error);
    }
    if (status == MARGAY_OK)
        status = count_request(prefixes, counts, error);
    if (status == MARGAY_OK && prefixes->piece_refs != 0)
        status = complete(prefixes, counts, &blocks->fraction_bits, error);
    margay_histogram_free(blocks->histogram);
    blocks->histogram = counts[BLOCKS];
    result->requests = counts[REQUESTS];
    result->tokens = counts[TOKENS];
    if (status != MARGAY_OK) {
        margay_prefixes_result_clear(result);
        return status;
    }
    margay_histogram_set_exceeded_bound(blocks->histogram, bound);
    margay_histogram_set_exceeded_bound(result->requests, bound);
    blocks->references = margay_histogram_references(blocks->histogram);
    blocks->infinite = margay_histogram_infinite(blocks->histogram);
    return MARGAY_OK;
}

enum margay_status margay_prefixes_finish(margay_prefixes *prefixes,
                                          struct margay_prefixes_result *result,
                                          struct margay_error *error)
{
    return conclude(prefixes, margay_engine_finish, result, error);
}

enum margay_status margay_prefixes_peek(margay_prefixes *prefixes,
                                        struct margay_prefixes_result *result,
                                        struct margay_error *error)
{
    return conclude(prefixes, margay_engine_peek, result, error);
}

void margay_prefixes_result_clear(struct margay_prefixes_result *result)
{
    margay_result_clear(&result->blocks);
    margay_histogram_free(result->requests);
    margay_histogram_free(result->tokens);
    result->requests = result->tokens = NULL;
}
