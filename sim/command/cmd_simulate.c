/* cmd_simulate.c - margay simulate: the caches and TLBs of machines */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/annotate/annotate.h"
#include "sim/command/cache_grid.h"
#include "sim/command/drive.h"
#include "sim/command/stream.h"
#include "sim/options/commands.h"
#include "sim/options/files.h"
#include "sim/result/machine.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

enum { TABLE, PARETO, SHARING, OUTPUTS };

struct simulate {
    struct drive drive;
    struct machine machine;      /* of the table, and its varied fields */
    struct margay_level *levels; /* of all machines; owned */
    char *columns[OUTPUTS];      /* owned */
    struct stream stream;        /* of --misses, */
    uint64_t sends;              /* by these levels */
    size_t trace_count;          /* of those with references */
    struct counters counters;    /* of --validate */
    struct places *places; /* of lines of sources; NULL = they are not found */
};

static enum margay_status question_of(struct simulate *simulate,
                                      margay_question **question,
                                      struct margay_error *error)
{
    margay_question *next = NULL;
    enum margay_status status =
        simulate->sends == 0 ? MARGAY_OK
                             : stream_question(&simulate->stream, &next, error);
    if (status != MARGAY_OK)
        return status;
    const struct margay_machine_request request = {
        .machines.machine = {.levels = simulate->levels,
                             .level_count = simulate->machine.count,
                             .seed = simulate->drive.options.seed,
                             .cores = simulate->drive.options.machine.cores,
                             .notes_sharing =
                                 simulate->drive.options.machine.sharing !=
                                 NULL,
                             .sends = simulate->sends},
        .machines.machine_count = machine_count(&simulate->machine),
        .next = next,
        .half_life_refs = simulate->drive.options.engine.half_life_refs,
    };
    return margay_machine_question(&request, question, error);
}

static struct machine_results results_of(const struct simulate *simulate,
                                         const char *trace)
{
    return (struct machine_results){
        .name = simulate->drive.options.machine.name,
        .trace = trace,
        .machine = &simulate->machine,
        .levels = simulate->levels,
        .instructions = simulate->drive.options.machine.instructions,
    };
}

/* For people: the average time of a reference, if the machine has the cycles of
   its levels; of several machines the best one's. */
static void summarise(const struct machine_results *results,
                      uint64_t references)
{
    const struct margay_machine_fed fed = margay_family_fed(results->family);
    size_t best = 0;
    bool have_cycles, coherent;
    char time[128] = "", fields[256] = "";
    machines_find(results, &have_cycles, &coherent);
    const char *unknown = have_cycles ? machines_unknown(results) : NULL;
    if (unknown != NULL) {
        snprintf(time, sizeof time,
                 ", average access time not known: no cycles of %.60s",
                 unknown);
    } else if (have_cycles) {
        for (size_t i = 1; i < machine_count(results->machine); i++) {
            if (machine_access_cycles(results, i) <
                machine_access_cycles(results, best))
                best = i;
        }
        snprintf(time, sizeof time, ", average access time %.6g cycles",
                 machine_access_cycles(results, best));
        machine_text(results->machine, best, fields, sizeof fields);
    }
    message_tell("%s: %" PRIu64 " reference%s of %zu core%s%s%s%s%s",
                 results->trace, references, margay_plural(references, "s"),
                 fed.cores, margay_plural(fed.cores, "s"),
                 fed.shares_cores ? " that threads share" : "", time,
                 *fields == '\0' ? "" : " at best, with ", fields);
}

/* ---------------------------------------------------------------- tables -- */

/* For people: the input and output of each cache of --misses. */
static void tell_sent(const struct simulate *simulate,
                      const struct machine_results *results)
{
    for (size_t i = 0; i < simulate->machine.count; i++) {
        const struct margay_level_counts counts = results->counts[i];
        if ((simulate->sends >> i & 1) != 0)
            message_tell(
                "%s: %s: %" PRIu64 " references, %" PRIu64 " misses, %" PRIu64
                " prefetches and %" PRIu64 " write-backs",
                results->trace, simulate->levels[i].name,
                of_all_kinds(counts.references), of_all_kinds(counts.misses),
                counts.prefetches, counts.writebacks);
    }
}

