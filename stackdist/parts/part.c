/* part.c - one part of a trace, analysed before its past is known */
#include "stackdist/parts/part.h"

#include <math.h>
#include <stdlib.h>

#include "stackdist/engine.h"
#include "stackdist/exact/hash.h"
#include "stackdist/histogram.h"

/* -------------------------------------------------------------- the part -- */

/* Distances are read while they are in the nearest cache. */
#define PIECE_REFS 4096

enum margay_status margay_part_begin(struct margay_part *part,
                                     const struct margay_part_setup *setup,
                                     struct margay_error *error)
{
    uint64_t bound = setup->options->bound_blocks;
    *part = (struct margay_part){
        .first = setup->first,
        .plain = setup->plain,
        .bound = bound == 0 ? UINT64_MAX : bound,
    };
    struct margay_engine_options options = *setup->options;
    options.threads = 1;
    enum margay_status status =
        margay_engine_create(setup->spec, &options, &part->engine, error);
    if (status != MARGAY_OK)
        return status;
    if (!setup->plain)
        part->own = part->engine->class == &margay_engine_exact;
    const struct margay_expected expected = {setup->refs,
                                             setup->expected_blocks};
    if (part->own)
        status = margay_exact_begin(part->engine->state, &expected,
                                    part->first ? 0 : part->bound, error);
    if (status == MARGAY_OK && setup->block_count > 0) {
        status = margay_engine_feed(part->engine, setup->blocks,
                                    (size_t)setup->block_count, NULL, error);
        margay_engine_reset_counts(part->engine);
    }
    return status;
}

void margay_part_free(struct margay_part *part)
{
    margay_engine_free(part->engine);
    margay_histogram_free(part->counts);
    free(part->touches);
    *part = (struct margay_part){.engine = NULL};
}

/* ------------------------------------------------------ within the part -- */

enum margay_status margay_part_feed(struct margay_part *part,
                                    const uint64_t *blocks, size_t count,
                                    struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0; done < count && status == MARGAY_OK;) {
        size_t some = count - done < PIECE_REFS ? count - done : PIECE_REFS;
        if (!part->own && !part->first && part->touch_count < part->bound) {
            uint64_t distances[PIECE_REFS];
            if (!MARGAY_MAKE_ROOM(part->touches, part->touch_count, some,
                                  part->touch_capacity))
                return margay_fail_memory(error, "the first touches of a part");
            status = margay_engine_feed(part->engine, blocks + done, some,
                                        distances, error);
            /* The first infinite distances, up to the bound, are those of first
               touches: nothing has been forgotten before as many blocks were
               seen. */
            for (size_t i = 0; i < some && status == MARGAY_OK; i++) {
                if (distances[i] == MARGAY_INFINITE &&
                    part->touch_count < part->bound)
                    part->touches[part->touch_count++] = blocks[done + i];
            }
        } else {
            some = count - done;
            status = margay_engine_feed(part->engine, blocks + done, some, NULL,
                                        error);
        }
        done += some;
    }
    return status;
}

uint64_t *margay_part_touches(struct margay_part *part, size_t *count)
{
    if (part->own && part->touches == NULL)
        return margay_exact_touches(part->engine->state, count);
    *count = part->touch_count;
    return part->touches;
}

/* ------------------------------------------------- asked by later parts -- */

/* Have the exact engine answer for one that cannot, from its state on. */
static enum margay_status hand_over(struct margay_part *part,
                                    const struct margay_engine_state *state,
                                    struct margay_error *error)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    const struct margay_expected expected = {.blocks = state->block_count};
    options.bound_blocks = state->bound_blocks;
    margay_engine_free(part->engine);
    enum margay_status status =
        margay_engine_create("exact", &options, &part->engine, error);
    if (status != MARGAY_OK)
        return status;
    part->own = true;
    status = margay_exact_begin(part->engine->state, &expected, 0, error);
    if (status == MARGAY_OK)
        status = margay_engine_import(part->engine, state, error);
    return status == MARGAY_OK ? margay_exact_close(part->engine->state, error)
                               : status;
}

enum margay_status margay_part_close(struct margay_part *part,
                                     struct margay_error *error)
{
    struct margay_engine_state state;
    if (part->own)
        return margay_exact_close(part->engine->state, error);
    enum margay_status status =
        margay_engine_export(part->engine, &state, error);
    if (status == MARGAY_OK && !part->plain)
        status = hand_over(part, &state, error);
    if (status == MARGAY_OK && part->plain) {
        margay_histogram_uncount_infinite(state.counts, part->touch_count);
        part->counts = state.counts;
        state.counts = NULL;
    }
    margay_engine_state_clear(&state);
    return status;
}

/* The questions are references of a plain part. */
static enum margay_status answer_plainly(struct margay_part *part,
                                         uint64_t *blocks, size_t *count,
                                         struct margay_error *error)
{
    size_t asked = *count, left = 0;
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0, some; done < asked && status == MARGAY_OK;
         done += some) {
        uint64_t distances[PIECE_REFS];
        some = asked - done < PIECE_REFS ? asked - done : PIECE_REFS;
        status = margay_engine_feed(part->engine, blocks + done, some,
                                    distances, error);
        for (size_t i = 0; i < some && status == MARGAY_OK; i++) {
            uint64_t distance = distances[i];
            if (distance == MARGAY_INFINITE && !part->first) {
                blocks[left++] = blocks[done + i];
                continue;
            }
            if (distance >= part->bound)
                distance = MARGAY_INFINITE;
            status = margay_histogram_add(part->counts, distance, 1, error);
        }
    }
    *count = left;
    return status;
}

