/*
 * reference.c - a reference in a node, and its effects on others
 *
 * Algorithm: one step of the node's cache (cache.h), and then its consequences
 *   in the order of hierarchy.h, all of them before the next reference.
 * Source: Smith 1982 (writing); Baer and Wang 1988 (inclusion); Jouppi 1990
 *   (victim blocks); Jouppi and Wilton 1994 (exclusion).  Of prefetchers, the
 *   next line: Smith 1978, prefetch on a miss; adjacent: Intel's manuals, the
 *   spatial prefetcher, which completes pairs of lines; stride by site: Baer
 *   and Chen 1991; streams: Jouppi 1990, Palacharla and Kessler 1994, into the
 *   cache rather than into buffers.
 * Guarantee: the behaviour described by the rows of the machine;
 *   tests/assoc/test_hierarchy.c has the same rules as lists and loops.
 * Cost: a step for each node that a reference comes to.
 */
#include "assoc/hierarchy/node.h"

/* A block that leaves a node for another one that misses. */
typedef struct margay_evicted evicted_block;

/* -------------------------------------- which blocks prefetchers ask for -- */

/* A reference, as a prefetcher sees it. */
struct sight {
    uint64_t block, site;
    bool missed;
    bool first_use; /* of a block that was prefetched */
};

/* Does the block `step` (modulo 2^64) from `from` exist? */
static bool is_there(const struct margay_prefetcher *prefetcher, uint64_t from,
                     uint64_t step)
{
    bool down = step >> 63 != 0;
    uint64_t to = from + step;
    return down ? to < from : to > from && to <= prefetcher->most_block;
}

/* The requested blocks, at most MARGAY_STREAM_DEPTH; returns how many. */
static size_t see_stride(struct margay_prefetcher *prefetcher,
                         const struct sight *sight, uint64_t *blocks)
{
    struct margay_stride *stride =
        &prefetcher->strides[sight->site % MARGAY_STRIDE_SITES];
    uint64_t step = sight->block - stride->block;
    if (!stride->known || stride->site != sight->site) {
        *stride = (struct margay_stride){true, sight->site, sight->block, 0};
        return 0;
    }
    if (step == 0)
        return 0;
    bool again = step == stride->stride;
    stride->block = sight->block;
    stride->stride = step;
    if (!again || !is_there(prefetcher, sight->block, step))
        return 0;
    blocks[0] = sight->block + step;
    return 1;
}

/* The stream that the block continues, or the one used the longest ago. */
static struct margay_stream *stream_of(struct margay_prefetcher *prefetcher,
                                       uint64_t block, uint64_t *direction)
{
    struct margay_stream *streams = prefetcher->streams, *oldest = streams;
    for (size_t i = 0; i < MARGAY_STREAMS; i++) {
        *direction = block - streams[i].block;
        bool adjacent = *direction == 1 || *direction == UINT64_MAX;
        if (streams[i].used != 0 && adjacent &&
            (streams[i].direction == 0 || streams[i].direction == *direction))
            return &streams[i];
        if (streams[i].used < oldest->used)
            oldest = &streams[i];
    }
    *direction = 0;
    return oldest;
}

static size_t see_stream(struct margay_prefetcher *prefetcher,
                         const struct sight *sight, uint64_t *blocks)
{
    uint64_t direction, block = sight->block;
    size_t count = 0;
    if (!sight->missed && !sight->first_use)
        return 0;
    struct margay_stream *stream = stream_of(prefetcher, block, &direction);
    *stream = (struct margay_stream){block, direction, ++prefetcher->now};
    if (direction == 0)
        return 0;
    for (;
         count < MARGAY_STREAM_DEPTH && is_there(prefetcher, block, direction);
         count++)
        blocks[count] = block += direction;
    return count;
}

/* ------------------------------------------------------- prefetched bits -- */

/* Prefetchers do not see these. */
static inline bool is_write_from_above(enum margay_purpose purpose)
{
    return purpose == MARGAY_FOR_STORE || purpose == MARGAY_FOR_WRITING;
}

static inline bool take_bit(struct margay_node *node, uint64_t at)
{
    uint8_t bit = (uint8_t)(1u << at % 8);
    if (node->prefetched == NULL || (node->prefetched[at / 8] & bit) == 0)
        return false;
    node->prefetched[at / 8] ^= bit;
    return true;
}

