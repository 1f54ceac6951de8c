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
    const char *name; /* the path, stored after the structure */
    int fd;
    int wake_fd;   /* readable once reading is cancelled */
    bool waits;    /* a read may wait, as the file is not a regular one */
    bool started;  /* the head has been examined */
    uint64_t pipe; /* its number; 0 = the file is none */
    uint64_t bytes_total;
    off_t start; /* the offset at which a regular file was opened */
    atomic_uint_fast64_t bytes_read;

    /* Bytes read ahead to recognise a compression, `head_given` of them
       given. */
    unsigned char head[MARGAY_MAGIC_BYTES];
    size_t head_bytes, head_given;

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
    size_t name_bytes = strlen(path) + 1;
    struct margay_input *opened = calloc(1, sizeof *opened + name_bytes);
    *input = NULL;
    if (opened == NULL)
        return margay_fail_memory(error, "an open trace");
    opened->threads = threads;
    opened->name = memcpy(opened + 1, path, name_bytes);
    opened->fd = opened->wake_fd = -1;
    enum margay_status status = open_files(opened, error);
    if (status == MARGAY_OK)
        *input = opened;
    else
        margay_input_close(opened);
    return status;
}

const char *margay_input_name(const struct margay_input *input)
{
    return input->name;
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

static enum margay_status read_file(struct margay_input *input, void *buffer,
                                    size_t bytes, size_t *got,
                                    struct margay_error *error)
{
    struct pollfd files[] = {
        {.fd = input->wake_fd, .events = POLLIN},
        {.fd = input->fd, .events = POLLIN},
    };
    /* Reads of a regular file never wait; only look for a cancellation. */
    nfds_t watched = input->waits ? 2 : 1;
    ssize_t result;
    do {
        while (poll(files, watched, input->waits ? -1 : 0) < 0 &&
               errno == EINTR)
            continue;
        if (files[0].revents != 0)
            return margay_fail(error, MARGAY_IO, "%s: reading was stopped",
                               input->name);
        result = read(input->fd, buffer, bytes);
    } while (result < 0 && (errno == EINTR || errno == EAGAIN));
    if (result < 0)
        return fail_errno(input, error);
    *got = (size_t)result;
    atomic_fetch_add_explicit(&input->bytes_read, *got, memory_order_relaxed);
    if (*got > 0 || bytes == 0 || input->bytes_total == 0)
        return MARGAY_OK;
    off_t at = lseek(input->fd, 0, SEEK_CUR);
    return at < 0 ? MARGAY_OK
                  : check_end(input, (uint64_t)(at - input->start), error);
}

/* The bytes of the file, the head first. */
static enum margay_status read_raw(void *context, void *buffer, size_t bytes,
                                   size_t *got, struct margay_error *error)
{
    struct margay_input *input = context;
    size_t left = input->head_bytes - input->head_given;
    if (left == 0)
        return read_file(input, buffer, bytes, got, error);
    *got = left < bytes ? left : bytes;
    memcpy(buffer, input->head + input->head_given, *got);
    input->head_given += *got;
    return MARGAY_OK;
}

static enum margay_status look_at_head(struct margay_input *input,
                                       struct margay_error *error)
{
    size_t got = 1;
    /* Ask a slow writer for no more bytes than the decision needs. */
    while (got > 0 &&
           margay_may_be_compressed(input->head, input->head_bytes)) {
        enum margay_status status =
            read_file(input, input->head + input->head_bytes,
                      sizeof input->head - input->head_bytes, &got, error);
        if (status != MARGAY_OK)
            return status;
        input->head_bytes += got;
    }
    input->started = true;
    struct margay_byte_source source = {input, read_raw};
    return margay_decompressor_create(
        input->name, input->head, input->head_bytes, source,
        input->waits ? 1 : input->threads, &input->decompressor, error);
}

enum margay_status margay_input_read(struct margay_input *input, void *buffer,
                                     size_t bytes, size_t *got,
                                     struct margay_error *error)
{
    if (!input->started) {
        enum margay_status status = look_at_head(input, error);
        if (status != MARGAY_OK)
            return status;
    }
    if (input->decompressor != NULL)
        return margay_decompressor_read(input->decompressor, buffer, bytes, got,
                                        error);
    return read_raw(input, buffer, bytes, got, error);
}

uint64_t margay_input_pipe(const struct margay_input *input)
{
    return input->decompressor == NULL ? input->pipe : 0;
}

uint64_t margay_input_plain_bytes(struct margay_input *input)
{
    bool plain = !input->waits && input->start >= 0 &&
                 (input->started || look_at_head(input, NULL) == MARGAY_OK) &&
                 input->decompressor == NULL;
    return plain ? input->bytes_total : 0;
}

enum margay_status margay_input_go_to(struct margay_input *input,
                                      uint64_t offset,
                                      struct margay_error *error)
{
    if (lseek(input->fd, input->start + (off_t)offset, SEEK_SET) < 0)
        return fail_errno(input, error);
    input->head_given = input->head_bytes;
    atomic_store_explicit(&input->bytes_read, offset, memory_order_relaxed);
    return MARGAY_OK;
}

enum margay_status margay_input_read_at(struct margay_input *input,
                                        uint64_t offset, void *buffer,
                                        size_t bytes, size_t *got,
                                        struct margay_error *error)
{
    ssize_t result = 1;
    for (*got = 0; *got < bytes && result > 0; *got += (size_t)result) {
        do
            result = pread(input->fd, (char *)buffer + *got, bytes - *got,
                           input->start + (off_t)(offset + *got));
        while (result < 0 && errno == EINTR);
        if (result < 0)
            return fail_errno(input, error);
    }
    atomic_fetch_add_explicit(&input->bytes_read, *got, memory_order_relaxed);
    return *got < bytes ? check_end(input, offset + *got, error) : MARGAY_OK;
}

bool margay_input_would_wait(const struct margay_input *input)
{
    if (!input->waits || input->decompressor != NULL ||
        input->head_given < input->head_bytes)
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
