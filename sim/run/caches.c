/*
 * caches.c - the question of a grid of caches, in parts
 *
 * A part has the caches of one policy.  LRU caches that the one pass can do,
 * and those that it cannot, are different parts, so that one odd number of sets
 * or ways does not exclude the others.  The optimum is one part.  A part is
 * simulated in one of three ways: LRU caches in one structure, optimal ones in
 * another, or every cache by itself.  Parts are fed the same spans, one after
 * the other.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assoc/assoc_internal.h"
#include "sim/run/policies_replay.h"
#include "sim/run/spans.h"

#define NAME "a simulation of caches"

/* Of a policy: one pass; more ways than that takes; and other sets. */
#define PARTS_PER_POLICY 3

/* The caches of a request that are of a policy, or of some of its numbers. */
struct part {
    enum { IN_ONE_PASS, OPTIMAL, SINGLES } way;
    struct margay_caches_request request; /* with the lists below */
    size_t policy;                        /* of the request, */
    const char *spec;                     /* and its spec */
    uint64_t sets[MARGAY_MOST_LISTED];
    unsigned ways[MARGAY_MOST_LISTED];
    unsigned needs; /* columns */
    /* By its way, one of these; owned.  That of LRU is of all block sizes where
       they can share the numbers of the trace, otherwise of one. */
    margay_assoc *lru;
    margay_opt *optimal;
    margay_cache **singles; /* [set][ways] */
};

static size_t cache_count(const struct part *part)
{
    return part->request.set_count * part->request.way_count;
}

/* ------------------------------------------------- a grid is of parts -- */

struct asked {
    struct margay_caches_request request; /* whose lists are these: */
    uint64_t sets[MARGAY_MOST_LISTED], capacities[MARGAY_MOST_LISTED];
    unsigned ways[MARGAY_MOST_LISTED];
};

struct grid {
    margay_analysis analysis;
    struct margay_caches_request request; /* of sets, which may be these: */
    uint64_t sets[MARGAY_MOST_LISTED];
    uint64_t block_bytes, references;
    size_t part_count;
    struct part *parts; /* owned */
    /* The counts of the analysis, [pass][set][way][policy]. */
    struct margay_cache_row *rows;
    size_t row_count;
    /* The crew, with some caches of a part and the rest of a span. */
    margay_crew *crew;
    margay_cache **fed;
    struct margay_span left;
    uint64_t blocks[MARGAY_SPAN_REFS];
    uint8_t kinds[MARGAY_SPAN_REFS];
};

