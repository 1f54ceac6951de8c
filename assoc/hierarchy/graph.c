/* graph.c - checking lists of levels */
#include <inttypes.h>
#include <string.h>

#include "assoc/hierarchy/node.h"
#include "traces/traces_internal.h"

/* A level of a machine that is checked. */
struct machine {
    const struct margay_level *levels;
    size_t count;
    size_t index;               /* the level, */
    size_t *wrong;              /* gets the index of a faulty one, */
    struct margay_error *error; /* and why */
};

bool margay_level_is_first(const struct margay_level *levels, size_t count,
                           size_t index)
{
    for (size_t i = 0; i < count; i++) {
        if (levels[i].next == index)
            return false;
    }
    return true;
}

bool margay_level_needs_sites(const struct margay_level *level)
{
    if (level->bytes == 0)
        return false;
    return (level->prefetch & MARGAY_PREFETCH_STRIDE) != 0 ||
           (margay_policy_named(margay_policy_spec(level->policy))->abilities &
            MARGAY_POLICY_NEEDS_SITES) != 0;
}

/* ------------------------------------------------------- one level alone -- */

static enum margay_status check_memory(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    if (level->next != MARGAY_NO_LEVEL)
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: next: found '%s', expected nothing after a "
                           "memory, which is a level without bytes",
                           level->name, machine->levels[level->next].name);
    if (margay_level_is_first(machine->levels, machine->count, machine->index))
        return margay_fail(
            machine->error, MARGAY_BAD_ARGUMENT,
            "%s: bytes: found none, which a memory has, expected "
            "a level that names this one as its next",
            level->name);
    return MARGAY_OK;
}

static enum margay_status check_shape(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    if (!margay_is_power_of_two(level->block_bytes))
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: block_bytes: found %" PRIu64
                           ", expected a power of two",
                           level->name, level->block_bytes);
    uint64_t blocks = level->bytes / level->block_bytes;
    if (level->bytes % level->block_bytes != 0)
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: bytes: found %" PRIu64
                           ", expected a multiple of the block, %" PRIu64,
                           level->name, level->bytes, level->block_bytes);
    if (blocks > MARGAY_MOST_SLOTS)
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: bytes: found %" PRIu64
                           " blocks, expected at most %" PRIu64,
                           level->name, blocks, MARGAY_MOST_SLOTS);
    if (level->ways != 0 && blocks % level->ways != 0)
        return margay_fail(
            machine->error, MARGAY_BAD_ARGUMENT,
            "%s: ways: found %" PRIu64 ", expected a divisor of the %" PRIu64
            " block%s, or 0 for all of them",
            level->name, level->ways, blocks, margay_plural(blocks, "s"));
    if (level->ways != 0 && blocks / level->ways > MARGAY_MOST_SETS)
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: ways: found %" PRIu64 " sets of %" PRIu64
                           ", expected at most %" PRIu64 " sets",
                           level->name, blocks / level->ways, level->ways,
                           MARGAY_MOST_SETS);
    uint64_t sets = blocks / margay_level_ways(level);
    uint64_t slices = level->slices == 0 ? 1 : level->slices;
    if (slices > MARGAY_MOST_SLICES || !margay_is_power_of_two(slices) ||
        sets % slices != 0)
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: slices: found %" PRIu64
                           ", expected 2, 4 or 8, for which a hash was "
                           "published, and a divisor of the %" PRIu64 " set%s",
                           level->name, slices, sets, margay_plural(sets, "s"));
    if (level->index == MARGAY_INDEX_XOR &&
        !margay_is_power_of_two(sets / slices))
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: index: found 'xor', expected 'modulo' for "
                           "%" PRIu64 " sets, no power of two",
                           level->name, sets / slices);
    if (level->victim_blocks > MARGAY_MOST_SLOTS)
        return margay_fail(
            machine->error, MARGAY_BAD_ARGUMENT,
            "%s: victim_blocks: found %" PRIu64 ", expected at most %" PRIu64,
            level->name, level->victim_blocks, MARGAY_MOST_SLOTS);
    return MARGAY_OK;
}

/* Do blocks leave this level for other reasons than room? */
static bool loses_blocks(const struct machine *machine)
{
    const struct margay_level *levels = machine->levels;
    bool loses = levels[machine->index].inclusion == MARGAY_EXCLUSIVE ||
                 levels[machine->index].coherence != MARGAY_COHERENCE_NONE;
    for (size_t i = levels[machine->index].next; i != MARGAY_NO_LEVEL;
         i = levels[i].next)
        loses |= levels[i].inclusion == MARGAY_INCLUSIVE ||
                 levels[i].coherence != MARGAY_COHERENCE_NONE;
    return loses;
}

