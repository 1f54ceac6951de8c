/* input.c - the bytes of a trace: opened, decompressed, interruptible */
#define _GNU_SOURCE
#include "traces/formats/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/base/error.h"
#include "traces/formats/decompress.h"

/* The largest pipe that any process may ask for, so that writer and reader take
   turns less often. */
#define PIPE_BYTES (1 << 20)

struct margay_input {
    const char *name; /* the path */
    int fd;
    int wake_fd;   /* readable once reading is cancelled */
    bool waits;    /* a read may wait, as the file is not a regular one */
    bool started;  /* the compression is known from the head */
    uint64_t pipe; /* its number; 0 = the file is none */
    uint64_t bytes_total;
    off_t start; /* the offset at which a regular file was opened */
    atomic_uint_fast64_t bytes_read;

    /* Bytes read ahead to recognise a compression, `head_given` of them given
       to the decompressor. */
    char head[MARGAY_MAGIC_BYTES];
    size_t head_bytes, head_given;
    bool head_ended; /* nothing follows it */

    unsigned threads;                         /* to decompress a regular file */
    struct margay_decompressor *decompressor; /* NULL = plain */
};

static enum margay_status fail_errno(const struct margay_input *input,
                                     struct margay_error *error)
{
    return margay_fail(error, MARGAY_IO, "%s: %s", input->name,
                       strerror(errno));
}

/* At the end of a regular file, or of the bytes read, at `offset`: fail if the
   file has become shorter. */
static enum margay_status check_end(const struct margay_input *input,
                                    uint64_t offset, struct margay_error *error)
{
    return offset >= input->bytes_total
               ? MARGAY_OK
               : margay_fail(error, MARGAY_IO,
                             "%s: byte %llu: found the end, expected %llu "
                             "bytes: the file became shorter while it was read",
                             input->name, (unsigned long long)offset,
                             (unsigned long long)input->bytes_total);
}

static bool is_standard_input(const struct margay_input *input)
{
    return strcmp(input->name, "-") == 0;
}

