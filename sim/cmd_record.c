/*
 * cmd_record.c - margay record
 *
 * The program is started so that it is recorded, its references are written as
 * they come, and its end is ours: we exit as it did.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "sim/commands.h"
#include "sim/message.h"
#include "sim/options.h"
#include "sim/progress.h"
#include "sim/record.h"
#include "sim/record_output.h"
#include "sim/signals.h"

/* The largest power of two that a words trace can name. */
#define MOST_COLLAPSED_BYTES (UINT64_C(1) << 31)

/* How long the end of the program may go unnoticed. */
#define WAIT_MS 100

struct recording {
    const struct options *options;
    struct launch launch;
    margay_trace *text; /* of a method that writes text */
    int text_pipe[2];
    struct record_output *output;
    struct progress progress;
    bool recorded; /* something has come */
    bool stopped;  /* no more is wanted */

    bool ended; /* the program has, and this is how: */
    int state;
    int forwarded; /* the signal that it was sent on our part */
};

/* --------------------------------------------------------------- set-up -- */

static bool takes_standard_output(const struct options *options)
{
    return options->output == NULL || strcmp(options->output, "-") == 0;
}

static enum margay_status check(const struct options *options,
                                struct margay_error *error)
{
    if (options->operand_count == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "missing operand: expected -- PROGRAM [ARGUMENT]... "
                           "('margay help record' tells more)");
    if (takes_standard_output(options) && isatty(STDOUT_FILENO))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a trace is nothing for a terminal (say -o FILE, "
                           "or write to a pipe)");
    if (options->separate_threads && takes_standard_output(options))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--thread-traces separate needs a FILE to number: "
                           "-o FILE");
    if (options->collapse_bytes != 0 &&
        !margay_is_power_of_two(options->collapse_bytes))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--collapse: %" PRIu64 " is not a power of two",
                           options->collapse_bytes);
    if (options->collapse_bytes > MOST_COLLAPSED_BYTES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--collapse: %" PRIu64 " is more than %" PRIu64,
                           options->collapse_bytes, MOST_COLLAPSED_BYTES);
    return MARGAY_OK;
}

/* Where the references come from. */
static enum margay_status open_source(struct recording *recording,
                                      struct margay_error *error)
{
    struct launch *launch = &recording->launch;
    const struct options *options = recording->options;
    struct margay_receiver_options receiver_options = {
        .collapse_bytes = options->collapse_bytes,
        .sites = options->sites,
    };
    struct margay_trace_options trace_options = MARGAY_TRACE_OPTIONS_DEFAULT;
    char path[32];
    if (launch->text_format == NULL) {
        enum margay_status status =
            record_find_function(launch->program, options->start.function,
                                 &receiver_options.start, error);
        if (status == MARGAY_OK)
            status =
                record_find_function(launch->program, options->stop.function,
                                     &receiver_options.stop, error);
        if (status == MARGAY_OK)
            status = margay_receiver_create(&receiver_options,
                                            &launch->receiver, error);
        return status;
    }
    if (pipe2(recording->text_pipe, O_CLOEXEC) != 0)
        return margay_fail(error, MARGAY_IO, "no pipe: %s", strerror(errno));
    snprintf(path, sizeof path, "/dev/fd/%d", recording->text_pipe[0]);
    trace_options.format = launch->text_format;
    if (!options->fetches)
        trace_options.kinds &= ~MARGAY_KIND_BIT(MARGAY_FETCH);
    return margay_trace_open(path, &trace_options, &recording->text, error);
}

static enum margay_status prepare(struct recording *recording, int *exit_status,
                                  struct margay_error *error)
{
    const struct options *options = recording->options;
    struct launch *launch = &recording->launch;
    enum margay_status status = check(options, error);
    if (status != MARGAY_OK)
        return status;
    launch->program = launch_find(options->operands[0]);
    if (launch->program == NULL || access(launch->program, F_OK) != 0) {
        *exit_status = EXIT_NOT_FOUND;
        return margay_fail(error, MARGAY_IO, "%s: no such program",
                           options->operands[0]);
    }
    status = launch_check(launch->program, exit_status, error);
    if (status != MARGAY_OK)
        return status;
    const struct record_method *method =
        record_method_choose(options, launch->program, error);
    if (method == NULL)
        return MARGAY_BAD_ARGUMENT;
    status = method->prepare(launch, error);
    if (status == MARGAY_OK)
        status = open_source(recording, error);
    if (status == MARGAY_OK)
        status = record_output_open(options, &recording->output, error);
    return status;
}

static enum margay_status start(struct recording *recording, int *exit_status,
                                struct margay_error *error)
{
#ifdef PR_SET_CHILD_SUBREAPER
    /* Processes that outlive their parents become ours, not the system's. */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
    signals_finish_gracefully(true);
    enum margay_status status = launch_start(
        &recording->launch, recording->text_pipe[1],
        takes_standard_output(recording->options), exit_status, error);
    if (recording->text_pipe[1] >= 0)
        close(recording->text_pipe[1]);
    recording->text_pipe[1] = -1;
    if (status == MARGAY_OK && recording->launch.receiver != NULL)
        margay_receiver_started(recording->launch.receiver);
    return status;
}

/* ------------------------------------------------------------- recording -- */

/* See whether the program has ended, waiting for it if that is `wait`ed for;
   its orphans are ours to bury, too. */
static void look_after(struct recording *recording, bool wait)
{
    int state;
    pid_t process;
    while (!recording->ended &&
           ((process = waitpid(-1, &state, wait ? 0 : WNOHANG)) > 0 ||
            (process < 0 && errno == EINTR))) {
        if (process != recording->launch.process)
            continue;
        recording->ended = true;
        recording->state = state;
    }
    while (recording->ended && waitpid(-1, &state, WNOHANG) > 0)
        ;
}

