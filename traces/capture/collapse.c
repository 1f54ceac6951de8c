/*
 * collapse.c - repeats among recorded words, counted instead of written
 *
 * Algorithm: a run is a reference and those behind it that are in the same
 *   block.  A piece of 64 words without control words becomes two masks, where
 *   a run begins and which words are writes; the counts of a run are then
 *   numbers of bits.  The masks are found with vectors.  Other pieces, and runs
 *   that are too long for one word, are collapsed word by word.
 * Cost: less than an instruction for each word with vectors, and about ten for
 *   each run.
 */
#include "traces/capture/collapse.h"

#include <stdbool.h>
#include <stddef.h>

#include "traces/base/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define PIECE_WORDS 64

/* Repeats, or the slot of a site. */
#define REPEATS_MASK (UINT64_C(255) << MARGAY_WORD_REPEATS_SHIFT)

struct collapsing {
    struct margay_decoding *decoding;
    const uint64_t *words;
    unsigned shift;
    uint64_t *out;
    uint32_t count;
    uint64_t told;  /* the site that the words in `out` are of */
    bool described; /* these say how long an event of data is, and its number */
    bool continues; /* the last of these may get repeats */
};

static uint64_t address_of(uint64_t word)
{
    return word & MARGAY_WORD_ADDRESS_MASK;
}

/* The last byte. */
static uint64_t last_of(uint64_t word)
{
    return address_of(word) +
           ((word >> MARGAY_WORD_BYTES_SHIFT) - 1) % MARGAY_WORD_MAX_BYTES;
}

/* Neither a repeat nor with repeats: in two blocks, or a fetch.  Nonzero. */
static uint64_t is_alone(uint64_t word, unsigned shift)
{
    return (address_of(word) ^ last_of(word)) >> shift |
           margay_word_kind(word) >> 1;
}

/* Nonzero if `word`, behind `before`, begins a run. */
static uint64_t begins(uint64_t word, uint64_t before, unsigned shift)
{
    return (address_of(word) ^ address_of(before)) >> shift |
           is_alone(word, shift) | is_alone(before, shift);
}

/* ------------------------------------------------------- word by word -- */

/* Put a word that gets no repeats. */
static void put(struct collapsing *to, uint64_t word)
{
    to->out[to->count++] = word;
    to->continues = false;
}

static void put_site(struct collapsing *to, uint64_t site)
{
    if (to->told == site)
        return;
    to->told = site;
    put(to, margay_control_word(MARGAY_CONTROL_SITE, to->told));
}

/* Count a reference in the word before it; false if that cannot be. */
static bool repeat(struct collapsing *to, uint64_t word)
{
    const unsigned field =
        MARGAY_WORD_REPEATS_SHIFT +
        margay_word_kind(word) % 2 * MARGAY_WORD_REPEATS_BITS;
    uint64_t *last = to->count == 0 ? NULL : &to->out[to->count - 1];
    if (!to->continues || begins(word, *last, to->shift) != 0 ||
        (~*last >> field & MARGAY_WORD_MAX_REPEATS) == 0)
        return false;
    *last += UINT64_C(1) << field;
    return true;
}

static void add(struct collapsing *to, uint64_t word, uint64_t site)
{
    if (repeat(to, word))
        return;
    put_site(to, site);
    put(to, word);
    to->continues = true;
}

/* What describes an event may have been given before. */
static void put_event(struct collapsing *to, uint64_t word)
{
    put_site(to, margay_decode_settle(to->decoding, 0));
    if (!to->described) {
        put(to, margay_control_word(MARGAY_CONTROL_BYTES, to->decoding->bytes));
        put(to, margay_control_word(MARGAY_CONTROL_ORDER, to->decoding->order));
    }
    to->described = true;
    put(to, word);
}

