/* signals.c - interrupts, progress requests and failing writes */
#define _GNU_SOURCE
#include "sim/terminal/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELF_PATHS 64

/* Lock-free, so that a handler may touch them, and any thread may look. */
static atomic_int kept_signal, report_wanted, keep_next, keep_none, keep_hangup;

/* The files to remove.  Shelves are added and never freed, because a handler
   may be reading them. */
struct shelf {
    _Atomic(const char *) paths[SHELF_PATHS];
    _Atomic(struct shelf *) next;
};
static struct shelf doomed;

static atomic_int own_group; /* process group to kill first; 0 = none */

/* Async-signal-safe. */
static void die_of(int number)
{
    pid_t group = own_group;
    if (group > 0 && kill(-group, SIGKILL) == 0)
        waitpid(group, NULL, 0);
    for (struct shelf *shelf = &doomed; shelf != NULL; shelf = shelf->next) {
        for (size_t i = 0; i < SHELF_PATHS; i++) {
            const char *path = shelf->paths[i];
            if (path != NULL)
                unlink(path);
        }
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

static void on_hangup(int number)
{
    if (keep_hangup)
        on_end(number);
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

void signals_install(void)
{
    struct sigaction hangup;
    /* SIGINT is caught even where a shell without job control has it ignored in
       the background: a SIGINT that still arrives was sent to this process. */
    handle(SIGINT, on_end);
    handle(SIGTERM, on_end);
    handle(SIGQUIT, die_of);
    /* nohup(1) starts programs with SIGHUP ignored, and that must stay so. */
    if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
        handle(SIGHUP, on_hangup);
    handle(SIGUSR1, on_report);
    /* The write notices a closed pipe, or a file at its size limit, and can
       then remove temporary files. */
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN);
}

void signals_finish_gracefully(bool graceful)
{
    keep_next = graceful && !keep_none;
}

void signals_keep_none(void)
{
    keep_none = 1;
}

void signals_keep_hangup(void)
{
    keep_hangup = 1;
}

int signals_interrupted(void)
{
    return kept_signal;
}

void signals_forget(void)
{
    kept_signal = 0;
}

bool signals_report_wanted(void)
{
    return atomic_exchange(&report_wanted, 0) != 0;
}

bool signals_doom(const char *path)
{
    for (struct shelf *shelf = &doomed; shelf != NULL; shelf = shelf->next) {
        for (size_t i = 0; i < SHELF_PATHS; i++) {
            const char *none = NULL;
            if (atomic_compare_exchange_strong(&shelf->paths[i], &none, path))
                return true;
        }
        struct shelf *none = NULL;
        struct shelf *made =
            shelf->next == NULL ? calloc(1, sizeof *made) : NULL;
        if (made != NULL &&
            !atomic_compare_exchange_strong(&shelf->next, &none, made))
            free(made); /* another thread was quicker */
    }
    return false;
}

void signals_spare(const char *path)
{
    for (struct shelf *shelf = &doomed; shelf != NULL; shelf = shelf->next) {
        for (size_t i = 0; i < SHELF_PATHS; i++) {
            const char *own = path;
            atomic_compare_exchange_strong(&shelf->paths[i], &own, NULL);
        }
    }
}

void signals_own_group(int group)
{
    own_group = group;
}

static void mask_ends(int how)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigaddset(&ends, SIGQUIT);
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
    static const int caught[] = {SIGINT,  SIGTERM, SIGQUIT,
                                 SIGUSR1, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
        handle(caught[i], SIG_DFL);
}
