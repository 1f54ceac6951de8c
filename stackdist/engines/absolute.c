/*
 * absolute.c - distances to an absolute precision
 *
 * Algorithm: the newest c to 2c blocks have a span of time each.  When there
 *   are more, the oldest c of these spans become coarse, as all older ones are:
 *   two coarse neighbours are joined if they have at most b + 1 blocks
 *   together.  Within a span the order of blocks is unknown, so a distance is
 *   wrong by at most b.  Spans are kept in a B-tree (tree=btree; the paper's
 *   ZDK-2k) or a splay tree (tree=splay; with c=0 the paper's "Sampling"), see
 *   spans.h.
 * Source: Zhong, Shen, Ding, "Program locality analysis using reuse distance",
 *   ACM TOPLAS 31(6), 2009, section 2.2.
 * Guarantee: 0 <= d - d' <= b for every reference.
 * Cost: O(N log (M / b + c)) time; O(M / b + c) spans beside the O(M) of the
 *   hash table.
 */
#include "stackdist/engines/approximate.h"
#include "stackdist/engines/spans.h"
#include "traces/traces_internal.h"

/* In the order of the values of "tree". */
static const struct margay_spans_class *const trees[] = {
    &margay_spans_btree,
    &margay_spans_splay,
};

/* The mark of the spans is the oldest precise one; 0 if there is none. */
struct absolute {
    struct margay_approximate approximate;
    const struct margay_spans_class *class;
    void *spans;
    uint64_t capacity;      /* blocks of a span, b + 1 */
    uint64_t least_precise; /* c */
    uint64_t precise;       /* spans from the mark on */
};

static struct margay_span_list *list_of(const struct absolute *absolute)
{
    return absolute->spans;
}

static const struct margay_span_links *links_of(const struct absolute *absolute)
{
    return list_of(absolute)->links;
}

/* Join `span` to its newer neighbour if they fit one span; true if so. */
static bool join_if_it_fits(struct absolute *absolute, uint32_t span)
{
    const struct margay_spans_class *class = absolute->class;
    uint32_t newer = links_of(absolute)[span].newer;
    if ((uint64_t) class->size(absolute->spans, span) +
            class->size(absolute->spans, newer) >
        absolute->capacity)
        return false;
    class->join_newer(absolute->spans, span);
    return true;
}

/* The mark moves on by a span, which becomes as coarse as the older ones. */
static void coarsen_oldest(struct absolute *absolute)
{
    uint32_t span = list_of(absolute)->mark;
    list_of(absolute)->mark = links_of(absolute)[span].newer;
    absolute->precise--;
    uint32_t older = links_of(absolute)[span].older;
    if (older != 0)
        join_if_it_fits(absolute, older);
}

/* A block has left a coarse span. */
static void mend_around(struct absolute *absolute, uint32_t span)
{
    uint32_t older = links_of(absolute)[span].older;
    uint32_t newer = links_of(absolute)[span].newer;
    if (older != 0)
        join_if_it_fits(absolute, older);
    if (newer != 0 && newer != list_of(absolute)->mark)
        join_if_it_fits(absolute, span);
}

static void leave(struct absolute *absolute, uint32_t span, bool precise)
{
    const struct margay_spans_class *class = absolute->class;
    class->shrink(absolute->spans, span);
    if (precise) {
        class->join_newer(absolute->spans, span);
        absolute->precise--;
    } else {
        mend_around(absolute, span);
    }
}

static enum margay_status enter(struct absolute *absolute, uint32_t now,
                                struct margay_error *error)
{
    const struct margay_spans_class *class = absolute->class;
    uint32_t span;
    enum margay_status status =
        class->append(absolute->spans, now, &span, error);
    if (status != MARGAY_OK)
        return status;
    if (absolute->precise++ == 0)
        list_of(absolute)->mark = span;
    if (absolute->precise > 2 * absolute->least_precise) {
        while (absolute->precise > absolute->least_precise)
            coarsen_oldest(absolute);
    }
    return MARGAY_OK;
}

static bool is_precise(const struct absolute *absolute, uint32_t span)
{
    uint32_t mark = list_of(absolute)->mark;
    return mark != 0 &&
           links_of(absolute)[span].end >= links_of(absolute)[mark].end;
}

static enum margay_status absolute_refer(void *state, uint32_t last,
                                         uint32_t now, uint32_t *distance,
                                         struct margay_error *error)
{
    struct absolute *absolute = state;
    const struct margay_spans_class *class = absolute->class;
    if (last != 0) {
        uint32_t span = class->host(absolute->spans, last, distance);
        if (links_of(absolute)[span].newer == 0) {
            class->extend(absolute->spans, now);
            return MARGAY_OK;
        }
        leave(absolute, span, is_precise(absolute, span));
    }
    return enter(absolute, now, error);
}

static void absolute_begin_renaming(void *state)
{
    struct absolute *absolute = state;
    absolute->class->begin_renaming(absolute->spans);
}

static uint32_t absolute_rename_time(void *state, uint32_t time)
{
    struct absolute *absolute = state;
    return absolute->class->rename_time(absolute->spans, time);
}

static uint32_t absolute_rename_ends(void *state)
{
    struct absolute *absolute = state;
    return absolute->class->rename_ends(absolute->spans);
}

static uint64_t absolute_count(const void *state)
{
    const struct absolute *absolute = state;
    return list_of(absolute)->count;
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    static const struct margay_approximate_class class = {
        .refer = absolute_refer,
        .begin_renaming = absolute_begin_renaming,
        .rename_time = absolute_rename_time,
        .rename_ends = absolute_rename_ends,
        .count = absolute_count,
    };
    struct absolute *absolute = state;
    absolute->capacity = setup->settings.counts[0] + 1;
    absolute->least_precise = setup->settings.counts[1];
    absolute->class = trees[setup->settings.choices[2]];
    enum margay_status status =
        margay_approximate_create(&absolute->approximate, &class, error);
    if (status == MARGAY_OK)
        status = absolute->class->create(&absolute->spans, error);
    return status;
}

static void destroy(void *state)
{
    struct absolute *absolute = state;
    margay_approximate_destroy(&absolute->approximate);
    if (absolute->spans != NULL)
        absolute->class->free_spans(absolute->spans);
}

#define PRECISION "2048|0..1000000000"

const struct margay_engine_class margay_engine_absolute = {
    .info =
        {
            .name = "absolute",
            .guarantee = "0 <= d - d' <= b for every reference",
            .parameters = "b=" PRECISION ",c=" PRECISION ",tree=btree|splay",
            .time = "O(N log (M / b + c))",
            .space = "O(M) and O(M / b + c) spans",
            .source = "Zhong, Shen, Ding 2009",
        },
    .can = MARGAY_GIVES_DISTANCES,
    .parameters = {{"b", PRECISION, MARGAY_COUNT},
                   {"c", PRECISION, MARGAY_COUNT},
                   {"tree", "btree|splay", MARGAY_CHOICE}},
    .state_bytes = sizeof(struct absolute),
    .create = create,
    .destroy = destroy,
    .feed = margay_approximate_feed,
    .reset_counts = margay_approximate_reset_counts,
    .finish = margay_approximate_finish,
};
