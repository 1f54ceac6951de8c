/*
 * fused.h - the loop that takes each reference through several levels
 *
 * A visit waits for the one before it to the same set, and where there are few
 * sets that is one of the references just before.  Visits to different levels
 * do not wait for each other.  So coarse levels are passed together.
 *
 * The recencies that a loop finds are stored as bytes, and counted and
 * compared 64 at a time.  kernel.h includes this file, behind line.h.
 */
#ifndef MARGAY_ASSOC_FUSED_H
#define MARGAY_ASSOC_FUSED_H

/* The levels of one loop: those of 1 to 32 sets, or three of less than
   2^SPREAD_SET_SHIFT. */
#define FIRST_LEVELS 6
#define NEXT_LEVELS  3

/* References whose recencies are kept before they are counted. */
#define FUSED_REFS 512

#if defined(__AVX512BW__)

/* Which of up to 64 references are there, and what their recencies are. */
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

/* Copy the blocks of recencies above 0, and up to LANES more behind them. */
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

/* The same where kinds are told apart. */
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

/*
 * Pass `levels` levels, all of LANES ways, and drop the references to blocks
 * that are the most recent at the last of them.  Where `single`, the first has
 * one set, which is full; where `fetch`, there is one level, which is spread.
 */
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

static NOINLINE void pass_first(struct margay_level *level,
                                struct margay_work *work)
{
    pass_fused(level, FIRST_LEVELS, work, true, false);
}

static NOINLINE void pass_next(struct margay_level *level,
                               struct margay_work *work)
{
    pass_fused(level, NEXT_LEVELS, work, false, false);
}

static NOINLINE void pass_line(struct margay_level *level,
                               struct margay_work *work)
{
    pass_fused(level, 1, work, false, false);
}

static NOINLINE void pass_line_fetch(struct margay_level *level,
                                     struct margay_work *work)
{
    pass_fused(level, 1, work, false, true);
}

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

#endif
