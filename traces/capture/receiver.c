/*
 * receiver.c - the references that recorded programs send
 *
 * Invariant: a number in shared memory is loaded once, and then only the copy
 * is used, because a memory error of a program may change any of it at any
 * time.
 */
#define _GNU_SOURCE
#include "traces/capture/receiver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"
#include "traces/capture/decode.h"
#include "traces/capture/members.h"

/* The number of buffers to begin with; a thread that finds none free gets one
   more. */
#define FIRST_BUFFERS 16

/* How often the receiver looks for the words of slow programs. */
#define HARVEST_MS 100

struct buffer {
    uint64_t *words;
    struct margay_decoding decoding;
};

/* A buffer whose words are to be given: as a whole up to `words`, after which
   it is free, or the words written so far. */
struct task {
    uint32_t buffer;
    uint32_t words;
    bool whole;
};

struct margay_receiver {
    struct margay_receiver_options options;
    int file, free_pipe[2], full_pipe[2];
    char environment[64];
    struct margay_capture *capture;
    struct buffer *buffers; /* MARGAY_MAX_BUFFERS */
    uint32_t buffer_count;
    struct task *tasks; /* those in [task, task_count) are not yet done */
    size_t task, task_count;
    /* The words just given: those of a buffer from `decoding.words` to
       `given_end`.  The next call marks them as done. */
    bool given;
    uint32_t given_buffer, given_end;
    bool given_whole;
    struct margay_references references;
    struct margay_data_events *events; /* NULL = not recorded */
    bool finishing, alone, ended;
    uint64_t processes;
    struct margay_members members;
};

/* --------------------------------------------------------------- set-up -- */

static enum margay_status fail_system(const char *what,
                                      struct margay_error *error)
{
    return margay_fail(error, MARGAY_IO, "%s: %s", what, strerror(errno));
}

static size_t data_offset(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (sizeof(struct margay_capture) + page - 1) / page * page;
}

/* A file without a name that can only grow: a program that shortened it would
   take the memory away from the receiver. */
static int open_memory(void)
{
#ifdef MFD_ALLOW_SEALING
    int file = memfd_create("margay-capture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        close(file);
        return -1;
    }
    return file;
#else
    char path[] = "/tmp/margay-capture-XXXXXX";
    int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
#endif
}

/* Programs seldom use high numbers. */
static int move_up(int *file)
{
    enum { LEAST = 700 };
    int moved = fcntl(*file, F_DUPFD_CLOEXEC, LEAST);
    if (moved < 0)
        return *file < 0 ? -1 : 0;
    close(*file);
    *file = moved;
    return 0;
}

static enum margay_status open_files(struct margay_receiver *receiver,
                                     struct margay_error *error)
{
    receiver->file = open_memory();
    if (move_up(&receiver->file) != 0)
        return fail_system("no memory to share with a program", error);
    if (pipe2(receiver->free_pipe, O_CLOEXEC | O_NONBLOCK) != 0 ||
        pipe2(receiver->full_pipe, O_CLOEXEC) != 0 ||
        move_up(&receiver->free_pipe[0]) != 0 ||
        move_up(&receiver->full_pipe[1]) != 0)
        return fail_system("no pipe to a program", error);
    fcntl(receiver->full_pipe[0], F_SETFL, O_NONBLOCK);
    snprintf(receiver->environment, sizeof receiver->environment,
             MARGAY_CAPTURE_VARIABLE "=%d,%d,%d,%ld,%d", receiver->file,
             receiver->free_pipe[0], receiver->full_pipe[1], (long)getpid(),
             receiver->full_pipe[0]);
    return MARGAY_OK;
}

