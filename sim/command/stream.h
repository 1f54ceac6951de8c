/*
 * stream.h - the trace of what a cache sends on, as it is written
 *
 * It has all that the trace before the cache says of a reference, and for which
 * the format has a place: the columns of the reference that is the cause.
 */
#ifndef MARGAY_SIM_COMMAND_STREAM_H
#define MARGAY_SIM_COMMAND_STREAM_H

#include "sim/options/options.h"
#include "sim/terminal/output.h"
#include <margay/analysis.h>
#include <margay/writing.h>

struct stream {
    struct output *output;
    margay_writer *writer;
    bool splits; /* the blocks of several caches differ in size */
};

/* Open the FILE of --output in the format of --to, or else in the one that the
   file is named after. */
enum margay_status stream_open(struct stream *stream,
                               const struct options *options,
                               struct margay_error *error);

/* The question whose analysis writes what it is fed: the spans of a pass, whose
   blocks are numbers of the trace where they have extents. */
enum margay_status stream_question(struct stream *stream,
                                   margay_question **question,
                                   struct margay_error *error);

/* End a trace that was made of `trace`, with the modules that its sites are in.
 */
enum margay_status stream_finish(margay_writer *writer,
                                 const margay_trace *trace,
                                 struct margay_error *error);

#endif
