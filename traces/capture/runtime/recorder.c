/*
 * recorder.c - references recorded from inside a program
 *
 * Algorithm: a buffer has slots for call sites, and a hash of the site chooses
 *   the slot.  So the site of a reference is a word of its own only where
 *   another site was in the slot.
 * Cost: everything here happens once per buffer, or once per process, except
 *   put_special(), which records call sites and collapses repeats.
 *
 * recorder_mmu.c does the same without comparing with the end of the buffer.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "traces/capture/runtime/buffers.h"
#include "traces/capture/runtime/images.h"
#include "traces/capture/runtime/process.h"
#include "traces/formats/data_kind.h"

/* The size of the ring that takes the words while nothing is recorded. */
#define SCRATCH_WORDS 64

#define SLOT_BITS 8
_Static_assert(1u << SLOT_BITS == MARGAY_SITE_SLOTS, "a hash is a slot");

__thread struct margay_recorder margay_recorder
    __attribute__((tls_model("initial-exec")));

/* The calling thread's buffer. */
static __thread struct {
    uint64_t *base; /* NULL = the thread has none */
    uint64_t *end;  /* of margay_recorder.careful */
    uint32_t buffer;
    struct margay_image image; /* that the last new site is in */
    bool looks;                /* for an image, or puts an event */
    bool has_stack;            /* the recording knows the thread's stack */
    uint64_t *sites;           /* what the slots of the buffer hold */
    uint64_t scratch[SCRATCH_WORDS];
} mine __attribute__((tls_model("initial-exec")));

/* Of each buffer what its slots hold.  Not thread-local, because a library that
   is loaded late has little room for such variables. */
static uint64_t sites[MARGAY_MAX_BUFFERS][MARGAY_SITE_SLOTS];

/* ---------------------------------------------------------------- buffers --
 */

static void go_quiet(void)
{
    margay_recorder.next = mine.scratch;
    margay_recorder.end = mine.scratch + SCRATCH_WORDS;
}

/* Get a buffer, after a wait while all are full; `early`: also before recording
   begins. */
static bool acquire(bool early)
{
    uint32_t buffer;
    if (!margay_buffer_take(&buffer, early))
        return false;
    uint64_t *base = margay_process_map(buffer);
    if (base == NULL) {
        margay_buffer_return(buffer);
        return false;
    }
    margay_buffer_open(buffer, base);
    mine.base = base;
    mine.buffer = buffer;
    margay_recorder.last = MARGAY_NO_ADDRESS;
    return true;
}

static void hand_over(uint64_t *next)
{
    uint32_t words = (uint32_t)(next - mine.base);
    mine.base = NULL;
    margay_buffer_send(mine.buffer, words, words);
}

/* ----------------------------------------------------------------- words -- */

static bool is_special(void)
{
    return margay_process.capture->collapses != 0 ||
           margay_process.capture->wants_sites != 0;
}

/* margay_record_repeat() for a word. */
static bool collapse(uint64_t word)
{
    unsigned bytes = word >> MARGAY_WORD_BYTES_SHIFT & 63;
    return margay_record_repeat(word,
                                (unsigned)(word >> MARGAY_WORD_KIND_SHIFT),
                                bytes == 0 ? MARGAY_WORD_MAX_BYTES : bytes);
}

/* The slot of a site, where references have slots.  Sites of a loop differ in
   their lower bits; the multiplier is 2^32 divided by the golden ratio. */
static unsigned slot_of(uint64_t site)
{
    return (uint32_t)site * 0x9e3779b1u >> (32 - SLOT_BITS);
}

/* What comes next is of a site that its slot does not hold. */
static void put_site(uint64_t site, unsigned slot)
{
    if (site - mine.image.from >= mine.image.to - mine.image.from) {
        bool looks = mine.looks;
        mine.looks = true;
        margay_images_find(site, &mine.image);
        mine.looks = looks;
    }
    mine.sites[slot] = site;
    *margay_recorder.careful++ =
        margay_control_word(MARGAY_CONTROL_SITE, site + mine.image.shift);
}

/* The buffer must have two free words.  What a look for an image refers to is
   not the program's, and would find no room. */
static void put_special(uint64_t word, uint64_t site)
{
    unsigned slot = margay_recorder.site_end == NULL ? 0 : slot_of(site);
    if (mine.looks)
        return;
    if (margay_process.capture->collapses && collapse(word))
        return;
    if (margay_process.capture->wants_sites && site != mine.sites[slot])
        put_site(site, slot);
    *margay_recorder.careful++ = word | (uint64_t)slot << MARGAY_SLOT_SHIFT;
}

