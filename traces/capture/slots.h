/*
 * slots.h - the buffers of threads: the transport of a recording
 *
 * Algorithm: each buffer of the shared memory has a slot, and the slot a state,
 *   one number of 64 bits: a stage, the process that has the buffer, and how
 *   many words are in it.
 *
 *       FREE -> TAKEN -> OPEN -> FULL -> FREE
 *
 *   A thread takes the first free buffer, clears what others wrote in it, opens
 *   it, writes words, and declares it full; the receiver reads the words and
 *   frees the buffer.  There is no queue: a search for a buffer goes through
 *   the slots, and full ones have their turn from a counter.  Neither side
 *   calls the system unless the other one sleeps.  Before the receiver sleeps,
 *   it sets the number of full buffers at which it wants to be woken.  So both
 *   sides work for several buffers before one wakes the other.  As the first
 *   free buffer is taken, few go round where the receiver keeps up, and those
 *   stay in the caches.
 *
 *   A buffer that a thread has had is kept for the thread until the thread
 *   ends, because code that a handler of a signal interrupted may still have
 *   the address of its next word: that word then is either used, or one of the
 *   thread's own, and never one of another thread.
 *
 * Guarantee: each step is one atomic operation, so a thread may be killed
 *   between any two instructions: no buffer is without an owner, none seems
 *   full that is not, and none is lost once its process is dead.  A word in an
 *   open buffer that is not zero is a reference that was made.  Nothing here
 *   waits, takes a lock, or uses the C library.  The words of full buffers are
 *   counted, and the receiver compares them in the end with those that came.
 *   The input of the receiver may be hostile: it loads a state once, and checks
 *   the numbers in the state.
 *
 * Cost: per buffer a look at all slots, five atomic operations, a binary search
 *   in each open buffer of others, 58 at most, and the clearing, by the thread
 *   that is about to write there, whose cache then has the lines.
 *
 * A recorder does this, in each thread:
 *
 *     while (!margay_slots_take(capture, &owner, &buffer))
 *         ...                    sleep until the receiver has freed one
 *     words = ...                map it
 *     margay_slots_open(capture, buffer, &owner, words);
 *     ...                        write words
 *     margay_slots_mark(capture, buffer, words_of);
 *     if (margay_slots_fill(capture, buffer, process, count, count))
 *         ...                    wake the receiver
 */
#ifndef MARGAY_TRACES_CAPTURE_SLOTS_H
#define MARGAY_TRACES_CAPTURE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>

#include "traces/capture/stream.h"

enum margay_stage {
    MARGAY_SLOT_FREE,
    MARGAY_SLOT_TAKEN, /* being cleared: no word in it means anything */
    MARGAY_SLOT_OPEN,  /* words are being written */
    MARGAY_SLOT_FULL,
    MARGAY_SLOT_STAGES
};

/* Bits 0..1 of a state are the stage, 2..31 the words, 32..63 the process. */
static inline uint64_t margay_slot_state(enum margay_stage stage,
                                         uint32_t process, uint32_t words)
{
    return (uint64_t)process << 32 | (uint64_t)words << 2 | (uint64_t)stage;
}

static inline enum margay_stage margay_slot_stage(uint64_t state)
{
    return (enum margay_stage)(state & 3);
}

/* Of a state, or of a keeper. */
static inline uint32_t margay_slot_process(uint64_t state)
{
    return (uint32_t)(state >> 32);
}

static inline uint32_t margay_slot_words(uint64_t state)
{
    return (uint32_t)state >> 2;
}

/* At least the first `dirty` words of the buffer may not be zero. */
static inline void margay_slot_note_dirty(struct margay_slot *slot,
                                          uint32_t dirty)
{
    if (atomic_load_explicit(&slot->dirty, memory_order_relaxed) < dirty)
        atomic_store_explicit(&slot->dirty, dirty, memory_order_relaxed);
}

/* Was the buffer opened before the other one? */
static inline bool margay_slot_is_before(const struct margay_slot *slot,
                                         const struct margay_slot *other)
{
    return atomic_load(&slot->opening) - atomic_load(&other->opening) >
           INT32_MAX;
}

/* ------------------------------------------------------ a program's side -- */

struct margay_slot_owner {
    uint32_t process, thread;
};

/* Whom a buffer is kept for; not 0. */
static inline uint64_t margay_slot_keeper(const struct margay_slot_owner *owner)
{
    return (uint64_t)owner->process << 32 | (owner->thread + 1);
}

static inline bool margay_slot_is_kept(struct margay_slot *slot,
                                       uint64_t but_for)
{
    uint64_t keeper = atomic_load(&slot->keeper);
    return keeper != 0 && keeper != but_for;
}

