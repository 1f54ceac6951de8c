/*
 * decode.c - the words of a recorded thread, as references
 *
 * Nearly all words are references, and most columns are wanted by few: so
 * words are gone through in pieces, array by array, in loops that a compiler
 * makes vectors of.  Only a piece in which anything else is found is looked
 * at word by word.
 */
#include "traces/capture/decode.h"

#include "traces/capture/words.h"

#define PIECE_WORDS 64

static unsigned kind_of(uint64_t word)
{
    return (unsigned)(word >> MARGAY_WORD_KIND_SHIFT);
}

static uint32_t extent_of(uint64_t word)
{
    uint32_t bytes = word >> MARGAY_WORD_BYTES_SHIFT & 63;
    return (bytes + MARGAY_WORD_MAX_BYTES - 1) % MARGAY_WORD_MAX_BYTES + 1;
}

/* A hole, or something that is said about others. */
static bool is_reference(uint64_t word)
{
    return (word != 0) & (kind_of(word) != MARGAY_WORD_CONTROL);
}

/* Fetches have none, whatever stands there, nor have control words. */
static uint32_t repeats_of(uint64_t word, unsigned kind)
{
    uint64_t repeats =
        word >> (MARGAY_WORD_REPEATS_SHIFT + kind * MARGAY_WORD_REPEATS_BITS) &
        MARGAY_WORD_MAX_REPEATS;
    return (uint32_t)(repeats & ((word >> (MARGAY_WORD_KIND_SHIFT + 1)) - 1));
}

static uint32_t all_repeats_of(uint64_t word)
{
    return repeats_of(word, MARGAY_READ) + repeats_of(word, MARGAY_WRITE);
}

/* ------------------------------------------------------- word by word -- */

static void append(const struct margay_decoding *decoding, uint64_t word,
                   unsigned kind, uint32_t count,
                   struct margay_references *references)
{
    size_t i = references->count++;
    references->numbers[i] = (word & MARGAY_WORD_ADDRESS_MASK) |
                             decoding->above << MARGAY_WORD_REPEATS_SHIFT;
    if (references->kinds != NULL)
        references->kinds[i] = (uint8_t)kind;
    if (references->extents != NULL)
        references->extents[i] = extent_of(word);
    if (references->counts != NULL)
        references->counts[i] = count;
    if (references->sites != NULL)
        references->sites[i] = decoding->site;
}

static void append_word(const struct margay_decoding *decoding, uint64_t word,
                        struct margay_references *references)
{
    unsigned kind = kind_of(word), other = !kind;
    if (references->counts == NULL)
        references->repeats += all_repeats_of(word);
    if (references->kinds == NULL) {
        append(decoding, word, kind, 1 + all_repeats_of(word), references);
        return;
    }
    append(decoding, word, kind, 1 + repeats_of(word, kind % 2), references);
    if (references->counts != NULL && repeats_of(word, other) > 0)
        append(decoding, word, other, repeats_of(word, other), references);
}

static void take_control(struct margay_decoding *decoding, uint64_t word)
{
    uint64_t payload = word & MARGAY_CONTROL_MASK;
    switch (word >> MARGAY_WORD_BYTES_SHIFT & 63) {
    case MARGAY_CONTROL_SITE:
        decoding->site = payload;
        return;
    case MARGAY_CONTROL_ABOVE:
        decoding->above = payload & 0xffff;
        return;
    default:
        return;
    }
}

static void append_singly(struct margay_decoding *decoding,
                          const uint64_t *words, uint32_t count,
                          struct margay_references *references)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_reference(words[i]))
            append_word(decoding, words[i], references);
        else
            take_control(decoding, words[i]);
    }
}

/* -------------------------------------------------------- many at once -- */

/* The top bit is set unless the word is a reference: both bits of its kind
   are, or it is 0, which borrows them all.  For vectors without comparisons of
   64 bits. */
static uint64_t is_odd(uint64_t word)
{
    return (word & word << 1) | ((word - 1) & ~word);
}

/* Whether each word of a piece is one reference, and becomes one entry. */
static bool is_plain(const uint64_t *words,
                     const struct margay_references *references)
{
    bool split = references->kinds != NULL && references->counts != NULL;
    uint64_t odd = 0, others = 0;
    for (int i = 0; i < PIECE_WORDS; i++)
        odd |= is_odd(words[i]);
    for (int i = 0; split && i < PIECE_WORDS; i++)
        others |= repeats_of(words[i], !kind_of(words[i]));
    return odd >> 63 == 0 && others == 0;
}

static void widen_numbers(const uint64_t *restrict words, uint64_t above,
                          uint64_t *restrict numbers)
{
    for (int i = 0; i < PIECE_WORDS; i++)
        numbers[i] = (words[i] & MARGAY_WORD_ADDRESS_MASK) | above;
}

static void count_each(const uint64_t *restrict words,
                       uint32_t *restrict counts)
{
    for (int i = 0; i < PIECE_WORDS; i++)
        counts[i] = 1 + all_repeats_of(words[i]);
}

static uint64_t repeats_of_piece(const uint64_t *words)
{
    uint64_t repeats = 0;
    for (int i = 0; i < PIECE_WORDS; i++)
        repeats += all_repeats_of(words[i]);
    return repeats;
}

static void append_piece(const struct margay_decoding *decoding,
                         const uint64_t *words,
                         struct margay_references *references)
{
    size_t first = references->count;
    widen_numbers(words, decoding->above << MARGAY_WORD_REPEATS_SHIFT,
                  references->numbers + first);
    if (references->counts != NULL)
        count_each(words, references->counts + first);
    else
        references->repeats += repeats_of_piece(words);
    for (int i = 0; references->kinds != NULL && i < PIECE_WORDS; i++)
        references->kinds[first + i] = (uint8_t)kind_of(words[i]);
    for (int i = 0; references->extents != NULL && i < PIECE_WORDS; i++)
        references->extents[first + i] = extent_of(words[i]);
    for (int i = 0; references->sites != NULL && i < PIECE_WORDS; i++)
        references->sites[first + i] = decoding->site;
    references->count += PIECE_WORDS;
}

void margay_decode_words(struct margay_decoding *decoding,
                         const uint64_t *words, uint32_t end,
                         struct margay_references *references)
{
    while (decoding->words < end) {
        const uint64_t *piece = words + decoding->words;
        uint32_t left = end - decoding->words;
        uint32_t count = left < PIECE_WORDS ? left : PIECE_WORDS;
        if (count == PIECE_WORDS && is_plain(piece, references))
            append_piece(decoding, piece, references);
        else
            append_singly(decoding, piece, count, references);
        decoding->words += count;
    }
}

static uint64_t references_of_piece(const uint64_t *words, bool repeats)
{
    uint64_t odd = 0;
    for (int i = 0; i < PIECE_WORDS; i++)
        odd += is_odd(words[i]) >> 63;
    return PIECE_WORDS - odd + (repeats ? repeats_of_piece(words) : 0);
}

uint64_t margay_words_references(const struct margay_words *words)
{
    uint64_t references = 0;
    uint32_t i = 0;
    for (; i + PIECE_WORDS <= words->count; i += PIECE_WORDS)
        references += references_of_piece(words->words + i, words->repeats);
    for (; i < words->count; i++) {
        references += is_reference(words->words[i]);
        if (words->repeats)
            references += all_repeats_of(words->words[i]);
    }
    return references;
}
