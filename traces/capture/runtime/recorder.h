/*
 * recorder.h - references recorded from inside a program
 *
 * Code that observes a program in its own process, such as the hooks that
 * compilers call, or a plugin of an emulator, calls margay_record_at() for each
 * reference.  The first call of a thread gets the thread a buffer; stream.h
 * defines what happens to buffers.  Outside `margay record` a call does nothing
 * and costs next to nothing.
 *
 * Thread safety: every thread has a buffer of its own, and so has the child of
 * a fork.  If a signal comes between two instructions of margay_record_at(),
 * and its handler is recorded, one reference of the handler may be lost.  No
 * function takes a lock.
 *
 * The runtime is linked into programs of others: it uses the C library for
 * system calls only, and neither allocates nor prints.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_RECORDER_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/capture/stream.h"

/*
 * Where the next word of a thread goes.  Invariant: where each reference
 * becomes a word, [next, end) is the rest of the buffer; otherwise both are
 * NULL.  Where repeats are collapsed and call sites are not recorded, [careful,
 * collapse_end) is the rest of the buffer, and where it is the other way round,
 * [careful, site_end).  In all other cases margay_recorder_put() decides.
 */
struct margay_recorder {
    uint64_t *next, *end;
    uint64_t *careful, *collapse_end, *site_end;
    uint64_t last;  /* the address that the next reference may repeat */
    unsigned shift; /* a block has 2^shift bytes */
};

/* In no block with an address, because it has more bits than addresses have. */
#define MARGAY_NO_ADDRESS UINT64_MAX

extern __thread struct margay_recorder margay_recorder
    __attribute__((tls_model("initial-exec")));

#ifdef MARGAY_MMU
/*
 * In this variant nothing compares with `end`: a page that cannot be written
 * follows the buffer, and the fault does the work of put().  A thread must call
 * begin() before its first reference.
 */
void margay_recorder_begin_thread(void);

static inline void margay_recorder_begin(void)
{
    if (__builtin_expect(margay_recorder.next == NULL, 0))
        margay_recorder_begin_thread();
}
#else
static inline void margay_recorder_begin(void)
{
}
#endif

/* Record a reference where the buffer is full, or where repeats or call sites
   are to be recorded. */
void margay_recorder_put(uint64_t word, uint64_t site);

/*
 * Try to count a reference as a repeat in the word before
 * margay_recorder.careful; true if that is done.  Only a read or a write within
 * one block can be a repeat or have repeats, and a word counts up to 15 of
 * each.  Inline, because a hook knows kind and length at compile time.
 */
static inline bool margay_record_repeat(uint64_t address, unsigned kind,
                                        unsigned bytes)
{
    const unsigned field =
        MARGAY_WORD_REPEATS_SHIFT + kind * MARGAY_WORD_REPEATS_BITS;
    uint64_t first = address & MARGAY_WORD_ADDRESS_MASK;
    uint64_t end = first + bytes - 1, last = margay_recorder.last;
    unsigned shift = margay_recorder.shift;
    if (kind <= 1 && ((first ^ last) | (end ^ last)) >> shift == 0) {
        uint64_t *before = margay_recorder.careful - 1;
        if (__builtin_expect((~*before >> field & MARGAY_WORD_MAX_REPEATS) != 0,
                             1)) {
            *before += UINT64_C(1) << field;
            return true;
        }
    }
    margay_recorder.last =
        kind > 1 || (first ^ end) >> shift != 0 ? MARGAY_NO_ADDRESS : first;
    return false;
}

/*
 * Record a reference of 1 to 64 bytes at an address of at most 48 bits (tags
 * above them are dropped); kind as enum margay_kind.  `site` is the address
 * of the code that makes it, or 0.
 */
static inline void margay_record_at(uint64_t address, unsigned kind,
                                    unsigned bytes, uint64_t site)
{
    uint64_t word = margay_word(address, kind, bytes);
    uint64_t *next = margay_recorder.next;
#ifdef MARGAY_MMU
    (void)site;
#else
    if (__builtin_expect(next == margay_recorder.end, 0)) {
        if (margay_recorder.careful >= margay_recorder.collapse_end)
            margay_recorder_put(word, site);
        else if (!margay_record_repeat(address, kind, bytes))
            *margay_recorder.careful++ = word;
        return;
    }
#endif
    /* In this order, a signal handler that runs in between records after this
       word. */
    margay_recorder.next = next + 1;
    __asm__ volatile("" ::: "memory");
    *next = word;
}

/* True if call sites are recorded. */
bool margay_recorder_wants_sites(void);

/* True if events of data are recorded. */
bool margay_recorder_wants_data(void);

/*
 * Record, where that is wanted, that [address, address + bytes) now holds other
 * data: enum margay_data, which says what `site` is, an address of code or of a
 * variable in this process.  Takes part in no recording of references that has
 * not begun.
 */
void margay_recorder_put_data(unsigned data, const volatile void *address,
                              uint64_t bytes, uint64_t site);

/* Send the buffer of the calling thread, which records no more, or not soon. */
void margay_recorder_leave(void);

/* In the child of a fork: the calling thread has no buffer. */
void margay_recorder_forget(void);

/* Begin to record, if the recording waits for that; stop for good.  For the
   calling thread at once, for others when they next need a buffer. */
void margay_recorder_start(void);
void margay_recorder_stop(void);

#endif
