/* output.c - output that appears whole or not at all */
#define _GNU_SOURCE
#include "sim/terminal/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/terminal/message.h"
#include "sim/terminal/signals.h"
#include "sim/terminal/target.h"
#include "traces/traces_internal.h"

/* The bytes that are held in memory before a temporary file is made.  A stream
   and a file are written in pieces that stay in the processor's cache, twice as
   large as the most room, so that a piece is at least half full. */
#define HELD_BYTES  ((size_t)8 << 20)
#define PIECE_BYTES (2 * OUTPUT_ROOM_BYTES)

struct output {
    struct target target;
    int store;              /* where a full buffer goes; -1 = not yet */
    const char *store_name; /* in messages */
    bool spooled;           /* the store is the unlinked temporary file */
    size_t used, capacity;
    char *buffer;
    struct margay_error failure; /* status MARGAY_OK while there is none */
};

enum margay_status output_open(const char *path, enum output_mode mode,
                               struct output **output,
                               struct margay_error *error)
{
    struct output *opened = calloc(1, sizeof *opened);
    *output = NULL;
    if (opened == NULL)
        return margay_fail_memory(error, "the output");
    opened->store = -1;
    enum margay_status status = target_open(&opened->target, path, error);
    if (status == MARGAY_OK) {
        opened->store_name = opened->target.name;
        opened->store = opened->target.descriptor;
        opened->target.durable = mode == OUTPUT_DURABLE;
    }
    if (status == MARGAY_OK && opened->target.in_place &&
        mode == OUTPUT_STREAMED)
        status = target_open_in_place(&opened->target, &opened->store, error);
    opened->capacity = opened->store < 0 ? HELD_BYTES : PIECE_BYTES;
    if (status == MARGAY_OK &&
        (opened->buffer = malloc(opened->capacity)) == NULL)
        status = margay_fail_memory(error, "the output");
    if (status == MARGAY_OK)
        *output = opened;
    else
        output_free(opened);
    return status;
}

const char *output_temporary_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory == NULL || *directory == '\0' ? "/tmp" : directory;
}

void output_flush(struct output *output)
{
    struct margay_error *failure = &output->failure;
    if (failure->status == MARGAY_OK && output->store < 0) {
        const char *directory = output_temporary_directory();
        output->store = margay_nameless_file(directory);
        output->spooled = output->store >= 0;
        output->store_name = "the temporary file (TMPDIR)";
        if (output->store < 0)
            margay_fail(failure, MARGAY_IO,
                        "%s: cannot make a temporary file: %s", directory,
                        strerror(errno));
    }
    if (failure->status == MARGAY_OK)
        target_write(output->store, output->store_name, output->buffer,
                     output->used, failure);
    output->used = 0;
}

char *output_room(struct output *output, size_t bytes)
{
    if (output->capacity - output->used < bytes)
        output_flush(output);
    return output->buffer + output->used;
}

void output_add(struct output *output, size_t bytes)
{
    output->used += bytes;
}

void output_text(struct output *output, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *room = output_room(output, OUTPUT_ROOM_BYTES);
    int bytes = vsnprintf(room, OUTPUT_ROOM_BYTES, format, arguments);
    va_end(arguments);
    if (bytes > 0)
        output_add(output, (size_t)bytes);
}

void output_bytes(struct output *output, const void *from, size_t count)
{
    const char *bytes = from;
    while (count > 0) {
        size_t piece = count < OUTPUT_ROOM_BYTES ? count : OUTPUT_ROOM_BYTES;
        memcpy(output_room(output, piece), bytes, piece);
        output_add(output, piece);
        bytes += piece;
        count -= piece;
    }
}

/* Read the spool from its start, piece by piece, into the buffer. */
static ssize_t read_spool(struct output *output, struct margay_error *error)
{
    ssize_t bytes;
    do {
        bytes = read(output->store, output->buffer, output->capacity);
    } while (bytes < 0 && errno == EINTR);
    if (bytes < 0)
        margay_fail(error, MARGAY_IO, "%s: cannot read: %s", output->store_name,
                    strerror(errno));
    return bytes;
}

