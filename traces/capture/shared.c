/* shared.c - the memory that a recorder shares with programs */
#define _GNU_SOURCE
#include "traces/capture/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traces/base/error.h"

#define NO_MEMORY "no memory to share with a program"

enum margay_status margay_fail_system(const char *what,
                                      struct margay_error *error)
{
    return margay_fail(error, MARGAY_IO, "%s: %s", what, strerror(errno));
}

bool margay_move_descriptor_up(int *file)
{
    enum { LEAST = 700 };
    int moved = fcntl(*file, F_DUPFD_CLOEXEC, LEAST);
    if (moved < 0)
        return *file >= 0;
    close(*file);
    *file = moved;
    return true;
}

static size_t data_offset(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (sizeof(struct margay_capture) + page - 1) / page * page;
}

static int open_memory(void)
{
    int file = memfd_create("margay-capture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        close(file);
        return -1;
    }
    return file;
}

/* Make the file as long as it must be, and map the new part of it. */
static void *extend(const struct margay_shared_memory *shared, size_t offset,
                    size_t bytes)
{
    if (ftruncate(shared->file, (off_t)(offset + bytes)) != 0)
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                        shared->file, (off_t)offset);
    return memory == MAP_FAILED ? NULL : memory;
}

enum margay_status margay_shared_memory_create(
    struct margay_shared_memory *shared, struct margay_error *error)
{
    *shared = (struct margay_shared_memory){.file = open_memory()};
    if (!margay_move_descriptor_up(&shared->file) ||
        (shared->capture = extend(shared, 0, data_offset())) == NULL)
        return margay_fail_system(NO_MEMORY, error);
    shared->buffers = calloc(MARGAY_MAX_BUFFERS, sizeof *shared->buffers);
    if (shared->buffers == NULL)
        return margay_fail_memory(error, "references of a program");
    shared->capture->magic = MARGAY_CAPTURE_MAGIC;
    shared->capture->version = MARGAY_CAPTURE_VERSION;
    shared->capture->data_offset = (uint32_t)data_offset();
    return MARGAY_OK;
}

bool margay_shared_memory_add(struct margay_shared_memory *shared)
{
    uint32_t buffer = shared->buffer_count;
    void *memory = NULL;
    if (buffer < MARGAY_MAX_BUFFERS)
        memory = extend(shared, data_offset() + buffer * MARGAY_BUFFER_BYTES,
                        MARGAY_BUFFER_BYTES);
    if (memory == NULL)
        return false;
    shared->buffers[buffer] = memory;
    shared->buffer_count++;
    atomic_store(&shared->capture->buffers, shared->buffer_count);
    return true;
}

void margay_shared_memory_free(struct margay_shared_memory *shared)
{
    for (uint32_t i = 0; i < shared->buffer_count; i++)
        munmap(shared->buffers[i], MARGAY_BUFFER_BYTES);
    if (shared->capture != NULL)
        munmap(shared->capture, data_offset());
    if (shared->file >= 0)
        close(shared->file);
    free(shared->buffers);
    *shared = (struct margay_shared_memory){.file = -1};
}