static enum margay_status map_capture(struct margay_receiver *receiver,
                                      struct margay_error *error)
{
    size_t bytes = data_offset();
    if (ftruncate(receiver->file, (off_t)bytes) != 0)
        return fail_system("no memory to share with a program", error);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                        receiver->file, 0);
    if (memory == MAP_FAILED)
        return fail_system("no memory to share with a program", error);
    receiver->capture = memory;
    receiver->capture->magic = MARGAY_CAPTURE_MAGIC;
    receiver->capture->version = MARGAY_CAPTURE_VERSION;
    receiver->capture->data_offset = (uint32_t)bytes;
    receiver->capture->collapses = receiver->options.collapse_bytes != 0;
    if (receiver->options.collapse_bytes != 0)
        receiver->capture->collapse_shift =
            margay_log2_floor(receiver->options.collapse_bytes);
    receiver->capture->wants_sites = receiver->options.sites;
    receiver->capture->wants_data = receiver->options.data;
    receiver->capture->start = receiver->options.start;
    receiver->capture->stop = receiver->options.stop;
    receiver->capture->quiet =
        receiver->options.start.from != receiver->options.start.to
            ? MARGAY_NOT_YET
            : MARGAY_RECORD;
    return MARGAY_OK;
}

/* Offer a buffer to all threads.  The pipe can hold the numbers of all
   buffers. */
static void set_free(struct margay_receiver *receiver, uint32_t buffer)
{
    receiver->buffers[buffer].decoding = (struct margay_decoding){
        .slots =
            receiver->options.sites && receiver->options.collapse_bytes == 0};
    atomic_store(&receiver->capture->slots[buffer].process, 0);
    (void)!write(receiver->free_pipe[1], &buffer, sizeof buffer);
}

/* Add a buffer.  Where there is no memory, a waiting thread goes on waiting. */
static bool add_buffer(struct margay_receiver *receiver)
{
    uint32_t buffer = receiver->buffer_count;
    off_t offset = (off_t)(data_offset() + buffer * MARGAY_BUFFER_BYTES);
    if (buffer == MARGAY_MAX_BUFFERS ||
        ftruncate(receiver->file, offset + (off_t)MARGAY_BUFFER_BYTES) != 0)
        return false;
    void *memory = mmap(NULL, MARGAY_BUFFER_BYTES, PROT_READ | PROT_WRITE,
                        MAP_SHARED, receiver->file, offset);
    if (memory == MAP_FAILED)
        return false;
    receiver->buffers[buffer].words = memory;
    receiver->buffer_count++;
    set_free(receiver, buffer);
    return true;
}

