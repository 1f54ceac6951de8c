/*
 * inject.c - a system that fails when it is told to
 *
 * MARGAY_FAULT=KIND:N makes the N-th call of that kind fail, counted from the
 * beginning of main(); MARGAY_FAULT=count:FILE lets all succeed and writes how
 * many there were of each kind to FILE in the end.
 *
 * Preloaded, it stands between the program, its libraries and libc. Compiled
 * with MARGAY_FAULTS_WRAP and linked with --wrap, it stands between the
 * program alone and the code behind it, so that AddressSanitizer keeps its
 * own malloc.
 *
 * libarchive 3.6 does not look at all that it allocates itself, nor at what
 * liblzma says about its own, and dies of it; nor is the dynamic linker fit
 * for that, nor OpenCL, which then has no devices.  Their calls always succeed.
 *
 * $MARGAY_FAULT_SPARED is part of another library's name: libzstd is asked by
 * libarchive, which frees its filter twice where there is no memory, and by
 * formats of ours.
 *
 * Calls are counted together with those of processes that are forked, in
 * memory that is shared.  Programs that are started by name are not ours, and
 * are left alone.
 *
 * open is also fopen, mkostemp and memfd_create; read is pread; rename is
 * linkat; duplicate is dup and dup2.
 *
 * Standard error never fails, as it could not say so, nor does the eventfd
 * that ends a wait: the system has no reason to refuse it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind {
    MALLOC,
    MMAP,
    READ,
    WRITE,
    CLOSE,
    RENAME,
    THREAD,
    OPEN,
    SEEK,
    TRUNCATE,
    DUPLICATE,
    PIPE,
    FORK,
    KINDS
};

static const char *const names[KINDS] = {
    "malloc", "mmap", "read",     "write",     "close", "rename", "thread",
    "open",   "seek", "truncate", "duplicate", "pipe",  "fork",
};

static atomic_ulong *calls; /* of each kind, shared with forked processes */
static atomic_bool armed;
static enum kind failing = KINDS;
static unsigned long failing_call;
static const char *count_path;
#ifndef MARGAY_FAULTS_WRAP
static const char *spared; /* a library more whose memory never ends */
#endif

/* One more call: is it the one to fail? */
static bool fails(enum kind kind, int reason)
{
    if (!atomic_load(&armed))
        return false;
    unsigned long call = atomic_fetch_add(&calls[kind], 1) + 1;
    if (kind != failing || call != failing_call)
        return false;
    errno = reason;
    return true;
}

static void write_counts(void)
{
    atomic_store(&armed, false);
    FILE *file = fopen(count_path, "w");
    for (int kind = 0; file != NULL && kind < KINDS; kind++)
        fprintf(file, "%s %lu\n", names[kind], atomic_load(&calls[kind]));
    if (file != NULL)
        fclose(file);
}

static void *share(size_t bytes);

static void arm(void)
{
    const char *fault = getenv("MARGAY_FAULT");
    const char *colon = fault == NULL ? NULL : strchr(fault, ':');
    unsetenv("LD_PRELOAD");
    if (colon == NULL)
        return;
#ifndef MARGAY_FAULTS_WRAP
    spared = getenv("MARGAY_FAULT_SPARED");
#endif
    calls = share(KINDS * sizeof *calls);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (strncmp(fault, names[kind], (size_t)(colon - fault)) == 0)
            failing = kind;
    }
    failing_call = strtoul(colon + 1, NULL, 10);
    if (failing == KINDS) {
        count_path = colon + 1;
        atexit(write_counts);
    }
    atomic_store(&armed, true);
}

static bool is_ours(const void *caller)
{
#ifdef MARGAY_FAULTS_WRAP
    (void)caller;
    return true;
#else
    Dl_info where;
    return !atomic_load(&armed) || dladdr(caller, &where) == 0 ||
           (strstr(where.dli_fname, "libarchive") == NULL &&
            strstr(where.dli_fname, "liblzma") == NULL &&
            strstr(where.dli_fname, "libOpenCL") == NULL &&
            strstr(where.dli_fname, "/ld-") == NULL &&
            (spared == NULL || strstr(where.dli_fname, spared) == NULL));
#endif
}

