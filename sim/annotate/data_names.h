/*
 * data_names.h - what the data of a recorded program are called
 *
 * A trace that was recorded with data tells for each reference a datum
 * (traces/formats/data.h).  Data that people know by one name, such as all
 * elements of an array, get one number, by which misses are counted.
 */
#ifndef MARGAY_SIM_ANNOTATE_DATA_NAMES_H
#define MARGAY_SIM_ANNOTATE_DATA_NAMES_H

#include <stdint.h>

#include <margay/traces.h>

#include "sim/annotate/places.h"

struct data_names;

/* Begin with the data of a trace, which is ready, and whose files `places`
   reads; both outlive this.  `program` as in places_find_site().  Fails with
   MARGAY_NO_MEMORY.  The caller owns *names. */
enum margay_status data_names_create(struct places *places,
                                     const margay_trace *trace,
                                     const char *program,
                                     struct data_names **names,
                                     struct margay_error *error);

/* The number of a datum, the next one if it is new. */
uint32_t data_names_number(struct data_names *names, uint64_t datum);

/* Once the trace has been read: MARGAY_NO_MEMORY if numbers have become wrong
   for lack of memory; also more than 2^24 of them do not fit.  MARGAY_BAD_INPUT
   if the trace has named a file only after the references to its variables, as
   one does from a pipe. */
enum margay_status data_names_check(const struct data_names *names,
                                    const char *trace,
                                    struct margay_error *error);

/*
 * Find what people call the data with a number, as a place whose function is
 * that name, and file and line are where it was declared or allocated:
 *
 *     table               a variable
 *     heap of FUNCTION    memory that it has allocated
 *     stack of FUNCTION   what it refers to on any stack
 *     other of FUNCTION   what it refers to of anything else
 *
 * Variables that have no name are "data of FILE".
 */
void data_names_find(struct data_names *names, uint64_t number,
                     struct place *place);

/* NULL is fine. */
void data_names_free(struct data_names *names);

#endif
