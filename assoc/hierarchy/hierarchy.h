/*
 * margay/hierarchy.h - from references to the misses of caches that feed caches
 *
 * A machine is a list of levels: caches, TLBs, which are caches with a page as
 * their block, and memories, which hold everything.  A level asks the next one
 * for the blocks that it lacks.  The levels that no other level names as its
 * next are fed with the references.
 *
 * A reference that misses in a level has these effects, in this order:
 *
 * - A block is brought in, unless the reference is a write and the level does
 *   not allocate for writes.  Where its set is full another block leaves.
 * - If the level is inclusive, the block that leaves is taken out of all levels
 *   above, and is dirty if one of them had written to it.
 * - If the block that leaves is dirty, the next level gets a write of it: a
 *   write-back.  Otherwise it is forgotten.
 * - The next level gets a read of the missing block, or a fetch if a fetch
 *   missed; a fully written block is no exception.
 *
 * A level that writes through hands each write to the next level, after that
 * read; so does one that does not allocate, instead of the read.  Blocks
 * of the next level may be larger, or smaller: a block is then a reference to
 * the larger block that it lies in, or to each of the smaller blocks that it
 * consists of, in ascending order.
 *
 * An exclusive level gets the blocks that leave the levels which feed it, dirty
 * or not, and nothing else.  A dirty one is a write of that level; it is a miss
 * unless the level holds the block, but nothing is read for it.  A read or a
 * fetch that finds its block takes it out, upwards, with its dirtiness, even
 * into a level that writes through, which then has a block to write back.  The
 * block that leaves the level above for it comes in after that.
 *
 * Victim blocks are an exclusive level of one set, with LRU, between a level
 * and its next; blocks found there are no misses of the level.
 *
 * A prefetcher sees the references of its level that are not writes of a level
 * above, and of these the kinds that it acts on.  The blocks that it names are
 * brought in when the reference is done, as a read that misses would, unless
 * they are there.
 *
 * Cores: a level has one instance for each `shared` cores.  Thread t of the
 * references runs on core t, or if the machine has C cores on core t modulo C.
 *
 * Coherence: a coherent level and all levels above are private caches of
 * `shared` cores, with blocks of one size, and all levels after it are shared
 * by all cores.  Private caches that have a block have it Modified, Exclusive
 * or Shared.  Before a core's reference, or a prefetch, this happens to the
 * others' caches, in the order of the cores:
 *
 * - A write takes the block out of them.  Otherwise, if the core's own caches
 *   lack the block, Modified and Exclusive ones become Shared.
 * - If the block was dirty and left, or was Modified, it is dirty no longer,
 *   and the next level gets a write of it: a write-back of the coherent level,
 *   and of those above it that had it dirty.
 *
 * The block then is Modified after a write; after a read that brought it in it
 * is Shared if others have it, or else Exclusive.
 *
 * A coherence miss finds its block in none of the core's private caches, from
 * where another core's write took it.  Such a miss is needed (true sharing) if
 * the core touches, before it loses the block again, a byte that another core
 * has written since this core's last miss of the block that was needed or no
 * coherence miss; all others are false sharing.  A reference touches the bytes
 * of its extent, or where extents are not present the 4 bytes that it lies in,
 * and at least a unit; of blocks of more than 64 bytes, 64ths.
 *
 * Thread safety: one thread at a time per object; different objects are
 * independent.
 */
#ifndef MARGAY_HIERARCHY_H
#define MARGAY_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/assoc.h>
#include <margay/status.h>
#include <margay/traces.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most levels of a machine, and the most cores. */
#define MARGAY_MOST_LEVELS 64
#define MARGAY_MOST_CORES  4096

/* `next` of a level without a next one. */
#define MARGAY_NO_LEVEL SIZE_MAX

/* The relation of a level's blocks to those of the levels that feed it. */
enum margay_inclusion {
    MARGAY_INCLUSION_NONE, /* neither: blocks above may be here or not */
    MARGAY_INCLUSIVE,      /* all blocks above are here, too */
    MARGAY_EXCLUSIVE,      /* the blocks here came from above */
};

