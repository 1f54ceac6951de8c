/*
 * receiver.c - the references that recorded programs send
 *
 * What words come next is for harvest.c to find; here are the pipes, what
 * programs say through them, and when the recording is at its end.
 */
#define _GNU_SOURCE
#include "traces/capture/receiver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/base/checked.h"
#include "traces/base/cpu.h"
#include "traces/base/error.h"
#include "traces/capture/decode.h"
#include "traces/capture/harvest.h"
#include "traces/capture/members.h"
#include "traces/capture/shared.h"

/* The number of buffers to begin with.  While threads wait, there is one more
   for each that has one, until this many are full. */
#define FIRST_BUFFERS 16
#define SPARE_BUFFERS 8

/* Where threads have all buffers, those of dead processes are looked for,
   before each time that there would be as many more. */
#define CROWD_BUFFERS 64

/* How often the receiver looks for the words of slow programs. */
#define HARVEST_MS 100

struct margay_receiver {
    struct margay_receiver_options options;
    struct margay_shared_memory shared;
    struct margay_harvest harvest;
    int free_pipe[2], message_pipe[2];
    char environment[64];
    /* A message that waits for the buffers that were full before it came: those
       of turns before `message_turn`. */
    bool has_message;
    struct margay_message message;
    uint32_t message_turn;
    /* The words just given; the next call marks them as done. */
    bool given;
    struct margay_yield yield;
    struct margay_references references;
    struct margay_data_events *events; /* NULL = not recorded */
    bool finishing, alone, ended;
    int pause_ms; /* the last sleep at the end of the pipe; 0 = none */
    uint64_t processes;
    struct margay_members members;
};

/* --------------------------------------------------------------- set-up -- */

static enum margay_status open_pipes(struct margay_receiver *receiver,
                                     struct margay_error *error)
{
    if (pipe2(receiver->free_pipe, O_CLOEXEC | O_NONBLOCK) != 0 ||
        pipe2(receiver->message_pipe, O_CLOEXEC) != 0 ||
        !margay_move_descriptor_up(&receiver->free_pipe[0]) ||
        !margay_move_descriptor_up(&receiver->message_pipe[1]))
        return margay_fail_system("no pipe to a program", error);
    fcntl(receiver->message_pipe[0], F_SETFL, O_NONBLOCK);
    /* As long for each number of a process: where a program's stack begins
       depends on the length. */
    snprintf(receiver->environment, sizeof receiver->environment,
             MARGAY_CAPTURE_VARIABLE "=%d,%d,%d,%010ld,%d",
             receiver->shared.file, receiver->free_pipe[0],
             receiver->message_pipe[1], (long)getpid(),
             receiver->message_pipe[0]);
    return MARGAY_OK;
}

/* Say in the shared memory what is to be recorded. */
static void describe(struct margay_receiver *receiver)
{
    const struct margay_receiver_options *options = &receiver->options;
    struct margay_capture *capture = receiver->shared.capture;
    struct stat space;
    if (stat("/proc/self/ns/pid", &space) == 0)
        capture->name_space = space.st_ino;
    capture->wants_sites = options->sites;
    capture->wants_data = options->data;
    capture->start = options->start;
    capture->stop = options->stop;
    capture->quiet = options->start.from != options->start.to ? MARGAY_NOT_YET
                                                              : MARGAY_RECORD;
}

static enum margay_status allocate(struct margay_receiver *receiver,
                                   struct margay_error *error)
{
    unsigned columns = MARGAY_COLUMN_NUMBERS | MARGAY_COLUMN_KINDS |
                       MARGAY_COLUMN_EXTENTS | MARGAY_COLUMN_THREADS;
    if (receiver->options.sites)
        columns |= MARGAY_COLUMN_SITES;
    struct margay_references *references = &receiver->references;
    references->capacity = MARGAY_DECODED_REFS;
    if (receiver->options.data)
        receiver->events = calloc(1, sizeof *receiver->events);
    if ((receiver->options.data && receiver->events == NULL) ||
        !margay_references_allocate(references, columns))
        return margay_fail_memory(error, "references of a program");
    return MARGAY_OK;
}

static enum margay_status add_buffers(struct margay_receiver *receiver,
                                      struct margay_error *error)
{
    for (int i = 0; i < FIRST_BUFFERS; i++) {
        if (!margay_shared_memory_add(&receiver->shared))
            return margay_fail_system("no memory to share with a program",
                                      error);
    }
    return MARGAY_OK;
}