/* Use a block; returns whether for the first time since it was prefetched. */
static inline bool use_prefetched(struct margay_node *node, uint64_t at,
                                  enum margay_purpose purpose)
{
    if (node->prefetched == NULL || is_write_from_above(purpose))
        return false;
    bool first = take_bit(node, at);
    node->counts.useful_prefetches += first;
    return first;
}

static void show_prefetcher(struct margay_hierarchy *hierarchy,
                            struct margay_node *node, uint64_t block,
                            enum margay_kind kind, bool missed, bool first_use)
{
    struct margay_prefetch_queue *queue = &hierarchy->queue;
    uint64_t blocks[3 + MARGAY_STREAM_DEPTH];
    const struct sight sight = {block, hierarchy->site, missed, first_use};
    struct margay_prefetcher *prefetcher = node->prefetcher;
    size_t count = 0;
    if (prefetcher->kinds & MARGAY_PREFETCH_NEXT_LINE && missed &&
        is_there(prefetcher, block, 1))
        blocks[count++] = block + 1;
    if (prefetcher->kinds & MARGAY_PREFETCH_ADJACENT && missed &&
        (block ^ 1) <= prefetcher->most_block)
        blocks[count++] = block ^ 1;
    if (prefetcher->kinds & MARGAY_PREFETCH_STRIDE)
        count += see_stride(prefetcher, &sight, blocks + count);
    if (prefetcher->kinds & MARGAY_PREFETCH_STREAM)
        count += see_stream(prefetcher, &sight, blocks + count);
    for (size_t i = 0; i < count; i++) {
        if (MARGAY_MAKE_ROOM(queue->asked, queue->count, 1, queue->room))
            queue->asked[queue->count++] =
                (struct margay_asked){node, blocks[i], kind == MARGAY_FETCH};
        else
            margay_fail_memory(&hierarchy->failure, "what is prefetched");
    }
}

static inline void notice(struct margay_hierarchy *hierarchy,
                          struct margay_node *node, uint64_t block,
                          enum margay_kind kind, enum margay_purpose purpose,
                          bool missed, bool first_use)
{
    if (node->prefetcher != NULL && (node->prefetcher->on >> kind & 1) != 0 &&
        !is_write_from_above(purpose))
        show_prefetcher(hierarchy, node, block, kind, missed, first_use);
}

/* -------------------------------------------------------- blocks that go -- */

/* The block that its set used last; MARGAY_NOWHERE = it has left. */
static inline void set_latest(struct margay_node *node, uint64_t block,
                              uint64_t at)
{
    if (node->latest != NULL)
        node->latest[block & node->latest_mask] =
            (struct margay_latest){at == MARGAY_NOWHERE ? 0 : ~block, at};
}

/* A block has left a cache. */
static inline void went(struct margay_node *node, uint64_t block)
{
    set_latest(node, block, MARGAY_NOWHERE);
    if (node->domain != NULL)
        margay_directory_count(node->domain, block, -1);
}

/* Take all parts of a block of 2^shift bytes out of all nodes above `node`;
   returns whether one of them had written to it. */
static bool clear_above(struct margay_node *node, unsigned shift,
                        uint64_t block)
{
    bool dirty = false;
    for (size_t i = 0; i < node->above_count; i++) {
        struct margay_node *above = node->above[i];
        unsigned parts = shift - above->shift;
        for (uint64_t k = 0; k >> parts == 0; k++) {
            uint64_t at =
                margay_cache_where(above->cache, (block << parts) + k);
            if (at == MARGAY_NOWHERE)
                continue;
            bool was = margay_cache_take_out(above->cache, at);
            went(above, (block << parts) + k);
            above->counts.writebacks += was;
            dirty |= was;
        }
        dirty |= clear_above(above, shift, block);
    }
    return dirty;
}

