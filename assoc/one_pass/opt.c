/*
 * opt.c - optimal replacement in all caches of one number of sets
 *
 * Algorithm: each set is a stack whose first w blocks are what a set of w ways
 *   holds.  The block referenced moves to the top and displaces the block
 *   there.  At each place further down the displaced block meets another: the
 *   one that is used sooner stays, and the other moves on, until the place that
 *   the referenced block had, or the end.  With bypass, the referenced block
 *   competes for the top place in the same way.
 * Source: Belady, "A study of replacement algorithms for a virtual-storage
 *   computer", IBM Systems J. 5(2), 1966; Mattson et al. 1970 for the stack.
 * Guarantee: exact.  Blocks that are never used again are ordered by their last
 *   use.  The order must be the same in all caches, or a smaller cache could
 *   hold a block that a larger one does not.
 * Cost: O(ways) per reference, 16 bytes for each way of each set.
 */
#include <stdlib.h>
#include <string.h>

#include "stackdist/stackdist_internal.h"
#include "traces/traces_internal.h"
#include <margay/assoc.h>

/* References ahead of a reference whose buckets are prefetched. */
#define FETCH_AHEAD 16

/* The hash table's values have 38 bits, and 0 stands for no value. */
#define MOST_REFS ((UINT64_C(1) << 38) - 1)

enum margay_status margay_next_uses(const uint64_t *blocks, size_t count,
                                    uint64_t *next_uses,
                                    struct margay_error *error)
{
    struct margay_hash hash;
    if (count > MOST_REFS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%zu references are too many to look ahead in "
                           "(expected fewer than 2^38)",
                           count);
    enum margay_status status = margay_hash_create(&hash, 0, error);
    for (size_t i = count; i-- > 0 && status == MARGAY_OK;) {
        unsigned slot;
        status = margay_hash_reserve(&hash, 1, error);
        if (status != MARGAY_OK)
            break;
        if (i >= FETCH_AHEAD)
            margay_hash_prefetch(&hash, blocks[i - FETCH_AHEAD]);
        struct margay_bucket *bucket =
            margay_hash_slot(&hash, blocks[i], &slot);
        uint64_t next = margay_bucket_value(bucket, slot);
        hash.entries += next == 0;
        next_uses[i] = next - 1; /* none, 0, becomes UINT64_MAX */
        bucket->keys[slot] = blocks[i];
        margay_bucket_set_value(bucket, slot, (uint64_t)i + 1);
    }
    margay_hash_destroy(&hash);
    return status;
}

struct entry {
    uint64_t block;
    uint64_t next_use; /* NEVER + its last use if there is no next one */
};
#define NEVER (UINT64_C(1) << 63)

struct margay_opt {
    struct margay_opt_options options;
    struct entry *stacks; /* [set][place] */
    uint8_t *filled;      /* places of each set */
    size_t stacks_bytes, filled_bytes;
    uint64_t now;
    uint64_t references[MARGAY_KINDS];
    uint64_t hits[MARGAY_KINDS][MARGAY_MOST_WAYS]; /* by place */
};

uint64_t margay_opt_bytes(unsigned set_shift, unsigned most_ways)
{
    return ((uint64_t)most_ways * sizeof(struct entry) + 1) << set_shift;
}

enum margay_status margay_opt_create(const struct margay_opt_options *options,
                                     margay_opt **result,
                                     struct margay_error *error)
{
    *result = NULL;
    if (options->set_shift > MARGAY_MOST_SET_SHIFT || options->most_ways < 1 ||
        options->most_ways > MARGAY_MOST_WAYS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "caches of 2^%u sets of up to %u way%s (expected "
                           "at most 2^%d sets and 1 to %d ways)",
                           options->set_shift, options->most_ways,
                           margay_plural(options->most_ways, "s"),
                           MARGAY_MOST_SET_SHIFT, MARGAY_MOST_WAYS);
    margay_opt *opt = calloc(1, sizeof *opt);
    if (opt == NULL)
        return margay_fail_memory(error, "the caches");
    opt->options = *options;
    opt->stacks_bytes = (sizeof *opt->stacks * options->most_ways)
                        << options->set_shift;
    opt->filled_bytes = (size_t)1 << options->set_shift;
    opt->stacks = margay_map(opt->stacks_bytes);
    opt->filled = margay_map(opt->filled_bytes);
    if (opt->stacks == NULL || opt->filled == NULL) {
        margay_opt_free(opt);
        return margay_fail_memory(error, "the caches");
    }
    *result = opt;
    return MARGAY_OK;
}

void margay_opt_free(margay_opt *opt)
{
    if (opt == NULL)
        return;
    margay_unmap(opt->stacks, opt->stacks_bytes);
    margay_unmap(opt->filled, opt->filled_bytes);
    free(opt);
}

/* Move `fresh` to the top.  Returns the place that its block had, or `filled`
   if the stack did not hold it; then *leaving is the entry behind the last. */
static unsigned update(struct entry *stack, unsigned filled, struct entry fresh,
                       bool bypass, struct entry *leaving)
{
    struct entry carried = fresh;
    for (unsigned i = 0; i < filled; i++) {
        struct entry old = stack[i];
        bool displaces = (i == 0 && !bypass) || carried.next_use < old.next_use;
        if (old.block == fresh.block) {
            stack[i] = carried;
            return i;
        }
        if (displaces) {
            stack[i] = carried;
            carried = old;
        }
    }
    *leaving = carried;
    return filled;
}

static void reference(margay_opt *opt, uint64_t block, uint64_t next_use,
                      unsigned kind)
{
    uint64_t set = block & ((UINT64_C(1) << opt->options.set_shift) - 1);
    struct entry *stack = opt->stacks + set * opt->options.most_ways;
    struct entry leaving;
    struct entry fresh = {block,
                          next_use == UINT64_MAX ? NEVER + opt->now : next_use};
    unsigned filled = opt->filled[set];
    unsigned place =
        update(stack, filled, fresh, opt->options.bypass, &leaving);
    opt->now++;
    opt->references[kind]++;
    if (place < filled) {
        opt->hits[kind][place]++;
    } else if (filled < opt->options.most_ways) {
        stack[filled] = leaving;
        opt->filled[set]++;
    }
}

void margay_opt_feed(margay_opt *opt, const uint64_t *blocks,
                     const uint64_t *next_uses, const uint8_t *kinds,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        reference(opt, blocks[i], next_uses[i],
                  kinds == NULL ? MARGAY_READ : kinds[i]);
}

void margay_opt_reset_counts(margay_opt *opt)
{
    memset(opt->references, 0, sizeof opt->references);
    memset(opt->hits, 0, sizeof opt->hits);
}

uint64_t margay_opt_misses(const margay_opt *opt, unsigned ways, unsigned kinds)
{
    uint64_t misses = 0;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        if ((kinds & MARGAY_KIND_BIT(kind)) == 0)
            continue;
        misses += opt->references[kind];
        for (unsigned i = 0; i < ways; i++)
            misses -= opt->hits[kind][i];
    }
    return misses;
}
