/*
 * caches_parts.c - the caches of a request, in parts
 *
 * A part has the caches of one policy.  Those of LRU that the one pass can do,
 * and those that it cannot, are different parts, so that one odd number of sets
 * or ways takes no other cache off the one pass.  The optimum keeps the trace,
 * and is one part.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/run/caches.h"
#include "sim/run/consumer.h"
#include "traces/traces_internal.h"

/* Of a policy: one pass; more ways than that takes; and other sets. */
#define PARTS_PER_POLICY 3

struct parts {
    margay_consumer consumer;
    size_t policy_count, part_count;
    size_t *policies;             /* [part]: which it is of */
    struct margay_caches **parts; /* owned */
    uint64_t sets[MARGAY_MOST_LISTED];
    unsigned ways[MARGAY_MOST_LISTED];
};

static struct parts *self(const margay_consumer *consumer)
{
    return (struct parts *)consumer;
}

static void parts_free(margay_consumer *consumer)
{
    struct parts *parts = self(consumer);
    for (size_t i = 0; i < parts->part_count; i++)
        margay_consumer_free(&parts->parts[i]->consumer);
    free(parts->parts);
    free(parts->policies);
    free(parts);
}

static enum margay_status parts_begin(margay_consumer *consumer,
                                      const struct margay_pass *passes,
                                      size_t count,
                                      const struct margay_share *share,
                                      struct margay_error *error)
{
    const struct parts *parts = self(consumer);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < parts->part_count && status == MARGAY_OK; i++) {
        status = margay_consumer_begin(&parts->parts[i]->consumer, passes,
                                       count, share, error);
    }
    return status;
}

static enum margay_status parts_feed(margay_consumer *consumer,
                                     const struct margay_pass *pass,
                                     const struct margay_span *span,
                                     struct margay_error *error)
{
    const struct parts *parts = self(consumer);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < parts->part_count && status == MARGAY_OK; i++)
        status =
            margay_consumer_feed(&parts->parts[i]->consumer, pass, span, error);
    return status;
}

static enum margay_status parts_reset(margay_consumer *consumer,
                                      const struct margay_pass *pass,
                                      struct margay_error *error)
{
    const struct parts *parts = self(consumer);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < parts->part_count && status == MARGAY_OK; i++)
        status = margay_consumer_reset(&parts->parts[i]->consumer, pass, error);
    return status;
}

static enum margay_status parts_finish(margay_consumer *consumer,
                                       const struct margay_pass *pass,
                                       struct margay_error *error)
{
    const struct parts *parts = self(consumer);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < parts->part_count && status == MARGAY_OK; i++)
        status =
            margay_consumer_finish(&parts->parts[i]->consumer, pass, error);
    return status;
}

/* -------------------------------------------------------------- dividing -- */

/* The numbers of sets, and of ways, that the one pass can do, or cannot. */
struct numbers {
    uint64_t sets[MARGAY_MOST_LISTED];
    unsigned ways[MARGAY_MOST_LISTED];
    size_t set_count, way_count;
};

static void choose_sets(const struct margay_caches_request *request,
                        bool powers, struct numbers *chosen)
{
    chosen->set_count = 0;
    for (size_t i = 0; i < request->set_count; i++) {
        if (margay_is_power_of_two(request->sets[i]) == powers)
            chosen->sets[chosen->set_count++] = request->sets[i];
    }
}

static void choose_ways(const struct margay_caches_request *request, bool few,
                        bool many, struct numbers *chosen)
{
    chosen->way_count = 0;
    for (size_t i = 0; i < request->way_count; i++) {
        if (request->ways[i] <= MARGAY_MOST_WAYS ? few : many)
            chosen->ways[chosen->way_count++] = request->ways[i];
    }
}

static enum margay_status add_part(struct parts *parts,
                                   const struct margay_caches_request *request,
                                   const struct numbers *numbers, size_t policy,
                                   struct margay_error *error)
{
    const char *spec =
        request->policy_count == 0 ? "lru" : request->policies[policy];
    struct margay_caches_request some = *request;
    struct margay_caches **part = &parts->parts[parts->part_count];
    if (numbers != NULL) {
        some.sets = numbers->sets;
        some.set_count = numbers->set_count;
        some.ways = numbers->ways;
        some.way_count = numbers->way_count;
    }
    if (some.set_count == 0 || some.way_count == 0)
        return MARGAY_OK;
    enum margay_status status = margay_caches_part(&some, spec, part, error);
    if (status == MARGAY_OK)
        parts->policies[parts->part_count++] = policy;
    return status;
}

