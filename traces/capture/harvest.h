/*
 * harvest.h - the order of the words in the memory shared with programs
 *
 * Invariant: a number in shared memory is loaded once, and then only the copy
 * is used, because a memory error of a program may change any of it at any
 * time.
 */
#ifndef MARGAY_TRACES_CAPTURE_HARVEST_H
#define MARGAY_TRACES_CAPTURE_HARVEST_H

#include "traces/capture/decode.h"
#include "traces/capture/slots.h"

struct margay_shared_memory {
    int file; /* -1: none */
    struct margay_capture *capture;
    uint64_t *buffers[MARGAY_MAX_BUFFERS]; /* the words of each */
    uint32_t buffer_count;
};

/* Words of a buffer from `decoding.words` of it to `end`. */
struct margay_yield {
    uint32_t buffer, end, thread;
    bool whole; /* they are the last ones of the buffer, which is then free */
};

struct margay_task {
    uint32_t buffer, words; /* up to which it is read */
    bool whole;             /* no word follows them */
};

/* To begin, all zero but `shared` and `site_slots`. */
struct margay_harvest {
    struct margay_shared_memory *shared;
    /* How far each buffer has been decoded. */
    struct margay_decoding decoding[MARGAY_MAX_BUFFERS];
    bool site_slots; /* references name the slots of their sites */
    /* Buffers up to some word, and then as a whole; those in [task, task_count)
       are to be done. */
    struct margay_task tasks[2 * MARGAY_MAX_BUFFERS];
    size_t task, task_count;
    bool queued[MARGAY_MAX_BUFFERS]; /* a task of its whole is in the list */
    /* The slots as the last look found them, and how many were in each
       stage. */
    uint64_t states[MARGAY_MAX_BUFFERS];
    uint32_t counts[MARGAY_SLOT_STAGES];
    uint32_t turns;   /* given when it began */
    uint64_t taken;   /* words of full buffers when they were read */
    uint32_t for_any; /* free ones that are kept for no thread */
};

/* ------------------- once all tasks are done, one of these finds others -- */

/* The full buffer whose turn it is, and what other threads had written when it
   became full.  False: none is full. */
bool margay_harvest_full(struct margay_harvest *harvest);

/* The words that the threads have written by now, where no buffer is full. */
void margay_harvest_open(struct margay_harvest *harvest);

/* The buffers of all dead processes; `all`: of every process.  False if a
   living process owns a buffer, or buffers are full, which come first. */
bool margay_harvest_dead(struct margay_harvest *harvest, bool all);

/* Keep no free buffer for a thread. */
void margay_harvest_share(struct margay_harvest *harvest);

/* ------------------------------------------------------------ the words -- */

/* The next words; false: the tasks are done. */
bool margay_harvest_next(struct margay_harvest *harvest,
                         struct margay_yield *yield);

/* The words have been read. */
void margay_harvest_done(struct margay_harvest *harvest,
                         const struct margay_yield *yield);

#endif
