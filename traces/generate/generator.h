/*
 * generator.h - generators, inside traces/
 *
 * streams.c and kernels.c define them; generator.c holds the table and
 * dispatches.
 *
 * Guarantee: the same options give the same stream on every machine.  The
 * stream is computed in integers: results of libm differ between systems in
 * their last bit and must not influence it.
 */
#ifndef MARGAY_TRACES_GENERATE_GENERATOR_H
#define MARGAY_TRACES_GENERATE_GENERATOR_H

#include <margay/traces.h>

#include "traces/base/random.h"

struct margay_generator {
    const struct margay_generator_class *class;
    /* As asked for, and checked: blocks >= 1, blocks < 2^61 where the stream
       consists of addresses, exponent in [0, 8]. */
    struct margay_generator_options options;
    struct margay_random random; /* begun with the seed */
    uint64_t state[];            /* of state_bytes, zeroed */
};

struct margay_generator_class {
    struct margay_generator_info info;
    size_t state_bytes;
    /* Make the state; NULL = it begins with zeros. */
    enum margay_status (*begin)(struct margay_generator *generator,
                                struct margay_error *error);
    void (*next)(struct margay_generator *generator, uint64_t *blocks,
                 size_t count);
    /* Release what a state that has begun owns; NULL = nothing. */
    void (*clear)(struct margay_generator *generator);
};

extern const struct margay_generator_class margay_generator_zipf,
    margay_generator_uniform, margay_generator_loop, margay_generator_scan,
    margay_generator_phases, margay_generator_stencil,
    margay_generator_stencil3d, margay_generator_matmul, margay_generator_fft;

#endif
