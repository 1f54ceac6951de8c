/* generators.h - what generate can make */
#ifndef MARGAY_SIM_GENERATORS_H
#define MARGAY_SIM_GENERATORS_H

#include "sim/options.h"

struct generator;

/* The library's generators of references, then that of a histogram's; NULL
   beyond the last. */
const struct margay_generator_info *generator_at(size_t index);

/* The one of that name, NULL if there is none. */
const struct margay_generator_info *generator_named(const char *name);

/*
 * Make the generator that is the first operand; MARGAY_BAD_ARGUMENT if there
 * is none such or it does not like its options; MARGAY_BAD_INPUT or MARGAY_IO
 * if a histogram cannot be read.  The caller owns *generator.
 */
enum margay_status generator_create(const struct options *options,
                                    struct generator **generator,
                                    struct margay_error *error);

/* The next `count` ids or addresses.  MARGAY_NO_MEMORY ends it all. */
enum margay_status generator_next(struct generator *generator, uint64_t *blocks,
                                  size_t count, struct margay_error *error);

/* NULL is fine. */
void generator_free(struct generator *generator);

#endif
