/* policies_specs.c - what the specs of policies ask for */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/run/policies_replay.h"

static enum margay_status check(const char *spec,
                                const struct margay_policy_info *info,
                                enum margay_caches_of caches,
                                struct margay_error *error)
{
    bool of_objects = caches == MARGAY_CACHES_OF_OBJECTS;
    if (info->abilities & MARGAY_POLICY_FOR_SETS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy %s: it is defined for sets of some ways "
                           "only (margay assoc takes it)",
                           spec);
    if (!of_objects && (info->abilities & MARGAY_POLICY_ONLY_OBJECTS))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy %s: it is defined for objects with sizes "
                           "only (--objects)",
                           spec);
    if (of_objects && (info->abilities & MARGAY_POLICY_FOR_OBJECTS) == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy %s: it is not defined for objects with "
                           "sizes (margay help policies says which are)",
                           spec);
    return MARGAY_OK;
}

static enum margay_status check_of_requests(const char *spec,
                                            struct margay_error *error)
{
    static const char *const known[] = {"lru",  "opt", MARGAY_LEAF_LRU,
                                        "slru", "lfu", "arc"};
    size_t length = strcspn(spec, ":");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i]) == length &&
            strncasecmp(known[i], spec, length) == 0)
            return MARGAY_OK;
    }
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "--policy %s: it is not defined for requests of blocks "
                       "(lru, leaf-lru, slru, lfu, arc and opt are)",
                       spec);
}

static enum margay_status read_spec(const char *spec,
                                    enum margay_caches_of caches,
                                    struct margay_policy_row *row,
                                    struct margay_error *error)
{
    bool of_objects = caches == MARGAY_CACHES_OF_OBJECTS;
    bool of_requests = caches == MARGAY_CACHES_OF_REQUESTS;
    enum margay_status status =
        of_requests ? check_of_requests(spec, error) : MARGAY_OK;
    if (strcasecmp(spec, MARGAY_LEAF_LRU) == 0) {
        *row = (struct margay_policy_row){.spec = spec, .simulated = true};
        return of_requests ? MARGAY_OK
                           : margay_fail(error, MARGAY_BAD_ARGUMENT,
                                         "--policy %s: it is for requests of "
                                         "blocks (--requests)",
                                         spec);
    }
    if (status == MARGAY_OK)
        status = margay_policy_find(spec, &row->info, error);
    if (status == MARGAY_OK)
        status = check(spec, row->info, caches, error);
    if (status != MARGAY_OK)
        return status;
    bool needs_future =
        !of_objects && (row->info->abilities & MARGAY_POLICY_NEEDS_FUTURE);
    bool admits = strstr(spec, "admit=") != NULL;
    if (admits && !of_objects)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy %s: admit= is for objects with sizes "
                           "(--objects)",
                           spec);
    row->spec = spec;
    row->simulated =
        !needs_future && (admits || strcmp(row->info->name, "lru") != 0);
    row->measure = !needs_future ? MARGAY_REUSE_DISTANCES
                   : strcasecmp(spec, "opt:bypass=on") == 0
                       ? MARGAY_OPTIMAL_BYPASS_DISTANCES
                       : MARGAY_OPTIMAL_DISTANCES;
    return MARGAY_OK;
}

struct margay_sizes margay_policies_sizes(struct margay_sizes asked,
                                          bool simulates)
{
    return simulates && asked.kind == MARGAY_SIZES_USUAL
               ? (struct margay_sizes){.kind = MARGAY_SIZES_OCTAVE,
                                       .per_octave = 2}
               : asked;
}

enum margay_status margay_policies_read(const char *const *specs, size_t count,
                                        enum margay_caches_of caches,
                                        struct margay_policy_rows *rows,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *rows = (struct margay_policy_rows){
        .list = calloc(count, sizeof *rows->list),
        .count = count,
    };
    if (rows->list == NULL)
        return margay_fail_memory(error, "the policies");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        status = read_spec(specs[i], caches, &rows->list[i], error);
        rows->simulates |= rows->list[i].simulated;
        for (size_t j = 0; j < i && status == MARGAY_OK; j++) {
            if (strcasecmp(specs[i], specs[j]) == 0)
                status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                                     "--policy %s: given twice", specs[i]);
        }
    }
    return status;
}
