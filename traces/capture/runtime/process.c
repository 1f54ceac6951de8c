/*
 * process.c - what the threads of a recorded process share
 *
 * The environment names the descriptors, so they reach every program that the
 * process becomes or starts.  The child of vfork shares the memory of its
 * parent, with the buffers, and counts as its parent: the number of the process
 * is read here and after a fork only.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/capture/runtime/buffers.h"
#include "traces/capture/runtime/recorder.h"

enum { UNKNOWN, ATTACHING, RECORDED, UNRECORDED };

struct margay_process margay_process;

/* Descriptors are moved to numbers that programs seldom use. */
#define LEAST_DESCRIPTOR 700

static _Atomic int state;
static struct {
    dev_t device;
    ino_t file;
} identities[MARGAY_DESCRIPTORS];

/* Where closed descriptors are found again: a process, and its numbers. */
static long recorder;
static int recorders[MARGAY_DESCRIPTORS];
static off64_t data_offset; /* of buffer 0; the program may spoil the memory */
static _Atomic bool loses[MARGAY_LOSSES];
static _Atomic(uint64_t *) buffers[MARGAY_MAX_BUFFERS];
static pthread_key_t thread_key;
static pid_t system_number; /* of the process; margay_process.id may be ours */

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

static bool is_as_it_was(enum margay_descriptor which)
{
    dev_t device;
    ino_t file;
    return identify(which, &device, &file) &&
           device == identities[which].device && file == identities[which].file;
}

/* Open a descriptor again by the one of the recorder. */
static bool open_again(enum margay_descriptor which)
{
    static const int modes[MARGAY_DESCRIPTORS] = {O_RDWR, O_RDONLY | O_NONBLOCK,
                                                  O_WRONLY};
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", recorder, recorders[which]);
    int opened = open(path, modes[which] | O_CLOEXEC);
    if (opened < 0)
        return false;
    int moved = fcntl(opened, F_DUPFD_CLOEXEC, LEAST_DESCRIPTOR);
    if (moved >= 0)
        close(opened);
    margay_process.descriptors[which] = moved < 0 ? opened : moved;
    return true;
}

/* A descriptor opened again may be another file, because the numbers of
   processes and descriptors are reused. */
bool margay_process_has(enum margay_descriptor which)
{
    if (is_as_it_was(which))
        return true;
    int before = margay_process.descriptors[which];
    if (!open_again(which))
        return false;
    if (is_as_it_was(which))
        return true;
    close(margay_process.descriptors[which]);
    margay_process.descriptors[which] = before;
    return false;
}

void margay_process_lose(enum margay_loss loss)
{
    if (!atomic_exchange(&loses[loss], true))
        atomic_fetch_add(&margay_process.capture->lost[loss], 1);
}

bool margay_process_loses(enum margay_loss loss)
{
    return atomic_load(&loses[loss]);
}

