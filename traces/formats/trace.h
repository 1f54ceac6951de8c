/* trace.h - an open trace, as trace.c and range.c know it */
#ifndef MARGAY_TRACES_FORMATS_TRACE_H
#define MARGAY_TRACES_FORMATS_TRACE_H

#include <pthread.h>

#include "traces/formats/reader.h"

struct margay_trace {
    struct margay_reader reader;
    pthread_t thread;
    bool running;
    struct margay_trace_options options;

    bool ready;      /* the format is known */
    bool holds_slot; /* `slot` is the consumer's */
    size_t slot;
    /* What is given: the slot's own references or, one for each that a count
       stands for, `expanded`. */
    struct margay_references *source;
    size_t given; /* references of it dealt with */
    struct margay_references expanded;
    size_t entry; /* of the slot: expanded up to `done` of this one */
    uint32_t done;
    uint32_t uncut;   /* of the next reference's count, what is to be given */
    uint64_t to_skip; /* still to be dropped */
    uint64_t to_warm_up; /* then, still to be marked */
    uint64_t to_read;    /* then, warm-up included, still to be given */
};

/*
 * References [from, from + count) of an array as a batch, without those of
 * kinds that were not asked for.  What the array holds may move.
 */
void margay_trace_select(const struct margay_trace *trace,
                         const struct margay_references *references,
                         size_t from, size_t count, struct margay_batch *batch);

#endif
