/*
 * sites.h - from a site of a trace to the line of its source
 *
 * A site is an address in one of the files of code that its trace names.  This
 * is the way from what a trace holds to what people know, for all commands.
 */
#ifndef MARGAY_SIM_ANNOTATE_SITES_H
#define MARGAY_SIM_ANNOTATE_SITES_H

#include <stdint.h>

#include <margay/traces.h>

#include "sim/annotate/places.h"

/* The path of the file of code with that number; NULL = unknown.  `program` as
   below. */
const char *places_path(const margay_trace *trace, const char *program,
                        uint64_t module);

/*
 * Find the place of a site, once the trace has been read.  `program` is the
 * file of the program where the trace does not name it or it has moved; NULL =
 * the trace names it.
 */
void places_find_site(struct places *places, const margay_trace *trace,
                      const char *program, uint64_t site, struct place *place);

#endif
