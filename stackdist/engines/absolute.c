/*
 * absolute.c - distances to an absolute precision
 *
 * Algorithm: the newest c to 2c blocks have a span of time each.  When there
 *   are more, the oldest c of these spans become coarse, as all older ones are:
 *   two coarse neighbours are joined if they have at most b + 1 blocks
 *   together.  The order of blocks within a span is unknown, so a distance is
 *   wrong by at most b.  Spans are in a list, and are searched by time in a
 *   B-tree (tree=btree; the paper's ZDK-2k) or a splay tree (tree=splay; with
 *   c=0 the paper's "Sampling").
 * Source: Zhong, Shen, Ding, "Program locality analysis using reuse distance",
 *   ACM TOPLAS 31(6), 2009, section 2.2.
 * Guarantee: 0 <= d - d' <= b for every reference.
 * Cost: O(N log (M / b + c)) time; O(M / b + c) spans besides the O(M) of the
 *   hash table.
 */
#include <stdlib.h>

#include "stackdist/engines/approximate.h"
#include "stackdist/reference/splay.h"

struct span {
    uint32_t older, newer; /* the neighbours; 0 = none */
    uint32_t end;          /* the last time of the span */
    uint32_t joined;       /* the span that this one was joined to, or itself */
};

/* Spans are numbers from 1 up; 0 is none.  In the splay tree a span is the node
   of the same number.  In the B-tree, span i + 1 is range i.  There a span that
   was joined to a newer one leaves an empty range; a search that finds it goes
   on along `joined`.  When the ranges are used up, they are rewritten without
   the empty ones, and the spans get new numbers. */
struct absolute {
    struct margay_approximate approximate;
    bool is_splayed;
    struct margay_ranges ranges;
    struct margay_splay splay;
    struct span *spans; /* [0].older is the newest, [0].newer the oldest */
    size_t span_capacity;
    uint32_t span_count;
    uint32_t mark;          /* the oldest precise span; 0 if there is none */
    uint64_t capacity;      /* blocks of a span, b + 1 */
    uint64_t least_precise; /* c */
    uint64_t precise;       /* spans from the mark on */
};

/* ------------------------------------------------------------ the spans -- */

static void push(struct absolute *absolute, uint32_t span, uint32_t end)
{
    struct span *spans = absolute->spans;
    uint32_t newest = spans[0].older;
    spans[span] = (struct span){newest, 0, end, span};
    spans[newest].newer = span;
    spans[0].older = span;
    absolute->span_count++;
}

/* Write the ranges of the list to the front, in place. */
static void rewrite(struct absolute *absolute)
{
    uint32_t *sizes = margay_ranges_sizes(&absolute->ranges);
    uint32_t span = absolute->spans[0].newer, mark = 0, count = 0;
    absolute->spans[0] = (struct span){0};
    absolute->span_count = 0;
    while (span != 0) {
        struct span old = absolute->spans[span];
        sizes[count] = sizes[span - 1];
        absolute->ranges.ends[count] = old.end;
        if (span == absolute->mark)
            mark = count + 1;
        push(absolute, ++count, old.end);
        span = old.newer;
    }
    absolute->mark = mark;
    margay_ranges_rewrite(&absolute->ranges, count);
}

/* A new span of one block, up to `end`. */
static enum margay_status append(struct absolute *absolute, uint32_t end,
                                 uint32_t *span, struct margay_error *error)
{
    struct margay_ranges *ranges = &absolute->ranges;
    enum margay_status status = MARGAY_OK;
    if (absolute->is_splayed) {
        status = margay_splay_insert(&absolute->splay, span, error);
    } else {
        if (ranges->count == ranges->capacity) {
            rewrite(absolute);
            status =
                margay_ranges_reserve(ranges, 2 * absolute->span_count, error);
        }
        *span = ranges->count + 1;
    }
    if (status != MARGAY_OK)
        return status;
    size_t wanted = absolute->is_splayed ? absolute->splay.capacity
                                         : (size_t)ranges->capacity + 1;
    if (wanted > absolute->span_capacity) {
        struct span *spans = realloc(absolute->spans, wanted * sizeof *spans);
        if (spans == NULL)
            return margay_fail_memory(error, "spans of time");
        if (absolute->span_capacity == 0)
            spans[0] = (struct span){0};
        absolute->spans = spans;
        absolute->span_capacity = wanted;
    }
    if (!absolute->is_splayed)
        margay_ranges_append(ranges, end);
    push(absolute, *span, end);
    return MARGAY_OK;
}

