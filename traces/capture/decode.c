/*
 * decode.c - from the words of a recorded thread to references
 *
 * Algorithm: nearly all words are references, and few callers want all
 *   columns.  So words are decoded in pieces, array by array, in loops that
 *   compilers turn into vector instructions.  A piece with any other word is
 *   decoded word by word.
 */
#include "traces/capture/decode.h"

#include "traces/base/cpu.h"
#include "traces/formats/words.h"

#define PIECE_WORDS 64

static uint32_t extent_of(uint64_t word)
{
    uint32_t bytes = word >> MARGAY_WORD_BYTES_SHIFT & 63;
    return (bytes + MARGAY_WORD_MAX_BYTES - 1) % MARGAY_WORD_MAX_BYTES + 1;
}

/* False for an unused word and for a control word. */
static bool is_reference(uint64_t word)
{
    return (word != 0) & (margay_word_kind(word) != MARGAY_WORD_CONTROL);
}

/* At most MARGAY_FETCH, even if a program overwrites its buffer and turns a
   reference that was just checked into a control word. */
static uint8_t reference_kind_of(uint64_t word)
{
    unsigned kind = margay_word_kind(word);
    return (uint8_t)(kind & ~(kind >> 1));
}

/* The number of a word; `above` holds its upper 16 bits where they belong. */
static uint64_t number_of(uint64_t word, uint64_t above)
{
    return (word & MARGAY_WORD_ADDRESS_MASK) | above;
}

/* -------------------------------------------------------------- sites -- */

static bool has_next_site(const struct margay_decoding *decoding)
{
    return decoding->next_site < decoding->next_site_end;
}

static unsigned slot_of(const struct margay_decoding *decoding, uint64_t word)
{
    return decoding->slots ? word >> MARGAY_SLOT_SHIFT & (MARGAY_SITE_SLOTS - 1)
                           : 0;
}

/* The site of the next references, which has this slot. */
static uint64_t settle(struct margay_decoding *decoding, unsigned slot)
{
    if (decoding->stated)
        decoding->sites[slot] = decoding->site;
    decoding->stated = false;
    return decoding->sites[slot];
}

/* The site of `word`, a reference among `words`. */
static uint64_t site_of(struct margay_decoding *decoding, const uint64_t *words,
                        uint64_t word)
{
    if (has_next_site(decoding)) {
        decoding->site = words[decoding->next_site++] & MARGAY_CONTROL_MASK;
        decoding->stated = true;
    }
    return settle(decoding, slot_of(decoding, word));
}

/* ------------------------------------------------------- word by word -- */

static void append(struct margay_decoding *decoding, const uint64_t *words,
                   uint64_t word, struct margay_references *references)
{
    size_t i = references->count++;
    uint64_t site = site_of(decoding, words, word);
    references->numbers[i] =
        number_of(word, decoding->above << MARGAY_SLOT_SHIFT);
    if (references->kinds != NULL)
        references->kinds[i] = reference_kind_of(word);
    if (references->extents != NULL)
        references->extents[i] = extent_of(word);
    if (references->sites != NULL)
        references->sites[i] = site;
}

static void take_event(struct margay_decoding *decoding, uint64_t payload,
                       size_t at, struct margay_data_events *events)
{
    uint64_t data = payload >> MARGAY_CONTROL_DATA_SHIFT;
    uint64_t site = settle(decoding, 0);
    if (events == NULL || data >= MARGAY_DATA_KINDS ||
        events->count == MARGAY_BUFFER_WORDS)
        return;
    events->events[events->count++] = (struct margay_data_event){
        .at = at,
        .address = payload & MARGAY_WORD_ADDRESS_MASK,
        .bytes = decoding->bytes,
        .site = site,
        .order = decoding->order,
        .data = (enum margay_data)data,
    };
}

/* Word `index` is no reference; `at` is the number of entries before it. */
static void take_control(struct margay_decoding *decoding,
                         const uint64_t *words, uint32_t index, size_t at,
                         struct margay_data_events *events)
{
    uint64_t word = words[index], payload = word & MARGAY_CONTROL_MASK;
    if (word == 0)
        return;
    switch (margay_word_control(word)) {
    case MARGAY_CONTROL_NONE:
        decoding->next_site += has_next_site(decoding);
        return;
    case MARGAY_CONTROL_NEXT_SITE:
        if (decoding->next_site_end != index)
            decoding->next_site = index;
        decoding->next_site_end = index + 1;
        return;
    case MARGAY_CONTROL_SITE:
        decoding->site = payload;
        decoding->stated = true;
        decoding->next_site = decoding->next_site_end;
        return;
    case MARGAY_CONTROL_ABOVE:
        decoding->above = payload & 0xffff;
        return;
    case MARGAY_CONTROL_BYTES:
        decoding->bytes = payload;
        return;
    case MARGAY_CONTROL_ORDER:
        decoding->order = payload;
        return;
    case MARGAY_CONTROL_DATA:
        take_event(decoding, payload, at, events);
        return;
    default:
        return;
    }
}

