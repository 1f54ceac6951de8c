/* message.c - the messages on standard error, and the progress of a long run */
#define _GNU_SOURCE
#include "sim/terminal/message.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

#define SECONDS_BETWEEN 0.2
#define NAME_COLUMNS    24

static const char *command_name;
static bool silent, tells_none, keeps_none;

/* Several threads may print when several traces are read at the same time. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool status_shown; /* the mutex's */

struct kept {
    struct kept *next;
    char text[MARGAY_MESSAGE_BYTES];
};
static struct kept *first_kept, **next_kept = &first_kept; /* the mutex's */

void message_set_command(const char *name)
{
    command_name = name;
}

static void wipe_status(void)
{
    if (status_shown)
        fputs("\r\033[K", stderr);
    status_shown = false;
}

void message_wipe_status(void)
{
    pthread_mutex_lock(&mutex);
    wipe_status();
    pthread_mutex_unlock(&mutex);
}

void message_be_silent(void)
{
    silent = true;
}

void message_print(const char *format, ...)
{
    char text[MARGAY_MESSAGE_BYTES];
    va_list arguments;
    if (silent)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    margay_make_printable(text); /* names of files may hold any character */
    pthread_mutex_lock(&mutex);
    wipe_status();
    fprintf(stderr, "margay%s%s: %s\n", command_name == NULL ? "" : " ",
            command_name == NULL ? "" : command_name, text);
    pthread_mutex_unlock(&mutex);
}

void message_keep_none(void)
{
    keeps_none = true;
}

void message_be_quiet(void)
{
    tells_none = true;
}

/* A message for which there is no memory is lost. */
static void keep(const char *format, va_list arguments)
{
    struct kept *kept = keeps_none ? NULL : calloc(1, sizeof *kept);
    if (kept == NULL)
        return;
    vsnprintf(kept->text, sizeof kept->text, format, arguments);
    pthread_mutex_lock(&mutex);
    *next_kept = kept;
    next_kept = &kept->next;
    pthread_mutex_unlock(&mutex);
}

void message_keep(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    keep(format, arguments);
    va_end(arguments);
}

void message_tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!tells_none)
        keep(format, arguments);
    va_end(arguments);
}

void message_tell_kept(bool wanted)
{
    pthread_mutex_lock(&mutex);
    struct kept *kept = first_kept;
    first_kept = NULL;
    next_kept = &first_kept;
    pthread_mutex_unlock(&mutex);
    while (kept != NULL) {
        struct kept *next = kept->next;
        if (wanted)
            message_print("%s", kept->text);
        free(kept);
        kept = next;
    }
}

int message_error(const struct margay_error *error)
{
    message_print("%s", error->message);
    return EXIT_TROUBLE;
}

struct suggestion suggest(const char *word, const char *prefix,
                          const char *(*candidate)(size_t i,
                                                   const void *context),
                          const void *context)
{
    struct suggestion suggestion = {""};
    const char *nearest = margay_nearest(word, candidate, context);
    if (nearest != NULL)
        snprintf(suggestion.text, sizeof suggestion.text,
                 " (did you mean '%s%s'?)", prefix, nearest);
    return suggestion;
}

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

/* Show the last part of a path, cut to leave room, and the state on the
   terminal's current line. */
static void show_status(const char *name, const char *state)
{
    char text[MARGAY_MESSAGE_BYTES];
    const char *slash = strrchr(name, '/');
    snprintf(text, sizeof text, "%.*s: %s", NAME_COLUMNS,
             slash == NULL || slash[1] == '\0' ? name : slash + 1, state);
    margay_make_printable(text);
    pthread_mutex_lock(&mutex);
    fprintf(stderr, "\r%s\033[K", text);
    status_shown = true;
    pthread_mutex_unlock(&mutex);
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
    if (asked)
        message_print("%s: %s", progress->name, state);
    else
        show_status(progress->name, state);
}
