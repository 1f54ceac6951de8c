/* spec.h - NAME[:key=value,...] */
#ifndef MARGAY_STACKDIST_SPEC_H
#define MARGAY_STACKDIST_SPEC_H

#include "stackdist/engine.h"

/*
 * Find the engine that a spec names and fill in all of its parameters,
 * defaults where the spec is silent.  MARGAY_BAD_ARGUMENT says what is wrong
 * and what there is; MARGAY_NO_MEMORY.
 */
enum margay_status margay_spec_parse(const char *spec,
                                     const struct margay_engine_class **class,
                                     struct margay_engine_setup *setup,
                                     struct margay_error *error);

#endif
