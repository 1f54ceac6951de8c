/*
 * naive_node.h - one cache of a naive machine, and how blocks move between two
 *
 * Each cache is a naive_cache, whose blocks are searched for from the front;
 * what one cache does to another is written down once more, from the
 * description in <margay/hierarchy.h>.  Nothing here is shared with
 * assoc/hierarchy but what a prefetcher's constants are.
 */
#ifndef MARGAY_TESTS_ASSOC_NAIVE_NODE_H
#define MARGAY_TESTS_ASSOC_NAIVE_NODE_H

#include "tests/assoc/naive_cache.h"
#include <margay/hierarchy.h>

#define NAIVE_NODES  64
#define NAIVE_ASKED  4096
#define NAIVE_PLACES 4096

/* A block between two caches. */
struct naive_moving {
    bool any, dirty;
    uint64_t block;
};

/* One cache of one group of cores. */
struct naive_node {
    const struct margay_level *level;
    bool is_victims, is_memory;
    size_t row; /* of the level */
    uint64_t group;
    struct naive_node *next, *victims;
    struct naive_cache cache;
    bool *ahead; /* of each line: brought in ahead, not used since */
    struct margay_level_counts counts;
    struct {
        bool known;
        uint64_t site, block;
        int64_t stride;
    } sites[256];
    struct {
        uint64_t block, used;
        int direction;
    } streams[16];
    uint64_t now;
    /* What has been referred to.  In a second run `before` is the node of the
       first, whose blocks are the future of an optimal cache, and next_use is
       that of the reference that is made. */
    uint64_t *referred, next_use;
    size_t referred_count, referred_room;
    const struct naive_node *before;
};

/* A block of the private caches of some cores. */
struct naive_copy {
    struct naive_copy *other; /* in the same list */
    size_t row;
    uint64_t group, block;
    char state; /* M, E or S, if a cache has the block */
    bool invalidated, pending;
    bool fresh[64];   /* written by others, by piece */
    size_t missed_at; /* the place of the last coherence miss */
};

struct naive_machine {
    const struct margay_level *levels;
    size_t count;
    uint64_t seed, site;
    const struct naive_machine *before; /* the run before, or NULL */
    struct naive_node *nodes[NAIVE_NODES];
    size_t node_count;
    struct {
        struct naive_node *node;
        uint64_t block;
        enum margay_kind kind;
    } asked[NAIVE_ASKED];
    size_t asked_count;
    struct naive_copy *copies[64]; /* by block modulo 64 */
    uint32_t core;
    int asides; /* the program does not ask: write-backs and prefetches that are
                   going on, one within another */
    struct margay_sharing_place places[NAIVE_PLACES];
    size_t place_count;
};

/* ------------------------------------------------------------- one cache -- */

static inline bool naive_is_exclusive(const struct naive_node *node)
{
    return node->is_victims || node->level->inclusion == MARGAY_EXCLUSIVE;
}

static inline struct naive_line *naive_line_of(struct naive_node *node,
                                               uint64_t block)
{
    const struct margay_cache_options *options = &node->cache.options;
    uint64_t set = naive_set(options, block);
    return naive_find(node->cache.lines + set * options->ways, options->ways,
                      block);
}

/* Find a block and use it. */
static inline struct naive_line *naive_touch(struct naive_machine *machine,
                                             struct naive_node *node,
                                             uint64_t block)
{
    struct naive_line *line = naive_line_of(node, block);
    node->cache.site = machine->site;
    if (line == NULL)
        return NULL;
    if (node->cache.is_listed)
        naive_set_hit(&node->cache.sets[naive_set(&node->cache.options, block)],
                      block);
    naive_use(&node->cache, line, node->next_use, true);
    return line;
}

/* Take a block out; returns whether it was dirty. */
static inline bool naive_remove(struct naive_node *node, uint64_t block)
{
    struct naive_line *line = naive_line_of(node, block);
    bool dirty = line->dirty;
    line->valid = line->dirty = false;
    if (node->cache.is_listed)
        naive_take_out(
            &node->cache.sets[naive_set(&node->cache.options, block)], block);
    return dirty;
}

static inline bool naive_take_above(struct naive_machine *machine,
                                    struct naive_node *node, uint64_t block);