/* Write the words of an event of data, for which there is room. */
static void put_event(unsigned data, uint64_t address, uint64_t bytes,
                      uint64_t site)
{
    if (site != mine.sites[0])
        put_site(site, 0);
    const uint64_t order =
        1 + atomic_fetch_add(&margay_process.capture->events, 1);
    const uint64_t payload = (address & MARGAY_WORD_ADDRESS_MASK) |
                             (uint64_t)data << MARGAY_CONTROL_DATA_SHIFT;
    uint64_t *next = margay_recorder.careful;
    next[0] = margay_control_word(MARGAY_CONTROL_BYTES, bytes);
    next[1] = margay_control_word(MARGAY_CONTROL_ORDER, order);
    next[2] = margay_control_word(MARGAY_CONTROL_DATA, payload);
    margay_recorder.careful = next + 3;
    margay_recorder.last = MARGAY_NO_ADDRESS;
}

/* Begin the buffer of a thread whose words are special. */
static void begin_special(void)
{
    uint64_t from, to, site = (uint64_t)(uintptr_t)begin_special;
    margay_recorder.careful = mine.base;
    /* The last word stays unused, because put_special() may need two. */
    mine.end = mine.base + MARGAY_BUFFER_WORDS - 1;
    margay_recorder.collapse_end =
        margay_process.capture->wants_sites ? NULL : mine.end;
    margay_recorder.site_end =
        margay_process.capture->collapses ? NULL : mine.end;
    margay_recorder.shift = margay_process.capture->collapse_shift;
    mine.sites = sites[mine.buffer];
    for (unsigned i = 0; i < MARGAY_SITE_SLOTS; i++)
        mine.sites[i] = 0;
    if (margay_process.capture->wants_data == 0 || mine.has_stack)
        return;
    mine.has_stack = true;
    if (margay_images_stack((uint64_t)(uintptr_t)&site, &from, &to))
        put_event(MARGAY_DATA_STACK, from, to - from, site);
}

/* The first word of a thread, or of a buffer. */
static void put_first(uint64_t word, uint64_t site)
{
    bool special = is_special();
    if (mine.base != NULL)
        hand_over(special ? margay_recorder.careful : margay_recorder.next);
    margay_recorder = (struct margay_recorder){0};
    if (!acquire(false)) {
        go_quiet();
    } else if (special) {
        begin_special();
        put_special(word, site);
    } else {
        margay_recorder.end = mine.base + MARGAY_BUFFER_WORDS;
        margay_recorder.next = mine.base + 1;
        *mine.base = word;
    }
}

static __attribute__((noinline)) void put_slowly(uint64_t word, uint64_t site)
{
    if (mine.base != NULL && margay_recorder.end == NULL &&
        margay_recorder.careful < mine.end) {
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

void margay_recorder_put(uint64_t word, uint64_t site)
{
    unsigned slot = slot_of(site);
    uint64_t *next = margay_recorder.careful;
    if (next >= margay_recorder.site_end || mine.sites[slot] != site ||
        mine.looks) {
        put_slowly(word, site);
        return;
    }
    margay_recorder.careful = next + 1;
    *next = word | (uint64_t)slot << MARGAY_SLOT_SHIFT;
}

/* Before recording begins, each event has a buffer for itself. */
static void put_data(unsigned data, uint64_t address, uint64_t bytes,
                     uint64_t site)
{
    bool has_room =
        mine.base != NULL && margay_recorder.careful - mine.base <=
                                 MARGAY_BUFFER_WORDS - MARGAY_DATA_WORDS;
    if (mine.base != NULL && !has_room)
        hand_over(margay_recorder.careful);
    if (!has_room) {
        margay_recorder = (struct margay_recorder){0};
        if (!acquire(true)) {
            go_quiet();
            return;
        }
        begin_special();
    }
    put_event(data, address, bytes, site);
    if (atomic_load(&margay_process.capture->quiet) != MARGAY_RECORD)
        margay_recorder_leave();
}

void margay_recorder_put_data(unsigned data, const volatile void *address,
                              uint64_t bytes, uint64_t site)
{
    int reason = errno, cancel;
    if (mine.looks || !margay_recorder_wants_data())
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    mine.looks = true;
    put_data(data, (uint64_t)(uintptr_t)address, bytes, site);
    mine.looks = false;
    pthread_setcancelstate(cancel, NULL);
    errno = reason;
}

bool margay_recorder_wants_data(void)
{
    return margay_process_attach() && margay_process.capture->wants_data;
}

bool margay_recorder_wants_sites(void)
{
    return margay_process_attach() && margay_process.capture->wants_sites;
}

void margay_recorder_leave(void)
{
    uint64_t *next = margay_recorder.end == NULL ? margay_recorder.careful
                                                 : margay_recorder.next;
    margay_recorder = (struct margay_recorder){0};
    if (mine.base != NULL)
        hand_over(next);
}

/* ------------------------------------------------------ starting, stopping --
 */

void margay_recorder_forget(void)
{
    margay_recorder = (struct margay_recorder){0};
    mine.base = NULL;
    margay_buffer_forget();
}
