/* row.c - consecutive parts of a trace, analysed at the same time */
#include "stackdist/parts/row.h"

#include <stdlib.h>
#include <string.h>

#include "stackdist/engine.h"

/* Run tasks that leave their outcomes in row->statuses. */
static enum margay_status run_tasks(struct margay_row *row,
                                    void (*run)(void *context, size_t i),
                                    void *context, unsigned tasks,
                                    struct margay_error *error)
{
    margay_crew_run(row->crew, run, context, tasks);
    for (unsigned i = 0; i < tasks; i++) {
        if (row->statuses[i] != MARGAY_OK)
            return margay_fail_memory(error, "the parts of a trace");
    }
    return MARGAY_OK;
}

struct beginning {
    struct margay_row *row;
    const struct margay_part_setup *first;
    struct margay_part_setup later;
};

/* A task, so that tables are made by the threads that use them. */
static void begin_part(void *context, size_t i)
{
    struct beginning *beginning = context;
    struct margay_row *row = beginning->row;
    row->statuses[i] = margay_part_begin(
        &row->parts[i], i == 0 ? beginning->first : &beginning->later, NULL);
}

enum margay_status margay_row_begin(struct margay_row *row,
                                    const struct margay_part_setup *setup,
                                    unsigned count, margay_crew *crew,
                                    struct margay_error *error)
{
    struct beginning beginning = {.row = row, .first = setup, .later = *setup};
    beginning.later.first = false;
    beginning.later.blocks = NULL;
    beginning.later.block_count = 0;
    *row = (struct margay_row){
        .count = count, .first = setup->first, .crew = crew};
    return run_tasks(row, begin_part, &beginning, count, error);
}

void margay_row_free(struct margay_row *row)
{
    for (unsigned i = 0; i < MARGAY_ROW_MAX_PARTS; i++)
        margay_part_free(&row->parts[i]);
    free(row->touches);
    *row = (struct margay_row){.count = 0};
}

/* ------------------------------------------------------------- questions -- */

enum margay_status margay_row_answer(struct margay_row *row, unsigned end,
                                     uint64_t *blocks, size_t *count,
                                     struct margay_error *error)
{
    const struct margay_part_help help = {.crew = row->crew,
                                          .parts = row->parts,
                                          .part_count = row->count,
                                          .least_share = row->least_share};
    enum margay_status status = MARGAY_OK;
    while (end-- > 0 && status == MARGAY_OK)
        status =
            margay_part_answer(&row->parts[end], blocks, count, &help, error);
    return status;
}

/* The first touches of all parts, on their way to the first one. */
struct travel {
    struct margay_row *row;
    unsigned distance; /* from a part to the one that asks it */
    size_t left[MARGAY_ROW_MAX_PARTS];
};

/* A task: part i answers one list. */
static void answer_one(void *context, size_t i)
{
    static const struct margay_part_help none;
    struct travel *travel = context;
    struct margay_row *row = travel->row;
    size_t asking = i + travel->distance, count;
    uint64_t *blocks = margay_part_touches(&row->parts[asking], &count);
    row->statuses[i] = margay_part_answer(&row->parts[i], blocks,
                                          &travel->left[asking], &none, NULL);
}

/* A part answers nearer parts before farther ones, and is answered likewise. */
static enum margay_status ask_all(struct travel *travel,
                                  struct margay_error *error)
{
    struct margay_row *row = travel->row;
    enum margay_status status = MARGAY_OK;
    /* Are there too few blocks for threads to share a list?  Then each takes a
       part, and all lists move on at the same time: in p - 1 rounds, where one
       list after the other would take p (p - 1) / 2 steps. */
    size_t all = 0;
    size_t least =
        row->least_share == 0 ? MARGAY_LEAST_SHARE : row->least_share;
    for (unsigned i = 1; i < row->count; i++)
        all += travel->left[i];
    if (row->count > 2 && 2 * (all / (row->count - 1)) < row->count * least) {
        while (++travel->distance < row->count && status == MARGAY_OK)
            status = run_tasks(row, answer_one, travel,
                               row->count - travel->distance, error);
        return status;
    }
    for (unsigned i = 1; i < row->count && status == MARGAY_OK; i++) {
        size_t count;
        uint64_t *blocks = margay_part_touches(&row->parts[i], &count);
        status = margay_row_answer(row, i, blocks, &travel->left[i], error);
    }
    return status;
}

