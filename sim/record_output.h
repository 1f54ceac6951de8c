/*
 * record_output.h - what is recorded, on its way into files
 *
 * Of the references that come, those from --start to --stop are written, to
 * one trace or to one for each thread, until --max-trace is reached.
 */
#ifndef MARGAY_SIM_RECORD_OUTPUT_H
#define MARGAY_SIM_RECORD_OUTPUT_H

#include <stdint.h>

#include "sim/options.h"
#include "traces/traces_internal.h"

struct record_output;

/* Open the trace, or that of the first thread; the caller owns *output. */
enum margay_status record_output_open(const struct options *options,
                                      struct record_output **output,
                                      struct margay_error *error);

/* Write what is wanted of a batch. */
enum margay_status record_output_put(struct record_output *output,
                                     const struct margay_batch *batch,
                                     struct margay_error *error);

/* The references written so far. */
uint64_t record_output_refs(const struct record_output *output);

/* Whether recorded words can be written as they are, and all of them. */
bool record_output_takes_words(const struct record_output *output);

/* Write them; only then. */
enum margay_status record_output_put_words(struct record_output *output,
                                           const struct margay_words *words,
                                           struct margay_error *error);

/* Whether nothing more is wanted. */
bool record_output_is_full(const struct record_output *output);

/*
 * The end: if `status` is MARGAY_OK, what is still held back is written, and
 * the files appear; otherwise *error is printed.  True if they are there; then
 * a line says what they hold, unless --quiet.  Frees the output, which may be
 * NULL.
 */
bool record_output_conclude(struct record_output *output,
                            enum margay_status status,
                            struct margay_error *error);

#endif
