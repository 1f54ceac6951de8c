/*
 * policy.c - a policy in Python, as a shared object
 *
 * The package copies the object for each class, and sets its functions, in its
 * process alone (_policy.py).
 */
#include <margay/policy.h>

struct margay_own_policy margay_own_policy = {
    .version = MARGAY_OWN_POLICY_VERSION,
};
