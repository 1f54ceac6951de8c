/*
 * feed.c - the path of references through the exact engine
 *
 * References go to the deep stack directly, or through the filter first, and in
 * batches.
 */
#include "stackdist/exact/exact_state.h"

#include <string.h>

/* ------------------------------------------------------ with the filter -- */

enum margay_status margay_exact_empty_filter(struct margay_exact *e,
                                             struct margay_error *error)
{
    uint32_t blocks = e->near->blocks;
    margay_near_list(e->near, e->demoted);
    margay_near_empty(e->near);
    return e->kernel->deep(e, NULL, e->demoted, blocks, 0, NULL, error);
}

static enum margay_status feed_filtered(struct margay_exact *e,
                                        const uint64_t *blocks, size_t count,
                                        uint64_t *distances,
                                        struct margay_error *error)
{
    uint64_t *indices = distances == NULL ? NULL : e->indices;
    unsigned base = e->near->blocks;
    struct margay_near *near = e->near;
    const struct margay_near_kernel *kernel = near->kernel;
    size_t left = count;
    /* Unless distances are wanted, references that do not change the stack are
       counted without passing them. */
    if (distances == NULL && base >= 2) {
        uint64_t top[2];
        margay_near_top(near, top);
        left = kernel->condense(blocks, count, top, e->kept, near->counts);
        blocks = e->kept;
    }
    size_t passed =
        kernel->refer(near, blocks, left, e->origins, e->demoted, distances);
    for (size_t i = 0; i < passed; i++)
        e->wanted[i] = blocks[e->origins[i]];
    e->filtered_refs += left;
    e->passed_refs += passed;
    /* Until the filter is full, blocks leave the deep stack and none enters. */
    unsigned risen = near->blocks - base;
    enum margay_status status =
        e->kernel->deep(e, e->wanted, NULL, risen, base, indices, error);
    if (status == MARGAY_OK)
        status = e->kernel->deep(
            e, e->wanted + risen, e->demoted + risen, passed - risen,
            base + risen, indices == NULL ? NULL : indices + risen, error);
    if (distances == NULL)
        return status;
    for (size_t i = 0; i < passed; i++)
        distances[e->origins[i]] = e->indices[i] - 1;
    for (size_t i = 0; i < count; i++)
        distances[i] = margay_exact_distance(e, distances[i] + 1);
    return status;
}

/* ------------------------------------------------- without the filter -- */

/* The first references of a segment, and repeats among these, from which on it
   is worth a look at all of them. */
#define LOOKED_AT    128
#define REPEATS_MANY 3

/* A reference to the block just referred to waits until its bucket, which is
   read as a whole, has been written: it takes more time than any other.  Such
   references, and others that do not change the stack, are counted and dropped,
   but for the first of a segment; e->kept has the rest, whose number is
   returned. */
static size_t condense(struct margay_exact *e, const uint64_t *blocks,
                       size_t count)
{
    uint64_t top[2] = {blocks[0], blocks[0]};
    e->kept[0] = blocks[0];
    return 1 + e->near->kernel->condense(blocks + 1, count - 1, top,
                                         e->kept + 1, e->near->counts);
}

static enum margay_status feed_unfiltered(struct margay_exact *e,
                                          const uint64_t *blocks, size_t count,
                                          uint64_t *distances,
                                          struct margay_error *error)
{
    size_t repeats = 0, left = count;
    for (size_t i = 1; i < count && i < LOOKED_AT; i++)
        repeats += blocks[i] == blocks[i - 1];
    if (distances == NULL && repeats >= REPEATS_MANY) {
        left = condense(e, blocks, count);
        blocks = e->kept;
    }
    enum margay_status status =
        e->kernel->deep(e, blocks, blocks, left, 0, distances, error);
    for (size_t i = 0; status == MARGAY_OK && distances != NULL && i < count;
         i++)
        distances[i] = margay_exact_distance(e, distances[i]);
    return status;
}

/* ---------------------------------------------------- when to filter -- */

