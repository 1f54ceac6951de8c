/*
 * receiver.c - the references that recorded programs send
 *
 * harvest.c finds the words that come next.  Here are the pipes, by which the
 * sides wake each other, and the end of the recording: no process has its
 * memory, and none is a program of the recording that has yet to map it.  Only
 * its end or exec parts a process from the memory, which the child of a fork
 * has from the first.
 */
#define _GNU_SOURCE
#include "traces/capture/receiver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "traces/base/error.h"
#include "traces/capture/harvest.h"

/* The number of buffers to begin with.  While threads wait, there is one more
   for each that has one, until this many are full. */
#define FIRST_BUFFERS 16
#define SPARE_BUFFERS 8

/* Where threads have all buffers, those of dead processes are looked for before
   the next CROWD_BUFFERS are made. */
#define CROWD_BUFFERS 64

/* How often the receiver looks for the words of slow programs. */
#define HARVEST_MS 100

/* How often it does, and how soon the end of the last process is noticed, where
   no process has its pipe. */
#define PAUSE_MS 5

/* At how many looks in a row it may find only a program that is being loaded:
   one that is stopped before it has the memory never will. */
#define LOAD_LOOKS 100

/* How often it looks, in the end, for a recorded process, as it does not see
   one that is about to start a recorded program. */
#define LAST_LOOKS 5

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
    int free_pipe[2], bell_pipe[2];
    char environment[64];
    char mapping[64]; /* of the memory, in what the system says of a process */
    long last;        /* the process that was recorded at the last look */
    int loads;        /* the looks since one had the memory */
    /* The words just given; the next call marks them as done. */
    bool given;
    struct margay_yield yield;
    struct margay_references references;
    struct margay_data_events *events; /* NULL = not recorded */
    /* The program has ended; no process has the memory; all words are given. */
    bool finishing, over, ended;
};

/* ------------------------------------------------------------ the memory -- */

