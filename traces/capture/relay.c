/* relay.c - words that reach the reader of a pipe in memory: see relay.h */
#define _GNU_SOURCE
#include "traces/capture/relay.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "traces/capture/stream.h"

#define MAGIC UINT64_C(0x02796c6572796167)

/* A power of two: few, so that all stay in the caches, and enough for both
   sides to work for a while before one wakes the other. */
#define SLOTS 8

/* How often the writer looks whether there still is a reader. */
#define WAIT_NS 100000000

/* The process and the descriptor of the memory in a control word. */
#define PROCESS_SHIFT 24

/* Does the reader look into the memory? */
enum taken { NOT_YET, TAKEN, LEFT };

struct memory {
    uint64_t magic;
    uint64_t pipe;          /* the number of the pipe that it belongs to */
    _Atomic uint64_t put;   /* words in slots, once `ended` is 1 */
    _Atomic uint32_t taken; /* enum taken */
    _Atomic uint32_t waits; /* 1 = the writer waits for a slot */
    _Atomic uint32_t ended; /* 1 = there will be no more words */
    /* Slots that the reader is done with, modulo 2^32. */
    _Alignas(64) _Atomic uint32_t done;
    _Alignas(4096) uint64_t words[SLOTS][MARGAY_BUFFER_WORDS];
};

