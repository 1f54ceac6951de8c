/*
 * process.c - what the threads of a recorded process have in common
 *
 * The descriptors come with the environment, so they reach whatever program
 * the process becomes or starts.  vfork's child shares the memory of its
 * parent, buffers included, and is therefore taken for it: the process's
 * number is asked for here and after a fork only.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/process.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/capture/runtime/recorder.h"

enum { UNKNOWN, ATTACHING, RECORDED, UNRECORDED };

struct margay_process margay_process;

static _Atomic int state;
static struct {
    dev_t device;
    ino_t file;
} identities[MARGAY_DESCRIPTORS];
static _Atomic(uint64_t *) buffers[MARGAY_MAX_BUFFERS];
static pthread_key_t thread_key;

/* ------------------------------------------------------------ descriptors --
 */

static bool identify(enum margay_descriptor which, dev_t *device, ino_t *file)
{
    struct stat status;
    if (fstat(margay_process.descriptors[which], &status) != 0)
        return false;
    *device = status.st_dev;
    *file = status.st_ino;
    return true;
}

bool margay_process_has(enum margay_descriptor which)
{
    dev_t device;
    ino_t file;
    return identify(which, &device, &file) &&
           device == identities[which].device && file == identities[which].file;
}

bool margay_process_send(uint32_t type, uint32_t buffer, uint32_t words)
{
    const struct margay_message message = {type, buffer, words,
                                           margay_process.id};
    ssize_t sent;
    do {
        if (!margay_process_has(MARGAY_DESCRIPTOR_FULL))
            return false;
        sent = write(margay_process.descriptors[MARGAY_DESCRIPTOR_FULL],
                     &message, sizeof message);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof message;
}

static void *map(uint32_t buffer, void *address, size_t bytes, int flags)
{
    if (!margay_process_has(MARGAY_DESCRIPTOR_FILE))
        return MAP_FAILED;
    off_t offset = (off_t)margay_process.capture->data_offset +
                   (off_t)(buffer * MARGAY_BUFFER_BYTES);
    return mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags,
                margay_process.descriptors[MARGAY_DESCRIPTOR_FILE], offset);
}

uint64_t *margay_process_map(uint32_t buffer)
{
    uint64_t *base = atomic_load(&buffers[buffer]);
    if (base != NULL)
        return base;
    base = map(buffer, NULL, MARGAY_BUFFER_BYTES, 0);
    if ((void *)base == MAP_FAILED)
        return NULL;
    atomic_store(&buffers[buffer], base);
    return base;
}

#ifndef MAP_POPULATE
#define MAP_POPULATE 0
#endif

bool margay_process_map_at(uint32_t buffer, void *address, size_t bytes)
{
    return map(buffer, address, bytes, MAP_FIXED | MAP_POPULATE) != MAP_FAILED;
}

/* -------------------------------------------------------------- attaching --
 */

/* "3,4,5" */
static bool read_descriptors(const char *text)
{
    for (int i = 0; i < MARGAY_DESCRIPTORS; i++) {
        char *end;
        long number = strtol(text, &end, 10);
        if (end == text || number < 0 || number > 1 << 20 ||
            *end != (i + 1 < MARGAY_DESCRIPTORS ? ',' : '\0'))
            return false;
        margay_process.descriptors[i] = (int)number;
        text = end + 1;
    }
    return true;
}

static bool map_capture(void)
{
    void *memory =
        mmap(NULL, sizeof(struct margay_capture), PROT_READ | PROT_WRITE,
             MAP_SHARED, margay_process.descriptors[MARGAY_DESCRIPTOR_FILE], 0);
    if (memory == MAP_FAILED)
        return false;
    margay_process.capture = memory;
    return margay_process.capture->magic == MARGAY_CAPTURE_MAGIC &&
           margay_process.capture->version == MARGAY_CAPTURE_VERSION;
}

/* The child has one thread, and no buffer. */
static void after_fork(void)
{
    margay_process.id = (uint32_t)getpid();
    margay_recorder_forget();
}

static void at_thread_end(void *unused)
{
    (void)unused;
    margay_recorder_leave();
}

void margay_process_mark_thread(void)
{
    if (pthread_getspecific(thread_key) == NULL)
        pthread_setspecific(thread_key, &thread_key);
}

static bool send_attach(void)
{
    margay_process.program =
        atomic_fetch_add(&margay_process.capture->next_program, 1);
    return margay_process_send(MARGAY_MESSAGE_ATTACH, margay_process.program,
                               0);
}

static bool attach(void)
{
    const char *text = getenv(MARGAY_CAPTURE_VARIABLE);
    if (text == NULL || !read_descriptors(text))
        return false;
    for (int i = 0; i < MARGAY_DESCRIPTORS; i++) {
        if (!identify(i, &identities[i].device, &identities[i].file))
            return false;
    }
    margay_process.id = (uint32_t)getpid();
    return map_capture() &&
           pthread_key_create(&thread_key, at_thread_end) == 0 &&
           pthread_atfork(NULL, NULL, after_fork) == 0 && send_attach();
}

/* While one thread attaches, the others, and what the system calls of this
   one lead to, are not recorded. */
bool margay_process_attach(void)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);
    if (now == UNKNOWN &&
        atomic_compare_exchange_strong(&state, &now, ATTACHING)) {
        now = attach() ? RECORDED : UNRECORDED;
        atomic_store_explicit(&state, now, memory_order_release);
    }
    return now == RECORDED;
}
