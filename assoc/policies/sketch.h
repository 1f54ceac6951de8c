/*
 * sketch.h - about how often blocks were used lately
 *
 * Algorithm: a count-min sketch for each set.  A block has four counters of 4
 *   bits, one in each quarter of a line of 64 bytes, which its hash chooses; a
 *   use adds 1 to each that is below 15, and the least of them is the block's
 *   frequency.  The sketch has 16 counters for each way or more, and at least
 *   one line.  After 10 uses for each way all counters are halved, and so is
 *   the number of uses since.
 *
 * Source: Cormode and Muthukrishnan, "An improved data stream summary: the
 *   count-min sketch and its applications", Journal of Algorithms 55(1), 2005;
 *   ageing as Einziger, Friedman and Manes 2017 describe it.
 */
#ifndef MARGAY_ASSOC_SKETCH_H
#define MARGAY_ASSOC_SKETCH_H

#include "assoc/policies/policy.h"

#define MARGAY_SKETCH_ROWS 4

/* Words of a line, of 16 counters each. */
#define MARGAY_SKETCH_WORDS 8

/* Uses for each way before counters are halved. */
#define MARGAY_SKETCH_SAMPLE 10

struct margay_sketch {
    uint64_t lines, sample; /* of a set */
    uint64_t *words;        /* [set][line][word] */
    uint64_t *uses;         /* [set]: since the counters were halved */
};

/* Make counters that are 0. */
static inline void margay_sketch_set_up(struct margay_sketch *sketch,
                                        uint64_t sets, uint64_t ways,
                                        struct margay_layout *layout)
{
    uint64_t lines = (ways + 7) / 8;
    sketch->lines =
        lines == 1 ? 1 : UINT64_C(2) << margay_log2_floor(lines - 1);
    sketch->sample = ways * MARGAY_SKETCH_SAMPLE;
    sketch->words = margay_lay_out(
        layout, sets * sketch->lines * MARGAY_SKETCH_WORDS * sizeof(uint64_t));
    sketch->uses = margay_lay_out(layout, sets * sizeof(uint64_t));
}

/* The high bits of a block's hash choose its line, and 5 bits of the rest its
   counter in each quarter. */
static inline uint64_t margay_sketch_hash(uint64_t block)
{
    block = (block ^ block >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (block ^ block >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

static inline uint64_t *margay_sketch_line(const struct margay_sketch *sketch,
                                           uint64_t set, uint64_t hash)
{
    uint64_t line = (hash >> 32) & (sketch->lines - 1);
    return sketch->words + (set * sketch->lines + line) * MARGAY_SKETCH_WORDS;
}

/* The word of a row in a line, and the bits below its counter in the word. */
static inline uint64_t *margay_sketch_place(uint64_t *line, uint64_t hash,
                                            unsigned row, unsigned *shift)
{
    unsigned counter = (unsigned)(hash >> 5 * row) & 31;
    *shift = counter % 16 * 4;
    return line + 2 * row + counter / 16;
}

static inline unsigned margay_sketch_frequency(
    const struct margay_sketch *sketch, uint64_t set, uint64_t block)
{
    uint64_t hash = margay_sketch_hash(block);
    uint64_t *line = margay_sketch_line(sketch, set, hash);
    unsigned least = 15, shift;
    for (unsigned row = 0; row < MARGAY_SKETCH_ROWS; row++) {
        const uint64_t *word = margay_sketch_place(line, hash, row, &shift);
        unsigned count = (unsigned)(*word >> shift) & 15;
        least = count < least ? count : least;
    }
    return least;
}

static inline void margay_sketch_use(struct margay_sketch *sketch, uint64_t set,
                                     uint64_t block)
{
    uint64_t hash = margay_sketch_hash(block);
    uint64_t *line = margay_sketch_line(sketch, set, hash);
    unsigned shift;
    for (unsigned row = 0; row < MARGAY_SKETCH_ROWS; row++) {
        uint64_t *word = margay_sketch_place(line, hash, row, &shift);
        *word += (uint64_t)((*word >> shift & 15) != 15) << shift;
    }
    if (++sketch->uses[set] >= sketch->sample) {
        uint64_t count = sketch->lines * MARGAY_SKETCH_WORDS;
        uint64_t *words = sketch->words + set * count;
        for (uint64_t i = 0; i < count; i++)
            words[i] = words[i] >> 1 & UINT64_C(0x7777777777777777);
        sketch->uses[set] /= 2;
    }
}

#endif
