/*
 * caches.c - the question of a grid of caches, which is met in parts
 *
 * A part has the caches of one policy.  Those of LRU that the one pass can do,
 * and those that it cannot, are different parts, so that one odd number of sets
 * or ways takes no other cache off the one pass.  The optimum is one part.  A
 * part is met in one of three ways: LRU caches in one structure, optimal ones
 * in another, or every cache by itself.  Parts are fed the same spans, one
 * after the other.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/run/caches.h"
#include "sim/run/policies_replay.h"
#include "traces/traces_internal.h"

#define NAME "a simulation of caches"

/* Of a policy: one pass; more ways than that takes; and other sets. */
#define PARTS_PER_POLICY 3

/* ------------------------------------- all LRU caches in one structure -- */

/* The grid is of all block sizes where they can share the numbers of the trace,
   otherwise of one. */
struct lru {
    margay_analysis analysis;
    bool all_blocks;
    margay_assoc *grid;
};

static struct lru *lru_of(const margay_analysis *analysis)
{
    return (struct lru *)analysis;
}

static void lru_free(margay_analysis *analysis)
{
    margay_assoc_free(lru_of(analysis)->grid);
}

static enum margay_status lru_feed(margay_analysis *analysis,
                                   const struct margay_span *span,
                                   struct margay_error *error)
{
    return margay_assoc_feed(lru_of(analysis)->grid, span->blocks, span->kinds,
                             span->count, error);
}

static enum margay_status lru_reset(margay_analysis *analysis,
                                    struct margay_error *error)
{
    (void)error;
    margay_assoc_reset_counts(lru_of(analysis)->grid);
    return MARGAY_OK;
}

static void lru_get(const margay_analysis *analysis,
                    const struct margay_pass *pass, size_t set, size_t way,
                    struct margay_cache_row *row)
{
    const struct lru *lru = lru_of(analysis);
    unsigned ways = margay_caches_part_of(analysis)->ways[way];
    size_t block = lru->all_blocks ? pass->index : 0;
    row->references = margay_assoc_references(lru->grid, MARGAY_ALL_KINDS);
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] = margay_assoc_misses(lru->grid, block, set, ways,
                                                MARGAY_KIND_BIT(kind));
}

static enum margay_status lru_begin(margay_analysis *analysis,
                                    const struct margay_share *share,
                                    struct margay_error *error)
{
    struct lru *lru = lru_of(analysis);
    const struct margay_caches_part *part = margay_caches_part_of(analysis);
    unsigned block_shifts[MARGAY_MOST_BLOCK_SIZES] = {0};
    unsigned set_shifts[MARGAY_MOST_SET_SHIFT + 1];
    lru->all_blocks = share->all_blocks;
    for (size_t i = 0; lru->all_blocks && i < analysis->pass_count; i++)
        block_shifts[i] = analysis->pass[i].shift;
    for (size_t i = 0; i < part->request.set_count; i++)
        set_shifts[i] = margay_log2_floor(part->sets[i]);
    const struct margay_grid grid = {
        .block_shifts = block_shifts,
        .block_count = analysis->pass_count,
        .set_shifts = set_shifts,
        .set_count = part->request.set_count,
        .most_ways = part->most_ways,
    };
    const struct margay_assoc_options options = {
        .threads = share->threads, .by_kind = part->request.by_kind};
    return margay_assoc_create(&grid, &options, &lru->grid, error);
}

static const struct margay_analysis_class lru_functions = {
    .bytes = sizeof(struct lru),
    .begin = lru_begin,
    .feed = lru_feed,
    .reset = lru_reset,
    .free = lru_free,
};

static const struct margay_caches_way lru_way = {
    .question = {.functions = &lru_functions, .can = {.all_blocks = true}},
    .get = lru_get,
};

/* --------------------------------- all optimal caches in one structure -- */

struct optimal {
    margay_analysis analysis;
    uint64_t references;
    margay_opt *all;
};

static struct optimal *optimal_of(const margay_analysis *analysis)
{
    return (struct optimal *)analysis;
}

static void optimal_free(margay_analysis *analysis)
{
    margay_opt_free(optimal_of(analysis)->all);
}

static enum margay_status optimal_feed(margay_analysis *analysis,
                                       const struct margay_span *span,
                                       struct margay_error *error)
{
    struct optimal *optimal = optimal_of(analysis);
    optimal->references += span->count;
    return margay_opt_feed(optimal->all, span->blocks, span->kinds, span->count,
                           error);
}