#define MOST_HELPERS 64

enum margay_status margay_part_answer(struct margay_part *part,
                                      uint64_t *blocks, size_t *count,
                                      const struct margay_part_help *help,
                                      struct margay_error *error)
{
    uint64_t room = part->bound - part->asked;
    uint64_t beyond = *count > room ? *count - room : 0;
    enum margay_status status = MARGAY_OK;
    *count -= beyond;
    part->beyond += beyond;
    part->exceeded = part->exceeded || beyond > 0;
    size_t asked = *count;
    if (!part->plain) {
        /* The engine itself, with the help of the other parts' engines. */
        void *helpers[MOST_HELPERS] = {part->engine->state};
        struct margay_part_question question = {
            .blocks = blocks,
            .count = *count,
            .last = part->first,
            .asked = part->asked,
            .crew = help->crew,
            .helpers = helpers,
            .helper_count = 1,
            .least_share = help->least_share,
        };
        for (unsigned i = 0;
             i < help->part_count && question.helper_count < MOST_HELPERS;
             i++) {
            if (&help->parts[i] != part)
                helpers[question.helper_count++] = help->parts[i].engine->state;
        }
        status = margay_exact_answer(part->engine->state, &question, error);
        *count = question.count;
    } else {
        status = answer_plainly(part, blocks, count, error);
    }
    part->asked += asked;
    return status;
}

uint64_t margay_part_left(const struct margay_part *part)
{
    return part->plain ? 0 : margay_exact_left(part->engine->state);
}

/* The questions to a plain part are in its stack, too, so the bound may have
   been exceeded after the part was closed. */
enum margay_status margay_part_finish(struct margay_part *part,
                                      struct margay_error *error)
{
    struct margay_result result;
    if (part->engine == NULL)
        return MARGAY_OK;
    margay_part_touches(part, &part->touch_count);
    enum margay_status status =
        margay_engine_finish(part->engine, &result, error);
    if (status != MARGAY_OK)
        return status;
    if (margay_histogram_exceeded_bound(result.histogram) != 0)
        part->exceeded = true;
    if (part->plain)
        margay_result_clear(&result);
    else
        part->counts = result.histogram;
    margay_engine_free(part->engine);
    part->engine = NULL;
    return MARGAY_OK;
}

enum margay_status margay_part_end(struct margay_part *part,
                                   margay_histogram *histogram,
                                   struct margay_error *error)
{
    enum margay_status status = margay_part_finish(part, error);
    if (status == MARGAY_OK)
        status = margay_histogram_take_all(histogram, part->counts, error);
    /* The engine counted these as infinite, and other parts count them. */
    if (status == MARGAY_OK && !part->plain)
        margay_histogram_uncount_infinite(histogram, part->touch_count);
    if (status == MARGAY_OK)
        status = margay_histogram_add(histogram, MARGAY_INFINITE, part->beyond,
                                      error);
    return status;
}

enum margay_status margay_part_list(struct margay_part *part, uint64_t **blocks,
                                    uint64_t *count, struct margay_error *error)
{
    return part->engine->class->list_stack(part->engine->state, blocks, count,
                                           error);
}

/* --------------------------------------------- how many blocks to expect -- */

/* More blocks than any trace has. */
#define MOST_BLOCKS 1e15

/* Of M equally likely blocks, n references touch M (1 - exp(-n / M)): so M
   follows from the distinct blocks of the sample, and those of all references
   from M. */
static double touched(double blocks, double refs)
{
    return -blocks * expm1(-refs / blocks);
}

uint64_t margay_expect_blocks(const uint64_t *sample, size_t count, size_t run,
                              uint64_t refs)
{
    struct margay_hash seen;
    if (count == 0 ||
        margay_hash_create_stretched(&seen, count, NULL) != MARGAY_OK)
        return 0;
    /* How often the sample meets a block again: how many references, and how
       many events, each a row of such references in one run. */
    double again = 0, events = 0;
    bool before = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t *met = margay_hash_insert(&seen, sample[i]);
        bool now = *met != 0;
        again += now;
        events += now && (!before || i % run == 0);
        before = now;
        *met = 1;
    }
    margay_hash_destroy(&seen);
    /* Events come by chance: with the standard error of their number more, or
       one whole run if there was none. */
    again = events == 0 ? (double)run : again * (1 + 1 / sqrt(events));
    double distinct = fmax((double)count - again, 1);
    double low = distinct, high = MOST_BLOCKS;
    for (int i = 0; i < 64; i++) {
        double middle = sqrt(low * high);
        if (touched(middle, (double)count) < distinct)
            low = middle;
        else
            high = middle;
    }
    return (uint64_t)touched(low, (double)refs);
}
