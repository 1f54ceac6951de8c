/*
 * receiver.c - the references that recorded programs send
 *
 * harvest.c finds the next words; this file has the pipes, the messages of
 * programs, and the end of the recording.
 *
 * Invariant: a process owes one for each time that it leaves to become another
 * program, and pays one when a recorded program attaches; debts at the end are
 * programs that are missing from the trace.  Messages of different processes
 * come in any order, so only the sum for a process counts.
 */
#define _GNU_SOURCE
#include "traces/capture/receiver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "traces/base/checked.h"
#include "traces/base/cpu.h"
#include "traces/base/error.h"
#include "traces/capture/decode.h"
#include "traces/capture/harvest.h"

/* The number of buffers to begin with.  While threads wait, there is one more
   for each that has one, until this many are full. */
#define FIRST_BUFFERS 16
#define SPARE_BUFFERS 8

/* Where threads have all buffers, those of dead processes are searched for each
   time before so many more are made. */
#define CROWD_BUFFERS 64

/* How often the receiver looks for the words of slow programs. */
#define HARVEST_MS 100

/* ------------------------------------------------------------- processes -- */

struct member {
    uint32_t process;
    bool recorded;     /* or certain to be recorded soon */
    int64_t owed;      /* programs that left less those that attached */
    uint64_t forking;  /* processes about to be made by it, and ... */
    int64_t orphan_ms; /* ... when it was found dead with some; 0 = not yet */
};

struct members {
    struct member *list;
    size_t count, capacity;
    uint64_t left_out; /* owed by processes no longer in the list */
};

/* So long a process may take to report itself once its maker is dead. */
#define BIRTH_MS 2000

/* Messages about more processes than this are ignored as senseless. */
#define MOST_MEMBERS 65536

static uint64_t owed_by(const struct member *member)
{
    return member->owed > 0 ? (uint64_t)member->owed : 0;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether more may come from it. */
static bool is_over(struct member *member)
{
    if (!margay_process_is_dead(member->process))
        return false;
    if (member->forking > 0 && member->orphan_ms == 0)
        member->orphan_ms = now_ms();
    return member->forking == 0 || now_ms() - member->orphan_ms >= BIRTH_MS;
}

/* Remove dead processes, and keep the sum of their debts. */
static void forget_dead(struct members *members)
{
    size_t kept = 0;
    for (size_t i = 0; i < members->count; i++) {
        if (is_over(&members->list[i]))
            members->left_out += owed_by(&members->list[i]);
        else
            members->list[kept++] = members->list[i];
    }
    members->count = kept;
}

static bool make_space(struct members *members)
{
    size_t wanted = members->capacity == 0 ? 64 : 2 * members->capacity;
    if (members->count < members->capacity)
        return true;
    forget_dead(members);
    if (2 * members->count < members->capacity)
        return true;
    struct member *list =
        wanted > MOST_MEMBERS
            ? NULL
            : realloc(members->list, wanted * sizeof *members->list);
    if (list == NULL)
        return members->count < members->capacity;
    members->list = list;
    members->capacity = wanted;
    return true;
}

static struct member *find_member(struct members *members, uint32_t process)
{
    for (size_t i = 0; i < members->count; i++) {
        if (members->list[i].process == process)
            return &members->list[i];
    }
    if (!make_space(members))
        return NULL;
    members->list[members->count] = (struct member){.process = process};
    return &members->list[members->count++];
}

static void change_member(struct members *members, uint32_t process, int owes,
                          bool recorded)
{
    struct member *member = find_member(members, process);
    if (member == NULL)
        return;
    member->owed += owes;
    member->recorded = recorded;
}

/* Take note of a message; messages about buffers change nothing.  The message
   that a parent started a program may come after the program has attached: it
   then stays recorded. */
static void take_note(struct members *members,
                      const struct margay_message *message)
{
    const uint32_t process = message->process;
    struct member *member;
    switch (message->type) {
    case MARGAY_MESSAGE_ATTACH:
    case MARGAY_MESSAGE_STAY:
        change_member(members, process, -1, true);
        return;
    case MARGAY_MESSAGE_LEAVE:
        member = find_member(members, process);
        change_member(members, process, 1,
                      message->value == 1 ||
                          (member != NULL && member->owed < 0));
        return;
    case MARGAY_MESSAGE_FORK:
        member = find_member(members, process);
        if (member != NULL)
            member->forking++;
        return;
    case MARGAY_MESSAGE_BORN:
        member = find_member(members, message->value);
        if (member != NULL)
            member->forking -= member->forking > 0;
        change_member(members, process, 0, true);
        return;
    default:
        return;
    }
}

/* True if a recorded process lives, or is about to be made.  Where its maker is
   dead it has two seconds to report itself, because it may have been killed. */
static bool some_live(struct members *members)
{
    bool live = false;
    for (size_t i = 0; i < members->count && !live; i++) {
        struct member *member = &members->list[i];
        live = (member->recorded || member->forking > 0) && !is_over(member);
    }
    return live;
}

/* ---------------------------------------------------------- the receiver -- */

/* "WHAT: the reason of the system". */
static enum margay_status fail_system(const char *what,
                                      struct margay_error *error)
{
    return margay_fail(error, MARGAY_IO, "%s: %s", what, strerror(errno));
}

/* Programs seldom use high numbers: move a descriptor there, if it is one. */
static bool move_up(int *file)
{
    enum { LEAST = 700 };
    int moved = fcntl(*file, F_DUPFD_CLOEXEC, LEAST);
    if (moved < 0)
        return *file >= 0;
    close(*file);
    *file = moved;
    return true;
}

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
    struct members members;
};

