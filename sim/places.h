/*
 * places.h - whose references have which distances
 *
 * References are told apart by the code that makes them, their thread, or the
 * region of their address: their place.  Distances are those of the whole
 * trace; each is counted for the place of the reference that has it.
 */
#ifndef MARGAY_SIM_PLACES_H
#define MARGAY_SIM_PLACES_H

#include <margay/stackdist.h>

#include "sim/analysis.h"
#include "sim/place_option.h"
#include "sim/regions.h"

/* The name of the column that places take up. */
const char *place_column(enum place_kind kind);

struct places; /* of one pass */

/* `regions`, if that is what places are, must outlive the places.
   MARGAY_NO_MEMORY.  The caller owns *places. */
enum margay_status places_create(enum place_kind kind, struct regions *regions,
                                 struct places **places,
                                 struct margay_error *error);

/*
 * Count a chunk, which has origins and distances.  MARGAY_BAD_ARGUMENT where
 * the trace does not say what is asked for.
 */
enum margay_status places_add(struct places *places,
                              const struct analysis_pass *pass,
                              const struct analysis_chunk *chunk,
                              struct margay_error *error);

/* One place: its label, and the histogram of its references, which has the
   bound of the pass's. */
typedef enum margay_status place_take(void *context, const char *label,
                                      const margay_histogram *histogram,
                                      struct margay_error *error);

/* Hand out all places that have been counted: sites and threads in ascending
   order, regions in that of their table. */
enum margay_status places_visit(const struct places *places,
                                const struct analysis_pass *pass,
                                place_take *take, void *context,
                                struct margay_error *error);

/* NULL is fine. */
void places_free(struct places *places);

#endif