static enum margay_status optimal_reset(margay_analysis *analysis,
                                        struct margay_error *error)
{
    struct optimal *optimal = optimal_of(analysis);
    (void)error;
    optimal->references = 0;
    margay_opt_reset_counts(optimal->all);
    return MARGAY_OK;
}

static void optimal_get(const margay_analysis *analysis,
                        const struct margay_pass *pass, size_t set, size_t way,
                        struct margay_cache_row *row)
{
    const struct optimal *optimal = optimal_of(analysis);
    unsigned ways = margay_caches_part_of(analysis)->ways[way];
    (void)pass;
    row->references = optimal->references;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] =
            margay_opt_misses(optimal->all, set, ways, MARGAY_KIND_BIT(kind));
}

static enum margay_status optimal_begin(margay_analysis *analysis,
                                        const struct margay_share *share,
                                        struct margay_error *error)
{
    const struct margay_caches_part *part = margay_caches_part_of(analysis);
    const struct margay_opt_options options = {
        .sets = part->sets,
        .set_count = part->request.set_count,
        .index = part->request.index,
        .most_ways = part->most_ways,
        .bypass = strcasecmp(part->spec, "opt:bypass=on") == 0,
        .threads = share->threads,
    };
    enum margay_status status = margay_room_check(
        "the caches", margay_opt_bytes(&options) * share->pass_count, error);
    return status == MARGAY_OK
               ? margay_opt_create(&options, &optimal_of(analysis)->all, error)
               : status;
}

static const struct margay_analysis_class optimal_functions = {
    .bytes = sizeof(struct optimal),
    .begin = optimal_begin,
    .feed = optimal_feed,
    .reset = optimal_reset,
    .free = optimal_free,
};

static const struct margay_caches_way optimal_way = {
    .question = {.functions = &optimal_functions},
    .get = optimal_get,
};

/* ------------------------------------------------- a grid is of parts -- */

struct grid_question {
    margay_question question;
    struct margay_caches_request request; /* with these lists: */
    uint64_t sets[MARGAY_MOST_LISTED], capacities[MARGAY_MOST_LISTED];
    unsigned ways[MARGAY_MOST_LISTED];
};

struct grid {
    margay_analysis analysis;
    struct margay_caches_request request; /* of sets, which may be these: */
    uint64_t sets[MARGAY_MOST_LISTED];
    uint64_t block_bytes;
    size_t part_count;
    struct margay_caches_part *parts; /* owned */
    margay_analysis **analyses;       /* of the parts; owned */
};

static struct grid *self(const margay_analysis *analysis)
{
    return (struct grid *)analysis;
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
        status = margay_policies_check_new(request->policies, i, error);
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

/* Is a cache of those that are asked for?  Of capacities, not all are. */
static bool is_asked(const struct grid *grid, uint64_t sets, unsigned ways)
{
    const struct margay_caches_request *request = &grid->request;
    for (size_t i = 0; i < request->capacity_count; i++) {
        if (request->capacity_bytes[i] == sets * ways * grid->block_bytes)
            return true;
    }
    return request->capacity_count == 0;
}

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
        return &optimal_way;
    return strcmp(policy->name, "lru") == 0 && !request->counts_writes &&
                   in_one_pass(request)
               ? &lru_way
               : &margay_caches_single;
}

static enum margay_status add_part(struct grid *grid,
                                   const struct numbers *numbers, size_t policy,
                                   struct margay_error *error);

/* A part of each number of sets, with those of the ways that are asked for. */
static enum margay_status add_each(struct grid *grid,
                                   const struct numbers *numbers, size_t policy,
                                   struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < numbers->set_count && status == MARGAY_OK; i++) {
        struct numbers one = {.sets = {numbers->sets[i]}, .set_count = 1};
        for (size_t k = 0; k < numbers->way_count; k++) {
            if (is_asked(grid, one.sets[0], numbers->ways[k]))
                one.ways[one.way_count++] = numbers->ways[k];
        }
        status = add_part(grid, &one, policy, error);
    }
    return status;
}