/* --------------------------------------------------------------- set-up -- */

static enum margay_status open_pipes(struct margay_receiver *receiver,
                                     struct margay_error *error)
{
    if (pipe2(receiver->free_pipe, O_CLOEXEC | O_NONBLOCK) != 0 ||
        pipe2(receiver->message_pipe, O_CLOEXEC) != 0 ||
        !move_up(&receiver->free_pipe[0]) ||
        !move_up(&receiver->message_pipe[1]))
        return fail_system("no pipe to a program", error);
    fcntl(receiver->message_pipe[0], F_SETFL, O_NONBLOCK);
    /* Of the same length for each process number: the place of a program's
       stack depends on it. */
    snprintf(receiver->environment, sizeof receiver->environment,
             MARGAY_CAPTURE_VARIABLE "=%d,%d,%d,%010ld,%d",
             receiver->shared.file, receiver->free_pipe[0],
             receiver->message_pipe[1], (long)getpid(),
             receiver->message_pipe[0]);
    return MARGAY_OK;
}

/* Write into the shared memory which references are wanted. */
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
    references->capacity = MARGAY_BUFFER_WORDS;
    if (receiver->options.data)
        receiver->events = calloc(1, sizeof *receiver->events);
    if ((receiver->options.data && receiver->events == NULL) ||
        !margay_references_allocate(references, columns))
        return margay_fail_memory(error, "references of a program");
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
    made->harvest.shared = &made->shared;
    made->harvest.site_slots = options->sites;
    memset(made->free_pipe, -1, sizeof made->free_pipe);
    memset(made->message_pipe, -1, sizeof made->message_pipe);
    enum margay_status status =
        margay_shared_memory_create(&made->shared, error);
    move_up(&made->shared.file);
    if (status == MARGAY_OK)
        status = open_pipes(made, error);
    if (status == MARGAY_OK)
        status = allocate(made, error);
    for (int i = 0; i < FIRST_BUFFERS && status == MARGAY_OK; i++) {
        if (!margay_shared_memory_add(&made->shared))
            status = fail_system("no memory to share with a program", error);
    }
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
    margay_shared_memory_free(&receiver->shared);
    for (int i = 0; i < 2; i++) {
        close_file(&receiver->free_pipe[i]);
        close_file(&receiver->message_pipe[i]);
    }
    margay_references_free(&receiver->references);
    free(receiver->events);
    free(receiver->members.list);
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
    take_note(&receiver->members, &message);
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

struct margay_receiver_facts margay_receiver_facts(
    const margay_receiver *receiver)
{
    const struct margay_capture *capture = receiver->shared.capture;
    const struct members *members = &receiver->members;
    uint64_t sent = atomic_load(&capture->sent);
    uint64_t taken = receiver->harvest.taken;
    struct margay_receiver_facts facts = {
        .processes = receiver->processes,
        .left_out = members->left_out,
        .missing = sent > taken ? sent - taken : 0,
        .quiet = atomic_load(&capture->quiet),
        .saw_end = atomic_load(&capture->saw_end) != 0,
    };
    for (size_t i = 0; i < members->count; i++)
        facts.left_out += owed_by(&members->list[i]);
    for (int i = 0; i < MARGAY_LOSSES; i++)
        facts.lost[i] = atomic_load(&capture->lost[i]);
    return facts;
}

/* ----------------------------------------------------------------- words -- */

bool margay_receiver_words_stand_alone(const margay_receiver *receiver)
{
    return !receiver->options.sites ||
           receiver->harvest.decoding[receiver->yield.buffer].words == 0;
}

