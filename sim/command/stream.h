/*
 * stream.h - writing the input of an analysis as a trace
 *
 * The input is the references of a trace, or the output of a cache: each of its
 * requests copies the columns of the reference that caused it, as far as the
 * format has a place for them.
 */
#ifndef MARGAY_SIM_COMMAND_STREAM_H
#define MARGAY_SIM_COMMAND_STREAM_H

#include "sim/options/options.h"
#include "sim/terminal/output.h"
#include <margay/run.h>
#include <margay/writing.h>

/* A number written is one read times `multiplier` or over `divisor`; one of
   them is 1. */
struct units {
    uint64_t multiplier, divisor;
    uint64_t bytes; /* of one read, for sizes; 0 = references say these */
    bool splits;    /* a reference is one to each unit that it covers, */
    bool split;     /* and becomes a record for each */
};

struct stream {
    struct output **output; /* where the trace goes */
    margay_writer *writer;
    enum { STREAM_BLOCKS, STREAM_NUMBERS, STREAM_TRACE } fed;
    struct units units; /* of its references; of a trace, to be set */
    uint64_t written_refs;
};

/* Open a FILE in the format of --to, or else in the one that it is named after;
   "-" or NULL is standard output. */
enum margay_status stream_open(struct stream *stream,
                               const struct options *options, const char *path,
                               struct margay_error *error);

/* The question whose analysis writes its references: blocks of a pass, or such
   of several caches as numbers of the trace, or a trace. */
enum margay_status stream_question(struct stream *stream,
                                   margay_question **question,
                                   struct margay_error *error);

/* End a trace that was made of `trace`, with the modules that its sites are
   in. */
enum margay_status stream_finish(struct stream *stream,
                                 const margay_trace *trace,
                                 struct margay_error *error);

/* Find the factor for a trace that is open and called `name`, and describe it
   to a format that has a header for it.  MARGAY_BAD_ARGUMENT if ids become
   addresses and nothing says what an id stands for. */
enum margay_status units_of_trace(const struct options *options,
                                  const char *name, const margay_trace *trace,
                                  margay_writer *writer, struct units *units,
                                  struct margay_error *error);

#endif
