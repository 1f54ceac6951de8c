/* table.c - the table of replacement policies */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assoc/policies/admission.h"
#include "assoc/policies/prefix_cache.h"

const struct margay_policy margay_policy_opt = {
    .info = {.name = "opt",
             .parameters = "bypass=off|on",
             .help = "the block goes that is used again last",
             .source = "Belady 1966",
             .abilities = MARGAY_POLICY_STACK | MARGAY_POLICY_NEEDS_FUTURE |
                          MARGAY_POLICY_FOR_REQUESTS},
};

/* No caches: policies_future.c of sim/run/ has them. */
#define BOUND(NAME, HELP)                                  \
    {                                                      \
        .info = {.name = NAME,                             \
                 .parameters = "",                         \
                 .help = HELP,                             \
                 .source = "Berger et al. 2018",           \
                 .abilities = MARGAY_POLICY_FOR_OBJECTS |  \
                              MARGAY_POLICY_ONLY_OBJECTS | \
                              MARGAY_POLICY_NEEDS_FUTURE}, \
    }
const struct margay_policy margay_policy_pfoo_l =
    BOUND("pfoo-l", "a bound: no cache of objects misses less");
const struct margay_policy margay_policy_pfoo_u =
    BOUND("pfoo-u", "a bound: the optimum of objects does not miss more");

/* Of caches of requests alone (prefix_cache.h). */
static const struct margay_policy_info leaf_lru = {
    .name = MARGAY_LEAF_LRU,
    .parameters = "",
    .help = "the block used last the longest ago goes that no other follows",
    .source = "",
    .abilities = MARGAY_POLICY_FOR_REQUESTS | MARGAY_POLICY_ONLY_REQUESTS,
};

#define ADDRESS(name) &margay_policy_##name,
static const struct margay_policy *const policies[] = {
    MARGAY_POLICIES(ADDRESS)};
#define POLICIES (sizeof policies / sizeof policies[0])

const struct margay_policy_info *margay_policy_at(size_t index)
{
    return index < POLICIES ? &policies[index]->info : NULL;
}

static struct margay_spec_row row_at(size_t index)
{
    const struct margay_policy_info *info = margay_policy_at(index);
    return info == NULL
               ? (struct margay_spec_row){NULL, NULL}
               : (struct margay_spec_row){info->name, info->parameters};
}

enum margay_status margay_policy_parse(const char *spec,
                                       const struct margay_policy **policy,
                                       struct margay_settings *settings,
                                       struct margay_error *error)
{
    static const struct margay_spec_table table = {
        "policy", "'margay help policies' explains them; the policies are",
        row_at, true, true};
    const struct margay_own_policy *own;
    size_t index;
    *policy = &margay_policy_own;
    if (margay_policy_is_own(spec))
        return margay_own_open(spec, &own, error);
    if (strcasecmp(spec, "belady") == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "unknown policy '%s' (did you mean opt, or "
                           "belady-size for objects?); 'margay help policies' "
                           "explains them",
                           spec);
    enum margay_status status =
        margay_spec_parse(&table, spec, &index, settings, error);
    if (status == MARGAY_OK && policies[index]->check != NULL)
        status = policies[index]->check(settings, error);
    *policy = status == MARGAY_OK ? policies[index] : NULL;
    return status;
}

const struct margay_policy_info *margay_policy_named(const char *spec)
{
    size_t length = strcspn(spec, ":");
    if (margay_policy_is_own(spec))
        return &margay_policy_own.info;
    for (size_t i = 0; i < POLICIES; i++) {
        const char *name = policies[i]->info.name;
        if (strlen(name) == length && strncasecmp(name, spec, length) == 0)
            return &policies[i]->info;
    }
    return NULL;
}

enum margay_status margay_policy_find(const char *spec,
                                      const struct margay_policy_info **info,
                                      struct margay_error *error)
{
    const struct margay_policy *policy;
    struct margay_settings settings = {.given = 0};
    struct margay_admission admission;
    *info = &leaf_lru;
    if (strcasecmp(spec, MARGAY_LEAF_LRU) == 0)
        return MARGAY_OK;
    char *plain = strdup(spec);
    enum margay_status status =
        plain == NULL ? margay_fail_memory(error, "a spec")
                      : margay_admission_take(spec, plain, &admission, error);
    *info = NULL;
    if (status == MARGAY_OK)
        status = margay_policy_parse(plain, &policy, &settings, error);
    if (status == MARGAY_OK)
        *info = &policy->info;
    if (status == MARGAY_OK)
        status = margay_admission_check(&admission, policy, spec, error);
    free(plain);
    return status;
}