static void take_control(struct collapsing *to, uint32_t index)
{
    struct margay_decoding *decoding = to->decoding;
    uint64_t word = to->words[index], payload = word & MARGAY_CONTROL_MASK;
    if (margay_decode_about_sites(decoding, word, index))
        return;
    switch (margay_word_control(word)) {
    case MARGAY_CONTROL_BYTES:
        decoding->bytes = payload;
        put(to, word);
        return;
    case MARGAY_CONTROL_ORDER:
        decoding->order = payload;
        put(to, word);
        return;
    case MARGAY_CONTROL_DATA:
        put_event(to, word);
        return;
    default:
        return;
    }
}

static void collapse_singly(struct collapsing *to, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i++) {
        uint64_t word = to->words[i];
        if (word == 0)
            continue;
        if (margay_word_kind(word) == MARGAY_WORD_CONTROL) {
            take_control(to, i);
        } else {
            uint64_t site = margay_decode_site(to->decoding, to->words, word);
            add(to, to->decoding->slots ? word & ~REPEATS_MASK : word, site);
        }
    }
}

/* ------------------------------------------------------------ a piece -- */

struct masks {
    uint64_t begins, writes;
    uint64_t odd; /* not 0 if some word is no reference, or has repeats */
};

/* Of the words from `word` on; words[-1] must be there. */
typedef struct masks find_masks_function(const uint64_t *word, unsigned shift);

static struct masks find_masks_portably(const uint64_t *word, unsigned shift)
{
    struct masks masks = {0, 0, 0};
    for (int i = 0; i < PIECE_WORDS; i++) {
        uint64_t is_begin = begins(word[i], word[i - 1], shift) != 0;
        masks.begins |= is_begin << i;
        masks.writes |= (word[i] >> MARGAY_WORD_KIND_SHIFT & 1) << i;
        masks.odd |= (word[i] == 0) |
                     (margay_word_kind(word[i]) == MARGAY_WORD_CONTROL) |
                     (word[i] & REPEATS_MASK);
    }
    return masks;
}

#if defined(__x86_64__)
/* is_alone() of four words. */
__attribute__((target("avx2"))) static inline __m256i are_alone(__m256i words,
                                                                __m128i shift)
{
    const __m256i addresses =
        _mm256_and_si256(words, _mm256_set1_epi64x(MARGAY_WORD_ADDRESS_MASK));
    const __m256i more = _mm256_and_si256(
        _mm256_sub_epi64(_mm256_srli_epi64(words, MARGAY_WORD_BYTES_SHIFT),
                         _mm256_set1_epi64x(1)),
        _mm256_set1_epi64x(MARGAY_WORD_MAX_BYTES - 1));
    const __m256i last = _mm256_add_epi64(addresses, more);
    return _mm256_or_si256(
        _mm256_srl_epi64(_mm256_xor_si256(addresses, last), shift),
        _mm256_srli_epi64(words, MARGAY_WORD_KIND_SHIFT + 1));
}

__attribute__((target("avx2"))) static struct masks find_masks_with_avx2(
    const uint64_t *word, unsigned shift)
{
    const __m128i by = _mm_cvtsi32_si128((int)shift);
    const __m256i zero = _mm256_setzero_si256();
    const __m256i address = _mm256_set1_epi64x(MARGAY_WORD_ADDRESS_MASK);
    const __m256i repeats = _mm256_set1_epi64x(REPEATS_MASK);
    struct masks masks = {0, 0, 0};
    __m256i odd = zero;
    for (int i = 0; i < PIECE_WORDS; i += 4) {
        const __m256i now = _mm256_loadu_si256((const void *)(word + i));
        const __m256i before = _mm256_loadu_si256((const void *)(word + i - 1));
        const __m256i other = _mm256_srl_epi64(
            _mm256_and_si256(_mm256_xor_si256(now, before), address), by);
        const __m256i any = _mm256_or_si256(
            other, _mm256_or_si256(are_alone(now, by), are_alone(before, by)));
        const __m256i same = _mm256_cmpeq_epi64(any, zero);
        const uint64_t begin =
            ~(unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same)) & 15;
        const __m256i write = _mm256_slli_epi64(now, 1);
        masks.begins |= begin << i;
        masks.writes |= (uint64_t)_mm256_movemask_pd(_mm256_castsi256_pd(write))
                        << i;
        /* A control word has both bits of the kind. */
        odd = _mm256_or_si256(
            odd, _mm256_or_si256(
                     _mm256_or_si256(_mm256_cmpeq_epi64(now, zero),
                                     _mm256_and_si256(now, repeats)),
                     _mm256_srli_epi64(_mm256_and_si256(now, write), 63)));
    }
    masks.odd = !_mm256_testz_si256(odd, odd);
    return masks;
}
#else
#define find_masks_with_avx2 find_masks_portably
#endif