/* Put a block where there is room, or make it. */
static inline struct naive_line *naive_fill(struct naive_machine *machine,
                                            struct naive_node *node,
                                            uint64_t block,
                                            struct naive_moving *out)
{
    struct naive_cache *cache = &node->cache;
    uint64_t index = naive_set(&cache->options, block);
    uint32_t way = naive_way(cache, index, block);
    struct naive_line *line = cache->lines + index * cache->options.ways + way;
    bool keeps_turn = strcmp(cache->policy, "fifo") == 0 ||
                      strcmp(cache->policy, "clock") == 0;
    *out = (struct naive_moving){false, false, 0};
    uint64_t turn = line->valid ? 0 : line->came;
    if (line->valid)
        *out = (struct naive_moving){true, line->dirty, line->block};
    cache->site = machine->site;
    naive_enter(cache, line, index, block);
    if (keeps_turn && turn != 0)
        line->came = turn;
    naive_use(cache, line, node->next_use, false);
    node->ahead[line - cache->lines] = false;
    /* What leaves an inclusive cache, or its victim blocks, leaves the caches
       above. */
    if (out->any && node->level->inclusion == MARGAY_INCLUSIVE &&
        (node->is_victims || node->victims == NULL) &&
        naive_take_above(machine, node, out->block))
        out->dirty = true;
    if (out->dirty && node->victims == NULL)
        node->counts.writebacks++;
    return line;
}

/* Take the bytes of a block out of all caches above. */
static inline bool naive_take_above(struct naive_machine *machine,
                                    struct naive_node *node, uint64_t block)
{
    uint64_t bytes = node->level->block_bytes;
    bool dirty = false;
    for (size_t i = 0; i < machine->node_count; i++) {
        struct naive_node *above = machine->nodes[i], *at = above;
        while (at != NULL && at != node)
            at = at->next;
        if (at == NULL || above == node)
            continue;
        uint64_t less = above->level->block_bytes;
        for (uint64_t byte = 0; byte < bytes; byte += less) {
            uint64_t part = (block * bytes + byte) / less;
            if (naive_line_of(above, part) == NULL ||
                !naive_remove(above, part))
                continue;
            above->counts.writebacks++;
            dirty = true;
        }
    }
    return dirty;
}

/* ----------------------------------------------------------- prefetchers -- */

static inline void naive_ask(struct naive_machine *machine,
                             struct naive_node *node, uint64_t from,
                             int64_t step, enum margay_kind kind)
{
    uint64_t most = UINT64_MAX / node->level->block_bytes;
    if (step > 0 ? from > most - (uint64_t)step : from < -(uint64_t)step)
        return;
    if (machine->asked_count == NAIVE_ASKED)
        exit(1);
    machine->asked[machine->asked_count].node = node;
    machine->asked[machine->asked_count].block = from + (uint64_t)step;
    machine->asked[machine->asked_count++].kind =
        kind == MARGAY_FETCH ? MARGAY_FETCH : MARGAY_READ;
}

static inline void naive_see_site(struct naive_machine *machine,
                                  struct naive_node *node, uint64_t block,
                                  enum margay_kind kind)
{
    size_t at = machine->site % 256;
    int64_t step = (int64_t)(block - node->sites[at].block);
    if (!node->sites[at].known || node->sites[at].site != machine->site) {
        node->sites[at].known = true;
        node->sites[at].site = machine->site;
        node->sites[at].block = block;
        node->sites[at].stride = 0;
    } else if (step != 0) {
        if (step == node->sites[at].stride)
            naive_ask(machine, node, block, step, kind);
        node->sites[at].stride = step;
        node->sites[at].block = block;
    }
}

static inline void naive_see_stream(struct naive_machine *machine,
                                    struct naive_node *node, uint64_t block,
                                    enum margay_kind kind)
{
    size_t at = 0;
    int direction = 0;
    for (size_t i = 0; i < 16 && direction == 0; i++) {
        int way = block == node->streams[i].block + 1   ? 1
                  : block + 1 == node->streams[i].block ? -1
                                                        : 0;
        if (node->streams[i].used == 0 || way == 0 ||
            node->streams[i].direction == -way)
            continue;
        at = i;
        direction = way;
    }
    for (size_t i = 1; i < 16 && direction == 0; i++) {
        if (node->streams[i].used < node->streams[at].used)
            at = i;
    }
    node->streams[at].block = block;
    node->streams[at].direction = direction;
    node->streams[at].used = ++node->now;
    for (int i = 1; i <= 4 && direction != 0; i++)
        naive_ask(machine, node, block, i * direction, kind);
}

