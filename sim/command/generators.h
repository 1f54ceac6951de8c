/* generators.h - the generators of margay generate */
#ifndef MARGAY_SIM_COMMAND_GENERATORS_H
#define MARGAY_SIM_COMMAND_GENERATORS_H

#include "sim/options/options.h"

struct generator;

/* Row `index` of the library's generators of references, then the one of a
   histogram's distances; NULL beyond the last. */
const struct margay_generator_info *generator_at(size_t index);

/* The generator of that name.  MARGAY_BAD_ARGUMENT, which lists the generators,
   if there is none. */
enum margay_status generator_find(const char *name,
                                  const struct margay_generator_info **info,
                                  struct margay_error *error);

/* Does the generator find the number of blocks without --blocks? */
bool generator_finds_blocks(const struct margay_generator_info *info);

/*
 * Make a generator.  MARGAY_BAD_ARGUMENT if it refuses the options;
 * MARGAY_BAD_INPUT or MARGAY_IO if the histogram cannot be read.  The caller
 * owns *generator.
 */
enum margay_status generator_create(const struct margay_generator_info *info,
                                    const struct options *options,
                                    struct generator **generator,
                                    struct margay_error *error);

/* The next `count` ids or addresses.  After a failure (MARGAY_NO_MEMORY) the
   generator can only be freed. */
enum margay_status generator_next(struct generator *generator, uint64_t *blocks,
                                  size_t count, struct margay_error *error);

/* NULL is fine. */
void generator_free(struct generator *generator);

#endif
