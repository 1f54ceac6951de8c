/* caches.c - what the consumers that simulate caches have in common */
#include "sim/run/caches.h"

#include <inttypes.h>
#include <string.h>

#include "assoc/assoc_internal.h"
#include "traces/traces_internal.h"

void margay_caches_begin(struct margay_caches *caches,
                         const struct margay_pass *passes, size_t count,
                         const struct margay_share *share)
{
    caches->passes = passes;
    caches->pass_count = count;
    caches->threads = share->threads;
    caches->watch = share->watch;
}

size_t margay_caches_per_pass(const struct margay_caches *caches)
{
    return caches->request.set_count * caches->request.way_count;
}

struct margay_cache_options margay_caches_options(
    const struct margay_caches *caches, size_t i)
{
    const struct margay_caches_request *request = &caches->request;
    return (struct margay_cache_options){
        .sets = request->sets[i / request->way_count],
        .index = request->index,
        .ways = request->ways[i % request->way_count],
        .policy = caches->policy,
        .seed = request->seed,
        .write_through = request->write_through,
        .no_allocate = request->no_allocate,
    };
}

enum margay_status margay_caches_check_room(const struct margay_caches *caches,
                                            struct margay_error *error)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < margay_caches_per_pass(caches); i++) {
        const struct margay_cache_options options =
            margay_caches_options(caches, i);
        bytes += margay_cache_bytes(&options);
    }
    return margay_room_check("the caches", bytes * caches->pass_count, error);
}

bool margay_caches_in_one_pass(const struct margay_caches_request *request)
{
    for (size_t i = 0; i < request->set_count; i++) {
        if (!margay_is_power_of_two(request->sets[i]))
            return false;
    }
    return request->index == MARGAY_INDEX_MODULO &&
           request->ways[request->way_count - 1] <= MARGAY_MOST_WAYS;
}

/* Lists that fit the arrays that keep them. */
static enum margay_status check_lists(
    const struct margay_caches_request *request, struct margay_error *error)
{
    size_t sets = request->set_count, ways = request->way_count;
    bool good = sets >= 1 && sets <= MARGAY_MOST_LISTED && ways >= 1 &&
                ways <= MARGAY_MOST_LISTED;
    for (size_t i = 0; i < sets && good; i++)
        good = request->sets[i] > (i == 0 ? 0 : request->sets[i - 1]) &&
               request->sets[i] <= MARGAY_MOST_SETS;
    if (!good)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "numbers of sets: expected some from 1 to %" PRIu64
                           ", ascending, and up to %d of them and of ways",
                           MARGAY_MOST_SETS, MARGAY_MOST_LISTED);
    for (size_t i = 0; i < ways && good; i++)
        good = request->ways[i] > (i == 0 ? 0 : request->ways[i - 1]);
    return good ? MARGAY_OK
                : margay_fail(error, MARGAY_BAD_ARGUMENT,
                              "ways: expected some numbers from 1 on, "
                              "ascending");
}

static enum margay_status check_index(
    const struct margay_caches_request *request, struct margay_error *error)
{
    for (size_t i = 0; i < request->set_count; i++) {
        if (request->index == MARGAY_INDEX_XOR &&
            !margay_is_power_of_two(request->sets[i]))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--index xor: %" PRIu64
                               " sets (expected powers of two)",
                               request->sets[i]);
    }
    return MARGAY_OK;
}

static enum margay_status check_policy(
    const struct margay_caches_request *request,
    const struct margay_policy_info *policy, struct margay_error *error)
{
    if ((policy->abilities & MARGAY_POLICY_NEEDS_FUTURE) &&
        request->counts_writes)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy opt: what is optimal takes no account of "
                           "writes (leave out --write and --allocate)");
    for (size_t i = 0; i < request->way_count; i++) {
        if ((policy->abilities & MARGAY_POLICY_POWERS_OF_TWO) &&
            !margay_is_power_of_two(request->ways[i]))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--ways: %u with --policy %s (expected "
                               "powers of two)",
                               request->ways[i], policy->name);
    }
    return MARGAY_OK;
}

static struct margay_caches *make(const struct margay_caches_request *request,
                                  const struct margay_policy_info *policy)
{
    if (policy->abilities & MARGAY_POLICY_NEEDS_FUTURE)
        return margay_caches_optimal();
    return strcmp(policy->name, "lru") == 0 && !request->counts_writes &&
                   margay_caches_in_one_pass(request)
               ? margay_caches_lru()
               : margay_caches_single();
}

static void keep_request(struct margay_caches *caches,
                         const struct margay_caches_request *request,
                         const char *policy,
                         const struct margay_policy_info *info)
{
    caches->request = *request;
    caches->policy = policy;
    memcpy(caches->sets, request->sets,
           request->set_count * sizeof *request->sets);
    memcpy(caches->ways, request->ways,
           request->way_count * sizeof *request->ways);
    caches->request.sets = caches->sets;
    caches->request.ways = caches->ways;
    caches->most_ways = request->ways[request->way_count - 1];
    if (request->by_kind || request->counts_writes)
        caches->consumer.can.needs |= MARGAY_COLUMN_KINDS;
    if (info->abilities & MARGAY_POLICY_NEEDS_SITES)
        caches->consumer.can.needs |= MARGAY_COLUMN_SITES;
}

enum margay_status margay_caches_part(
    const struct margay_caches_request *request, const char *policy,
    struct margay_caches **part, struct margay_error *error)
{
    const struct margay_policy_info *info;
    *part = NULL;
    enum margay_status status = margay_policy_find(policy, &info, error);
    if (status == MARGAY_OK)
        status = check_policy(request, info, error);
    if (status != MARGAY_OK)
        return status;
    *part = make(request, info);
    if (*part == NULL)
        return margay_fail_memory(error, "the caches");
    keep_request(*part, request, policy, info);
    return MARGAY_OK;
}

enum margay_status margay_caches_check(
    const struct margay_caches_request *request, struct margay_error *error)
{
    enum margay_status status = check_lists(request, error);
    if (status == MARGAY_OK)
        status = check_index(request, error);
    for (size_t i = 0; i < request->policy_count && status == MARGAY_OK; i++) {
        for (size_t j = 0; j < i && status == MARGAY_OK; j++) {
            if (strcmp(request->policies[i], request->policies[j]) == 0)
                status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                                     "--policy %s: given twice",
                                     request->policies[i]);
        }
    }
    return status;
}
