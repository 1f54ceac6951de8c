/* spans.c - spans of time in either of two trees */
#include "stackdist/engines/spans.h"

#include <stdlib.h>

#include "stackdist/engines/ranges.h"
#include "stackdist/reference/splay.h"
#include "traces/traces_internal.h"

/* ----------------------------------------------------------- their list -- */

static enum margay_status list_reserve(struct margay_span_list *list,
                                       uint32_t capacity,
                                       struct margay_error *error)
{
    if (capacity <= list->capacity)
        return MARGAY_OK;
    struct margay_span_links *links =
        realloc(list->links, capacity * sizeof *links);
    if (links == NULL)
        return margay_fail_memory(error, "spans of time");
    if (list->capacity == 0)
        links[0] = (struct margay_span_links){0};
    list->links = links;
    list->capacity = capacity;
    return MARGAY_OK;
}

static void list_push(struct margay_span_list *list, uint32_t span,
                      uint32_t end)
{
    struct margay_span_links *links = list->links;
    uint32_t newest = links[0].older;
    links[span] = (struct margay_span_links){newest, 0, end, span};
    links[newest].newer = span;
    links[0].older = span;
    list->count++;
}

static void list_remove(struct margay_span_list *list, uint32_t span)
{
    struct margay_span_links *links = list->links;
    links[links[span].older].newer = links[span].newer;
    links[links[span].newer].older = links[span].older;
    list->count--;
}

/* Number the ends 1, 2, ... from the oldest on; returns the last. */
static uint32_t list_rename_ends(struct margay_span_list *list)
{
    uint32_t end = 0;
    for (uint32_t span = list->links[0].newer; span != 0;
         span = list->links[span].newer)
        list->links[span].end = ++end;
    return end;
}

/* --------------------------------------------------------------- B-tree -- */

/*
 * Span i + 1 is range i.  A span that was joined to a newer one leaves an empty
 * range; a search that finds it goes on along `joined`.  When the ranges are
 * used up, they are rewritten without the empty ones.
 */
struct btree {
    struct margay_span_list list;
    struct margay_ranges ranges;
};

static void btree_free(void *spans)
{
    struct btree *tree = spans;
    if (tree == NULL)
        return;
    free(tree->list.links);
    margay_ranges_destroy(&tree->ranges);
    free(tree);
}

static enum margay_status btree_reserve(struct btree *tree, uint32_t ranges,
                                        struct margay_error *error)
{
    enum margay_status status =
        margay_ranges_reserve(&tree->ranges, ranges, error);
    if (status == MARGAY_OK)
        status = list_reserve(&tree->list, tree->ranges.capacity + 1, error);
    return status;
}

static enum margay_status btree_create(void **spans, struct margay_error *error)
{
    struct btree *tree = calloc(1, sizeof *tree);
    if (tree == NULL)
        return margay_fail_memory(error, "a B-tree");
    enum margay_status status = margay_ranges_create(&tree->ranges, error);
    if (status == MARGAY_OK)
        status = btree_reserve(tree, 1, error);
    if (status == MARGAY_OK)
        *spans = tree;
    else
        btree_free(tree);
    return status;
}

/* The span that a span is part of now; halves the path to it. */
static uint32_t follow(struct margay_span_links *links, uint32_t span)
{
    while (links[span].joined != span) {
        uint32_t next = links[span].joined;
        links[span].joined = links[next].joined;
        span = next;
    }
    return span;
}

static uint32_t btree_host(void *spans, uint32_t time, uint32_t *newer_blocks)
{
    struct btree *tree = spans;
    uint32_t span =
        follow(tree->list.links, margay_ranges_find(&tree->ranges, time) + 1);
    *newer_blocks = margay_ranges_newer(&tree->ranges, span - 1);
    return span;
}

static void btree_extend(void *spans, uint32_t end)
{
    struct btree *tree = spans;
    uint32_t newest = tree->list.links[0].older;
    tree->list.links[newest].end = end;
    tree->ranges.ends[newest - 1] = end;
}

static uint32_t btree_size(const void *spans, uint32_t span)
{
    const struct btree *tree = spans;
    return margay_ranges_sizes(&tree->ranges)[span - 1];
}

static void btree_shrink(void *spans, uint32_t span)
{
    struct btree *tree = spans;
    margay_ranges_add(&tree->ranges, span - 1, -1);
}

static void btree_join_newer(void *spans, uint32_t span)
{
    struct btree *tree = spans;
    uint32_t newer = tree->list.links[span].newer;
    int32_t size = (int32_t)btree_size(tree, span);
    if (size != 0) {
        margay_ranges_add(&tree->ranges, span - 1, -size);
        margay_ranges_add(&tree->ranges, newer - 1, size);
    }
    tree->list.links[span].joined = newer;
    list_remove(&tree->list, span);
    if (tree->list.mark == span)
        tree->list.mark = newer;
}

/* Write the ranges of the list to the front, in place. */
static void rewrite(struct btree *tree)
{
    struct margay_span_list *list = &tree->list;
    uint32_t *sizes = margay_ranges_sizes(&tree->ranges);
    uint32_t span = list->links[0].newer, mark = 0, count = 0;
    list->links[0] = (struct margay_span_links){0};
    list->count = 0;
    while (span != 0) {
        struct margay_span_links old = list->links[span];
        sizes[count] = sizes[span - 1];
        tree->ranges.ends[count] = old.end;
        if (span == list->mark)
            mark = count + 1;
        list_push(list, ++count, old.end);
        span = old.newer;
    }
    list->mark = mark;
    margay_ranges_rewrite(&tree->ranges, count);
}

