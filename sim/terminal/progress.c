/* progress.c - the progress of a long run */
#define _GNU_SOURCE
#include "sim/terminal/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/terminal/message.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

#define SECONDS_BETWEEN 0.2
#define NAME_COLUMNS    24

void progress_begin(struct progress *progress, const char *name, bool quiet)
{
    *progress = (struct progress){
        .name = name,
        .quiet = quiet,
        .terminal = isatty(STDERR_FILENO) == 1,
        .started = margay_clock_seconds(CLOCK_MONOTONIC),
    };
    progress->shown = progress->started;
}

/* "41.2%, 1234 references, 25.1 M/s, 3 s left" */
static void format_state(char *text, size_t bytes, double seconds,
                         const char *how, uint64_t references, uint64_t done,
                         uint64_t total)
{
    double rate = seconds > 0 ? (double)references / seconds * 1e-6 : 0;
    double share = total == 0 ? 0 : (double)done / (double)total;
    bool known = share > 0 && share < 1;
    unsigned long s =
        known ? (unsigned long)(seconds * (1 - share) / share + 0.5) : 0;
    char percent[32] = "", left[48] = "";
    /* Once all bytes are read, they do not show the remaining time. */
    if (known)
        snprintf(percent, sizeof percent, "%.1f%%, ", share * 100);
    if (s >= 3600)
        snprintf(left, sizeof left, ", %lu h %02lu min left", s / 3600,
                 s / 60 % 60);
    else if (s >= 60)
        snprintf(left, sizeof left, ", %lu min %02lu s left", s / 60, s % 60);
    else if (known)
        snprintf(left, sizeof left, ", %lu s left", s);
    snprintf(text, bytes, "%s%" PRIu64 " reference%s%s, %.1f M/s%s", percent,
             references, margay_plural(references, "s"), how, rate, left);
}

void progress_update(struct progress *progress, uint64_t references,
                     uint64_t done, uint64_t total)
{
    char state[160];
    bool asked = signals_report_wanted() && !progress->quiet;
    if (!asked && (progress->quiet || !progress->terminal))
        return;
    double now = margay_clock_seconds(CLOCK_MONOTONIC);
    if (!asked && now - progress->shown < SECONDS_BETWEEN)
        return;
    progress->shown = now;
    format_state(state, sizeof state, now - progress->started,
                 progress->simulates ? " simulated" : "", references, done,
                 total);
    if (asked) {
        message_print("%s: %s", progress->name, state);
        return;
    }
    /* The last part of a path, cut to leave room on the line. */
    const char *slash = strrchr(progress->name, '/');
    message_status(
        "%.*s: %s", NAME_COLUMNS,
        slash == NULL || slash[1] == '\0' ? progress->name : slash + 1, state);
}
