/*
 * cmd_record.c - margay record
 *
 * The command starts the program so that it is recorded, writes the references
 * as they come, those from --start to --stop, in one trace or in one for each
 * thread, and exits with the program's exit status.
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

/* The references that are turned from addresses into ids at a time. */
#define UNITS_REFS 1024

/* The trace of one thread, or of all threads. */
struct trace_file {
    char *path; /* NULL: standard output */
    margay_writer *writer;
    bool named[MARGAY_MODULES]; /* modules that it names */
};

struct traces {
    const struct options *options;
    const margay_receiver *receiver;
    const char *format;
    struct trace_file *files; /* by thread; or one */
    struct output **outputs;  /* of the files, with the same indices */
    size_t file_count;
    uint64_t to_skip, to_write; /* references */
    uint64_t refs;              /* written */
    struct margay_relay *relay; /* for the reader of a pipe; NULL = none */
    /* A batch in units of the format's ids. */
    uint64_t numbers[UNITS_REFS];
    uint32_t extents[UNITS_REFS];
};

/* ----------------------------------------------------------------- files -- */

static bool takes_standard_output(const struct options *options)
{
    return options->output == NULL || strcmp(options->output, "-") == 0;
}

/* The fastest format for a pipe, and the smallest for a file. */
static const char *choose_format(const struct options *options)
{
    const char *wanted = trace_format(options, options->output);
    return wanted != NULL                   ? wanted
           : takes_standard_output(options) ? "words"
                                            : "mgt";
}

/* "runs/sort.3.mgt.zst" for thread 3 and "runs/sort.mgt.zst". */
static char *path_of_thread(const char *path, size_t thread)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dot = strchr(*name == '.' ? name + 1 : name, '.');
    size_t stem = dot == NULL ? strlen(path) : (size_t)(dot - path);
    char *made;
    if (asprintf(&made, "%.*s.%zu%s", (int)stem, path, thread, path + stem) < 0)
        return NULL;
    return made;
}

static enum margay_status make_file(struct traces *output, size_t index,
                                    struct margay_error *error)
{
    const struct options *options = output->options;
    struct trace_file *file = &output->files[index];
    struct margay_sink sink = {&output->outputs[index], sink_write};
    if (options->output != NULL) {
        file->path = options->record.separate_threads
                         ? path_of_thread(options->output, index)
                         : strdup(options->output);
        if (file->path == NULL)
            return margay_fail_memory(error, "the name of a trace");
    }
    enum margay_status status = MARGAY_OK;
    if (options->record.separate_threads)
        status =
            files_check_output(options, "--thread-traces", file->path, error);
    if (status == MARGAY_OK)
        status = margay_writer_create(output->format, file->path, &sink,
                                      &file->writer, error);
    if (status == MARGAY_OK)
        status = output_open(file->path, OUTPUT_STREAMED,
                             &output->outputs[index], error);
    return status;
}

/* A writer keeps a pointer to its output, so that the arrays must not move. */
#define MOST_FILES 65536

static enum margay_status need_file(struct traces *output, size_t index,
                                    struct margay_error *error)
{
    if (index >= MOST_FILES)
        return margay_fail(error, MARGAY_IO,
                           "--thread-traces: more than %d threads", MOST_FILES);
    if (index >= output->file_count)
        output->file_count = index + 1;
    if (output->files[index].writer != NULL)
        return MARGAY_OK;
    return make_file(output, index, error);
}

/* Open the trace, or that of the first thread. */
static enum margay_status trace_open(const struct options *options,
                                     const margay_receiver *receiver,
                                     struct traces *output,
                                     struct margay_error *error)
{
    size_t most = options->record.separate_threads ? MOST_FILES : 1;
    output->options = options;
    output->receiver = receiver;
    output->format = choose_format(options);
    output->to_skip = options->record.start.refs;
    output->to_write =
        options->record.stop.refs == 0 ? UINT64_MAX : options->record.stop.refs;
    output->files = calloc(most, sizeof *output->files);
    output->outputs = calloc(most, sizeof *output->outputs);
    if (output->files == NULL || output->outputs == NULL)
        return margay_fail_memory(error, "a recording");
    enum margay_status status = need_file(output, 0, error);
    if (status == MARGAY_OK && options->record.data &&
        !margay_writer_takes_data(output->files[0].writer))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--data: a trace as %s has no place for it, mgt and "
                           "words have",
                           output->format);
    if (status == MARGAY_OK &&
        margay_writer_takes_words(output->files[0].writer) &&
        output_turn(output->outputs[0]) == OUTPUT_STANDARD)
        output->relay = margay_relay_offer(STDOUT_FILENO);
    return status;
}

