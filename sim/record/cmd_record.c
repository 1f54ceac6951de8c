/*
 * cmd_record.c - margay record
 *
 * The command starts the program so that it is recorded, writes the references
 * as they come, and exits with the program's exit status.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/annotate/annotate.h"
#include "sim/options/commands.h"
#include "sim/options/files.h"
#include "sim/options/options.h"
#include "sim/options/trace_format.h"
#include "sim/record/record.h"
#include "sim/run/spans.h"
#include "sim/terminal/find_file.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "sim/terminal/progress.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/* ------------------------------------------------------------ recording -- */

/* The longest delay before the end of the program is noticed. */
#define WAIT_MS 100

struct recording {
    const struct options *options;
    struct launch launch;
    struct traces output;
    struct progress progress;
    bool stopped; /* no more references are wanted */

    bool ended; /* the program has ended, with this state of waitpid() */
    int state;
    bool forwarded; /* a signal to it */
    bool cut;       /* one has ended the wait for processes that it left */
};

/* --------------------------------------------------------------- set-up -- */

static enum margay_status check(const struct options *options,
                                struct margay_error *error)
{
    if (options->operand_count == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "missing operand: expected -- PROGRAM [ARGUMENT]... "
                           "('margay help record' tells more)");
    if (traces_to_standard_output(options) && isatty(STDOUT_FILENO))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a trace is nothing for a terminal (say -o FILE, "
                           "or write to a pipe)");
    if (options->record.separate_threads && traces_to_standard_output(options))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--thread-traces separate needs a FILE to number: "
                           "-o FILE");
    if (options->record.data && options->record.separate_threads)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--data is of one trace for all threads: leave out "
                           "--thread-traces separate");
    return MARGAY_OK;
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

static enum margay_status start(struct recording *recording, int *exit_status,
                                struct margay_error *error)
{
    /* Processes that outlive their parents become children of this process. */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    signals_finish_gracefully(true);
    signals_keep_hangup();
    enum margay_status status = launch_start(
        &recording->launch, traces_to_standard_output(recording->options),
        exit_status, error);
    if (status == MARGAY_OK) {
        margay_receiver_started(recording->launch.receiver);
        margay_receiver_expect(recording->launch.receiver,
                               recording->launch.is_launcher
                                   ? 0
                                   : (uint32_t)recording->launch.process);
    }
    return status;
}

/* ------------------------------------------------------------- recording -- */

/* Reap children, and note the end of the program.  Its orphans are children of
   this process, too, and the trace ends with the last of them that is
   recorded. */
static void look_after(struct recording *recording)
{
    int state;
    pid_t process;
    while ((process = waitpid(-1, &state, WNOHANG)) > 0 ||
           (process < 0 && errno == EINTR)) {
        if (process != recording->launch.process)
            continue;
        recording->ended = true;
        recording->state = state;
    }
    if (recording->ended)
        margay_receiver_finish(recording->launch.receiver, process < 0);
}

/* Is the program in the terminal's foreground?  Then the terminal's interrupt
   reaches it directly; any other signal has to be forwarded. */
static bool has_terminals_attention(void)
{
    int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    bool attention = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
    if (terminal >= 0)
        close(terminal);
    return attention;
}

/* After the program, a signal ends the wait for processes that it left; one
   that the program got before is done with. */
static void forward_signal(struct recording *recording)
{
    int number = signals_interrupted();
    if (number == 0 || recording->cut)
        return;
    if (recording->ended && recording->forwarded) {
        recording->forwarded = false;
        signals_forget();
    } else if (recording->ended) {
        recording->cut = true;
        margay_receiver_finish(recording->launch.receiver, true);
    } else if (!recording->forwarded) {
        recording->forwarded = true;
        if (number != SIGINT || !has_terminals_attention())
            kill(recording->launch.process, number);
    }
}

/* Write decoded references, and the events of data where they happen. */
static enum margay_status write_decoded(struct recording *recording,
                                        struct margay_error *error)
{
    struct margay_batch batch, part;
    size_t count, done = 0;
    const struct margay_data_event *events =
        margay_receiver_decode(recording->launch.receiver, &batch, &count);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        part = margay_batch_part(&batch, done, events[i].at - done);
        status = traces_put(&recording->output, &part, error);
        if (status == MARGAY_OK)
            status = traces_put_data(&recording->output, &events[i], error);
        done = events[i].at;
    }
    part = margay_batch_part(&batch, done, batch.references - done);
    return status == MARGAY_OK ? traces_put(&recording->output, &part, error)
                               : status;
}

/* Words are written as they are if no option needs the references in them. */
static enum margay_status write_next(struct recording *recording,
                                     struct margay_error *error)
{
    margay_receiver *receiver = recording->launch.receiver;
    struct margay_words words;
    enum margay_status status =
        margay_receiver_next(receiver, WAIT_MS, &words, error);
    if (status != MARGAY_OK || words.count == 0)
        return status;
    if (traces_takes_words(&recording->output) &&
        margay_receiver_words_stand_alone(receiver))
        return traces_put_words(&recording->output, &words, error);
    return write_decoded(recording, error);
}

/* References missing within a program are a failure.  All that was sent came,
   unless a program has written over the memory shared with this process;
   programs that are left running may send more. */