static enum margay_status write_machines(struct drive *drive,
                                         const struct margay_job *job,
                                         const struct margay_pass *pass,
                                         struct margay_error *error)
{
    struct simulate *simulate = (struct simulate *)drive;
    struct csv_writer *csvs = drive->csvs;
    const margay_analysis *analysis = job->analyses[pass->index];
    struct machine_results results = results_of(simulate, pass->trace);
    results.family = margay_machine_analysis_family(analysis);
    results.counts = margay_machine_analysis_counts(analysis);
    csvs[TABLE].fraction_bits = analysis->fraction_bits;
    uint64_t references = margay_round_count(
        of_all_kinds(machine_references(&results)), analysis->fraction_bits);
    tell_sent(simulate, &results);
    if (simulate->sends != 0)
        return drive_joins(&drive->options)
                   ? margay_writer_finish(simulate->stream.writer, error)
                   : stream_finish(&simulate->stream, job->reader, error);
    if (references == 0) {
        if (simulate->drive.options.reading.warmup_refs != 0)
            message_tell("%s: no reference comes after the warm-up",
                         pass->trace);
        return MARGAY_OK;
    }
    simulate->trace_count++;
    if (simulate->counters.count > 0)
        table_counters(&csvs[TABLE], &results, &simulate->counters);
    else
        table_machines(&csvs[TABLE], &results);
    summarise(&results, references);
    enum margay_status status = MARGAY_OK;
    if (csvs[PARETO].output != NULL)
        status = table_pareto(&csvs[PARETO], &results, error);
    if (status == MARGAY_OK && csvs[SHARING].output != NULL)
        status = table_sharing(&csvs[SHARING], &results, job->reader,
                               simulate->drive.options.annotate.program,
                               simulate->places, error);
    return status;
}

/* Warn of misleading results: traces are no cores of one machine, and drrip may
   have nothing to choose. */
static void warn(const struct simulate *simulate)
{
    size_t machines = machine_count(&simulate->machine);
    bool shares = simulate->drive.options.machine.cores > 1, told = false;
    for (size_t i = 0; i < simulate->machine.count * machines; i++) {
        const struct margay_level *level = &simulate->levels[i];
        uint64_t blocks = level->bytes / level->block_bytes;
        shares |= blocks > 0 && level->shared != 1;
        if (blocks > 0 && !told)
            told = tell_few_sets(level->name, level->policy,
                                 level->ways == 0 ? 1 : blocks / level->ways);
    }
    if (shares && simulate->trace_count > 1)
        message_keep("each of %zu traces was simulated alone, on a machine of "
                     "its own: they share no cache",
                     simulate->trace_count);
}

/* ---------------------------------------------------------------- set-up -- */

/* The block size of the run is the smallest that the trace is divided into. */
static void choose_block(struct simulate *simulate)
{
    uint64_t *smallest = simulate->drive.options.run.blocks.numbers;
    size_t count = simulate->machine.count;
    simulate->drive.options.run.blocks.count = 1;
    *smallest = UINT64_MAX;
    for (size_t i = 0; i < count * machine_count(&simulate->machine); i++) {
        const struct margay_level *machine =
            simulate->levels + i / count * count;
        uint64_t bytes = machine[i % count].block_bytes;
        if (margay_level_is_first(machine, count, i % count) &&
            bytes < *smallest)
            *smallest = bytes;
    }
}

static enum margay_status read_machines(struct simulate *simulate,
                                        struct margay_error *error)
{
    const char *name = simulate->drive.options.machine.name;
    const char *vary = simulate->drive.options.machine.vary;
    if (name == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "which machine: expected --machine FILE|NAME");
    enum margay_status status =
        machine_find(&simulate->machine, name, vary, error);
    return status == MARGAY_OK
               ? machine_levels(&simulate->machine, &simulate->levels, error)
               : status;
}

/* The caches of --misses, and the file that their trace goes into: in the
   format that keeps the most, unless something says another. */
