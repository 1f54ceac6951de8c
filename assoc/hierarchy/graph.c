/* graph.c - checking lists of levels */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "assoc/hierarchy/node.h"

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

/* Refuse level `at` of the machine in a message that begins with its name. */
static __attribute__((format(printf, 3, 4))) enum margay_status refuse(
    const struct machine *machine, size_t at, const char *format, ...)
{
    char text[MARGAY_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    *machine->wrong = at;
    return margay_fail(machine->error, MARGAY_BAD_ARGUMENT, "%s: %s",
                       machine->levels[at].name, text);
}

/* ------------------------------------------------------- one level alone -- */

static enum margay_status check_memory(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    if (level->next != MARGAY_NO_LEVEL)
        return refuse(machine, machine->index,
                      "next: found '%s', expected nothing after a "
                      "memory, which is a level without bytes",
                      machine->levels[level->next].name);
    if (margay_level_is_first(machine->levels, machine->count, machine->index))
        return refuse(machine, machine->index,
                      "bytes: found none, which a memory has, expected "
                      "a level that names this one as its next");
    return MARGAY_OK;
}

static enum margay_status check_blocks(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    if (!margay_is_power_of_two(level->block_bytes))
        return refuse(machine, machine->index,
                      "block_bytes: found %" PRIu64 ", expected a power of two",
                      level->block_bytes);
    uint64_t blocks = level->bytes / level->block_bytes;
    if (level->bytes % level->block_bytes != 0)
        return refuse(machine, machine->index,
                      "bytes: found %" PRIu64
                      ", expected a multiple of the block, %" PRIu64,
                      level->bytes, level->block_bytes);
    if (blocks > MARGAY_MOST_SLOTS)
        return refuse(machine, machine->index,
                      "bytes: found %" PRIu64
                      " blocks, expected at most %" PRIu64,
                      blocks, MARGAY_MOST_SLOTS);
    if (level->ways != 0 && blocks % level->ways != 0)
        return refuse(machine, machine->index,
                      "ways: found %" PRIu64
                      ", expected a divisor of the %" PRIu64
                      " block%s, or 0 for all of them",
                      level->ways, blocks, margay_plural(blocks, "s"));
    if (level->ways != 0 && blocks / level->ways > MARGAY_MOST_SETS)
        return refuse(machine, machine->index,
                      "ways: found %" PRIu64 " sets of %" PRIu64
                      ", expected at most %" PRIu64 " sets",
                      blocks / level->ways, level->ways, MARGAY_MOST_SETS);
    return MARGAY_OK;
}

static enum margay_status check_sets(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    uint64_t sets =
        level->bytes / level->block_bytes / margay_level_ways(level);
    uint64_t slices = level->slices == 0 ? 1 : level->slices;
    if (slices > MARGAY_MOST_SLICES || !margay_is_power_of_two(slices) ||
        sets % slices != 0)
        return refuse(machine, machine->index,
                      "slices: found %" PRIu64
                      ", expected 2, 4 or 8, for which a hash was "
                      "published, and a divisor of the %" PRIu64 " set%s",
                      slices, sets, margay_plural(sets, "s"));
    if (level->index == MARGAY_INDEX_XOR &&
        !margay_is_power_of_two(sets / slices))
        return refuse(machine, machine->index,
                      "index: found 'xor', expected 'modulo' for "
                      "%" PRIu64 " sets, no power of two",
                      sets / slices);
    if (level->victim_blocks > MARGAY_MOST_SLOTS)
        return refuse(machine, machine->index,
                      "victim_blocks: found %" PRIu64
                      ", expected at most %" PRIu64,
                      level->victim_blocks, MARGAY_MOST_SLOTS);
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
        return missing == NULL ? MARGAY_OK
                               : refuse(machine, machine->index,
                                        "policy: found '%s', which "
                                        "needs the future, expected %s",
                                        spec, missing);
    }
    if (policy->info.abilities & MARGAY_POLICY_EVEN_WAYS && ways > 1 &&
        ways % 2 != 0)
        return refuse(machine, machine->index,
                      "ways: found %" PRIu64 ", expected an even number for %s",
                      ways, spec);
    if (policy->memory != NULL && loses_blocks(machine))
        return refuse(
            machine, machine->index,
            "policy: found '%s', which remembers blocks, expected another "
            "one where exclusive, inclusive and coherent levels take blocks "
            "out",
            spec);
    return MARGAY_OK;
}

