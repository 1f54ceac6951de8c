/*
 * stretch_kernel.h - the operations on a stretch
 *
 * Part of kernels that are compiled once per processor level; machines.h
 * explains the terms.
 */
#ifndef MARGAY_STACKDIST_OPTIMAL_STRETCH_KERNEL_H
#define MARGAY_STACKDIST_OPTIMAL_STRETCH_KERNEL_H

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "stackdist/optimal/machines.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NOINLINE      __attribute__((noinline))

/* --------------------------------------------- sixteen numbers at a time -- */

#if defined(__AVX512BW__) && defined(__AVX512DQ__)

/* Bit i of the result: numbers[i] is below `limit`. */
static ALWAYS_INLINE uint32_t group_below(const uint32_t *numbers,
                                          uint32_t limit)
{
    return margay_mask16_bits(_mm512_cmplt_epu32_mask(
        _mm512_loadu_si512(numbers), _mm512_set1_epi32((int)limit)));
}

/* Does a number of this group of the edge stand above what it covers?  Beyond
   the edge both are MARGAY_NO_NUMBER. */
static ALWAYS_INLINE bool group_is_above(const uint32_t *edge,
                                         const uint32_t *covers)
{
    return margay_mask16_bits(_mm512_cmplt_epu32_mask(
               _mm512_loadu_si512(covers), _mm512_loadu_si512(edge))) != 0;
}

/* The same, once the first number, `edge`, has gone, those of `next` have moved
   to the place before, and `number` has come among them, or after them. */
static ALWAYS_INLINE bool group_put(uint32_t *to, __m512i edge, __m512i next,
                                    uint32_t number, const uint32_t *covers)
{
    next = _mm512_min_epu32(next, _mm512_set1_epi32((int)number));
    next = _mm512_max_epu32(edge, next);
    _mm512_storeu_si512(to, next);
    return margay_mask16_bits(
               _mm512_cmplt_epu32_mask(_mm512_loadu_si512(covers), next)) != 0;
}

/* For a group of an edge that goes on after it. */
static ALWAYS_INLINE bool group_exchange(uint32_t *edge, uint32_t number,
                                         const uint32_t *covers)
{
    return group_put(edge, _mm512_loadu_si512(edge),
                     _mm512_loadu_si512(edge + 1), number, covers);
}

/* For an edge that ends in the group; reads no more than that. */
static ALWAYS_INLINE bool group_exchange_only(uint32_t *edge, uint32_t number,
                                              const uint32_t *covers)
{
    __m512i all = _mm512_load_si512(edge);
    __m512i next = _mm512_alignr_epi32(_mm512_set1_epi32(-1), all, 1);
    return group_put(edge, all, next, number, covers);
}

/* How many of `count` ascending places are before `at`.  A whole number of
   registers is read. */
static ALWAYS_INLINE uint32_t margay_places_before(const uint16_t *places,
                                                   uint32_t count, uint32_t at)
{
    const __m512i limit = _mm512_set1_epi16((short)at);
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i += 32) {
        __mmask32 wanted =
            UINT32_MAX >> (count - i < 32 ? 32 - (count - i) : 0);
        before += (uint32_t)__builtin_popcount(_mm512_mask_cmplt_epu16_mask(
            wanted, _mm512_loadu_si512(places + i), limit));
    }
    return before;
}

/* From the last of a group to its first, a number that is carried changes
   places with each that is lower: but only with those of `wanted`.  Returns the
   number that is carried then. */
