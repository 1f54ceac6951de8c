/*
 * record_output.h - recorded references on their way into files
 *
 * The references from --start to --stop are written, to one trace or to one for
 * each thread, until --max-trace is reached.
 */
#ifndef MARGAY_SIM_RECORD_RECORD_OUTPUT_H
#define MARGAY_SIM_RECORD_RECORD_OUTPUT_H

#include <stdint.h>

#include "sim/options/options.h"
#include "traces/traces_internal.h"

struct record_output;

/* Open the trace, or that of the first thread; the caller owns *output.  The
   modules that sites are in are those of the receiver, unless it is NULL. */
enum margay_status record_output_open(const struct options *options,
                                      const margay_receiver *receiver,
                                      struct record_output **output,
                                      struct margay_error *error);

/* Write the references of a batch that the options select. */
enum margay_status record_output_put(struct record_output *output,
                                     const struct margay_batch *batch,
                                     struct margay_error *error);

/* Write an event of data, which happens before what is put next. */
enum margay_status record_output_put_data(struct record_output *output,
                                          const struct margay_data_event *event,
                                          struct margay_error *error);

/* The references written so far. */
uint64_t record_output_refs(const struct record_output *output);

/* Can recorded words be written as they are, and all of them? */
bool record_output_takes_words(const struct record_output *output);

/* Write words, if record_output_takes_words(). */
enum margay_status record_output_put_words(struct record_output *output,
                                           const struct margay_words *words,
                                           struct margay_error *error);

/* Are no more references wanted? */
bool record_output_is_full(const struct record_output *output);

/*
 * If `status` is MARGAY_OK, write the references still held back and publish
 * the files; otherwise print *error.  Returns true if the files appeared, and
 * then prints a summary unless --quiet.  Frees the output, which may be NULL.
 */
bool record_output_conclude(struct record_output *output,
                            enum margay_status status,
                            struct margay_error *error);

#endif
