/*
 * kernel.h - the loops of the all-associativity engine over references
 *
 * kernel_32.c and kernel_64.c consist of this file and of MARGAY_TAG_BITS, and
 * each is compiled once per processor level.  The table at the end is the only
 * external name.
 */
#ifndef MARGAY_ASSOC_KERNEL_H
#define MARGAY_ASSOC_KERNEL_H

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "assoc/one_pass/levels.h"

#if MARGAY_TAG_BITS == 32
typedef uint32_t tag;
#define BY_WIDTH(narrow, wide) narrow
#else
typedef uint64_t tag;
#define BY_WIDTH(narrow, wide) wide
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))
/* A function of its own gives each loop all the registers. */
#define NOINLINE __attribute__((noinline))

/* The tags of a cache line. */
#define LANES (MARGAY_LINE_BYTES / sizeof(tag))

/* A level of that many sets or more does not stay in the first-level cache.
   Its sets are spread over the lines of that cache, 2^6 of them per way: a
   trace with a stride would use a few of them otherwise. */
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

#if defined(__AVX2__)

/* ------------------------------------------- a line of tags in registers -- */

/*
 * A cache line of tags in recency order, in vector registers.  Bit i of a mask
 * stands for tag i.
 *
 *     line_load, line_store            a whole line
 *     line_load_part, line_store_part  its first few tags, the others 0
 *     line_equal                       the mask of the tags that are equal
 *     line_shift                       move the tags above the lowest bit of
 *                                      `found` one place down (all of them
 *                                      where it is beyond the line), and the
 *                                      last tag of `before` into place 0
 */

#if defined(__AVX512BW__) && defined(__AVX512DQ__)

typedef __m512i line;
typedef BY_WIDTH(__mmask16, __mmask8) line_mask;

static ALWAYS_INLINE line line_of(tag value)
{
    return BY_WIDTH(_mm512_set1_epi32((int)value),
                    _mm512_set1_epi64((long long)value));
}

static ALWAYS_INLINE line line_load(const tag *tags)
{
    return _mm512_load_si512(tags);
}

static ALWAYS_INLINE void line_store(tag *tags, line value)
{
    _mm512_store_si512(tags, value);
}

static ALWAYS_INLINE line line_load_part(const tag *tags, unsigned count)
{
    line_mask part = (line_mask)((1u << count) - 1);
    return BY_WIDTH(_mm512_maskz_loadu_epi32, _mm512_maskz_loadu_epi64)(part,
                                                                        tags);
}

static ALWAYS_INLINE void line_store_part(tag *tags, line value, unsigned count)
{
    line_mask part = (line_mask)((1u << count) - 1);
    BY_WIDTH(_mm512_mask_storeu_epi32, _mm512_mask_storeu_epi64)
    (tags, part, value);
}

static ALWAYS_INLINE uint32_t line_equal(line a, line b)
{
    return BY_WIDTH(margay_mask16_bits(_mm512_cmpeq_epi32_mask(a, b)),
                    margay_mask8_bits(_mm512_cmpeq_epi64_mask(a, b)));
}

static ALWAYS_INLINE line line_shift(line old, line before, uint32_t found)
{
    line_mask moved = (line_mask)(found ^ (found - 1));
    return BY_WIDTH(_mm512_mask_alignr_epi32, _mm512_mask_alignr_epi64)(
        old, moved, old, before, LANES - 1);
}

#else /* AVX2: a line is two registers */

typedef struct {
    __m256i half[2];
} line;

static ALWAYS_INLINE line line_of(tag value)
{
    __m256i half = BY_WIDTH(_mm256_set1_epi32((int)value),
                            _mm256_set1_epi64x((long long)value));
    return (line){{half, half}};
}

static ALWAYS_INLINE line line_load(const tag *tags)
{
    const __m256i *halves = (const __m256i *)(const void *)tags;
    return (line){{_mm256_load_si256(halves), _mm256_load_si256(halves + 1)}};
}

static ALWAYS_INLINE void line_store(tag *tags, line value)
{
    __m256i *halves = (__m256i *)(void *)tags;
    _mm256_store_si256(halves, value.half[0]);
    _mm256_store_si256(halves + 1, value.half[1]);
}

/* All bits of the first `count` tags, none of the others. */
static ALWAYS_INLINE line line_first(unsigned count)
{
    static const int8_t border[2 * MARGAY_LINE_BYTES] = {
#define ONES_16 -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
        ONES_16,
        ONES_16,
        ONES_16,
        ONES_16,
#undef ONES_16
    };
    const __m256i *from =
        (const __m256i *)(const void *)(border + MARGAY_LINE_BYTES -
                                        count * sizeof(tag));
    /* Compilers would use smaller registers for memcpy. */
    line first = {{_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1)}};
    return first;
}

static ALWAYS_INLINE line line_load_part(const tag *tags, unsigned count)
{
    line part = line_first(count);
    const int *words = (const int *)(const void *)tags;
    return (line){{_mm256_maskload_epi32(words, part.half[0]),
                   _mm256_maskload_epi32(words + 8, part.half[1])}};
}