/* The treatment of writes. */
enum margay_writing {
    MARGAY_WRITE_BACK,    /* a written block is dirty until it leaves */
    MARGAY_WRITE_THROUGH, /* each write is one of the next level, too */
    MARGAY_WRITE_NONE,    /* writes are like reads, as in a TLB */
};

/* The prefetchers of a level, a set of these. */
enum margay_prefetch {
    MARGAY_PREFETCH_NONE = 0,
    /* A miss prefetches the block after it. */
    MARGAY_PREFETCH_NEXT_LINE = 1,
    /* A miss prefetches the other block of its pair: the number of the one is
       even, and that of the other is by 1 higher. */
    MARGAY_PREFETCH_ADJACENT = 2,
    /* The reference of a code site to another block than that site's last one
       prefetches the block as far ahead as they are apart, if the last two were
       as far apart.  256 sites are kept, by their number modulo 256. */
    MARGAY_PREFETCH_STRIDE = 4,
    /* A miss, or the first use of a prefetched block, next to the last such
       block of one of 16 streams, in the stream's direction if it has one,
       prefetches the next 4 blocks in that direction.  Any other such block
       begins a stream, instead of the one that was used the longest ago. */
    MARGAY_PREFETCH_STREAM = 8,
};

/* The protocol of the private caches of cores. */
enum margay_coherence {
    MARGAY_COHERENCE_NONE, /* they do not */
    /* A block that one core writes to leaves the caches of all others; one that
       another core reads is shared, and written back if it was written to. */
    MARGAY_MESI,
};

/* One level. */
struct margay_level {
    const char *name;        /* in messages */
    unsigned holds;          /* a set of kinds: those of MARGAY_KIND_BIT() */
    uint64_t bytes;          /* 0 = a memory */
    uint64_t block_bytes;    /* a power of two */
    uint64_t ways;           /* of a set; 0 = all blocks are one set */
    enum margay_index index; /* the set of a block */
    uint64_t slices; /* as of struct margay_cache_options; of a block's address
                      */
    size_t next;     /* an index of the list, or MARGAY_NO_LEVEL */
    const char *policy; /* a spec; NULL = "lru" */
    enum margay_writing writing;
    bool no_allocate; /* for writes */
    enum margay_inclusion inclusion;
    uint64_t victim_blocks;
    unsigned prefetch; /* bits of enum margay_prefetch, asked in this order */
    unsigned prefetch_on; /* the kinds of references that they see, as `holds`;
                             0 = all */
    bool prefetch_renews; /* a block that they name and that is there is used */
    uint64_t shared;      /* by this many cores; 0 = by all of them */
    double cycles;        /* that it takes to look a block up */
    enum margay_coherence coherence; /* of this level and those above */
};

/* The counts of a level, in all of its instances together. */
struct margay_level_counts {
    uint64_t references[MARGAY_KINDS];
    uint64_t misses[MARGAY_KINDS];
    uint64_t writebacks; /* dirty blocks that left it, or its victim blocks */
    uint64_t prefetches; /* blocks that its prefetcher brought in, */
    uint64_t useful_prefetches; /* and those of them that were used later */
    uint64_t lookups; /* references that a core waits for: all but the writes
                         of levels above, and prefetches */
    /* References caused by those of the program, writes passed on by levels
       above included, without write-backs and prefetches of levels above and
       their effects. */
    uint64_t demand_references, demand_misses;
    uint64_t writebacks_received; /* references that are blocks from above */
    uint64_t victim_fills; /* blocks from above, dirty or not, that came into an
                              exclusive level */
    /* Of a coherent level, with the levels above it: */
    uint64_t coherence_misses;    /* of blocks that other cores' writes took */
    uint64_t true_sharing_misses; /* those of them that were needed */
    uint64_t invalidations;       /* blocks that left for another core's write,
                                   */
    uint64_t interventions; /* Modified ones that another core asked for, */
    uint64_t upgrades;      /* and writes to Shared ones */
};

/* Check a machine.  Fails with MARGAY_BAD_ARGUMENT, or MARGAY_NO_MEMORY; the
   message begins with the name of a level and a member, as "L2: ways: ",
   followed by the value found and the expected one, and *wrong is the index of
   that level. */
MARGAY_API enum margay_status margay_machine_check(
    const struct margay_level *levels, size_t count, size_t *wrong,
    struct margay_error *error);

