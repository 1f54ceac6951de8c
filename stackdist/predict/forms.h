/*
 * forms.h - a histogram of finite distances as bars that are learnt from
 *
 * A distance histogram has a bar for each bin of distances, in which the share
 * of references varies from run to run; a reference histogram has a bar for
 * each of P groups of equal mass, in which the distance does.
 *
 * Source: Zhong, Shen, Ding, "Program locality analysis using reuse distance",
 * ACM TOPLAS 31(6), 2009, section 3.1.
 */
#ifndef MARGAY_STACKDIST_PREDICT_FORMS_H
#define MARGAY_STACKDIST_PREDICT_FORMS_H

#include <stddef.h>

#include <margay/stackdist.h>

/* References that are close together: at most so many in a bar. */
#define MARGAY_MOST_GRAINS 32

struct margay_grain {
    double share; /* of all references at finite distances */
    double least, most;
};

struct margay_bar {
    uint64_t from, to;        /* the bin: distances in [from, to) */
    double share;             /* of the references at finite distances */
    double mean, least, most; /* of the distances that occur */
    size_t first_grain, grain_count;
};

struct margay_form {
    struct margay_bar *bars; /* owned; empty bins have none */
    size_t count;
    struct margay_grain *grains; /* owned; those of a bar in a row */
    size_t grain_count;
};

/*
 * The bars of a histogram that has finite distances, neighbours joined two by
 * two until there are at most `most_bars`, unless that is 0.  The grains of a
 * bar are its distances, or groups of equal mass where these are too many.
 * MARGAY_NO_MEMORY on failure, with nothing to release.
 */
enum margay_status margay_form_make(const margay_histogram *histogram,
                                    const struct margay_bins *bins,
                                    size_t most_bars, struct margay_form *form,
                                    struct margay_error *error);

/* Zeroed and cleared ones are fine. */
void margay_form_clear(struct margay_form *form);

#endif
