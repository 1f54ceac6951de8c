/* signals.c - interrupts, progress requests and failing writes */
#define _GNU_SOURCE
#include "sim/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#define MAX_DOOMED 4

/* Lock-free, so that a handler may touch them, and any thread may look. */
static atomic_int kept_signal, report_wanted, keep_next;
static const char *volatile doomed[MAX_DOOMED];

/* Async-signal-safe. */
static void die_of(int number)
{
    for (size_t i = 0; i < MAX_DOOMED; i++) {
        if (doomed[i] != NULL)
            unlink(doomed[i]);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void on_end(int number)
{
    if (keep_next && kept_signal == 0)
        kept_signal = number;
    else
        die_of(number);
}

static void on_report(int number)
{
    (void)number;
    report_wanted = 1;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* nohup(1) ignores SIGHUP on our behalf, and that must stay so. */
static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

void signals_install(void)
{
    /* SIGINT even where a shell without job control has it ignored in the
       background: whoever sends one to the process means it. */
    handle(SIGINT, on_end);
    handle(SIGTERM, on_end);
    if (!is_ignored(SIGHUP))
        handle(SIGHUP, die_of);
    handle(SIGUSR1, on_report);
    /* A closed pipe, or a file grown to its limit, is noticed by the write,
       which can then tidy up. */
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN);
}

void signals_finish_gracefully(bool graceful)
{
    keep_next = graceful;
}

int signals_interrupted(void)
{
    return kept_signal;
}

bool signals_report_wanted(void)
{
    return atomic_exchange(&report_wanted, 0) != 0;
}

void signals_doom(const char *path)
{
    size_t i = 0;
    while (i < MAX_DOOMED && doomed[i] != NULL)
        i++;
    if (i < MAX_DOOMED)
        doomed[i] = path;
}

void signals_spare(const char *path)
{
    for (size_t i = 0; i < MAX_DOOMED; i++) {
        if (doomed[i] == path)
            doomed[i] = NULL;
    }
}

static void mask_ends(int how)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    pthread_sigmask(how, &ends, NULL);
}

void signals_hold(void)
{
    mask_ends(SIG_BLOCK);
}

void signals_release(void)
{
    mask_ends(SIG_UNBLOCK);
}

void signals_die(int number)
{
    die_of(number);
    _exit(128 + number);
}

void signals_reset(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGUSR1, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
        handle(caught[i], SIG_DFL);
}