/* The run of the words [first, end), with its counts. */
static void put_run(struct collapsing *to, const uint64_t *piece,
                    const struct masks *masks, unsigned first, unsigned end)
{
    uint64_t behind =
        (end == PIECE_WORDS ? 0 : UINT64_MAX << end) ^ UINT64_MAX << first << 1;
    unsigned writes = (unsigned)__builtin_popcountll(masks->writes & behind);
    unsigned reads = end - first - 1 - writes;
    if (reads > MARGAY_WORD_MAX_REPEATS || writes > MARGAY_WORD_MAX_REPEATS) {
        for (unsigned i = first; i < end; i++)
            add(to, piece[i], to->told);
        return;
    }
    to->out[to->count++] = piece[first] |
                           (uint64_t)reads << MARGAY_WORD_REPEATS_SHIFT |
                           (uint64_t)writes << (MARGAY_WORD_REPEATS_SHIFT +
                                                MARGAY_WORD_REPEATS_BITS);
    to->continues = true;
}

/* A piece of references only, all at the site that was told last; false, and
   nothing has happened, if that is not so. */
static bool collapse_piece(struct collapsing *to, uint32_t from,
                           find_masks_function *find_masks)
{
    const uint64_t *piece = to->words + from;
    if (from == 0 || to->told != to->decoding->sites[0] ||
        to->decoding->stated || margay_decode_has_next_site(to->decoding))
        return false;
    struct masks masks = find_masks(piece, to->shift);
    if (masks.odd != 0)
        return false;
    if (masks.begins == UINT64_MAX) {
        for (int i = 0; i < PIECE_WORDS; i++)
            to->out[to->count + (uint32_t)i] = piece[i];
        to->count += PIECE_WORDS;
        to->continues = true;
        return true;
    }
    unsigned at = 0;
    /* The first run may be the end of one that is in `out` already. */
    for (; at < PIECE_WORDS && (masks.begins >> at & 1) == 0; at++)
        add(to, piece[at], to->told);
    while (at < PIECE_WORDS) {
        uint64_t later = masks.begins & (UINT64_MAX << at << 1);
        unsigned end =
            later == 0 ? PIECE_WORDS : (unsigned)__builtin_ctzll(later);
        put_run(to, piece, &masks, at, end);
        at = end;
    }
    return true;
}

uint32_t margay_collapse_words(struct margay_decoding *decoding,
                               const uint64_t *words, uint32_t end,
                               unsigned shift, uint64_t *collapsed)
{
    find_masks_function *find_masks = margay_target_available(MARGAY_TARGET_V3)
                                          ? find_masks_with_avx2
                                          : find_masks_portably;
    struct collapsing to = {.decoding = decoding,
                            .words = words,
                            .shift = shift,
                            .out = collapsed,
                            .described = decoding->words == 0};
    while (decoding->words < end) {
        uint32_t from = decoding->words, left = end - from;
        uint32_t count = left < PIECE_WORDS ? left : PIECE_WORDS;
        if (count < PIECE_WORDS || !collapse_piece(&to, from, find_masks))
            collapse_singly(&to, from, from + count);
        decoding->words += count;
    }
    return to.count;
}
