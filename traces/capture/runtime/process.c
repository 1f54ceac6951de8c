/*
 * process.c - a recorded process, and its buffers
 *
 * The environment names the descriptors, so they reach every program that the
 * process becomes or starts.  A program may close descriptors that it did not
 * open, and open others that get their numbers: each use checks first that a
 * descriptor still belongs to the recording.  They are used where memory is
 * mapped, where a thread has to wait, and where the receiver has to be woken.
 *
 * The child of vfork shares the memory of its parent, with the buffers, and
 * counts as its parent: the number of the process is read here and after a fork
 * only.  So does whatever assembly makes, which nothing here sees.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/capture/slots.h"

enum { UNKNOWN, ATTACHING, RECORDED, UNRECORDED };

struct margay_process margay_process;

/* Descriptors are moved to numbers that programs seldom use. */
#define LEAST_DESCRIPTOR 700

/* How long a thread waits for a buffer before it asks again, and how often,
   while threads hold all buffers that there can be. */
#define WAIT_MS 20
#define WAITS   100

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

/* The number of the calling thread, from 1 on; 0 = it has none yet. */
static __thread uint32_t thread_number
    __attribute__((tls_model("initial-exec")));
/* How often in turn it has waited for one of the threads that hold all. */
static __thread unsigned waits __attribute__((tls_model("initial-exec")));

/* ----------------------------------------------------------- descriptors -- */

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

/* True if a descriptor still belongs to the recording, or does so again.  One
   that is opened again may be another file, because the numbers of processes
   and descriptors are reused. */
static bool has(enum margay_descriptor which)
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

/* Wake the receiver.  False: it has ended, which SIGPIPE also says. */
static bool ring(void)
{
    ssize_t sent;
    do {
        if (!has(MARGAY_DESCRIPTOR_BELL))
            return false;
        sent = write(margay_process.descriptors[MARGAY_DESCRIPTOR_BELL], "", 1);
    } while (sent < 0 && errno == EINTR);
    return sent == 1;
}

/* mmap(), with offsets of 64 bits.  The linker may redirect it
   (allocations.c). */
extern void *map_memory(void *address, size_t bytes, int protection, int flags,
                        int file, off64_t offset) __asm__("mmap64");

/* NULL: the buffer has not been mapped. */
static const uint64_t *mapped(uint32_t buffer)
{
    return atomic_load(&buffers[buffer]);
}

/* The address of a buffer; NULL if it cannot be mapped. */
static uint64_t *map(uint32_t buffer)
{
    uint64_t *base = atomic_load(&buffers[buffer]);
    if (base != NULL)
        return base;
    off64_t offset = data_offset + (off64_t)(buffer * MARGAY_BUFFER_BYTES);
    if (!has(MARGAY_DESCRIPTOR_FILE)) {
        margay_process_lose(MARGAY_LOSS_DESCRIPTORS);
        return NULL;
    }
    void *memory = map_memory(
        NULL, MARGAY_BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
        margay_process.descriptors[MARGAY_DESCRIPTOR_FILE], offset);
    if (memory == MAP_FAILED) {
        margay_process_lose(MARGAY_LOSS_MEMORY);
        return NULL;
    }
    atomic_store(&buffers[buffer], memory);
    return memory;
}

/* ------------------------------------------------------------- attaching -- */

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
    recorders[MARGAY_DESCRIPTOR_BELL] = (int)numbers[MARGAY_DESCRIPTORS + 1];
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
    return foreign ? MARGAY_FIRST_FOREIGNER +
                         atomic_fetch_add(&capture->foreigners, 1)
                   : (uint32_t)getpid();
}

/* The child has one thread, and no buffer for its next words. */
void margay_process_after_fork(void)
{
    int reason = errno;
    margay_process.id = own_number();
    thread_number = 0;
    for (int i = 0; i < MARGAY_LOSSES; i++)
        atomic_store(&loses[i], false);
    margay_recorder_after_fork();
    errno = reason;
}