/* ------------------------------------------------------------- selection -- */

/* Name the modules that have come up, before the sites that are in them.  One
   that has no name may yet get it. */
static enum margay_status name_modules(const struct traces *output,
                                       struct trace_file *file,
                                       struct margay_error *error)
{
    char path[MARGAY_MODULE_PATH_BYTES];
    enum margay_status status = MARGAY_OK;
    for (unsigned i = 0;
         status == MARGAY_OK && i < MARGAY_MODULES &&
         (file->named[i] || margay_receiver_module(output->receiver, i, path));
         i++) {
        if (file->named[i] || *path == '\0')
            continue;
        status = margay_writer_set_module(file->writer, i, path, error);
        file->named[i] = true;
    }
    return status;
}

/* Write the references that neither --start nor --stop leaves out. */
static enum margay_status select_from(struct traces *output,
                                      const struct margay_batch *batch,
                                      struct margay_error *error)
{
    size_t count = batch->references, from = count, index = 0;
    if (output->to_skip < count)
        from = (size_t)output->to_skip;
    output->to_skip -= from;
    count -= from;
    if (count > output->to_write)
        count = (size_t)output->to_write;
    if (output->to_write != UINT64_MAX)
        output->to_write -= count;
    if (count == 0)
        return MARGAY_OK;
    struct margay_batch part = margay_batch_part(batch, from, count);
    if (output->options->record.separate_threads && part.threads != NULL)
        index = part.threads[0];
    enum margay_status status = need_file(output, index, error);
    if (status == MARGAY_OK)
        status = name_modules(output, &output->files[index], error);
    if (status != MARGAY_OK)
        return status;
    output->refs += count;
    return margay_writer_put(output->files[index].writer, &part, error);
}

/* The entries of a batch from `from` on, UNITS_REFS at most, with ids in the
   place of addresses and extents in ids. */
static struct margay_batch in_units(struct traces *output,
                                    const struct margay_batch *batch,
                                    size_t from, uint64_t unit_bytes)
{
    struct margay_batch part =
        margay_batch_part(batch, from, batch->references - from);
    if (part.references > UNITS_REFS)
        part.references = UNITS_REFS;
    for (size_t i = 0; i < part.references; i++) {
        uint64_t first = part.numbers[i];
        uint64_t last =
            first + (part.extents == NULL ? 1 : part.extents[i]) - 1;
        last = last < first ? UINT64_MAX : last;
        output->numbers[i] = first / unit_bytes;
        output->extents[i] =
            (uint32_t)(last / unit_bytes - output->numbers[i] + 1);
    }
    part.numbers = output->numbers;
    part.extents = output->extents;
    return part;
}

/* Write the references of a batch that the options select. */
static enum margay_status trace_put(struct traces *output,
                                    const struct margay_batch *batch,
                                    struct margay_error *error)
{
    uint64_t unit_bytes =
        bytes_of_id(margay_writer_format(output->files[0].writer));
    enum margay_status status = MARGAY_OK;
    if (unit_bytes == 1)
        return select_from(output, batch, error);
    for (size_t i = 0; i < batch->references && status == MARGAY_OK;) {
        struct margay_batch part = in_units(output, batch, i, unit_bytes);
        status = select_from(output, &part, error);
        i += part.references;
    }
    return status;
}

