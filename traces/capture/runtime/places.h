/*
 * places.h - the words of a buffer, and where others have room
 *
 * A thread writes its words one after another, and handlers of signals write
 * theirs between.  A word that is unused is 0 or, where sites are recorded, the
 * end: code that finds the end where it wants to write asks for a place, which
 * all code with sites has to do.  Behind the room for words lies the end in any
 * case.
 *
 * Thread safety: a handler may run, and write, between any two instructions.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_PLACES_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/capture/stream.h"

/* What may be written behind the place of the last words: the sites and the
   references of a piece, and the end. */
#define SLACK_WORDS (2 * MARGAY_PIECE_WORDS + 8)
#define ROOM_WORDS  (MARGAY_BUFFER_WORDS - SLACK_WORDS)

static inline uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline bool are_unused(const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!margay_word_is_unused(load(words + i)))
            return false;
    }
    return true;
}

/* The number of the word of a buffer; MARGAY_BUFFER_WORDS and more: it is in
   another one. */
static inline size_t number_in(const uint64_t *base, const uint64_t *word)
{
    return ((uintptr_t)word - (uintptr_t)base) / sizeof *base;
}

/* The words of a buffer that may have been written: all up to the last one. */
static inline uint32_t used_words(const uint64_t *base)
{
    uint32_t used = MARGAY_BUFFER_WORDS;
    while (used > 0 && margay_word_is_unused(load(base + used - 1)))
        used--;
    return used;
}

/* Write into unused words that are of no use. */
static inline void pass_over(uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t unused = load(words + i);
        if (margay_word_is_unused(unused))
            __atomic_compare_exchange_n(
                words + i, &unused, margay_control_word(MARGAY_CONTROL_NONE, 0),
                false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

/* The first of `least` unused words, from `at` on; NULL: the room ends before.
   Between the words of a handler and those behind them there are fewer, for
   which the buffer must not be kept. */
static inline uint64_t *find_run(uint64_t *base, size_t at, size_t least)
{
    size_t unused = 0;
    for (; unused < least; at++) {
        if (at - unused >= ROOM_WORDS)
            return NULL;
        if (margay_word_is_unused(load(base + at))) {
            unused++;
        } else {
            pass_over(base + at - unused, unused);
            unused = 0;
        }
    }
    return base + at - unused;
}

#endif
