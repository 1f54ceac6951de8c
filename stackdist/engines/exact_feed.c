/*
 * exact_feed.c - the exact engine's way from references to batches
 *
 * References either go to the deep part of the stack as they come, or pass
 * the filter first.  The deep part is this engine's own, or a team's.
 */
#include "stackdist/engines/exact.h"

#include <string.h>

#include "stackdist/parallel/team.h"
#include "traces/traces_internal.h"

/* --------------------------------------------------------- the deep part -- */

/*
 * References to the deep part: wanted[i] leaves it and demoted[i] enters it at
 * the top; `base` blocks stand above.  Unless it is NULL, indices[] receives
 * d + 1, or 0 for infinite.
 */
static enum margay_status run_deep(struct margay_exact *e,
                                   const uint64_t *wanted,
                                   const uint64_t *demoted, size_t count,
                                   unsigned base, uint64_t *indices,
                                   struct margay_error *error)
{
    if (e->team != NULL)
        return margay_team_deep(e->team, wanted, demoted, count, base, indices,
                                error);
    for (size_t done = 0; done < count;) {
        enum margay_status status = margay_exact_prepare(e, error);
        if (status != MARGAY_OK)
            return status;
        size_t left = count - done;
        unsigned room = margay_rank_room(&e->rank);
        struct margay_exact_batch batch = {
            .wanted = wanted + done,
            .demoted = demoted + done,
            .count = left < room ? left : room,
        };
        batch.ahead = left - batch.count;
        e->kernel->deep(e, &batch, base);
        if (indices != NULL)
            memcpy(indices + done, e->pending, batch.count * sizeof *indices);
        done += batch.count;
    }
    return MARGAY_OK;
}

/* Take a block out of the deep part, which may not have it.  *index as above.
 */
static enum margay_status pull(struct margay_exact *e, uint64_t block,
                               uint64_t *index, struct margay_error *error)
{
    if (e->team != NULL)
        return margay_team_pull(e->team, block, e->front_count, index, error);
    enum margay_status status = margay_exact_prepare(e, error);
    if (status != MARGAY_OK)
        return status;
    unsigned slot;
    struct margay_rank *rank = &e->rank;
    struct margay_bucket *bucket = margay_hash_slot(&e->hash, block, &slot);
    uint64_t past = margay_bucket_value(bucket, slot);
    *index = 0;
    if (past == 0) {
        e->hash.entries++;
        margay_exact_touch(e, block);
    } else {
        *index = e->front_count + rank->live -
                 margay_rank_before(rank, past, rank->tall);
        margay_rank_clear(rank, past, margay_rank_top_vectors(rank),
                          rank->tall);
        rank->live--;
    }
    bucket->keys[slot] = block;
    margay_bucket_set_value(bucket, slot, (uint32_t)MARGAY_IN_FRONT);
    if (++e->counters[*index] == 0)
        margay_exact_spill(e, *index);
    return MARGAY_OK;
}

/* Put a block of the filter on top of the deep part. */
static enum margay_status push(struct margay_exact *e, uint64_t block,
                               struct margay_error *error)
{
    if (e->team != NULL)
        return margay_team_push(e->team, block, error);
    enum margay_status status = margay_exact_prepare(e, error);
    if (status != MARGAY_OK)
        return status;
    unsigned slot;
    struct margay_bucket *bucket = margay_hash_slot(&e->hash, block, &slot);
    margay_bucket_set_value(bucket, slot, e->rank.next);
    margay_rank_append(&e->rank, 1);
    e->rank.live++;
    return MARGAY_OK;
}

/* --------------------------------------- through and round the filter -- */

/* Without the filter: the whole stack is the deep part. */
static enum margay_status feed_plain(struct margay_exact *e,
                                     const uint64_t *blocks, size_t count,
                                     uint64_t *distances,
                                     struct margay_error *error)
{
    enum margay_status status =
        run_deep(e, blocks, blocks, count, 0, distances, error);
    for (size_t i = 0; distances != NULL && i < count; i++)
        distances[i] = margay_exact_distance(e, distances[i]);
    return status;
}

/*
 * A reference while the filter is not yet full: a block that is not in it
 * comes up from the deep part, and none goes down.
 */
static enum margay_status fill_front(struct margay_exact *e, uint64_t block,
                                     uint64_t *distance,
                                     struct margay_error *error)
{
    unsigned position = 0;
    while (position < e->front_count && e->front[position] != block)
        position++;
    uint64_t index = position + 1;
    if (position < e->front_count) {
        e->front_hits[position]++;
    } else {
        enum margay_status status = pull(e, block, &index, error);
        if (status != MARGAY_OK)
            return status;
        e->front_count++;
    }
    memmove(e->front + 1, e->front, position * sizeof *e->front);
    e->front[0] = block;
    if (distance != NULL)
        *distance = margay_exact_distance(e, index);
    return MARGAY_OK;
}

