/*
 * near_kernel.c - the top of the LRU stack: the loops over references
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it;
 * the table at the end is all that is visible outside.
 */
#include "stackdist/engines/near.h"

#include <string.h>

#include "stackdist/engines/condense.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* As much of a vector of bytes, one for each word, as a register holds. */
#if defined(__AVX512BW__)
#define PART_BYTES 64
#elif defined(__AVX2__)
#define PART_BYTES 32
#else
#define PART_BYTES 16
#endif
#define PARTS (MARGAY_NEAR_WORDS / PART_BYTES)
typedef uint8_t part __attribute__((vector_size(PART_BYTES)));

/* Windows on this are vectors with 1 in the lanes before one. */
#define ONES 1, 1, 1, 1, 1, 1, 1, 1
static const uint8_t one_before[2 * MARGAY_NEAR_WORDS] = {
    ONES, ONES, ONES, ONES, ONES, ONES, ONES, ONES};

/* What left the stack during a batch: how many behind each word.  To be read
   from; the vectors themselves stay in registers. */
union gone {
    part parts[PARTS];
    uint8_t behind[MARGAY_NEAR_WORDS];
};

static ALWAYS_INLINE void leave_word(union gone *gone, part *parts,
                                     uint32_t word)
{
    const uint8_t *window = one_before + (MARGAY_NEAR_WORDS - word);
#pragma GCC unroll 4
    for (size_t i = 0; i < PARTS; i++) {
        part ones;
        memcpy(&ones, window + i * PART_BYTES, sizeof ones);
        parts[i] += ones;
        gone->parts[i] = parts[i];
    }
    /* Or the compiler takes lanes out of the registers, which is slower. */
    __asm__("" : "+m"(*gone));
}

/* Blocks of a batch that starts at `now`, at whose end its times are set. */
struct batch {
    uint32_t now, end;
};

static ALWAYS_INLINE struct batch begin_batch(struct margay_near *near,
                                              const uint64_t *blocks,
                                              size_t count)
{
    uint32_t now = near->now, room = 64 - now % 64;
    uint32_t some = count < room ? (uint32_t)count : room;
    size_t i = 0;
    for (; i + 8 <= some; i += 8)
        memcpy(near->block_at + now + i, blocks + i, 8 * sizeof *blocks);
    for (; i < some; i++)
        near->block_at[now + i] = blocks[i];
    near->bits[now / 64] |= ~UINT64_C(0) >> (64 - some) << (now % 64);
    for (uint32_t word = 0; word < MARGAY_NEAR_WORDS; word++)
        near->newer[word] += (uint16_t)(word < now / 64 ? some : 0);
    return (struct batch){now, now + some};
}

/* The time of the oldest block, which leaves the stack. */
static ALWAYS_INLINE uint32_t evict(struct margay_near *near)
{
    uint32_t word = near->horizon / 64;
    while (near->bits[word] == 0)
        word++;
    uint32_t time = 64 * word + (uint32_t)__builtin_ctzll(near->bits[word]);
    near->horizon = time + 1;
    near->exceeded = true;
    return time;
}

/* A block is not in the stack: whose time is taken for its own?  It will be
   counted as if it were behind all others, which is undone here, or, where one
   of them leaves, after the batch. */
static ALWAYS_INLINE uint32_t make_room(struct margay_near *near)
{
    if (near->blocks == near->front)
        return evict(near);
    near->counts[near->blocks++]--;
    return 0;
}

