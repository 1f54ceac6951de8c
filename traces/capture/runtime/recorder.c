/*
 * recorder.c - references out of a program, from the inside
 *
 * Everything here happens once per buffer, or once per process, but for
 * put_special(), which collapses repeats and notes sites.
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
    mine.block = NO_BLOCK;
    mine.site = 0;
    return mine.base != NULL;
}

static void hand_over(uint64_t *next)
{
    uint64_t *base = mine.base;
    mine.base = NULL;
    margay_buffer_send(mine.buffer, (uint32_t)(next - base));
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

void margay_recorder_forget(void)
{
    margay_recorder = (struct margay_recorder){NULL, NULL};
    mine.base = NULL;
    margay_buffer_forget();
}