/* Put blocks at the end of a list. */
static enum margay_status append(uint64_t **list, uint64_t *count,
                                 const uint64_t *blocks, uint64_t more,
                                 struct margay_error *error)
{
    uint64_t *grown = realloc(*list, (*count + more + 1) * sizeof *grown);
    if (grown == NULL)
        return margay_fail_memory(error, "the blocks of a row");
    memcpy(grown + *count, blocks, more * sizeof *grown);
    *list = grown;
    *count += more;
    return MARGAY_OK;
}

static void close_part(void *context, size_t i)
{
    struct margay_row *row = context;
    row->statuses[i] = margay_part_close(&row->parts[i], NULL);
}

enum margay_status margay_row_close(struct margay_row *row, unsigned count,
                                    struct margay_error *error)
{
    while (row->count > count)
        margay_part_free(&row->parts[--row->count]);
    enum margay_status status = run_tasks(row, close_part, row, count, error);
    struct travel travel = {.row = row};
    uint64_t *touches[MARGAY_ROW_MAX_PARTS];
    for (unsigned i = 0; i < row->count && status == MARGAY_OK; i++)
        touches[i] = margay_part_touches(&row->parts[i], &travel.left[i]);
    if (status == MARGAY_OK)
        status = ask_all(&travel, error);
    /* First touches of a part that no other part of the row has are first
       touches of the row. */
    for (unsigned i = 0; i < row->count && status == MARGAY_OK; i++) {
        if (!row->first && travel.left[i] > 0)
            status = append(&row->touches, &row->touch_count, touches[i],
                            travel.left[i], error);
    }
    return status;
}

/* --------------------------------------------------------------- the end -- */

uint64_t margay_row_left(const struct margay_row *row)
{
    uint64_t left = 0;
    for (unsigned i = 0; i < row->count; i++)
        left += margay_part_left(&row->parts[i]);
    return left;
}

enum margay_status margay_row_list(struct margay_row *row, uint64_t **blocks,
                                   uint64_t *count, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *count = 0;
    *blocks = NULL;
    for (unsigned i = 0; i < row->count && status == MARGAY_OK; i++) {
        uint64_t *some, some_count;
        status = margay_part_list(&row->parts[i], &some, &some_count, error);
        if (status != MARGAY_OK)
            break;
        status = append(blocks, count, some, some_count, error);
        free(some);
    }
    if (status != MARGAY_OK) {
        free(*blocks);
        *blocks = NULL;
    }
    return status;
}

/* A task.  After a failure margay_part_end() fails again. */
static void finish_part(void *context, size_t i)
{
    struct margay_row *row = context;
    margay_part_finish(&row->parts[i], NULL);
}

enum margay_status margay_row_end(struct margay_row *row,
                                  margay_histogram *histogram,
                                  struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    margay_crew_run(row->crew, finish_part, row, row->count);
    for (unsigned i = 0; i < row->count && status == MARGAY_OK; i++) {
        status = margay_part_end(&row->parts[i], histogram, error);
        row->exceeded = row->exceeded || row->parts[i].exceeded;
    }
    return status;
}

void margay_row_result(margay_histogram *histogram, uint64_t left,
                       uint64_t bound, bool exceeded,
                       struct margay_result *result)
{
    exceeded = exceeded || left > bound;
    if (exceeded)
        margay_histogram_set_exceeded_bound(histogram, bound);
    *result = (struct margay_result){
        .histogram = histogram,
        .references = margay_histogram_references(histogram),
        .infinite = margay_histogram_infinite(histogram),
        .distinct_blocks = exceeded ? bound + 1 : left,
    };
}

enum margay_status margay_row_finish(struct margay_row *row,
                                     struct margay_result *result,
                                     struct margay_error *error)
{
    uint64_t left = margay_row_left(row), bound = row->parts[0].bound;
    margay_histogram *histogram;
    *result = (struct margay_result){0};
    enum margay_status status = margay_histogram_create(&histogram, error);
    if (status == MARGAY_OK)
        status = margay_row_end(row, histogram, error);
    if (status != MARGAY_OK) {
        margay_histogram_free(histogram);
        return status;
    }
    margay_row_result(histogram, left, bound, row->exceeded, result);
    return MARGAY_OK;
}
