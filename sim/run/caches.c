/*
 * caches.c - the question of a grid of caches, which is met in parts
 *
 * A part has the caches of one policy.  Those of LRU that the one pass can do,
 * and those that it cannot, are different parts, so that one odd number of sets
 * or ways takes no other cache off the one pass.  The optimum is one part.
 */
#include "sim/run/caches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* Of a policy: one pass; more ways than that takes; and other sets. */
#define PARTS_PER_POLICY 3

struct grid_question {
    margay_question question;
    size_t part_count;
    struct margay_caches_part *parts; /* owned */
    uint64_t sets[MARGAY_MOST_LISTED];
    unsigned ways[MARGAY_MOST_LISTED];
};

struct grid {
    margay_analysis analysis;
    const struct grid_question *asked;
    margay_analysis **parts; /* in their order; owned */
};

static struct grid *self(const margay_analysis *analysis)
{
    return (struct grid *)analysis;
}

/* ------------------------------------------------------ what a part is -- */

size_t margay_caches_count(const struct margay_caches_part *part)
{
    return part->request.set_count * part->request.way_count;
}

struct margay_cache_options margay_caches_options(
    const struct margay_caches_part *part, size_t i)
{
    const struct margay_caches_request *request = &part->request;
    return (struct margay_cache_options){
        .sets = part->sets[i / request->way_count],
        .index = request->index,
        .ways = part->ways[i % request->way_count],
        .policy = part->spec,
        .seed = request->seed,
        .write_through = request->write_through,
        .no_allocate = request->no_allocate,
    };
}

static bool in_one_pass(const struct margay_caches_request *request)
{
    for (size_t i = 0; i < request->set_count; i++) {
        if (!margay_is_power_of_two(request->sets[i]))
            return false;
    }
    return request->index == MARGAY_INDEX_MODULO &&
           request->ways[request->way_count - 1] <= MARGAY_MOST_WAYS;
}

/* -------------------------------------------------------------- checks -- */

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
    if (policy->abilities & MARGAY_POLICY_ONLY_OBJECTS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy %s: it is defined for objects with sizes "
                           "only (margay curve --objects takes it)",
                           policy->name);
    if ((policy->abilities & MARGAY_POLICY_NEEDS_FUTURE) &&
        request->counts_writes)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy opt: what is optimal takes no account of "
                           "writes (leave out --write and --allocate)");
    for (size_t i = 0; i < request->way_count; i++) {
        if ((policy->abilities & MARGAY_POLICY_EVEN_WAYS) &&
            request->ways[i] > 1 && request->ways[i] % 2 != 0)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--ways: %u with --policy %s (expected "
                               "even numbers)",
                               request->ways[i], policy->name);
    }
    return MARGAY_OK;
}

static enum margay_status check_request(
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
        if (strstr(request->policies[i], "admit=") != NULL &&
            status == MARGAY_OK)
            status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                                 "--policy %s: admit= is for objects with "
                                 "sizes (margay curve --objects takes it)",
                                 request->policies[i]);
    }
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

static const struct margay_caches_way *choose_way(
    const struct margay_caches_request *request,
    const struct margay_policy_info *policy)
{
    if (policy->abilities & MARGAY_POLICY_NEEDS_FUTURE)
        return &margay_caches_optimal;
    return strcmp(policy->name, "lru") == 0 && !request->counts_writes &&
                   in_one_pass(request)
               ? &margay_caches_lru
               : &margay_caches_single;
}

static enum margay_status add_part(struct grid_question *asked,
                                   const struct margay_caches_request *request,
                                   const struct numbers *numbers, size_t policy,
                                   struct margay_error *error)
{
    struct margay_caches_part *part = &asked->parts[asked->part_count];
    const struct margay_policy_info *info;
    *part = (struct margay_caches_part){
        .request = *request,
        .policy = policy,
        .spec = request->policy_count == 0 ? "lru" : request->policies[policy],
    };
    part->request.set_count = numbers->set_count;
    part->request.way_count = numbers->way_count;
    if (numbers->set_count == 0 || numbers->way_count == 0)
        return MARGAY_OK;
    memcpy(part->sets, numbers->sets, sizeof part->sets);
    memcpy(part->ways, numbers->ways, sizeof part->ways);
    part->request.sets = part->sets;
    part->request.ways = part->ways;
    part->most_ways = part->ways[numbers->way_count - 1];
    enum margay_status status = margay_policy_find(part->spec, &info, error);
    if (status == MARGAY_OK)
        status = check_policy(&part->request, info, error);
    if (status != MARGAY_OK)
        return status;
    part->way = choose_way(&part->request, info);
    part->question.functions = &part->way->functions;
    if (request->by_kind || request->counts_writes)
        part->question.can.needs |= MARGAY_COLUMN_KINDS;
    if (info->abilities & MARGAY_POLICY_NEEDS_SITES)
        part->question.can.needs |= MARGAY_COLUMN_SITES;
    asked->part_count++;
    return MARGAY_OK;
}

static enum margay_status add_policy(
    struct grid_question *asked, const struct margay_caches_request *request,
    size_t policy, struct margay_error *error)
{
    bool is_lru = request->policy_count == 0 ||
                  strcmp(request->policies[policy], "lru") == 0;
    struct numbers numbers = {.set_count = request->set_count};
    if (!is_lru || request->index != MARGAY_INDEX_MODULO) {
        memcpy(numbers.sets, request->sets,
               request->set_count * sizeof *request->sets);
        choose_ways(request, true, true, &numbers);
        return add_part(asked, request, &numbers, policy, error);
    }
    choose_sets(request, true, &numbers);
    choose_ways(request, true, false, &numbers);
    enum margay_status status =
        add_part(asked, request, &numbers, policy, error);
    choose_ways(request, false, true, &numbers);
    if (status == MARGAY_OK)
        status = add_part(asked, request, &numbers, policy, error);
    choose_sets(request, false, &numbers);
    choose_ways(request, true, true, &numbers);
    return status == MARGAY_OK
               ? add_part(asked, request, &numbers, policy, error)
               : status;
}

