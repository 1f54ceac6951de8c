/*
 * generator.h - what a generator is, inside traces/
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

struct margay_generator_class {
    struct margay_generator_info info;

    size_t state_bytes;

    /* Begin with a state that is all zero.  `options` has been checked:
       blocks >= 1, blocks < 2^61 where the stream consists of addresses,
       exponent in [0, 8]. */
    enum margay_status (*begin)(void *state,
                                const struct margay_generator_options *options,
                                struct margay_error *error);
    void (*next)(void *state, uint64_t *blocks, size_t count);
    /* Release what a state that has begun owns; NULL = nothing. */
    void (*clear)(void *state);
};

extern const struct margay_generator_class margay_generator_zipf,
    margay_generator_uniform, margay_generator_loop, margay_generator_scan,
    margay_generator_phases, margay_generator_stencil,
    margay_generator_stencil3d, margay_generator_matmul, margay_generator_fft;

#endif