/* The span that `time` is in, of which there must be one. */
static uint32_t find(const struct absolute *absolute, uint32_t time)
{
    struct span *spans = absolute->spans;
    if (!absolute->is_splayed) {
        uint32_t span = margay_ranges_find(&absolute->ranges, time) + 1;
        while (spans[span].joined != span) {
            uint32_t next = spans[span].joined;
            spans[span].joined = spans[next].joined; /* halves the path */
            span = next;
        }
        return span;
    }
    const struct margay_splay_node *nodes = absolute->splay.nodes;
    uint32_t found = 0, node = absolute->splay.root;
    while (node != MARGAY_SPLAY_NIL) {
        if (spans[node].end >= time)
            found = node;
        node = found == node ? nodes[node].left : nodes[node].right;
    }
    return found;
}

static uint32_t size_of(const struct absolute *absolute, uint32_t span)
{
    return absolute->is_splayed
               ? absolute->splay.sizes[span]
               : margay_ranges_sizes(&absolute->ranges)[span - 1];
}

static void resize(struct absolute *absolute, uint32_t span, int32_t change)
{
    if (absolute->is_splayed) {
        absolute->splay.sizes[span] += (uint32_t)change;
        margay_splay_lift(&absolute->splay, span);
    } else {
        margay_ranges_add(&absolute->ranges, span - 1, change);
    }
}

/* Join a span to its newer neighbour, which keeps its number. */
static void join_newer(struct absolute *absolute, uint32_t span)
{
    struct span *spans = absolute->spans;
    uint32_t older = spans[span].older, newer = spans[span].newer;
    int32_t size = (int32_t)size_of(absolute, span);
    if (absolute->is_splayed)
        margay_splay_remove(&absolute->splay, span);
    else if (size != 0)
        resize(absolute, span, -size);
    if (size != 0)
        resize(absolute, newer, size);
    spans[span].joined = newer;
    spans[older].newer = newer;
    spans[newer].older = older;
    absolute->span_count--;
    if (absolute->mark == span)
        absolute->mark = newer;
}

/* ---------------------------------------------------------- coarse spans -- */

/* Join `span`, unless it is 0, to its newer neighbour if they fit one span. */
static void join_if_it_fits(struct absolute *absolute, uint32_t span)
{
    uint32_t newer = absolute->spans[span].newer;
    if (span != 0 &&
        (uint64_t)size_of(absolute, span) + size_of(absolute, newer) <=
            absolute->capacity)
        join_newer(absolute, span);
}

static void leave(struct absolute *absolute, uint32_t span)
{
    const struct span *spans = absolute->spans;
    uint32_t mark = absolute->mark;
    bool is_precise = mark != 0 && spans[span].end >= spans[mark].end;
    resize(absolute, span, -1);
    if (is_precise) {
        join_newer(absolute, span);
        absolute->precise--;
        return;
    }
    join_if_it_fits(absolute, spans[span].older);
    if (spans[span].newer != 0 && spans[span].newer != mark)
        join_if_it_fits(absolute, span);
}

/* ------------------------------------------------------------ the engine -- */

