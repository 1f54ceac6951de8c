/* record_losses.c - what a recording lacks, and why */
#include <inttypes.h>
#include <sys/wait.h>

#include "sim/record/record.h"
#include "sim/terminal/message.h"

/* References missing within a program are a failure.  All that was sent came,
   unless a program has written over the memory shared with this process;
   programs that are left running may send more. */
static enum margay_status check_losses(
    const struct launch *launch, const struct margay_receiver_facts *facts,
    bool is_whole, struct margay_error *error)
{
    static const char *const did[MARGAY_LOSSES] = {
        [MARGAY_LOSS_DESCRIPTORS] = "closed the recorder's descriptors, and "
                                    "could not open them again",
        [MARGAY_LOSS_MEMORY] = "had no memory left for the recorder's "
                               "buffers, as where ulimit -v bounds it",
        [MARGAY_LOSS_THREADS] = "had more threads at a time than there are "
                                "buffers",
        [MARGAY_LOSS_SHARED] = "made another that has the same variables, by "
                               "a call of clone",
    };
    if (launch->sees_end && WIFEXITED(launch->state) && !facts->saw_end)
        return margay_fail(
            error, MARGAY_IO,
            "%s: %s itself failed before the program ended, with "
            "status %d: references are missing",
            launch->program, launch->prefix[0], WEXITSTATUS(launch->state));
    for (enum margay_loss loss = 0; loss < MARGAY_LOSSES; loss++) {
        if (facts->lost[loss] > 0)
            return margay_fail(error, MARGAY_IO,
                               "%s: %" PRIu64 " process%s %s: references are "
                               "missing",
                               launch->program, facts->lost[loss],
                               margay_plural(facts->lost[loss], "es"),
                               did[loss]);
    }
    if (facts->missing == 0 || !is_whole)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_IO,
                       "%s: %" PRIu64 " word%s that were sent did not come, as "
                       "the program wrote over the recorder's memory: "
                       "references are missing",
                       launch->program, facts->missing,
                       margay_plural(facts->missing, "s"));
}

/* Say of which functions the trace shows nothing. */
static void tell_gaps(const struct options *options, enum margay_quiet quiet)
{
    const char *start = options->record.start.function;
    const char *stop = options->record.stop.function;
    if (start != NULL && quiet == MARGAY_NOT_YET)
        message_print("%s: --start %s: it was not entered, or only where it is "
                      "inlined, so nothing is recorded",
                      options->operands[0], start);
    else if (stop != NULL && quiet == MARGAY_RECORD)
        message_print("%s: --stop %s: it did not return, or only where it is "
                      "inlined, so all is recorded to the end",
                      options->operands[0], stop);
}

enum margay_status record_check(const struct launch *launch, bool is_whole,
                                int *exit_status, struct margay_error *error)
{
    const struct margay_receiver_facts facts =
        margay_receiver_facts(launch->receiver);
    if (facts.programs == 0 && launch->prefix_count > 0) {
        *exit_status = EXIT_CANNOT_RUN;
        return margay_fail(error, MARGAY_IO, "%s: %s cannot run it",
                           launch->program, launch->prefix[0]);
    }
    if (facts.programs == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: it made no references: is it built with "
                           "'margay record --cflags' and --libs?",
                           launch->program);
    enum margay_status status = check_losses(launch, &facts, is_whole, error);
    if (status == MARGAY_OK)
        tell_gaps(launch->options, facts.quiet);
    return status;
}