static ALWAYS_INLINE uint32_t group_carry(uint32_t *numbers, uint32_t wanted,
                                          uint32_t number)
{
    const __m512i none = _mm512_set1_epi32(-1);
    __mmask16 mask = (__mmask16)wanted;
    __m512i all = _mm512_mask_loadu_epi32(none, mask, numbers), least = all;
    least = _mm512_min_epu32(least, _mm512_alignr_epi32(none, least, 1));
    least = _mm512_min_epu32(least, _mm512_alignr_epi32(none, least, 2));
    least = _mm512_min_epu32(least, _mm512_alignr_epi32(none, least, 4));
    least = _mm512_min_epu32(least, _mm512_alignr_epi32(none, least, 8));
    __m512i carried = _mm512_min_epu32(_mm512_alignr_epi32(none, least, 1),
                                       _mm512_set1_epi32((int)number));
    _mm512_mask_storeu_epi32(numbers, mask, _mm512_max_epu32(all, carried));
    uint32_t first = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(least));
    return first < number ? first : number;
}

/* The same, for numbers[from..end). */
static ALWAYS_INLINE uint32_t margay_carry(uint32_t *numbers, int32_t from,
                                           int32_t end, uint32_t number)
{
    for (; end - from > MARGAY_STRETCH_GROUP; end -= MARGAY_STRETCH_GROUP)
        number = group_carry(numbers + end - MARGAY_STRETCH_GROUP, UINT16_MAX,
                             number);
    return group_carry(numbers + from, (UINT32_C(1) << (end - from)) - 1,
                       number);
}

#else

static ALWAYS_INLINE uint32_t margay_places_before(const uint16_t *places,
                                                   uint32_t count, uint32_t at)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++)
        before += places[i] < at;
    return before;
}

static ALWAYS_INLINE uint32_t margay_carry(uint32_t *numbers, int32_t from,
                                           int32_t end, uint32_t number)
{
    for (int32_t i = end; i-- > from;) {
        uint32_t other = numbers[i];
        numbers[i] = other < number ? number : other;
        number = other < number ? other : number;
    }
    return number;
}

static ALWAYS_INLINE uint32_t group_below(const uint32_t *numbers,
                                          uint32_t limit)
{
    uint32_t bits = 0;
#if defined(__SSE2__)
    const __m128i sign = _mm_set1_epi32(INT32_MIN);
    const __m128i above = _mm_xor_si128(_mm_set1_epi32((int)limit), sign);
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP; i += 4) {
        __m128i some = _mm_loadu_si128((const __m128i *)(numbers + i));
        some = _mm_cmpgt_epi32(above, _mm_xor_si128(some, sign));
        bits |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(some)) << i;
    }
#else
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP; i++)
        bits |= (uint32_t)(numbers[i] < limit) << i;
#endif
    return bits;
}

static ALWAYS_INLINE bool group_is_above(const uint32_t *edge,
                                         const uint32_t *covers)
{
    uint32_t above = 0;
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP; i++)
        above |= covers[i] < edge[i];
    return above != 0;
}

static ALWAYS_INLINE bool group_exchange(uint32_t *edge, uint32_t number,
                                         const uint32_t *covers)
{
    uint32_t next[MARGAY_STRETCH_GROUP];
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP; i++) {
        uint32_t moved = edge[i + 1] < number ? edge[i + 1] : number;
        next[i] = edge[i] > moved ? edge[i] : moved;
    }
    memcpy(edge, next, sizeof next);
    return group_is_above(edge, covers);
}

static ALWAYS_INLINE bool group_exchange_only(uint32_t *edge, uint32_t number,
                                              const uint32_t *covers)
{
    return group_exchange(edge, number, covers);
}

#endif

/* Move the numbers from 1 on to `end`, and a group after them, to the place
   before. */
static ALWAYS_INLINE void group_close(uint32_t *numbers, uint32_t end)
{
    for (uint32_t i = 0; i < end; i += MARGAY_STRETCH_GROUP) {
        uint32_t next[MARGAY_STRETCH_GROUP];
        memcpy(next, numbers + i + 1, sizeof next);
        memcpy(numbers + i, next, sizeof next);
    }
}

/* --------------------------------------------------- numbers in a row -- */

