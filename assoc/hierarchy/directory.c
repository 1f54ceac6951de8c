/* directory.c - which private caches have a block, and who may write to it */
#include "assoc/hierarchy/directory.h"

#include <stdlib.h>

#include "traces/traces_internal.h"

enum margay_status margay_directory_create(struct margay_directory **directory,
                                           struct margay_error *error)
{
    struct margay_directory *made = calloc(1, sizeof *made);
    *directory = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the directory of blocks");
    enum margay_status status = margay_hash_create(&made->blocks, 0, error);
    if (status == MARGAY_OK)
        *directory = made;
    else
        free(made);
    return status;
}

void margay_directory_free(struct margay_directory *directory)
{
    if (directory == NULL)
        return;
    margay_hash_destroy(&directory->blocks);
    free(directory->copies);
    free(directory->places);
    free(directory);
}

void margay_directory_reset(struct margay_directory *directory)
{
    for (size_t i = 0; i < directory->count; i++)
        directory->copies[i].pending = false;
    for (size_t i = 0; i < directory->place_count; i++) {
        struct margay_sharing_place *told = &directory->places[i].told;
        told->coherence_misses = told->true_sharing_misses = 0;
        told->invalidations = 0;
    }
}

/* The copy of a domain; NULL = it has none. */
static struct margay_copy *find_copy(const struct margay_domain *domain,
                                     uint64_t block)
{
    struct margay_directory *directory = domain->directory;
    uint32_t at = margay_directory_first(directory, block);
    while (at != 0 && directory->copies[at - 1].domain != domain->index)
        at = directory->copies[at - 1].next;
    return at == 0 ? NULL : &directory->copies[at - 1];
}

/* Link a copy into the list of its block. */
static void link_copy(struct margay_directory *directory, uint64_t block,
                      uint32_t added)
{
    struct margay_copy *copies = directory->copies;
    uint32_t *link = margay_hash_insert(&directory->blocks, block);
    while (*link != 0 && copies[*link - 1].domain < copies[added - 1].domain)
        link = &copies[*link - 1].next;
    copies[added - 1].next = *link;
    *link = added;
}

static struct margay_copy *add_copy(const struct margay_domain *domain,
                                    uint64_t block)
{
    struct margay_directory *directory = domain->directory;
    struct margay_copy *copies =
        directory->count == UINT32_MAX
            ? NULL
            : margay_grow(directory->copies, directory->count, &directory->room,
                          sizeof *copies);
    if (copies != NULL)
        directory->copies = copies;
    directory->failed |=
        copies == NULL ||
        margay_hash_reserve(&directory->blocks, 1, NULL) != MARGAY_OK;
    if (directory->failed)
        return NULL;
    copies[directory->count++] = (struct margay_copy){.domain = domain->index};
    link_copy(directory, block, (uint32_t)directory->count);
    return &copies[directory->count - 1];
}

struct margay_copy *margay_directory_copy(const struct margay_domain *domain,
                                          uint64_t block)
{
    struct margay_copy *copy = find_copy(domain, block);
    return copy == NULL ? add_copy(domain, block) : copy;
}

void margay_directory_came(const struct margay_domain *domain, uint64_t block)
{
    struct margay_copy *copy = find_copy(domain, block);
    if (copy != NULL)
        copy->caches++;
}

void margay_directory_went(const struct margay_domain *domain, uint64_t block)
{
    struct margay_copy *copy = find_copy(domain, block);
    if (copy != NULL)
        copy->caches--;
}
