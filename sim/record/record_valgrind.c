/*
 * record_valgrind.c - recording a program with a tool of Valgrind
 *
 * The tool is built where Valgrind's headers and libraries are, and needs
 * nothing of Valgrind's when it runs (traces/capture/valgrind).
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/record/record.h"

#define LAUNCHER "margay-valgrind"

static bool suits(const struct options *options, const char *program, char *why,
                  size_t why_bytes)
{
    (void)options;
    struct margay_error error;
    char directory[PATH_MAX];
    if (record_find(RECORD_VALGRIND, directory, &error) != MARGAY_OK) {
        if (access("/proc/self/exe", F_OK) != 0)
            snprintf(why, why_bytes, "%s", error.message);
        else
            snprintf(
                why, why_bytes,
                "this margay was built without Valgrind's libraries (Debian: "
                "valgrind)");
        return false;
    }
    /* Valgrind wants 12 descriptors for itself beyond those of the program, and
       takes them from the program's where the hard limit gives no more.  20 are
       enough for programs that run below such limits. */
    enum { LEAST = 32 };
    struct rlimit limit;
    bool few = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < LEAST;
    struct scripts scripts;
    const char *binary = launch_find_binary(program, &scripts);
    bool native = binary != NULL && launch_is_native(binary);
    if (!native)
        snprintf(why, why_bytes,
                 "neither it nor its interpreter is a binary for this machine");
    else if (few)
        snprintf(why, why_bytes,
                 "at most %ju descriptors may be open, and Valgrind needs %d "
                 "(ulimit -n)",
                 (uintmax_t)limit.rlim_max, LEAST);
    return native && !few;
}

static enum margay_status prepare(struct launch *launch,
                                  struct margay_error *error)
{
    static char launcher[PATH_MAX + sizeof LAUNCHER];
    char directory[PATH_MAX];
    enum margay_status status = record_find(RECORD_VALGRIND, directory, error);
    if (status != MARGAY_OK)
        return status;
    snprintf(launcher, sizeof launcher, "%s/" LAUNCHER, directory);
    launch->receiver_option = "--capture";
    launch->sees_end = true;
    launch->leaves_out = "they are for another processor, or are gone";
    const char *const before[] = {
        launcher,
        "--tool=margay",
        "-q",
        /* Not what the user's files and environment say of Valgrind. */
        "--command-line-only=yes",
        "--trace-children=yes",
        "--vgdb=no",
        "--run-libc-freeres=no",
        "--run-cxx-freeres=no",
        "--sigill-diagnostics=no",
        launch->options->record.fetches ? "--fetches=yes" : "--fetches=no",
    };
    memcpy(launch->prefix, before, sizeof before);
    launch->prefix_count = sizeof before / sizeof before[0];
    return MARGAY_OK;
}

const struct record_method record_valgrind = {
    .name = "valgrind",
    .slowdown = "4 to 30 times",
    .suits = suits,
    .prepare = prepare,
    .knows_fetches = true,
};
