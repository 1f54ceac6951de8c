/* history.c - the references of a pass, kept until their end */
#define _GNU_SOURCE
#include "sim/run/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/traces_internal.h"

#define FIRST_ROOM ((size_t)1 << 16)

void margay_history_begin(struct margay_history *history, const char *directory,
                          size_t most_held)
{
    *history = (struct margay_history){
        .directory = directory, .most_held = most_held, .file = -1};
}

void margay_history_end(struct margay_history *history)
{
    free(history->held);
    if (history->file >= 0)
        close(history->file);
    history->held = NULL;
    history->file = -1;
}

uint64_t margay_history_count(const struct margay_history *history)
{
    return history->filed + history->count;
}

/* ------------------------------------------------------------- the file -- */

static enum margay_status fail(const struct margay_history *history,
                               const char *what, struct margay_error *error)
{
    return margay_fail(error, MARGAY_IO,
                       "%s: cannot %s a temporary file for the references: %s",
                       history->directory, what, strerror(errno));
}

static enum margay_status write_held(struct margay_history *history,
                                     struct margay_error *error)
{
    const char *bytes = (const char *)history->held;
    size_t left = history->count * sizeof *history->held;
    if (history->file < 0)
        history->file = margay_nameless_file(history->directory);
    if (history->file < 0)
        return fail(history, "make", error);
    while (left > 0) {
        ssize_t written = write(history->file, bytes, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return fail(history, "write", error);
        bytes += written;
        left -= (size_t)written;
    }
    history->filed += history->count;
    history->count = 0;
    return MARGAY_OK;
}

/* --------------------------------------------------------------- adding -- */

enum margay_status margay_history_reserve(struct margay_history *history,
                                          size_t count, uint32_t **place,
                                          struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *place = NULL;
    if (history->count + count > history->most_held)
        status = write_held(history, error);
    if (history->count + count > history->room && status == MARGAY_OK) {
        size_t room = history->room == 0 ? FIRST_ROOM : history->room;
        while (room < history->count + count)
            room *= 2;
        room = margay_minimum(room, history->most_held);
        uint32_t *held = reallocarray(history->held, room, sizeof *held);
        if (held == NULL)
            return margay_fail_memory(error, "the references");
        history->held = held;
        history->room = room;
    }
    if (status == MARGAY_OK)
        *place = history->held + history->count;
    return status;
}

void margay_history_add(struct margay_history *history, size_t count)
{
    history->count += count;
}

/* -------------------------------------------------------------- reading -- */

/* Whole numbers: a file that was written in whole numbers ends with one. */
static enum margay_status read_filed(const struct margay_history *history,
                                     uint64_t from, size_t count,
                                     uint32_t *buffer,
                                     struct margay_error *error)
{
    size_t done = 0, bytes = count * sizeof *buffer;
    while (done < bytes) {
        ssize_t got = pread(history->file, (char *)buffer + done, bytes - done,
                            (off_t)(from * sizeof *buffer + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO;
        if (got <= 0)
            return fail(history, "read", error);
        done += (size_t)got;
    }
    return MARGAY_OK;
}

enum margay_status margay_history_read(const struct margay_history *history,
                                       uint64_t from, size_t most,
                                       uint32_t *buffer,
                                       const uint32_t **numbers, size_t *count,
                                       struct margay_error *error)
{
    bool is_filed = from < history->filed;
    uint64_t left =
        (is_filed ? history->filed : margay_history_count(history)) - from;
    *count = left < most ? (size_t)left : most;
    if (!is_filed) {
        *numbers = history->held + (from - history->filed);
        return MARGAY_OK;
    }
    *numbers = buffer;
    return read_filed(history, from, *count, buffer, error);
}
