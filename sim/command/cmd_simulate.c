/* cmd_simulate.c - margay simulate: the caches and TLBs of a machine */
#include <inttypes.h>

#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/tables/csv.h"
#include "sim/tables/machine_csv.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

struct simulate {
    const struct options *options;
    struct machine machine;
    struct csv_writer csv;
};

static enum margay_status open_machine(void *context,
                                       margay_consumer **consumer,
                                       struct margay_error *error)
{
    const struct simulate *simulate = context;
    const struct margay_machine_request request = {
        .levels = simulate->machine.levels,
        .level_count = simulate->machine.count,
        .seed = simulate->options->seed,
    };
    return margay_machine_consumer(&request, consumer, error);
}

static uint64_t sum(const uint64_t counts[MARGAY_KINDS])
{
    return counts[MARGAY_READ] + counts[MARGAY_WRITE] + counts[MARGAY_FETCH];
}

static void write_row(struct simulate *simulate, const char *trace,
                      const char *cache,
                      const struct margay_level_counts *counts,
                      uint64_t instructions)
{
    static const enum margay_kind kinds[] = {MARGAY_FETCH, MARGAY_READ,
                                             MARGAY_WRITE};
    struct csv_writer *csv = &simulate->csv;
    uint64_t references = sum(counts->references), misses = sum(counts->misses);
    csv_text(csv, simulate->options->machine.name);
    csv_text(csv, trace);
    csv_text(csv, cache);
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
    csv_end_row(csv);
}

/* For people: the time that a reference takes on average, if the machine says
   how long its levels take. */
static void summarise(const struct simulate *simulate, const char *trace,
                      const margay_hierarchy *hierarchy)
{
    uint64_t references = sum(margay_hierarchy_references(hierarchy));
    size_t cores = margay_hierarchy_cores(hierarchy);
    double cycles = 0;
    for (size_t i = 0; i < simulate->machine.count; i++)
        cycles += simulate->machine.levels[i].cycles *
                  (double)margay_hierarchy_counts(hierarchy, i).lookups;
    if (simulate->options->quiet)
        return;
    if (cycles == 0)
        message_keep("%s: %" PRIu64 " references of %zu core%s", trace,
                     references, cores, margay_plural(cores, "s"));
    else
        message_keep("%s: %" PRIu64 " references of %zu core%s, average access "
                     "time %.6g cycles",
                     trace, references, cores, margay_plural(cores, "s"),
                     cycles / (double)references);
}

static enum margay_status write_machine(void *context,
                                        const struct margay_job *job,
                                        const struct margay_pass *pass,
                                        struct margay_error *error)
{
    struct simulate *simulate = context;
    const margay_hierarchy *hierarchy =
        margay_machine_consumer_hierarchy(job->consumer);
    const uint64_t *references = margay_hierarchy_references(hierarchy);
    uint64_t instructions = simulate->options->machine.instructions;
    (void)error;
    if (sum(references) == 0)
        return MARGAY_OK;
    if (instructions == 0)
        instructions = references[MARGAY_FETCH];
    for (size_t i = 0; i < simulate->machine.count; i++) {
        const struct margay_level_counts counts =
            margay_hierarchy_counts(hierarchy, i);
        write_row(simulate, pass->trace, simulate->machine.levels[i].name,
                  &counts, instructions);
    }
    summarise(simulate, pass->trace, hierarchy);
    return MARGAY_OK;
}

/* The block size of the run is the smallest that the trace is divided into. */
static void choose_block(const struct machine *machine,
                         struct block_list *blocks)
{
    blocks->count = 1;
    blocks->bytes[0] = UINT64_MAX;
    for (size_t i = 0; i < machine->count; i++) {
        uint64_t bytes = machine->levels[i].block_bytes;
        if (margay_level_is_first(machine->levels, machine->count, i) &&
            bytes < blocks->bytes[0])
            blocks->bytes[0] = bytes;
    }
}

int cmd_simulate(const struct options *options)
{
    struct options with_block = *options;
    struct simulate simulate = {.options = options};
    const struct drive drive = {
        .options = &with_block,
        .context = &simulate,
        .csv = &simulate.csv,
        .columns = SIMULATE_COLUMNS,
        .open = open_machine,
        .ended = write_machine,
    };
    struct margay_error error;
    enum margay_status status =
        options->machine.name == NULL
            ? margay_fail(&error, MARGAY_BAD_ARGUMENT,
                          "which machine: expected --machine FILE")
            : machine_read(&simulate.machine, options->machine.name, &error);
    if (status == MARGAY_OK)
        choose_block(&simulate.machine, &with_block.run.blocks);
    int exit_status = drive_table(&drive, status, &error);
    machine_clear(&simulate.machine);
    return exit_status;
}