/* The reason why a level cannot have Belady's optimum, or NULL.  Its references
   must not depend on its blocks, nor these on anything else. */
static const char *missing_of_optimal(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    return level->next != MARGAY_NO_LEVEL &&
                   machine->levels[level->next].bytes != 0
               ? "a last level, which nothing but a memory comes after"
           : level->inclusion == MARGAY_INCLUSIVE
               ? "no inclusive level, as what leaves it is taken out above, "
                 "and changes the future"
           : level->inclusion != MARGAY_INCLUSION_NONE ||
                   level->victim_blocks > 0 || level->no_allocate ||
                   level->prefetch != MARGAY_PREFETCH_NONE ||
                   level->coherence != MARGAY_COHERENCE_NONE
               ? "a level that takes in what it lacks and nothing else"
               : NULL;
}

static enum margay_status check_policy(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    const char *spec = margay_policy_spec(level->policy);
    uint64_t ways = margay_level_ways(level);
    const struct margay_policy *policy;
    struct margay_settings settings = {.given = 0};
    struct margay_error why;
    enum margay_status status =
        margay_policy_parse(spec, &policy, &settings, &why);
    if (status != MARGAY_OK)
        return margay_fail(machine->error, status, "%s: policy: %s",
                           level->name, why.message);
    if (policy->info.abilities & MARGAY_POLICY_NEEDS_FUTURE) {
        const char *missing = missing_of_optimal(machine);
        if (policy != &margay_policy_opt || settings.choices[0] != 0)
            missing = "opt without bypass, or a policy of blocks that does not "
                      "need the future";
        return missing == NULL
                   ? MARGAY_OK
                   : margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                                 "%s: policy: found '%s', which "
                                 "needs the future, expected %s",
                                 level->name, spec, missing);
    }
    if (policy->info.abilities & MARGAY_POLICY_EVEN_WAYS && ways > 1 &&
        ways % 2 != 0)
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: ways: found %" PRIu64
                           ", expected an even number for %s",
                           level->name, ways, spec);
    if (policy->memory != NULL && loses_blocks(machine))
        return margay_fail(
            machine->error, MARGAY_BAD_ARGUMENT,
            "%s: policy: found '%s', which remembers blocks, expected another "
            "one where exclusive, inclusive and coherent levels take blocks "
            "out",
            level->name, spec);
    return MARGAY_OK;
}

static enum margay_status check_alone(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    if (level->bytes == 0)
        return check_memory(machine);
    enum margay_status status = check_shape(machine);
    return status == MARGAY_OK ? check_policy(machine) : status;
}

/* ------------------------------------------------------- levels together -- */

static enum margay_status check_names(const struct machine *machine)
{
    const char *name = machine->levels[machine->index].name;
    for (size_t i = 0; i < machine->index; i++) {
        if (strcmp(machine->levels[i].name, name) == 0)
            return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                               "%s: cache: found '%s' a second time, expected "
                               "a name of its own",
                               name, name);
    }
    return MARGAY_OK;
}

static enum margay_status check_cycle(const struct machine *machine)
{
    const struct margay_level *levels = machine->levels;
    size_t at = machine->index;
    for (size_t steps = 0; at != MARGAY_NO_LEVEL; steps++) {
        at = levels[at].next;
        if (at == machine->index || steps > machine->count)
            return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                               "%s: next: found '%s', which leads back to %s, "
                               "expected levels without a circle",
                               levels[machine->index].name,
                               levels[levels[machine->index].next].name,
                               levels[machine->index].name);
    }
    return MARGAY_OK;
}

static enum margay_status check_next(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    const struct margay_level *next = &machine->levels[level->next];
    if ((level->holds & ~next->holds) != 0)
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: next: found '%s', which does not hold all that "
                           "%s holds, expected a level that does",
                           level->name, next->name, level->name);
    *machine->wrong = level->next;
    if (next->shared != 0 &&
        (level->shared == 0 || next->shared % level->shared != 0))
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: shared: found %" PRIu64
                           ", expected a multiple of what %s has, which it is "
                           "next of",
                           next->name, next->shared, level->name);
    if (next->inclusion == MARGAY_EXCLUSIVE &&
        next->block_bytes != level->block_bytes)
        return margay_fail(
            machine->error, MARGAY_BAD_ARGUMENT,
            "%s: block_bytes: found %" PRIu64 ", expected %" PRIu64
            " as %s has, as the level is exclusive",
            next->name, next->block_bytes, level->block_bytes, level->name);
    return MARGAY_OK;
}

