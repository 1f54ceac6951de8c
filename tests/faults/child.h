/*
 * child.h - the command as a child in a folder of its own
 *
 * Its output is in the files stdout and stderr there, its input the file stdin
 * if there is one.  The includer defines _GNU_SOURCE.
 */
#ifndef MARGAY_TESTS_FAULTS_CHILD_H
#define MARGAY_TESTS_FAULTS_CHILD_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"

#define SECONDS     300 /* then it hangs */
#define MOST_WORDS  24
#define MOST_OUTPUT ((size_t)64 << 20)

static char folder[] = "/tmp/margay-faults-XXXXXX";
static const char *margay;

/* ---------------------------------------------------------------- files -- */

struct bytes {
    char *data;
    size_t count;
};

static inline struct bytes read_file(const char *path)
{
    struct bytes bytes = {malloc(MOST_OUTPUT), 0};
    int fd = open(path, O_RDONLY);
    ssize_t got;
    while (fd >= 0 && bytes.count < MOST_OUTPUT &&
           (got = read(fd, bytes.data + bytes.count,
                       MOST_OUTPUT - bytes.count)) > 0)
        bytes.count += (size_t)got;
    if (fd >= 0)
        close(fd);
    bytes.data = realloc(bytes.data, bytes.count + 1);
    bytes.data[bytes.count] = '\0';
    return bytes;
}

static inline bool same(struct bytes a, struct bytes b)
{
    return a.count == b.count && memcmp(a.data, b.data, a.count) == 0;
}

static inline size_t count_files(void)
{
    size_t count = 0;
    DIR *directory = opendir(".");
    while (directory != NULL && readdir(directory) != NULL)
        count++;
    if (directory != NULL)
        closedir(directory);
    return count;
}

static inline void redirect(const char *path, int fd)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, fd) < 0)
        _exit(126);
    close(file);
}

/* Skip the tests where the command is unknown. */
static inline void enter_folder(void)
{
    margay = getenv("MARGAY");
    if (margay == NULL || getenv("BUILD") == NULL)
        tap_skip_all("MARGAY and BUILD are not set; run by make check");
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        printf("Bail out! no temporary folder\n");
        exit(1);
    }
}

static inline void leave_folder(void)
{
    struct dirent *entry;
    DIR *directory = opendir(folder);
    while (directory != NULL && (entry = readdir(directory)) != NULL)
        unlink(entry->d_name);
    if (directory != NULL)
        closedir(directory);
    rmdir(folder);
}

/* -------------------------------------------------------------- children -- */

/* Start `margay WORDS`, with a library preloaded unless that is "". */
static inline pid_t start_child(const char *words, const char *preload_path)
{
    char copy[512], *rest = copy, *arguments[MOST_WORDS] = {NULL};
    size_t count = 0;
    snprintf(copy, sizeof copy, "margay %s", words);
    while (rest != NULL && count < MOST_WORDS - 1)
        arguments[count++] = strsep(&rest, " ");
    pid_t child = fork();
    if (child == 0) {
        int input = open("stdin", O_RDONLY);
        if (input >= 0 && dup2(input, STDIN_FILENO) >= 0)
            close(input);
        redirect("stdout", STDOUT_FILENO);
        redirect("stderr", STDERR_FILENO);
        alarm(SECONDS);
        if (*preload_path != '\0')
            setenv("LD_PRELOAD", preload_path, 1);
        execv(margay, arguments);
        _exit(127);
    }
    if (child < 0) {
        printf("Bail out! no process\n");
        exit(1);
    }
    return child;
}

/* Its exit status, or 1000 and the signal that killed it. */
static inline int await_child(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* Of a clock that only goes on. */
static inline uint64_t now_microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static inline void sleep_microseconds(uint64_t microseconds)
{
    struct timespec time = {
        .tv_sec = (time_t)(microseconds / 1000000),
        .tv_nsec = (long)(microseconds % 1000000) * 1000,
    };
    nanosleep(&time, NULL);
}

#endif
