/* gate.h - what is worse in a table than in another of its kind */
#ifndef MARGAY_SIM_COMMAND_GATE_H
#define MARGAY_SIM_COMMAND_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/result/match.h"

/* A value of a judged column that is another one. */
struct change {
    size_t row, column; /* of the base */
    double rise;        /* as a fraction of 1 */
    bool is_lost;       /* one of the tables has no value */
};

/* The ratios of two tables, or, where they have none, the misses. */
struct gate {
    const struct match *match; /* of the caller */
    enum column_role judged;   /* COLUMN_RATIO or COLUMN_MISSES */
    size_t references;         /* the column of them, if misses are judged */
    double tolerance;
    struct change *changes; /* owned */
    size_t change_count, compared_count, worse_count;
};

/*
 * Compare what is judged in all rows.  A ratio is worse if it rose by more than
 * `tolerance`, misses if they rose by more than that part of the base's
 * references, and either if only one of the tables has a value.
 * MARGAY_BAD_INPUT, with the line, if a value is no number.  Call gate_clear()
 * in any case.
 */
enum margay_status gate_judge(struct gate *gate, const struct match *match,
                              double tolerance, struct margay_error *error);

/* Keep messages that say what is worse, the largest rise first. */
void gate_tell(const struct gate *gate);

void gate_clear(struct gate *gate);

#endif
