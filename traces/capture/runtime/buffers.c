/*
 * buffers.c - the buffers of a recorded process
 *
 * A program may close descriptors that it did not open, and open others that
 * get their numbers.  So each use of a descriptor checks first that it still
 * belongs to the recording.  They are used where a thread has to wait, and
 * where the receiver has to be woken.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/buffers.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <unistd.h>

#include "traces/capture/runtime/process.h"
#include "traces/capture/runtime/recorder.h"
#include "traces/capture/slots.h"

/* How long a thread waits for a buffer before it asks again, and how often,
   while threads hold all buffers that there can be. */
#define WAIT_MS 20
#define WAITS   100

/* The number of the calling thread, from 1 on; 0 = it has none yet. */
static __thread uint32_t thread_number
    __attribute__((tls_model("initial-exec")));

bool margay_buffer_is_wanted(bool early)
{
    uint32_t quiet = atomic_load(&margay_process.capture->quiet);
    return quiet == MARGAY_RECORD || (early && quiet == MARGAY_NOT_YET);
}

/* If the receiver has ended, this writes to a pipe without a reader, with the
   usual consequence, SIGPIPE. */
static bool ask_to_look(void)
{
    return margay_process_send(MARGAY_MESSAGE_LOOK, 0);
}

/* Wait a while for a buffer to become free; false: none will. */
static bool await_free(void)
{
    if (!margay_process_has(MARGAY_DESCRIPTOR_FREE))
        return false;
    int file = margay_process.descriptors[MARGAY_DESCRIPTOR_FREE];
    struct pollfd wait = {.fd = file, .events = POLLIN};
    char bell;
    if (margay_slots_wakes(margay_process.capture, true) && !ask_to_look())
        return false;
    if (poll(&wait, 1, WAIT_MS) == 0 || read(file, &bell, sizeof bell) == 0)
        return ask_to_look();
    return true;
}

bool margay_buffer_refused(bool early)
{
    return margay_process_is_apart() ||
           (margay_process.capture != NULL && !margay_buffer_is_wanted(early));
}

/* Threads hold all buffers that there can be: one of them would have to end
   before another one gets a buffer. */
static bool all_are_held(struct margay_capture *capture)
{
    for (uint32_t i = 0; i < MARGAY_MAX_BUFFERS; i++) {
        uint64_t state = atomic_load(&capture->slots[i].state);
        if (margay_slot_stage(state) != MARGAY_SLOT_OPEN)
            return false;
    }
    return true;
}

bool margay_buffer_await(unsigned *waits)
{
    bool held = all_are_held(margay_process.capture);
    *waits = held ? *waits + 1 : 0;
    if (held && (*waits > WAITS || margay_process_loses(MARGAY_LOSS_THREADS))) {
        margay_process_lose(MARGAY_LOSS_THREADS);
        return false;
    }
    if (await_free())
        return true;
    margay_process_lose(MARGAY_LOSS_DESCRIPTORS);
    return false;
}

/* The calling thread, which has a number from now on. */
static struct margay_slot_owner myself(void)
{
    if (thread_number == 0)
        thread_number =
            1 + atomic_fetch_add(&margay_process.capture->next_thread, 1);
    return (struct margay_slot_owner){margay_process.id, margay_process.program,
                                      thread_number - 1};
}

bool margay_buffer_try(uint32_t *buffer)
{
    struct margay_capture *capture = margay_process.capture;
    const struct margay_slot_owner owner = myself();
    if (margay_slots_take(capture, &owner, buffer))
        return true;
    /* Either the receiver sees this, or a buffer is free already. */
    atomic_store(&capture->waits, 1);
    return margay_slots_take(capture, &owner, buffer);
}

bool margay_buffer_take(uint32_t *buffer, bool early)
{
    unsigned waits = 0;
    while (margay_buffer_is_wanted(early)) {
        if (margay_buffer_try(buffer))
            return true;
        if (!margay_buffer_await(&waits))
            return false;
    }
    return false;
}

void margay_buffer_open(uint32_t buffer, uint64_t *words)
{
    const struct margay_slot_owner owner = myself();
    margay_slots_open(margay_process.capture, buffer, &owner, words);
    margay_process_mark_thread();
}

void margay_buffer_return(uint32_t buffer)
{
    margay_slots_return(margay_process.capture, buffer);
}

void margay_buffer_send(uint32_t buffer, uint32_t words, uint32_t dirty)
{
    margay_slots_mark(margay_process.capture, buffer, margay_process_mapped);
    if (margay_slots_fill(margay_process.capture, buffer, margay_process.id,
                          words, dirty) &&
        !ask_to_look())
        margay_process_lose(MARGAY_LOSS_DESCRIPTORS);
}

void margay_buffer_end(void)
{
    if (thread_number == 0)
        return;
    const struct margay_slot_owner owner = myself();
    margay_slots_end(margay_process.capture, &owner);
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
