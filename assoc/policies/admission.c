/* admission.c - the admission of objects to a cache */
#define _GNU_SOURCE
#include "assoc/policies/admission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_rule(const char *value, struct margay_admission *admission)
{
    char *end;
    bool suffixed = false;
    if (strcmp(value, "second-hit") == 0) {
        admission->rule = MARGAY_ADMIT_SECOND;
        return true;
    }
    if (strcmp(value, "tinylfu") == 0) {
        admission->rule = MARGAY_ADMIT_FREQUENT;
        return true;
    }
    if (strncmp(value, "adaptsize", 9) == 0) {
        uint64_t *interval = &admission->adaptsize.interval;
        admission->rule = MARGAY_ADMIT_ADAPTED;
        *interval = MARGAY_ADAPTSIZE_INTERVAL;
        return value[9] == '\0' ||
               (value[9] == '@' &&
                margay_parse_size(value + 10, "admit", interval, &suffixed,
                                  NULL) == MARGAY_OK &&
                !suffixed && *interval > 0);
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

/* Take "KEY=VALUE" out of a spec; the next parameter takes its place.  A value
   that is too long is "?".  False: there is none. */
static bool take(char *spec, const char *key, char *value, size_t room)
{
    char *at = strstr(spec, key);
    if (at == NULL || at == spec || (at[-1] != ':' && at[-1] != ','))
        return false;
    char *from = at + strlen(key), *end = strchrnul(from, ',');
    size_t bytes = (size_t)(end - from);
    snprintf(value, room, "%.*s", (int)(bytes < room ? bytes : 1),
             bytes < room ? from : "?");
    if (*end == ',')
        memmove(at, end + 1, strlen(end));
    else
        at[-1] = '\0';
    return true;
}

enum margay_status margay_admission_take(const char *spec, char *plain,
                                         struct margay_admission *admission,
                                         struct margay_error *error)
{
    char value[64];
    bool suffixed;
    *admission = (struct margay_admission){.rule = MARGAY_ADMIT_ALL};
    strcpy(plain, spec);
    if (take(plain, "admit=", value, sizeof value) &&
        (!read_rule(value, admission) || strstr(plain, "admit=") != NULL))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s: expected one admit=size<N, "
                           "admit=second-hit, admit=adaptsize, "
                           "admit=adaptsize@REQUESTS, admit=tinylfu, or "
                           "admit=P, a probability",
                           spec);
    if (take(plain, "tier=", value, sizeof value) &&
        (margay_parse_size(value, "tier", &admission->tier_bytes, &suffixed,
                           NULL) != MARGAY_OK ||
         admission->tier_bytes == 0 || strstr(plain, "tier=") != NULL))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s: expected one tier=BYTES, of 1 byte at "
                           "least",
                           spec);
    return MARGAY_OK;
}

enum margay_status margay_admission_check(
    const struct margay_admission *admission,
    const struct margay_policy *policy, const char *spec,
    struct margay_error *error)
{
    if (admission->rule != MARGAY_ADMIT_ALL && policy->feed_objects == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s: no objects come into it to be admitted",
                           spec);
    if (admission->tier_bytes > 0 &&
        (policy->info.abilities & MARGAY_POLICY_ONLY_OBJECTS))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s: it knows the future of requests, and "
                           "not of what a tier lets through",
                           spec);
    if (admission->rule == MARGAY_ADMIT_FREQUENT && policy->victim == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s: admit=tinylfu needs to know the victim "
                           "before it leaves (expected lru, fifo, lfu, slru, "
                           "lfuda or gdsf)",
                           spec);
    return MARGAY_OK;
}

void margay_admission_set_up(struct margay_admission *admission,
                             const struct margay_policy_setup *setup,
                             struct margay_layout *layout)
{
    margay_random_seed(&admission->chances, ~setup->seed);
    if (admission->rule == MARGAY_ADMIT_SECOND)
        admission->asked = margay_lay_out(layout, setup->slots);
    if (admission->rule == MARGAY_ADMIT_ADAPTED)
        margay_adaptsize_set_up(&admission->adaptsize, setup, layout);
    if (admission->rule == MARGAY_ADMIT_FREQUENT)
        margay_sketch_set_up(&admission->sketch, 1, setup->ways, layout);
}

void margay_admission_watch(struct margay_admission *admission, uint32_t object,
                            const struct margay_amounts *sizes)
{
    if (admission->rule == MARGAY_ADMIT_ADAPTED)
        margay_adaptsize_watch(&admission->adaptsize, object, sizes);
    else
        margay_sketch_use(&admission->sketch, 0, object);
}

bool margay_admission_admits(struct margay_admission *admission,
                             uint32_t object, uint64_t bytes, uint32_t victim)
{
    double probability = admission->probability;
    bool asked;
    switch (admission->rule) {
    case MARGAY_ADMIT_SMALL:
        return bytes < admission->bytes;
    case MARGAY_ADMIT_ADAPTED:
        probability =
            margay_adaptsize_probability(&admission->adaptsize, bytes);
        /* fall through */
    case MARGAY_ADMIT_SOME:
        return (double)(margay_random_u64(&admission->chances) >> 11) <
               probability * 0x1p53;
    case MARGAY_ADMIT_SECOND:
        asked = admission->asked[object] != 0;
        admission->asked[object] = 1;
        return asked;
    case MARGAY_ADMIT_FREQUENT:
        return victim == MARGAY_NO_SLOT ||
               margay_sketch_frequency(&admission->sketch, 0, object) >
                   margay_sketch_frequency(&admission->sketch, 0, victim);
    default:
        return true;
    }
}
