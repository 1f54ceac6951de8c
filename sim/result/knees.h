/* knees.h - the sizes at which a miss curve stops falling */
#ifndef MARGAY_SIM_RESULT_KNEES_H
#define MARGAY_SIM_RESULT_KNEES_H

#include "sim/result/csv_read.h"

#define KNEES_MOST  64 /* no more octaves than bits */
#define KNEES_USUAL 5  /* of a sentence */

struct knee_point {
    uint64_t size, misses; /* sizes ascend */
};

struct knee_curve {
    const struct knee_point *points;
    size_t count;
    uint64_t references;
    bool is_whole; /* a cache larger than the last misses as often as that */
};

/* Points at which there is a knee. */
struct knees {
    uint64_t list[KNEES_MOST];
    size_t count;
};

/* Find up to `most` knees, the sharpest first.  MARGAY_NO_MEMORY. */
enum margay_status knees_find(const struct knee_curve *curve, uint64_t most,
                              struct knees *knees, struct margay_error *error);

/* Has the table curves of LRU caches?  Where windows follow each other, knees
   are noise. */
bool knees_are_for(const struct cells *table);

/* Those of rows [first, end) of a table of curves, as rows and by their sizes;
   none where the rows are no curve. */
enum margay_status knees_of_rows(const struct cells *table, size_t first,
                                 size_t end, bool is_whole, struct knees *knees,
                                 struct margay_error *error);

#endif
