/*
 * recorder.c - references out of a program, from the inside
 *
 * Everything here happens once per buffer, or once per process, but for
 * collapse(), which counts repeats, and put_special(), which notes sites.
 * recorder_mmu.c does the same without a look at where the buffer ends.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/recorder.h"

#include <errno.h>
#include <pthread.h>

#include "traces/capture/runtime/buffers.h"
#include "traces/capture/runtime/process.h"

/* While nothing is to be recorded, words go round in so many. */
#define SCRATCH_WORDS 64

/* Not in a block with any other: it has more bits than an address. */
#define NO_ADDRESS UINT64_MAX

__thread struct margay_recorder margay_recorder
    __attribute__((tls_model("initial-exec")));

/* The calling thread's buffer, and where it is in it if what follows has to be
   looked at. */
static __thread struct {
    uint64_t *base; /* NULL = has none */
    uint64_t *next, *end;
    uint64_t *collapse_end; /* as `end` while only repeats are looked for */
    uint64_t last;  /* address of the last reference, which may be repeated */
    unsigned shift; /* a block has so many bits */
    uint32_t buffer;
    uint64_t site;
    uint64_t scratch[SCRATCH_WORDS];
} mine __attribute__((tls_model("initial-exec")));

/* ---------------------------------------------------------------- buffers --
 */

static void go_quiet(void)
{
    margay_recorder.next = mine.scratch;
    margay_recorder.end = mine.scratch + SCRATCH_WORDS;
}

/* Get a buffer, waiting while all are full. */
static bool acquire(void)
{
    uint32_t buffer;
    if (!margay_buffer_take(&buffer))
        return false;
    mine.base = margay_process_map(buffer);
    mine.buffer = buffer;
    mine.last = NO_ADDRESS;
    mine.site = 0;
    return mine.base != NULL;
}

static void hand_over(uint64_t *next)
{
    uint64_t *base = mine.base;
    mine.base = mine.next = mine.collapse_end = NULL;
    margay_buffer_send(mine.buffer, (uint32_t)(next - base));
}

/* ----------------------------------------------------------------- words -- */

static bool is_special(void)
{
    return margay_process.capture->collapses != 0 ||
           margay_process.capture->wants_sites != 0;
}

/*
 * Count a repeat in the word before it, if there is room; true if that was
 * done.  What is neither a read nor a write, or touches two blocks, is no
 * repeat and has none.
 */
static inline bool collapse(uint64_t word)
{
    unsigned kind = (unsigned)(word >> MARGAY_WORD_KIND_SHIFT);
    unsigned field =
        MARGAY_WORD_REPEATS_SHIFT + kind * MARGAY_WORD_REPEATS_BITS;
    uint64_t first = word & MARGAY_WORD_ADDRESS_MASK;
    uint64_t end =
        first + ((word >> MARGAY_WORD_BYTES_SHIFT) - 1) % MARGAY_WORD_MAX_BYTES;
    bool alone = (first ^ end) >> mine.shift != 0 || kind > 1;
    bool same = (first ^ mine.last) >> mine.shift == 0;
    mine.last = alone ? NO_ADDRESS : first;
    if (!same || alone)
        return false;
    uint64_t before = mine.next[-1];
    if ((before >> field & MARGAY_WORD_MAX_REPEATS) == MARGAY_WORD_MAX_REPEATS)
        return false;
    mine.next[-1] = before + (UINT64_C(1) << field);
    return true;
}

/* There is room for two words. */
static void put_special(uint64_t word, uint64_t site)
{
    if (margay_process.capture->collapses && collapse(word))
        return;
    if (margay_process.capture->wants_sites && site != mine.site) {
        mine.site = site;
        *mine.next++ = margay_control_word(MARGAY_CONTROL_SITE, site);
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
        mine.collapse_end =
            margay_process.capture->wants_sites ? NULL : mine.end;
        mine.shift = margay_process.capture->collapse_shift;
        put_special(word, site);
    } else {
        margay_recorder.end = mine.base + MARGAY_BUFFER_WORDS;
        margay_recorder.next = mine.base + 1;
        *mine.base = word;
    }
}

/* Everything that is rare, out of the way of what is not. */
static __attribute__((noinline)) void put_rare(uint64_t word, uint64_t site)
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

void margay_recorder_put(uint64_t word, uint64_t site)
{
    if (__builtin_expect(mine.next < mine.collapse_end, 1)) {
        if (!collapse(word))
            *mine.next++ = word;
        return;
    }
    put_rare(word, site);
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

void margay_recorder_forget(void)
{
    margay_recorder = (struct margay_recorder){NULL, NULL};
    mine.base = mine.next = mine.collapse_end = NULL;
    margay_buffer_forget();
}