/* The terminal's interrupt reaches the program as it reaches us; others have
   to be handed on. */
static bool has_terminals_attention(void)
{
    int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    bool attention = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
    if (terminal >= 0)
        close(terminal);
    return attention;
}

static void forward_signal(struct recording *recording)
{
    int number = signals_interrupted();
    if (number == 0 || recording->forwarded != 0 || recording->ended)
        return;
    recording->forwarded = number;
    if (number != SIGINT || !has_terminals_attention())
        kill(recording->launch.process, number);
}

static enum margay_status write_next_of_text(struct recording *recording,
                                             struct margay_error *error)
{
    struct margay_batch batch;
    enum margay_status status =
        margay_trace_next(recording->text, WAIT_MS, &batch, error);
    return status == MARGAY_OK
               ? record_output_put(recording->output, &batch, error)
               : status;
}

/* As they are, if nobody wants to look at them. */
static enum margay_status write_next_words(struct recording *recording,
                                           struct margay_error *error)
{
    margay_receiver *receiver = recording->launch.receiver;
    struct margay_words words;
    struct margay_batch batch;
    enum margay_status status =
        margay_receiver_next(receiver, WAIT_MS, &words, error);
    if (status != MARGAY_OK || words.count == 0)
        return status;
    if (record_output_takes_words(recording->output) &&
        margay_receiver_words_stand_alone(receiver))
        return record_output_put_words(recording->output, &words, error);
    margay_receiver_decode(receiver, &batch);
    return record_output_put(recording->output, &batch, error);
}

static enum margay_status write_next(struct recording *recording,
                                     struct margay_error *error)
{
    return recording->text != NULL ? write_next_of_text(recording, error)
                                   : write_next_words(recording, error);
}

/* What --max-trace or --stop do not want need not be recorded. */
static void stop_if_full(struct recording *recording)
{
    if (recording->stopped || !record_output_is_full(recording->output))
        return;
    recording->stopped = true;
    if (recording->launch.receiver != NULL)
        margay_receiver_stop(recording->launch.receiver);
}

/* Nobody has recorded: the method was not the right one. */
static enum margay_status check_recorded(const struct recording *recording,
                                         int *exit_status,
                                         struct margay_error *error)
{
    const struct launch *launch = &recording->launch;
    if (launch->prefix_count > 0 && !recording->recorded) {
        *exit_status = EXIT_CANNOT_RUN;
        return margay_fail(error, MARGAY_IO, "%s: %s cannot run it",
                           launch->program, launch->prefix[0]);
    }
    if (launch->receiver == NULL ||
        margay_receiver_processes(launch->receiver) > 0)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: it made no references: is it built with 'margay "
                       "record --cflags' and --libs?",
                       launch->program);
}

static enum margay_status write_all(struct recording *recording,
                                    struct margay_error *error)
{
    enum margay_status status;
    progress_begin(&recording->progress, recording->options->operands[0],
                   recording->options->quiet);
    do {
        status = write_next(recording, error);
        recording->recorded = recording->recorded || status == MARGAY_OK;
        progress_update(&recording->progress,
                        record_output_refs(recording->output), 0, 0);
        stop_if_full(recording);
        bool ended = recording->ended;
        look_after(recording, false);
        forward_signal(recording);
        if (recording->ended && !ended && recording->launch.receiver != NULL)
            margay_receiver_finish(recording->launch.receiver);
    } while (status == MARGAY_OK || status == MARGAY_AGAIN);
    return status;
}

/* The trace has ended, perhaps before the program; or there is none. */
static void await_end(struct recording *recording, enum margay_status status)
{
    if (status != MARGAY_OK && !recording->ended)
        kill(recording->launch.process, SIGTERM);
    while (!recording->ended) {
        struct timespec moment = {0, 1000000};
        forward_signal(recording);
        look_after(recording, false);
        if (!recording->ended)
            nanosleep(&moment, NULL);
    }
}

static int exit_status_of(int state)
{
    return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

static enum margay_status record(struct recording *recording, int *exit_status,
                                 struct margay_error *error)
{
    enum margay_status status = prepare(recording, exit_status, error);
    if (status == MARGAY_OK)
        status = start(recording, exit_status, error);
    if (status != MARGAY_OK)
        return status;
    *exit_status = EXIT_FAILED;
    status = write_all(recording, error);
    if (status == MARGAY_END)
        status = check_recorded(recording, exit_status, error);
    await_end(recording, status);
    return status;
}

static void release(struct recording *recording)
{
    margay_trace_free(recording->text);
    for (int i = 0; i < 2; i++) {
        if (recording->text_pipe[i] >= 0)
            close(recording->text_pipe[i]);
    }
    margay_receiver_free(recording->launch.receiver);
    free(recording->launch.program);
}

int cmd_record(const struct options *options)
{
    struct recording recording = {.options = options,
                                  .launch = {.options = options},
                                  .text_pipe = {-1, -1}};
    struct margay_error error;
    int exit_status = EXIT_FAILED;
    enum margay_status status;
    if (options->cflags || options->libs) {
        status = record_print_flags(options, &error);
        return status == MARGAY_OK ? EXIT_DONE
                                   : (message_error(&error), EXIT_FAILED);
    }
    status = record(&recording, &exit_status, &error);
    if (record_output_conclude(recording.output, status, &error))
        exit_status = exit_status_of(recording.state);
    release(&recording);
    return exit_status;
}