/* The numbers of an ascending array up to `limit`. */
static ALWAYS_INLINE uint32_t count_until(const uint32_t *numbers,
                                          uint32_t count, uint32_t limit)
{
    const uint32_t *from = numbers;
    while (count > MARGAY_STRETCH_GROUP) {
        uint32_t half = count / 2;
        from += half & -(uint32_t)(from[half - 1] <= limit);
        count -= half;
    }
    uint32_t bits = group_below(from, limit + 1);
    bits &= (UINT32_C(1) << count) - 1;
    return (uint32_t)(from - numbers) + (uint32_t)__builtin_popcount(bits);
}

/* The newest of numbers[from..end) below `limit`; `from` - 1 if none is. */
static ALWAYS_INLINE int32_t newest_below(const uint32_t *numbers, int32_t from,
                                          int32_t end, uint32_t limit)
{
    while (end - from >= MARGAY_STRETCH_GROUP) {
        uint32_t bits =
            group_below(numbers + end - MARGAY_STRETCH_GROUP, limit);
        if (bits != 0)
            return end - MARGAY_STRETCH_GROUP + 31 - __builtin_clz(bits);
        end -= MARGAY_STRETCH_GROUP;
    }
    uint32_t bits = group_below(numbers + from, limit);
    bits &= (UINT32_C(1) << (end - from)) - 1;
    return bits == 0 ? from - 1 : from + 31 - __builtin_clz(bits);
}

static ALWAYS_INLINE uint32_t least_of(const uint32_t *numbers, int32_t from,
                                       int32_t end)
{
    uint32_t least = MARGAY_NO_NUMBER;
    for (int32_t i = from; i < end; i++)
        least = numbers[i] < least ? numbers[i] : least;
    return least;
}

/* ------------------------------------------------------------ the edge -- */

/* Edge numbers and the group after them begin in the first place again. */
static ALWAYS_INLINE void move_back(struct margay_stretch *stretch)
{
    memmove(stretch->edge_space, stretch->edge,
            (stretch->edge_count + MARGAY_STRETCH_GROUP + 1) *
                sizeof *stretch->edge);
    stretch->edge = stretch->edge_space;
}

/* The first number of a long edge leaves it; edge_count is still to be changed,
   if another does not come to its end. */
static ALWAYS_INLINE void drop_first_of_long(struct margay_stretch *stretch)
{
    stretch->edge++;
    if (stretch->edge_count <= MARGAY_STRETCH_LONG + 1 ||
        stretch->edge == stretch->edge_space + MARGAY_STRETCH_SLACK)
        move_back(stretch);
}

static ALWAYS_INLINE void set_end(struct margay_stretch *stretch,
                                  uint32_t edge_count)
{
    stretch->edge_count = edge_count;
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP + 1; i++)
        stretch->edge[edge_count + i] = MARGAY_NO_NUMBER;
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP; i++)
        stretch->covers[edge_count + i] = MARGAY_NO_NUMBER;
}

/* The first index after place i - 1. */
static ALWAYS_INLINE int32_t index_behind(const struct margay_stretch *stretch,
                                          uint32_t i)
{
    return i == 0 ? (int32_t)stretch->first : stretch->places[i - 1] + 1;
}

/* Uncover the numbers that place i covers: put those on the edge that are below
   edge[i] and all after them, and set covers[] of all these places. */
