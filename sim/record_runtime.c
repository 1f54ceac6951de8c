/*
 * record_runtime.c - recording a program that was built for it
 *
 * Compilers put the calls into it (traces/capture/runtime); the library that
 * answers them is found beside this program: in the build tree, or where
 * both were installed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/record.h"

/* In two parts, so that this program does not hold it itself. */
static const char mark[][12] = {"margay-capt", "ure-runtime"};

/* Whether buffers are to end with a fault. */
static bool wants_mmu(void)
{
    const char *buffer = getenv("MARGAY_BUFFER");
    return buffer != NULL && strcmp(buffer, "mmu") == 0;
}

static bool holds_mark(const char *bytes, size_t count, const char *variant)
{
    char whole[sizeof mark + 8];
    int length =
        snprintf(whole, sizeof whole, "%s%s%s", mark[0], mark[1], variant);
    return memmem(bytes, count, whole, (size_t)length) != NULL;
}

/* Whether a file holds the runtime. */
static bool carries_runtime(const char *program, char *why, size_t why_bytes)
{
    struct stat status;
    bool found = false;
    int file = open(program, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) {
        snprintf(why, why_bytes, "it cannot be read");
    } else {
        size_t bytes = (size_t)status.st_size;
        void *memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (memory != MAP_FAILED) {
            found = holds_mark(memory, bytes, wants_mmu() ? "-mmu" : "");
            munmap(memory, bytes);
        }
        snprintf(why, why_bytes,
                 "it is not built with what '%smargay record --cflags --libs' "
                 "prints",
                 wants_mmu() ? "MARGAY_BUFFER=mmu " : "");
    }
    if (file >= 0)
        close(file);
    return found;
}

static bool suits(const struct options *options, const char *program, char *why,
                  size_t why_bytes)
{
    if (wants_mmu() && (options->collapse_bytes != 0 || options->sites)) {
        snprintf(why, why_bytes,
                 "MARGAY_BUFFER=mmu goes with neither --collapse nor --sites");
        return false;
    }
    /* Who names the method may have a script that runs the program. */
    if (strcmp(options->method, "auto") != 0 && !wants_mmu())
        return true;
    return carries_runtime(program, why, why_bytes);
}

static enum margay_status prepare(struct launch *launch,
                                  struct margay_error *error)
{
    (void)launch;
    (void)error;
    return MARGAY_OK;
}

const struct record_method record_runtime = {
    .name = "runtime",
    .slowdown = "3 to 7 times",
    .suits = suits,
    .prepare = prepare,
    .knows_functions = true,
    .knows_sites = true,
    .knows_threads = true,
    .collapses = true,
};

/* ----------------------------------------------------------------- flags -- */

/* The archive to link: whether its buffers end with a fault is not for the
   program to decide when it runs, as that look at their end is what is
   saved. */
static const char *archive(void)
{
    return wants_mmu() ? "libmargay_runtime_mmu.a" : "libmargay_runtime.a";
}

/* What CC names; if it says nothing, it may be either. */
enum compiler { EITHER, GCC, CLANG };

static enum compiler compiler(void)
{
    const char *name = getenv("CC");
    if (name == NULL)
        return EITHER;
    return strstr(name, "clang") != NULL ? CLANG
           : strstr(name, "gcc") != NULL ? GCC
                                         : EITHER;
}

/*
 * A compiler that is to compile and link at once would link its own library as
 * well.  gcc finds an empty one of that name, clang has a flag against it that
 * gcc does not know; of what goes to the preprocessor, which is the compiler
 * itself, neither hears when it links.
 *
 * Copies that the compiler would make itself, unseen, become calls.
 */
static void print_cflags(const char *directory)
{
    printf("%s-fsanitize=thread -fno-builtin-memcpy -fno-builtin-memmove "
           "-fno-builtin-memset -include %s/calls.h",
           compiler() == EITHER ? "-Wp," : "", directory);
}

static void print_libs(const char *directory)
{
    static const char *const wrapped[] = {
        "memcpy",        "memmove",        "memset",    "__memcpy_chk",
        "__memmove_chk", "__memset_chk",   "sigaction", "signal",
        "sigprocmask",   "pthread_sigmask"};
    size_t count = wants_mmu() ? 10 : 6;
    printf("-L%s/no-tsan", directory);
    if (compiler() == CLANG)
        printf(" -fno-sanitize-link-runtime");
    for (size_t i = 0; i < count; i++)
        printf(" -Wl,--wrap=%s", wrapped[i]);
    printf(" %s/%s -pthread", directory, archive());
}

enum margay_status record_print_flags(const struct options *options,
                                      struct margay_error *error)
{
    char directory[PATH_MAX];
    enum margay_status status = record_find(archive(), directory, error);
    if (status != MARGAY_OK)
        return status;
    if (options->cflags)
        print_cflags(directory);
    if (options->cflags && options->libs)
        printf(" ");
    if (options->libs)
        print_libs(directory);
    printf("\n");
    return fflush(stdout) == 0
               ? MARGAY_OK
               : margay_fail(error, MARGAY_IO, "-: cannot write: %s",
                             strerror(errno));
}