static struct memory *map(int file)
{
    void *memory = mmap(NULL, sizeof(struct memory), PROT_READ | PROT_WRITE,
                        MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* ----------------------------------------------------- the writer's side -- */

struct margay_relay {
    struct memory *memory;
    int file, pipe;
    uint64_t chunks; /* that were to be put */
    uint64_t words;  /* in slots so far */
    uint32_t given;  /* slots with words so far, modulo 2^32 */
};

struct margay_relay *margay_relay_offer(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISFIFO(status.st_mode))
        return NULL;
    struct margay_relay *relay = calloc(1, sizeof *relay);
    if (relay == NULL)
        return NULL;
    relay->pipe = descriptor;
    relay->file = memfd_create("margay-relay", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (relay->file >= 0 &&
        ftruncate(relay->file, sizeof(struct memory)) == 0 &&
        fcntl(relay->file, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
        relay->memory = map(relay->file);
    if (relay->memory == NULL) {
        margay_relay_withdraw(relay);
        return NULL;
    }
    relay->memory->magic = MAGIC;
    relay->memory->pipe = status.st_ino;
    return relay;
}

void margay_relay_withdraw(struct margay_relay *relay)
{
    if (relay == NULL)
        return;
    if (relay->memory != NULL)
        munmap(relay->memory, sizeof *relay->memory);
    if (relay->file >= 0)
        close(relay->file);
    free(relay);
}

bool margay_relay_describe(const struct margay_relay *relay,
                           uint64_t words[MARGAY_RELAY_OFFER_WORDS])
{
    words[0] = margay_control_word(MARGAY_CONTROL_PIPE, relay->memory->pipe);
    words[1] = margay_control_word(MARGAY_CONTROL_MEMORY,
                                   (uint64_t)getpid() << PROCESS_SHIFT |
                                       (uint64_t)relay->file);
    return relay->chunks == 0;
}

bool margay_relay_is_taken(const struct margay_relay *relay)
{
    return atomic_load(&relay->memory->taken) == TAKEN;
}

bool margay_relay_is_awaited(const struct margay_relay *relay)
{
    return relay->chunks <= 1 || margay_relay_is_taken(relay);
}

void margay_relay_conclude(struct margay_relay *relay)
{
    if (relay == NULL)
        return;
    atomic_store(&relay->memory->put, relay->words);
    atomic_store(&relay->memory->ended, 1);
}

/* The reader holds a lock on the file, which it loses when it dies: others may
   still have the pipe open. */
static bool has_reader(const struct margay_relay *relay)
{
    struct pollfd file = {.fd = relay->pipe};
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(relay->file, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK)
        atomic_store(&relay->memory->taken, LEFT);
    return margay_relay_is_taken(relay) && poll(&file, 1, 0) >= 0 &&
           (file.revents & POLLERR) == 0;
}

static bool wait_for_slot(struct margay_relay *relay)
{
    const struct timespec most = {0, WAIT_NS};
    struct memory *memory = relay->memory;
    uint32_t done = atomic_load(&memory->done);
    while (relay->given - done == SLOTS) {
        atomic_store(&memory->waits, 1);
        done = atomic_load(&memory->done);
        if (relay->given - done == SLOTS)
            syscall(SYS_futex, &memory->done, FUTEX_WAIT, done, &most, NULL, 0);
        if (!has_reader(relay))
            return false;
        done = atomic_load(&memory->done);
    }
    return relay->given - done < SLOTS;
}

bool margay_relay_put(struct margay_relay *relay, const uint64_t *words,
                      uint32_t count)
{
    relay->chunks++;
    if (count > MARGAY_BUFFER_WORDS || !margay_relay_is_taken(relay) ||
        !wait_for_slot(relay))
        return false;
    memcpy(relay->memory->words[relay->given++ % SLOTS], words,
           count * sizeof *words);
    relay->words += count;
    return true;
}

/* ----------------------------------------------------- the reader's side -- */

struct margay_relay_end {
    struct memory *memory;
    int file;       /* of the memory */
    uint32_t next;  /* slots given so far, modulo 2^32 */
    uint64_t words; /* read so far */
};

/* A regular file of the length of the memory? */
static bool has_length(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size == (off_t)sizeof(struct memory);
}

/* The kind of the file is checked before it is opened, because opening a device
   or a named pipe may have effects. */
static int open_file(uint64_t place)
{
    int file = -1;
    char path[64];
    snprintf(path, sizeof path, "/proc/%llu/fd/%llu",
             (unsigned long long)(place >> PROCESS_SHIFT),
             (unsigned long long)(place & ((1u << PROCESS_SHIFT) - 1)));
    int found = open(path, O_PATH | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", found);
    if (found >= 0 && has_length(found))
        file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (found >= 0)
        close(found);
    return file;
}

/* Map the memory, if it is a file that cannot become shorter, and take it, if
   it belongs to the pipe and is free.  In another name space of processes, the
   number of the writer may be that of another writer. */
static bool take(struct margay_relay_end *end, uint64_t pipe)
{
    const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    uint32_t before = NOT_YET;
    int seals = end->file < 0 ? -1 : fcntl(end->file, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || !has_length(end->file))
        return false;
    end->memory = map(end->file);
    return end->memory != NULL && end->memory->magic == MAGIC &&
           end->memory->pipe == pipe &&
           fcntl(end->file, F_OFD_SETLK, &whole) == 0 &&
           atomic_compare_exchange_strong(&end->memory->taken, &before, TAKEN);
}

static void release(struct margay_relay_end *end)
{
    if (end->memory != NULL)
        munmap(end->memory, sizeof *end->memory);
    if (end->file >= 0)
        close(end->file);
    free(end);
}

/* The value of a word if it is this control word; 0 = it is not. */
static uint64_t value_of(uint64_t word, enum margay_control control)
{
    return margay_word_kind(word) == MARGAY_WORD_CONTROL &&
                   margay_word_control(word) == control
               ? word & MARGAY_CONTROL_MASK
               : 0;
}

struct margay_relay_end *margay_relay_take(
    const uint64_t words[MARGAY_RELAY_OFFER_WORDS], uint64_t pipe)
{
    uint64_t place = value_of(words[1], MARGAY_CONTROL_MEMORY);
    if (pipe == 0 || place == 0 ||
        value_of(words[0], MARGAY_CONTROL_PIPE) != pipe)
        return NULL;
    struct margay_relay_end *end = calloc(1, sizeof *end);
    if (end == NULL)
        return NULL;
    end->file = open_file(place);
    if (take(end, pipe))
        return end;
    release(end);
    return NULL;
}

static void wake(struct memory *memory)
{
    if (atomic_exchange(&memory->waits, 0) != 0)
        syscall(SYS_futex, &memory->done, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* A writer that waits is woken for half of the slots at once. */
const uint64_t *margay_relay_next(struct margay_relay_end *end, uint32_t count)
{
    struct memory *memory = end->memory;
    end->words += count;
    atomic_store(&memory->done, end->next);
    if (end->next % (SLOTS / 2) == 0)
        wake(memory);
    return memory->words[end->next++ % SLOTS];
}

bool margay_relay_has_ended(const struct margay_relay_end *end)
{
    return atomic_load(&end->memory->ended) == 1 &&
           atomic_load(&end->memory->put) == end->words;
}

void margay_relay_leave(struct margay_relay_end *end)
{
    if (end == NULL)
        return;
    atomic_store(&end->memory->taken, LEFT);
    wake(end->memory);
    release(end);
}