static NOINLINE void uncover(struct margay_stretch *stretch, uint32_t i)
{
    uint16_t found[MARGAY_STRETCH_MACHINES];
    uint32_t count = 0, limit = stretch->edge[i];
    int32_t from = index_behind(stretch, i), end = stretch->places[i];
    int32_t at, until = end;
    while ((at = newest_below(stretch->numbers, from, until, limit)) >= from) {
        found[count++] = (uint16_t)at;
        limit = stretch->numbers[at];
        until = at;
    }
    if (count > 0) {
        if (stretch->edge != stretch->edge_space)
            move_back(stretch);
        memmove(stretch->edge + i + count, stretch->edge + i,
                (stretch->edge_count - i) * sizeof *stretch->edge);
        uint32_t edge_count = stretch->edge_count, moved = edge_count - i;
        memmove(stretch->places + i + count, stretch->places + i,
                moved * sizeof *stretch->places);
        memmove(stretch->covers + i + count, stretch->covers + i,
                moved * sizeof *stretch->covers);
        set_end(stretch, edge_count + count);
    }
    for (uint32_t n = count; n-- > 0; i++) {
        stretch->places[i] = found[n];
        stretch->edge[i] = stretch->numbers[found[n]];
        stretch->covers[i] = least_of(stretch->numbers, from, found[n]);
        from = found[n] + 1;
    }
    stretch->covers[i] = least_of(stretch->numbers, from, end);
    stretch->covering |= count > 0 || stretch->covers[i] != MARGAY_NO_NUMBER;
}

/* Uncover where a number on the edge is above what it covers. */
static NOINLINE void uncover_all(struct margay_stretch *stretch)
{
    stretch->calm = 0;
    for (uint32_t i = stretch->edge_count; i-- > 0;) {
        if (stretch->covers[i] < stretch->edge[i])
            uncover(stretch, i);
    }
}

/* The same, of the first `count`, where there may be nothing to uncover. */
static ALWAYS_INLINE void check_edge(struct margay_stretch *stretch,
                                     uint32_t count)
{
    bool above = false;
    for (uint32_t i = 0; i < count; i += MARGAY_STRETCH_GROUP)
        above |= group_is_above(stretch->edge + i, stretch->covers + i);
    if (above)
        uncover_all(stretch);
}

/* -------------------------------------------------------- what happens -- */

/* Find out whether a long edge is calm: each number may then move as far as
   MARGAY_STRETCH_CALM places, and those from the end on get new ones. */
static NOINLINE void look_for_calm(struct margay_stretch *stretch)
{
    const uint32_t *edge = stretch->edge, *covers = stretch->covers;
    uint32_t fixed = stretch->edge_count - MARGAY_STRETCH_CALM, above = 0;
    for (uint32_t i = 0; i < fixed; i++)
        above |= covers[i] < edge[i + MARGAY_STRETCH_CALM];
    stretch->calm = above ? MARGAY_STRETCH_RETRY : MARGAY_STRETCH_CALM;
    stretch->calm_limit =
        above ? 0
              : least_of(covers, (int32_t)fixed, (int32_t)stretch->edge_count);
}

/* Is the edge long, and can `number` come to its end without a look at
   covers[]? */
static ALWAYS_INLINE bool is_calm(struct margay_stretch *stretch,
                                  uint32_t number)
{
    uint32_t last = stretch->edge_count - 1;
    if (last <= MARGAY_STRETCH_LONG)
        return false;
    if (stretch->covering) {
        if (stretch->calm == 0)
            look_for_calm(stretch);
        stretch->calm--;
        if (number >= stretch->calm_limit) {
            stretch->calm_limit = 0;
            return false;
        }
    }
    return number > stretch->edge[last];
}

/* A job that carries `number` passes by a stretch whose edge is not as short as
   a group. */
static NOINLINE void pass_by_more(struct margay_stretch *stretch,
                                  uint32_t number, uint64_t *work)
{
    *work += 4;
    uint32_t *edge = stretch->edge, last = stretch->edge_count - 1;
    if (is_calm(stretch, number)) {
        edge[last + 1] = number;
        edge[last + 2 + MARGAY_STRETCH_GROUP] = MARGAY_NO_NUMBER;
        drop_first_of_long(stretch);
        return;
    }
    bool above = false;
    uint32_t i = 0;
    do {
        above |= group_exchange(edge + i, number, stretch->covers + i);
        i += MARGAY_STRETCH_GROUP;
    } while (i <= last && edge[i] < number);
    *work += i / MARGAY_STRETCH_GROUP;
    if (above)
        uncover_all(stretch);
}