void margay_decode_controls(struct margay_decoding *decoding,
                            const uint64_t *words, uint32_t end)
{
    for (; decoding->words < end; decoding->words++) {
        uint64_t word = words[decoding->words];
        if (is_reference(word))
            site_of(decoding, words, word);
        else
            take_control(decoding, words, decoding->words, 0, NULL);
    }
}

/* -------------------------------------------------------- many at once -- */

/* The top bit is set unless the word is a reference: for a control word because
   both bits of its kind are set, for 0 because the subtraction borrows.  Needs
   no comparison of 64 bits, which not all vector instructions have. */
static uint64_t is_odd(uint64_t word)
{
    return (word & word << 1) | ((word - 1) & ~word);
}

/* Write the numbers of a piece; the top bit of the result is set if some word
   is no reference. */
static inline __attribute__((always_inline)) uint64_t widen_words(
    const uint64_t *restrict words, uint64_t above, uint64_t *restrict numbers)
{
    uint64_t odd = 0;
    for (int i = 0; i < PIECE_WORDS; i++) {
        uint64_t word = words[i];
        odd |= is_odd(word);
        numbers[i] = number_of(word, above);
    }
    return odd;
}

static inline __attribute__((always_inline)) uint64_t count_references(
    const uint64_t *words, uint32_t count)
{
    uint64_t references = count;
    for (uint32_t i = 0; i < count; i++)
        references -= is_odd(words[i]) >> 63;
    return references;
}

#if defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"))) static uint64_t widen_with_avx2(
    const uint64_t *restrict words, uint64_t above, uint64_t *restrict numbers)
{
    return widen_words(words, above, numbers);
}

__attribute__((target("avx2"))) static uint64_t count_with_avx2(
    const uint64_t *words, uint32_t count)
{
    return count_references(words, count);
}
#else
#define widen_with_avx2 widen_words
#define count_with_avx2 count_references
#endif

/* A piece in which each word is a reference; otherwise returns false and
   changes nothing. */
static bool append_piece(struct margay_decoding *decoding, bool vectors,
                         const uint64_t *words,
                         struct margay_references *references)
{
    size_t first = references->count;
    uint64_t *numbers = references->numbers + first;
    uint64_t above = decoding->above << MARGAY_SLOT_SHIFT;
    uint64_t odd = vectors ? widen_with_avx2(words, above, numbers)
                           : widen_words(words, above, numbers);
    if (odd >> 63 != 0)
        return false;
    settle(decoding, slot_of(decoding, words[0]));
    for (int i = 0; references->kinds != NULL && i < PIECE_WORDS; i++)
        references->kinds[first + i] = reference_kind_of(words[i]);
    for (int i = 0; references->extents != NULL && i < PIECE_WORDS; i++)
        references->extents[first + i] = extent_of(words[i]);
    for (int i = 0; references->sites != NULL && i < PIECE_WORDS; i++)
        references->sites[first + i] =
            decoding->sites[slot_of(decoding, words[i])];
    references->count += PIECE_WORDS;
    return true;
}

void margay_decode_words(struct margay_decoding *decoding,
                         const uint64_t *words, uint32_t end,
                         struct margay_references *references,
                         struct margay_data_events *events)
{
    const bool vectors = margay_target_available(MARGAY_TARGET_V3);
    while (decoding->words < end) {
        uint32_t left = end - decoding->words;
        uint32_t stop =
            decoding->words + (left < PIECE_WORDS ? left : PIECE_WORDS);
        bool done = left >= PIECE_WORDS && !has_next_site(decoding) &&
                    append_piece(decoding, vectors, words + decoding->words,
                                 references);
        for (uint32_t i = decoding->words; i < stop && !done; i++) {
            if (is_reference(words[i]))
                append(decoding, words, words[i], references);
            else
                take_control(decoding, words, i, references->count, events);
        }
        decoding->words = stop;
    }
}

uint64_t margay_words_references(const struct margay_words *words)
{
    return margay_target_available(MARGAY_TARGET_V3)
               ? count_with_avx2(words->words, words->count)
               : count_references(words->words, words->count);
}
