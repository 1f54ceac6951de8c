/*
 * kernel.h - the loops of the all-associativity engine over references
 *
 * kernel_32.c and kernel_64.c consist of this file, and each is compiled once
 * per processor level.  They define `tag`, MARGAY_TAG_BITS, and MARGAY_KERNEL,
 * the name of the table at the end, which is the only external name.
 */
#ifndef MARGAY_ASSOC_KERNEL_H
#define MARGAY_ASSOC_KERNEL_H

#include "assoc/one_pass/levels.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
/* A function of its own gives each loop all the registers. */
#define NOINLINE __attribute__((noinline))

/* The tags of a cache line. */
#define LANES (MARGAY_LINE_BYTES / sizeof(tag))

/*
 * A level of that many sets or more does not stay in the first-level cache.
 * Its sets are spread over the lines of that cache, 2^6 of them per way: a
 * trace with a stride would use a few of them otherwise.
 */
#define SPREAD_SET_SHIFT 9
#define SPREAD_BITS      6

/* The shape of the sets that a loop is compiled for. */
enum shape {
    SHAPE_LINES, /* sets of a multiple of LANES tags */
    SHAPE_PART,  /* sets of fewer than LANES tags */
};

/* Where a block's set is among the sets of a level. */
struct places {
    tag set_mask;
    unsigned spread;
};

static ALWAYS_INLINE struct places places_of(const struct margay_level *level,
                                             bool spread)
{
    return (struct places){
        .set_mask = (tag)((UINT64_C(1) << level->set_shift) - 1),
        .spread = spread ? SPREAD_BITS : MARGAY_TAG_BITS - 1};
}

static ALWAYS_INLINE size_t place_of(struct places places, tag block)
{
    tag set = block & places.set_mask;
    return set ^ set >> places.spread;
}

/*
 * touch() looks for a block in a set and makes it the most recent.  It returns
 * the recency at which the block was, or `stride` if the set did not hold it.
 */

#if defined(__AVX2__)
#include "assoc/one_pass/line.h"

#include "assoc/one_pass/fused.h"

static ALWAYS_INLINE unsigned touch_lines(tag *tags, unsigned stride,
                                          line wanted)
{
    line before = wanted;
    for (unsigned i = 0; i < stride; i += LANES) {
        line old = line_load(tags + i);
        uint32_t found = line_equal(old, wanted);
        line_store(tags + i, line_shift(old, before, found | 1u << LANES));
        if (found != 0)
            return i + (unsigned)__builtin_ctz(found);
        before = old;
    }
    return stride;
}

static ALWAYS_INLINE unsigned touch(tag *tags, unsigned stride, tag block,
                                    enum shape shape)
{
    line wanted = line_of(block);
    if (shape == SHAPE_LINES)
        return touch_lines(tags, stride, wanted);
    line old = line_load_part(tags, stride);
    uint32_t found = line_equal(old, wanted) | 1u << stride;
    line_store_part(tags, line_shift(old, wanted, found), stride);
    return (unsigned)__builtin_ctz(found);
}

#else

static ALWAYS_INLINE unsigned touch(tag *tags, unsigned stride, tag block,
                                    enum shape shape)
{
    tag carried = block;
    (void)shape;
    for (unsigned i = 0; i < stride; i++) {
        tag old = tags[i];
        tags[i] = carried;
        if (old == block)
            return i;
        carried = old;
    }
    return stride;
}

#endif

/* ------------------------------------------------------- many sets -- */

static ALWAYS_INLINE void pass_sets(struct margay_level *level,
                                    struct margay_work *work, enum shape shape,
                                    bool kinds)
{
    const unsigned stride = level->stride;
    const struct places places =
        places_of(level, level->set_shift >= SPREAD_SET_SHIFT);
    tag *const tags = level->tags;
    tag *const blocks = work->blocks;
    uint8_t *const of_kind = work->kinds;
    uint64_t *const hits = level->hits;
    const size_t count = work->count;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        tag block = blocks[i];
        __builtin_prefetch(
            tags + place_of(places, blocks[i + MARGAY_FETCH_AHEAD]) * stride,
            1);
        unsigned depth = touch(tags + place_of(places, block) * stride, stride,
                               block | 1, shape);
        blocks[left] = block;
        if (kinds) {
            uint8_t kind = of_kind[i];
            hits[kind * (stride + 1) + depth]++;
            of_kind[left] = kind;
        } else {
            hits[depth]++;
        }
        left += depth != 0;
    }
    work->count = left;
}

