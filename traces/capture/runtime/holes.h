/*
 * holes.h - words of a buffer that are reserved, and not written yet
 *
 * All words of a buffer are looked at when it is handed over, which may take as
 * long as to write them: so with vectors, and without an early end, which there
 * hardly ever is.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_HOLES_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_HOLES_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/capture/runtime/places.h"

typedef uint64_t margay_four_words
    __attribute__((vector_size(4 * sizeof(uint64_t)), may_alias));

/* True if one of the words is `value`.  Four vectors a step, so that loads from
   the second level of the caches overlap. */
static inline __attribute__((always_inline)) bool has_word(
    const uint64_t *words, uint32_t count, uint64_t value)
{
    const margay_four_words all = value - (margay_four_words){0};
    margay_four_words found = {0};
    bool ends = false;
    uint32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const margay_four_words *now = (const void *)(words + i);
        found |= (margay_four_words)((now[0] == all) | (now[1] == all) |
                                     (now[2] == all) | (now[3] == all));
    }
    for (; i < count; i++)
        ends |= words[i] == value;
    return (found[0] | found[1] | found[2] | found[3]) != 0 || ends;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static bool has_word_with_avx2(
    const uint64_t *words, uint32_t count, uint64_t value)
{
    return has_word(words, count, value);
}
#else
#define has_word_with_avx2 has_word
#endif

/* True if some of the first `reserved` words are still to be written, and are
   `unused` until then; `vectors`: there is AVX2. */
static inline bool has_holes(const uint64_t *base, uint32_t reserved,
                             uint64_t unused, bool vectors)
{
    bool ends = false;
    for (uint32_t i = ROOM_WORDS; i < reserved; i++)
        ends |= base[i] == MARGAY_WORD_END;
    return ends || (vectors ? has_word_with_avx2(base, reserved, unused)
                            : has_word(base, reserved, unused));
}

#endif