static enum margay_status open_stream(struct simulate *simulate,
                                      struct margay_error *error)
{
    struct options *options = &simulate->drive.options;
    const char *name = options->machine.misses;
    for (; name != NULL; name = *name == '\0' ? NULL : name + 1) {
        size_t bytes = strcspn(name, ","), i = 0;
        while (i < simulate->machine.count &&
               (simulate->levels[i].bytes == 0 ||
                strlen(simulate->levels[i].name) != bytes ||
                strncmp(simulate->levels[i].name, name, bytes) != 0))
            i++;
        if (i == simulate->machine.count)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--misses: found '%.*s', expected a cache of "
                               "%s, such as %s",
                               (int)bytes, name, options->machine.name,
                               simulate->levels[0].name);
        simulate->sends |= UINT64_C(1) << i;
        name += bytes;
    }
    if (trace_format(options, options->output) == NULL &&
        options->output != NULL)
        options->to = "mgt";
    return stream_open(&simulate->stream, options, options->output, error);
}

/* Choose the columns of the tables, which the run opens, and note their
   needs. */
static enum margay_status choose_tables(struct simulate *simulate,
                                        struct margay_error *error)
{
    const struct options *options = &simulate->drive.options;
    struct drive *drive = &simulate->drive;
    const char *pareto = options->machine.pareto;
    const char *sharing = options->machine.sharing;
    const char *validate = options->machine.validate;
    const struct machine_results none = results_of(simulate, NULL);
    bool have_cycles, coherent;
    machines_find(&none, &have_cycles, &coherent);
    const struct refusal refusals[] = {
        {pareto != NULL && !have_cycles,
         "--pareto: found no cycles in %s, expected a column of them, for the "
         "average access time",
         options->machine.name},
        {sharing != NULL && !coherent,
         "--sharing: found no coherent cache in %s, expected 'mesi' in the "
         "column coherence of one",
         options->machine.name},
    };
    const struct drive_file files[OUTPUTS] = {
        [TABLE] = {.columns = validate != NULL ? VALIDATE_COLUMNS
                              : coherent       ? SIMULATE_COLUMNS
                                  "," COHERENCE_COLUMNS
                                         : SIMULATE_COLUMNS},
        [PARETO] = {.path = pareto, .columns = PARETO_COLUMNS},
        [SHARING] = {.path = sharing, .columns = SHARING_COLUMNS},
    };
    enum margay_status status = REFUSE_FIRST(refusals, error);
    if (status == MARGAY_OK && validate != NULL)
        status = counters_read(&simulate->counters, validate, error);
    for (size_t i = 0; i < OUTPUTS && status == MARGAY_OK; i++) {
        status = machine_columns(&simulate->machine, files[i].columns,
                                 &simulate->columns[i], error);
        drive->files[i] = files[i];
        drive->files[i].columns = simulate->columns[i];
    }
    return status == MARGAY_OK && sharing != NULL &&
                   places_library_version() != NULL
               ? places_open(&simulate->places, error)
               : status;
}

static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    struct simulate *simulate = (struct simulate *)drive;
    enum margay_status status = read_machines(simulate, error);
    if (status != MARGAY_OK)
        return status;
    choose_block(simulate);
    status = drive->options.machine.misses == NULL
                 ? choose_tables(simulate, error)
                 : open_stream(simulate, error);
    return status == MARGAY_OK ? question_of(simulate, question, error)
                               : status;
}

int cmd_simulate(const struct options *options)
{
    struct simulate simulate = {
        .drive = {.options = *options, .ask = ask, .ended = write_machines},
        .stream = {.output = &simulate.drive.csvs[TABLE].output,
                   .fed = STREAM_NUMBERS},
    };
    struct margay_error error;
    enum margay_status status = drive_run(&simulate.drive, &error);
    if (status == MARGAY_OK)
        warn(&simulate);
    int exit_status =
        csv_conclude(status, simulate.drive.csvs, DRIVE_MOST_FILES, &error);
    margay_writer_free(simulate.stream.writer);
    for (size_t i = 0; i < OUTPUTS; i++)
        free(simulate.columns[i]);
    places_free(simulate.places);
    free(simulate.levels);
    machine_clear(&simulate.machine);
    counters_clear(&simulate.counters);
    return exit_status;
}
