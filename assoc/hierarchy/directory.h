/*
 * directory.h - which private caches have a block, and who may write to it
 *
 * A *domain* is an instance of a coherent level, its victim blocks, and all
 * that is above them: the private caches of a core, or of a group of cores.  A
 * block is in a domain if one of its caches has it.
 */
#ifndef MARGAY_ASSOC_DIRECTORY_H
#define MARGAY_ASSOC_DIRECTORY_H

#include "assoc/hierarchy/hierarchy.h"
#include "stackdist/stackdist_internal.h"

struct margay_node;

enum margay_copy_state {
    MARGAY_SHARED,
    MARGAY_EXCLUSIVE_COPY,
    MARGAY_MODIFIED,
};

/* A block that a domain has, or has had. */
struct margay_copy {
    uint64_t fresh; /* bits by piece: written by other domains since this one
                       had a miss of the block that was not useless */
    uint32_t next; /* 1 + the index of the block's copy in the next domain, or 0
                    */
    uint16_t domain;
    uint32_t places;    /* 1 + the first of the places that contend for it */
    uint32_t missed_at; /* 1 + the place of its last coherence miss */
    uint8_t caches; /* of the domain that have the block; 0 = its state is I */
    uint8_t state;
    bool invalidated; /* it left the domain because another one wrote to it */
    bool pending;     /* it came by a coherence miss, useless as yet */
};

/* Where cores contend for a block, as margay_hierarchy_sharing() tells. */
struct margay_place {
    struct margay_sharing_place told;
    uint32_t next; /* 1 + the index of the copy's next place */
};

/* All blocks of all domains of a level. */
struct margay_directory {
    /* From a block to 1 + the index of its first copy; copies of a block are
       linked in ascending order of their domains. */
    struct margay_hash blocks;
    struct margay_copy *copies;
    size_t count, room;
    struct margay_place *places;
    size_t place_count, place_room;
    bool failed; /* for want of memory */
};

/* The private caches of some cores. */
struct margay_domain {
    struct margay_directory *directory;
    const struct margay_instances *roots; /* of all domains of the level */
    struct margay_node *root;             /* behind which the others are */
    uint16_t index;
};

enum margay_status margay_directory_create(struct margay_directory **directory,
                                           struct margay_error *error);

/* NULL is fine. */
void margay_directory_free(struct margay_directory *directory);

/* No miss before this one is counted any longer. */
void margay_directory_reset(struct margay_directory *directory);

/* The first copy of a block, plus 1; 0 = there is none. */
static inline uint32_t margay_directory_first(
    const struct margay_directory *directory, uint64_t block)
{
    const uint32_t *first = margay_hash_find(&directory->blocks, block);
    return first == NULL ? 0 : *first;
}

/* The copy of a domain, made if there is none; NULL = without memory. */
struct margay_copy *margay_directory_copy(const struct margay_domain *domain,
                                          uint64_t block);

/* A block has come into a cache of the domain, or has left it. */
void margay_directory_came(const struct margay_domain *domain, uint64_t block);
void margay_directory_went(const struct margay_domain *domain, uint64_t block);

#endif