static enum margay_status rewind_spool(struct output *output,
                                       struct margay_error *error)
{
    output_flush(output);
    enum margay_status status = output_status(output, error);
    if (status == MARGAY_OK && lseek(output->store, 0, SEEK_SET) != 0)
        status = margay_fail(error, MARGAY_IO, "%s: cannot rewind: %s",
                             output->store_name, strerror(errno));
    return status;
}

void output_append(struct output *output, struct output *part)
{
    ssize_t bytes = 0;
    if (!part->spooled)
        output_bytes(output, part->buffer, part->used);
    else if (rewind_spool(part, &output->failure) == MARGAY_OK) {
        while ((bytes = read_spool(part, &output->failure)) > 0)
            output_bytes(output, part->buffer, (size_t)bytes);
    }
}

enum margay_status output_status(const struct output *output,
                                 struct margay_error *error)
{
    if (output->failure.status != MARGAY_OK && error != &output->failure)
        *error = output->failure;
    return output->failure.status;
}

/* End the writing.  All that can fail before output_publish() fails here. */
static enum margay_status output_finish(struct output *output,
                                        struct margay_error *error)
{
    if (output->store >= 0)
        output_flush(output);
    enum margay_status status = output_status(output, error);
    if (status == MARGAY_OK)
        status = target_close(&output->target, error);
    return status;
}

/* Copy the output that was held back to its target. */
static enum margay_status release_held(struct output *output, int descriptor,
                                       struct margay_error *error)
{
    const char *name = output->target.name;
    if (!output->spooled)
        return target_write(descriptor, name, output->buffer, output->used,
                            error);
    enum margay_status status = rewind_spool(output, error);
    while (status == MARGAY_OK) {
        ssize_t bytes = read_spool(output, error);
        if (bytes == 0)
            break;
        status = bytes < 0 ? MARGAY_IO
                           : target_write(descriptor, name, output->buffer,
                                          (size_t)bytes, error);
    }
    return status;
}

enum output_turn output_turn(const struct output *output)
{
    if (!output->target.in_place)
        return OUTPUT_FILES;
    return target_is_standard_output(&output->target) ? OUTPUT_STANDARD
                                                      : OUTPUT_DEVICES;
}

/* Let the output appear, after output_finish(). */
static enum margay_status output_publish(struct output *output,
                                         struct margay_error *error)
{
    if (!output->target.in_place)
        return target_publish(&output->target, error);
    bool held = output->store < 0 || output->spooled;
    int descriptor = output->store;
    enum margay_status status = MARGAY_OK;
    if (held)
        status = target_open_in_place(&output->target, &descriptor, error);
    if (status == MARGAY_OK && held)
        status = release_held(output, descriptor, error);
    if (status == MARGAY_OK)
        status = target_close_in_place(&output->target, descriptor, error);
    return status;
}

void output_free(struct output *output)
{
    if (output == NULL)
        return;
    if (output->spooled)
        close(output->store);
    target_release(&output->target);
    free(output->buffer);
    free(output);
}

enum margay_status output_settle(struct output *output,
                                 enum margay_status status,
                                 struct margay_error *error)
{
    if (status == MARGAY_OK)
        status = output_finish(output, error);
    if (status == MARGAY_OK)
        status = output_publish(output, error);
    output_free(output);
    return status;
}

enum margay_status sink_write(void *context, const void *bytes, size_t count,
                              struct margay_error *error)
{
    struct output *output = *(struct output **)context;
    output_bytes(output, bytes, count);
    return output_status(output, error);
}

/* --------------------------------------------------- all of a command -- */

int conclude(enum margay_status status, struct output **outputs, size_t count,
             struct margay_error *error)
{
    message_wipe_status();
    /* All that can fail beforehand does so before the first byte is seen. */
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (outputs[i] != NULL)
            status = output_finish(outputs[i], error);
    }
    /* Standard output stays empty if a device fails, and no file appears if
       standard output fails. */
    for (int turn = 0; turn < OUTPUT_TURNS; turn++) {
        for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
            if (outputs[i] != NULL && (int)output_turn(outputs[i]) == turn)
                status = output_publish(outputs[i], error);
        }
    }
    for (size_t i = 0; i < count; i++)
        output_free(outputs[i]);
    message_tell_kept(status == MARGAY_OK);
    if (status != MARGAY_OK)
        return message_error(error);
    return signals_interrupted() ? 128 + signals_interrupted() : EXIT_DONE;
}
