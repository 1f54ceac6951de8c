/* machine_table.c - the rows of machines */
#include "sim/result/machine.h"

#include <math.h>
#include <stdlib.h>

#include "sim/result/tables.h"
#include "traces/traces_internal.h"

static const struct margay_level *levels_of(
    const struct machine_results *results, size_t machine)
{
    return results->levels + machine * results->machine->count;
}

void machines_find(const struct machine_results *results, bool *have_cycles,
                   bool *are_coherent)
{
    size_t count = results->machine->count * machine_count(results->machine);
    *have_cycles = *are_coherent = false;
    for (size_t i = 0; i < count; i++) {
        *have_cycles |= results->levels[i].cycles != 0;
        *are_coherent |= results->levels[i].coherence != MARGAY_COHERENCE_NONE;
    }
}

const uint64_t *machine_references(const struct machine_results *results)
{
    size_t all = results->machine->count * machine_count(results->machine);
    return results->counts[all].references;
}

uint64_t machine_instructions(const struct machine_results *results)
{
    return results->instructions == 0
               ? machine_references(results)[MARGAY_FETCH]
               : results->instructions;
}

const char *machines_unknown(const struct machine_results *results)
{
    size_t count = results->machine->count;
    for (size_t i = 0; i < count * machine_count(results->machine); i++) {
        const struct margay_level *levels = levels_of(results, i / count);
        const struct margay_level *level = &levels[i % count];
        if (level->cycles == 0 || results->counts[i].demand_misses == 0)
            continue;
        if (level->next == MARGAY_NO_LEVEL)
            return "memory";
        if (levels[level->next].cycles == 0)
            return levels[level->next].name;
    }
    return NULL;
}

double machine_access_cycles(const struct machine_results *results,
                             size_t machine)
{
    size_t count = results->machine->count;
    double cycles = 0;
    for (size_t i = machine * count; i < (machine + 1) * count; i++)
        cycles +=
            results->levels[i].cycles * (double)results->counts[i].lookups;
    return cycles / (double)of_all_kinds(machine_references(results));
}

void table_varied(struct csv_writer *csv, const struct machine *machine,
                  size_t index)
{
    for (size_t i = 0; i < machine->varied_count; i++) {
        const char *value = machine_value(machine, index, i);
        uint64_t number;
        if (margay_parse_u64(value, &number))
            csv_u64(csv, number);
        else
            csv_text(csv, value);
    }
}

/* ------------------------------------------------------------ the caches -- */

static void write_ratio(struct csv_writer *csv, uint64_t references,
                        uint64_t misses)
{
    csv_count(csv, references, 1);
    csv_count(csv, misses, 1);
    csv_share(csv, misses, references);
}

static void write_mpki(struct csv_writer *csv, uint64_t misses,
                       uint64_t instructions)
{
    csv_decimal(csv, instructions == 0
                         ? NAN
                         : (double)misses * 1000 / (double)instructions);
}

