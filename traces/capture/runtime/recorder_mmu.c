/*
 * recorder_mmu.c - a buffer whose end the memory management finds
 *
 * Algorithm: the record routine stores a word, advances an index, and never
 *   compares with the end of the buffer.  A page that cannot be written follows
 *   the buffer; the fault empties the buffer.
 *
 *   A fault handler cannot portably redirect the faulting store, which is
 *   repeated at the same address, after the end.  The authors open the page,
 *   let the store go there, and fetch the word later.  Here the page becomes a
 *   second view of the beginning of the next buffer, so that the store writes
 *   the first word of that buffer.  As the page is then open, the next buffer
 *   lies elsewhere: a thread has two windows, which take turns.
 *
 *     window 0 | end 0 | window 1 | end 1
 *
 *   The hook at the entry of functions sees to it that the first reference of a
 *   thread finds a window.
 * Source: Shen, Shaw, "Scalable implementation of efficient locality
 *   approximation", LCPC 2008.
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
    char *windows; /* NULL = the thread has none yet */
    unsigned current;
    uint64_t *base; /* NULL = words in the window are not recorded */
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

/* Map private memory, for words that are not recorded. */
static void map_nothing(void *address, size_t bytes)
{
    mmap(address, bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

/*
 * Map the next buffer, or private memory, into a window.  `landing` is the page
 * that a faulting store waits to write to, or NULL.
 */
static void fill(unsigned which, char *landing)
{
    bool recorded =
        margay_process_attach() && margay_buffer_take(&mine.buffer, false);
    uint64_t *base = (uint64_t *)(void *)window(which);
    mine.current = which;
    if (recorded) {
        recorded =
            margay_process_map_at(mine.buffer, base, MARGAY_BUFFER_BYTES) &&
            (landing == NULL ||
             margay_process_map_at(mine.buffer, landing, page_bytes));
        if (recorded)
            margay_buffer_open(mine.buffer, base);
        else
            margay_buffer_return(mine.buffer);
    }
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
    uint32_t words = mine.base == NULL ? 0 : (uint32_t)(next - mine.base);
    if (mine.base != NULL)
        margay_buffer_send(mine.buffer, words, words);
    mine.base = NULL;
}

/* True if the fault is a store after the end of the window of the calling
   thread, which can then be repeated. */
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

/* The windows stay, and later references go to another buffer. */
void margay_recorder_leave(void)
{
    if (mine.windows == NULL)
        return;
    hand_over(margay_recorder.next);
    fill(mine.current, NULL);
}

void margay_recorder_before_fork(void)
{
}

void margay_recorder_after_fork(void)
{
    margay_buffer_forget();
    mine.base = NULL;
    if (mine.windows != NULL)
        fill(mine.current, NULL);
}

void margay_recorder_put_data(unsigned data, const volatile void *address,
                              uint64_t bytes, uint64_t site)
{
    (void)data, (void)address, (void)bytes, (void)site;
}

bool margay_recorder_wants_data(void)
{
    return false;
}

bool margay_recorder_wants_sites(void)
{
    return false;
}
