/* policies_specs.c - what the specs of policies ask for */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/run/policies_replay.h"

static enum margay_status check(const char *spec,
                                const struct margay_policy_info *info,
                                bool of_objects, struct margay_error *error)
{
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

static enum margay_status read_spec(const char *spec, bool of_objects,
                                    struct margay_policy_row *row,
                                    struct margay_error *error)
{
    if (strcasecmp(spec, MARGAY_LEAF_LRU) == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy %s: it is for requests of blocks "
                           "(--requests)",
                           spec);
    enum margay_status status = margay_policy_find(spec, &row->info, error);
    if (status == MARGAY_OK)
        status = check(spec, row->info, of_objects, error);
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

enum margay_status margay_policies_check_new(const char *const *specs, size_t i,
                                             struct margay_error *error)
{
    for (size_t j = 0; j < i; j++) {
        if (strcasecmp(specs[i], specs[j]) == 0)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--policy %s: given twice", specs[i]);
    }
    return MARGAY_OK;
}

enum margay_status margay_policies_read(const char *const *specs, size_t count,
                                        bool of_objects,
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
        status = read_spec(specs[i], of_objects, &rows->list[i], error);
        rows->simulates |= rows->list[i].simulated;
        if (status == MARGAY_OK)
            status = margay_policies_check_new(specs, i, error);
    }
    return status;
}