static enum margay_status add_policy(
    struct parts *parts, const struct margay_caches_request *request,
    size_t policy, struct margay_error *error)
{
    bool is_lru = request->policy_count == 0 ||
                  strcmp(request->policies[policy], "lru") == 0;
    struct numbers numbers;
    if (!is_lru || request->index != MARGAY_INDEX_MODULO)
        return add_part(parts, request, NULL, policy, error);
    choose_sets(request, true, &numbers);
    choose_ways(request, true, false, &numbers);
    enum margay_status status =
        add_part(parts, request, &numbers, policy, error);
    choose_ways(request, false, true, &numbers);
    if (status == MARGAY_OK)
        status = add_part(parts, request, &numbers, policy, error);
    choose_sets(request, false, &numbers);
    choose_ways(request, true, true, &numbers);
    return status == MARGAY_OK
               ? add_part(parts, request, &numbers, policy, error)
               : status;
}

static enum margay_status make_parts(
    struct parts *parts, const struct margay_caches_request *request,
    struct margay_error *error)
{
    size_t count = request->policy_count == 0 ? 1 : request->policy_count;
    enum margay_status status = MARGAY_OK;
    memcpy(parts->sets, request->sets,
           request->set_count * sizeof *request->sets);
    memcpy(parts->ways, request->ways,
           request->way_count * sizeof *request->ways);
    parts->parts = calloc(count, PARTS_PER_POLICY * sizeof *parts->parts);
    parts->policies = calloc(count, PARTS_PER_POLICY * sizeof *parts->policies);
    if (parts->parts == NULL || parts->policies == NULL)
        return margay_fail_memory(error, "the caches");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = add_policy(parts, request, i, error);
    return status;
}

/* What all parts can do, and what one of them needs. */
static void declare(struct parts *parts)
{
    struct margay_abilities *can = &parts->consumer.can;
    can->all_blocks = true;
    for (size_t i = 0; i < parts->part_count; i++) {
        const struct margay_abilities *part = &parts->parts[i]->consumer.can;
        can->needs |= part->needs;
        can->all_blocks &= part->all_blocks;
    }
}

enum margay_status margay_caches_consumer(
    const struct margay_caches_request *request, margay_consumer **consumer,
    struct margay_error *error)
{
    static const struct margay_consumer_class functions = {
        .begin = parts_begin,
        .feed = parts_feed,
        .reset = parts_reset,
        .finish = parts_finish,
        .free = parts_free,
    };
    *consumer = NULL;
    enum margay_status status = margay_caches_check(request, error);
    if (status != MARGAY_OK)
        return status;
    struct parts *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "the caches");
    made->consumer.functions = &functions;
    made->consumer.name = "a simulation of caches";
    status = make_parts(made, request, error);
    if (status == MARGAY_OK) {
        declare(made);
        *consumer = &made->consumer;
    } else {
        parts_free(&made->consumer);
    }
    return status;
}

/* --------------------------------------------------------------- results -- */

static size_t place_of_sets(const struct margay_caches *part, uint64_t sets)
{
    size_t i = 0;
    while (i < part->request.set_count && part->sets[i] != sets)
        i++;
    return i;
}

static size_t place_of_ways(const struct margay_caches *part, unsigned ways)
{
    size_t i = 0;
    while (i < part->request.way_count && part->ways[i] != ways)
        i++;
    return i;
}

void margay_caches_consumer_row(const margay_consumer *consumer,
                                const struct margay_pass *pass, size_t set,
                                size_t way, size_t policy,
                                struct margay_cache_row *row)
{
    const struct parts *parts = self(consumer);
    *row = (struct margay_cache_row){.references = 0};
    for (size_t i = 0; i < parts->part_count; i++) {
        const struct margay_caches *part = parts->parts[i];
        size_t own_set = place_of_sets(part, parts->sets[set]);
        size_t own_way = place_of_ways(part, parts->ways[way]);
        if (parts->policies[i] == policy && own_set < part->request.set_count &&
            own_way < part->request.way_count)
            part->get(part, pass->index, own_set, own_way, row);
    }
}
