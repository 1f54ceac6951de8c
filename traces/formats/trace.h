/* trace.h - an open trace, as trace.c and range.c see it */
#ifndef MARGAY_TRACES_FORMATS_TRACE_H
#define MARGAY_TRACES_FORMATS_TRACE_H

#include <pthread.h>

#include "traces/formats/reader.h"
#include "traces/formats/sizes.h"

struct margay_trace {
    struct margay_reader reader;
    pthread_t thread;
    bool running; /* the thread is, or was */
    struct margay_trace_options options;
    struct margay_format *own; /* of a layout of the user's; NULL = none */
    struct margay_trace_facts facts; /* once `ready` */

    bool ready;      /* the format is known */
    bool may_cut;    /* lines have been found to stand alone */
    bool holds_slot; /* `slot` has been taken from the queue */
    size_t slot;
    size_t given; /* references of it that have been given or dropped */
    char *path;
    bool is_file; /* which can be read once more */
    struct margay_object_sizes sizes;
    uint64_t to_skip;    /* references still to be dropped, */
    uint64_t to_warm_up; /* then those still to be marked as warm-up, */
    uint64_t to_read;    /* and those still to be given, with the warm-up */
    uint64_t most;       /* references of a batch */
};

/* Make a batch of the entries [from, from + count), without the kinds that were
   not asked for.  The entries that stay are moved together, in place. */
void margay_trace_select(const struct margay_trace *trace,
                         const struct margay_references *references,
                         size_t from, size_t count, struct margay_batch *batch);

#endif