/* Is the level fed with references?  That of a machine that passed. */
MARGAY_API bool margay_level_is_first(const struct margay_level *levels,
                                      size_t count, size_t index);

/* Does its policy or its prefetcher use the code sites of references?  Of a
   level of a machine that passed. */
MARGAY_API bool margay_level_needs_sites(const struct margay_level *level);

typedef struct margay_hierarchy margay_hierarchy;

struct margay_hierarchy_options {
    /* A machine that passes margay_machine_check().  The list is copied, and
       its texts outlive the hierarchy. */
    const struct margay_level *levels;
    size_t level_count;
    uint64_t seed; /* of the policies' random numbers */
    /* The numbers of references are in units of 2^unit_shift bytes, which no
       first level's block is smaller than. */
    unsigned unit_shift;
    bool splits;    /* a reference touches each block that its extent covers */
    uint64_t cores; /* at most MARGAY_MOST_CORES; 0 = one for each thread */
    bool notes_sharing; /* for margay_hierarchy_sharing() */
    /* The bits of levels by their index: for margay_hierarchy_traffic().  No
       block of these is smaller than a unit. */
    uint64_t sends;
};

/* Make empty caches.  MARGAY_BAD_ARGUMENT, MARGAY_NO_MEMORY.  The caller owns
 *hierarchy. */
MARGAY_API enum margay_status margay_hierarchy_create(
    const struct margay_hierarchy_options *options,
    margay_hierarchy **hierarchy, struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_hierarchy_free(margay_hierarchy *hierarchy);

/* Make references: span->blocks are their numbers; kinds, threads, sites and,
   if they are split, extents are used where present.  MARGAY_BAD_ARGUMENT: a
   thread beyond the most cores that would have one of its own;
   MARGAY_NO_MEMORY: for the caches of another core. */
MARGAY_API enum margay_status margay_hierarchy_feed(
    margay_hierarchy *hierarchy, const struct margay_span *span,
    struct margay_error *error);

/* The requests of the levels of options.sends, with their victim blocks, to the
   next levels during the last margay_hierarchy_feed(), in order: misses of
   references and prefetchers as reads or fetches, and blocks written back or
   through as writes.  The purpose of a request is that of the reference that
   missed, or wrote through.  `blocks` are numbers like those fed.  Clean blocks
   that move to an exclusive level are left out. */
MARGAY_API const struct margay_traffic *margay_hierarchy_traffic(
    const margay_hierarchy *hierarchy);

/* End the warm-up: set all counts to 0 and keep the blocks. */
MARGAY_API void margay_hierarchy_reset_counts(margay_hierarchy *hierarchy);

/* The counts of level `index` since the last reset. */
MARGAY_API struct margay_level_counts margay_hierarchy_counts(
    const margay_hierarchy *hierarchy, size_t index);

/* A place in memory and in the program at which a core contends with others for
   a block of a coherent level. */
struct margay_sharing_place {
    size_t level;
    uint64_t block;  /* of the level's bytes */
    uint64_t offset; /* the first byte in the block that is touched, of a block
                        of more than 64 bytes the first one of its 64th */
    uint64_t site;   /* the code that touches; 0 where sites are not present */
    uint32_t core;   /* that does */
    uint64_t coherence_misses, true_sharing_misses;
    uint64_t invalidations; /* of other cores' copies */
    /* The false sharing misses of the block, at all places. */
    uint64_t block_false_sharing_misses;
};

/* The places of contention since the last reset, if options.notes_sharing is
   set: levels in their order, of each the blocks with the most false sharing
   misses first, and places of a block in the order of core, offset and site.
   The caller frees *places.  MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_hierarchy_sharing(
    const margay_hierarchy *hierarchy, struct margay_sharing_place **places,
    size_t *count, struct margay_error *error);

/* The input of a machine. */
struct margay_machine_fed {
    uint64_t references[MARGAY_KINDS]; /* since the last reset */
    size_t cores;                      /* that have made any, at any time */
    bool shares_cores; /* a thread had no core of its own, because of
                          options.cores */
};

MARGAY_API struct margay_machine_fed margay_hierarchy_fed(
    const margay_hierarchy *hierarchy);

#ifdef __cplusplus
}
#endif

#endif