/* The counts of coherence are empty where a cache is not coherent. */
static void write_level(struct csv_writer *csv,
                        const struct machine_results *results, size_t machine,
                        size_t index, uint64_t instructions, bool coherent)
{
    static const enum margay_kind kinds[] = {MARGAY_FETCH, MARGAY_READ,
                                             MARGAY_WRITE};
    const struct margay_level *level = &levels_of(results, machine)[index];
    const struct margay_level_counts counts =
        results->counts[machine * results->machine->count + index];
    /* As they fade, a miss has the time when it comes, and true sharing that
       when it shows. */
    const uint64_t of_sharing[] = {
        counts.coherence_misses,
        counts.true_sharing_misses,
        counts.coherence_misses -
            margay_minimum(counts.true_sharing_misses, counts.coherence_misses),
        counts.invalidations,
        counts.interventions,
        counts.upgrades,
    };
    csv_text(csv, results->name);
    csv_text(csv, results->trace);
    csv_text(csv, results->machine->levels[index].name);
    write_ratio(csv, of_all_kinds(counts.references),
                of_all_kinds(counts.misses));
    for (size_t i = 0; i < MARGAY_KINDS; i++) {
        csv_count(csv, counts.references[kinds[i]], 1);
        csv_count(csv, counts.misses[kinds[i]], 1);
    }
    csv_count(csv, counts.writebacks, 1);
    csv_count(csv, counts.prefetches, 1);
    csv_count(csv, counts.useful_prefetches, 1);
    write_mpki(csv, of_all_kinds(counts.misses), instructions);
    write_ratio(csv, counts.demand_references, counts.demand_misses);
    write_mpki(csv, counts.demand_misses, instructions);
    csv_count(csv, counts.writebacks_received, 1);
    csv_count(csv, counts.victim_fills, 1);
    for (size_t i = 0; coherent && i < sizeof of_sharing / sizeof *of_sharing;
         i++)
        csv_count(csv, of_sharing[i],
                  level->coherence == MARGAY_COHERENCE_NONE ? 0 : 1);
    table_varied(csv, results->machine, machine);
    csv_end_row(csv);
}

void table_machines(struct csv_writer *csv,
                    const struct machine_results *results)
{
    uint64_t instructions = machine_instructions(results);
    bool coherent, has_cycles;
    machines_find(results, &has_cycles, &coherent);
    for (size_t i = 0; i < machine_count(results->machine); i++) {
        for (size_t k = 0; k < results->machine->count; k++)
            write_level(csv, results, i, k, instructions, coherent);
    }
}

/* ------------------------------------------------------------- the front -- */

/* A machine as a point of the plane. */
struct point {
    size_t machine;
    uint64_t bytes;
    double cycles;
};

/* The bytes of the instances of all caches; where writes are none, as in a TLB,
   a level holds no bytes of its own. */
static uint64_t bytes_of(const struct machine_results *results, size_t machine)
{
    uint64_t cores = margay_family_fed(results->family).cores;
    uint64_t bytes = 0;
    for (size_t i = 0; i < results->machine->count; i++) {
        const struct margay_level *level = &levels_of(results, machine)[i];
        uint64_t instances = level->shared == 0
                                 ? 1
                                 : (cores + level->shared - 1) / level->shared;
        if (level->bytes == 0 || level->writing == MARGAY_WRITE_NONE)
            continue;
        bytes += instances *
                 (level->bytes + level->victim_blocks * level->block_bytes);
    }
    return bytes;
}

static int by_bytes(const void *a, const void *b)
{
    const struct point *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes < right->bytes ? -1 : 1;
    if (left->cycles != right->cycles)
        return left->cycles < right->cycles ? -1 : 1;
    return (left->machine > right->machine) - (left->machine < right->machine);
}

enum margay_status table_pareto(struct csv_writer *csv,
                                const struct machine_results *results,
                                struct margay_error *error)
{
    size_t count = machine_count(results->machine), best = 0;
    struct point *points = calloc(count, sizeof *points);
    if (points == NULL)
        return margay_fail_memory(error, "the machines");
    for (size_t i = 0; i < count; i++)
        points[i] = (struct point){i, bytes_of(results, i),
                                   machine_access_cycles(results, i)};
    qsort(points, count, sizeof *points, by_bytes);
    for (size_t i = 0; i < count; i++) {
        const struct point *point = &points[i], *front = &points[best];
        bool on_front =
            i == 0 || point->cycles < front->cycles ||
            (point->cycles == front->cycles && point->bytes == front->bytes);
        if (on_front)
            best = i;
        csv_text(csv, results->name);
        csv_text(csv, results->trace);
        csv_u64(csv, point->bytes);
        csv_decimal(csv, point->cycles);
        csv_u64(csv, on_front);
        table_varied(csv, results->machine, point->machine);
        csv_end_row(csv);
    }
    free(points);
    return MARGAY_OK;
}
