/*
 * sample.c - of recorded words those that refer to a sample of the blocks
 *
 * Algorithm: the hash of each block is compared with a limit, four words at a
 *   time with vectors, and the words that stay are moved together.  In place,
 *   the first word says to stop there while the others are moved, and gets its
 *   value at the end.
 * Source: the choice of blocks is that of SHARDS (Waldspurger et al. 2015), by
 *   the hash of the engine of that name (traces/base/sample.h).
 *   A sample of sets hashes the number of the set in the place of the block's.
 * Guarantee: a block is in the sample of the recorder if and only if it is in
 *   that of the engine.
 * Cost: eight instructions for each word, with vectors; a few more for each
 *   that stays.
 */
#include "traces/capture/sample.h"

#include <stddef.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define PIECE_WORDS 64

struct keeping {
    const struct margay_sampling *sampling;
    unsigned shift;
    uint64_t mask;
    uint64_t *out;
    uint32_t count;
    uint64_t first; /* of the words; out[0] gets it in the end */
    uint64_t left_out;
    bool stopped;
};

/* A bit for each word. */
struct masks {
    uint64_t in;  /* it is of a block of the sample, if it is a reference; */
    uint64_t odd; /* but it is none */
};

typedef struct masks find_masks_function(const struct keeping *keeping,
                                         const uint64_t *words);

static bool is_odd(uint64_t word)
{
    return word == 0 || margay_word_kind(word) == MARGAY_WORD_CONTROL;
}

static bool is_in(const struct keeping *keeping, uint64_t word)
{
    const struct margay_sample *sample = &keeping->sampling->sample;
    const uint64_t block = (word & MARGAY_WORD_ADDRESS_MASK) >> keeping->shift;
    return margay_sample_hash(block & keeping->mask, sample->key) <=
           sample->limit;
}

static struct masks find_masks_portably(const struct keeping *keeping,
                                        const uint64_t *words)
{
    struct masks masks = {0, 0};
    for (int i = 0; i < PIECE_WORDS; i++) {
        masks.in |= (uint64_t)is_in(keeping, words[i]) << i;
        masks.odd |= (uint64_t)is_odd(words[i]) << i;
    }
    return masks;
}

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2"))) static inline

/* The low halves of the products with a constant. */
AVX2 __m256i multiply(__m256i a, uint64_t b)
{
    const __m256i low = _mm256_set1_epi64x((long long)(b & UINT32_MAX));
    const __m256i high = _mm256_set1_epi64x((long long)(b >> 32));
    const __m256i cross =
        _mm256_add_epi64(_mm256_mul_epu32(a, high),
                         _mm256_mul_epu32(_mm256_srli_epi64(a, 32), low));
    return _mm256_add_epi64(_mm256_mul_epu32(a, low),
                            _mm256_slli_epi64(cross, 32));
}

AVX2 __m256i fold(__m256i a)
{
    return _mm256_xor_si256(a, _mm256_srli_epi64(a, 32));
}

/* margay_sample_hash() of four blocks. */
AVX2 __m256i hash(__m256i blocks, __m256i key)
{
    const uint64_t factor = MARGAY_SAMPLE_FACTOR;
    blocks = fold(_mm256_xor_si256(blocks, key));
    return fold(multiply(fold(multiply(blocks, factor)), factor));
}

/* Only numbers with a sign can be compared, so the top bits are inverted. */
__attribute__((target("avx2"))) static struct masks find_masks_with_avx2(
    const struct keeping *keeping, const uint64_t *words)
{
    const struct margay_sample *sample = &keeping->sampling->sample;
    const __m128i by = _mm_cvtsi32_si128((int)keeping->shift);
    const __m256i address = _mm256_set1_epi64x((
        long long)(MARGAY_WORD_ADDRESS_MASK & keeping->mask << keeping->shift));
    const __m256i key = _mm256_set1_epi64x((long long)sample->key);
    const __m256i top = _mm256_set1_epi64x(INT64_MIN);
    const __m256i limit =
        _mm256_xor_si256(_mm256_set1_epi64x((long long)sample->limit), top);
    struct masks masks = {0, 0};
    for (int i = 0; i < PIECE_WORDS; i += 4) {
        const __m256i now = _mm256_loadu_si256((const void *)(words + i));
        const __m256i block =
            _mm256_srl_epi64(_mm256_and_si256(now, address), by);
        const __m256i out =
            _mm256_cmpgt_epi64(_mm256_xor_si256(hash(block, key), top), limit);
        const __m256i odd =
            _mm256_or_si256(_mm256_and_si256(now, _mm256_slli_epi64(now, 1)),
                            _mm256_cmpeq_epi64(now, _mm256_setzero_si256()));
        const unsigned out_bits =
            (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(out));
        const unsigned odd_bits =
            (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(odd));
        masks.in |= (uint64_t)(~out_bits & 15) << i;
        masks.odd |= (uint64_t)odd_bits << i;
    }
    return masks;
}
#else
#define find_masks_with_avx2 find_masks_portably
#endif

