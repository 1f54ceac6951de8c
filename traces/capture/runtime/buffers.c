/*
 * buffers.c - buffers that circulate between a program and its recorder
 *
 * A program may close descriptors that it did not open, and open others that
 * get their numbers.  So each use of a descriptor checks first that it still
 * belongs to the recording, at the cost of a system call per buffer.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/buffers.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <unistd.h>

#include "traces/capture/runtime/process.h"
#include "traces/capture/runtime/recorder.h"

/* How long a thread waits for a buffer before it asks again. */
#define WANT_MS 20

/* The number of the calling thread, from 1 on; 0 = it has none yet. */
static __thread uint32_t thread_number
    __attribute__((tls_model("initial-exec")));

static bool is_wanted(bool early)
{
    uint32_t quiet = atomic_load(&margay_process.capture->quiet);
    return quiet == MARGAY_RECORD || (early && quiet == MARGAY_NOT_YET);
}

/* Take the number of a free buffer; false: there will be none. */
static bool take_number(uint32_t *buffer, bool early)
{
    while (is_wanted(early)) {
        if (!margay_process_has(MARGAY_DESCRIPTOR_FREE))
            break;
        int file = margay_process.descriptors[MARGAY_DESCRIPTOR_FREE];
        ssize_t got = read(file, buffer, sizeof *buffer);
        if (got == (ssize_t)sizeof *buffer)
            return *buffer < MARGAY_MAX_BUFFERS;
        /* If the recorder has ended, this writes to a pipe without a reader,
           with the usual consequence, SIGPIPE. */
        if (got >= 0 || errno != EINTR) {
            if (!margay_process_send(MARGAY_MESSAGE_WANT, 0, 0) ||
                (got < 0 && errno != EAGAIN))
                break;
            struct pollfd wait = {.fd = file, .events = POLLIN};
            poll(&wait, 1, WANT_MS);
        }
    }
    return false;
}

bool margay_buffer_take(uint32_t *buffer, bool early)
{
    struct margay_capture *capture = margay_process.capture;
    if (!take_number(buffer, early)) {
        if (is_wanted(early))
            margay_process_lose();
        return false;
    }
    if (thread_number == 0)
        thread_number = 1 + atomic_fetch_add(&capture->next_thread, 1);
    struct margay_slot *slot = &capture->slots[*buffer];
    atomic_store(&slot->thread, thread_number - 1);
    atomic_store(&slot->program, margay_process.program);
    atomic_store(&slot->process, margay_process.id);
    margay_process_mark_thread();
    return true;
}

void margay_buffer_send(uint32_t buffer, uint32_t words)
{
    margay_process_send(MARGAY_MESSAGE_FULL, buffer, words);
}

void margay_buffer_forget(void)
{
    thread_number = 0;
}

/* Change the state of the recording from `from` to `to`, if it is `from`. */
static void change(uint32_t from, uint32_t to)
{
    int reason = errno;
    if (margay_process_attach() &&
        atomic_compare_exchange_strong(&margay_process.capture->quiet, &from,
                                       to))
        margay_recorder_leave();
    errno = reason;
}

void margay_recorder_start(void)
{
    change(MARGAY_NOT_YET, MARGAY_RECORD);
}

void margay_recorder_stop(void)
{
    change(MARGAY_RECORD, MARGAY_NO_MORE);
}
