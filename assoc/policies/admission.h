/*
 * admission.h - which objects that miss come into a cache
 *
 * `admit=` stands among the parameters of any policy for objects.  What is not
 * admitted is a miss, is not stored and evicts nothing, and the policy learns
 * nothing of it.
 */
#ifndef MARGAY_ASSOC_ADMISSION_H
#define MARGAY_ASSOC_ADMISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

enum margay_admission_rule {
    MARGAY_ADMIT_ALL,
    MARGAY_ADMIT_SMALL,  /* size<N: of fewer than N bytes */
    MARGAY_ADMIT_SOME,   /* P: with this probability */
    MARGAY_ADMIT_SECOND, /* second-hit: what has been asked for before */
};

struct margay_admission {
    enum margay_admission_rule rule;
    uint64_t bytes;
    double probability;
};

/* Take the admission out of the spec of a policy: `plain`, which has room for
   `spec`, is the rest.  MARGAY_BAD_ARGUMENT. */
enum margay_status margay_admission_take(const char *spec, char *plain,
                                         struct margay_admission *admission,
                                         struct margay_error *error);

#endif