static enum margay_status add_part(struct grid *grid,
                                   const struct numbers *numbers, size_t policy,
                                   struct margay_error *error)
{
    const struct margay_caches_request *request = &grid->request;
    struct margay_caches_part *part = &grid->parts[grid->part_count];
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
    if (part->way == &margay_caches_single && numbers->set_count > 1 &&
        request->capacity_count > 0)
        return add_each(grid, numbers, policy, error);
    part->question = part->way->question;
    part->question.name = NAME;
    if (request->by_kind || request->counts_writes)
        part->question.can.needs |= MARGAY_COLUMN_KINDS;
    if (info->abilities & MARGAY_POLICY_NEEDS_SITES)
        part->question.can.needs |= MARGAY_COLUMN_SITES;
    grid->part_count++;
    return MARGAY_OK;
}

static enum margay_status add_policy(struct grid *grid, size_t policy,
                                     struct margay_error *error)
{
    const struct margay_caches_request *request = &grid->request;
    bool is_lru = request->policy_count == 0 ||
                  strcmp(request->policies[policy], "lru") == 0;
    struct numbers numbers = {.set_count = request->set_count};
    if (!is_lru || request->index != MARGAY_INDEX_MODULO) {
        memcpy(numbers.sets, request->sets,
               request->set_count * sizeof *request->sets);
        choose_ways(request, true, true, &numbers);
        return add_part(grid, &numbers, policy, error);
    }
    choose_sets(request, true, &numbers);
    choose_ways(request, true, false, &numbers);
    enum margay_status status = add_part(grid, &numbers, policy, error);
    choose_ways(request, false, true, &numbers);
    if (status == MARGAY_OK)
        status = add_part(grid, &numbers, policy, error);
    choose_sets(request, false, &numbers);
    choose_ways(request, true, true, &numbers);
    return status == MARGAY_OK ? add_part(grid, &numbers, policy, error)
                               : status;
}

static enum margay_status divide(struct grid *grid, struct margay_error *error)
{
    size_t count =
        grid->request.policy_count == 0 ? 1 : grid->request.policy_count;
    enum margay_status status = check_request(&grid->request, error);
    if (status != MARGAY_OK)
        return status;
    size_t each = PARTS_PER_POLICY;
    if (grid->request.capacity_count > 0)
        each += 2 * grid->request.set_count;
    grid->parts = calloc(count, each * sizeof *grid->parts);
    if (grid->parts == NULL)
        return margay_fail_memory(error, "the caches");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = add_policy(grid, i, error);
    return status;
}

/* The numbers of sets of all capacities with those ways that divide them. */
static enum margay_status find_sets(struct grid *grid,
                                    const struct margay_pass *pass,
                                    struct margay_error *error)
{
    struct margay_caches_request *request = &grid->request;
    size_t ways = request->way_count, count = 0;
    uint64_t *sets = calloc(request->capacity_count * ways, sizeof *sets);
    enum margay_status status =
        sets == NULL ? margay_fail_memory(error, "the caches") : MARGAY_OK;
    for (size_t i = 0; i < request->capacity_count && status == MARGAY_OK;
         i++) {
        const struct margay_cache_size size = {request->capacity_bytes[i],
                                               true};
        size_t before = count;
        uint64_t blocks;
        status = margay_cache_size_blocks(&size, "--bytes", pass->block_bytes,
                                          &blocks, error);
        for (size_t k = 0; k < ways && status == MARGAY_OK; k++) {
            if (blocks % request->ways[k] == 0)
                sets[count++] = blocks / request->ways[k];
        }
        if (status == MARGAY_OK && count == before)
            status = margay_fail(
                error, MARGAY_BAD_ARGUMENT,
                "%s: --bytes: %" PRIu64 " blocks of %" PRIu64 " bytes are no "
                "whole number of sets with any of these --ways",
                pass->trace, blocks, pass->block_bytes);
    }
    count = status == MARGAY_OK ? margay_sort_unique(sets, count) : 0;
    if (count > MARGAY_MOST_LISTED)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--bytes: %zu numbers of sets (expected at most "
                             "%d)",
                             count, MARGAY_MOST_LISTED);
    else if (status == MARGAY_OK)
        memcpy(grid->sets, sets, count * sizeof *sets);
    request->sets = grid->sets;
    request->set_count = count;
    free(sets);
    return status;
}

/* ------------------------------------------------------------- the grid -- */

static void grid_free(margay_analysis *analysis)
{
    const struct grid *grid = self(analysis);
    for (size_t i = 0; grid->analyses != NULL && i < grid->part_count; i++)
        margay_analysis_free(grid->analyses[i]);
    free(grid->analyses);
    free(grid->parts);
}