static struct grid *self(const margay_analysis *analysis)
{
    return (struct grid *)analysis;
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
    if (!good)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "ways: expected some numbers from 1 on, ascending");
    for (size_t i = 0; i < sets && request->index == MARGAY_INDEX_XOR; i++) {
        if (!margay_is_power_of_two(request->sets[i]))
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
    if (policy->abilities & MARGAY_POLICY_ONLY_REQUESTS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy %s: it is for requests of blocks (margay "
                           "curve --requests)",
                           policy->name);
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

/* -------------------------------------------------------------- dividing -- */

/* Is this cache in the request?  Of capacities, not all are. */
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
enum {
    POWERS = 1,
    OTHER_SETS = 2,
    FEW_WAYS = 4,
    MANY_WAYS = 8,
    ALL_NUMBERS = 15,
};

/* A part of each number of sets, with the requested ways. */
static void split_part(struct grid *grid)
{
    const struct part whole = grid->parts[grid->part_count];
    for (size_t i = 0; i < whole.request.set_count; i++) {
        struct part *part = &grid->parts[grid->part_count];
        *part = whole;
        part->sets[0] = whole.sets[i];
        part->request.sets = part->sets;
        part->request.ways = part->ways;
        part->request.set_count = 1;
        part->request.way_count = 0;
        for (size_t k = 0; k < whole.request.way_count; k++) {
            if (is_asked(grid, part->sets[0], whole.ways[k]))
                part->ways[part->request.way_count++] = whole.ways[k];
        }
        grid->part_count += part->request.way_count > 0;
    }
}

/* A part of those numbers of the request that are in a set of them. */
static enum margay_status add_part(struct grid *grid, size_t policy,
                                   const struct margay_policy_info *info,
                                   unsigned numbers, struct margay_error *error)
{
    const struct margay_caches_request *request = &grid->request;
    struct part *part = &grid->parts[grid->part_count];
    size_t sets = 0, ways = 0;
    *part = (struct part){
        .way = info->abilities & MARGAY_POLICY_NEEDS_FUTURE ? OPTIMAL
               : numbers == (POWERS | FEW_WAYS) && !request->counts_writes
                   ? IN_ONE_PASS
                   : SINGLES,
        .request = *request,
        .policy = policy,
        .spec = request->policies[policy],
    };
    for (size_t i = 0; i < request->set_count; i++) {
        uint64_t count = request->sets[i];
        if (numbers & (margay_is_power_of_two(count) ? POWERS : OTHER_SETS))
            part->sets[sets++] = count;
    }
    for (size_t i = 0; i < request->way_count; i++) {
        unsigned count = request->ways[i];
        if (numbers & (count <= MARGAY_MOST_WAYS ? FEW_WAYS : MANY_WAYS))
            part->ways[ways++] = count;
    }
    if (sets == 0 || ways == 0)
        return MARGAY_OK;
    part->request.sets = part->sets;
    part->request.ways = part->ways;
    part->request.set_count = sets;
    part->request.way_count = ways;
    if (request->by_kind || request->counts_writes)
        part->needs |= MARGAY_COLUMN_KINDS;
    if (info->abilities & MARGAY_POLICY_NEEDS_SITES)
        part->needs |= MARGAY_COLUMN_SITES;
    enum margay_status status = check_policy(&part->request, info, error);
    if (status == MARGAY_OK && part->way == SINGLES && sets > 1 &&
        request->capacity_count > 0)
        split_part(grid);
    else if (status == MARGAY_OK)
        grid->part_count++;
    return status;
}

static enum margay_status add_policy(struct grid *grid, size_t policy,
                                     struct margay_error *error)
{
    static const unsigned of_lru[] = {POWERS | FEW_WAYS, POWERS | MANY_WAYS,
                                      OTHER_SETS | FEW_WAYS | MANY_WAYS};
    const struct margay_caches_request *request = &grid->request;
    const struct margay_policy_info *info;
    enum margay_status status =
        margay_policy_find(request->policies[policy], &info, error);
    if (status == MARGAY_OK && (strcmp(info->name, "lru") != 0 ||
                                request->index != MARGAY_INDEX_MODULO))
        return add_part(grid, policy, info, ALL_NUMBERS, error);
    for (size_t i = 0; i < PARTS_PER_POLICY && status == MARGAY_OK; i++)
        status = add_part(grid, policy, info, of_lru[i], error);
    return status;
}

static enum margay_status divide(struct grid *grid, struct margay_error *error)
{
    const struct margay_caches_request *request = &grid->request;
    size_t count = request->policy_count;
    size_t each = PARTS_PER_POLICY;
    enum margay_status status = check_lists(request, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = margay_policies_check_new(request->policies, i, false, error);
    if (status != MARGAY_OK)
        return status;
    if (request->capacity_count > 0)
        each += 2 * request->set_count;
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

/* ------------------------------------------------------ begin and end -- */

static enum margay_status begin_lru(struct part *part,
                                    const margay_analysis *analysis,
                                    const struct margay_share *share,
                                    struct margay_error *error)
{
    unsigned block_shifts[MARGAY_MOST_BLOCK_SIZES] = {0};
    unsigned set_shifts[MARGAY_MOST_SET_SHIFT + 1];
    for (size_t i = 0; share->all_blocks && i < analysis->pass_count; i++)
        block_shifts[i] = analysis->pass[i].shift;
    for (size_t i = 0; i < part->request.set_count; i++)
        set_shifts[i] = margay_log2_floor(part->sets[i]);
    const struct margay_grid grid = {
        .block_shifts = block_shifts,
        .block_count = analysis->pass_count,
        .set_shifts = set_shifts,
        .set_count = part->request.set_count,
        .most_ways = part->ways[part->request.way_count - 1],
    };
    const struct margay_assoc_options options = {
        .threads = share->threads, .by_kind = part->request.by_kind};
    return margay_assoc_create(&grid, &options, &part->lru, error);
}

static enum margay_status begin_optimal(struct part *part,
                                        const struct margay_share *share,
                                        struct margay_error *error)
{
    const struct margay_opt_options options = {
        .sets = part->sets,
        .set_count = part->request.set_count,
        .index = part->request.index,
        .most_ways = part->ways[part->request.way_count - 1],
        .bypass = strcasecmp(part->spec, "opt:bypass=on") == 0,
        .threads = share->threads,
    };
    enum margay_status status = margay_room_check(
        "the caches", margay_opt_bytes(&options) * share->pass_count, error);
    return status == MARGAY_OK
               ? margay_opt_create(&options, &part->optimal, error)
               : status;
}

static struct margay_cache_options options_of(const struct part *part, size_t i)
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
        .notes_latest = !request->counts_writes && i % request->way_count == 0,
    };
}

static enum margay_status begin_singles(struct grid *grid, struct part *part,
                                        const struct margay_share *share,
                                        struct margay_error *error)
{
    size_t all = cache_count(part);
    uint64_t bytes = 0;
    for (size_t i = 0; i < all; i++) {
        const struct margay_cache_options options = options_of(part, i);
        bytes += margay_cache_bytes(&options);
    }
    /* Of all passes together. */
    enum margay_status status =
        margay_room_check("the caches", bytes * share->pass_count, error);
    if (status != MARGAY_OK)
        return status;
    part->singles = calloc(all, sizeof *part->singles);
    if (part->singles == NULL)
        return margay_fail_memory(error, "the caches");
    for (size_t i = 0; i < all && status == MARGAY_OK; i++) {
        const struct margay_cache_options options = options_of(part, i);
        status = margay_cache_create(&options, &part->singles[i], error);
    }
    return status == MARGAY_OK && grid->crew == NULL
               ? margay_crew_create(share->threads, &grid->crew, error)
               : status;
}

static enum margay_status begin_rows(margay_analysis *analysis,
                                     struct margay_error *error)
{
    struct grid *grid = self(analysis);
    grid->row_count = analysis->pass_count * grid->request.set_count *
                      grid->request.way_count * grid->request.policy_count;
    grid->rows = calloc(grid->row_count, sizeof *grid->rows);
    _Static_assert(sizeof *grid->rows == (4 + MARGAY_KINDS) * sizeof(uint64_t),
                   "a row is counts alone");
    analysis->counts = (uint64_t *)grid->rows;
    analysis->count_count =
        grid->row_count * (sizeof *grid->rows / sizeof(uint64_t));
    return grid->rows == NULL ? margay_fail_memory(error, "the caches")
                              : MARGAY_OK;
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct grid *grid = self(analysis);
    enum margay_status status = MARGAY_OK;
    const struct asked *asked = analysis->question->context;
    grid->request = asked->request;
    grid->request.sets = asked->sets;
    grid->request.ways = asked->ways;
    grid->request.capacity_bytes = asked->capacities;
    grid->block_bytes = analysis->pass->block_bytes;
    if (grid->request.capacity_count > 0)
        status = find_sets(grid, analysis->pass, error);
    if (status == MARGAY_OK)
        status = divide(grid, error);
    for (size_t i = 0; i < grid->part_count && status == MARGAY_OK; i++) {
        struct part *part = &grid->parts[i];
        status =
            part->way == IN_ONE_PASS ? begin_lru(part, analysis, share, error)
            : part->way == OPTIMAL   ? begin_optimal(part, share, error)
                                     : begin_singles(grid, part, share, error);
    }
    return status == MARGAY_OK ? begin_rows(analysis, error) : status;
}

static void grid_free(margay_analysis *analysis)
{
    const struct grid *grid = self(analysis);
    for (size_t i = 0; i < grid->part_count; i++) {
        const struct part *part = &grid->parts[i];
        margay_assoc_free(part->lru);
        margay_opt_free(part->optimal);
        for (size_t k = 0; part->singles != NULL && k < cache_count(part); k++)
            margay_cache_free(part->singles[k]);
        free(part->singles);
    }
    margay_crew_free(grid->crew);
    free(grid->parts);
}

/* -------------------------------------------------------------- feeding -- */

static void feed_one(void *context, size_t i)
{
    const struct grid *grid = context;
    const struct margay_span *span = &grid->left;
    margay_cache_tell_sites(grid->fed[i], span->sites);
    margay_cache_feed(grid->fed[i], span->blocks, span->kinds, span->count);
}

/* Every cache by itself.  References that change nothing in the caches of some
   sets change nothing in those of more sets, as long as misses are all that
   counts (Haque, Peddersen, Parameswaran, "DEW", DATE 2010, of FIFO), and are
   left out from there on. */
static void feed_singles(struct grid *grid, const struct part *part,
                         const struct margay_span *span)
{
    const size_t ways = part->request.way_count;
    grid->left = *span;
    for (size_t i = 0; i < part->request.set_count; i++) {
        bool refines = i > 0 && part->request.index == MARGAY_INDEX_MODULO &&
                       part->sets[i] % part->sets[i - 1] == 0;
        const struct margay_span *from = refines ? &grid->left : span;
        grid->fed = part->singles + i * ways;
        if (!part->request.counts_writes) {
            grid->left.count =
                margay_cache_condense(*grid->fed, from->blocks, from->kinds,
                                      from->count, grid->blocks, grid->kinds);
            grid->left.blocks = grid->blocks;
            grid->left.kinds = span->kinds == NULL ? NULL : grid->kinds;
        }
        margay_crew_run(grid->crew, feed_one, grid, ways);
    }
}

static enum margay_status grid_feed(margay_analysis *analysis,
                                    const struct margay_span *span,
                                    struct margay_error *error)
{
    struct grid *grid = self(analysis);
    enum margay_status status = MARGAY_OK;
    grid->references += span->count;
    for (size_t i = 0; i < grid->part_count && status == MARGAY_OK; i++) {
        const struct part *part = &grid->parts[i];
        if (part->way == IN_ONE_PASS)
            status = margay_assoc_feed(part->lru, span->blocks, span->kinds,
                                       span->count, error);
        else if (part->way == OPTIMAL)
            status = margay_opt_feed(part->optimal, span->blocks, span->kinds,
                                     span->count, error);
        else
            feed_singles(grid, part, span);
    }
    return status;
}

static enum margay_status grid_reset(margay_analysis *analysis,
                                     struct margay_error *error)
{
    struct grid *grid = self(analysis);
    (void)error;
    grid->references = 0;
    for (size_t i = 0; i < grid->part_count; i++) {
        const struct part *part = &grid->parts[i];
        if (part->way == IN_ONE_PASS)
            margay_assoc_reset_counts(part->lru);
        else if (part->way == OPTIMAL)
            margay_opt_reset_counts(part->optimal);
        for (size_t k = 0; part->way == SINGLES && k < cache_count(part); k++)
            margay_cache_reset_counts(part->singles[k]);
    }
    return MARGAY_OK;
}

/* -------------------------------------------------------------- results -- */

static void get_row(const struct grid *grid, const struct part *part,
                    size_t block, size_t set, size_t way,
                    struct margay_cache_row *row)
{
    unsigned ways = part->ways[way];
    row->references = grid->references;
    for (unsigned kind = 0; kind < MARGAY_KINDS && part->way != SINGLES; kind++)
        row->misses[kind] =
            part->way == IN_ONE_PASS
                ? margay_assoc_misses(part->lru, block, set, ways,
                                      MARGAY_KIND_BIT(kind))
                : margay_opt_misses(part->optimal, set, ways,
                                    MARGAY_KIND_BIT(kind));
    if (part->way != SINGLES)
        return;
    const struct margay_cache_counts *counts =
        margay_cache_counts(part->singles[set * part->request.way_count + way]);
    memcpy(row->misses, counts->misses, sizeof row->misses);
    row->writebacks = counts->writebacks;
    row->blocks_fetched = counts->blocks_fetched;
    row->blocks_written = counts->blocks_written;
}

/* Find the row of a cache in the part that has it. */
static void find_row(const struct grid *grid, size_t block, size_t set,
                     size_t way, size_t policy, struct margay_cache_row *row)
{
    uint64_t sets = grid->request.sets[set];
    unsigned ways = grid->request.ways[way];
    for (size_t i = 0; i < grid->part_count; i++) {
        const struct part *part = &grid->parts[i];
        const struct margay_caches_request *request = &part->request;
        size_t own_set = 0, own_way = 0;
        while (own_set < request->set_count && part->sets[own_set] != sets)
            own_set++;
        while (own_way < request->way_count && part->ways[own_way] != ways)
            own_way++;
        if (part->policy == policy && own_set < request->set_count &&
            own_way < request->way_count && is_asked(grid, sets, ways))
            get_row(grid, part, block, own_set, own_way, row);
    }
}

static enum margay_status grid_look(margay_analysis *analysis,
                                    struct margay_error *error)
{
    const struct grid *grid = self(analysis);
    size_t policies = grid->request.policy_count;
    size_t ways = grid->request.way_count, sets = grid->request.set_count;
    (void)error;
    for (size_t i = 0; i < grid->row_count; i++)
        find_row(grid, i / policies / ways / sets, i / policies / ways % sets,
                 i / policies % ways, i % policies, &grid->rows[i]);
    return MARGAY_OK;
}

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
    const struct margay_caches_request *request = &self(analysis)->request;
    size_t block = analysis->pass_count > 1 ? pass->index : 0;
    size_t place = (block * request->set_count + set) * request->way_count;
    *row = self(analysis)->rows[(place + way) * request->policy_count + policy];
}

/* --------------------------------------------------------------- making -- */

/* The common abilities of all parts, and the needs of any.  Without sets in the
   request, one set is used to find its errors. */
static enum margay_status declare(const struct margay_caches_request *request,
                                  struct margay_abilities *can,
                                  struct margay_error *error)
{
    static const uint64_t one_set[] = {1};
    struct grid grid = {.request = *request};
    if (request->capacity_count > 0) {
        grid.request.sets = one_set;
        grid.request.set_count = 1;
    }
    enum margay_status status = divide(&grid, error);
    can->looks = true;
    can->all_blocks = request->capacity_count == 0;
    for (size_t i = 0; i < grid.part_count && status == MARGAY_OK; i++) {
        can->needs |= grid.parts[i].needs;
        can->all_blocks &= grid.parts[i].way == IN_ONE_PASS;
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
        .finish = grid_look,
        .free = grid_free,
        .look = grid_look,
    };
    static const char *const usual[] = {"lru"};
    struct asked asked = {.request = *request};
    margay_question kind = {.functions = &functions,
                            .name = NAME,
                            .half_life_refs = request->half_life_refs};
    if (request->policy_count == 0) {
        asked.request.policies = usual;
        asked.request.policy_count = 1;
    }
    enum margay_status status = declare(&asked.request, &kind.can, error);
    *question = NULL;
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < request->set_count; i++)
        asked.sets[i] = request->sets[i];
    for (size_t i = 0; i < request->way_count; i++)
        asked.ways[i] = request->ways[i];
    for (size_t i = 0; i < request->capacity_count; i++)
        asked.capacities[i] = request->capacity_bytes[i];
    return margay_question_create(&kind, &asked, sizeof asked, question, error);
}