#define PASS_SETS(name, shape, kinds)                     \
    static NOINLINE void name(struct margay_level *level, \
                              struct margay_work *work)   \
    {                                                     \
        pass_sets(level, work, shape, kinds);             \
    }
PASS_SETS(pass_lines, SHAPE_LINES, false)
PASS_SETS(pass_lines_kinds, SHAPE_LINES, true)
PASS_SETS(pass_part, SHAPE_PART, false)
PASS_SETS(pass_part_kinds, SHAPE_PART, true)

static void pass_many(struct margay_level *level, struct margay_work *work)
{
    bool kinds = work->kinds != NULL;
    if (level->stride < LANES)
        (kinds ? pass_part_kinds : pass_part)(level, work);
    else
        (kinds ? pass_lines_kinds : pass_lines)(level, work);
}

/* --------------------------------------------------- a single set -- */

/*
 * The most recent block of the only set is that of the reference before, and
 * immediate repeats have been dropped.  So no reference leaves the work here.
 */

#if defined(__AVX2__)

/* One full line, which stays in registers. */
static NOINLINE void single_line(struct margay_level *level,
                                 const struct margay_work *work, size_t from)
{
    const tag *const blocks = work->blocks;
    uint64_t *const hits = level->hits;
    line held = line_load(level->tags);
    for (size_t i = from; i < work->count; i++) {
        line wanted = line_of(blocks[i]);
        uint32_t found = line_equal(held, wanted) | 1u << LANES;
        hits[__builtin_ctz(found)]++;
        held = line_shift(held, wanted, found);
    }
    line_store(level->tags, held);
}

#endif

/* Any number can be a tag here, so none stands for an empty way: look only at
   the ways that are filled. */
static unsigned touch_filled(struct margay_level *level, tag block)
{
    tag *tags = level->tags, carried = block;
    for (unsigned i = 0; i < level->filled; i++) {
        tag old = tags[i];
        tags[i] = carried;
        if (old == block)
            return i;
        carried = old;
    }
    tags[level->filled++] = carried;
    return level->stride;
}

static void pass_single(struct margay_level *level,
                        const struct margay_work *work)
{
    const unsigned stride = level->stride;
    const tag *const blocks = work->blocks;
    for (size_t i = 0; i < work->count; i++) {
        unsigned depth;
        if (level->filled < stride) {
            depth = touch_filled(level, blocks[i]);
        } else {
#if defined(__AVX2__)
            if (stride == LANES && work->kinds == NULL) {
                single_line(level, work, i);
                return;
            }
#endif
            depth = touch(level->tags, stride, blocks[i],
                          stride < LANES ? SHAPE_PART : SHAPE_LINES);
        }
        unsigned kind = work->kinds == NULL ? 0 : work->kinds[i];
        level->hits[kind * (stride + 1) + depth]++;
    }
}

/* ------------------------------------------------------------ the table -- */

static size_t pass(struct margay_level *levels, size_t count,
                   struct margay_work *work)
{
#if defined(__AVX2__)
    if (levels->stride == LANES) {
        size_t passed = pass_fast(levels, count, work);
        if (passed > 0)
            return passed;
    }
#else
    (void)count;
#endif
    if (levels->set_shift == 0)
        pass_single(levels, work);
    else
        pass_many(levels, work);
    return 1;
}

static ALWAYS_INLINE void drop_repeats(const struct margay_work *from,
                                       unsigned shift, uint64_t *last,
                                       struct margay_work *to, bool kinds)
{
    const tag *const blocks = from->blocks;
    tag *const kept = to->blocks;
    tag before = (tag)*last;
    size_t count = 0;
    for (size_t i = 0; i < from->count; i++) {
        tag block = blocks[i] >> shift;
        bool repeated = block == before;
        kept[count] = block;
        if (kinds)
            to->kinds[count] = from->kinds[i];
        count += !repeated;
        before = block;
    }
    to->count = count;
    *last = before;
}

static NOINLINE void begin(const struct margay_work *from, unsigned shift,
                           uint64_t *last, struct margay_work *to)
{
    if (from->kinds == NULL)
        drop_repeats(from, shift, last, to, false);
    else
        drop_repeats(from, shift, last, to, true);
}

const struct margay_levels_kernel MARGAY_KERNEL(MARGAY_TARGET_SUFFIX) = {
    .begin = begin,
    .pass = pass,
};

#endif