/* Bring in a block that the node lacks; *evicted made room. */
static uint64_t bring_in(struct margay_node *node, const struct margay_use *use,
                         evicted_block *evicted)
{
    uint64_t at = node->policy->bring_in(node->cache, use);
    *evicted = node->cache->evicted;
    take_bit(node, at);
    if (node->domain != NULL)
        margay_directory_count(node->domain, use->block, 1);
    if (evicted->left) {
        went(node, evicted->block);
        if (node->inclusive)
            evicted->dirty |= clear_above(node, node->shift, evicted->block);
        if (node->victims == NULL)
            node->counts.writebacks += evicted->dirty;
    }
    set_latest(node, use->block, at);
    return at;
}

/* Keep a request of a node to the next one. */
static __attribute__((noinline)) void send(struct margay_hierarchy *hierarchy,
                                           const struct margay_node *node,
                                           uint64_t block,
                                           enum margay_kind kind,
                                           enum margay_purpose purpose)
{
    struct margay_traffic *traffic = &hierarchy->traffic;
    unsigned shift = node->shift - hierarchy->options.unit_shift;
    size_t i = traffic->count;
    if (i == traffic->room &&
        margay_traffic_reserve(traffic, 2 * i + 64, &hierarchy->failure) !=
            MARGAY_OK)
        return;
    traffic->blocks[i] = block << shift;
    traffic->kinds[i] = (uint8_t)kind;
    traffic->causes[i] = hierarchy->index;
    traffic->purposes[i] = (uint8_t)purpose;
    traffic->extents[i] = shift > 31 ? UINT32_MAX : UINT32_C(1) << shift;
    traffic->count++;
}

/* Reference the block of the next node that contains a block of this one, or
   the smaller blocks that it consists of. */
static void reference_next(struct margay_hierarchy *hierarchy,
                           struct margay_node *node, uint64_t block,
                           enum margay_kind kind, enum margay_purpose purpose)
{
    struct margay_node *next = node->next;
    if (node->sends)
        send(hierarchy, node, block, kind, purpose);
    if (next == NULL)
        return;
    if (next->shift >= node->shift) {
        margay_node_reference(hierarchy, next,
                              block >> (next->shift - node->shift), kind,
                              purpose);
        return;
    }
    unsigned shift = node->shift - next->shift;
    for (uint64_t i = 0; i >> shift == 0; i++)
        margay_node_reference(hierarchy, next, (block << shift) + i, kind,
                              purpose);
}

static void write_back(struct margay_hierarchy *hierarchy,
                       struct margay_node *node, uint64_t block)
{
    reference_next(hierarchy, node, block, MARGAY_WRITE, MARGAY_FOR_WRITING);
}

static void hand_on(struct margay_hierarchy *hierarchy,
                    struct margay_node *node, uint64_t block,
                    enum margay_purpose purpose)
{
    reference_next(hierarchy, node, block, MARGAY_WRITE,
                   margay_handed_on(purpose));
}

/* Recall a block from a node of a domain and from all above it; returns whether
   one of them had written to it. */
static bool recall(struct margay_node *node, const struct margay_node *root,
                   uint64_t block, bool take_out)
{
    uint64_t at = margay_cache_where(node->cache, block);
    bool dirty = at != MARGAY_NOWHERE &&
                 (take_out ? margay_cache_take_out(node->cache, at)
                           : margay_cache_make_clean(node->cache, at));
    /* The root counts blocks that leave the domain. */
    if (node != root && node->victims != root)
        node->counts.writebacks += dirty;
    for (size_t i = 0; i < node->above_count; i++)
        dirty |= recall(node->above[i], root, block, take_out);
    return dirty;
}

void margay_node_recall(struct margay_hierarchy *hierarchy,
                        struct margay_node *root, uint64_t block, bool take_out)
{
    if (!recall(root, root, block, take_out))
        return;
    root->counts.writebacks++;
    write_back(hierarchy, root, block);
}

/* A block that left the node above comes into an exclusive node; returns the
   block that makes room for it. */
