/*
 * coherence.c - the protocol MESI between private caches
 *
 * Algorithm: a directory has for each block the domains that have touched it,
 *   and for each of these the state, how many caches of the domain have the
 *   block, and which of its bytes other domains have written.
 *
 * Source: Papamarcos and Patel 1984 (the states); Dubois, Skeppstedt,
 *   Ricciulli, Ramamurthy and Stenstrom 1993 (true and false sharing).  A miss
 *   is useless unless the domain touches, before it loses the block again, a
 *   byte that another one has written since this domain's last miss that was
 *   not useless.  A coherence miss is one of a block that left the domain
 *   because another one wrote to it: true sharing, or useless: false sharing.
 *
 * Guarantee: exact; a block of over 64 bytes has 64 pieces in the place of
 *   bytes.
 *
 * Cost: a look into a hash table for each reference of a coherent cache, and
 *   for each block that comes or leaves; 24 bytes for each block and domain
 *   that has touched it, and 16 for each block.
 */
#include "assoc/hierarchy/node.h"

/* Another domain asks for a block that this one has, to write to it or not. */
static void answer(struct margay_hierarchy *hierarchy,
                   const struct margay_domain *asking, struct margay_copy *copy,
                   const struct margay_touch *touch)
{
    struct margay_node *root = asking->roots->nodes[copy->domain];
    bool modified = copy->state == MARGAY_MODIFIED;
    root->counts.interventions += modified;
    copy->state = MARGAY_SHARED;
    if (touch->write) {
        copy->caches = 0;
        copy->invalidated = true;
        root->counts.invalidations++;
    }
    if (modified || touch->write)
        margay_node_recall(hierarchy, root, touch->block, touch->write);
}

/* What a touch does to the other domains; returns how many have the block. */
static uint32_t tell_others(struct margay_hierarchy *hierarchy,
                            const struct margay_domain *domain,
                            const struct margay_touch *touch)
{
    struct margay_copy *copies = domain->directory->copies;
    uint32_t at = margay_directory_first(domain->directory, touch->block);
    uint32_t found = 0;
    for (; at != 0; at = copies[at - 1].next) {
        struct margay_copy *copy = &copies[at - 1];
        if (copy->domain == domain->index)
            continue;
        if (touch->write)
            copy->fresh |= touch->pieces;
        if (copy->caches == 0)
            continue;
        answer(hierarchy, domain, copy, touch);
        found++;
    }
    return found;
}

/* The domain lacks the block, and will have it if the reference brings it in.
 */
static void begin_stay(struct margay_hierarchy *hierarchy,
                       const struct margay_domain *domain,
                       struct margay_copy *copy,
                       const struct margay_touch *touch)
{
    copy->pending = copy->invalidated && touch->pieces != 0;
    copy->invalidated = false;
    if (!copy->pending) {
        copy->fresh = 0;
        return;
    }
    struct margay_directory *directory = domain->directory;
    struct margay_place *place =
        margay_sharing_note(hierarchy, domain, copy, touch);
    domain->root->counts.coherence_misses++;
    copy->missed_at =
        place == NULL ? 0 : (uint32_t)(place - directory->places + 1);
    if (place != NULL)
        place->told.coherence_misses++;
}

/* What a domain touches is new to it. */
static void end_doubt(const struct margay_domain *domain,
                      struct margay_copy *copy)
{
    copy->fresh = 0;
    if (!copy->pending)
        return;
    copy->pending = false;
    domain->root->counts.true_sharing_misses++;
    if (copy->missed_at != 0)
        domain->directory->places[copy->missed_at - 1]
            .told.true_sharing_misses++;
}

void margay_coherence_touch(struct margay_hierarchy *hierarchy,
                            const struct margay_domain *domain,
                            const struct margay_touch *touch)
{
    struct margay_copy *copy = margay_directory_copy(domain, touch->block);
    if (copy == NULL)
        return;
    bool missed = copy->caches == 0;
    if (missed)
        begin_stay(hierarchy, domain, copy, touch);
    if ((copy->fresh & touch->pieces) != 0)
        end_doubt(domain, copy);
    if (!missed && !touch->write)
        return;
    domain->root->counts.upgrades +=
        touch->write && !missed && copy->state == MARGAY_SHARED;
    uint32_t found = tell_others(hierarchy, domain, touch);
    copy->state = touch->write ? MARGAY_MODIFIED
                  : found > 0  ? MARGAY_SHARED
                               : MARGAY_EXCLUSIVE_COPY;
    if (!touch->write || found == 0)
        return;
    struct margay_place *place =
        margay_sharing_note(hierarchy, domain, copy, touch);
    if (place != NULL)
        place->told.invalidations += found;
}
