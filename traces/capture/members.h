/*
 * members.h - the processes of a recording, and programs missing from it
 *
 * Invariant: a process owes one for each time that it leaves to become another
 * program, and pays one when a recorded program attaches; what is still owed at
 * the end are programs that are missing from the trace.  Messages of different
 * processes come in any order, so only the sum for a process counts.
 */
#ifndef MARGAY_TRACES_CAPTURE_MEMBERS_H
#define MARGAY_TRACES_CAPTURE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/capture/stream.h"

struct margay_members {
    struct margay_member *list;
    size_t count, capacity;
    uint64_t left_out; /* owed by processes no longer in the list */
};

/* Of a process in another name space nothing is known until the end. */
bool margay_process_is_dead(uint32_t process);

/* Take note of a message; messages about buffers change nothing. */
void margay_members_hear(struct margay_members *members,
                         const struct margay_message *message);

/* True if a recorded process lives, or is about to be made.  Where its maker is
   dead it has two seconds to be heard of, as it may have been killed before. */
bool margay_members_live(struct margay_members *members);

/* The number of programs that were started and, so far, have not attached. */
uint64_t margay_members_left_out(const struct margay_members *members);

void margay_members_free(struct margay_members *members);

#endif
