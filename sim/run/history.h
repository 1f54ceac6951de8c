/*
 * history.h - the references of a pass, kept until their end
 *
 * Algorithm: numbers of 4 bytes in a buffer that grows up to 128 MiB; once it
 *   is full, it is written to a nameless temporary file and filled anew.
 *
 * Cost: 4 bytes for each reference, at most 128 MiB of them in memory.
 */
#ifndef MARGAY_SIM_RUN_HISTORY_H
#define MARGAY_SIM_RUN_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

/* The most references in memory. */
#define MARGAY_HISTORY_HELD ((size_t)1 << 25)

struct margay_history {
    const char *directory; /* of the temporary file */
    size_t most_held;      /* of the numbers in memory */
    uint32_t *held;        /* the newest ones; owned */
    size_t count, room;    /* of these */
    uint64_t filed;        /* the older ones are in the file */
    int file;              /* -1 = none yet */
};

/* Begin without references; `directory` outlives the history. */
void margay_history_begin(struct margay_history *history, const char *directory,
                          size_t most_held);

/* Free what it owns; it has to have begun. */
void margay_history_end(struct margay_history *history);

/* Room for `count` more numbers, at most most_held, which the caller writes to
   *place; margay_history_add() then adds them.  MARGAY_NO_MEMORY;
   MARGAY_IO. */
enum margay_status margay_history_reserve(struct margay_history *history,
                                          size_t count, uint32_t **place,
                                          struct margay_error *error);
void margay_history_add(struct margay_history *history, size_t count);

uint64_t margay_history_count(const struct margay_history *history);

/* Some numbers from `from` on, at least one and at most `most`, which is below
   MARGAY_HISTORY_HELD: *numbers points to *count of them, perhaps in `buffer`,
   which has room for `most`.  Any thread may call it while nothing is added.
   MARGAY_IO. */
enum margay_status margay_history_read(const struct margay_history *history,
                                       uint64_t from, size_t most,
                                       uint32_t *buffer,
                                       const uint32_t **numbers, size_t *count,
                                       struct margay_error *error);

#endif
