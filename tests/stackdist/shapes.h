/* shapes.h - small traces of many kinds */
#ifndef MARGAY_TESTS_STACKDIST_SHAPES_H
#define MARGAY_TESTS_STACKDIST_SHAPES_H

#include <stdlib.h>

#include "stackdist/engine.h"
#include "tests/chance.h"
#include "traces/traces_internal.h"

enum shape { UNIFORM, SKEWED, LOOP, REPEATS, TURNS, STRIDED, DRIFT, SHAPES };

__attribute__((unused)) static const char *const shape_names[] = {
    "uniform", "skewed", "loop", "repeats", "turns", "strided", "drift"};

/* A number in [0, blocks); in turns, runs in which few blocks alternate. */
static inline uint64_t next_number(enum shape shape, uint64_t blocks, size_t i,
                                   uint64_t previous)
{
    uint64_t draw = below(blocks);
    switch (shape) {
    case SKEWED:
        return below(1 + below(draw + 1));
    case LOOP:
        return one_in(16) ? draw : i % blocks;
    case REPEATS:
        return one_in(4) ? draw : previous;
    case TURNS:
        return (i / 64 * 7 + i % (1 + i / 64 % 3)) % blocks;
    case STRIDED:
        return i * 7 % blocks;
    case DRIFT:
        return (i / 16 + below(8)) % blocks;
    default:
        return draw;
    }
}

/* From numbers to ids: small, both ends, high bits only, hashed, far apart, 64
   in a chain (near.h) or next to each other in a small hash table, all of them
   there, in few sets of a cache, or large. */
static inline uint64_t block_id(unsigned coding, uint64_t number)
{
    switch (coding) {
    case 0:
        return number;
    case 1:
        return number % 2 ? UINT64_MAX - number / 2 : number / 2;
    case 2:
        return number << 48;
    case 3:
        return number * UINT64_C(0x9e3779b97f4a7c15);
    case 4:
        return number * 0x10001;
    case 5: /* times the multiplier of both, this is number << 45 */
        return number * (UINT64_C(0xf1de83e19937733d) << 45);
    case 6: /* and this is number */
        return number * UINT64_C(0xf1de83e19937733d);
    case 7:
        return number << 12;
    default:
        return UINT64_MAX - number;
    }
}
#define CODINGS 9

static inline void make_trace(enum shape shape, uint64_t *blocks, size_t count,
                              uint64_t distinct)
{
    unsigned coding = (unsigned)below(CODINGS);
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++) {
        number = next_number(shape, distinct, i, number);
        blocks[i] = block_id(coding, number);
    }
}

/* The same with the kind of each reference, of up to some thousand blocks. */
static inline void make_accesses(enum shape shape, uint64_t *blocks,
                                 uint8_t *kinds, size_t count)
{
    make_trace(shape, blocks, count, 1 + below(UINT64_C(1) << below(13)));
    for (size_t i = 0; i < count; i++)
        kinds[i] = (uint8_t)below(MARGAY_KINDS);
}

#endif
