/*
 * cmd_report.c - margay report: traces and tables as a page for people
 *
 * Each table of a trace is the output of one of margay's commands with the
 * options of the report: a child process runs it and writes into a pipe.  So a
 * report has exactly the tables of the commands.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/annotate/annotate.h"
#include "sim/command/cache_grid.h"
#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/report/page.h"
#include "sim/result/csv_read.h"
#include "sim/result/match.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/* The windows that a trace is cut into. */
#define WINDOWS 64

/* Facts of a trace, known once its first tables are there. */
struct facts {
    uint64_t references;     /* as read */
    uint64_t largest_blocks; /* the last size of its curve */
    bool has_sites, has_requests, has_data, splits;
};

/* ---------------------------------------------------------- the parts -- */

/* The parts of a report of a trace, in their order. */
enum part {
    CURVE,
    REQUESTS,
    INFO,
    PROFILE,
    HEATMAP,
    POLICIES,
    HISTOGRAM,
    CACHES,
    OVER_TIME,
    PHASES,
    LINES,
    DATA,
    PARTS,
};

static bool of_requests(const struct options *options,
                        const struct facts *facts)
{
    return !options->results.objects &&
           (options->results.requests || facts->has_requests);
}

/* The command of a part; NULL: a report of the trace does not have it.  A cache
   of objects has no sets, and one of requests neither these nor places, and its
   curves are of requests. */
static const char *command_of(enum part part, const struct options *options,
                              const struct facts *facts)
{
    const bool objects = options->results.objects;
    const bool requests = of_requests(options, facts);
    const bool sizes = !objects && facts->largest_blocks > 1;
    const bool sites =
        sizes && facts->has_sites && places_library_version() != NULL;
    const bool windows = sizes && facts->references >= 2 * WINDOWS;
    const bool sets = !objects && !requests;
    const char *const commands[PARTS] = {
        [CURVE] = requests ? NULL : "curve",
        [REQUESTS] = requests ? "curve" : NULL,
        [INFO] = "info",
        [PROFILE] = "info",
        [HEATMAP] = requests ? NULL : "info",
        [POLICIES] = options->results.policies.count > 0 ? "curve" : NULL,
        [HISTOGRAM] = "histogram",
        [CACHES] = sets ? "compare" : NULL,
        [OVER_TIME] = windows ? "curve" : NULL,
        [PHASES] = sets && facts->references > 0 ? "phases" : NULL,
        [LINES] = sites ? "annotate" : NULL,
        [DATA] = sites && facts->has_data ? "annotate" : NULL,
    };
    return commands[part];
}

/* A few powers of two below the size from which on only cold misses are
   left. */
static void set_sizes(struct options *options, const struct facts *facts)
{
    static struct margay_cache_size sizes[4];
    struct margay_cache_sizes *list = &options->results.sizes;
    *list =
        (struct margay_cache_sizes){.kind = MARGAY_SIZES_LIST, .list = sizes};
    for (unsigned shift = 8; shift > 0; shift -= 2) {
        uint64_t blocks = facts->largest_blocks >> (shift - 1);
        if (blocks > 0)
            sizes[list->count++] = (struct margay_cache_size){
                .value = UINT64_C(1) << margay_log2_floor(blocks)};
    }
}

/* The caches of the map: more sets than usual if all blocks need them. */
static void set_caches(struct options *options, const struct facts *facts)
{
    struct number_list *ways = &options->caches.ways;
    struct number_list *sets = &options->caches.sets;
    for (uint64_t number = 1; ways->count < 5; number *= 2)
        ways->numbers[ways->count++] = number;
    for (uint64_t number = 1;
         number <= MARGAY_MOST_SETS &&
         (number <= USUAL_SETS || number * 8 < facts->largest_blocks);
         number *= 2)
        sets->numbers[sets->count++] = number;
}

