/* collapse.h - repeats among recorded words, counted instead of written */
#ifndef MARGAY_TRACES_CAPTURE_COLLAPSE_H
#define MARGAY_TRACES_CAPTURE_COLLAPSE_H

#include <stdint.h>

#include "traces/capture/decode.h"

/* The most words that are collapsed at a time.  Where references name the slots
   of their sites, each may become two words: its site is told again. */
#define MARGAY_COLLAPSIBLE_WORDS(slots) \
    ((slots) ? MARGAY_BUFFER_WORDS / 2 - 1 : MARGAY_BUFFER_WORDS)

/* The most words that these become: what the first of them are about may stand
   in words before them. */
#define MARGAY_COLLAPSED_WORDS ((size_t)MARGAY_BUFFER_WORDS + 3)

/*
 * Collapse the words of a buffer from `decoding->words` up to `end`, which is
 * where decoding->words is afterwards: reads and writes that follow another one
 * in the same block of 2^shift bytes, shift 0 to 47, become counts in the word
 * of that one.  At most MARGAY_COLLAPSIBLE_WORDS(decoding->slots).  Writes
 * MARGAY_COLLAPSED_WORDS at most to `collapsed` and returns their number.  They
 * can be decoded by themselves; of control words there are only sites and
 * events of data.  Any words are safe to collapse.
 */
uint32_t margay_collapse_words(struct margay_decoding *decoding,
                               const uint64_t *words, uint32_t end,
                               unsigned shift, uint64_t *collapsed);

#endif