static size_t refer_batch(struct margay_near *near, struct batch batch,
                          size_t first, uint16_t *beyond)
{
    union gone gone = {{{0}}};
    part parts[PARTS] = {{0}};
    uint32_t horizon = near->horizon, blocks = near->blocks;
    size_t found = 0;
    for (uint32_t now = batch.now; now < batch.end; now++) {
        uint64_t block = near->block_at[now];
        uint16_t *head = &near->heads[margay_near_chain(block)];
        uint32_t time = *head, older = time;
        if (__builtin_expect(time >= horizon && near->block_at[time] == block,
                             1)) {
            older = near->older[time];
        } else {
            time = time < horizon ? 0 : margay_near_take(near, time, block);
            if (time == 0) {
                beyond[found++] = (uint16_t)(first + (now - batch.now));
                time = make_room(near);
                horizon = near->horizon;
            }
        }
        near->older[now] = (uint16_t)older;
        *head = (uint16_t)now;
        uint32_t word = time / 64;
        uint64_t bits = near->bits[word] & ~(UINT64_C(1) << (time % 64));
        near->bits[word] = bits;
        /* The batch's own times from now on are set as well. */
        uint32_t newer = near->newer[word] - gone.behind[word] +
                         (uint32_t)__builtin_popcountll(bits >> (time % 64)) -
                         (batch.end - now);
        leave_word(&gone, parts, word);
        near->counts[newer]++;
    }
    for (uint32_t word = 0; word < MARGAY_NEAR_WORDS; word++)
        near->newer[word] -= gone.behind[word];
    near->counts[near->front - 1] -= found - (near->blocks - blocks);
    near->now = batch.end;
    return found;
}

static size_t refer(struct margay_near *near, const uint64_t *blocks,
                    size_t count, uint16_t *beyond)
{
    size_t found = 0;
    for (size_t done = 0; done < count;) {
        if (near->now == MARGAY_NEAR_TIMES)
            margay_near_renumber(near);
        struct batch batch = begin_batch(near, blocks + done, count - done);
        found += refer_batch(near, batch, done, beyond + found);
        done += batch.end - batch.now;
    }
    near->beyond += found;
    return found;
}

#if defined(__AVX512BW__) && defined(__AVX512DQ__)

/* margay_sample_hash() */
static ALWAYS_INLINE __m512i hash_vector(__m512i x, uint64_t key)
{
    const __m512i factor = _mm512_set1_epi64((long long)0xd6e8feb86659fd93);
    x = _mm512_xor_si512(x, _mm512_set1_epi64((long long)key));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
    x = _mm512_mullo_epi64(x, factor);
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
    x = _mm512_mullo_epi64(x, factor);
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
}

static ALWAYS_INLINE size_t pick_vectors(const struct margay_sample *sample,
                                         const uint64_t *blocks, size_t count,
                                         uint16_t *picks, size_t *done)
{
    const __m512i limit = _mm512_set1_epi64((long long)sample->limit);
    size_t n = 0, i = 0;
    for (; i + 8 <= count; i += 8) {
        __m512i hashes =
            hash_vector(_mm512_loadu_si512(blocks + i), sample->key);
        unsigned in = margay_mask8_bits(_mm512_cmple_epu64_mask(hashes, limit));
        for (; in != 0; in &= in - 1)
            picks[n++] = (uint16_t)(i + (unsigned)__builtin_ctz(in));
    }
    *done = i;
    return n;
}

#else

static ALWAYS_INLINE size_t pick_vectors(const struct margay_sample *sample,
                                         const uint64_t *blocks, size_t count,
                                         uint16_t *picks, size_t *done)
{
    (void)sample, (void)blocks, (void)count, (void)picks;
    return *done = 0;
}

#endif

static size_t condense(const uint64_t *blocks, size_t count, uint64_t top[2],
                       uint64_t *kept, uint64_t hits[2])
{
    return margay_condense(blocks, count, top, kept, hits);
}

/* Written always and kept sometimes: branches would be mispredicted. */
static size_t pick(const struct margay_sample *sample, const uint64_t *blocks,
                   size_t count, uint16_t *picks)
{
    size_t i, n = pick_vectors(sample, blocks, count, picks, &i);
    for (; i < count; i++) {
        picks[n] = (uint16_t)i;
        n += margay_sample_hash(blocks[i], sample->key) <= sample->limit;
    }
    return n;
}

#define PASTE(a, b)       a##b
#define KERNEL_OF(suffix) PASTE(margay_near_kernel_, suffix)

const struct margay_near_kernel KERNEL_OF(MARGAY_TARGET_SUFFIX) = {
    .refer = refer,
    .condense = condense,
    .pick = pick,
};