static enum margay_status allocate(struct margay_receiver *receiver,
                                   struct margay_error *error)
{
    unsigned columns =
        MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS | MARGAY_COLUMN_THREADS;
    if (receiver->options.collapse_bytes != 0)
        columns |= MARGAY_COLUMN_COUNTS;
    if (receiver->options.sites)
        columns |= MARGAY_COLUMN_SITES;
    struct margay_references *references = &receiver->references;
    references->capacity = MARGAY_DECODED_REFS;
    references->numbers = malloc(references->capacity * sizeof(uint64_t));
    receiver->buffers = calloc(MARGAY_MAX_BUFFERS, sizeof *receiver->buffers);
    receiver->tasks = calloc(MARGAY_MAX_BUFFERS + 1, sizeof *receiver->tasks);
    if (receiver->options.data)
        receiver->events = calloc(1, sizeof *receiver->events);
    if (references->numbers == NULL || receiver->buffers == NULL ||
        receiver->tasks == NULL ||
        (receiver->options.data && receiver->events == NULL) ||
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
    made->file = -1;
    memset(made->free_pipe, -1, sizeof made->free_pipe);
    memset(made->full_pipe, -1, sizeof made->full_pipe);
    enum margay_status status = open_files(made, error);
    if (status == MARGAY_OK)
        status = map_capture(made, error);
    if (status == MARGAY_OK)
        status = allocate(made, error);
    for (int i = 0; i < FIRST_BUFFERS && status == MARGAY_OK; i++) {
        if (!add_buffer(made))
            status = fail_system("no memory to share with a program", error);
    }
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
    for (uint32_t i = 0; i < receiver->buffer_count; i++)
        munmap(receiver->buffers[i].words, MARGAY_BUFFER_BYTES);
    if (receiver->capture != NULL)
        munmap(receiver->capture, data_offset());
    close_file(&receiver->file);
    for (int i = 0; i < 2; i++) {
        close_file(&receiver->free_pipe[i]);
        close_file(&receiver->full_pipe[i]);
    }
    margay_references_free(&receiver->references);
    free(receiver->buffers);
    free(receiver->tasks);
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
    fcntl(receiver->file, F_SETFD, 0);
    fcntl(receiver->free_pipe[0], F_SETFD, 0);
    fcntl(receiver->full_pipe[1], F_SETFD, 0);
}

void margay_receiver_started(margay_receiver *receiver)
{
    close_file(&receiver->full_pipe[1]);
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
    atomic_store(&receiver->capture->quiet, MARGAY_NO_MORE);
}

_Static_assert(MARGAY_MODULES == MARGAY_MOST_MODULES &&
                   MARGAY_MODULE_SHIFT == MARGAY_SITE_MODULE_SHIFT &&
                   MARGAY_CAPTURED_PATH_BYTES == MARGAY_MODULE_PATH_BYTES,
               "a trace has the sites of a recording");

bool margay_receiver_module(const margay_receiver *receiver, unsigned number,
                            char *path)
{
    const struct margay_module *module = &receiver->capture->modules[number];
    if (number >= MARGAY_MODULES ||
        atomic_load(&module->state) != MARGAY_MODULE_NAMED)
        return false;
    memcpy(path, module->path, MARGAY_CAPTURED_PATH_BYTES);
    path[MARGAY_CAPTURED_PATH_BYTES - 1] = '\0';
    return *path != '\0';
}

uint64_t margay_receiver_processes(const margay_receiver *receiver)
{
    return receiver->processes;
}

uint64_t margay_receiver_left_out(const margay_receiver *receiver)
{
    return margay_members_left_out(&receiver->members);
}

uint64_t margay_receiver_lost(const margay_receiver *receiver)
{
    return atomic_load(&receiver->capture->lost);
}

/* ----------------------------------------------------------------- tasks -- */

static uint32_t owner(const struct margay_receiver *receiver, uint32_t buffer)
{
    return atomic_load(&receiver->capture->slots[buffer].process);
}

static void add_task(struct margay_receiver *receiver, uint32_t buffer,
                     uint32_t words, bool whole)
{
    receiver->tasks[receiver->task_count++] =
        (struct task){buffer, words, whole};
}

/*
 * Words that other threads have written so far come before a full buffer.  A
 * thread that owns two buffers has filled one of them and sent a message about
 * it: its words come after that message.  One pass over all slots finds the
 * owners before any task is added, because a thread may take its second buffer
 * in between.
 */
static void add_others(struct margay_receiver *receiver, uint32_t except)
{
    enum { OWNERS = 4096, NO_OWNER = UINT16_MAX };
    uint8_t owned[OWNERS] = {0}; /* by a thread, in buffers; at most 2 */
    uint16_t owner_of[MARGAY_MAX_BUFFERS];
    const struct margay_slot *slots = receiver->capture->slots;
    for (uint32_t i = 0; i < receiver->buffer_count; i++) {
        owner_of[i] = NO_OWNER;
        /* The process first: it is the last field of a slot to be written. */
        if (owner(receiver, i) == 0)
            continue;
        owner_of[i] = (uint16_t)(atomic_load(&slots[i].thread) % OWNERS);
        if (owned[owner_of[i]] < 2)
            owned[owner_of[i]]++;
    }
    for (uint32_t i = 0; i < receiver->buffer_count; i++) {
        if (i != except && owner_of[i] != NO_OWNER && owned[owner_of[i]] == 1)
            add_task(receiver, i, 0, false);
    }
}

/* The buffers of the programs that a process was before this one. */
static void add_remains(struct margay_receiver *receiver, uint32_t process,
                        uint32_t program)
{
    for (uint32_t i = 0; i < receiver->buffer_count; i++) {
        if (owner(receiver, i) == process &&
            atomic_load(&receiver->capture->slots[i].program) != program)
            add_task(receiver, i, MARGAY_BUFFER_WORDS, true);
    }
}

/* The buffers of all dead processes; `all`: of every process.  False if a
   living process owns a buffer. */
static bool add_dead(struct margay_receiver *receiver, bool all)
{
    bool every = true;
    for (uint32_t i = 0; i < receiver->buffer_count; i++) {
        uint32_t process = owner(receiver, i);
        if (process != 0 && (all || margay_process_is_dead(process)))
            add_task(receiver, i, MARGAY_BUFFER_WORDS, true);
        else
            every = every && process == 0;
    }
    return every;
}

/* A thread waits for a buffer: add one if none is free. */
static void relieve(struct margay_receiver *receiver)
{
    int free_bytes = 0;
    if (ioctl(receiver->free_pipe[0], FIONREAD, &free_bytes) == 0 &&
        free_bytes == 0)
        add_buffer(receiver);
}

static void handle(struct margay_receiver *receiver,
                   const struct margay_message *message)
{
    uint32_t buffer = message->buffer;
    margay_members_hear(&receiver->members, message);
    switch (message->type) {
    case MARGAY_MESSAGE_FULL:
        if (buffer >= receiver->buffer_count ||
            message->words > MARGAY_BUFFER_WORDS)
            return;
        add_others(receiver, buffer);
        add_task(receiver, buffer, message->words, true);
        return;
    case MARGAY_MESSAGE_ATTACH:
        receiver->processes++;
        add_remains(receiver, message->process, buffer);
        return;
    case MARGAY_MESSAGE_WANT:
        relieve(receiver);
        return;
    default:
        return;
    }
}

/* The end of the words written so far, without the last one where it may still
   get repeats. */
static uint32_t written_words(const struct margay_receiver *receiver,
                              const struct buffer *buffer)
{
    uint32_t from = buffer->decoding.words, end = from;
    while (end < MARGAY_BUFFER_WORDS &&
           __atomic_load_n(&buffer->words[end], __ATOMIC_ACQUIRE) != 0)
        end++;
    return receiver->capture->collapses && end > from ? end - 1 : end;
}

/* The end of the words in a buffer whose process is dead. */
static uint32_t without_unused(const uint64_t *words, uint32_t from,
                               uint32_t end)
{
    while (end > from && words[end - 1] == 0)
        end--;
    return end;
}

static void give(struct margay_receiver *receiver, const struct task *task,
                 struct margay_words *words)
{
    struct buffer *buffer = &receiver->buffers[task->buffer];
    uint32_t from = buffer->decoding.words;
    uint32_t end = task->whole
                       ? without_unused(buffer->words, from, task->words)
                       : written_words(receiver, buffer);
    receiver->given = true;
    receiver->given_buffer = task->buffer;
    receiver->given_whole = task->whole;
    receiver->given_end = end > from ? end : from;
    *words = (struct margay_words){
        .words = buffer->words + from,
        .count = receiver->given_end - from,
        .thread = atomic_load(&receiver->capture->slots[task->buffer].thread),
        .sites = receiver->options.sites,
        .repeats = receiver->options.collapse_bytes != 0,
    };
}

/* The caller is done with the words given. */
static void take_back(struct margay_receiver *receiver)
{
    struct buffer *buffer = &receiver->buffers[receiver->given_buffer];
    if (!receiver->given)
        return;
    receiver->given = false;
    if (!receiver->given_whole) {
        margay_decode_controls(&buffer->decoding, buffer->words,
                               receiver->given_end);
        return;
    }
    memset(buffer->words, 0, receiver->given_end * sizeof *buffer->words);
    set_free(receiver, receiver->given_buffer);
}

bool margay_receiver_words_stand_alone(const margay_receiver *receiver)
{
    return !receiver->options.sites ||
           receiver->buffers[receiver->given_buffer].decoding.words == 0;
}

void margay_receiver_decode(margay_receiver *receiver,
                            struct margay_batch *batch)
{
    struct buffer *buffer = &receiver->buffers[receiver->given_buffer];
    struct margay_references *references = &receiver->references;
    uint32_t thread =
        atomic_load(&receiver->capture->slots[receiver->given_buffer].thread);
    references->count = 0;
    if (receiver->events != NULL)
        receiver->events->count = 0;
    if (receiver->given)
        margay_decode_words(&buffer->decoding, buffer->words,
                            receiver->given_end, references, receiver->events);
    for (size_t i = 0; i < references->count; i++)
        references->threads[i] = thread;
    *batch = (struct margay_batch){
        .references = references->count,
        .numbers = references->numbers,
        .kinds = references->kinds,
        .extents = references->extents,
        .counts = references->counts,
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

/* MARGAY_OK: there may be tasks.  MARGAY_AGAIN: no message came. */
static enum margay_status read_message(struct margay_receiver *receiver,
                                       int wait_ms, struct margay_error *error)
{
    struct margay_message message;
    struct pollfd wait = {.fd = receiver->full_pipe[0], .events = POLLIN};
    ssize_t got = read(receiver->full_pipe[0], &message, sizeof message);
    if (got < 0 && errno == EAGAIN) {
        poll(&wait, 1, wait_ms);
        got = read(receiver->full_pipe[0], &message, sizeof message);
    }
    if (got == (ssize_t)sizeof message) {
        handle(receiver, &message);
        return MARGAY_OK;
    }
    if (got < 0 && errno != EAGAIN && errno != EINTR)
        return fail_system("the pipe from a program", error);
    /* The end of the pipe: a process may open it again. */
    if (got == 0)
        poll(NULL, 0,
             wait_ms < 0 || wait_ms > HARVEST_MS ? HARVEST_MS : wait_ms);
    return MARGAY_AGAIN;
}

/* The program has ended, and no message is left; other processes may still
   run. */
static enum margay_status clear_up(struct margay_receiver *receiver,
                                   int wait_ms)
{
    bool stopped = atomic_load(&receiver->capture->quiet) == MARGAY_NO_MORE;
    bool last = add_dead(receiver, receiver->alone);
    if (receiver->task_count > 0)
        return MARGAY_OK;
    receiver->ended =
        receiver->alone ||
        (last && (stopped || !margay_members_live(&receiver->members)));
    if (receiver->ended)
        return MARGAY_END;
    struct pollfd wait = {.fd = receiver->full_pipe[0], .events = POLLIN};
    poll(&wait, 1, wait_ms < 0 || wait_ms > HARVEST_MS ? HARVEST_MS : wait_ms);
    return MARGAY_AGAIN;
}

/* Fill the list of tasks. */
static enum margay_status find_tasks(struct margay_receiver *receiver,
                                     int wait_ms, struct margay_error *error)
{
    receiver->task = receiver->task_count = 0;
    enum margay_status status =
        read_message(receiver, receiver->finishing ? 0 : wait_ms, error);
    if (status == MARGAY_AGAIN && receiver->finishing)
        status = clear_up(receiver, wait_ms);
    if (status == MARGAY_AGAIN && wait_ms != 0)
        add_others(receiver, UINT32_MAX);
    return status;
}

enum margay_status margay_receiver_next(margay_receiver *receiver, int wait_ms,
                                        struct margay_words *words,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *words = (struct margay_words){.count = 0};
    take_back(receiver);
    if (receiver->task == receiver->task_count) {
        if (receiver->ended)
            return MARGAY_END;
        status = find_tasks(receiver, wait_ms, error);
    }
    while (receiver->task < receiver->task_count) {
        give(receiver, &receiver->tasks[receiver->task++], words);
        if (words->count > 0)
            return MARGAY_OK;
        take_back(receiver);
    }
    return status;
}