static enum margay_status absolute_refer(void *state, uint32_t last,
                                         uint32_t now, uint32_t *distance,
                                         struct margay_error *error)
{
    struct absolute *absolute = state;
    if (last != 0) {
        uint32_t span = find(absolute, last);
        if (absolute->is_splayed) {
            const struct margay_splay_node *nodes = absolute->splay.nodes;
            margay_splay_lift(&absolute->splay, span);
            *distance = nodes[nodes[span].right].weight;
        } else {
            *distance = margay_ranges_newer(&absolute->ranges, span - 1);
        }
        if (absolute->spans[span].newer == 0) {
            absolute->spans[span].end = now;
            if (!absolute->is_splayed)
                absolute->ranges.ends[span - 1] = now;
            return MARGAY_OK;
        }
        leave(absolute, span);
    }
    uint32_t span;
    enum margay_status status = append(absolute, now, &span, error);
    if (status != MARGAY_OK)
        return status;
    if (absolute->precise++ == 0)
        absolute->mark = span;
    if (absolute->precise <= 2 * absolute->least_precise)
        return MARGAY_OK;
    /* The mark moves on by a span, which becomes as coarse as the older
       ones. */
    while (absolute->precise > absolute->least_precise) {
        span = absolute->mark;
        absolute->mark = absolute->spans[span].newer;
        absolute->precise--;
        join_if_it_fits(absolute, absolute->spans[span].older);
    }
    return MARGAY_OK;
}

/* Number the spans in `joined`, which is otherwise unused with a splay tree;
   ranges without gaps are numbered already. */
static void begin_renaming(void *state)
{
    struct absolute *absolute = state;
    struct span *spans = absolute->spans;
    uint32_t number = 0;
    if (!absolute->is_splayed)
        rewrite(absolute);
    for (uint32_t span = spans[0].newer; span != 0; span = spans[span].newer)
        spans[span].joined = ++number;
}

static uint32_t rename_time(void *state, uint32_t time)
{
    const struct absolute *absolute = state;
    return absolute->spans[find(absolute, time)].joined;
}

static uint32_t rename_ends(void *state)
{
    struct absolute *absolute = state;
    struct span *spans = absolute->spans;
    uint32_t end = 0;
    for (uint32_t span = spans[0].newer; span != 0; span = spans[span].newer) {
        spans[span].end = ++end;
        if (!absolute->is_splayed)
            absolute->ranges.ends[span - 1] = end;
    }
    return end;
}

static uint64_t count_spans(const void *state)
{
    return ((const struct absolute *)state)->span_count;
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    static const struct margay_approximate_class class = {
        .refer = absolute_refer,
        .begin_renaming = begin_renaming,
        .rename_time = rename_time,
        .rename_ends = rename_ends,
        .count = count_spans,
    };
    struct absolute *absolute = state;
    absolute->capacity = setup->settings.counts[0] + 1;
    absolute->least_precise = setup->settings.counts[1];
    absolute->is_splayed = setup->settings.choices[2] == 1;
    enum margay_status status =
        margay_approximate_create(&absolute->approximate, &class, error);
    if (status != MARGAY_OK)
        return status;
    return absolute->is_splayed
               ? margay_splay_create(&absolute->splay, true, error)
               : margay_ranges_create(&absolute->ranges, error);
}

static void destroy(void *state)
{
    struct absolute *absolute = state;
    margay_approximate_destroy(&absolute->approximate);
    margay_ranges_destroy(&absolute->ranges);
    margay_splay_destroy(&absolute->splay);
    free(absolute->spans);
}

#define PRECISION "2048|0..1000000000"

const struct margay_engine_class margay_engine_absolute = {
    .info = {.name = "absolute",
             .guarantee = "0 <= d - d' <= b for every reference",
             .parameters = "b=" PRECISION ",c=" PRECISION ",tree=btree|splay",
             .time = "O(N log (M / b + c))",
             .space = "O(M) and O(M / b + c) spans",
             .source = "Zhong, Shen, Ding 2009"},
    .can = MARGAY_GIVES_DISTANCES,
    MARGAY_APPROXIMATE_FUNCTIONS(struct absolute),
};
