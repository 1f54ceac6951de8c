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

/* Never more than MARGAY_FETCH, also where a program writes over its buffer and
   makes a control word of a reference that has just been looked at. */
static uint8_t reference_kind_of(uint64_t word)
{
    unsigned kind = margay_word_kind(word);
    return (uint8_t)(kind & ~(kind >> 1));
}

/* The number of a word; `above` holds its upper 16 bits where they belong. */
static uint64_t number_of(uint64_t word, uint64_t above, unsigned shift)
{
    return ((word & MARGAY_WORD_ADDRESS_MASK) | above) >> shift;
}

/* 0 for fetches and control words, which have no repeats. */
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

/* -------------------------------------------------------------- sites -- */

/* The site in word `index` is of one of the references that follow. */
static void note_next_site(struct margay_decoding *decoding, uint32_t index)
{
    if (decoding->next_site_end != index)
        decoding->next_site = index;
    decoding->next_site_end = index + 1;
}

static bool has_next_site(const struct margay_decoding *decoding)
{
    return decoding->next_site < decoding->next_site_end;
}

/* Word `index`, a control word, is about sites alone; false: it is about
   something else, and nothing has happened. */
static bool is_about_sites(struct margay_decoding *decoding, uint64_t word,
                           uint32_t index)
{
    switch (margay_word_control(word)) {
    case MARGAY_CONTROL_NONE:
        decoding->next_site += has_next_site(decoding);
        return true;
    case MARGAY_CONTROL_NEXT_SITE:
        note_next_site(decoding, index);
        return true;
    case MARGAY_CONTROL_SITE:
        decoding->site = word & MARGAY_CONTROL_MASK;
        decoding->stated = true;
        decoding->next_site = decoding->next_site_end;
        return true;
    default:
        return false;
    }
}

static unsigned slot_of(const struct margay_decoding *decoding, uint64_t word)
{
    return decoding->slots ? word >> MARGAY_SLOT_SHIFT & (MARGAY_SITE_SLOTS - 1)
                           : 0;
}

/* The site of what comes next, which has this slot. */
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

static void append(const struct margay_decoding *decoding, uint64_t word,
                   uint64_t site, unsigned kind, uint32_t count,
                   struct margay_references *references)
{
    size_t i = references->count++;
    references->numbers[i] = number_of(
        word, decoding->above << MARGAY_WORD_REPEATS_SHIFT, decoding->shift);
    if (references->kinds != NULL)
        references->kinds[i] = (uint8_t)kind;
    if (references->extents != NULL)
        references->extents[i] = extent_of(word);
    if (references->counts != NULL)
        references->counts[i] = count;
    if (references->sites != NULL)
        references->sites[i] = site;
}