static enum margay_status grid_feed(margay_analysis *analysis,
                                    const struct margay_span *span,
                                    struct margay_error *error)
{
    const struct grid *grid = self(analysis);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < grid->part_count && status == MARGAY_OK; i++)
        status = margay_analysis_feed(grid->analyses[i], span, error);
    return status;
}

static enum margay_status grid_reset(margay_analysis *analysis,
                                     struct margay_error *error)
{
    const struct grid *grid = self(analysis);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < grid->part_count && status == MARGAY_OK; i++)
        status = margay_analysis_reset(grid->analyses[i], error);
    return status;
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct grid *grid = self(analysis);
    enum margay_status status = MARGAY_OK;
    grid->request = ((const struct grid_question *)analysis->question)->request;
    grid->block_bytes = analysis->pass->block_bytes;
    if (grid->request.capacity_count > 0)
        status = find_sets(grid, analysis->pass, error);
    if (status == MARGAY_OK)
        status = divide(grid, error);
    if (status != MARGAY_OK)
        return status;
    grid->analyses = calloc(grid->part_count + 1, sizeof(margay_analysis *));
    if (grid->analyses == NULL)
        return margay_fail_memory(error, "the caches");
    for (size_t i = 0; i < grid->part_count && status == MARGAY_OK; i++)
        status = margay_question_begin(&grid->parts[i].question, analysis->pass,
                                       analysis->pass_count, share,
                                       &grid->analyses[i], error);
    return status;
}

/* What all parts can do, and what one of them needs.  What is wrong with a
   request that names no sets is found with one. */
static enum margay_status declare(struct grid_question *made,
                                  struct margay_error *error)
{
    static const uint64_t one_set[] = {1};
    struct margay_abilities *can = &made->question.can;
    struct grid grid = {.request = made->request};
    if (made->request.capacity_count > 0) {
        grid.request.sets = one_set;
        grid.request.set_count = 1;
    }
    enum margay_status status = divide(&grid, error);
    can->all_blocks = made->request.capacity_count == 0;
    for (size_t i = 0; i < grid.part_count && status == MARGAY_OK; i++) {
        can->needs |= grid.parts[i].question.can.needs;
        can->all_blocks &= grid.parts[i].question.can.all_blocks;
    }
    free(grid.parts);
    return status;
}

enum margay_status margay_caches_question(
    const struct margay_caches_request *request, margay_question **question,
    struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct grid),
        .begin = begin,
        .feed = grid_feed,
        .reset = grid_reset,
        .free = grid_free,
    };
    struct grid_question *made = calloc(1, sizeof *made);
    *question = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the caches");
    made->question = (margay_question){.functions = &functions, .name = NAME};
    made->request = *request;
    enum margay_status status = declare(made, error);
    if (status != MARGAY_OK) {
        free(made);
        return status;
    }
    for (size_t i = 0; i < request->set_count; i++)
        made->sets[i] = request->sets[i];
    for (size_t i = 0; i < request->way_count; i++)
        made->ways[i] = request->ways[i];
    for (size_t i = 0; i < request->capacity_count; i++)
        made->capacities[i] = request->capacity_bytes[i];
    made->request.sets = made->sets;
    made->request.ways = made->ways;
    made->request.capacity_bytes = made->capacities;
    *question = &made->question;
    return MARGAY_OK;
}

/* --------------------------------------------------------------- results -- */

const uint64_t *margay_caches_analysis_sets(const margay_analysis *analysis,
                                            size_t *count)
{
    *count = self(analysis)->request.set_count;
    return self(analysis)->request.sets;
}

void margay_caches_analysis_row(const margay_analysis *analysis,
                                const struct margay_pass *pass, size_t set,
                                size_t way, size_t policy,
                                struct margay_cache_row *row)
{
    const struct grid *grid = self(analysis);
    uint64_t sets = grid->request.sets[set];
    unsigned ways = grid->request.ways[way];
    *row = (struct margay_cache_row){.references = 0};
    for (size_t i = 0; i < grid->part_count; i++) {
        const struct margay_caches_part *part = &grid->parts[i];
        const struct margay_caches_request *request = &part->request;
        size_t own_set = 0, own_way = 0;
        while (own_set < request->set_count && part->sets[own_set] != sets)
            own_set++;
        while (own_way < request->way_count && part->ways[own_way] != ways)
            own_way++;
        if (part->policy == policy && own_set < request->set_count &&
            own_way < request->way_count && is_asked(grid, sets, ways))
            part->way->get(grid->analyses[i], pass, own_set, own_way, row);
    }
}