/* A job that carries `number`, which is above the least of the stretch, passes
   by, and carries that on.  Returns the new least number.  *work grows by the
   extra cost of a long edge, in units of a short one. */
static ALWAYS_INLINE uint32_t pass_by(struct margay_stretch *stretch,
                                      uint32_t number, uint64_t *work)
{
    uint32_t *edge = stretch->edge_space;
    /* A longer edge has, or has had, a number there. */
    if (edge[MARGAY_STRETCH_GROUP - 1] != MARGAY_NO_NUMBER) {
        pass_by_more(stretch, number, work);
        return stretch->edge[0];
    }
    if (group_exchange_only(edge, number, stretch->covers))
        uncover_all(stretch);
    return edge[0];
}

/* Moments and numbers of [from, end) move on by one index. */
static ALWAYS_INLINE void move_machines(struct margay_stretch *stretch,
                                        uint32_t to, uint32_t from,
                                        uint32_t end)
{
    memmove(stretch->moments + to, stretch->moments + from,
            (end - from) * sizeof *stretch->moments);
    memmove(stretch->numbers + to, stretch->numbers + from,
            (end - from) * sizeof *stretch->numbers);
}

/* Take the machine at index `at` out of the arrays of machines: those on its
   shorter side close the gap.  Place i and all later ones are after it. */
static ALWAYS_INLINE void remove_machine(struct margay_stretch *stretch,
                                         uint32_t i, uint32_t at)
{
    uint16_t *places = stretch->places;
    if (at - stretch->first < stretch->end - at) {
        move_machines(stretch, stretch->first + 1, stretch->first, at);
        stretch->first++;
        for (uint32_t n = 0; n < i; n++)
            places[n]++;
    } else {
        move_machines(stretch, at, at + 1, stretch->end);
        stretch->end--;
        for (uint32_t n = i; n < stretch->edge_count; n++)
            places[n]--;
    }
}

/* The first number leaves the edge, and so does place i: the numbers of places
   before that move. */
static ALWAYS_INLINE void shorten(struct margay_stretch *stretch, uint32_t i)
{
    uint32_t later = stretch->edge_count - i;
    if (stretch->edge_count > MARGAY_STRETCH_LONG)
        drop_first_of_long(stretch);
    else
        group_close(stretch->edge, stretch->edge_count);
    group_close(stretch->covers + i, later);
    memmove(stretch->places + i, stretch->places + i + 1,
            (later - 1) * sizeof *stretch->places);
    stretch->edge_count--;
}

/* The newest machine has gone: others come to the edge after it. */
static NOINLINE void uncover_newest(struct margay_stretch *stretch)
{
    uint32_t last = stretch->edge_count;
    if (stretch->edge != stretch->edge_space)
        move_back(stretch);
    set_end(stretch, last + 1);
    stretch->places[last] = (uint16_t)(stretch->end - 1);
    stretch->edge[last] = stretch->numbers[stretch->end - 1];
    uncover(stretch, last);
}

/* A job begins at index `at`, the latest moment that it may.  The moment is no
   more; returns the number that the job carries on. */
static ALWAYS_INLINE uint32_t begin(struct margay_stretch *stretch, uint32_t at)
{
    stretch->calm = 0;
    uint32_t i = margay_places_before(stretch->places, stretch->edge_count, at);
    uint32_t least = stretch->edge[0], *numbers = stretch->numbers;
    if (stretch->places[i] == at) {
        /* It begins on the edge: numbers move along the edge, and place i is no
           more. */
        uint32_t covered = stretch->covers[i];
        bool newest = i + 1 == stretch->edge_count;
        shorten(stretch, i);
        remove_machine(stretch, i, at);
        if (newest && covered != MARGAY_NO_NUMBER)
            uncover_newest(stretch);
        else if (covered < stretch->covers[i])
            stretch->covers[i] = covered;
        check_edge(stretch, i + 1);
        return least;
    }
    /* Place i covers it: it moves numbers down to place i - 1, which place i
       then covers, too, and along the edge from there. */
    int32_t from = index_behind(stretch, i);
    uint32_t carried = margay_carry(numbers, from, (int32_t)at, numbers[at]);
    if (i == 0) {
        remove_machine(stretch, i, at);
        if (carried == stretch->covers[0])
            stretch->covers[0] =
                least_of(numbers, (int32_t)stretch->first, stretch->places[0]);
        return carried;
    }
    numbers[from - 1] = carried;
    uint32_t covered = stretch->covers[i - 1];
    shorten(stretch, i - 1);
    remove_machine(stretch, i - 1, at);
    if (covered < stretch->covers[i - 1])
        stretch->covers[i - 1] = covered;
    check_edge(stretch, i);
    return least;
}