static void at_thread_end(void *unused)
{
    (void)unused;
    margay_recorder_leave();
    margay_buffer_end();
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
    if (atomic_fetch_add(&margay_process.capture->next_program, 1) == 0)
        atomic_store(&margay_process.capture->first_process, margay_process.id);
    if (margay_slots_inherit(margay_process.capture, margay_process.id))
        ring();
    return pthread_key_create(&thread_key, at_thread_end) == 0 &&
           pthread_atfork(margay_recorder_before_fork, NULL,
                          margay_process_after_fork) == 0;
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

/* --------------------------------------------------------------- buffers -- */

static bool is_wanted(bool early)
{
    uint32_t quiet = atomic_load(&margay_process.capture->quiet);
    return quiet == MARGAY_RECORD || (early && quiet == MARGAY_NOT_YET);
}

bool margay_buffer_refused(bool early)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);
    return now == ATTACHING || now == UNRECORDED ||
           (margay_process.capture != NULL && !is_wanted(early));
}

/* Wait a while for a buffer to become free; false: none will. */
static bool await_free(const sigset_t *signals)
{
    if (!has(MARGAY_DESCRIPTOR_FREE))
        return false;
    int file = margay_process.descriptors[MARGAY_DESCRIPTOR_FREE];
    struct pollfd wait = {.fd = file, .events = POLLIN};
    const struct timespec most = {0, WAIT_MS * 1000000L};
    char bell;
    if (margay_slots_wakes(margay_process.capture, true) && !ring())
        return false;
    if (ppoll(&wait, 1, &most, signals) == 0 ||
        read(file, &bell, sizeof bell) == 0)
        return ring();
    return true;
}

/* Threads hold all buffers that there can be: one of them would have to end
   before another one gets a buffer. */
static bool all_are_held(void)
{
    for (uint32_t i = 0; i < MARGAY_MAX_BUFFERS; i++) {
        uint64_t now = atomic_load(&margay_process.capture->slots[i].state);
        if (margay_slot_stage(now) != MARGAY_SLOT_OPEN)
            return false;
    }
    return true;
}

/* The calling thread, which has a number from now on. */
static struct margay_slot_owner myself(void)
{
    if (thread_number == 0)
        thread_number =
            1 + atomic_fetch_add(&margay_process.capture->next_thread, 1);
    return (struct margay_slot_owner){margay_process.id, thread_number - 1};
}

enum margay_taking margay_buffer_take(uint32_t *buffer, bool early,
                                      const sigset_t *signals)
{
    struct margay_capture *capture = margay_process.capture;
    if (!is_wanted(early))
        return MARGAY_NONE;
    const struct margay_slot_owner owner = myself();
    bool taken = margay_slots_take(capture, &owner, buffer);
    if (!taken) {
        /* Either the receiver sees this, or a buffer is free already. */
        atomic_store(&capture->waits, 1);
        taken = margay_slots_take(capture, &owner, buffer);
    }
    if (taken) {
        waits = 0;
        return MARGAY_TAKEN;
    }
    waits = all_are_held() ? waits + 1 : 0;
    if (waits > WAITS || (waits > 0 && loses[MARGAY_LOSS_THREADS]))
        margay_process_lose(MARGAY_LOSS_THREADS);
    else if (await_free(signals))
        return MARGAY_WAITED;
    else
        margay_process_lose(MARGAY_LOSS_DESCRIPTORS);
    waits = 0;
    return MARGAY_NONE;
}

uint64_t *margay_buffer_open(uint32_t buffer)
{
    struct margay_capture *capture = margay_process.capture;
    const struct margay_slot_owner owner = myself();
    uint64_t *words = map(buffer);
    if (words == NULL) { /* another process may have memory for it */
        atomic_store(&capture->slots[buffer].state, 0);
        return NULL;
    }
    margay_slots_open(capture, buffer, &owner, words);
    if (pthread_getspecific(thread_key) == NULL)
        pthread_setspecific(thread_key, &thread_key);
    return words;
}

void margay_buffer_send(uint32_t buffer, uint32_t words, uint32_t dirty)
{
    margay_slots_mark(margay_process.capture, buffer, mapped);
    if (margay_slots_fill(margay_process.capture, buffer, margay_process.id,
                          words, dirty) &&
        !ring())
        margay_process_lose(MARGAY_LOSS_DESCRIPTORS);
}

void margay_buffer_end(void)
{
    if (thread_number == 0)
        return;
    const struct margay_slot_owner owner = myself();
    margay_slots_end(margay_process.capture, &owner);
}