enum margay_status margay_receiver_create(
    const struct margay_receiver_options *options, margay_receiver **receiver,
    struct margay_error *error)
{
    struct margay_receiver *made = calloc(1, sizeof *made);
    *receiver = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "references of a program");
    made->options = *options;
    memset(made->free_pipe, -1, sizeof made->free_pipe);
    memset(made->message_pipe, -1, sizeof made->message_pipe);
    enum margay_status status =
        margay_shared_memory_create(&made->shared, error);
    if (status == MARGAY_OK)
        status = margay_harvest_begin(&made->harvest, &made->shared,
                                      options->sites, error);
    if (status == MARGAY_OK)
        status = open_pipes(made, error);
    if (status == MARGAY_OK)
        status = allocate(made, error);
    if (status == MARGAY_OK)
        status = add_buffers(made, error);
    if (status == MARGAY_OK)
        describe(made);
    if (status != MARGAY_OK)
        margay_receiver_free(made);
    else
        *receiver = made;
    return status;
}

static void close_file(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

void margay_receiver_free(margay_receiver *receiver)
{
    if (receiver == NULL)
        return;
    margay_harvest_free(&receiver->harvest);
    margay_shared_memory_free(&receiver->shared);
    for (int i = 0; i < 2; i++) {
        close_file(&receiver->free_pipe[i]);
        close_file(&receiver->message_pipe[i]);
    }
    margay_references_free(&receiver->references);
    free(receiver->events);
    margay_members_free(&receiver->members);
    free(receiver);
}

/* ----------------------------------------------- the life of a program -- */

const char *margay_receiver_environment(const margay_receiver *receiver)
{
    return receiver->environment;
}

void margay_receiver_pass_on(const margay_receiver *receiver)
{
    fcntl(receiver->shared.file, F_SETFD, 0);
    fcntl(receiver->free_pipe[0], F_SETFD, 0);
    fcntl(receiver->message_pipe[1], F_SETFD, 0);
}

void margay_receiver_started(margay_receiver *receiver)
{
    close_file(&receiver->message_pipe[1]);
}

void margay_receiver_expect(margay_receiver *receiver, uint32_t process)
{
    const struct margay_message message = {.type = MARGAY_MESSAGE_LEAVE,
                                           .process = process};
    margay_members_hear(&receiver->members, &message);
}

void margay_receiver_finish(margay_receiver *receiver, bool alone)
{
    receiver->finishing = true;
    receiver->alone = receiver->alone || alone;
}

void margay_receiver_stop(margay_receiver *receiver)
{
    atomic_store(&receiver->shared.capture->quiet, MARGAY_NO_MORE);
}

enum margay_quiet margay_receiver_quiet(const margay_receiver *receiver)
{
    return atomic_load(&receiver->shared.capture->quiet);
}

_Static_assert(MARGAY_MODULES == MARGAY_MOST_MODULES &&
                   MARGAY_MODULE_SHIFT == MARGAY_SITE_MODULE_SHIFT &&
                   MARGAY_CAPTURED_PATH_BYTES == MARGAY_MODULE_PATH_BYTES,
               "a trace has the sites of a recording");

bool margay_receiver_module(const margay_receiver *receiver, unsigned number,
                            char *path)
{
    const struct margay_module *module =
        &receiver->shared.capture->modules[number];
    uint32_t state = number < MARGAY_MODULES ? atomic_load(&module->state)
                                             : MARGAY_MODULE_FREE;
    *path = '\0';
    if (state == MARGAY_MODULE_NAMED)
        memcpy(path, module->path, MARGAY_CAPTURED_PATH_BYTES);
    path[MARGAY_CAPTURED_PATH_BYTES - 1] = '\0';
    return state != MARGAY_MODULE_FREE;
}

uint64_t margay_receiver_processes(const margay_receiver *receiver)
{
    return receiver->processes;
}

bool margay_receiver_saw_end(const margay_receiver *receiver)
{
    return atomic_load(&receiver->shared.capture->saw_end) != 0;
}

uint64_t margay_receiver_left_out(const margay_receiver *receiver)
{
    return margay_members_left_out(&receiver->members);
}

uint64_t margay_receiver_lost(const margay_receiver *receiver,
                              enum margay_loss loss)
{
    return atomic_load(&receiver->shared.capture->lost[loss]);
}

uint64_t margay_receiver_missing(const margay_receiver *receiver)
{
    uint64_t sent = atomic_load(&receiver->shared.capture->sent);
    uint64_t taken = receiver->harvest.taken;
    return sent > taken ? sent - taken : 0;
}

/* ----------------------------------------------------------------- words -- */

/* The caller is done with the words given. */
static void take_back(struct margay_receiver *receiver)
{
    if (receiver->given)
        margay_harvest_done(&receiver->harvest, &receiver->yield);
    receiver->given = false;
}

static void give(struct margay_receiver *receiver, struct margay_words *words)
{
    const struct margay_receiver_options *options = &receiver->options;
    const struct margay_yield *yield = &receiver->yield;
    uint32_t from = receiver->harvest.decoding[yield->buffer].words;
    receiver->given = true;
    *words = (struct margay_words){
        .words = receiver->shared.buffers[yield->buffer] + from,
        .count = yield->end - from,
        .thread = yield->thread,
        .sites = options->sites,
    };
}

bool margay_receiver_words_stand_alone(const margay_receiver *receiver)
{
    return !receiver->options.sites ||
           receiver->harvest.decoding[receiver->yield.buffer].words == 0;
}

void margay_receiver_decode(margay_receiver *receiver,
                            struct margay_batch *batch)
{
    const struct margay_yield *yield = &receiver->yield;
    struct margay_references *references = &receiver->references;
    references->count = 0;
    if (receiver->events != NULL)
        receiver->events->count = 0;
    if (receiver->given)
        margay_decode_words(&receiver->harvest.decoding[yield->buffer],
                            receiver->shared.buffers[yield->buffer], yield->end,
                            references, receiver->events);
    for (size_t i = 0; i < references->count; i++)
        references->threads[i] = yield->thread;
    *batch = (struct margay_batch){
        .references = references->count,
        .numbers = references->numbers,
        .kinds = references->kinds,
        .extents = references->extents,
        .threads = references->threads,
        .sites = references->sites,
    };
}

const struct margay_data_event *margay_receiver_data(
    const margay_receiver *receiver, size_t *count)
{
    *count = receiver->events == NULL ? 0 : receiver->events->count;
    return receiver->events == NULL ? NULL : receiver->events->events;
}

/* ------------------------------------------------------------------ next -- */

/* Read a message; MARGAY_AGAIN: there is none.  The buffers that were full
   before the message was sent come before what it says. */
static enum margay_status read_message(struct margay_receiver *receiver,
                                       struct margay_error *error)
{
    ssize_t got = read(receiver->message_pipe[0], &receiver->message,
                       sizeof receiver->message);
    if (got < 0 && errno != EAGAIN && errno != EINTR)
        return margay_fail_system("the pipe from a program", error);
    receiver->has_message = got == (ssize_t)sizeof receiver->message;
    receiver->message_turn = atomic_load(&receiver->shared.capture->fills);
    return receiver->has_message ? MARGAY_OK : MARGAY_AGAIN;
}

static void hear(struct margay_receiver *receiver)
{
    const struct margay_message *message = &receiver->message;
    receiver->has_message = false;
    margay_members_hear(&receiver->members, message);
    if (message->type != MARGAY_MESSAGE_ATTACH)
        return;
    receiver->processes++;
    margay_harvest_remains(&receiver->harvest, message->process,
                           message->value);
}

/* Where no buffer is free or full, find those that dead processes have left;
   false: none has words. */
static bool reclaim(struct margay_receiver *receiver)
{
    const uint32_t *counts = receiver->harvest.counts;
    if (atomic_load(&receiver->shared.capture->waits) == 0 ||
        receiver->harvest.for_any > 0 || counts[MARGAY_SLOT_FULL] > 0 ||
        receiver->shared.buffer_count % CROWD_BUFFERS != 0)
        return false;
    margay_harvest_dead(&receiver->harvest, false);
    return receiver->harvest.task_count > 0 || receiver->harvest.for_any > 0;
}

/* Threads that wait are woken once there are buffers for a while.  Where
   threads have nearly all of them, there is one more; where there can be no
   more, those that are kept for threads are for all.  The program may have
   written over the number of buffers. */
static void relieve(struct margay_receiver *receiver)
{
    _Atomic uint32_t *waits = &receiver->shared.capture->waits;
    const uint32_t *counts = receiver->harvest.counts;
    if (atomic_load(waits) == 0)
        return;
    atomic_store(&receiver->shared.capture->buffers,
                 receiver->shared.buffer_count);
    bool wanted = receiver->harvest.for_any == 0 &&
                  counts[MARGAY_SLOT_FULL] < SPARE_BUFFERS;
    bool more = wanted && margay_shared_memory_add(&receiver->shared);
    if (wanted && !more)
        margay_harvest_share(&receiver->harvest);
    bool enough = counts[MARGAY_SLOT_FREE] > 0 &&
                  counts[MARGAY_SLOT_FREE] >= counts[MARGAY_SLOT_FULL];
    if ((more || enough) && atomic_exchange(waits, 0) != 0)
        (void)!write(receiver->free_pipe[1], "", 1);
}

/* MARGAY_OK: there may be tasks.  MARGAY_AGAIN: nothing has come. */
static enum margay_status look(struct margay_receiver *receiver,
                               struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (!receiver->has_message)
        status = read_message(receiver, error);
    if (status != MARGAY_OK && status != MARGAY_AGAIN)
        return status;
    bool full = margay_harvest_full(
        &receiver->harvest,
        receiver->has_message ? &receiver->message_turn : NULL);
    if (!full && !receiver->has_message && reclaim(receiver))
        return MARGAY_OK;
    relieve(receiver);
    if (!full && receiver->has_message)
        hear(receiver);
    return full ? MARGAY_OK : status;
}

/* For how many full buffers the receiver wakes: where one thread records, half
   of those that it has left. */
static uint32_t worth_waking(const struct margay_receiver *receiver)
{
    const uint32_t *counts = receiver->harvest.counts;
    uint32_t half = counts[MARGAY_SLOT_FREE] / 2;
    return counts[MARGAY_SLOT_OPEN] > 1 || half == 0 ? 1 : half;
}

/* The end of the pipe: most likely its last process is about to die, and the
   caller asks for that.  One that lives may open the pipe again. */
static void pause_at_end(struct margay_receiver *receiver, int most_ms)
{
    int longer_ms = receiver->pause_ms == 0 ? 1 : 2 * receiver->pause_ms;
    receiver->pause_ms = longer_ms < most_ms ? longer_ms : most_ms;
    poll(NULL, 0, receiver->pause_ms);
}

static void wait_for_message(struct margay_receiver *receiver, int wait_ms)
{
    struct pollfd wait = {.fd = receiver->message_pipe[0], .events = POLLIN};
    if (wait_ms < 0 || wait_ms > HARVEST_MS)
        wait_ms = HARVEST_MS;
    poll(&wait, 1, wait_ms);
    if ((wait.revents & (POLLIN | POLLHUP)) == POLLHUP)
        pause_at_end(receiver, wait_ms);
    else
        receiver->pause_ms = 0;
}

/* Nothing has come: sleep, and look again. */
static enum margay_status look_later(struct margay_receiver *receiver,
                                     int wait_ms, struct margay_error *error)
{
    struct margay_capture *capture = receiver->shared.capture;
    margay_slots_sleep(capture, worth_waking(receiver));
    enum margay_status status = look(receiver, error);
    if (status == MARGAY_AGAIN) {
        wait_for_message(receiver, wait_ms);
        status = look(receiver, error);
    }
    atomic_store(&capture->sleeps, 0);
    return status;
}

/* The program has ended, and no message is left; other processes may still
   run.  `lived`: one of them did before the last look, and may have left
   messages and words since. */
static enum margay_status clear_up(struct margay_receiver *receiver, bool lived)
{
    bool stopped =
        atomic_load(&receiver->shared.capture->quiet) == MARGAY_NO_MORE;
    bool last = margay_harvest_dead(&receiver->harvest, receiver->alone);
    if (receiver->harvest.task_count > 0)
        return MARGAY_OK;
    bool live = lived || margay_members_live(&receiver->members);
    receiver->ended = receiver->alone || (last && (stopped || !live));
    return receiver->ended ? MARGAY_END : MARGAY_AGAIN;
}

/* Fill the list of tasks. */
static enum margay_status find_tasks(struct margay_receiver *receiver,
                                     int wait_ms, struct margay_error *error)
{
    bool lived = receiver->finishing && margay_members_live(&receiver->members);
    enum margay_status status = look(receiver, error);
    if (status == MARGAY_AGAIN && receiver->finishing)
        status = clear_up(receiver, lived);
    if (status == MARGAY_AGAIN && wait_ms != 0)
        status = look_later(receiver, wait_ms, error);
    if (status == MARGAY_AGAIN && wait_ms != 0)
        margay_harvest_open(&receiver->harvest);
    return status;
}

enum margay_status margay_receiver_next(margay_receiver *receiver, int wait_ms,
                                        struct margay_words *words,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *words = (struct margay_words){.count = 0};
    take_back(receiver);
    if (receiver->harvest.task == receiver->harvest.task_count) {
        if (receiver->ended)
            return MARGAY_END;
        status = find_tasks(receiver, wait_ms, error);
    }
    if (margay_harvest_next(&receiver->harvest, &receiver->yield))
        give(receiver, words);
    return words->count > 0 ? MARGAY_OK : status;
}
