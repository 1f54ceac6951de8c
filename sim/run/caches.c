/* caches.c - what the consumers that simulate caches have in common */
#include "sim/run/caches.h"

#include <inttypes.h>
#include <string.h>

#include "traces/traces_internal.h"

void margay_caches_begin(struct margay_caches *caches,
                         const struct margay_pass *passes, size_t count,
                         const struct margay_share *share)
{
    caches->passes = passes;
    caches->pass_count = count;
    caches->threads = share->threads;
}

size_t margay_caches_per_pass(const struct margay_caches *caches)
{
    return caches->request.set_count * caches->request.way_count;
}

static bool ascend(const unsigned *values, size_t count, unsigned least,
                   unsigned most)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] < least || values[i] > most)
            return false;
        least = values[i] + 1;
    }
    return count > 0;
}

/* Lists that ascend within their limits fit the arrays that keep them. */
static enum margay_status check_lists(
    const struct margay_caches_request *request, struct margay_error *error)
{
    if (!ascend(request->set_shifts, request->set_count, 0,
                MARGAY_MOST_SET_SHIFT))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "numbers of sets: expected some 2^S, S from 0 to "
                           "%d, ascending",
                           MARGAY_MOST_SET_SHIFT);
    if (!ascend(request->ways, request->way_count, 1, MARGAY_MOST_WAYS))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "ways: expected some numbers from 1 to %d, "
                           "ascending",
                           MARGAY_MOST_WAYS);
    return MARGAY_OK;
}

static enum margay_status check(const struct margay_caches_request *request,
                                const struct margay_policy_info *policy,
                                struct margay_error *error)
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
    return strcmp(policy->name, "lru") == 0 && !request->counts_writes
               ? margay_caches_lru()
               : margay_caches_single();
}

static void keep_request(struct margay_caches *caches,
                         const struct margay_caches_request *request)
{
    caches->request = *request;
    memcpy(caches->set_shifts, request->set_shifts,
           request->set_count * sizeof *request->set_shifts);
    memcpy(caches->ways, request->ways,
           request->way_count * sizeof *request->ways);
    caches->request.set_shifts = caches->set_shifts;
    caches->request.ways = caches->ways;
    caches->most_ways = request->ways[request->way_count - 1];
    caches->consumer.name = "a simulation of caches";
    if (request->by_kind || request->counts_writes)
        caches->consumer.can.needs |= MARGAY_COLUMN_KINDS;
}

enum margay_status margay_caches_consumer(
    const struct margay_caches_request *request, margay_consumer **consumer,
    struct margay_error *error)
{
    const struct margay_policy_info *policy;
    *consumer = NULL;
    enum margay_status status = margay_policy_find(
        request->policy == NULL ? "lru" : request->policy, &policy, error);
    if (status == MARGAY_OK)
        status = check_lists(request, error);
    if (status == MARGAY_OK)
        status = check(request, policy, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_caches *made = make(request, policy);
    if (made == NULL)
        return margay_fail_memory(error, "the caches");
    keep_request(made, request);
    *consumer = &made->consumer;
    return MARGAY_OK;
}

void margay_caches_consumer_row(const margay_consumer *consumer,
                                const struct margay_pass *pass, size_t set,
                                size_t way, struct margay_cache_row *row)
{
    const struct margay_caches *caches = (const struct margay_caches *)consumer;
    *row = (struct margay_cache_row){.references = 0};
    caches->get(caches, pass->index, set, way, row);
}