/* Its blocks hold whole blocks of all levels above. */
static enum margay_status check_inclusive(const struct machine *machine)
{
    const struct margay_level *levels = machine->levels;
    for (size_t at = levels[machine->index].next; at != MARGAY_NO_LEVEL;
         at = levels[at].next) {
        *machine->wrong = at;
        if (levels[at].inclusion == MARGAY_INCLUSIVE &&
            levels[at].block_bytes < levels[machine->index].block_bytes)
            return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                               "%s: block_bytes: found %" PRIu64
                               ", expected %" PRIu64
                               " or more as %s has, as the level is inclusive",
                               levels[at].name, levels[at].block_bytes,
                               levels[machine->index].block_bytes,
                               levels[machine->index].name);
    }
    return MARGAY_OK;
}

/* A coherent level and all levels above are private, and no level after it
   is. */
static enum margay_status check_coherent(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    if (level->coherence == MARGAY_COHERENCE_NONE)
        return MARGAY_OK;
    if (level->bytes == 0 || level->shared == 0)
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: coherence: found 'mesi', expected it at a "
                           "cache that cores have for themselves, not where "
                           "all of them share %s",
                           level->name, level->bytes == 0 ? "a memory" : "one");
    for (size_t i = level->next; i != MARGAY_NO_LEVEL;
         i = machine->levels[i].next) {
        if (machine->levels[i].coherence != MARGAY_COHERENCE_NONE ||
            machine->levels[i].shared != 0)
            return margay_fail(
                machine->error, MARGAY_BAD_ARGUMENT,
                "%s: coherence: found 'mesi' before %s, expected "
                "it at the last private cache alone, as it is "
                "also of those above, and the caches after "
                "shared by all cores",
                level->name, machine->levels[i].name);
    }
    return MARGAY_OK;
}

/* A level whose blocks a coherent one knows. */
static enum margay_status check_private(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    size_t at = machine->index;
    while (at != MARGAY_NO_LEVEL &&
           machine->levels[at].coherence == MARGAY_COHERENCE_NONE)
        at = machine->levels[at].next;
    if (at == MARGAY_NO_LEVEL)
        return MARGAY_OK;
    const struct margay_level *coherent = &machine->levels[at];
    if (level->writing == MARGAY_WRITE_NONE)
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: write: found 'none', expected back or through, "
                           "as %s is coherent",
                           level->name, coherent->name);
    if (level->shared != coherent->shared)
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: shared: found %" PRIu64 ", expected %" PRIu64
                           " as %s has, which is coherent",
                           level->name, level->shared, coherent->shared,
                           coherent->name);
    if (level->block_bytes != coherent->block_bytes)
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: block_bytes: found %" PRIu64
                           ", expected %" PRIu64
                           " as %s has, which is coherent",
                           level->name, level->block_bytes,
                           coherent->block_bytes, coherent->name);
    return MARGAY_OK;
}

static enum margay_status check_together(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    if (level->inclusion == MARGAY_EXCLUSIVE &&
        margay_level_is_first(machine->levels, machine->count, machine->index))
        return margay_fail(machine->error, MARGAY_BAD_ARGUMENT,
                           "%s: inclusion: found 'exclusive', expected a level "
                           "that names this one as its next",
                           level->name);
    if (level->next == MARGAY_NO_LEVEL)
        return MARGAY_OK;
    enum margay_status status = check_next(machine);
    return status == MARGAY_OK ? check_inclusive(machine) : status;
}

enum margay_status margay_machine_check(const struct margay_level *levels,
                                        size_t count, size_t *wrong,
                                        struct margay_error *error)
{
    static enum margay_status (*const checks[])(const struct machine *) = {
        check_names,    check_cycle,    check_alone,
        check_together, check_coherent, check_private};
    struct machine machine = {levels, count, 0, wrong, error};
    *wrong = 0;
    if (count == 0 || count > MARGAY_MOST_LEVELS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "found %zu levels, expected 1 to %d", count,
                           MARGAY_MOST_LEVELS);
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        for (size_t level = 0; level < count; level++) {
            machine.index = *wrong = level;
            enum margay_status status = checks[i](&machine);
            if (status != MARGAY_OK)
                return status;
        }
    }
    return MARGAY_OK;
}