/* Make the options those of a part. */
static void set_part(enum part part, struct options *options,
                     const struct facts *facts)
{
    const bool is_of_trace = part >= INFO && part <= HEATMAP;
    options->command = command_find(command_of(part, options, facts));
    options->results.in_view = true;
    if (part != POLICIES) {
        options->results.policies.count = 0;
        options->results.requests =
            options->command->bit == ON_CURVE && of_requests(options, facts);
    }
    if (!options->results.requests || part == OVER_TIME)
        options->results.groups.count = 0;
    options->results.ttl.given &=
        options->results.objects || options->results.requests;
    options->profile = part == PROFILE;
    options->heatmap = part == HEATMAP;
    options->annotate.data = part == DATA;
    if (is_of_trace || part >= PHASES)
        options->run.blocks.count = options->run.blocks.count > 0;
    if (is_of_trace && options->results.objects)
        options->run.straddle = MARGAY_STRADDLE_FIRST;
    if (part == CURVE || part == REQUESTS)
        options_set_sentence_sizes(options);
    if (part == HISTOGRAM)
        options->results.bins = (struct margay_bins){.kind = MARGAY_BINS_LOG2};
    if (part == CACHES)
        set_caches(options, facts);
    if (part == OVER_TIME)
        options->run.window_refs = (facts->references + WINDOWS - 1) / WINDOWS;
    if (part == OVER_TIME || part >= LINES)
        set_sizes(options, facts);
}

/* -------------------------------------------------------- running it -- */

/* In the child: the command, with its table into the pipe. */
_Noreturn static void run_command(struct options *options, bool tells,
                                  int pipe_end)
{
    char name[40];
    snprintf(name, sizeof name, "/dev/fd/%d", pipe_end);
    options->output = name;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signals_keep_none();
    if (!tells)
        message_keep_none();
    int exit_status = options->command->run(options);
    fflush(NULL);
    _exit(exit_status);
}

