/*
 * recorder_mmu.c - a buffer whose end the memory management finds
 *
 * Source: Shen, Shaw, "Scalable implementation of efficient locality
 * approximation", LCPC 2008: the record routine stores a word and advances an
 * index, and never looks whether the buffer is full.  Behind its end lies a
 * page that cannot be written; the fault empties the buffer.
 *
 * A fault handler cannot portably tell the faulting store to go elsewhere: it
 * will be made again at the same address, behind the end.  Shen and Shaw open
 * the page, let the store land there, and take it from there later.  Here the
 * page becomes a second view of the beginning of the next buffer, so that the
 * store lands as its first word.  As that page is then open, the next buffer is
 * put elsewhere: a thread has two windows, which take turns.
 *
 *     window 0 | end 0 | window 1 | end 1
 *
 * A thread's first reference has to find a window: the hook at the entry of
 * functions sees to that.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traces/capture/runtime/buffers.h"
#include "traces/capture/runtime/process.h"
#include "traces/capture/runtime/signals.h"

__thread struct margay_recorder margay_recorder
    __attribute__((tls_model("initial-exec")));

static __thread struct {
    char *windows; /* NULL = none yet */
    unsigned current;
    uint64_t *base; /* NULL = what is in the window is not recorded */
    uint32_t buffer;
} mine __attribute__((tls_model("initial-exec")));

static size_t page_bytes;

static char *window(unsigned which)
{
    return mine.windows + which * (MARGAY_BUFFER_BYTES + page_bytes);
}

static char *end_of(unsigned which)
{
    return window(which) + MARGAY_BUFFER_BYTES;
}

/* Memory that is nobody's, where words go that nobody wants. */
static void map_nothing(void *address, size_t bytes)
{
    mmap(address, bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

/*
 * Put the next buffer, or nothing, into a window.  `landing` is the page that
 * a store is waiting to be made to, or NULL.
 */
static void fill(unsigned which, char *landing)
{
    bool recorded = margay_process_attach() && margay_buffer_take(&mine.buffer);
    uint64_t *base = (uint64_t *)(void *)window(which);
    mine.current = which;
    if (recorded)
        recorded =
            margay_process_map_at(mine.buffer, base, MARGAY_BUFFER_BYTES) &&
            (landing == NULL ||
             margay_process_map_at(mine.buffer, landing, page_bytes));
    if (!recorded) {
        map_nothing(base, MARGAY_BUFFER_BYTES);
        if (landing != NULL)
            map_nothing(landing, page_bytes);
    }
    mprotect(end_of(which), page_bytes, PROT_NONE);
    mine.base = recorded ? base : NULL;
    margay_recorder.next = base + (landing != NULL);
}

static void hand_over(uint64_t *next)
{
    uint64_t *base = mine.base;
    mine.base = NULL;
    if (base != NULL)
        margay_buffer_send(mine.buffer, (uint32_t)(next - base));
}

/* A store behind the end of the calling thread's window?  Then it can be made
   now. */
static bool handle_fault(const void *address)
{
    char *end = mine.windows == NULL ? NULL : end_of(mine.current);
    if (end == NULL || address != (const void *)end)
        return false;
    int reason = errno;
    hand_over((uint64_t *)(void *)end);
    fill(!mine.current, end);
    errno = reason;
    return true;
}

void margay_recorder_begin_thread(void)
{
    int reason = errno, cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (page_bytes == 0)
        page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    margay_signals_take_faults(handle_fault);
    if (mine.windows == NULL) {
        void *memory =
            mmap(NULL, 2 * (MARGAY_BUFFER_BYTES + page_bytes), PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            _exit(125);
        mine.windows = memory;
    }
    fill(0, NULL);
    pthread_setcancelstate(cancel, NULL);
    errno = reason;
}

/* The windows stay: what comes now goes to another buffer. */
void margay_recorder_leave(void)
{
    if (mine.windows == NULL)
        return;
    hand_over(margay_recorder.next);
    fill(mine.current, NULL);
}

void margay_recorder_forget(void)
{
    margay_buffer_forget();
    mine.base = NULL;
    if (mine.windows != NULL)
        fill(mine.current, NULL);
}

bool margay_recorder_wants_sites(void)
{
    return false;
}