/* Write an event of data, which happens before what is put next. */
static enum margay_status trace_put_data(struct traces *output,
                                         const struct margay_data_event *event,
                                         struct margay_error *error)
{
    struct trace_file *file = &output->files[0];
    if (output->to_write == 0)
        return MARGAY_OK;
    enum margay_status status = name_modules(output, file, error);
    return status == MARGAY_OK
               ? margay_writer_put_data(file->writer, event, error)
               : status;
}

/* ---------------------------------------------------- words as they are -- */

/* Can recorded words be written as they are, and all of them? */
static bool trace_takes_words(const struct traces *output)
{
    return margay_writer_takes_words(output->files[0].writer) &&
           output->to_skip == 0 && output->to_write == UINT64_MAX;
}

static enum margay_status trace_put_words(struct traces *output,
                                          const struct margay_words *words,
                                          struct margay_error *error)
{
    size_t index = output->options->record.separate_threads ? words->thread : 0;
    output->refs += margay_words_references(words);
    enum margay_status status = need_file(output, index, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_words relayed = *words;
    relayed.relay = output->relay;
    status =
        margay_writer_put_words(output->files[index].writer, &relayed, error);
    if (output->relay != NULL && status == MARGAY_OK &&
        margay_relay_is_awaited(output->relay))
        output_flush(output->outputs[0]);
    return status;
}

/* --------------------------------------------------------------- the end -- */

static void summarise(const struct traces *output, size_t files)
{
    const char *path =
        output->files[0].path == NULL ? "-" : output->files[0].path;
    if (files == 1)
        message_print("%s: %" PRIu64 " reference%s as %s%s", path, output->refs,
                      margay_plural(output->refs, "s"), output->format,
                      output->to_write == 0 ? "; the program went on unrecorded"
                                            : "");
    else
        message_print("%s and others: %" PRIu64 " reference%s of %zu threads "
                      "as %s",
                      path, output->refs, margay_plural(output->refs, "s"),
                      files, output->format);
}

/* If `status` is MARGAY_OK, write the references still held back and publish
   the files; otherwise print *error.  True if the files appeared. */
static bool trace_conclude(struct traces *output, enum margay_status status,
                           struct margay_error *error)
{
    size_t files = 0;
    for (size_t i = 0; i < output->file_count && status == MARGAY_OK; i++) {
        files += output->files[i].writer != NULL;
        if (output->files[i].writer != NULL)
            status = margay_writer_finish(output->files[i].writer, error);
    }
    if (status == MARGAY_OK)
        margay_relay_conclude(output->relay);
    bool done = conclude(status, output->outputs, output->file_count, error) !=
                EXIT_TROUBLE;
    if (done && !output->options->quiet)
        summarise(output, files);
    for (size_t i = 0; i < output->file_count; i++) {
        margay_writer_free(output->files[i].writer);
        free(output->files[i].path);
    }
    margay_relay_withdraw(output->relay);
    free(output->files);
    free(output->outputs);
    return done;
}

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
    if (takes_standard_output(options) && isatty(STDOUT_FILENO))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a trace is nothing for a terminal (say -o FILE, "
                           "or write to a pipe)");
    if (options->record.separate_threads && takes_standard_output(options))
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
            trace_open(options, launch->receiver, &recording->output, error);
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
        &recording->launch, takes_standard_output(recording->options),
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
        status = trace_put(&recording->output, &part, error);
        if (status == MARGAY_OK)
            status = trace_put_data(&recording->output, &events[i], error);
        done = events[i].at;
    }
    part = margay_batch_part(&batch, done, batch.references - done);
    return status == MARGAY_OK ? trace_put(&recording->output, &part, error)
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
    if (trace_takes_words(&recording->output) &&
        margay_receiver_words_stand_alone(receiver))
        return trace_put_words(&recording->output, &words, error);
    return write_decoded(recording, error);
}

/* References missing within a program are a failure.  All that was sent came,
   unless a program has written over what it shares with this process; programs
   that are left running may send more. */
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

/* Say of which functions the trace shows nothing, what processes may lack, and
   which whole programs the method could not follow. */
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
    if (trace_conclude(&recording.output, status, &error))
        exit_status =
            WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    margay_receiver_free(recording.launch.receiver);
    free(recording.launch.program);
    return exit_status;
}