/* With the filter a reference that it has takes a fifth to a half of the time
   without, and any other reference twice the time.  The filter pays from a
   share of references on that depends on the trace: 0.5 with those of programs,
   0.63 where blocks are drawn by Zipf's law, and 0.8 at worst. */
#define SHARE_TO_BEGIN   0.60
#define SHARE_TO_STOP    0.50
#define LONGEST_INTERVAL 64

/* From LEAST_JUDGED references per call on, a trial decides whether to filter
   them; with fewer, filtering a segment does; and with fewer than LEAST_TRIED a
   call of the filter costs more than the filter saves. */
#define LEAST_JUDGED 2048
#define LEAST_TRIED  64

/* The share of references that the filter, which is empty, would have: of the
   second half, as the first half fills it.  Those that are left out either way
   are not among them. */
static double try_filter(struct margay_exact *e, const uint64_t *blocks,
                         size_t count)
{
    uint64_t counts[MARGAY_NEAR_MOST_BLOCKS], gone[MARGAY_EXACT_SEGMENT];
    uint16_t beyond[MARGAY_EXACT_SEGMENT];
    struct margay_near *near = e->near;
    memcpy(counts, near->counts, sizeof counts);
    count = condense(e, blocks, count);
    size_t half = count / 2;
    near->kernel->refer(near, e->kept, half, beyond, gone, NULL);
    size_t passed = near->kernel->refer(near, e->kept + half, count - half,
                                        beyond, gone, NULL);
    memcpy(near->counts, counts, sizeof counts);
    margay_near_empty(near);
    return 1 - (double)passed / (double)(count - half);
}

/* Decide for the segment that begins at `blocks`.  The decision affects the
   speed only, not the result. */
static bool want_filter(struct margay_exact *e, const uint64_t *blocks,
                        size_t count)
{
    if (e->filter != MARGAY_FILTER_AUTO)
        return e->filter == MARGAY_FILTER_ON;
    if (e->refs_to_look > 0) {
        e->refs_to_look -= count < e->refs_to_look ? count : e->refs_to_look;
        return e->filtering;
    }
    if (e->filtering || count >= LEAST_JUDGED) {
        /* Decide whether to filter, and when to look again: the longer nothing
           changes, the later. */
        bool wanted = e->filtering && !e->trying;
        bool want;
        if (e->filtering) {
            /* The share that the filter has had since the last look. */
            want = (double)e->passed_refs <=
                   (1 - SHARE_TO_STOP) * (double)e->filtered_refs;
            e->filtered_refs = e->passed_refs = 0;
        } else {
            want = try_filter(e, blocks, count) >= SHARE_TO_BEGIN;
        }
        if (want != wanted)
            e->look_interval = 1;
        else if (e->look_interval < LONGEST_INTERVAL)
            e->look_interval *= 2;
        e->refs_to_look = e->look_interval * MARGAY_EXACT_SEGMENT;
        e->trying = false;
        return want;
    }
    e->trying = count >= LEAST_TRIED;
    e->refs_to_look = e->trying ? MARGAY_EXACT_SEGMENT : 0;
    return e->trying;
}

enum margay_status margay_exact_feed(void *state, const uint64_t *blocks,
                                     size_t count, uint64_t *distances,
                                     struct margay_error *error)
{
    struct margay_exact *e = state;
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0; done < count && status == MARGAY_OK;) {
        size_t segment = margay_minimum(count - done, MARGAY_EXACT_SEGMENT);
        uint64_t *to = distances == NULL ? NULL : distances + done;
        bool filtering = want_filter(e, blocks + done, segment);
        if (!filtering && e->filtering)
            status = margay_exact_empty_filter(e, error);
        e->filtering = filtering;
        if (status == MARGAY_OK && filtering) {
            status = feed_filtered(e, blocks + done, segment, to, error);
        } else if (status == MARGAY_OK) {
            status = feed_unfiltered(e, blocks + done, segment, to, error);
        }
        done += segment;
        e->fed_refs += segment;
    }
    if (status == MARGAY_OK && e->spill_status != MARGAY_OK)
        return margay_fail_memory(error, "the histogram");
    return status;
}