static size_t data_offset(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (sizeof(struct margay_capture) + page - 1) / page * page;
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

/* Make the memory, all zero and without buffers; after a failure, too, it is to
   be freed.  It is a file without a name, which can only grow: a program that
   shortened it would make the receiver crash. */
static enum margay_status create_memory(struct margay_shared_memory *shared,
                                        struct margay_error *error)
{
    *shared = (struct margay_shared_memory){
        .file =
            memfd_create("margay-capture", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (shared->file < 0 ||
        fcntl(shared->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0 ||
        (shared->capture = extend(shared, 0, data_offset())) == NULL)
        return fail_system("no memory to share with a program", error);
    shared->capture->magic = MARGAY_CAPTURE_MAGIC;
    shared->capture->version = MARGAY_CAPTURE_VERSION;
    shared->capture->data_offset = (uint32_t)data_offset();
    return MARGAY_OK;
}

/* Add a buffer, which is free; false: there is no memory, or there are as many
   as there can be. */
static bool add_buffer(struct margay_shared_memory *shared)
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

/* --------------------------------------------------------------- set-up -- */

static enum margay_status open_pipes(struct margay_receiver *receiver,
                                     struct margay_error *error)
{
    if (pipe2(receiver->free_pipe, O_CLOEXEC | O_NONBLOCK) != 0 ||
        pipe2(receiver->bell_pipe, O_CLOEXEC) != 0 ||
        !move_up(&receiver->free_pipe[0]) || !move_up(&receiver->bell_pipe[1]))
        return fail_system("no pipe to a program", error);
    fcntl(receiver->bell_pipe[0], F_SETFL, O_NONBLOCK);
    /* As long for each number of a process: where a program's stack begins
       depends on the length. */
    snprintf(receiver->environment, sizeof receiver->environment,
             MARGAY_CAPTURE_VARIABLE "=%d,%d,%d,%010ld,%d",
             receiver->shared.file, receiver->free_pipe[0],
             receiver->bell_pipe[1], (long)getpid(), receiver->bell_pipe[0]);
    return MARGAY_OK;
}

/* Write into the shared memory which references are wanted. */
static void describe(struct margay_receiver *receiver)
{
    const struct margay_receiver_options *options = &receiver->options;
    struct margay_capture *capture = receiver->shared.capture;
    struct stat status;
    if (fstat(receiver->shared.file, &status) == 0)
        snprintf(receiver->mapping, sizeof receiver->mapping, "%02x:%02x %ju ",
                 major(status.st_dev), minor(status.st_dev),
                 (uintmax_t)status.st_ino);
    if (stat("/proc/self/ns/pid", &status) == 0)
        capture->name_space = status.st_ino;
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
    memset(made->bell_pipe, -1, sizeof made->bell_pipe);
    enum margay_status status = create_memory(&made->shared, error);
    move_up(&made->shared.file);
    if (status == MARGAY_OK)
        status = open_pipes(made, error);
    if (status == MARGAY_OK)
        status = allocate(made, error);
    for (int i = 0; i < FIRST_BUFFERS && status == MARGAY_OK; i++) {
        if (!add_buffer(&made->shared))
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
    struct margay_shared_memory *shared = &receiver->shared;
    for (uint32_t i = 0; i < shared->buffer_count; i++)
        munmap(shared->buffers[i], MARGAY_BUFFER_BYTES);
    if (shared->capture != NULL)
        munmap(shared->capture, data_offset());
    close_file(&shared->file);
    for (int i = 0; i < 2; i++) {
        close_file(&receiver->free_pipe[i]);
        close_file(&receiver->bell_pipe[i]);
    }
    margay_references_free(&receiver->references);
    free(receiver->events);
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
    fcntl(receiver->bell_pipe[1], F_SETFD, 0);
}

void margay_receiver_started(margay_receiver *receiver)
{
    close_file(&receiver->bell_pipe[1]);
}

void margay_receiver_finish(margay_receiver *receiver, bool alone)
{
    receiver->finishing = true;
    receiver->over = receiver->over || alone;
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
    uint64_t sent = atomic_load(&capture->sent);
    uint64_t taken = receiver->harvest.taken;
    struct margay_receiver_facts facts = {
        .programs = atomic_load(&capture->next_program),
        .missing = sent > taken ? sent - taken : 0,
        .quiet = atomic_load(&capture->quiet),
        .saw_end = atomic_load(&capture->saw_end) != 0,
    };
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
    bool more = wanted && add_buffer(&receiver->shared);
    if (wanted && !more)
        margay_harvest_share(&receiver->harvest);
    bool enough = counts[MARGAY_SLOT_FREE] > 0 &&
                  counts[MARGAY_SLOT_FREE] >= counts[MARGAY_SLOT_FULL];
    if ((more || enough) && atomic_exchange(waits, 0) != 0)
        (void)!write(receiver->free_pipe[1], "", 1);
}

/* MARGAY_OK: there may be tasks, or somebody has rung.  MARGAY_AGAIN: nothing
   has come. */
static enum margay_status look(struct margay_receiver *receiver,
                               struct margay_error *error)
{
    char bells[256];
    ssize_t got = read(receiver->bell_pipe[0], bells, sizeof bells);
    if (got < 0 && errno != EAGAIN && errno != EINTR)
        return fail_system("the pipe from a program", error);
    bool full = margay_harvest_full(&receiver->harvest);
    if (!full && reclaim(receiver))
        return MARGAY_OK;
    relieve(receiver);
    return full || got > 0 ? MARGAY_OK : MARGAY_AGAIN;
}

/* Does a part of a file about the process, which ends with `end`, hold the
   text? None holds an empty one. */
static bool shows(long process, const char *name, int end, const char *text)
{
    char *part = NULL, path[64];
    size_t bytes = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/%s", process, name);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && getdelim(&part, &bytes, end, file) > 0)
        found = *text != '\0' && strstr(part, text) != NULL;
    if (file != NULL)
        fclose(file);
    free(part);
    return found;
}

/* Is it another process that has the memory, or one whose program is still
   being loaded and will have it? */
static bool is_recorded(margay_receiver *receiver, long process)
{
    char program[64];
    snprintf(program, sizeof program, "/proc/%ld/exe", process);
    bool is_other = process > 0 && process != getpid();
    bool has = is_other && shows(process, "maps", '\n', receiver->mapping);
    if (has)
        receiver->loads = 0;
    return has || (is_other && receiver->options.records_itself != NULL &&
                   shows(process, "environ", '\0', receiver->environment) &&
                   receiver->options.records_itself(program) &&
                   receiver->loads++ < LOAD_LOOKS);
}

/* Is any process recorded, as far as the system says so?  Looks first at the
   one that was the last time. */
static bool is_any_recorded(margay_receiver *receiver)
{
    struct dirent *entry;
    bool found = is_recorded(receiver, receiver->last);
    DIR *processes = found ? NULL : opendir("/proc");
    while (processes != NULL && !found &&
           (entry = readdir(processes)) != NULL) {
        receiver->last = atol(entry->d_name);
        found = is_recorded(receiver, receiver->last);
    }
    if (processes != NULL)
        closedir(processes);
    return found;
}

/* Once no process has the pipe, the last one most likely is about to die, and
   the caller asks for that; one that lives may open the pipe again.  False: no
   process has it. */
static bool wait_for_bell(struct margay_receiver *receiver, int wait_ms)
{
    struct pollfd wait = {.fd = receiver->bell_pipe[0], .events = POLLIN};
    if (wait_ms < 0 || wait_ms > HARVEST_MS)
        wait_ms = HARVEST_MS;
    poll(&wait, 1, wait_ms);
    if ((wait.revents & (POLLIN | POLLHUP)) != POLLHUP)
        return true;
    poll(NULL, 0, wait_ms < PAUSE_MS ? wait_ms : PAUSE_MS);
    return false;
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
        wait_for_bell(receiver, wait_ms);
        status = look(receiver, error);
    }
    atomic_store(&capture->sleeps, 0);
    return status;
}

/* The program has ended, and nothing has come; other processes may still run.
   What the last of them has done since is looked for once more. */
static enum margay_status clear_up(struct margay_receiver *receiver,
                                   int wait_ms, struct margay_error *error)
{
    bool stopped =
        atomic_load(&receiver->shared.capture->quiet) == MARGAY_NO_MORE;
    bool goes_on = receiver->over || receiver->options.records_all;
    for (int i = 0; !goes_on && i < LAST_LOOKS; i++) {
        goes_on = is_any_recorded(receiver);
        if (!goes_on && !wait_for_bell(receiver, wait_ms))
            break;
    }
    if (!goes_on) {
        receiver->over = true;
        enum margay_status status = look(receiver, error);
        if (status != MARGAY_AGAIN)
            return status;
    }
    bool last = margay_harvest_dead(&receiver->harvest, receiver->over);
    if (receiver->harvest.task_count > 0)
        return MARGAY_OK;
    receiver->ended = receiver->over || (last && stopped);
    return receiver->ended ? MARGAY_END : MARGAY_AGAIN;
}

/* Fill the list of tasks. */
static enum margay_status find_tasks(struct margay_receiver *receiver,
                                     int wait_ms, struct margay_error *error)
{
    enum margay_status status = look(receiver, error);
    if (status == MARGAY_AGAIN && receiver->finishing)
        status = clear_up(receiver, wait_ms, error);
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