/* Take a free buffer, unless it is kept for another thread than `keeper`. */
static inline bool margay_slot_take(struct margay_slot *slot, uint32_t process,
                                    uint64_t keeper)
{
    uint64_t now = atomic_load_explicit(&slot->state, memory_order_relaxed);
    if (margay_slot_stage(now) != MARGAY_SLOT_FREE ||
        margay_slot_is_kept(slot, keeper) ||
        !atomic_compare_exchange_strong(
            &slot->state, &now,
            margay_slot_state(MARGAY_SLOT_TAKEN, process, 0)))
        return false;
    /* Another thread may have had it in between. */
    bool ours = !margay_slot_is_kept(slot, keeper);
    if (ours)
        atomic_store(&slot->keeper, keeper);
    else
        atomic_store(&slot->state, 0);
    return ours;
}

/* Take the first free buffer that is kept for this thread, or for none; false:
   there is none. */
static inline bool margay_slots_take(struct margay_capture *capture,
                                     const struct margay_slot_owner *owner,
                                     uint32_t *buffer)
{
    uint32_t count = atomic_load(&capture->buffers);
    uint64_t keeper = margay_slot_keeper(owner);
    for (uint32_t i = 0; i < count && i < MARGAY_MAX_BUFFERS; i++) {
        if (margay_slot_take(&capture->slots[i], owner->process, keeper)) {
            *buffer = i;
            return true;
        }
    }
    return false;
}

/* A thread ends: its buffers are kept no longer. */
static inline void margay_slots_end(struct margay_capture *capture,
                                    const struct margay_slot_owner *owner)
{
    uint32_t count = atomic_load(&capture->buffers);
    for (uint32_t i = 0; i < count && i < MARGAY_MAX_BUFFERS; i++) {
        uint64_t keeper = margay_slot_keeper(owner);
        atomic_compare_exchange_strong(&capture->slots[i].keeper, &keeper, 0);
    }
}

static inline void margay_slots_clear(uint64_t *words, size_t count)
{
#ifdef __x86_64__
    __asm__ volatile("rep stosq"
                     : "+D"(words), "+c"(count)
                     : "a"(0)
                     : "memory");
#else
    /* Volatile: a compiler would call memset(), which may be the program's. */
    for (size_t i = 0; i < count; i++)
        ((volatile uint64_t *)words)[i] = 0;
#endif
}

/* Clear the words of a buffer that was taken, and open it for them. */
static inline void margay_slots_open(struct margay_capture *capture,
                                     uint32_t buffer,
                                     const struct margay_slot_owner *owner,
                                     uint64_t *words)
{
    struct margay_slot *slot = &capture->slots[buffer];
    uint32_t dirty = atomic_load_explicit(&slot->dirty, memory_order_relaxed);
    margay_slots_clear(
        words, dirty < MARGAY_BUFFER_WORDS ? dirty : MARGAY_BUFFER_WORDS);
    atomic_store_explicit(&slot->thread, owner->thread, memory_order_relaxed);
    atomic_store_explicit(&slot->opening,
                          atomic_fetch_add(&capture->openings, 1),
                          memory_order_relaxed);
    atomic_store_explicit(
        &slot->state, margay_slot_state(MARGAY_SLOT_OPEN, owner->process, 0),
        memory_order_release);
}

/* True if the receiver sleeps and is to be woken now, which is for the caller
   to do.  `pressing`: at any number of full buffers. */
static inline bool margay_slots_wakes(struct margay_capture *capture,
                                      bool pressing)
{
    if (atomic_load(&capture->sleeps) == 0)
        return false;
    uint32_t beyond =
        atomic_load(&capture->fills) -
        atomic_load_explicit(&capture->alarm, memory_order_relaxed);
    return (pressing || beyond <= INT32_MAX) &&
           atomic_exchange(&capture->sleeps, 0) != 0;
}

/* About where the unused words of a buffer begin. */
static inline uint32_t margay_slots_find_end(const uint64_t *words)
{
    uint32_t from = 0, end = MARGAY_BUFFER_WORDS;
    while (from < end) {
        uint32_t middle = (from + end) / 2;
        uint64_t word = __atomic_load_n(&words[middle], __ATOMIC_ACQUIRE);
        if (margay_word_is_unused(word))
            end = middle;
        else
            from = middle + 1;
    }
    return from;
}

/*
 * Before a buffer becomes full: note in it how far other threads have written,
 * so that the receiver reads these words with it.  `words_of` maps no buffer:
 * NULL if the process does not have it, as it has those of its threads.
 *
 * Invariant: their words before some word of the buffer are noted, if there is
 * room; words written after the buffer is full are not.
 */
