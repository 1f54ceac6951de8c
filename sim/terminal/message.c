/* message.c - the messages on standard error */
#include "sim/terminal/message.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "traces/traces_internal.h"

static const char *command_name;
static bool silent, quiet, keeps_none;

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
    quiet = true;
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
    if (!quiet)
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

void message_status(const char *format, ...)
{
    char text[MARGAY_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    margay_make_printable(text);
    pthread_mutex_lock(&mutex);
    fprintf(stderr, "\r%s\033[K", text);
    status_shown = true;
    pthread_mutex_unlock(&mutex);
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
