/* cmd_simulate.c - margay simulate: the caches and TLBs of machines */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/tables/csv.h"
#include "sim/tables/machine_file.h"
#include "sim/tables/machine_vary.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

struct simulate {
    const struct options *options;
    struct machine machine; /* of the table */
    struct machine_vary vary;
    struct margay_level *levels; /* of all machines; owned */
    char *columns;               /* owned */
    bool is_coherent;            /* a cache of a machine is */
    struct csv_writer csv;
};

static enum margay_status open_machines(void *context,
                                        margay_consumer **consumer,
                                        struct margay_error *error)
{
    const struct simulate *simulate = context;
    const struct margay_machine_request request = {
        .levels = simulate->levels,
        .level_count = simulate->machine.count,
        .machine_count = machine_vary_count(&simulate->vary),
        .seed = simulate->options->seed,
    };
    return margay_machine_consumer(&request, consumer, error);
}

static uint64_t sum(const uint64_t counts[MARGAY_KINDS])
{
    return counts[MARGAY_READ] + counts[MARGAY_WRITE] + counts[MARGAY_FETCH];
}

/* ---------------------------------------------------------------- the rows --
 */

static void write_counts(struct csv_writer *csv,
                         const struct margay_level_counts *counts,
                         uint64_t instructions)
{
    static const enum margay_kind kinds[] = {MARGAY_FETCH, MARGAY_READ,
                                             MARGAY_WRITE};
    uint64_t references = sum(counts->references), misses = sum(counts->misses);
    csv_u64(csv, references);
    csv_u64(csv, misses);
    if (references == 0)
        csv_nothing(csv);
    else
        csv_share(csv, misses, references);
    for (size_t i = 0; i < MARGAY_KINDS; i++) {
        csv_u64(csv, counts->references[kinds[i]]);
        csv_u64(csv, counts->misses[kinds[i]]);
    }
    csv_u64(csv, counts->writebacks);
    csv_u64(csv, counts->prefetches);
    csv_u64(csv, counts->useful_prefetches);
    if (instructions == 0)
        csv_nothing(csv);
    else
        csv_decimal(csv, (double)misses * 1000 / (double)instructions);
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

static void write_varied(struct simulate *simulate, size_t machine)
{
    for (size_t i = 0; i < simulate->vary.count; i++) {
        const char *value = machine_vary_value(&simulate->vary, machine, i);
        uint64_t number;
        if (margay_parse_u64(value, &number))
            csv_u64(&simulate->csv, number);
        else
            csv_text(&simulate->csv, value);
    }
}

static void write_machine(struct simulate *simulate, const char *trace,
                          size_t machine, const margay_hierarchy *hierarchy,
                          uint64_t instructions)
{
    struct csv_writer *csv = &simulate->csv;
    const struct margay_level *levels =
        simulate->levels + machine * simulate->machine.count;
    for (size_t i = 0; i < simulate->machine.count; i++) {
        const struct margay_level_counts counts =
            margay_hierarchy_counts(hierarchy, i);
        csv_text(csv, simulate->options->machine.name);
        csv_text(csv, trace);
        csv_text(csv, simulate->machine.levels[i].name);
        write_counts(csv, &counts, instructions);
        if (simulate->is_coherent)
            write_coherence(csv, &levels[i], &counts);
        write_varied(simulate, machine);
        csv_end_row(csv);
    }
}

/* For people: the time that a reference takes on average, if the machine says
   how long its levels take. */
static void summarise(const struct simulate *simulate, const char *trace,
                      const margay_hierarchy *hierarchy)
{
    uint64_t references = sum(margay_hierarchy_references(hierarchy));
    size_t cores = margay_hierarchy_cores(hierarchy);
    double cycles = 0;
    if (simulate->options->quiet || simulate->vary.count > 0)
        return;
    for (size_t i = 0; i < simulate->machine.count; i++)
        cycles += simulate->levels[i].cycles *
                  (double)margay_hierarchy_counts(hierarchy, i).lookups;
    if (cycles == 0)
        message_keep("%s: %" PRIu64 " references of %zu core%s", trace,
                     references, cores, margay_plural(cores, "s"));
    else
        message_keep("%s: %" PRIu64 " references of %zu core%s, average access "
                     "time %.6g cycles",
                     trace, references, cores, margay_plural(cores, "s"),
                     cycles / (double)references);
}

static enum margay_status write_machines(void *context,
                                         const struct margay_job *job,
                                         const struct margay_pass *pass,
                                         struct margay_error *error)
{
    struct simulate *simulate = context;
    (void)error;
    for (size_t i = 0; i < machine_vary_count(&simulate->vary); i++) {
        const margay_hierarchy *hierarchy =
            margay_machine_consumer_hierarchy(job->consumer, i);
        const uint64_t *references = margay_hierarchy_references(hierarchy);
        uint64_t instructions = simulate->options->machine.instructions;
        if (sum(references) == 0)
            break;
        if (instructions == 0)
            instructions = references[MARGAY_FETCH];
        write_machine(simulate, pass->trace, i, hierarchy, instructions);
        summarise(simulate, pass->trace, hierarchy);
    }
    return MARGAY_OK;
}

/* ----------------------------------------------------------------- set-up --
 */

/* The block size of the run is the smallest that the trace is divided into. */
static void choose_block(const struct simulate *simulate,
                         struct block_list *blocks)
{
    size_t count = simulate->machine.count;
    blocks->count = 1;
    blocks->bytes[0] = UINT64_MAX;
    for (size_t i = 0; i < count * machine_vary_count(&simulate->vary); i++) {
        const struct margay_level *machine =
            simulate->levels + i / count * count;
        uint64_t bytes = machine[i % count].block_bytes;
        if (margay_level_is_first(machine, count, i % count) &&
            bytes < blocks->bytes[0])
            blocks->bytes[0] = bytes;
    }
}

static bool any_coherent(const struct simulate *simulate)
{
    size_t count =
        simulate->machine.count * machine_vary_count(&simulate->vary);
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= simulate->levels[i].coherence != MARGAY_COHERENCE_NONE;
    return any;
}

/* The columns, those of coherence if a cache is coherent, and one more for each
   field that varies. */
static enum margay_status name_columns(struct simulate *simulate,
                                       struct margay_error *error)
{
    const struct machine_vary *vary = &simulate->vary;
    size_t bytes = sizeof SIMULATE_COLUMNS "," COHERENCE_COLUMNS;
    for (size_t i = 0; i < vary->count; i++)
        bytes +=
            strlen(vary->fields[i].cache) + strlen(vary->fields[i].column) + 2;
    simulate->columns = malloc(bytes);
    if (simulate->columns == NULL)
        return margay_fail_memory(error, "the columns");
    simulate->is_coherent = any_coherent(simulate);
    char *end =
        stpcpy(simulate->columns, simulate->is_coherent ? SIMULATE_COLUMNS
                                      "," COHERENCE_COLUMNS
                                                        : SIMULATE_COLUMNS);
    for (size_t i = 0; i < vary->count; i++)
        end += sprintf(end, ",%s.%s", vary->fields[i].cache,
                       vary->fields[i].column);
    return MARGAY_OK;
}

static enum margay_status read_machines(struct simulate *simulate,
                                        struct margay_error *error)
{
    const struct options *options = simulate->options;
    if (options->machine.name == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "which machine: expected --machine FILE|NAME");
    enum margay_status status =
        machine_find(&simulate->machine, options->machine.name, error);
    if (status == MARGAY_OK)
        status = machine_vary_read(&simulate->vary, &simulate->machine,
                                   options->machine.vary, error);
    if (status == MARGAY_OK)
        status = machine_vary_levels(&simulate->vary, &simulate->machine,
                                     &simulate->levels, error);
    return status == MARGAY_OK ? name_columns(simulate, error) : status;
}

int cmd_simulate(const struct options *options)
{
    struct options with_block = *options;
    struct simulate simulate = {.options = options};
    struct margay_error error;
    enum margay_status status = read_machines(&simulate, &error);
    const struct drive drive = {
        .options = &with_block,
        .context = &simulate,
        .csv = &simulate.csv,
        .columns = simulate.columns,
        .open = open_machines,
        .ended = write_machines,
    };
    if (status == MARGAY_OK)
        choose_block(&simulate, &with_block.run.blocks);
    int exit_status = drive_table(&drive, status, &error);
    free(simulate.columns);
    free(simulate.levels);
    machine_vary_clear(&simulate.vary);
    machine_clear(&simulate.machine);
    return exit_status;
}
