/* gnuplot.c - gnuplot, run on tables that were checked */
#define _GNU_SOURCE
#include "sim/plot/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "sim/plot/picture.h"
#include "sim/terminal/data_file.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

#define EXIT_NOT_RUN 127

/* The part of gnuplot's messages that is read. */
#define SAID_BYTES 4096

/* ----------------------------------------------------------- the script -- */

enum margay_status gnuplot_find_script(const char *script, char **path,
                                       struct margay_error *error)
{
    static const struct data_place place = {"MARGAY_PLOTS", "../plots",
                                            "../share/margay"};
    return data_file_find(&place, script, path, error);
}

/* ----------------------------------------------------------- the process -- */

struct run {
    /* gnuplot -d -e SETTINGS -c SCRIPT PICTURE TABLE... */
    const char *arguments[7 + GNUPLOT_MOST_TABLES + 1];
    char picture_name[32];
    int picture, said; /* files in memory: the picture, and the messages */
    int state;         /* of waitpid() */
};

/* In the child.  The locale makes names UTF-8 and numbers have points. Standard
   input is closed to gnuplot, because it may be a table. */
static void become_gnuplot(const struct run *run)
{
    signals_reset();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    int nothing = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    signals_release();
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(run->said, STDOUT_FILENO) >= 0 &&
        dup2(run->said, STDERR_FILENO) >= 0 &&
        setenv("LC_ALL", "C.UTF-8", 1) == 0)
        execvp(run->arguments[0], (char *const *)run->arguments);
    _exit(EXIT_NOT_RUN);
}

/* Wait for the end of the child, and then reap it with signals held: a signal
   in between would kill another process that got the same number. */
static bool await_end(pid_t child, int *state)
{
    siginfo_t how;
    int result;
    do {
        result = waitid(P_PID, (id_t)child, &how, WEXITED | WNOWAIT);
    } while (result != 0 && errno == EINTR);
    signals_hold();
    signals_own_group(0);
    bool reaped = waitpid(child, state, 0) == child;
    signals_release();
    return reaped;
}

static enum margay_status run_gnuplot(struct run *run,
                                      struct margay_error *error)
{
    signals_hold();
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(run);
    if (child > 0) {
        setpgid(child, child);
        signals_own_group(child);
    }
    signals_release();
    if (child < 0 || !await_end(child, &run->state))
        return margay_fail(error, MARGAY_IO, "cannot run gnuplot: %s",
                           strerror(errno));
    return MARGAY_OK;
}

/* The last line of gnuplot's messages, which begin with the command that
   failed; empty if there is none. */
static const char *last_line(int said, char text[SAID_BYTES])
{
    off_t bytes = lseek(said, 0, SEEK_END);
    off_t from = bytes > SAID_BYTES - 1 ? bytes - (SAID_BYTES - 1) : 0;
    ssize_t got = bytes < 0 ? 0 : pread(said, text, SAID_BYTES - 1, from);
    text[got < 0 ? 0 : got] = '\0';
    size_t end = strlen(text);
    while (end > 0 && strchr(" \t\r\n", text[end - 1]) != NULL)
        text[--end] = '\0';
    const char *newline = strrchr(text, '\n');
    const char *line = newline == NULL ? text : newline + 1;
    return line + strspn(line, " \t");
}

/* A script that refuses a table prints why and ends with this status. */
#define EXIT_SCRIPT 2

static enum margay_status explain_end(const struct run *run, const char *suffix,
                                      struct margay_error *error)
{
    char text[SAID_BYTES];
    const char *said = last_line(run->said, text);
    const char *colon = *said == '\0' ? "" : ": ";
    int status = WEXITSTATUS(run->state);
    if (WIFSIGNALED(run->state))
        return margay_fail(error, MARGAY_IO, "gnuplot died of signal %d",
                           WTERMSIG(run->state));
    if (status == EXIT_NOT_RUN)
        return margay_fail(error, MARGAY_IO,
                           "gnuplot was not found: install it (on Debian: "
                           "apt-get install gnuplot-nox)");
    if (status == EXIT_SCRIPT && *said != '\0')
        return margay_fail(error, MARGAY_BAD_INPUT, "%.400s", said);
    if (status != 0)
        return margay_fail(error, MARGAY_IO,
                           "gnuplot failed with status %d%s%.300s", status,
                           colon, said);
    if (!picture_is_whole(run->picture, suffix))
        return margay_fail(error, MARGAY_IO,
                           "gnuplot ended with status 0, but what it drew is "
                           "no whole %s file%s%.300s",
                           suffix + 1, colon, said);
    return MARGAY_OK;
}

static enum margay_status begin(struct run *run, const char *path,
                                const char *settings, char *const *tables,
                                size_t count, struct margay_error *error)
{
    run->picture = memfd_create("margay-picture", 0);
    run->said = memfd_create("margay-gnuplot", MFD_CLOEXEC);
    if (run->picture < 0 || run->said < 0)
        return margay_fail(error, MARGAY_IO, "cannot run gnuplot: %s",
                           strerror(errno));
    snprintf(run->picture_name, sizeof run->picture_name, "/proc/self/fd/%d",
             run->picture);
    const char *first[] = {"gnuplot",        "-d", "-e", settings, "-c", path,
                           run->picture_name};
    size_t used = sizeof first / sizeof first[0];
    memcpy(run->arguments, first, sizeof first);
    for (size_t i = 0; i < count && i < GNUPLOT_MOST_TABLES; i++)
        run->arguments[used + i] = tables[i];
    return MARGAY_OK;
}

enum margay_status gnuplot_draw(const char *path, const char *settings,
                                const char *suffix, char *const *tables,
                                size_t count, int *picture,
                                struct margay_error *error)
{
    struct run run = {.picture = -1, .said = -1};
    enum margay_status status =
        begin(&run, path, settings, tables, count, error);
    if (status == MARGAY_OK)
        status = run_gnuplot(&run, error);
    if (status == MARGAY_OK)
        status = explain_end(&run, suffix, error);
    if (run.said >= 0)
        close(run.said);
    if (status != MARGAY_OK && run.picture >= 0) {
        close(run.picture);
        run.picture = -1;
    }
    *picture = run.picture;
    return status;
}
