/*
 * recorder.c - references out of a program, from the inside
 *
 * Everything here happens once per buffer, or once per process, but for
 * put_special(), which collapses repeats and notes sites.
 *
 * A program may close descriptors that it never opened, and open others that
 * get their numbers.  So whether a descriptor still is what it was is looked
 * at before each use: one system call per buffer.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/recorder.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/capture/runtime/process.h"

/* While nothing is to be recorded, words go round in so many. */
#define SCRATCH_WORDS 64

/* How long a thread waits for a buffer before it asks again. */
#define WANT_MS 20

#define NO_BLOCK UINT64_MAX

__thread struct margay_recorder margay_recorder
    __attribute__((tls_model("initial-exec")));

/* The calling thread's buffer, and where it is in it if put_special() does
   the work. */
static __thread struct {
    uint64_t *base; /* NULL = has none */
    uint64_t *next, *end;
    uint64_t block; /* of the last reference; NO_BLOCK = not to be repeated */
    uint64_t site;
    uint32_t buffer;
    uint32_t thread; /* from 1 on; 0 = none yet */
    uint64_t scratch[SCRATCH_WORDS];
} mine __attribute__((tls_model("initial-exec")));

/* ---------------------------------------------------------------- buffers --
 */

static void go_quiet(void)
{
    margay_recorder.next = mine.scratch;
    margay_recorder.end = mine.scratch + SCRATCH_WORDS;
}

/* The number of a free buffer; false: there will be none. */
static bool take_number(uint32_t *buffer)
{
    for (;;) {
        if (!margay_process_has(MARGAY_DESCRIPTOR_FREE))
            return false;
        int file = margay_process.descriptors[MARGAY_DESCRIPTOR_FREE];
        ssize_t got = read(file, buffer, sizeof *buffer);
        if (got == (ssize_t)sizeof *buffer)
            return *buffer < MARGAY_MAX_BUFFERS;
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (got < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = file, .events = POLLIN};
            if (!margay_process_send(MARGAY_MESSAGE_WANT, 0, 0))
                return false;
            poll(&wait, 1, WANT_MS);
        }
    }
}

/* Get a buffer, waiting while all are full. */
static bool acquire(void)
{
    uint32_t buffer;
    struct margay_capture *capture = margay_process.capture;
    if (atomic_load_explicit(&capture->quiet, memory_order_relaxed) ||
        !take_number(&buffer))
        return false;
    uint64_t *base = margay_process_map(buffer);
    if (base == NULL)
        return false;
    if (mine.thread == 0)
        mine.thread = 1 + atomic_fetch_add(&capture->next_thread, 1);
    struct margay_slot *slot = &capture->slots[buffer];
    atomic_store(&slot->thread, mine.thread - 1);
    atomic_store(&slot->program, margay_process.program);
    atomic_store(&slot->process, margay_process.id);
    mine.base = base;
    mine.buffer = buffer;
    mine.block = NO_BLOCK;
    mine.site = 0;
    margay_process_mark_thread();
    return true;
}

static void hand_over(uint64_t *next)
{
    uint64_t *base = mine.base;
    mine.base = NULL;
    margay_process_send(MARGAY_MESSAGE_FULL, mine.buffer,
                        (uint32_t)(next - base));
}

/* ----------------------------------------------------------------- words -- */

static bool is_special(void)
{
    return margay_process.capture->collapses != 0 ||
           margay_process.capture->wants_sites != 0;
}

/* Another reference to the block of the one before, counted in the word
   behind that. */
static void count_repeat(unsigned kind)
{
    unsigned shift = kind * MARGAY_REPEATS_BITS;
    uint64_t *last = mine.next - 1;
    const uint64_t empty =
        margay_word(0, MARGAY_WORD_CONTROL, MARGAY_CONTROL_REPEATS);
    if (*last >> MARGAY_WORD_BYTES_SHIFT == empty >> MARGAY_WORD_BYTES_SHIFT &&
        (*last >> shift & MARGAY_REPEATS_MASK) != MARGAY_REPEATS_MASK)
        *last += UINT64_C(1) << shift;
    else
        *mine.next++ = empty | UINT64_C(1) << shift;
}

/* True if the reference is a repeat, and counted. */
static bool collapse(uint64_t word)
{
    unsigned shift = margay_process.capture->collapse_shift;
    unsigned kind = (unsigned)(word >> MARGAY_WORD_KIND_SHIFT);
    uint64_t address = word & MARGAY_WORD_ADDRESS_MASK;
    uint64_t block = address >> shift;
    unsigned bytes = word >> MARGAY_WORD_BYTES_SHIFT & 63;
    uint64_t last = address + (bytes == 0 ? MARGAY_WORD_MAX_BYTES : bytes) - 1;
    if (kind > 1 || last >> shift != block) {
        /* Neither a read nor a write, or it touches two blocks. */
        mine.block = NO_BLOCK;
        return false;
    }
    if (block == mine.block) {
        count_repeat(kind);
        return true;
    }
    mine.block = block;
    return false;
}

/* There is room for two words. */
static void put_special(uint64_t word, uint64_t site)
{
    if (margay_process.capture->collapses && collapse(word))
        return;
    if (margay_process.capture->wants_sites && site != mine.site) {
        mine.site = site;
        *mine.next++ =
            margay_word(site, MARGAY_WORD_CONTROL, MARGAY_CONTROL_SITE);
    }
    *mine.next++ = word;
}

/* The first word of a thread, or of a buffer. */
static void put_first(uint64_t word, uint64_t site)
{
    bool special = is_special();
    if (mine.base != NULL)
        hand_over(special ? mine.next : margay_recorder.next);
    margay_recorder = (struct margay_recorder){NULL, NULL};
    if (!acquire()) {
        go_quiet();
    } else if (special) {
        mine.next = mine.base;
        /* The last word is never used: put_special() may need two. */
        mine.end = mine.base + MARGAY_BUFFER_WORDS - 1;
        put_special(word, site);
    } else {
        margay_recorder.end = mine.base + MARGAY_BUFFER_WORDS;
        margay_recorder.next = mine.base + 1;
        *mine.base = word;
    }
}

void margay_recorder_put(uint64_t word, uint64_t site)
{
    if (mine.base != NULL && margay_recorder.end == NULL &&
        mine.next < mine.end) {
        put_special(word, site);
        return;
    }
    int reason = errno, cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (margay_process_attach())
        put_first(word, site);
    else
        go_quiet();
    pthread_setcancelstate(cancel, NULL);
    errno = reason;
}

bool margay_recorder_wants_sites(void)
{
    return margay_process_attach() && margay_process.capture->wants_sites;
}

void margay_recorder_leave(void)
{
    uint64_t *next =
        margay_recorder.end == NULL ? mine.next : margay_recorder.next;
    margay_recorder = (struct margay_recorder){NULL, NULL};
    if (mine.base != NULL)
        hand_over(next);
}

/* ------------------------------------------------------ starting, stopping --
 */

/* Go from one state to another, if that is the one it is in. */
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

void margay_recorder_forget(void)
{
    margay_recorder = (struct margay_recorder){NULL, NULL};
    mine.base = NULL;
    mine.thread = 0;
}