/* Shall this allocation fail? */
#define NO_MEMORY \
    (is_ours(__builtin_return_address(0)) && fails(MALLOC, ENOMEM))

static bool may_fail(int fd)
{
    struct stat status;
    return fd != STDERR_FILENO &&
           (fstat(fd, &status) != 0 || (status.st_mode & S_IFMT) != 0);
}

/* The calls that both ways to get in between have: the kind, why it fails and
   what it returns then, and the function.  BESIDES do more, or need more. */
#define CALLS(X)                                                               \
    X(MMAP, ENOMEM, MAP_FAILED, void *, mmap,                                  \
      (void *at, size_t bytes, int protection, int flags, int fd, off_t from), \
      (at, bytes, protection, flags, fd, from))                                \
    X(READ, EIO, -1, ssize_t, read, (int fd, void *buffer, size_t bytes),      \
      (fd, buffer, bytes))                                                     \
    X(READ, EIO, -1, ssize_t, pread,                                           \
      (int fd, void *buffer, size_t bytes, off_t at), (fd, buffer, bytes, at)) \
    X(RENAME, EACCES, -1, int, rename, (const char *from, const char *to),     \
      (from, to))                                                              \
    X(RENAME, EACCES, -1, int, linkat,                                         \
      (int from_folder, const char *from, int to_folder, const char *to,       \
       int flags),                                                             \
      (from_folder, from, to_folder, to, flags))                               \
    X(OPEN, EMFILE, NULL, FILE *, fopen, (const char *path, const char *mode), \
      (path, mode))                                                            \
    X(OPEN, EMFILE, -1, int, mkostemp, (char *path, int flags), (path, flags)) \
    X(OPEN, EMFILE, -1, int, memfd_create, (const char *name, unsigned flags), \
      (name, flags))                                                           \
    X(SEEK, EIO, -1, off_t, lseek, (int fd, off_t at, int whence),             \
      (fd, at, whence))                                                        \
    X(TRUNCATE, EIO, -1, int, ftruncate, (int fd, off_t bytes), (fd, bytes))   \
    X(DUPLICATE, EMFILE, -1, int, dup, (int fd), (fd))                         \
    X(DUPLICATE, EMFILE, -1, int, dup2, (int fd, int as), (fd, as))            \
    X(PIPE, EMFILE, -1, int, pipe2, (int fds[2], int flags), (fds, flags))     \
    X(FORK, EAGAIN, -1, pid_t, fork, (void), ())                               \
    X(THREAD, EAGAIN, EAGAIN, int, pthread_create,                             \
      (pthread_t * thread, const pthread_attr_t *attributes,                   \
       void *(*run)(void *), void *argument),                                  \
      (thread, attributes, run, argument))
#define BESIDES(X)                                                        \
    X(, , , ssize_t, write, (int fd, const void *buffer, size_t bytes), ) \
    X(, , , int, close, (int fd), )                                       \
    X(, , , int, open, (const char *path, int flags, ...), )

/* Those that allocate; all but the first, where no library is preloaded, which
   sees the allocations within them. */
#define ALLOCATIONS(X)                                                        \
    X(, , NULL, void *, malloc, (size_t bytes), (bytes))                      \
    X(, , NULL, void *, calloc, (size_t count, size_t bytes), (count, bytes)) \
    X(, , NULL, void *, realloc, (void *memory, size_t bytes), (memory, bytes))
#define WRAPPED(X)                                                        \
    X(, , NULL, void *, reallocarray,                                     \
      (void *memory, size_t count, size_t bytes), (memory, count, bytes)) \
    X(, , NULL, char *, strdup, (const char *text), (text))               \
    X(, , NULL, char *, strndup, (const char *text, size_t most),         \
      (text, most))                                                       \
    X(, , -1, int, vasprintf,                                             \
      (char **text, const char *format, va_list arguments),               \
      (text, format, arguments))                                          \
    X(, , NULL, char *, realpath, (const char *path, char *resolved),     \
      (path, resolved))