static enum margay_status check_alone(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    if (level->bytes == 0)
        return check_memory(machine);
    enum margay_status status = check_blocks(machine);
    if (status == MARGAY_OK)
        status = check_sets(machine);
    return status == MARGAY_OK ? check_policy(machine) : status;
}

/* ------------------------------------------------------- levels together -- */

static enum margay_status check_names(const struct machine *machine)
{
    const char *name = machine->levels[machine->index].name;
    for (size_t i = 0; i < machine->index; i++) {
        if (strcmp(machine->levels[i].name, name) == 0)
            return refuse(machine, machine->index,
                          "cache: found '%s' a second time, expected "
                          "a name of its own",
                          name);
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
            return refuse(machine, machine->index,
                          "next: found '%s', which leads back to %s, "
                          "expected levels without a circle",
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
        return refuse(machine, machine->index,
                      "next: found '%s', which does not hold all that "
                      "%s holds, expected a level that does",
                      next->name, level->name);
    if (next->shared != 0 &&
        (level->shared == 0 || next->shared % level->shared != 0))
        return refuse(machine, level->next,
                      "shared: found %" PRIu64
                      ", expected a multiple of what %s has, which it is "
                      "next of",
                      next->shared, level->name);
    if (next->inclusion == MARGAY_EXCLUSIVE &&
        next->block_bytes != level->block_bytes)
        return refuse(machine, level->next,
                      "block_bytes: found %" PRIu64 ", expected %" PRIu64
                      " as %s has, as the level is exclusive",
                      next->block_bytes, level->block_bytes, level->name);
    return MARGAY_OK;
}

/* Its blocks hold whole blocks of all levels above. */
static enum margay_status check_inclusive(const struct machine *machine)
{
    const struct margay_level *levels = machine->levels;
    for (size_t at = levels[machine->index].next; at != MARGAY_NO_LEVEL;
         at = levels[at].next) {
        if (levels[at].inclusion == MARGAY_INCLUSIVE &&
            levels[at].block_bytes < levels[machine->index].block_bytes)
            return refuse(machine, at,
                          "block_bytes: found %" PRIu64 ", expected %" PRIu64
                          " or more as %s has, as the level is inclusive",
                          levels[at].block_bytes,
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
        return refuse(machine, machine->index,
                      "coherence: found 'mesi', expected it at a "
                      "cache that cores have for themselves, not where "
                      "all of them share %s",
                      level->bytes == 0 ? "a memory" : "one");
    for (size_t i = level->next; i != MARGAY_NO_LEVEL;
         i = machine->levels[i].next) {
        if (machine->levels[i].coherence != MARGAY_COHERENCE_NONE ||
            machine->levels[i].shared != 0)
            return refuse(machine, machine->index,
                          "coherence: found 'mesi' before %s, expected "
                          "it at the last private cache alone, as it is "
                          "also of those above, and the caches after "
                          "shared by all cores",
                          machine->levels[i].name);
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
        return refuse(machine, machine->index,
                      "write: found 'none', expected back or through, "
                      "as %s is coherent",
                      coherent->name);
    if (level->shared != coherent->shared)
        return refuse(machine, machine->index,
                      "shared: found %" PRIu64 ", expected %" PRIu64
                      " as %s has, which is coherent",
                      level->shared, coherent->shared, coherent->name);
    if (level->block_bytes != coherent->block_bytes)
        return refuse(machine, machine->index,
                      "block_bytes: found %" PRIu64 ", expected %" PRIu64
                      " as %s has, which is coherent",
                      level->block_bytes, coherent->block_bytes,
                      coherent->name);
    return MARGAY_OK;
}

static enum margay_status check_together(const struct machine *machine)
{
    const struct margay_level *level = &machine->levels[machine->index];
    if (level->inclusion == MARGAY_EXCLUSIVE &&
        margay_level_is_first(machine->levels, machine->count, machine->index))
        return refuse(machine, machine->index,
                      "inclusion: found 'exclusive', expected a level "
                      "that names this one as its next");
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
