/* message.c - what the command says on stderr */
#include "sim/message.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "traces/traces_internal.h"

static const char *command_name;
static bool silent;

/* Several traces may be read at the same time. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool status_shown; /* the mutex's */

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
    margay_make_printable(text); /* names of files may hold anything */
    pthread_mutex_lock(&mutex);
    wipe_status();
    fprintf(stderr, "margay%s%s: %s\n", command_name == NULL ? "" : " ",
            command_name == NULL ? "" : command_name, text);
    pthread_mutex_unlock(&mutex);
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