/* Refuse a directory; find out the length, and whether reads may wait. */
static enum margay_status open_files(struct margay_input *input,
                                     struct margay_error *error)
{
    struct stat status;
    input->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (input->wake_fd < 0)
        return fail_errno(input, error);
    /* Without O_NONBLOCK, open() of a FIFO waits for its writer. */
    input->fd =
        is_standard_input(input)
            ? STDIN_FILENO
            : open(input->name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (input->fd < 0 || fstat(input->fd, &status) != 0)
        return fail_errno(input, error);
    if (S_ISDIR(status.st_mode))
        return margay_fail(error, MARGAY_IO,
                           "%s: is a directory, expected a trace", input->name);
    input->waits = !S_ISREG(status.st_mode);
    if (S_ISFIFO(status.st_mode)) {
        input->pipe = status.st_ino;
        fcntl(input->fd, F_SETPIPE_SZ, PIPE_BYTES);
    }
    if (!input->waits) {
        off_t position = lseek(input->fd, 0, SEEK_CUR);
        if (position >= 0 && position < status.st_size)
            input->bytes_total = (uint64_t)(status.st_size - position);
        input->start = position;
        posix_fadvise(input->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return MARGAY_OK;
}

enum margay_status margay_input_open(const char *path, unsigned threads,
                                     struct margay_input **input,
                                     struct margay_error *error)
{
    struct margay_input *opened = calloc(1, sizeof *opened);
    *input = NULL;
    if (opened == NULL)
        return margay_fail_memory(error, "an open trace");
    opened->threads = threads;
    opened->name = path;
    opened->fd = opened->wake_fd = -1;
    enum margay_status status = open_files(opened, error);
    if (status == MARGAY_OK)
        *input = opened;
    else
        margay_input_close(opened);
    return status;
}

void margay_input_close(struct margay_input *input)
{
    if (input == NULL)
        return;
    margay_decompressor_free(input->decompressor);
    if (input->wake_fd >= 0)
        close(input->wake_fd);
    if (input->fd >= 0 && !is_standard_input(input))
        close(input->fd);
    free(input);
}

void margay_input_cancel(struct margay_input *input)
{
    /* Adding 1 to the counter of a new eventfd cannot fail. */
    (void)!write(input->wake_fd, &(uint64_t){1}, sizeof(uint64_t));
}

void margay_input_progress(const struct margay_input *input,
                           uint64_t *bytes_read, uint64_t *bytes_total)
{
    *bytes_read =
        atomic_load_explicit(&input->bytes_read, memory_order_relaxed);
    *bytes_total = input->bytes_total;
}

/* Read once from the file, which may be compressed: a regular one from `offset`
   on.  *got = 0 at its end. */
static enum margay_status read_file(const struct margay_input *input,
                                    uint64_t offset, void *to, size_t most,
                                    size_t *got, struct margay_error *error)
{
    struct pollfd files[] = {
        {.fd = input->wake_fd, .events = POLLIN},
        {.fd = input->fd, .events = POLLIN},
    };
    ssize_t result;
    do {
        /* Reads of a regular file never wait: only look for a cancellation. */
        while (poll(files, input->waits ? 2 : 1, input->waits ? -1 : 0) < 0 &&
               errno == EINTR)
            continue;
        if (files[0].revents != 0)
            return margay_fail(error, MARGAY_IO, "%s: reading was stopped",
                               input->name);
        result = input->waits
                     ? read(input->fd, to, most)
                     : pread(input->fd, to, most, input->start + (off_t)offset);
    } while (result < 0 && (errno == EINTR || errno == EAGAIN));
    if (result < 0)
        return fail_errno(input, error);
    *got = (size_t)result;
    return *got > 0 ? MARGAY_OK : check_end(input, offset, error);
}

/* The bytes of a compressed file as they lie there, the head first. */
static enum margay_status read_raw(void *context, void *buffer, size_t bytes,
                                   size_t *got, struct margay_error *error)
{
    struct margay_input *input = context;
    size_t left = input->head_bytes - input->head_given;
    if (left > 0) {
        *got = left < bytes ? left : bytes;
        memcpy(buffer, input->head + input->head_given, *got);
        input->head_given += *got;
        return MARGAY_OK;
    }
    enum margay_status status = read_file(
        input, atomic_load(&input->bytes_read), buffer, bytes, got, error);
    if (status == MARGAY_OK)
        atomic_fetch_add(&input->bytes_read, *got);
    return status;
}

static enum margay_status look_at_head(struct margay_input *input,
                                       struct margay_error *error)
{
    size_t got = 1;
    input->head_bytes = 0;
    /* Ask a slow writer for no more bytes than the decision needs. */
    while (got > 0 &&
           margay_may_be_compressed(input->head, input->head_bytes)) {
        enum margay_status status =
            read_file(input, input->head_bytes, input->head + input->head_bytes,
                      sizeof input->head - input->head_bytes, &got, error);
        if (status != MARGAY_OK)
            return status;
        input->head_bytes += got;
    }
    input->head_ended = got == 0;
    atomic_store(&input->bytes_read, input->head_bytes);
    struct margay_byte_source source = {input, read_raw};
    enum margay_status status = margay_decompressor_create(
        input->name, input->head, input->head_bytes, source,
        input->waits ? 1 : input->threads, &input->decompressor, error);
    input->started = status == MARGAY_OK;
    return status;
}

/* Before the first read of an input: find out whether it is compressed, and
   take in the head where it has come from a pipe. */
static enum margay_status start(struct margay_intake *intake,
                                struct margay_error *error)
{
    struct margay_input *input = intake->input;
    enum margay_status status = look_at_head(input, error);
    if (status != MARGAY_OK || !input->waits || input->decompressor != NULL)
        return status;
    memcpy(intake->held, input->head, input->head_bytes);
    memset(intake->held + input->head_bytes, '\n', MARGAY_TEXT_PADDING);
    intake->offset = intake->end = input->head_bytes;
    intake->ended = input->head_ended;
    return status;
}

/* Move the held bytes to the beginning.  Returns the place for more. */
static char *make_room(struct margay_intake *intake, size_t *most)
{
    size_t rest = intake->end - intake->begin;
    memmove(intake->held, intake->held + intake->begin, rest);
    intake->begin = 0;
    intake->end = rest;
    if (*most > MARGAY_HELD_BYTES - rest)
        *most = MARGAY_HELD_BYTES - rest;
    return intake->held + rest;
}

enum margay_status margay_input_read(struct margay_intake *intake, size_t most,
                                     struct margay_error *error)
{
    struct margay_input *input = intake->input;
    size_t got;
    enum margay_status status = MARGAY_OK;
    if (!input->started) {
        status = start(intake, error);
        if (status != MARGAY_OK || intake->end > 0 || intake->ended)
            return status;
    }
    char *to = make_room(intake, &most);
    status = input->decompressor != NULL
                 ? margay_decompressor_read(input->decompressor, to, most, &got,
                                            error)
                 : read_file(input, intake->offset, to, most, &got, error);
    if (status != MARGAY_OK)
        return status;
    memset(to + got, '\n', MARGAY_TEXT_PADDING);
    intake->offset += got;
    intake->end += got;
    intake->ended = got == 0;
    if (intake->is_part)
        atomic_fetch_add(&input->bytes_read, got);
    else if (input->decompressor == NULL)
        atomic_store(&input->bytes_read, intake->offset);
    return MARGAY_OK;
}

uint64_t margay_input_pipe(const struct margay_input *input)
{
    return input->decompressor == NULL ? input->pipe : 0;
}

uint64_t margay_input_plain_bytes(struct margay_input *input)
{
    bool plain = !input->waits &&
                 (input->started || look_at_head(input, NULL) == MARGAY_OK) &&
                 input->decompressor == NULL;
    return plain ? input->bytes_total : 0;
}

bool margay_input_would_wait(const struct margay_input *input)
{
    if (!input->waits || input->decompressor != NULL)
        return false;
    struct pollfd file = {.fd = input->fd, .events = POLLIN};
    return poll(&file, 1, 0) == 0;
}

const char *margay_input_compression(const struct margay_input *input)
{
    return input->decompressor == NULL
               ? NULL
               : margay_decompressor_name(input->decompressor);
}