const struct margay_data_event *margay_receiver_decode(
    margay_receiver *receiver, struct margay_batch *batch, size_t *events)
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
    if (events != NULL)
        *events = receiver->events == NULL ? 0 : receiver->events->count;
    return receiver->events == NULL ? NULL : receiver->events->events;
}

/* ------------------------------------------------------------------ next -- */

/* Read a message; MARGAY_AGAIN: there is none.  Buffers that were full before
   the message was sent come first. */
static enum margay_status read_message(struct margay_receiver *receiver,
                                       struct margay_error *error)
{
    ssize_t got = read(receiver->message_pipe[0], &receiver->message,
                       sizeof receiver->message);
    if (got < 0 && errno != EAGAIN && errno != EINTR)
        return fail_system("the pipe from a program", error);
    receiver->has_message = got == (ssize_t)sizeof receiver->message;
    receiver->message_turn = atomic_load(&receiver->shared.capture->fills);
    return receiver->has_message ? MARGAY_OK : MARGAY_AGAIN;
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

/* Waiting threads are woken once there are enough buffers for a while.  Where
   threads have nearly all of them, one more is made; where that is impossible,
   buffers kept for threads become free for all.  The program may have
   overwritten the number of buffers. */
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
    if (full || !receiver->has_message)
        return full ? MARGAY_OK : status;
    const struct margay_message *message = &receiver->message;
    receiver->has_message = false;
    take_note(&receiver->members, message);
    if (message->type == MARGAY_MESSAGE_ATTACH) {
        receiver->processes++;
        margay_harvest_remains(&receiver->harvest, message->process,
                               message->value);
    }
    return status;
}

/* At the end of the pipe its last process is most likely about to die, and the
   caller asks for that; one that lives may open the pipe again. */
static void wait_for_message(struct margay_receiver *receiver, int wait_ms)
{
    struct pollfd wait = {.fd = receiver->message_pipe[0], .events = POLLIN};
    int longer_ms = receiver->pause_ms == 0 ? 1 : 2 * receiver->pause_ms;
    if (wait_ms < 0 || wait_ms > HARVEST_MS)
        wait_ms = HARVEST_MS;
    poll(&wait, 1, wait_ms);
    receiver->pause_ms = 0;
    if ((wait.revents & (POLLIN | POLLHUP)) == POLLHUP) {
        receiver->pause_ms = longer_ms < wait_ms ? longer_ms : wait_ms;
        poll(NULL, 0, receiver->pause_ms);
    }
}

/* Nothing has come: look for buffers that became full meanwhile, sleep, and
   look again.  Where one thread records, half of its remaining buffers are
   worth waking for. */
static enum margay_status look_later(struct margay_receiver *receiver,
                                     int wait_ms, struct margay_error *error)
{
    struct margay_capture *capture = receiver->shared.capture;
    const uint32_t *counts = receiver->harvest.counts;
    uint32_t half = counts[MARGAY_SLOT_FREE] / 2;
    uint32_t more = counts[MARGAY_SLOT_OPEN] > 1 || half == 0 ? 1 : half;
    atomic_store(&capture->alarm, atomic_load(&capture->fills) + more);
    atomic_store(&capture->sleeps, 1);
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
    bool live = lived || some_live(&receiver->members);
    receiver->ended = receiver->alone || (last && (stopped || !live));
    return receiver->ended ? MARGAY_END : MARGAY_AGAIN;
}

/* Fill the list of tasks. */
static enum margay_status find_tasks(struct margay_receiver *receiver,
                                     int wait_ms, struct margay_error *error)
{
    bool lived = receiver->finishing && some_live(&receiver->members);
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
    const struct margay_yield *yield = &receiver->yield;
    *words = (struct margay_words){.count = 0};
    if (receiver->given) /* the caller has finished with these */
        margay_harvest_done(&receiver->harvest, yield);
    receiver->given = false;
    if (receiver->harvest.task == receiver->harvest.task_count) {
        if (receiver->ended)
            return MARGAY_END;
        status = find_tasks(receiver, wait_ms, error);
    }
    if (!margay_harvest_next(&receiver->harvest, &receiver->yield))
        return status;
    uint32_t from = receiver->harvest.decoding[yield->buffer].words;
    receiver->given = true;
    *words = (struct margay_words){
        .words = receiver->shared.buffers[yield->buffer] + from,
        .count = yield->end - from,
        .thread = yield->thread,
        .sites = receiver->options.sites,
    };
    return MARGAY_OK;
}