static evicted_block put(struct margay_hierarchy *hierarchy,
                         struct margay_node *node, const evicted_block *block)
{
    evicted_block evicted = {.left = false};
    struct margay_use use = {
        .block = block->block,
        .kind = block->dirty ? MARGAY_WRITE : MARGAY_READ,
        .site = hierarchy->site,
    };
    if (!block->left)
        return evicted;
    uint64_t at = node->policy->touch(node->cache, &use);
    node->references[MARGAY_FOR_WRITING][MARGAY_WRITE] += block->dirty;
    node->misses[MARGAY_FOR_WRITING][MARGAY_WRITE] +=
        block->dirty && at == MARGAY_NOWHERE;
    node->counts.victim_fills += at == MARGAY_NOWHERE;
    if (at == MARGAY_NOWHERE)
        at = bring_in(node, &use, &evicted);
    /* Victim blocks are part of their level, so the block has not left it. */
    if (block->dirty && node->through && !node->is_victims)
        write_back(hierarchy, node, block->block);
    else if (block->dirty)
        margay_cache_make_dirty(node->cache, at);
    return evicted;
}

/* A block has left the node, and no other one is requested. */
static void let_go(struct margay_hierarchy *hierarchy, struct margay_node *node,
                   const evicted_block *evicted)
{
    if (!evicted->left)
        return;
    if (node->next != NULL && node->next->exclusive) {
        if (evicted->dirty && node->sends)
            send(hierarchy, node, evicted->block, MARGAY_WRITE,
                 MARGAY_FOR_WRITING);
        evicted_block further = put(hierarchy, node->next, evicted);
        let_go(hierarchy, node->next, &further);
    } else if (evicted->dirty) {
        write_back(hierarchy, node, evicted->block);
    }
}

/* ------------------------------------------------------ blocks that come -- */

static bool has_victim(const struct margay_node *node, uint64_t block)
{
    return node->victims != NULL &&
           margay_cache_where(node->victims->cache, block) != MARGAY_NOWHERE;
}

static bool take(struct margay_hierarchy *hierarchy, struct margay_node *node,
                 uint64_t block, enum margay_kind kind,
                 enum margay_purpose purpose, const evicted_block *evicted);

/* Ask the next node for a block, for which *evicted has left this one.  Returns
   whether the block is dirty. */
static bool ask_next(struct margay_hierarchy *hierarchy,
                     struct margay_node *node, uint64_t block,
                     enum margay_kind kind, enum margay_purpose purpose,
                     const evicted_block *evicted)
{
    if (node->next != NULL && node->next->exclusive) {
        if (node->sends)
            send(hierarchy, node, block, kind, purpose);
        if (node->sends && evicted->dirty)
            send(hierarchy, node, evicted->block, MARGAY_WRITE,
                 MARGAY_FOR_WRITING);
        return take(hierarchy, node->next, block, kind, purpose, evicted);
    }
    if (evicted->dirty)
        write_back(hierarchy, node, evicted->block);
    reference_next(hierarchy, node, block, kind, purpose);
    return false;
}

/* Take a block out of an exclusive node, or ask the node after it; *evicted
   comes in. */
static bool take(struct margay_hierarchy *hierarchy, struct margay_node *node,
                 uint64_t block, enum margay_kind kind,
                 enum margay_purpose purpose, const evicted_block *evicted)
{
    struct margay_use use = {
        .block = block, .kind = kind, .site = hierarchy->site};
    uint64_t at = node->policy->touch(node->cache, &use);
    bool found = at != MARGAY_NOWHERE;
    bool missed = !found && !has_victim(node, block);
    bool first_use = found && use_prefetched(node, at, purpose);
    node->references[purpose][kind]++;
    node->misses[purpose][kind] += missed;
    notice(hierarchy, node, block, kind, purpose, missed, first_use);
    bool dirty = found && margay_cache_take_out(node->cache, at);
    if (found)
        went(node, block);
    evicted_block further = put(hierarchy, node, evicted);
    if (!found)
        return ask_next(hierarchy, node, block, kind, purpose, &further);
    let_go(hierarchy, node, &further);
    return dirty;
}

/* The block came from an exclusive level, where it was dirty.  Evictions in the
   levels below may have taken it out of this one. */
static void keep_dirty(struct margay_node *node, uint64_t block)
{
    uint64_t at = margay_cache_where(node->cache, block);
    if (at != MARGAY_NOWHERE)
        margay_cache_make_dirty(node->cache, at);
}