static inline void naive_see(struct naive_machine *machine,
                             struct naive_node *node, uint64_t block,
                             enum margay_kind kind, bool missed, bool first)
{
    unsigned asks = node->level->prefetch, on = node->level->prefetch_on;
    if (node->is_victims || (on != 0 && (on >> kind & 1) == 0))
        return;
    if (missed && (asks & MARGAY_PREFETCH_NEXT_LINE) != 0)
        naive_ask(machine, node, block, 1, kind);
    if (missed && (asks & MARGAY_PREFETCH_ADJACENT) != 0)
        naive_ask(machine, node, block, block % 2 == 0 ? 1 : -1, kind);
    if ((asks & MARGAY_PREFETCH_STRIDE) != 0)
        naive_see_site(machine, node, block, kind);
    if ((missed || first) && (asks & MARGAY_PREFETCH_STREAM) != 0)
        naive_see_stream(machine, node, block, kind);
}

/* ------------------------------------------------------- between caches -- */

/* Why a block is referenced. */
enum naive_why { NAIVE_CORE, NAIVE_ABOVE_WRITES, NAIVE_AHEAD };

static inline void naive_refer(struct naive_machine *machine,
                               struct naive_node *node, uint64_t block,
                               enum margay_kind kind, enum naive_why why);

static inline void naive_refer_next(struct naive_machine *machine,
                                    struct naive_node *node, uint64_t block,
                                    enum margay_kind kind, enum naive_why why)
{
    if (node->next == NULL)
        return;
    uint64_t bytes = node->level->block_bytes;
    uint64_t less = node->next->level->block_bytes;
    naive_refer(machine, node->next, block * bytes / less, kind, why);
    for (uint64_t byte = less; byte < bytes; byte += less)
        naive_refer(machine, node->next, (block * bytes + byte) / less, kind,
                    why);
}

static inline void naive_write_next(struct naive_machine *machine,
                                    struct naive_node *node, uint64_t block)
{
    naive_refer_next(machine, node, block, MARGAY_WRITE, NAIVE_ABOVE_WRITES);
}

/* The same of a block that has left, or changed hands. */
static inline void naive_write_back(struct naive_machine *machine,
                                    struct naive_node *node, uint64_t block)
{
    machine->asides++;
    naive_write_next(machine, node, block);
    machine->asides--;
}

/* Count a reference, by who asks for it. */
static inline void naive_count(const struct naive_machine *machine,
                               struct naive_node *node, enum margay_kind kind,
                               bool missed)
{
    node->counts.references[kind]++;
    node->counts.misses[kind] += missed;
    if (machine->asides == 0) {
        node->counts.demand_references++;
        node->counts.demand_misses += missed;
    } else if (kind == MARGAY_WRITE) {
        node->counts.writebacks_received++;
    }
}

/* A block comes down into an exclusive cache. */
static inline void naive_come_down(struct naive_machine *machine,
                                   struct naive_node *node,
                                   struct naive_moving in,
                                   struct naive_moving *out)
{
    *out = (struct naive_moving){false, false, 0};
    if (!in.any)
        return;
    struct naive_line *line = naive_touch(machine, node, in.block);
    machine->asides++;
    if (in.dirty)
        naive_count(machine, node, MARGAY_WRITE, line == NULL);
    machine->asides--;
    node->counts.victim_fills += line == NULL;
    if (line == NULL)
        line = naive_fill(machine, node, in.block, out);
    if (in.dirty && node->level->writing == MARGAY_WRITE_THROUGH &&
        !node->is_victims)
        naive_write_back(machine, node, in.block);
    else if (in.dirty)
        line->dirty = true;
}

