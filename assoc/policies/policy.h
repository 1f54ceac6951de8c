/*
 * policy.h - replacement policies
 *
 * A cache consists of two parts that are independent of each other.  The finder
 * (finder.h) knows which slot of its set holds a block.  The policy knows slots
 * only: the loop calls it for each slot that is used and filled, and asks it
 * which slot to empty.  So one policy serves both a set of 4 ways, whose slots
 * are compared all at once, and a cache of 10^8 blocks with an index.
 *
 * A policy's file defines its calls as static functions, compiles them into the
 * loops over references with MARGAY_POLICY_LOOPS() (cache.h), and defines a
 * `const struct margay_policy`, which is a row of the table in table.c.
 */
#ifndef MARGAY_ASSOC_POLICY_H
#define MARGAY_ASSOC_POLICY_H

#include <string.h>

#include "traces/traces_internal.h"
#include <margay/assoc.h>

#define MARGAY_ALWAYS_INLINE inline __attribute__((always_inline))

/* The number of no slot; the slots of a set are numbered from 0. */
#define MARGAY_NO_SLOT UINT32_MAX

/* The ways to find a block's slot (finder.h). */
enum margay_finder_form {
    MARGAY_FORM_SCANNED, /* the slots of its set are compared */
    MARGAY_FORM_INDEXED, /* a hash table leads there */
    MARGAY_FORM_DENSE,   /* a table of all blocks, which are dense numbers */
    MARGAY_FORMS,
};

/* A reference, as a policy sees it. */
struct margay_use {
    uint64_t block;
    enum margay_kind kind;
    uint64_t site; /* the code that made it; 0 = unknown */
    /* A miss: the slot that remembers the block, or MARGAY_NO_SLOT. */
    uint32_t memory;
    /* Of an object, how many requests came before this one, and before the
       object's next one, if it is known. */
    uint64_t now, next;
    uint64_t cost;  /* of an object: the cost of a miss */
    bool sized;     /* it is of an object; a constant in each loop */
    uint32_t index; /* among those that the cache is fed */
};

/* The object that makes room for its own growth, or that is not held. */
static inline uint32_t margay_use_grown(const struct margay_use *use)
{
    return use->sized ? use->memory : MARGAY_NO_SLOT;
}

/*
 * The calls of a policy, with the state that set_up() made. hit(): the block in
 * a slot is used.  evict() asks it, when the set holds as many blocks as it has
 * ways, for the slot whose block is evicted; the next call is insert() for the
 * new block and the slot that it comes into.  An insert() without evict() is
 * for the lowest slot that was never filled.
 *
 * A policy may remember blocks that were evicted.  Its sets then have more
 * slots than ways, and a block that is evicted may stay in its slot.  holds()
 * says whether the block of a slot is in the cache; a new block comes into the
 * slot that remembers it, else into the one that reuse() names, whose block is
 * forgotten, and if that is MARGAY_NO_SLOT into the lowest that was never
 * filled.  Policies without a memory leave both NULL: a new block takes the
 * slot of the block that is evicted.
 *
 * In a cache of objects (object_cache.h) each object has a slot of its own,
 * which use.memory always names, and an insert() comes after as many calls of
 * evict() as it takes to make room, or none.  Where a held object has grown,
 * evict() is called after its hit(), names another one than use.memory, and no
 * insert() comes.
 */
struct margay_policy_calls {
    void (*hit)(void *state, uint64_t set, uint32_t slot,
                const struct margay_use *use);
    /* MARGAY_NO_SLOT keeps the block of `use` out of the cache. */
    uint32_t (*evict)(void *state, uint64_t set, const struct margay_use *use);
    void (*insert)(void *state, uint64_t set, uint32_t slot,
                   const struct margay_use *use);
    bool (*holds)(const void *state, uint64_t set, uint32_t slot);
    uint32_t (*reuse)(void *state, uint64_t set);
};

struct margay_own_policy;

/* The cache that a policy makes its state for. */
struct margay_policy_setup {
    uint64_t sets;
    uint32_t ways;  /* of objects, about as many as the cache has room for */
    uint64_t slots; /* of a set: at least its ways */
    /* The room of a set's blocks: one way each; in a cache of objects
       (object_cache.h) those of its size. */
    uint64_t room;
    const struct margay_amounts *sizes; /* NULL = 1 each */
    struct margay_settings settings;    /* of its parameters */
    uint64_t seed;
    const struct margay_own_policy *own; /* of margay_policy_own */
};

/* The memory of a policy's arrays.  Without memory it only counts bytes. */
struct margay_layout {
    char *memory;
    uint64_t bytes; /* handed out */
};

/* Memory for the next array, zeroed; NULL if they are only counted. */
static inline void *margay_lay_out(struct margay_layout *layout, uint64_t bytes)
{
    void *array =
        layout->memory == NULL ? NULL : layout->memory + layout->bytes;
    layout->bytes += (bytes + 63) / 64 * 64;
    return array;
}

/* Amounts, of 31 bits if all are below 2^31, and a mark for each. */
struct margay_amounts {
    struct margay_amount {
        uint32_t low : 31, mark : 1;
    } * list;
    uint64_t *high; /* NULL = all are 0 */
};

