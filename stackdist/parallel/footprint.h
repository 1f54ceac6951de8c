/*
 * footprint.h - how many blocks to expect
 */
#ifndef MARGAY_STACKDIST_FOOTPRINT_H
#define MARGAY_STACKDIST_FOOTPRINT_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many distinct blocks `refs` references have, judging by a sample of
 * them, taken all over them: as many as if all blocks were equally likely.
 * Where some are likelier, which is usual, that is too few.  0 = nobody knows.
 */
uint64_t margay_footprint_expect(const uint64_t *sample, size_t count,
                                 uint64_t refs);

#endif
