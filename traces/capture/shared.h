/*
 * shared.h - the memory that a recorder shares with programs
 *
 * A file without a name, which can only grow: a program that shortened it would
 * take the memory away from the receiver.
 */
#ifndef MARGAY_TRACES_CAPTURE_SHARED_H
#define MARGAY_TRACES_CAPTURE_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include <margay/traces.h>

#include "traces/capture/stream.h"

struct margay_shared_memory {
    int file; /* -1: none */
    struct margay_capture *capture;
    /* The words of each buffer; MARGAY_MAX_BUFFERS. */
    uint64_t **buffers;
    uint32_t buffer_count;
};

/* Make the memory, all zero and without buffers; after a failure, too, it is to
   be freed. */
enum margay_status margay_shared_memory_create(
    struct margay_shared_memory *shared, struct margay_error *error);

/* Add a buffer, which is free; false: there is no memory, or there are as many
   as there can be. */
bool margay_shared_memory_add(struct margay_shared_memory *shared);

void margay_shared_memory_free(struct margay_shared_memory *shared);

/* "WHAT: the reason of the system". */
enum margay_status margay_fail_system(const char *what,
                                      struct margay_error *error);

/* Programs seldom use high numbers: move a descriptor there, if it is one. */
bool margay_move_descriptor_up(int *file);

#endif
