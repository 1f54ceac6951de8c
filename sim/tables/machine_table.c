/* machine_table.c - what machines have counted, as rows */
#define _GNU_SOURCE
#include "sim/tables/machine_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

static uint64_t sum(const uint64_t counts[MARGAY_KINDS])
{
    return counts[MARGAY_READ] + counts[MARGAY_WRITE] + counts[MARGAY_FETCH];
}

static const struct margay_level *levels_of(
    const struct machine_results *results, size_t machine)
{
    return results->levels + machine * results->machine->count;
}

/* ----------------------------------------------------------- access times --
 */

bool machines_have_cycles(const struct machine_results *results)
{
    size_t count = results->machine->count * machine_vary_count(results->vary);
    for (size_t i = 0; i < count; i++) {
        if (results->levels[i].cycles != 0)
            return true;
    }
    return false;
}

bool machines_are_coherent(const struct machine_results *results)
{
    size_t count = results->machine->count * machine_vary_count(results->vary);
    for (size_t i = 0; i < count; i++) {
        if (results->levels[i].coherence != MARGAY_COHERENCE_NONE)
            return true;
    }
    return false;
}

double machine_access_cycles(const struct machine_results *results,
                             size_t machine)
{
    double cycles = 0;
    for (size_t i = 0; i < results->machine->count; i++) {
        const struct margay_level_counts counts =
            margay_machine_analysis_counts(results->analysis, machine, i);
        cycles +=
            levels_of(results, machine)[i].cycles * (double)counts.lookups;
    }
    return cycles /
           (double)sum(margay_machine_analysis_references(results->analysis));
}

/* ---------------------------------------------------------------- columns --
 */

enum margay_status machine_columns(const char *columns,
                                   const struct machine_vary *vary,
                                   char **names, struct margay_error *error)
{
    size_t bytes = strlen(columns) + 1;
    for (size_t i = 0; i < vary->count; i++)
        bytes +=
            strlen(vary->fields[i].cache) + strlen(vary->fields[i].column) + 2;
    *names = malloc(bytes);
    if (*names == NULL)
        return margay_fail_memory(error, "the columns");
    char *end = stpcpy(*names, columns);
    for (size_t i = 0; i < vary->count; i++)
        end += sprintf(end, ",%s.%s", vary->fields[i].cache,
                       vary->fields[i].column);
    return MARGAY_OK;
}

void table_varied(struct csv_writer *csv, const struct machine_vary *vary,
                  size_t machine)
{
    for (size_t i = 0; i < vary->count; i++) {
        const char *value = machine_vary_value(vary, machine, i);
        uint64_t number;
        if (margay_parse_u64(value, &number))
            csv_u64(csv, number);
        else
            csv_text(csv, value);
    }
}

/* ------------------------------------------------------------- the caches --
 */

static void write_ratio(struct csv_writer *csv, uint64_t references,
                        uint64_t misses)
{
    csv_u64(csv, references);
    csv_u64(csv, misses);
    if (references == 0)
        csv_nothing(csv);
    else
        csv_share(csv, misses, references);
}

static void write_mpki(struct csv_writer *csv, uint64_t misses,
                       uint64_t instructions)
{
    if (instructions == 0)
        csv_nothing(csv);
    else
        csv_decimal(csv, (double)misses * 1000 / (double)instructions);
}

static void write_counts(struct csv_writer *csv,
                         const struct margay_level_counts *counts,
                         uint64_t instructions)
{
    static const enum margay_kind kinds[] = {MARGAY_FETCH, MARGAY_READ,
                                             MARGAY_WRITE};
    write_ratio(csv, sum(counts->references), sum(counts->misses));
    for (size_t i = 0; i < MARGAY_KINDS; i++) {
        csv_u64(csv, counts->references[kinds[i]]);
        csv_u64(csv, counts->misses[kinds[i]]);
    }
    csv_u64(csv, counts->writebacks);
    csv_u64(csv, counts->prefetches);
    csv_u64(csv, counts->useful_prefetches);
    write_mpki(csv, sum(counts->misses), instructions);
    write_ratio(csv, counts->demand_references, counts->demand_misses);
    write_mpki(csv, counts->demand_misses, instructions);
    csv_u64(csv, counts->writebacks_received);
    csv_u64(csv, counts->victim_fills);
}

/* Those of a cache that is not coherent are empty. */
static void write_coherence(struct csv_writer *csv,
                            const struct margay_level *level,
                            const struct margay_level_counts *counts)
{
    const uint64_t fields[] = {
        counts->coherence_misses,
        counts->true_sharing_misses,
        counts->coherence_misses - counts->true_sharing_misses,
        counts->invalidations,
        counts->interventions,
        counts->upgrades,
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (level->coherence == MARGAY_COHERENCE_NONE)
            csv_nothing(csv);
        else
            csv_u64(csv, fields[i]);
    }
}

static void write_machine(struct csv_writer *csv,
                          const struct machine_results *results, size_t machine,
                          uint64_t instructions, bool coherent)
{
    for (size_t i = 0; i < results->machine->count; i++) {
        const struct margay_level_counts counts =
            margay_machine_analysis_counts(results->analysis, machine, i);
        csv_text(csv, results->name);
        csv_text(csv, results->trace);
        csv_text(csv, results->machine->levels[i].name);
        write_counts(csv, &counts, instructions);
        if (coherent)
            write_coherence(csv, &levels_of(results, machine)[i], &counts);
        table_varied(csv, results->vary, machine);
        csv_end_row(csv);
    }
}

void table_machines(struct csv_writer *csv,
                    const struct machine_results *results)
{
    const uint64_t *references =
        margay_machine_analysis_references(results->analysis);
    uint64_t instructions = results->instructions;
    bool coherent = machines_are_coherent(results);
    if (instructions == 0)
        instructions = references[MARGAY_FETCH];
    for (size_t i = 0; i < machine_vary_count(results->vary); i++)
        write_machine(csv, results, i, instructions, coherent);
}

/* -------------------------------------------------------------- the front --
 */

/* A machine as a point of the plane. */
struct point {
    size_t machine;
    uint64_t bytes;
    double cycles;
};

/* What the instances of all caches hold; where writes are none, as in a TLB, a
   level holds no bytes of its own. */
static uint64_t bytes_of(const struct machine_results *results, size_t machine)
{
    uint64_t cores = margay_machine_analysis_cores(results->analysis);
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
    size_t count = machine_vary_count(results->vary), best = 0;
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
        table_varied(csv, results->vary, point->machine);
        csv_end_row(csv);
    }
    free(points);
    return MARGAY_OK;
}