static ALWAYS_INLINE void line_store_part(tag *tags, line value, unsigned count)
{
    line part = line_first(count);
    int *words = (int *)(void *)tags;
    _mm256_maskstore_epi32(words, part.half[0], value.half[0]);
    _mm256_maskstore_epi32(words + 8, part.half[1], value.half[1]);
}

static ALWAYS_INLINE uint32_t half_equal(__m256i a, __m256i b)
{
#if MARGAY_TAG_BITS == 32
    __m256i same = _mm256_cmpeq_epi32(a, b);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same));
#else
    __m256i same = _mm256_cmpeq_epi64(a, b);
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(same));
#endif
}

static ALWAYS_INLINE uint32_t line_equal(line a, line b)
{
    return half_equal(a.half[0], b.half[0]) | half_equal(a.half[1], b.half[1])
                                                  << LANES / 2;
}

/* Every tag one place up, the last one round to the first place. */
static ALWAYS_INLINE __m256i half_rotate(__m256i half)
{
#if MARGAY_TAG_BITS == 32
    return _mm256_permutevar8x32_epi32(
        half, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
#else
    return _mm256_permute4x64_epi64(half, 0x93);
#endif
}

static ALWAYS_INLINE line line_shift(line old, line before, uint32_t found)
{
    enum { FIRST_TAG = MARGAY_TAG_BITS == 32 ? 1 : 3 };
    line moved =
        line_first((unsigned)__builtin_ctz(found | 1u << (LANES - 1)) + 1);
    __m256i low = half_rotate(old.half[0]), high = half_rotate(old.half[1]);
    __m256i entering = half_rotate(before.half[1]);
    high = _mm256_blend_epi32(high, low, FIRST_TAG);
    low = _mm256_blend_epi32(low, entering, FIRST_TAG);
    return (line){{_mm256_blendv_epi8(old.half[0], low, moved.half[0]),
                   _mm256_blendv_epi8(old.half[1], high, moved.half[1])}};
}

#endif

/* ----------------------------------------------- several levels together -- */

/*
 * A visit waits for the one before it to the same set, and where there are few
 * sets that is one of the references just before.  Visits to different levels
 * do not wait for each other.  So coarse levels are passed together.
 *
 * The recencies that a loop finds are stored as bytes, and counted and
 * compared 64 at a time.
 */

/* The levels of one loop: those of 1 to 32 sets, or three of less than
   2^SPREAD_SET_SHIFT. */
#define FIRST_LEVELS 6
#define NEXT_LEVELS  3

/* References whose recencies are kept before they are counted. */
#define FUSED_REFS 512

#if defined(__AVX512BW__)

/* The mask of up to 64 references, and their recencies. */
static ALWAYS_INLINE __m512i load_recencies(const uint8_t *recencies,
                                            size_t count, uint64_t *there)
{
    *there = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    return _mm512_load_si512(recencies);
}

static ALWAYS_INLINE uint64_t of_recency(__m512i recencies, unsigned recency)
{
    return _mm512_cmpeq_epi8_mask(recencies, _mm512_set1_epi8((char)recency));
}

static ALWAYS_INLINE void count_recencies(uint64_t *hits,
                                          const uint8_t *recencies,
                                          size_t count)
{
    for (size_t i = 0; i < count; i += 64) {
        uint64_t there;
        __m512i some = load_recencies(recencies + i, count - i, &there);
        uint64_t found = there & ~of_recency(some, LANES);
        hits[LANES] += (uint64_t)__builtin_popcountll(there & ~found);
        for (unsigned r = 0; found != 0 && r < LANES; r++) {
            uint64_t here = found & of_recency(some, r);
            hits[r] += (uint64_t)__builtin_popcountll(here);
            found &= ~here;
        }
    }
}

/* Copy the blocks of recencies above 0, and up to LANES more after them. */
static ALWAYS_INLINE size_t keep_older(tag *to, const tag *from,
                                       const uint8_t *recencies, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i += 64) {
        uint64_t there;
        __m512i some = load_recencies(recencies + i, count - i, &there);
        uint64_t older = there & ~of_recency(some, 0);
        for (size_t j = i; older != 0; j += LANES, older >>= LANES) {
            line_mask mask = (line_mask)older;
            _mm512_storeu_si512(to + kept,
                                BY_WIDTH(_mm512_maskz_compress_epi32,
                                         _mm512_maskz_compress_epi64)(
                                    mask, _mm512_loadu_si512(from + j)));
            kept += (size_t)__builtin_popcount(mask);
        }
    }
    return kept;
}

#else

static ALWAYS_INLINE void count_recencies(uint64_t *hits,
                                          const uint8_t *recencies,
                                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        hits[recencies[i]]++;
}

static ALWAYS_INLINE size_t keep_older(tag *to, const tag *from,
                                       const uint8_t *recencies, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        to[kept] = from[i];
        kept += recencies[i] != 0;
    }
    return kept;
}

#endif

/* The same with kinds. */
static ALWAYS_INLINE void count_kinds(uint64_t *hits, const uint8_t *recencies,
                                      const uint8_t *kinds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hits[kinds[i] * (LANES + 1) + recencies[i]]++;
}