static enum margay_status btree_append(void *spans, uint32_t end,
                                       uint32_t *span,
                                       struct margay_error *error)
{
    struct btree *tree = spans;
    struct margay_ranges *ranges = &tree->ranges;
    if (ranges->count == ranges->capacity) {
        rewrite(tree);
        enum margay_status status =
            btree_reserve(tree, 2 * tree->list.count, error);
        if (status != MARGAY_OK)
            return status;
    }
    *span = margay_ranges_append(ranges, end) + 1;
    list_push(&tree->list, *span, end);
    return MARGAY_OK;
}

/* Without gaps, the ranges are numbered already. */
static void btree_begin_renaming(void *spans)
{
    rewrite(spans);
}

static uint32_t btree_rename_time(void *spans, uint32_t time)
{
    struct btree *tree = spans;
    return margay_ranges_find(&tree->ranges, time) + 1;
}

static uint32_t btree_rename_ends(void *spans)
{
    struct btree *tree = spans;
    for (uint32_t i = 0; i < tree->ranges.count; i++)
        tree->ranges.ends[i] = i + 1;
    return list_rename_ends(&tree->list);
}

const struct margay_spans_class margay_spans_btree = {
    .create = btree_create,
    .free_spans = btree_free,
    .host = btree_host,
    .size = btree_size,
    .shrink = btree_shrink,
    .append = btree_append,
    .extend = btree_extend,
    .join_newer = btree_join_newer,
    .begin_renaming = btree_begin_renaming,
    .rename_time = btree_rename_time,
    .rename_ends = btree_rename_ends,
};

/* ----------------------------------------------------------- splay tree -- */

struct splayed {
    struct margay_span_list list;
    struct margay_splay splay;
};

static void splay_free(void *spans)
{
    struct splayed *tree = spans;
    if (tree == NULL)
        return;
    free(tree->list.links);
    margay_splay_destroy(&tree->splay);
    free(tree);
}

static enum margay_status splay_create(void **spans, struct margay_error *error)
{
    struct splayed *tree = calloc(1, sizeof *tree);
    if (tree == NULL)
        return margay_fail_memory(error, "a splay tree");
    enum margay_status status = margay_splay_create(&tree->splay, true, error);
    if (status == MARGAY_OK)
        *spans = tree;
    else
        splay_free(tree);
    return status;
}

/* The oldest span that ends at `time` or later. */
static uint32_t find(const struct splayed *tree, uint32_t time)
{
    const struct margay_splay_node *nodes = tree->splay.nodes;
    uint32_t found = 0, node = tree->splay.root;
    while (node != MARGAY_SPLAY_NIL) {
        if (tree->list.links[node].end >= time) {
            found = node;
            node = nodes[node].left;
        } else {
            node = nodes[node].right;
        }
    }
    return found;
}

static uint32_t splay_host(void *spans, uint32_t time, uint32_t *newer_blocks)
{
    struct splayed *tree = spans;
    const struct margay_splay_node *nodes = tree->splay.nodes;
    uint32_t span = find(tree, time);
    margay_splay_lift(&tree->splay, span);
    *newer_blocks = nodes[nodes[span].right].weight;
    return span;
}

static void splay_extend(void *spans, uint32_t end)
{
    struct splayed *tree = spans;
    tree->list.links[tree->list.links[0].older].end = end;
}

static uint32_t splay_size(const void *spans, uint32_t span)
{
    const struct splayed *tree = spans;
    return tree->splay.sizes[span];
}

static void splay_shrink(void *spans, uint32_t span)
{
    struct splayed *tree = spans;
    margay_splay_resize(&tree->splay, span, tree->splay.sizes[span] - 1);
}

static enum margay_status splay_append(void *spans, uint32_t end,
                                       uint32_t *span,
                                       struct margay_error *error)
{
    struct splayed *tree = spans;
    enum margay_status status = margay_splay_insert(&tree->splay, span, error);
    if (status == MARGAY_OK)
        status = list_reserve(&tree->list, tree->splay.capacity, error);
    if (status == MARGAY_OK)
        list_push(&tree->list, *span, end);
    return status;
}

static void splay_join_newer(void *spans, uint32_t span)
{
    struct splayed *tree = spans;
    uint32_t newer = tree->list.links[span].newer;
    uint32_t size = tree->splay.sizes[span];
    margay_splay_remove(&tree->splay, span);
    list_remove(&tree->list, span);
    if (size != 0)
        margay_splay_resize(&tree->splay, newer,
                            tree->splay.sizes[newer] + size);
    if (tree->list.mark == span)
        tree->list.mark = newer;
}

/* A splay tree has no other use for `joined`. */
static void splay_begin_renaming(void *spans)
{
    struct splayed *tree = spans;
    struct margay_span_links *links = tree->list.links;
    uint32_t number = 0;
    for (uint32_t span = links[0].newer; span != 0; span = links[span].newer)
        links[span].joined = ++number;
}

static uint32_t splay_rename_time(void *spans, uint32_t time)
{
    const struct splayed *tree = spans;
    return tree->list.links[find(tree, time)].joined;
}

static uint32_t splay_rename_ends(void *spans)
{
    struct splayed *tree = spans;
    return list_rename_ends(&tree->list);
}

const struct margay_spans_class margay_spans_splay = {
    .create = splay_create,
    .free_spans = splay_free,
    .host = splay_host,
    .size = splay_size,
    .shrink = splay_shrink,
    .append = splay_append,
    .extend = splay_extend,
    .join_newer = splay_join_newer,
    .begin_renaming = splay_begin_renaming,
    .rename_time = splay_rename_time,
    .rename_ends = splay_rename_ends,
};
