/*
 * dense.h - a table of few bytes from block ids to timestamps
 *
 * Algorithm: quotienting.  An invertible mixture of the 64 bits of an id, taken
 *   as a fraction, is that of the id's bucket among all, its home; so the
 *   bucket in which an entry lies tells most of the upper bits, and only the
 *   lower ones are stored.  A bucket of one cache line has seven entries of 73
 *   bits: a tag, which one vector comparison searches, and 41 bits that the
 *   timestamp and the rest of the id share, the timestamp taking as many as
 *   the axis of time needs.  A full bucket spills into the next, up to six
 *   buckets behind the home; what finds no place there is for another table.
 *   The table grows by a sixth, in its place.
 * Source: Knuth, TAOCP 3, 6.4, exercise 13, 1973, for quotients; Cleary,
 *   "Compact hash tables using bidirectional linear probing", IEEE TC 33(9),
 *   1984.
 * Guarantee: any 64-bit id; no two are taken for one another.
 * Cost: 10.4 to 12.4 bytes per entry, growth included; an entry is moved six
 *   times on average as the table grows.
 *
 * A timestamp of 0 marks a free slot.  Slots fill from the front.
 */
#ifndef MARGAY_STACKDIST_EXACT_DENSE_H
#define MARGAY_STACKDIST_EXACT_DENSE_H

#include <stdbool.h>
#include <stdint.h>

#include "stackdist/exact/hash.h"

#define MARGAY_DENSE_SLOTS 7

/* A timestamp whose lower bits, however many, are those of no other. */
#define MARGAY_DENSE_MARK ((uint64_t)UINT32_MAX)

/* The buckets in which an entry may lie: its home and those behind it. */
#define MARGAY_DENSE_REACH 7

#define MARGAY_DENSE_TAG_BITS   32
#define MARGAY_DENSE_FIELD_BITS 41 /* timestamp and the rest of the id */
#define MARGAY_DENSE_EXTRA_BITS 9  /* of the field, beyond a word */

struct margay_dense_bucket {
    uint32_t tags[MARGAY_DENSE_SLOTS];
    uint32_t words[MARGAY_DENSE_SLOTS]; /* the lower bits of the fields */
    uint64_t extras;                    /* the upper bits, nine for each */
};

struct margay_dense {
    struct margay_dense_bucket *buckets; /* NULL = there is no table */
    uint64_t home_count; /* REACH - 1 buckets more stand behind the homes */
    uint64_t entries;
    unsigned time_bits; /* of a timestamp */
};

/* An empty table with room for `entries`.  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_dense_create(struct margay_dense *dense,
                                       uint64_t entries,
                                       struct margay_error *error);

/* Release the table; a zeroed struct is fine. */
void margay_dense_destroy(struct margay_dense *dense);

/* Entries that the table, and the one beside it, may have before it grows. */
uint64_t margay_dense_limit(const struct margay_dense *dense);

/* The most timestamps that the table can tell apart. */
uint64_t margay_dense_most_timestamps(const struct margay_dense *dense);

/*
 * Move all entries of `hash` that find a place to the table, which is empty and
 * whose timestamps have to fit; `hash` becomes as small as what stays needs. On
 * MARGAY_NO_MEMORY both can only be destroyed, here and below.
 */
enum margay_status margay_dense_take(struct margay_dense *dense,
                                     struct margay_hash *hash,
                                     struct margay_error *error);

/* Grow, and move to the table what now finds a place there. */
enum margay_status margay_dense_grow(struct margay_dense *dense,
                                     struct margay_hash *hash,
                                     struct margay_error *error);

/* Close the gaps that entries leave whose timestamps have become 0. */
enum margay_status margay_dense_close(struct margay_dense *dense,
                                      struct margay_hash *hash,
                                      struct margay_error *error);

/* ---------------------------------------------------------- ids as bits -- */

#define MARGAY_DENSE_INVERSE UINT64_C(0xf1de83e19937733d)

static inline uint64_t margay_dense_mix(uint64_t key)
{
    uint64_t product = key * MARGAY_HASH_MULTIPLIER;
    return product ^ product >> 32;
}

static inline uint64_t margay_dense_unmix(uint64_t mixed)
{
    return (mixed ^ mixed >> 32) * MARGAY_DENSE_INVERSE;
}

static inline uint64_t margay_dense_home(const struct margay_dense *dense,
                                         uint64_t mixed)
{
    return (uint64_t)((margay_u128)mixed * dense->home_count >> 64);
}

/* The bits of the mixture that stand beside the timestamp. */
static inline uint64_t margay_dense_rest(uint64_t mixed, unsigned time_bits)
{
    unsigned bits = MARGAY_DENSE_FIELD_BITS - time_bits;
    return mixed >> MARGAY_DENSE_TAG_BITS & ((UINT64_C(1) << bits) - 1);
}

/*
 * The mixtures of the entries of bucket `index` are this or up to 2^stored
 * more, where `stored` bits of each are stored: the homes of seven buckets
 * share less than eight times 2^64 / home_count mixtures, and rounding costs
 * less than the eighth.
 */
static inline uint64_t margay_dense_first(const struct margay_dense *dense,
                                          uint64_t index)
{
    uint64_t homes =
        index < MARGAY_DENSE_REACH ? 0 : index + 1 - MARGAY_DENSE_REACH;
    return homes * (UINT64_MAX / dense->home_count);
}

static inline uint64_t margay_dense_buckets(const struct margay_dense *dense)
{
    return dense->home_count + MARGAY_DENSE_REACH - 1;
}

/* The mixture of a slot of a bucket of which `first` is known. */
static inline uint64_t margay_dense_mixed(uint64_t first, uint32_t tag,
                                          uint64_t field, unsigned time_bits)
{
    unsigned stored =
        MARGAY_DENSE_TAG_BITS + MARGAY_DENSE_FIELD_BITS - time_bits;
    uint64_t low = field >> time_bits << MARGAY_DENSE_TAG_BITS | tag;
    return first + ((low - first) & ((UINT64_C(1) << stored) - 1));
}

static inline uint64_t margay_dense_field(
    const struct margay_dense_bucket *bucket, unsigned slot)
{
    uint64_t extra = bucket->extras >> (MARGAY_DENSE_EXTRA_BITS * slot) & 511;
    return bucket->words[slot] | extra << 32;
}

/* A timestamp of as many bits; MARGAY_DENSE_MARK is the same in any number. */
static inline uint64_t margay_dense_cut(uint64_t time, unsigned time_bits)
{
    return time & ((UINT64_C(1) << time_bits) - 1);
}

static inline uint64_t margay_dense_time(const struct margay_dense *dense,
                                         uint64_t field)
{
    uint64_t time = margay_dense_cut(field, dense->time_bits);
    return time == margay_dense_cut(MARGAY_DENSE_MARK, dense->time_bits)
               ? MARGAY_DENSE_MARK
               : time;
}

/* The field of an entry. */
static inline uint64_t margay_dense_join(const struct margay_dense *dense,
                                         uint64_t mixed, uint64_t time)
{
    return margay_dense_rest(mixed, dense->time_bits) << dense->time_bits |
           margay_dense_cut(time, dense->time_bits);
}

/* Replace a field, which is `old`. */
static inline void margay_dense_set_field(struct margay_dense_bucket *bucket,
                                          unsigned slot, uint64_t old,
                                          uint64_t field)
{
    bucket->words[slot] = (uint32_t)field;
    bucket->extras ^= (old ^ field) >> 32 << (MARGAY_DENSE_EXTRA_BITS * slot);
}

#endif