#ifdef MARGAY_FAULTS_WRAP

#define HOOK(name) __wrap_##name
#define REAL(name) __real_##name

#define DECLARE(kind, reason, failure, type, name, parameters, arguments) \
    type __real_##name parameters;                                        \
    type __wrap_##name parameters;
CALLS(DECLARE)
BESIDES(DECLARE)
ALLOCATIONS(DECLARE)
WRAPPED(DECLARE)
int __wrap_asprintf(char **text, const char *format, ...);

__attribute__((constructor)) static void begin(void)
{
    arm();
}

int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = __wrap_vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}

#else

#define HOOK(name)   name
#define REAL(name)   real_##name

/* libc's own, which are there before anything can be looked up. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
#define real_malloc  __libc_malloc
#define real_calloc  __libc_calloc
#define real_realloc __libc_realloc

#define POINT(kind, reason, failure, type, name, parameters, arguments) \
    static type(*real_##name) parameters;
CALLS(POINT)
BESIDES(POINT)
static int (*real_main)(int, char **, char **);

/* ISO C has no conversion from void * to a function. */
static void look_up(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL)
        abort();
    memcpy(function, &found, sizeof found);
}

__attribute__((constructor)) static void look_all_up(void)
{
#define LOOK_UP(kind, reason, failure, type, name, parameters, arguments) \
    look_up(#name, &real_##name);
    CALLS(LOOK_UP)
    BESIDES(LOOK_UP)
}

static int armed_main(int count, char **arguments, char **environment)
{
    arm();
    return real_main(count, arguments, environment);
}

/* Where every program begins. */
int __libc_start_main(int (*main)(int, char **, char **), int count,
                      char **arguments, void (*init)(void), void (*fini)(void),
                      void (*linker_fini)(void), void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int count,
                      char **arguments, void (*init)(void), void (*fini)(void),
                      void (*linker_fini)(void), void *stack_end)
{
    int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void),
                void (*)(void), void (*)(void), void *);
    look_up("__libc_start_main", &real);
    real_main = main;
    return real(armed_main, count, arguments, init, fini, linker_fini,
                stack_end);
}

#endif

static void *share(size_t bytes)
{
    void *memory = REAL(mmap)(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

#define ALLOCATE(kind, reason, failure, type, name, parameters, arguments) \
    type HOOK(name) parameters                                             \
    {                                                                      \
        return NO_MEMORY ? failure : REAL(name) arguments;                 \
    }
ALLOCATIONS(ALLOCATE)
#ifdef MARGAY_FAULTS_WRAP
WRAPPED(ALLOCATE)
#endif

#define CALL(kind, reason, failure, type, name, parameters, arguments) \
    type HOOK(name) parameters                                         \
    {                                                                  \
        return fails(kind, reason) ? failure : REAL(name) arguments;   \
    }
CALLS(CALL)

ssize_t HOOK(write)(int fd, const void *buffer, size_t bytes)
{
    return may_fail(fd) && fails(WRITE, ENOSPC)
               ? -1
               : REAL(write)(fd, buffer, bytes);
}

/* As the system does, it is closed all the same. */
int HOOK(close)(int fd)
{
    int result = REAL(close)(fd);
    return fails(CLOSE, EIO) ? -1 : result;
}

int HOOK(open)(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode =
        (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return fails(OPEN, EMFILE) ? -1 : REAL(open)(path, flags, mode);
}

#ifndef MARGAY_FAULTS_WRAP
/* What open and the reads are called in a program built with FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t at, size_t room);

int __open_2(const char *path, int flags)
{
    return open(path, flags);
}

ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room)
{
    if (bytes > room)
        abort();
    return read(fd, buffer, bytes);
}

ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t at, size_t room)
{
    if (bytes > room)
        abort();
    return pread(fd, buffer, bytes, at);
}
#endif