/* Machines begin with index 0 again. */
static NOINLINE void settle(struct margay_stretch *stretch)
{
    uint32_t first = stretch->first;
    move_machines(stretch, 0, first, stretch->end);
    for (uint32_t i = 0; i < stretch->edge_count; i++)
        stretch->places[i] = (uint16_t)(stretch->places[i] - first);
    stretch->end -= first;
    stretch->first = 0;
}

/* A machine at the end of time. */
static ALWAYS_INLINE void append(struct margay_stretch *stretch,
                                 uint32_t number, uint32_t moment)
{
    if (stretch->end == MARGAY_STRETCH_MACHINES)
        settle(stretch);
    /* The edge may become short. */
    if (stretch->edge != stretch->edge_space)
        move_back(stretch);
    uint32_t i = stretch->edge_count, least = MARGAY_NO_NUMBER;
    while (i > 0 && stretch->edge[i - 1] > number) {
        least = stretch->edge[--i];
        stretch->numbers[stretch->places[i]] = least;
        stretch->edge[i] = stretch->covers[i] = MARGAY_NO_NUMBER;
    }
    stretch->calm = 0;
    stretch->edge[i] = number;
    stretch->edge[i + 1 + MARGAY_STRETCH_GROUP] = MARGAY_NO_NUMBER;
    stretch->covers[i] = least;
    stretch->covers[i + MARGAY_STRETCH_GROUP] = MARGAY_NO_NUMBER;
    stretch->covering |= least != MARGAY_NO_NUMBER;
    stretch->places[i] = (uint16_t)stretch->end;
    stretch->edge_count = i + 1;
    stretch->moments[stretch->end++] = moment;
}

/* The machines of `newer`, which follow, come to `stretch`, which has room. */
static NOINLINE void join(struct margay_stretch *stretch,
                          struct margay_stretch *newer)
{
    uint32_t i = stretch->edge_count, first = newer->edge[0];
    uint32_t least = newer->covers[0], count = newer->end - newer->first;
    if (stretch->end + count > MARGAY_STRETCH_MACHINES)
        settle(stretch);
    while (i > 0 && stretch->edge[i - 1] > first) {
        uint32_t number = stretch->edge[--i];
        stretch->numbers[stretch->places[i]] = number;
        least = number < least ? number : least;
    }
    move_back(stretch);
    stretch->calm = 0;
    for (uint32_t n = 0; n < newer->edge_count; n++) {
        stretch->edge[i + n] = newer->edge[n];
        stretch->covers[i + n] = newer->covers[n];
        stretch->places[i + n] =
            (uint16_t)(newer->places[n] - newer->first + stretch->end);
    }
    stretch->covers[i] = least;
    stretch->covering |= newer->covering || least != MARGAY_NO_NUMBER;
    memcpy(stretch->moments + stretch->end, newer->moments + newer->first,
           count * sizeof *stretch->moments);
    memcpy(stretch->numbers + stretch->end, newer->numbers + newer->first,
           count * sizeof *stretch->numbers);
    stretch->end += count;
    set_end(stretch, i + newer->edge_count);
}

#endif
