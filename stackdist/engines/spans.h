/*
 * spans.h - spans of time that can be joined
 *
 * Consecutive spans of time with the number of blocks in each, which are
 * searched by time.  A new span is added at the newer end, and two neighbours
 * can be joined.  Spans are numbers from 1 up; 0 is none.  Adding a span may
 * renumber all of them; the list's mark is renumbered with them.
 */
#ifndef MARGAY_STACKDIST_ORDER_SPANS_H
#define MARGAY_STACKDIST_ORDER_SPANS_H

#include <stdint.h>

#include <margay/status.h>

struct margay_spans_class {
    enum margay_status (*create)(void **spans, struct margay_error *error);
    void (*free_spans)(void *spans);

    /* The span that `time` is in, of which there must be one, and the number of
       blocks in newer spans. */
    uint32_t (*host)(void *spans, uint32_t time, uint32_t *newer_blocks);

    uint32_t (*size)(const void *spans, uint32_t span);

    /* One block leaves. */
    void (*shrink)(void *spans, uint32_t span);

    /* A new span of one block, up to `end`.  MARGAY_NO_MEMORY. */
    enum margay_status (*append)(void *spans, uint32_t end, uint32_t *span,
                                 struct margay_error *error);

    /* Make the newest span end later. */
    void (*extend)(void *spans, uint32_t end);

    /* Join a span to its newer neighbour, which keeps its number. */
    void (*join_newer)(void *spans, uint32_t span);

    /* As in struct margay_approximate_class. */
    void (*begin_renaming)(void *spans);
    uint32_t (*rename_time)(void *spans, uint32_t time);
    uint32_t (*rename_ends)(void *spans);
};

extern const struct margay_spans_class margay_spans_btree;
extern const struct margay_spans_class margay_spans_splay;

/*
 * What both trees begin with: the spans as a list, which a pointer to either
 * tree points to.
 */
struct margay_span_links {
    uint32_t older, newer; /* the neighbours; 0 = none */
    uint32_t end;          /* the last time of the span */
    uint32_t joined;       /* the span that this one was joined to, or itself */
};

struct margay_span_list {
    struct margay_span_links *links; /* links[0].older is the newest span, and
                                        links[0].newer the oldest */
    uint32_t capacity;
    uint32_t count;
    uint32_t mark; /* 0 = none */
};

#endif