static inline void margay_lay_out_amounts(struct margay_amounts *amounts,
                                          uint64_t count, uint64_t most,
                                          struct margay_layout *layout)
{
    amounts->list = margay_lay_out(layout, count * sizeof *amounts->list);
    if (most > INT32_MAX)
        amounts->high = margay_lay_out(layout, count * sizeof *amounts->high);
}

static inline uint64_t margay_amount(const struct margay_amounts *amounts,
                                     uint64_t at)
{
    uint64_t high = amounts->high == NULL ? 0 : amounts->high[at];
    return high << 31 | amounts->list[at].low;
}

/* Of 31 bits, more becomes the most. */
static inline void margay_amount_set(const struct margay_amounts *amounts,
                                     uint64_t at, uint64_t amount)
{
    if (amounts->high != NULL)
        amounts->high[at] = amount >> 31;
    else if (amount > INT32_MAX)
        amount = INT32_MAX;
    amounts->list[at].low = (uint32_t)amount & INT32_MAX;
}

/* The arguments of margay_cache_feed(). */
struct margay_uses {
    const uint64_t *blocks;
    const uint8_t *kinds;
    size_t count;
    const uint64_t *sites; /* of margay_cache_tell_sites(); NULL = all are 0 */
};

struct margay_object_cache;

/* The place of a slot among those of all sets, or this one. */
#define MARGAY_NOWHERE UINT64_MAX

/* The functions of MARGAY_POLICY_LOOPS() for one form of the finder. */
struct margay_policy_loops {
    void (*feed)(margay_cache *cache, const struct margay_uses *uses);
    uint64_t (*touch)(margay_cache *cache, struct margay_use *use);
    uint64_t (*look)(margay_cache *cache, struct margay_use *use);
    uint64_t (*bring_in)(margay_cache *cache, const struct margay_use *use);
};

/* A row of the table. */
struct margay_policy {
    struct margay_policy_info info;
    /* Refuse settings that do not go together; NULL = all do. */
    enum margay_status (*check)(const struct margay_settings *settings,
                                struct margay_error *error);
    /* The bytes of the policy's state, which is zeroed, without its arrays. */
    size_t state_bytes;
    /* The slots of a set beyond its ways, which remember blocks; NULL = 0. */
    uint64_t (*memory)(const struct margay_policy_setup *setup);
    /* Fill in the state, with arrays from `layout`.  They are not touched: it
       may be a layout that only counts.  NULL = no cache can have the policy by
       itself (margay_opt). */
    void (*set_up)(void *state, const struct margay_policy_setup *setup,
                   struct margay_layout *layout);
    /* A hit of the latest block of its set changes nothing. */
    bool idle_repeats;
    /* The loops over references, and single steps. */
    const struct margay_policy_loops *loops; /* [form] */
    /* The block of a slot is taken out of the cache, and no other block has
       come for it; the next insert() is without evict().  NULL = no effect: the
       next block in the slot gets its turn.  Policies with a memory are called
       for objects only; policies for objects always have it. */
    void (*remove)(void *state, uint64_t set, uint32_t slot);
    /* The loop over requests of objects; NULL unless the policy has the ability
       MARGAY_POLICY_FOR_OBJECTS. */
    size_t (*feed_objects)(struct margay_object_cache *cache,
                           const uint32_t *words, size_t count);
    /* The object of a slot, held or remembered, gets another size, which
       setup->sizes does not have yet.  NULL = the policy does not count
       bytes. */
    void (*resize)(void *state, uint32_t slot, uint64_t bytes);
    /* The object that evict() would name next for one that is not held; NULL =
       only evict() can find it. */
    uint32_t (*victim)(const void *state);
};

/* All of them, in the order of lists and messages. */
/* clang-format off */
#define MARGAY_POLICIES(X) \
    X(lru) X(fifo) X(clock) X(nru) X(plru) X(random) X(opt) X(sieve) \
    X(s3fifo) X(lfu) X(arc) X(2q) X(lirs) X(tinylfu) X(slru) X(lfuda) \
    X(gdsf) X(hyperbolic) X(lhd) X(redis_lru) X(redis_lfu) X(belady_size) X(pfoo_l) X(pfoo_u) \
    X(srrip) X(brrip) X(drrip) X(ship) X(qlru)
/* clang-format on */
#define MARGAY_DECLARE_POLICY(name) \
    extern const struct margay_policy margay_policy_##name;
MARGAY_POLICIES(MARGAY_DECLARE_POLICY)

/* That of a shared object, which is no row of the table. */
extern const struct margay_policy margay_policy_own;

/* Load the policy of a shared object, which stays loaded.  MARGAY_BAD_ARGUMENT:
   there is none. */
enum margay_status margay_own_open(const char *path,
                                   const struct margay_own_policy **policy,
                                   struct margay_error *error);

/* Does a spec name a shared object? */
static inline bool margay_policy_is_own(const char *spec)
{
    return strchr(spec, '/') != NULL;
}

/* The default spec of a cache. */
static inline const char *margay_policy_spec(const char *spec)
{
    return spec == NULL ? "lru" : spec;
}

/* The policy that a spec names, by the name only; NULL if there is none.  Needs
   no memory. */
const struct margay_policy_info *margay_policy_named(const char *spec);

/* The row that a spec names, and its settings; fails as margay_spec_parse(). */
enum margay_status margay_policy_parse(const char *spec,
                                       const struct margay_policy **policy,
                                       struct margay_settings *settings,
                                       struct margay_error *error);

#endif