static void keep(struct keeping *keeping, uint64_t word)
{
    if (keeping->count == 0)
        keeping->first = word;
    else
        keeping->out[keeping->count] = word;
    keeping->count++;
}

static void take_singly(struct keeping *keeping, const uint64_t *words,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count && !keeping->stopped; i++) {
        uint64_t word = words[i];
        if (word == 0)
            continue;
        if (!is_odd(word) && is_in(keeping, word))
            keep(keeping, word);
        else if (!is_odd(word))
            keeping->left_out++;
        else if (margay_word_control(word) == MARGAY_CONTROL_LEFT_OUT)
            keeping->left_out += word & MARGAY_CONTROL_MASK;
        else if (margay_word_control(word) == MARGAY_CONTROL_STOP)
            keeping->stopped = true;
    }
}

static void take_piece(struct keeping *keeping, const uint64_t *words,
                       uint32_t count, find_masks_function *find_masks)
{
    struct masks masks = {0, 1};
    if (count == PIECE_WORDS)
        masks = find_masks(keeping, words);
    if (masks.odd != 0) {
        take_singly(keeping, words, count);
        return;
    }
    keeping->left_out += PIECE_WORDS - (unsigned)__builtin_popcountll(masks.in);
    for (; masks.in != 0; masks.in &= masks.in - 1)
        keep(keeping, words[__builtin_ctzll(masks.in)]);
}

static uint32_t length(uint32_t count)
{
    return count < PIECE_WORDS ? count : PIECE_WORDS;
}

static void take(struct keeping *keeping, const uint64_t *words, uint32_t count,
                 bool vectors)
{
    for (uint32_t i = 0; i < count && !keeping->stopped; i += PIECE_WORDS)
        take_piece(keeping, words + i, length(count - i),
                   vectors ? find_masks_with_avx2 : find_masks_portably);
}

/* Words before the first one has its value are behind a word to stop at. */
static uint32_t finish(struct keeping *keeping)
{
    if (keeping->left_out > 0)
        keep(keeping,
             margay_control_word(MARGAY_CONTROL_LEFT_OUT, keeping->left_out));
    if (keeping->count > 0)
        __atomic_store_n(keeping->out, keeping->first, __ATOMIC_RELEASE);
    return keeping->count;
}

static struct keeping begin(const struct margay_sampling *sampling,
                            uint64_t *out)
{
    return (struct keeping){
        .sampling = sampling,
        .shift = (unsigned)__builtin_ctzll(sampling->block_bytes),
        .mask = margay_sampling_mask(sampling),
        .out = out,
    };
}

uint32_t margay_sample_words(const struct margay_sampling *sampling,
                             const uint64_t *words, uint32_t count,
                             bool vectors, uint64_t *kept)
{
    struct keeping keeping = begin(sampling, kept);
    take(&keeping, words, count, vectors);
    return finish(&keeping);
}

uint32_t margay_sample_buffer(const struct margay_sampling *sampling,
                              uint64_t *words, uint32_t count, bool vectors)
{
    const uint64_t stop = margay_control_word(MARGAY_CONTROL_STOP, 0);
    struct keeping keeping = begin(sampling, words);
    uint64_t piece[PIECE_WORDS];
    const uint32_t first = length(count);
    if (count == 0)
        return 0;
    for (uint32_t i = 0; i < first; i++)
        piece[i] = words[i];
    __atomic_store_n(words, stop, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    take(&keeping, piece, first, vectors);
    take(&keeping, words + first, count - first, vectors);
    uint32_t end = keeping.count + (keeping.left_out > 0);
    if (end < count)
        words[end] = stop;
    return finish(&keeping);
}
