/*
 * spans.h - spans of time that can be joined
 *
 * Consecutive spans of time with the number of blocks in each, as an order
 * that is searched by time.  Two neighbours can be joined, and a new span
 * begins at the newer end.  Spans are small numbers from 1 up, 0 is none; one
 * of them, the mark, is kept hold of when they are numbered anew, which may
 * happen whenever one is added.
 */
#ifndef MARGAY_STACKDIST_ORDER_SPANS_H
#define MARGAY_STACKDIST_ORDER_SPANS_H

#include <stdint.h>

#include <margay/status.h>

struct margay_spans_class {
    enum margay_status (*create)(void **spans, struct margay_error *error);
    void (*free_spans)(void *spans);

    /* The span that `time` is in, which must be, and the blocks in newer
       ones. */
    uint32_t (*host)(void *spans, uint32_t time, uint32_t *newer_blocks);

    uint32_t (*size)(const void *spans, uint32_t span);

    /* One block leaves. */
    void (*shrink)(void *spans, uint32_t span);

    /* A new span of one block, up to `end`.  MARGAY_NO_MEMORY. */
    enum margay_status (*append)(void *spans, uint32_t end, uint32_t *span,
                                 struct margay_error *error);

    /* Where a span ends; the newest may be made to end later. */
    uint32_t (*end)(const void *spans, uint32_t span);
    void (*extend)(void *spans, uint32_t end);

    /* The neighbours; 0 = none. */
    uint32_t (*older)(const void *spans, uint32_t span);
    uint32_t (*newer)(const void *spans, uint32_t span);

    /* Join a span to its newer neighbour, which keeps its number. */
    void (*join_newer)(void *spans, uint32_t span);

    uint32_t (*mark)(const void *spans);
    void (*set_mark)(void *spans, uint32_t span);

    uint32_t (*count)(const void *spans);

    /* As in struct margay_approximate_class. */
    void (*begin_renaming)(void *spans);
    uint32_t (*rename_time)(void *spans, uint32_t time);
    uint32_t (*rename_ends)(void *spans);
};

extern const struct margay_spans_class margay_spans_btree;
extern const struct margay_spans_class margay_spans_splay;

/* What both have: a list of the spans, and their ends. */
struct margay_span_links {
    uint32_t older, newer;
    uint32_t end;
    uint32_t joined; /* a span that was joined: to which; else itself */
};

struct margay_span_list {
    struct margay_span_links
        *links; /* [0]: newest is `older`, oldest `newer` */
    uint32_t capacity;
    uint32_t count; /* of the list */
    uint32_t mark;
};

enum margay_status margay_span_list_reserve(struct margay_span_list *list,
                                            uint32_t capacity,
                                            struct margay_error *error);
void margay_span_list_push(struct margay_span_list *list, uint32_t span,
                           uint32_t end);
void margay_span_list_remove(struct margay_span_list *list, uint32_t span);

/* Number the ends 1, 2, ... from the oldest on; returns the last. */
uint32_t margay_span_list_rename_ends(struct margay_span_list *list);

#endif