static ALWAYS_INLINE void keep_older_kinds(uint8_t *to, const uint8_t *from,
                                           const uint8_t *recencies,
                                           size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        to[kept] = from[i];
        kept += recencies[i] != 0;
    }
}

static ALWAYS_INLINE uint8_t touch_line(line *held, line wanted)
{
    uint32_t found = line_equal(*held, wanted) | 1u << LANES;
    *held = line_shift(*held, wanted, found);
    return (uint8_t)__builtin_ctz(found);
}

static ALWAYS_INLINE uint8_t touch_place(tag *tags, line wanted)
{
    line held = line_load(tags);
    uint8_t recency = touch_line(&held, wanted);
    line_store(tags, held);
    return recency;
}

/* Pass `levels` levels, all of LANES ways, and drop the references to blocks
   that are the most recent at the last of them.  Where `single`, the first has
   one set, which is full; where `fetch`, there is one level, which is
   spread. */
static ALWAYS_INLINE void pass_fused(struct margay_level *level,
                                     unsigned levels, struct margay_work *work,
                                     bool single, bool fetch)
{
    _Alignas(64) uint8_t recencies[FIRST_LEVELS][FUSED_REFS];
    tag *tags[FIRST_LEVELS], *const blocks = work->blocks;
    uint8_t *const kinds = work->kinds;
    struct places places[FIRST_LEVELS];
    line only = single ? line_load(level->tags) : line_of(0);
    size_t left = 0;
    for (unsigned j = 0; j < levels; j++) {
        tags[j] = level[j].tags;
        places[j] = places_of(&level[j], fetch);
    }
    for (size_t done = 0, some; done < work->count; done += some) {
        const tag *from = blocks + done;
        some = work->count - done;
        some = some < FUSED_REFS ? some : FUSED_REFS;
        for (size_t i = 0; i < some; i++) {
            line wanted = line_of(from[i] | 1);
            if (fetch)
                __builtin_prefetch(
                    tags[0] + LANES * place_of(places[0],
                                               from[i + MARGAY_FETCH_AHEAD]),
                    1);
            if (single)
                recencies[0][i] = touch_line(&only, line_of(from[i]));
#pragma GCC unroll 6
            for (unsigned j = single; j < levels; j++)
                recencies[j][i] = touch_place(
                    tags[j] + LANES * place_of(places[j], from[i]), wanted);
        }
        for (unsigned j = 0; j < levels; j++) {
            if (kinds == NULL)
                count_recencies(level[j].hits, recencies[j], some);
            else
                count_kinds(level[j].hits, recencies[j], kinds + done, some);
        }
        if (kinds != NULL)
            keep_older_kinds(kinds + left, kinds + done, recencies[levels - 1],
                             some);
        left += keep_older(blocks + left, from, recencies[levels - 1], some);
    }
    if (single)
        line_store(level->tags, only);
    work->count = left;
}

#define PASS_FUSED(name, levels, single, fetch)           \
    static NOINLINE void name(struct margay_level *level, \
                              struct margay_work *work)   \
    {                                                     \
        pass_fused(level, levels, work, single, fetch);   \
    }
PASS_FUSED(pass_first, FIRST_LEVELS, true, false)
PASS_FUSED(pass_next, NEXT_LEVELS, false, false)
PASS_FUSED(pass_line, 1, false, false)
PASS_FUSED(pass_line_fetch, 1, false, true)

/* The levels from this one on that a loop takes together. */
static size_t pass_fast(struct margay_level *level, size_t levels,
                        struct margay_work *work)
{
    const unsigned last_of_first = FIRST_LEVELS - 1;
    if (level->set_shift == 0) {
        if (level->filled == LANES && levels >= FIRST_LEVELS &&
            level[last_of_first].set_shift == last_of_first) {
            pass_first(level, work);
            return FIRST_LEVELS;
        }
        return 0;
    }
    if (levels >= NEXT_LEVELS &&
        level[NEXT_LEVELS - 1].set_shift < SPREAD_SET_SHIFT) {
        pass_next(level, work);
        return NEXT_LEVELS;
    }
    if (level->set_shift < SPREAD_SET_SHIFT)
        pass_line(level, work);
    else
        pass_line_fetch(level, work);
    return 1;
}

/* touch() looks for a block in a set and makes it the most recent.  It returns
   the recency at which the block was, or `stride` if the set did not hold
   it. */

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

/* --------------------------------------------------- a single set -- */

/* The most recent block of the only set is that of the reference before, and
   immediate repeats have been dropped.  So no reference leaves the work
   here. */

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
    bool kinds = work->kinds != NULL;
    if (levels->set_shift == 0)
        pass_single(levels, work);
    else if (levels->stride < LANES)
        (kinds ? pass_part_kinds : pass_part)(levels, work);
    else
        (kinds ? pass_lines_kinds : pass_lines)(levels, work);
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

const struct margay_levels_kernel MARGAY_TARGET_NAME(
    BY_WIDTH(margay_levels_kernel, margay_wide_levels_kernel)) = {
    .begin = begin,
    .pass = pass,
};

#endif
