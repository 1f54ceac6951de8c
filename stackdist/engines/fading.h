/* fading.h - histograms whose counts fade: see fading.c */
#ifndef MARGAY_STACKDIST_FADING_H
#define MARGAY_STACKDIST_FADING_H

#include <margay/stackdist.h>

struct margay_mass {
    uint64_t distance;
    double references;
};

/* The masses of the pieces that have ended; zero it to begin. */
struct margay_faded {
    struct margay_mass *list; /* distances ascending, infinite ones last */
    size_t count;
};

void margay_faded_clear(struct margay_faded *faded);

/* Add the counts of a piece that has ended to the masses, and multiply these by
   `factor`.  MARGAY_NO_MEMORY. */
enum margay_status margay_faded_add(struct margay_faded *faded,
                                    const margay_histogram *counts,
                                    double factor, struct margay_error *error);

/* The sum of the masses, and of the counts of the piece that has begun. */
double margay_faded_total(const struct margay_faded *faded,
                          const margay_histogram *counts);

/* Replace the counts of the piece that has begun by those of all, in multiples
   of 2^-fraction_bits, with its bound.  MARGAY_NO_MEMORY leaves them. */
enum margay_status margay_faded_complete(const struct margay_faded *faded,
                                         unsigned fraction_bits,
                                         margay_histogram **counts,
                                         struct margay_error *error);

#endif
