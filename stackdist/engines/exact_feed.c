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
 * the top; `base` blocks stand above.  One of them may be NULL: then none
 * leaves; or nothing enters, and what left stands above.  Unless it is NULL,
 * indices[] receives d + 1, or 0 for infinite.
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
            .wanted = wanted == NULL ? NULL : wanted + done,
            .demoted = demoted == NULL ? NULL : demoted + done,
            .count = left < room ? left : room,
        };
        batch.ahead = left - batch.count;
        e->kernel->deep(e, &batch,
                        demoted == NULL ? base + (unsigned)done : base);
        if (indices != NULL)
            memcpy(indices + done, e->pending, batch.count * sizeof *indices);
        done += batch.count;
    }
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

enum margay_status margay_exact_empty_front(struct margay_exact *e,
                                            struct margay_error *error)
{
    uint32_t blocks = e->front->blocks;
    margay_near_list(e->front, e->demoted);
    margay_near_empty(e->front);
    return run_deep(e, NULL, e->demoted, blocks, 0, NULL, error);
}

/* Pass references through the filter; returns how many are not found there.
   What need not be seen one by one is only counted. */
static size_t pass_filter(struct margay_exact *e, const uint64_t *blocks,
                          size_t count, uint64_t *distances)
{
    struct margay_near *front = e->front;
    const struct margay_near_kernel *kernel = front->kernel;
    size_t passed;
    if (distances != NULL) {
        passed = kernel->refer_each(front, blocks, count, e->origins,
                                    e->demoted, distances);
    } else {
        if (front->blocks >= 2) {
            uint64_t top[2];
            margay_near_top(front, top);
            count =
                kernel->condense(blocks, count, top, e->kept, front->counts);
            blocks = e->kept;
        }
        passed = kernel->refer(front, blocks, count, e->origins, e->demoted);
    }
    for (size_t i = 0; i < passed; i++)
        e->wanted[i] = blocks[e->origins[i]];
    return passed;
}

static enum margay_status feed_filtered(struct margay_exact *e,
                                        const uint64_t *blocks, size_t count,
                                        uint64_t *distances,
                                        struct margay_error *error)
{
    uint64_t *indices = distances == NULL ? NULL : e->indices;
    unsigned base = e->front->blocks;
    size_t passed = pass_filter(e, blocks, count, distances);
    e->filtered_refs += count;
    e->passed_refs += passed;
    /* As long as it is not full, blocks come up and none goes down. */
    unsigned risen = e->front->blocks - base;
    enum margay_status status =
        run_deep(e, e->wanted, NULL, risen, base, indices, error);
    if (status == MARGAY_OK)
        status = run_deep(e, e->wanted + risen, e->demoted + risen,
                          passed - risen, base + risen,
                          indices == NULL ? NULL : indices + risen, error);
    if (distances == NULL)
        return status;
    for (size_t i = 0; i < passed; i++)
        distances[e->origins[i]] = e->indices[i] - 1;
    for (size_t i = 0; i < count; i++)
        distances[i] = margay_exact_distance(e, distances[i] + 1);
    return status;
}

/* ---------------------------------------------------- when to filter -- */

/*
 * A reference that the filter catches takes a fifth to a half of what it would
 * take without, and one that it does not catch takes twice as much.  From which
 * share on it gains depends on the trace: half on those of programs, 0.63 where
 * blocks are drawn by Zipf's law, 0.8 at worst.
 */
#define SHARE_TO_BEGIN   0.60
#define SHARE_TO_STOP    0.50
#define LONGEST_INTERVAL 64

/* References that come together: so many can be judged by themselves, others
   only by the filter that they go through; and for fewer than these, what it
   does for each call is dearer than what it spares. */
#define LEAST_JUDGED 2048
#define LEAST_TRIED  64

/* The share of references that the filter, which is empty, would catch: of the
   second half, since the first fills it. */
static double try_filter(struct margay_near *front, const uint64_t *blocks,
                         size_t count)
{
    uint64_t counts[MARGAY_NEAR_FRONT], gone[MARGAY_EXACT_SEGMENT];
    uint16_t beyond[MARGAY_EXACT_SEGMENT];
    size_t half = count / 2;
    memcpy(counts, front->counts, sizeof counts);
    front->kernel->refer(front, blocks, half, beyond, gone);
    size_t passed =
        front->kernel->refer(front, blocks + half, count - half, beyond, gone);
    memcpy(front->counts, counts, sizeof counts);
    margay_near_empty(front);
    return 1 - (double)passed / (double)(count - half);
}

/* The share that it caught since the last look. */
static double share_caught(struct margay_exact *e)
{
    double share = 1 - (double)e->passed_refs / (double)e->filtered_refs;
    e->filtered_refs = e->passed_refs = 0;
    return share;
}

/* Look whether it gains, and when to look again: the longer nothing changes,
   the later. */
static bool look(struct margay_exact *e, const uint64_t *blocks, size_t count)
{
    bool wanted = e->filtering && !e->trying;
    bool want = e->filtering
                    ? share_caught(e) >= SHARE_TO_STOP
                    : try_filter(e->front, blocks, count) >= SHARE_TO_BEGIN;
    if (want != wanted)
        e->look_interval = 1;
    else if (e->look_interval < LONGEST_INTERVAL)
        e->look_interval *= 2;
    e->refs_to_look = e->look_interval * MARGAY_EXACT_SEGMENT;
    e->trying = false;
    return want;
}

/* Decide for the segment that begins at `blocks`; cheap, and never wrong:
   the results are the same either way. */
static bool want_filter(struct margay_exact *e, const uint64_t *blocks,
                        size_t count)
{
    if (e->filter != MARGAY_FILTER_AUTO)
        return e->filter == MARGAY_FILTER_ON;
    if (e->refs_to_look > 0) {
        e->refs_to_look -= count < e->refs_to_look ? count : e->refs_to_look;
        return e->filtering;
    }
    if (e->filtering || count >= LEAST_JUDGED)
        return look(e, blocks, count);
    e->trying = count >= LEAST_TRIED;
    e->refs_to_look = e->trying ? MARGAY_EXACT_SEGMENT : 0;
    return e->trying;
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
