/*
 * generator.h - what a generator is, inside traces/
 *
 * One file for each family defines `const struct margay_generator_class`
 * objects; generator.c holds the table of them and dispatches.
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

    /* `options` has been checked: blocks >= 1, blocks < 2^61 where the stream
       consists of addresses, exponent in [0, 8]. */
    enum margay_status (*create)(const struct margay_generator_options *options,
                                 void **state, struct margay_error *error);
    void (*next)(void *state, uint64_t *blocks, size_t count);
    void (*free_state)(void *state);
};

extern const struct margay_generator_class margay_generator_zipf;
extern const struct margay_generator_class margay_generator_uniform;
extern const struct margay_generator_class margay_generator_loop;
extern const struct margay_generator_class margay_generator_scan;
extern const struct margay_generator_class margay_generator_phases;
extern const struct margay_generator_class margay_generator_stencil;
extern const struct margay_generator_class margay_generator_stencil3d;
extern const struct margay_generator_class margay_generator_matmul;
extern const struct margay_generator_class margay_generator_fft;

#endif