/* Read the table, and wait for the child; returns its exit status. */
static int take_table(pid_t child, int pipe_end, struct section *section,
                      enum margay_status *status, struct margay_error *error)
{
    int state = 0;
    FILE *file = fdopen(pipe_end, "r");
    if (file == NULL) {
        close(pipe_end);
        *status = margay_fail_memory(error, "a table");
    } else {
        *status = cells_read(&section->table, section->source, file, error);
        fclose(file);
    }
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

static void learn(struct facts *facts, const struct cells *table)
{
    for (size_t row = 0; row < table->rows; row++) {
        if (facts->references == 0 &&
            strcmp(cells_at(table, row, 0), "references") == 0)
            margay_parse_u64(cells_at(table, row, 1), &facts->references);
    }
    size_t blocks = cells_column(table, "cache_blocks");
    if (blocks != SIZE_MAX && table->rows > 0)
        margay_parse_u64(cells_at(table, table->rows - 1, blocks),
                         &facts->largest_blocks);
}

/* Fill a section by a command in a process of its own.  All commands read the
   same references; the one that `tells` has messages about them. */
static enum margay_status run_part(struct section *section,
                                   const struct options *options, bool tells,
                                   struct facts *facts, int *exit_status,
                                   struct margay_error *error)
{
    int ends[2];
    struct options child_options = *options;
    enum margay_status status;
    if (pipe(ends) != 0)
        return margay_fail(error, MARGAY_IO, "no pipe: %s", strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_command(&child_options, tells, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return margay_fail(error, MARGAY_IO, "no process: %s", strerror(errno));
    }
    *exit_status = take_table(child, ends[0], section, &status, error);
    if (status == MARGAY_OK)
        learn(facts, &section->table);
    /* A child whose table is no longer read dies of that; the reader failed. */
    bool is_unread = *exit_status == 128 + SIGPIPE && status != MARGAY_OK;
    return *exit_status == EXIT_DONE || is_unread ? status : MARGAY_END;
}

/* ------------------------------------------------------ one trace's -- */

/* Facts of the trace; a recording of data has an event of a stack before its
   first reference.  The first command reports a trace that cannot be opened. */
static void open_trace(const char *path, const struct options *options,
                       struct facts *facts)
{
    const struct margay_reading reading = {.data = true};
    margay_trace *trace;
    struct margay_batch batch;
    if (margay_trace_open_for(path, &options->reading, &reading, &trace,
                              NULL) != MARGAY_OK)
        return;
    if (margay_trace_ready(trace, -1, NULL) == MARGAY_OK) {
        const struct margay_trace_facts *read = margay_trace_facts(trace);
        facts->has_sites =
            !options->run.join && read->columns & MARGAY_COLUMN_SITES;
        facts->has_requests = read->columns & MARGAY_COLUMN_REQUESTS;
        facts->splits =
            options->run.straddle == MARGAY_STRADDLE_SPLIT ||
            (options->run.straddle == MARGAY_STRADDLE_USUAL && read->splits);
        /* A compressed trace names the files of variables too late. */
        facts->has_data =
            (read->knows_references ||
             strcmp(read->format->name, "mgt") != 0) &&
            margay_trace_next(trace, -1, &batch, NULL) == MARGAY_OK &&
            margay_trace_tells_data(trace);
    }
    margay_trace_free(trace);
}

/* Of traces that are read as one, the first says what all are. */
static enum margay_status add_trace(struct sections *sections,
                                    const struct options *options,
                                    const char *trace, int *exit_status,
                                    struct margay_error *error)
{
    struct facts facts = {0};
    enum margay_status status = MARGAY_OK;
    open_trace(options->operands[0], options, &facts);
    if (facts.splits) {
        /* A window is a number of references as read, and info counts
           blocks. */
        struct options part = *options;
        struct section section = {.source = (char *)trace};
        set_part(INFO, &part, &facts);
        part.run.straddle = MARGAY_STRADDLE_FIRST;
        status = run_part(&section, &part, false, &facts, exit_status, error);
        cells_clear(&section.table);
    }
    for (enum part i = 0; i < PARTS && status == MARGAY_OK; i++) {
        struct options part = *options;
        const char *command = command_of(i, options, &facts);
        if (command == NULL)
            continue;
        set_part(i, &part, &facts);
        struct section *section = sections_new(sections, trace, command);
        if (section == NULL)
            return margay_fail_memory(error, "a report");
        section->is_whole = part.results.sizes.kind != MARGAY_SIZES_LIST;
        status = run_part(section, &part, i == CURVE || i == REQUESTS, &facts,
                          exit_status, error);
    }
    return status;
}

/* ---------------------------------------------------------- operands -- */

/* An operand, or all that are read as one. */
static enum margay_status add_operand(struct sections *sections,
                                      const struct options *all, size_t first,
                                      size_t count, int *exit_status,
                                      struct margay_error *error)
{
    struct options options = *all;
    const char *operand = all->operands[first];
    options.operands += first;
    options.operand_count = count;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(options.operands[i], "-") == 0)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "-: a report reads its input several times, so "
                               "it needs a file");
    }
    if (options.run.join || !match_is_table(operand, page_knows))
        return add_trace(sections, &options,
                         options.run.join ? options.run.mixing.name : operand,
                         exit_status, error);
    struct section *section = sections_new(sections, operand, NULL);
    return section == NULL
               ? margay_fail_memory(error, "a report")
               : cells_read(&section->table, section->source, NULL, error);
}

int cmd_report(const struct options *options)
{
    struct sections sections = {0};
    struct output *output = NULL;
    struct margay_error error;
    int failed = EXIT_DONE;
    enum margay_status status =
        options->output == NULL && isatty(STDOUT_FILENO)
            ? margay_fail(&error, MARGAY_BAD_ARGUMENT,
                          "-o FILE.html is needed: a page is nothing for a "
                          "terminal")
            : output_open(options->output, OUTPUT_HELD, &output, &error);
    size_t some = options->run.join ? options->operand_count : 1;
    for (size_t i = 0; i < options->operand_count && status == MARGAY_OK;
         i += some)
        status = add_operand(&sections, options, i, some, &failed, &error);
    if (status == MARGAY_OK)
        status = page_write(output, options, &sections, &error);
    sections_clear(&sections);
    if (status != MARGAY_END)
        return conclude(status, &output, 1, &error);
    output_free(output);
    return failed;
}