/* The effects of a leaving block on later caches, if nothing is requested. */
static inline void naive_depart(struct naive_machine *machine,
                                struct naive_node *node,
                                struct naive_moving out)
{
    while (out.any && node->next != NULL && naive_is_exclusive(node->next)) {
        struct naive_moving further;
        node = node->next;
        naive_come_down(machine, node, out, &further);
        out = further;
    }
    if (out.any && out.dirty)
        naive_write_back(machine, node, out.block);
}

static inline bool naive_in_victims(struct naive_node *node, uint64_t block)
{
    return node->victims != NULL && naive_line_of(node->victims, block) != NULL;
}

/* Have the caches after `node` give it a block; `out` has left for it. */
static inline bool naive_get(struct naive_machine *machine,
                             struct naive_node *node, uint64_t block,
                             enum margay_kind kind, enum naive_why why,
                             struct naive_moving out)
{
    while (node->next != NULL && naive_is_exclusive(node->next)) {
        struct naive_moving further;
        node = node->next;
        struct naive_line *line = naive_touch(machine, node, block);
        bool found = line != NULL, first = false, dirty = false;
        bool missed = !found && !naive_in_victims(node, block);
        naive_count(machine, node, kind, missed);
        node->counts.lookups += why == NAIVE_CORE;
        if (found && why != NAIVE_ABOVE_WRITES) {
            first = node->ahead[line - node->cache.lines];
            node->counts.useful_prefetches += first;
            node->ahead[line - node->cache.lines] = false;
        }
        if (why != NAIVE_ABOVE_WRITES)
            naive_see(machine, node, block, kind, missed, first);
        if (found)
            dirty = naive_remove(node, block);
        naive_come_down(machine, node, out, &further);
        out = further;
        if (found) {
            naive_depart(machine, node, out);
            return dirty;
        }
    }
    if (out.dirty)
        naive_write_back(machine, node, out.block);
    naive_refer_next(machine, node, block, kind, why);
    return false;
}

/* Note a reference and find the next one to its block; without one, those used
   the longest ago come last. */
static inline void naive_look_ahead(struct naive_node *node, uint64_t block)
{
    size_t now = node->referred_count, next = now + 1;
    if (!MARGAY_MAKE_ROOM(node->referred, now, 1, node->referred_room))
        exit(1);
    node->referred[node->referred_count++] = block;
    if (node->before == NULL)
        return;
    while (next < node->before->referred_count &&
           node->before->referred[next] != block)
        next++;
    node->next_use =
        next < node->before->referred_count ? next : UINT64_MAX - now;
}

static inline void naive_refer(struct naive_machine *machine,
                               struct naive_node *node, uint64_t block,
                               enum margay_kind kind, enum naive_why why)
{
    naive_look_ahead(node, block);
    const struct margay_level *level = node->level;
    bool write = kind == MARGAY_WRITE && level->writing != MARGAY_WRITE_NONE;
    bool through = write && level->writing == MARGAY_WRITE_THROUGH;
    bool first = false;
    node->counts.lookups += why == NAIVE_CORE;
    if (node->is_memory) {
        naive_count(machine, node, kind, false);
        return;
    }
    struct naive_line *line = naive_touch(machine, node, block);
    bool missed = line == NULL && !naive_in_victims(node, block);
    naive_count(machine, node, kind, missed);
    if (line != NULL && why != NAIVE_ABOVE_WRITES) {
        first = node->ahead[line - node->cache.lines];
        node->counts.useful_prefetches += first;
        node->ahead[line - node->cache.lines] = false;
    }
    if (why != NAIVE_ABOVE_WRITES)
        naive_see(machine, node, block, kind, missed, first);
    if (line == NULL &&
        (naive_is_exclusive(node) || (write && level->no_allocate))) {
        naive_write_next(machine, node, block);
        return;
    }
    if (line == NULL) {
        struct naive_moving out;
        line = naive_fill(machine, node, block, &out);
        if (write && !through)
            line->dirty = true;
        bool dirty = naive_get(
            machine, node, block,
            kind == MARGAY_FETCH ? MARGAY_FETCH : MARGAY_READ, why, out);
        line = naive_line_of(node, block);
        if (line != NULL && dirty)
            line->dirty = true;
    } else if (write && !through) {
        line->dirty = true;
    }
    if (through)
        naive_write_next(machine, node, block);
}

#endif