static void append_word(struct margay_decoding *decoding, const uint64_t *words,
                        uint64_t word, struct margay_references *references)
{
    unsigned kind = reference_kind_of(word), other = !kind;
    uint64_t site = site_of(decoding, words, word);
    if (references->counts == NULL)
        references->repeats += all_repeats_of(word);
    if (references->kinds == NULL) {
        append(decoding, word, site, kind, 1 + all_repeats_of(word),
               references);
        return;
    }
    append(decoding, word, site, kind, 1 + repeats_of(word, kind % 2),
           references);
    if (references->counts != NULL && repeats_of(word, other) > 0)
        append(decoding, word, site, other, repeats_of(word, other),
               references);
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
    if (word == 0 || is_about_sites(decoding, word, index))
        return;
    switch (margay_word_control(word)) {
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

static void append_singly(struct margay_decoding *decoding,
                          const uint64_t *words, uint32_t count,
                          struct margay_references *references,
                          struct margay_data_events *events)
{
    for (uint32_t i = decoding->words; i < decoding->words + count; i++) {
        if (is_reference(words[i]))
            append_word(decoding, words, words[i], references);
        else
            take_control(decoding, words, i, references->count, events);
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

/* What is known of a piece as a whole. */
struct sums {
    uint64_t odd; /* the top bit is set if some word is no reference */
    uint64_t repeats;
};

static inline __attribute__((always_inline)) struct sums widen_words(
    const uint64_t *restrict words, uint64_t above, unsigned shift,
    uint64_t *restrict numbers)
{
    uint64_t odd = 0, reads = 0, writes = 0;
    for (int i = 0; i < PIECE_WORDS; i++) {
        uint64_t word = words[i];
        /* As in repeats_of(), but both counts at once. */
        uint64_t repeats = word >> MARGAY_WORD_REPEATS_SHIFT &
                           ((word >> (MARGAY_WORD_KIND_SHIFT + 1)) - 1);
        odd |= is_odd(word);
        reads += repeats & MARGAY_WORD_MAX_REPEATS;
        writes += repeats & MARGAY_WORD_MAX_REPEATS << MARGAY_WORD_REPEATS_BITS;
        numbers[i] = number_of(word, above, shift);
    }
    return (struct sums){odd, reads + (writes >> MARGAY_WORD_REPEATS_BITS)};
}

#if defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"))) static struct sums widen_with_avx2(
    const uint64_t *restrict words, uint64_t above, unsigned shift,
    uint64_t *restrict numbers)
{
    return widen_words(words, above, shift, numbers);
}
#else
#define widen_with_avx2 widen_portably
#endif

static struct sums widen_portably(const uint64_t *restrict words,
                                  uint64_t above, unsigned shift,
                                  uint64_t *restrict numbers)
{
    return widen_words(words, above, shift, numbers);
}

/* Write the numbers of a piece, and return what is known of it as a whole. */
typedef struct sums widen_function(const uint64_t *restrict words,
                                   uint64_t above, unsigned shift,
                                   uint64_t *restrict numbers);

static widen_function *choose_widen(void)
{
    return margay_target_available(MARGAY_TARGET_V3) ? widen_with_avx2
                                                     : widen_portably;
}

/* True if some reference has repeats of the other kind. */
static bool has_others(const uint64_t *words)
{
    uint64_t others = 0;
    for (int i = 0; i < PIECE_WORDS; i++)
        others |= repeats_of(words[i], !margay_word_kind(words[i]));
    return others != 0;
}

/* A piece in which each word is one reference and becomes one entry; false,
   and nothing has happened, if that is not so. */
static bool append_piece(struct margay_decoding *decoding,
                         widen_function *widen, const uint64_t *words,
                         struct margay_references *references)
{
    size_t first = references->count;
    struct sums sums =
        widen(words, decoding->above << MARGAY_WORD_REPEATS_SHIFT,
              decoding->shift, references->numbers + first);
    if (sums.odd >> 63 != 0 ||
        (references->kinds != NULL && references->counts != NULL &&
         sums.repeats > 0 && has_others(words)))
        return false;
    settle(decoding, slot_of(decoding, words[0]));
    if (references->counts == NULL)
        references->repeats += sums.repeats;
    for (int i = 0; references->counts != NULL && i < PIECE_WORDS; i++)
        references->counts[first + i] = 1 + all_repeats_of(words[i]);
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
    widen_function *widen = choose_widen();
    while (decoding->words < end) {
        const uint64_t *piece = words + decoding->words;
        uint32_t left = end - decoding->words;
        uint32_t count = left < PIECE_WORDS ? left : PIECE_WORDS;
        if (count < PIECE_WORDS || has_next_site(decoding) ||
            !append_piece(decoding, widen, piece, references))
            append_singly(decoding, words, count, references, events);
        decoding->words += count;
    }
}

/* ------------------------------------------------------------ counting -- */

static inline __attribute__((always_inline)) uint64_t count_references(
    const uint64_t *words, uint32_t count)
{
    uint64_t references = count;
    for (uint32_t i = 0; i < count; i++)
        references -= is_odd(words[i]) >> 63;
    return references;
}

#if defined(__x86_64__) && !defined(__AVX2__)
__attribute__((target("avx2"))) static uint64_t count_with_avx2(
    const uint64_t *words, uint32_t count)
{
    return count_references(words, count);
}
#else
#define count_with_avx2 count_references
#endif

uint64_t margay_words_references(const struct margay_words *words)
{
    return (margay_target_available(MARGAY_TARGET_V3)
                ? count_with_avx2
                : count_references)(words->words, words->count);
}