enum margay_status margay_exact_empty_front(struct margay_exact *e,
                                            struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    while (e->front_count > 0 && status == MARGAY_OK)
        status = push(e, e->front[--e->front_count], error);
    return status;
}

static enum margay_status feed_filtered(struct margay_exact *e,
                                        const uint64_t *blocks, size_t count,
                                        uint64_t *distances,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    size_t done = 0;
    for (; done < count && e->front_count < MARGAY_FRONT; done++) {
        status = fill_front(e, blocks[done],
                            distances == NULL ? NULL : distances + done, error);
        if (status != MARGAY_OK)
            return status;
    }
    if (distances == NULL) {
        size_t passed =
            e->kernel->pass_filter(e, blocks + done, count - done, NULL);
        return run_deep(e, e->wanted, e->demoted, passed, MARGAY_FRONT, NULL,
                        error);
    }
    distances += done;
    count -= done;
    size_t passed = e->kernel->pass_filter(e, blocks + done, count, distances);
    status = run_deep(e, e->wanted, e->demoted, passed, MARGAY_FRONT,
                      e->indices, error);
    for (size_t i = 0; i < passed; i++)
        distances[e->origins[i]] = e->indices[i] - 1;
    for (size_t i = 0; i < count; i++)
        distances[i] = margay_exact_distance(e, distances[i] + 1);
    return status;
}

/* ---------------------------------------------------- when to filter -- */

/*
 * The filter costs about as much per reference as half the look-up that it
 * saves on a hit, and a miss behind it is dearer than one without: it gains
 * from about this share of hits on.
 */
#define PROBE_REFS       512
#define SHARE_TO_BEGIN   0.40
#define SHARE_TO_STOP    0.30
#define LONGEST_INTERVAL 64

/* The share of a few references that a filter would catch. */
static double probe_share(const uint64_t *blocks, size_t count)
{
    uint64_t front[MARGAY_FRONT];
    size_t hits = 0, filled = 0;
    for (size_t i = 0; i < count; i++) {
        size_t position = 0;
        while (position < filled && front[position] != blocks[i])
            position++;
        if (position < filled)
            hits++;
        else if (filled < MARGAY_FRONT)
            filled++;
        else
            position--;
        memmove(front + 1, front, position * sizeof *front);
        front[0] = blocks[i];
    }
    return (double)hits / (double)count;
}

/* Decide for the segment that begins at `blocks`; cheap, and never wrong:
   the results are the same either way. */
static bool want_filter(struct margay_exact *e, const uint64_t *blocks,
                        size_t count)
{
    if (e->filter != MARGAY_FILTER_AUTO)
        return e->filter == MARGAY_FILTER_ON;
    if (count < PROBE_REFS || e->probe_countdown-- > 0)
        return e->filtering;
    double share = probe_share(blocks, PROBE_REFS);
    bool want = share >= (e->filtering ? SHARE_TO_STOP : SHARE_TO_BEGIN);
    if (want != e->filtering)
        e->probe_interval = 1;
    else if (e->probe_interval < LONGEST_INTERVAL)
        e->probe_interval *= 2;
    e->probe_countdown = e->probe_interval;
    return want;
}

static enum margay_status feed_segment(struct margay_exact *e,
                                       const uint64_t *blocks, size_t count,
                                       uint64_t *distances,
                                       struct margay_error *error)
{
    bool filtering = want_filter(e, blocks, count);
    if (!filtering && e->filtering) {
        enum margay_status status = margay_exact_empty_front(e, error);
        if (status != MARGAY_OK)
            return status;
    }
    e->filtering = filtering;
    if (filtering)
        return feed_filtered(e, blocks, count, distances, error);
    return feed_plain(e, blocks, count, distances, error);
}

/* Enough references to be worth the threads. */
static bool want_team(const struct margay_exact *e)
{
    return e->threads > 1 && e->team == NULL &&
           e->fed_refs >= e->team_after_refs && !e->wide;
}

enum margay_status margay_exact_feed(struct margay_exact *e,
                                     const uint64_t *blocks, size_t count,
                                     uint64_t *distances,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0; done < count && status == MARGAY_OK;) {
        size_t segment = count - done;
        if (segment > MARGAY_EXACT_SEGMENT)
            segment = MARGAY_EXACT_SEGMENT;
        if (want_team(e))
            status = margay_team_create(e, &e->team, error);
        if (status == MARGAY_OK)
            status = feed_segment(e, blocks + done, segment,
                                  distances == NULL ? NULL : distances + done,
                                  error);
        done += segment;
        e->fed_refs += segment;
    }
    if (status == MARGAY_OK && e->spill_status != MARGAY_OK)
        return margay_fail_memory(error, "the histogram");
    return status;
}
