/*
 * margay/family.h - machines with common caches, simulated together
 *
 * The machines of a family have as many levels each, and differ in some of
 * them.  A cache that several machines have in common, with all that comes
 * before it, is simulated once, and so are LRU caches that differ only in their
 * ways.  The counts are those of a margay_hierarchy of each machine.
 *
 * This requires that no level depends on the levels after it: see
 * margay_machine_shares().  Where fewer than two machines allow it, and of the
 * others, each has a margay_hierarchy of its own.
 *
 * Thread safety: one thread at a time per object; different objects are
 * independent.
 */
#ifndef MARGAY_FAMILY_H
#define MARGAY_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

#include <margay/hierarchy.h>

#ifdef __cplusplus
extern "C" {
#endif

/* May a machine, which passes margay_machine_check(), be simulated in a family?
   No level is inclusive, exclusive or coherent, keeps victim blocks,
   prefetches, or has a policy that looks at sites; and no reference reaches a
   level in two ways. */
MARGAY_API bool margay_machine_shares(const struct margay_level *levels,
                                      size_t count);

typedef struct margay_family margay_family;

struct margay_family_options {
    /* Of each machine; the levels are those of all, one machine after the
       other. The list and its texts outlive the family. */
    struct margay_hierarchy_options machine;
    size_t machine_count; /* which is 1 where levels send something on */
    unsigned threads;     /* at most, at least 1; results never depend on it */
};

/* Make empty caches.  MARGAY_BAD_ARGUMENT, MARGAY_NO_MEMORY.  The caller owns
 *family. */
MARGAY_API enum margay_status margay_family_create(
    const struct margay_family_options *options, margay_family **family,
    struct margay_error *error);

/* NULL is fine. */
MARGAY_API void margay_family_free(margay_family *family);

/* Make references in all machines, as margay_hierarchy_feed() does in one.
   Some may wait until the next call of a function of the family.
   MARGAY_BAD_ARGUMENT, MARGAY_NO_MEMORY; after a failure the family can only be
   freed. */
MARGAY_API enum margay_status margay_family_feed(margay_family *family,
                                                 const struct margay_span *span,
                                                 struct margay_error *error);

/* Work through the references that wait.  MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_family_settle(margay_family *family,
                                                   struct margay_error *error);

/* End the warm-up: set all counts to 0 and keep the blocks.  MARGAY_NO_MEMORY:
   for references that wait. */
MARGAY_API enum margay_status margay_family_reset_counts(
    margay_family *family, struct margay_error *error);

/* The counts of a level of a machine, since the last reset.  No references
 * wait.
 */
MARGAY_API struct margay_level_counts margay_family_counts(
    const margay_family *family, size_t machine, size_t level);

/* As margay_hierarchy_fed(), of each machine.  No references wait. */
MARGAY_API struct margay_machine_fed margay_family_fed(
    const margay_family *family);

/* The hierarchy of a machine that has one of its own; NULL = it shares. */
MARGAY_API const margay_hierarchy *margay_family_hierarchy(
    const margay_family *family, size_t machine);

#ifdef __cplusplus
}
#endif

#endif