static enum margay_status check_losses(
    const struct recording *recording,
    const struct margay_receiver_facts *facts, struct margay_error *error)
{
    static const char *const did[MARGAY_LOSS_FORKED] = {
        [MARGAY_LOSS_DESCRIPTORS] = "closed the recorder's descriptors, and "
                                    "could not open them again",
        [MARGAY_LOSS_MEMORY] = "had no memory left for the recorder's "
                               "buffers, as where ulimit -v bounds it",
        [MARGAY_LOSS_THREADS] = "had more threads at a time than there are "
                                "buffers",
        [MARGAY_LOSS_SHARED] = "made another that has the same variables, by "
                               "a call of clone",
    };
    const struct launch *launch = &recording->launch;
    if (launch->sees_end && WIFEXITED(recording->state) && !facts->saw_end)
        return margay_fail(
            error, MARGAY_IO,
            "%s: %s itself failed before the program ended, with "
            "status %d: references are missing",
            launch->program, launch->prefix[0], WEXITSTATUS(recording->state));
    for (enum margay_loss loss = 0; loss < MARGAY_LOSS_FORKED; loss++) {
        if (facts->lost[loss] > 0)
            return margay_fail(error, MARGAY_IO,
                               "%s: %" PRIu64 " process%s %s: references are "
                               "missing",
                               launch->program, facts->lost[loss],
                               margay_plural(facts->lost[loss], "es"),
                               did[loss]);
    }
    if (facts->missing == 0 || recording->stopped || recording->cut)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_IO,
                       "%s: %" PRIu64 " word%s that were sent did not come, as "
                       "the program wrote over the recorder's memory: "
                       "references are missing",
                       launch->program, facts->missing,
                       margay_plural(facts->missing, "s"));
}

/* Report the functions that were never seen, references that processes may
   lack, and whole programs that the method could not follow. */
static void tell_gaps(const struct recording *recording,
                      const struct margay_receiver_facts *facts)
{
    const struct options *options = recording->options;
    const char *start = options->record.start.function;
    const char *stop = options->record.stop.function;
    const uint64_t forked = facts->lost[MARGAY_LOSS_FORKED];
    if (start != NULL && facts->quiet == MARGAY_NOT_YET)
        message_print("%s: --start %s: it was not entered, or only where it is "
                      "inlined, so nothing is recorded",
                      options->operands[0], start);
    else if (stop != NULL && facts->quiet == MARGAY_RECORD)
        message_print("%s: --stop %s: it did not return, or only where it is "
                      "inlined, so all is recorded to the end",
                      options->operands[0], stop);
    if (forked > 0)
        message_print("%s: %" PRIu64 " process%s may lack references: a "
                      "handler of a signal forked in the midst of some",
                      options->operands[0], forked,
                      margay_plural(forked, "es"));
    if (facts->left_out > 0)
        message_print("%s: at least %" PRIu64 " program%s of this recording "
                      "%s left out: %s",
                      options->operands[0], facts->left_out,
                      margay_plural(facts->left_out, "s"),
                      facts->left_out == 1 ? "is" : "are",
                      recording->launch.leaves_out);
}

/* If no process has recorded, the method does not suit the program. */
static enum margay_status check_recorded(const struct recording *recording,
                                         int *exit_status,
                                         struct margay_error *error)
{
    const struct launch *launch = &recording->launch;
    const struct margay_receiver_facts facts =
        margay_receiver_facts(launch->receiver);
    if (facts.processes == 0 && launch->prefix_count > 0) {
        *exit_status = EXIT_CANNOT_RUN;
        return margay_fail(error, MARGAY_IO, "%s: %s cannot run it",
                           launch->program, launch->prefix[0]);
    }
    if (facts.processes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: it made no references: is it built with "
                           "'margay record --cflags' and --libs?",
                           launch->program);
    enum margay_status status = check_losses(recording, &facts, error);
    if (status == MARGAY_OK)
        tell_gaps(recording, &facts);
    return status;
}

/* References that --stop leaves out need not be recorded. */
static enum margay_status write_all(struct recording *recording,
                                    struct margay_error *error)
{
    enum margay_status status;
    progress_begin(&recording->progress, recording->options->operands[0],
                   recording->options->quiet);
    do {
        status = write_next(recording, error);
        progress_update(&recording->progress, recording->output.refs, 0, 0);
        if (!recording->stopped && recording->output.to_write == 0) {
            recording->stopped = true;
            margay_receiver_stop(recording->launch.receiver);
        }
        look_after(recording);
        forward_signal(recording);
    } while (status == MARGAY_OK || status == MARGAY_AGAIN);
    return status;
}

/* Wait for the program, which may go on after the end of the trace.  After a
   failure, ask it to end.  Its references are read and dropped: a program that
   waits for its reader would neither receive a signal nor end. */
static void await_end(struct recording *recording, enum margay_status status)
{
    struct margay_words words;
    struct margay_error error;
    if (status != MARGAY_OK && !recording->ended)
        kill(recording->launch.process, SIGTERM);
    margay_receiver_stop(recording->launch.receiver);
    while (!recording->ended) {
        struct timespec moment = {0, 1000000};
        forward_signal(recording);
        look_after(recording);
        margay_receiver_next(recording->launch.receiver, 1, &words, &error);
        if (!recording->ended)
            nanosleep(&moment, NULL);
    }
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
    const int state = recording.state;
    if (traces_conclude(&recording.output, status, &error))
        exit_status =
            WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    margay_receiver_free(recording.launch.receiver);
    free(recording.launch.program);
    return exit_status;
}
