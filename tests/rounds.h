/* rounds.h - how much of the random testing to do */
#ifndef MARGAY_TESTS_ROUNDS_H
#define MARGAY_TESTS_ROUNDS_H

#include <stdint.h>
#include <stdlib.h>

/* $MARGAY_TEST_ROUNDS percent (100 unless told) of `full`, at least 1. */
static inline uint64_t rounds(uint64_t full)
{
    const char *percent = getenv("MARGAY_TEST_ROUNDS");
    uint64_t scaled =
        full * (percent ? strtoull(percent, NULL, 10) : 100) / 100;
    return scaled == 0 ? 1 : scaled;
}

#endif
