/*
 * row.h - consecutive parts of a trace, analysed at the same time
 *
 * Each part is fed by one thread.  When all have been fed the row is closed,
 * and is then like one part: it has first touches, and answers those of later
 * parts.
 */
#ifndef MARGAY_STACKDIST_ROW_H
#define MARGAY_STACKDIST_ROW_H

#include "stackdist/parts/part.h"

/* The most parts of a row. */
#define MARGAY_ROW_MAX_PARTS 64

struct margay_row {
    struct margay_part parts[MARGAY_ROW_MAX_PARTS];
    unsigned count;
    bool first; /* no references precede the row */
    bool exceeded;
    uint64_t *touches; /* of the row, once it is closed, unless it is first */
    uint64_t touch_count;
    margay_crew *crew;
    enum margay_status statuses[MARGAY_ROW_MAX_PARTS]; /* of the tasks */
    size_t least_share; /* as in struct margay_part_help, for tests */
};

/* Begin a row of `count` parts.  setup->refs is for each part.  The crew, of
   any size, is that of the caller, who may use it in between.  On failure the
   row can be freed. */
enum margay_status margay_row_begin(struct margay_row *row,
                                    const struct margay_part_setup *setup,
                                    unsigned count, margay_crew *crew,
                                    struct margay_error *error);
void margay_row_free(struct margay_row *row);

/* There will be no more references; parts from `count` on are left out. */
enum margay_status margay_row_close(struct margay_row *row, unsigned count,
                                    struct margay_error *error);

/* As the functions of a part; the parts before `end` answer. */
enum margay_status margay_row_answer(struct margay_row *row, unsigned end,
                                     uint64_t *blocks, size_t *count,
                                     struct margay_error *error);
uint64_t margay_row_left(const struct margay_row *row);
enum margay_status margay_row_list(struct margay_row *row, uint64_t **blocks,
                                   uint64_t *count, struct margay_error *error);

/* Make a result of the counts of all rows, the blocks that they have left, and
   a bound, UINT64_MAX = none. */
void margay_row_result(margay_histogram *histogram, uint64_t left,
                       uint64_t bound, bool exceeded,
                       struct margay_result *result);

/* At the end of a row that is the whole trace: the result, which the caller
   owns. */
enum margay_status margay_row_finish(struct margay_row *row,
                                     struct margay_result *result,
                                     struct margay_error *error);

/* At the end: add all counts, which are correct together with those of the
   other rows. */
enum margay_status margay_row_end(struct margay_row *row,
                                  margay_histogram *histogram,
                                  struct margay_error *error);

#endif