static inline void margay_slots_mark(struct margay_capture *capture,
                                     uint32_t buffer,
                                     const uint64_t *(*words_of)(uint32_t))
{
    struct margay_slot *full = &capture->slots[buffer];
    uint32_t marks = 0, count = atomic_load(&capture->buffers);
    for (uint32_t i = 0;
         i < count && i < MARGAY_MAX_BUFFERS && marks < MARGAY_SLOT_MARKS;
         i++) {
        struct margay_slot *slot = &capture->slots[i];
        const uint64_t *words = words_of(i);
        if (words == NULL ||
            margay_slot_stage(atomic_load(&slot->state)) != MARGAY_SLOT_OPEN ||
            atomic_load(&slot->thread) == atomic_load(&full->thread))
            continue;
        struct margay_mark *mark = &full->marks[marks++];
        atomic_store_explicit(&mark->opening, atomic_load(&slot->opening),
                              memory_order_relaxed);
        atomic_store_explicit(&mark->buffer, (uint16_t)i, memory_order_relaxed);
        atomic_store_explicit(&mark->words,
                              (uint16_t)margay_slots_find_end(words),
                              memory_order_relaxed);
    }
    atomic_store_explicit(&full->mark_count, marks, memory_order_relaxed);
}

/*
 * An open buffer has `words` words, the last ones of its thread; `dirty`, at
 * least as many, may not be zero.  The result is margay_slots_wakes().
 *
 * Invariant: of two buffers of a thread, the one that was full first has the
 * earlier turn, since no handler of the thread comes here in between; and
 * whenever the second one is seen full, the first one is full, or freed since.
 * A turn is taken before the buffer is full, so a thread may be killed with a
 * turn that no buffer has: the receiver waits for no turn, and the buffer is
 * open.
 */
static inline bool margay_slots_fill(struct margay_capture *capture,
                                     uint32_t buffer, uint32_t process,
                                     uint32_t words, uint32_t dirty)
{
    struct margay_slot *slot = &capture->slots[buffer];
    margay_slot_note_dirty(slot, dirty);
    atomic_store_explicit(&slot->turn, atomic_fetch_add(&capture->fills, 1),
                          memory_order_relaxed);
    atomic_store(&slot->state,
                 margay_slot_state(MARGAY_SLOT_FULL, process, words));
    /* A thread killed before this has sent more words than counted, never
       fewer. */
    atomic_fetch_add_explicit(&capture->sent, words, memory_order_relaxed);
    return margay_slots_wakes(capture, false);
}

/* The process has become this program, and all that the one before it left is
   full: first what was opened first.  The result is that of
   margay_slots_wakes().

   Invariant: each counts in `sent` with all the words of a buffer, however few
   are used, and as many are taken when it is freed, as its state says the same.
   Who reads ends at the last word that is used. */
static inline bool margay_slots_inherit(struct margay_capture *capture,
                                        uint32_t process)
{
    uint32_t count = atomic_load(&capture->buffers);
    uint32_t first;
    bool wakes = false;
    do {
        first = MARGAY_MAX_BUFFERS;
        for (uint32_t i = 0; i < count && i < MARGAY_MAX_BUFFERS; i++) {
            struct margay_slot *slot = &capture->slots[i];
            uint64_t state = atomic_load(&slot->state);
            if (margay_slot_process(atomic_load(&slot->keeper)) == process)
                atomic_store(&slot->keeper, 0);
            if (state == margay_slot_state(MARGAY_SLOT_TAKEN, process, 0))
                atomic_store(&slot->state, 0);
            if (state == margay_slot_state(MARGAY_SLOT_OPEN, process, 0) &&
                (first == MARGAY_MAX_BUFFERS ||
                 margay_slot_is_before(slot, &capture->slots[first])))
                first = i;
        }
        if (first != MARGAY_MAX_BUFFERS)
            wakes |=
                margay_slots_fill(capture, first, process, MARGAY_BUFFER_WORDS,
                                  MARGAY_BUFFER_WORDS);
    } while (first != MARGAY_MAX_BUFFERS);
    return wakes;
}

/* --------------------------------------------------- the receiver's side -- */

/* Free a buffer whose words have been read; `dirty` as above.  The result is
   its last state. */
static inline uint64_t margay_slots_free(struct margay_capture *capture,
                                         uint32_t buffer, uint32_t dirty)
{
    struct margay_slot *slot = &capture->slots[buffer];
    margay_slot_note_dirty(slot, dirty);
    return atomic_exchange(&slot->state, 0);
}

#endif
