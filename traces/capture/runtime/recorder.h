/*
 * recorder.h - references out of a program, from the inside
 *
 * For whatever observes a program in its own process: the hooks that
 * compilers call, or a plugin of an emulator.  It calls margay_record() for
 * each reference, and that is all: the first call of a thread gets it a
 * buffer, and stream.h says where that goes.  Outside `margay record` it
 * costs next to nothing and does nothing.
 *
 * Thread safety: every thread has a buffer of its own, and so has the child of
 * a fork.  Where a signal comes between two instructions of margay_record()
 * and its handler is recorded too, one reference of the handler may be lost.
 * Nothing here takes a lock.
 *
 * This is compiled into the programs of others: it uses the C library for
 * system calls only, and neither allocates nor prints.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_RECORDER_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/capture/stream.h"

/*
 * Where a thread's next word goes.  While only references are wanted, as they
 * come, [next, end) is the rest of the buffer; otherwise both are NULL.  While
 * repeats are to be collapsed and nothing else, [careful, collapse_end) is;
 * otherwise margay_recorder_put() does what is to be done.
 */
struct margay_recorder {
    uint64_t *next, *end;
    uint64_t *careful, *collapse_end;
    uint64_t last;  /* address of the last reference, which may be repeated */
    unsigned shift; /* a block has so many bits */
};

/* Not in a block with any other: it has more bits than an address. */
#define MARGAY_NO_ADDRESS UINT64_MAX

extern __thread struct margay_recorder margay_recorder
    __attribute__((tls_model("initial-exec")));

#ifdef MARGAY_MMU
/*
 * With this, no look is taken at `end`: behind the buffer lies a page that
 * cannot be written, and the fault does what else put() does.  A thread has to
 * begin before its first reference; begin() costs nothing afterwards.
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

/* One reference when the buffer is full or something special is wanted. */
void margay_recorder_put(uint64_t word, uint64_t site);

/*
 * Append a reference to a buffer that has room at margay_recorder.careful; a
 * repeat is counted in the word before it, while there is room for that.  What
 * is neither a read nor a write, or touches two blocks, is no repeat and has
 * none.  Inline, so that a hook knows kind and length beforehand.  True if it
 * was a repeat.
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
    /* In this order, a handler that comes in between records behind it. */
    margay_recorder.next = next + 1;
    __asm__ volatile("" ::: "memory");
    *next = word;
}

static inline void margay_record(uint64_t address, unsigned kind,
                                 unsigned bytes)
{
    margay_record_at(address, kind, bytes, 0);
}

/* Whether `site` is looked at. */
bool margay_recorder_wants_sites(void);

/* Give up the calling thread's buffer: it records no more, or not soon. */
void margay_recorder_leave(void);

/* The calling thread, in the child of a fork, has no buffer. */
void margay_recorder_forget(void);

/* Begin to record, if that was waited for; stop, for good: for the calling
   thread at once, for others when they next need a buffer. */
void margay_recorder_start(void);
void margay_recorder_stop(void);

#endif