static bool send_message(const struct margay_message *message)
{
    ssize_t sent;
    do {
        if (!margay_process_has(MARGAY_DESCRIPTOR_MESSAGES))
            return false;
        sent = write(margay_process.descriptors[MARGAY_DESCRIPTOR_MESSAGES],
                     message, sizeof *message);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *message;
}

bool margay_process_tell(uint32_t type, uint32_t process, uint32_t value)
{
    return send_message(&(struct margay_message){type, process, value});
}

bool margay_process_send(uint32_t type, uint32_t value)
{
    return margay_process_tell(type, margay_process.id, value);
}

/* mmap(), with offsets of 64 bits.  The linker may redirect it
   (allocations.c). */
extern void *map_memory(void *address, size_t bytes, int protection, int flags,
                        int file, off64_t offset) __asm__("mmap64");

static void *map(uint32_t buffer, void *address, size_t bytes, int flags)
{
    off64_t offset = data_offset + (off64_t)(buffer * MARGAY_BUFFER_BYTES);
    if (!margay_process_has(MARGAY_DESCRIPTOR_FILE)) {
        margay_process_lose(MARGAY_LOSS_DESCRIPTORS);
        return MAP_FAILED;
    }
    void *memory =
        map_memory(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags,
                   margay_process.descriptors[MARGAY_DESCRIPTOR_FILE], offset);
    if (memory == MAP_FAILED)
        margay_process_lose(MARGAY_LOSS_MEMORY);
    return memory;
}

const uint64_t *margay_process_mapped(uint32_t buffer)
{
    return atomic_load(&buffers[buffer]);
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

void margay_process_moved(uint32_t buffer, uint64_t *base)
{
    atomic_store(&buffers[buffer], base);
}

bool margay_process_map_at(uint32_t buffer, void *address, size_t bytes)
{
    return map(buffer, address, bytes, MAP_FIXED | MAP_POPULATE) != MAP_FAILED;
}

/* -------------------------------------------------------------- attaching --
 */

/* "3,4,5,77,6" */
static bool read_descriptors(const char *text)
{
    enum { NUMBERS = MARGAY_DESCRIPTORS + 2 };
    long numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
        char *end;
        numbers[i] = strtol(text, &end, 10);
        if (end == text || numbers[i] < 0 || numbers[i] > 1 << 22 ||
            *end != (i + 1 < NUMBERS ? ',' : '\0'))
            return false;
        text = end + 1;
    }
    for (int i = 0; i < MARGAY_DESCRIPTORS; i++)
        margay_process.descriptors[i] = recorders[i] = (int)numbers[i];
    recorder = numbers[MARGAY_DESCRIPTORS];
    recorders[MARGAY_DESCRIPTOR_MESSAGES] =
        (int)numbers[MARGAY_DESCRIPTORS + 1];
    return true;
}

static bool map_capture(void)
{
    void *memory = map_memory(
        NULL, sizeof(struct margay_capture), PROT_READ | PROT_WRITE, MAP_SHARED,
        margay_process.descriptors[MARGAY_DESCRIPTOR_FILE], 0);
    if (memory == MAP_FAILED)
        return false;
    margay_process.capture = memory;
    data_offset = margay_process.capture->data_offset;
    return margay_process.capture->magic == MARGAY_CAPTURE_MAGIC &&
           margay_process.capture->version == MARGAY_CAPTURE_VERSION;
}

/* Find the three descriptors.  They are opened again where the program that
   executed this one had closed them, or had opened other files with their
   numbers. */
static bool find_descriptors(void)
{
    static const mode_t types[MARGAY_DESCRIPTORS] = {S_IFREG, S_IFIFO, S_IFIFO};
    bool found = true;
    for (int i = 0; i < MARGAY_DESCRIPTORS && found; i++) {
        struct stat status;
        found = fstat(margay_process.descriptors[i], &status) == 0 &&
                (status.st_mode & S_IFMT) == types[i];
    }
    if (found && map_capture())
        return true;
    for (int i = 0; i < MARGAY_DESCRIPTORS; i++) {
        if (!open_again(i))
            return false;
    }
    return map_capture();
}

bool margay_process_is_foreign(void)
{
    return margay_process.id >= MARGAY_FIRST_FOREIGNER;
}

/* The state of a thread: 'D' = it waits, and no handler of a signal may run;
   'Z' = it has ended. */
static char state_of(int thread)
{
    char path[64], text[64] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 'Z';
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    /* "77 (name) S": the name has 15 characters at most, of any kind. */
    while (got > 1 && text[got - 1] != ')')
        got--;
    return got > 1 ? text[got + 1] : 'Z';
}

bool margay_process_is_own(void)
{
    return getpid() == system_number;
}

/* A copy of the memory is another process, also where its maker has ended. */
bool margay_process_shares(int thread)
{
    char its_state = state_of(thread);
    return its_state == 'Z' ? !margay_process_is_own() : its_state != 'D';
}

/* The system's number of this process, or where that means something else to
   the recorder, one that no other process has. */
static uint32_t own_number(void)
{
    struct stat space;
    struct margay_capture *capture = margay_process.capture;
    int file = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    bool foreign = file >= 0 && fstat(file, &space) == 0 &&
                   capture->name_space != 0 &&
                   capture->name_space != space.st_ino;
    if (file >= 0)
        close(file);
    system_number = getpid();
    return foreign ? MARGAY_FIRST_FOREIGNER +
                         atomic_fetch_add(&capture->foreigners, 1)
                   : (uint32_t)getpid();
}

static bool is_counted(void)
{
    return margay_process_attach() && !margay_process_is_foreign();
}

void margay_process_leave(uint32_t process, bool certain)
{
    int reason = errno;
    if (is_counted())
        margay_process_tell(MARGAY_MESSAGE_LEAVE, process, certain);
    errno = reason;
}

void margay_process_stay(void)
{
    int reason = errno;
    if (is_counted())
        margay_process_tell(MARGAY_MESSAGE_STAY, (uint32_t)getpid(), 0);
    errno = reason;
}

/* The receiver waits for a process that is about to be made: the parent may end
   before the child sends its first message. */
void margay_process_before_fork(void)
{
    int reason = errno;
    margay_recorder_before_fork();
    margay_process_send(MARGAY_MESSAGE_FORK, 0);
    errno = reason;
}

/* The child has one thread, and no buffer for its next words. */
void margay_process_after_fork(void)
{
    int reason = errno;
    uint32_t parent = margay_process.id;
    margay_process.id = own_number();
    for (int i = 0; i < MARGAY_LOSSES; i++)
        atomic_store(&loses[i], false);
    margay_recorder_after_fork();
    margay_process_send(MARGAY_MESSAGE_BORN, parent);
    errno = reason;
}

/* If no process was made, none is waited for. */
void margay_process_fork_failed(void)
{
    int reason = errno;
    margay_process_send(MARGAY_MESSAGE_BORN, margay_process.id);
    errno = reason;
}

static void at_thread_end(void *unused)
{
    (void)unused;
    margay_recorder_leave();
    margay_buffer_end();
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
    return margay_process_send(MARGAY_MESSAGE_ATTACH, margay_process.program);
}

static bool attach(void)
{
    const char *text = secure_getenv(MARGAY_CAPTURE_VARIABLE);
    if (text == NULL || !read_descriptors(text) || !find_descriptors())
        return false;
    for (int i = 0; i < MARGAY_DESCRIPTORS; i++) {
        if (!identify(i, &identities[i].device, &identities[i].file))
            return false;
    }
    margay_process.id = own_number();
    return pthread_key_create(&thread_key, at_thread_end) == 0 &&
           pthread_atfork(margay_process_before_fork, NULL,
                          margay_process_after_fork) == 0 &&
           send_attach();
}

/* While one thread attaches, the references of other threads are not recorded,
   nor those that its own system calls lead to. */
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

bool margay_process_is_apart(void)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);
    return now == ATTACHING || now == UNRECORDED;
}