/* What all parts can do, and what one of them needs. */
static void declare(struct grid_question *asked)
{
    struct margay_abilities *can = &asked->question.can;
    can->all_blocks = true;
    for (size_t i = 0; i < asked->part_count; i++) {
        can->needs |= asked->parts[i].question.can.needs;
        can->all_blocks &= asked->parts[i].way == &margay_caches_lru;
    }
}

/* ------------------------------------------------------------- the grid -- */

static void grid_free(margay_analysis *analysis)
{
    struct grid *grid = self(analysis);
    for (size_t i = 0; grid->parts != NULL && i < grid->asked->part_count; i++)
        margay_analysis_free(grid->parts[i]);
    free(grid->parts);
    free(grid);
}

static enum margay_status grid_feed(margay_analysis *analysis,
                                    const struct margay_span *span,
                                    struct margay_error *error)
{
    const struct grid *grid = self(analysis);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < grid->asked->part_count && status == MARGAY_OK; i++)
        status = margay_analysis_feed(grid->parts[i], span, error);
    return status;
}

static enum margay_status grid_reset(margay_analysis *analysis,
                                     struct margay_error *error)
{
    const struct grid *grid = self(analysis);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < grid->asked->part_count && status == MARGAY_OK; i++)
        status = margay_analysis_reset(grid->parts[i], error);
    return status;
}

static enum margay_status grid_finish(margay_analysis *analysis,
                                      struct margay_error *error)
{
    const struct grid *grid = self(analysis);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < grid->asked->part_count && status == MARGAY_OK; i++)
        status = margay_analysis_finish(grid->parts[i], error);
    return status;
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct grid *grid = self(analysis);
    const struct grid_question *asked =
        (const struct grid_question *)analysis->question;
    enum margay_status status = MARGAY_OK;
    grid->asked = asked;
    grid->parts = calloc(asked->part_count + 1, sizeof(margay_analysis *));
    if (grid->parts == NULL)
        status = margay_fail_memory(error, "the caches");
    for (size_t i = 0; i < asked->part_count && status == MARGAY_OK; i++)
        status = margay_question_begin(&asked->parts[i].question,
                                       analysis->pass, analysis->pass_count,
                                       share, &grid->parts[i], error);
    return status;
}

static const struct margay_analysis_class functions = {
    .bytes = sizeof(struct grid),
    .begin = begin,
    .feed = grid_feed,
    .reset = grid_reset,
    .finish = grid_finish,
    .free = grid_free,
};

static void question_free(margay_question *question)
{
    free(((struct grid_question *)question)->parts);
    free(question);
}

enum margay_status margay_caches_question(
    const struct margay_caches_request *request, margay_question **question,
    struct margay_error *error)
{
    *question = NULL;
    enum margay_status status = check_request(request, error);
    if (status != MARGAY_OK)
        return status;
    struct grid_question *made = calloc(1, sizeof *made);
    size_t policies = request->policy_count == 0 ? 1 : request->policy_count;
    if (made == NULL)
        return margay_fail_memory(error, "the caches");
    made->question.functions = &functions;
    made->question.free = question_free;
    made->question.name = "a simulation of caches";
    memcpy(made->sets, request->sets,
           request->set_count * sizeof *request->sets);
    memcpy(made->ways, request->ways,
           request->way_count * sizeof *request->ways);
    made->parts = calloc(policies, PARTS_PER_POLICY * sizeof *made->parts);
    if (made->parts == NULL)
        status = margay_fail_memory(error, "the caches");
    for (size_t i = 0; i < policies && status == MARGAY_OK; i++)
        status = add_policy(made, request, i, error);
    if (status == MARGAY_OK) {
        declare(made);
        *question = &made->question;
    } else {
        question_free(&made->question);
    }
    return status;
}

/* --------------------------------------------------------------- results -- */

static size_t place_of_sets(const struct margay_caches_part *part,
                            uint64_t sets)
{
    size_t i = 0;
    while (i < part->request.set_count && part->sets[i] != sets)
        i++;
    return i;
}

static size_t place_of_ways(const struct margay_caches_part *part,
                            unsigned ways)
{
    size_t i = 0;
    while (i < part->request.way_count && part->ways[i] != ways)
        i++;
    return i;
}

void margay_caches_analysis_row(const margay_analysis *analysis,
                                const struct margay_pass *pass, size_t set,
                                size_t way, size_t policy,
                                struct margay_cache_row *row)
{
    const struct grid *grid = self(analysis);
    *row = (struct margay_cache_row){.references = 0};
    for (size_t i = 0; i < grid->asked->part_count; i++) {
        const struct margay_caches_part *part = &grid->asked->parts[i];
        size_t own_set = place_of_sets(part, grid->asked->sets[set]);
        size_t own_way = place_of_ways(part, grid->asked->ways[way]);
        if (part->policy == policy && own_set < part->request.set_count &&
            own_way < part->request.way_count)
            part->way->get(grid->parts[i], pass, own_set, own_way, row);
    }
}
