/*
 * cmd_record.c - margay record
 *
 * The command starts the program so that it is recorded, writes the references
 * as they come, and exits with the program's exit status.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/annotate/annotate.h"
#include "sim/options/commands.h"
#include "sim/record/record.h"
#include "sim/terminal/find_file.h"
#include "sim/terminal/message.h"

/* The longest delay before the end of the program is noticed. */
#define WAIT_MS 100

struct recording {
    const struct options *options;
    struct launch launch;
    struct traces output;
    struct progress progress;
    bool stopped; /* no more references are wanted */
};

/* --------------------------------------------------------------- set-up -- */

static enum margay_status check(const struct options *options,
                                struct margay_error *error)
{
    const bool has_no_file = traces_to_standard_output(options);
    const bool separate = options->record.separate_threads;
    const struct refusal refusals[] = {
        {options->operand_count == 0,
         "missing operand: expected -- PROGRAM [ARGUMENT]... ('margay help "
         "record' has more)",
         NULL},
        {has_no_file && isatty(STDOUT_FILENO),
         "a trace is nothing for a terminal (say -o FILE, or write to a pipe)",
         NULL},
        {has_no_file && separate,
         "--thread-traces separate needs a FILE to number: -o FILE", NULL},
        {options->record.data && separate,
         "--data is of one trace for all threads: leave out --thread-traces "
         "separate",
         NULL},
    };
    return REFUSE_FIRST(refusals, error);
}

/* Open the receiver of the recorder. */
static enum margay_status open_receiver(struct recording *recording,
                                        struct margay_error *error)
{
    struct launch *launch = &recording->launch;
    const struct options *options = recording->options;
    struct margay_receiver_options receiver_options = {
        .sites = options->record.sites || options->record.data,
        .data = options->record.data,
        .records_all = launch->sees_end,
        .records_itself = record_is_built,
    };
    enum margay_status status =
        record_find_function(launch->program, options->record.start.function,
                             &receiver_options.start, error);
    if (status == MARGAY_OK)
        status =
            record_find_function(launch->program, options->record.stop.function,
                                 &receiver_options.stop, error);
    if (status == MARGAY_OK)
        status =
            margay_receiver_create(&receiver_options, &launch->receiver, error);
    return status;
}

static enum margay_status prepare(struct recording *recording, int *exit_status,
                                  struct margay_error *error)
{
    const struct options *options = recording->options;
    struct launch *launch = &recording->launch;
    enum margay_status status = check(options, error);
    if (status != MARGAY_OK)
        return status;
    if ((options->record.sites || options->record.data) &&
        places_library_version() == NULL)
        message_print("%s: this margay has no libdw, so that "
                      "annotate names no lines of it; another one may",
                      options->operands[0]);
    launch->program = search_path(options->operands[0]);
    if (launch->program == NULL && errno == ENOMEM)
        return margay_fail_memory(error, "the path of the program");
    if (launch->program == NULL || access(launch->program, F_OK) != 0) {
        *exit_status = EXIT_NOT_FOUND;
        return margay_fail(error, MARGAY_IO, "%s: no such program",
                           options->operands[0]);
    }
    status = launch_check(launch->program, exit_status, error);
    if (status != MARGAY_OK)
        return status;
    status = record_prepare(launch, error);
    if (status == MARGAY_OK)
        status = open_receiver(recording, error);
    if (status == MARGAY_OK)
        status =
            traces_open(options, launch->receiver, &recording->output, error);
    return status;
}

/* ------------------------------------------------------------- recording -- */

/* References that --stop leaves out need not be recorded. */
static enum margay_status write_all(struct recording *recording,
                                    struct margay_error *error)
{
    enum margay_status status;
    progress_begin(&recording->progress, recording->options->operands[0],
                   recording->options->quiet);
    do {
        status = traces_put_next(&recording->output, WAIT_MS, error);
        progress_update(&recording->progress, recording->output.refs, 0, 0);
        if (!recording->stopped && recording->output.to_write == 0) {
            recording->stopped = true;
            margay_receiver_stop(recording->launch.receiver);
        }
        launch_watch(&recording->launch);
    } while (status == MARGAY_OK || status == MARGAY_AGAIN);
    return status;
}

/* Wait for the program, which may go on after the end of the trace.  After a
   failure, ask it to end.  Its references are read and dropped: a program that
   waits for its reader would neither receive a signal nor end. */
static void await_end(struct launch *launch, enum margay_status status)
{
    struct margay_words words;
    struct margay_error error;
    if (status != MARGAY_OK && !launch->ended)
        kill(launch->process, SIGTERM);
    margay_receiver_stop(launch->receiver);
    while (!launch->ended) {
        launch_watch(launch);
        margay_receiver_next(launch->receiver, 1, &words, &error);
        if (!launch->ended)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

static enum margay_status record(struct recording *recording, int *exit_status,
                                 struct margay_error *error)
{
    struct launch *launch = &recording->launch;
    enum margay_status status = prepare(recording, exit_status, error);
    if (status == MARGAY_OK)
        status =
            launch_start(launch, traces_to_standard_output(recording->options),
                         exit_status, error);
    if (status != MARGAY_OK)
        return status;
    *exit_status = EXIT_FAILED;
    status = write_all(recording, error);
    if (status == MARGAY_END)
        status = record_check(launch, !recording->stopped && !launch->cut,
                              exit_status, error);
    await_end(launch, status);
    return status;
}

int cmd_record(const struct options *options)
{
    struct recording recording = {.options = options,
                                  .launch = {.options = options}};
    struct margay_error error;
    int exit_status = EXIT_FAILED;
    enum margay_status status;
    if (options->record.cflags || options->record.libs) {
        status = record_print_flags(options, &error);
        return status == MARGAY_OK ? EXIT_DONE
                                   : (message_error(&error), EXIT_FAILED);
    }
    status = record(&recording, &exit_status, &error);
    const int state = recording.launch.state;
    if (traces_conclude(&recording.output, status, &error))
        exit_status =
            WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    margay_receiver_free(recording.launch.receiver);
    free(recording.launch.program);
    return exit_status;
}
