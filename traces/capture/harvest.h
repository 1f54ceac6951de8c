/*
 * harvest.h - which words of the shared memory are to be read next
 *
 * Invariant: a number in shared memory is loaded once, and then only the copy
 * is used, because a memory error of a program may change any of it at any
 * time.
 */
#ifndef MARGAY_TRACES_CAPTURE_HARVEST_H
#define MARGAY_TRACES_CAPTURE_HARVEST_H

#include "traces/capture/decode.h"
#include "traces/capture/shared.h"
#include "traces/capture/slots.h"

/* Words of a buffer from `decoding.words` of it to `end`. */
struct margay_yield {
    uint32_t buffer, end, thread;
    bool whole; /* they are the last ones of the buffer, which is then free */
};

struct margay_harvest {
    struct margay_shared_memory *shared;
    /* How far each buffer has been decoded. */
    struct margay_decoding *decoding;
    bool site_slots;           /* references name the slots of their sites */
    struct margay_task *tasks; /* those in [task, task_count) are to be done */
    size_t task, task_count;
    bool *queued; /* by buffer: a task of its whole is in the list */
    /* The slots as the last look found them, and how many were in which
       stage. */
    uint64_t *states;
    uint32_t counts[MARGAY_SLOT_STAGES];
    uint32_t turns;   /* given when it began */
    uint64_t taken;   /* words that full buffers said to have, when read */
    uint32_t for_any; /* free ones that are kept for no thread */
};

enum margay_status margay_harvest_begin(struct margay_harvest *harvest,
                                        struct margay_shared_memory *shared,
                                        bool site_slots,
                                        struct margay_error *error);

/* ------------------- once all tasks are done, one of these finds others -- */

/* The full buffer whose turn it is, and what other threads had written when it
   became full.  False: none is full.  Only turns before *before
   count, unless that is NULL. */
bool margay_harvest_full(struct margay_harvest *harvest,
                         const uint32_t *before);

/* What the threads have written by now, where no buffer is full. */
void margay_harvest_open(struct margay_harvest *harvest);

/* The buffers of the programs that a process was before this one. */
void margay_harvest_remains(struct margay_harvest *harvest, uint32_t process,
                            uint32_t program);

/* The buffers of all dead processes; `all`: of every process.  False if a
   living process owns a buffer, or buffers are full, which come first. */
bool margay_harvest_dead(struct margay_harvest *harvest, bool all);

/* Keep no free buffer for a thread. */
void margay_harvest_share(struct margay_harvest *harvest);

/* ------------------------------------------------------------ the words -- */

/* The next words that there are; false: the tasks are done. */
bool margay_harvest_next(struct margay_harvest *harvest,
                         struct margay_yield *yield);

/* The words have been read. */
void margay_harvest_done(struct margay_harvest *harvest,
                         const struct margay_yield *yield);

void margay_harvest_free(struct margay_harvest *harvest);

#endif
