/* admission.c - what a spec says of the objects that come into a cache */
#define _GNU_SOURCE
#include "assoc/policies/admission.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

static bool read_rule(const char *value, struct margay_admission *admission)
{
    char *end;
    bool suffixed;
    if (strcmp(value, "second-hit") == 0) {
        admission->rule = MARGAY_ADMIT_SECOND;
        return true;
    }
    if (strncmp(value, "size<", 5) == 0) {
        admission->rule = MARGAY_ADMIT_SMALL;
        return margay_parse_size(value + 5, "admit", &admission->bytes,
                                 &suffixed, NULL) == MARGAY_OK;
    }
    admission->rule = MARGAY_ADMIT_SOME;
    admission->probability = strtod(value, &end);
    return end != value && *end == '\0' &&
           value[strspn(value, "0123456789.")] == '\0' &&
           admission->probability <= 1;
}

enum margay_status margay_admission_take(const char *spec, char *plain,
                                         struct margay_admission *admission,
                                         struct margay_error *error)
{
    char value[64] = "";
    const char *at = strstr(spec, "admit=");
    *admission = (struct margay_admission){.rule = MARGAY_ADMIT_ALL};
    strcpy(plain, spec);
    if (at == NULL || at == spec || (at[-1] != ':' && at[-1] != ','))
        return MARGAY_OK;
    const char *from = at + strlen("admit="), *end = strchrnul(from, ',');
    /* A parameter that follows takes its place. */
    if (*end == ',')
        strcpy(plain + (at - spec), end + 1);
    else
        plain[at - spec - 1] = '\0';
    if ((size_t)(end - from) < sizeof value)
        memcpy(value, from, (size_t)(end - from));
    if (!read_rule(value, admission) || strstr(plain, "admit=") != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s: expected one admit=size<N, "
                           "admit=second-hit, or admit=P, a probability",
                           spec);
    return MARGAY_OK;
}
