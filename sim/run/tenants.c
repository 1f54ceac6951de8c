/*
 * tenants.c - whose references miss in a shared cache, and in one of their own
 *
 * Algorithm: in the cache that all share, a reference hits iff its distance in
 *   the stack of all is below the size, so that its miss is its tenant's at
 *   every size.  So an engine hands its distances on to the engines of the
 *   tenants (split.c), each of which counts these next to those of its own.
 * Guarantee: both exact, below the bound if there is one.
 * Cost: two engines' work on each reference.  Memory: that of both stacks, and
 *   about 170 KB for each tenant.
 */
#include <stdlib.h>

#include "traces/traces_internal.h"
#include <margay/questions.h>

static enum margay_status check_engine(
    const struct margay_engine_request *engine, struct margay_error *error)
{
    struct margay_engine_abilities abilities;
    enum margay_status status =
        margay_engine_abilities(engine->spec == NULL ? "exact" : engine->spec,
                                MARGAY_REUSE_DISTANCES, &abilities, error);
    if (status == MARGAY_OK && !abilities.info->exact)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "tenants take exact distances, and engine %s is not "
                           "exact",
                           abilities.info->name);
    return status;
}

/* The sizes are for the cache of all to check. */
enum margay_status margay_tenants_question(
    const struct margay_engine_request *engine, enum margay_attribution by,
    margay_question **question, struct margay_error *error)
{
    struct margay_engine_request together = *engine, alone = *engine;
    margay_question *inner = NULL, *next = NULL;
    together.writebacks = false;
    alone.sizes = NULL;
    alone.shared = true;
    *question = NULL;
    enum margay_status status = check_engine(engine, error);
    if (status == MARGAY_OK)
        status = margay_engine_question(&alone, NULL, &inner, error);
    if (status == MARGAY_OK)
        status = margay_split_question(by, inner, &next, error);
    return status == MARGAY_OK
               ? margay_engine_question(&together, next, question, error)
               : status;
}
