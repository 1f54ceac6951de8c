/*
 * record_runtime.c - the flags that a program is built with to be recorded
 *
 * The compiler puts calls into the program, and the library that takes the
 * calls (traces/capture/runtime) lies next to this program, in the build tree
 * or where both were installed.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/record/record.h"

#define ARCHIVE "libmargay_runtime.a"

/* The first line that the compiler named by CC prints with an option. */
static bool ask_compiler(const char *option, char *line, int bytes)
{
    char command[PATH_MAX];
    int length = snprintf(command, sizeof command, "%s %s 2>/dev/null",
                          getenv("CC"), option);
    FILE *output = (size_t)length < sizeof command ? popen(command, "r") : NULL;
    if (output == NULL)
        return false;
    bool printed = fgets(line, bytes, output) != NULL;
    pclose(output);
    line[printed ? strcspn(line, "\n") : 0] = '\0';
    return printed;
}

/* The compiler that CC names; without it, the flags have to suit both. */
enum compiler { UNKNOWN, EITHER, GCC, CLANG };

static int clang_version; /* once the compiler is known to be clang */

/* Its name may be of neither (cc, ccache g++), so it is asked: of the two, only
   gcc knows the option for its number. */
static enum compiler compiler(void)
{
    static enum compiler found = UNKNOWN;
    const char *name = getenv("CC");
    static const char clang[] = "clang version ";
    char line[256];
    const char *version;
    if (found != UNKNOWN)
        return found;
    found = EITHER;
    if (name == NULL || *name == '\0')
        return found;
    if (ask_compiler("--version", line, sizeof line) &&
        (version = strstr(line, clang)) != NULL) {
        found = CLANG;
        clang_version = atoi(version + strlen(clang));
    } else if (ask_compiler("-dumpfullversion", line, sizeof line) &&
               isdigit((unsigned char)line[0])) {
        found = GCC;
    }
    return found;
}

/* The plugin for the compiler, if that is clang and there is one: its path. */
static bool find_plugin(char *path, size_t bytes)
{
    char directory[PATH_MAX], name[32];
    struct margay_error error;
    if (compiler() != CLANG)
        return false;
    snprintf(name, sizeof name, "margay_llvm%d.so", clang_version);
    return record_find(name, directory, &error) == MARGAY_OK &&
           (size_t)snprintf(path, bytes, "%s/%s", directory, name) < bytes;
}

/*
 * The plugin for clang, or the hooks of -fsanitize=thread.
 *
 * A compiler that compiles and links in one command would link its own library
 * for -fsanitize=thread as well.  gcc finds an empty library of that name;
 * clang has a flag against it, which gcc does not know.  With -Wp, the flag
 * reaches the preprocessor, which is the compiler itself, and not the linker's
 * driver.  clang calls no hook for a read in front of a write to the same
 * place, unless it is told to; gcc does not know that flag, either.
 *
 * The builtin copies would be inlined unseen; without them, copies are calls.
 */
static void print_cflags(const char *directory)
{
    char plugin[PATH_MAX + 64];
    if (find_plugin(plugin, sizeof plugin))
        printf("-fpass-plugin=%s ", plugin);
    else
        printf("%s-fsanitize=thread%s ", compiler() == EITHER ? "-Wp," : "",
               compiler() == CLANG
                   ? " -mllvm -tsan-instrument-read-before-write"
                   : "");
    printf("-fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset "
           "-include %s/calls.h",
           directory);
}

/* The functions that the runtime wraps: copies, and allocations in C and
   C++. */
static const char wrapped[] =
    "memcpy memmove memset __memcpy_chk __memmove_chk __memset_chk malloc "
    "calloc realloc free posix_memalign aligned_alloc memalign valloc pvalloc "
    "reallocarray strdup strndup mmap mmap64 mremap munmap dlopen _Znwm _Znam "
    "_ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t "
    "_ZnamSt11align_val_t _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvSt11align_val_t "
    "_ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t";

static void print_libs(const char *directory)
{
    printf("-L%s/no-tsan", directory);
    if (compiler() == CLANG)
        printf(" -fno-sanitize-link-runtime");
    for (const char *name = wrapped; *name != '\0';) {
        const size_t length = strcspn(name, " ");
        printf(" -Wl,--wrap=%.*s", (int)length, name);
        name += length + strspn(name + length, " ");
    }
    printf(" %s/" ARCHIVE " -pthread", directory);
}

enum margay_status record_print_flags(const struct options *options,
                                      struct margay_error *error)
{
    char directory[PATH_MAX];
    enum margay_status status = record_find(ARCHIVE, directory, error);
    if (status != MARGAY_OK)
        return status;
    if (options->record.cflags)
        print_cflags(directory);
    if (options->record.cflags && options->record.libs)
        printf(" ");
    if (options->record.libs)
        print_libs(directory);
    printf("\n");
    return fflush(stdout) == 0
               ? MARGAY_OK
               : margay_fail(error, MARGAY_IO, "-: cannot write: %s",
                             strerror(errno));
}