/* The level lacks the block of a reference; its victim blocks may have it. */
static void miss(struct margay_hierarchy *hierarchy, struct margay_node *node,
                 const struct margay_use *use, enum margay_purpose purpose)
{
    uint64_t block = use->block;
    bool write = use->kind == MARGAY_WRITE && node->writes;
    bool missed = !has_victim(node, block);
    evicted_block evicted;
    node->misses[purpose][use->kind] += missed;
    notice(hierarchy, node, block, use->kind, purpose, missed, false);
    if (node->exclusive || (write && !node->allocates)) {
        hand_on(hierarchy, node, block, purpose);
        return;
    }
    uint64_t at = bring_in(node, use, &evicted);
    if (write && !node->through)
        margay_cache_make_dirty(node->cache, at);
    if (ask_next(hierarchy, node, block,
                 use->kind == MARGAY_FETCH ? MARGAY_FETCH : MARGAY_READ,
                 purpose, &evicted))
        keep_dirty(node, block);
    if (write && node->through)
        hand_on(hierarchy, node, block, purpose);
}

/* A reference of an optimal level before memory, whose requests may come in any
   order. */
static void use_optimal(struct margay_hierarchy *hierarchy,
                        struct margay_node *node, uint64_t block,
                        enum margay_kind kind, enum margay_purpose purpose)
{
    bool write = kind == MARGAY_WRITE && node->writes, hit, left_dirty;
    if (margay_optimal_use(node->optimal, block, write && !node->through, &hit,
                           &left_dirty, &hierarchy->failure) != MARGAY_OK)
        return;
    node->misses[purpose][kind] += !hit;
    node->counts.writebacks += left_dirty;
    if (left_dirty)
        write_back(hierarchy, node, block);
    if (!hit)
        reference_next(hierarchy, node, block,
                       kind == MARGAY_FETCH ? MARGAY_FETCH : MARGAY_READ,
                       purpose);
    if (write && node->through)
        hand_on(hierarchy, node, block, purpose);
}

void margay_node_reference(struct margay_hierarchy *hierarchy,
                           struct margay_node *node, uint64_t block,
                           enum margay_kind kind, enum margay_purpose purpose)
{
    struct margay_use use = {
        .block = block, .kind = kind, .site = hierarchy->site};
    node->references[purpose][kind]++;
    if (node->cache == NULL) {
        if (node->optimal != NULL)
            use_optimal(hierarchy, node, block, kind, purpose);
        return;
    }
    uint64_t at = node->policy->touch(node->cache, &use);
    if (at == MARGAY_NOWHERE) {
        miss(hierarchy, node, &use, purpose);
        return;
    }
    set_latest(node, block, at);
    bool first_use = use_prefetched(node, at, purpose);
    if (kind == MARGAY_WRITE && node->through)
        hand_on(hierarchy, node, block, purpose);
    else if (kind == MARGAY_WRITE && node->writes)
        margay_cache_make_dirty(node->cache, at);
    notice(hierarchy, node, block, kind, purpose, false, first_use);
}

/* ----------------------------------------------------------- prefetching -- */

static void prefetch(struct margay_hierarchy *hierarchy,
                     const struct margay_asked *asked)
{
    struct margay_node *node = asked->node;
    struct margay_use use = {
        .block = asked->block,
        .kind = asked->fetch ? MARGAY_FETCH : MARGAY_READ,
        .site = hierarchy->site,
    };
    evicted_block evicted;
    uint64_t place = node->level->prefetch_renews
                         ? node->policy->touch(node->cache, &use)
                         : margay_cache_look(node->cache, &use);
    if (place != MARGAY_NOWHERE || has_victim(node, asked->block))
        return;
    if (node->domain != NULL)
        margay_coherence_touch(hierarchy, node->domain,
                               &(struct margay_touch){.block = asked->block});
    uint64_t at = bring_in(node, &use, &evicted);
    node->counts.prefetches++;
    node->prefetched[at / 8] |= (uint8_t)(1u << at % 8);
    if (ask_next(hierarchy, node, use.block, use.kind, MARGAY_FOR_PREFETCH,
                 &evicted))
        keep_dirty(node, use.block);
}

void margay_node_prefetch_all(struct margay_hierarchy *hierarchy)
{
    struct margay_prefetch_queue *queue = &hierarchy->queue;
    for (size_t i = 0; i < queue->count; i++) {
        const struct margay_asked asked = queue->asked[i]; /* it may move */
        prefetch(hierarchy, &asked);
    }
    queue->count = 0;
}
