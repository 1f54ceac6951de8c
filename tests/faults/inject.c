/*
 * inject.c - a system that fails when it is told to
 *
 * MARGAY_FAULT=KIND:N makes the N-th call of that kind fail, counted from the
 * beginning of main(); MARGAY_FAULT=count:FILE lets all succeed and writes how
 * many there were of each kind to FILE in the end.
 *
 * Preloaded, it stands between the program, its libraries and libc. Compiled
 * with MARGAY_FAULTS_WRAP and linked with --wrap, it stands between the
 * program alone and whatever comes behind, so that AddressSanitizer keeps its
 * own malloc.
 *
 * libarchive 3.6 does not look at all that it allocates itself, nor at what
 * liblzma says about its own, and dies of it; their calls always succeed.
 *
 * Standard error never fails, as it could not say so, nor does the eventfd
 * that ends a wait: the system has no reason to refuse it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { MALLOC, MMAP, READ, WRITE, CLOSE, RENAME, THREAD, KINDS };

static const char *const names[KINDS] = {"malloc", "mmap",   "read",  "write",
                                         "close",  "rename", "thread"};

static atomic_ulong calls[KINDS];
static atomic_bool armed;
static enum kind failing = KINDS;
static unsigned long failing_call;
static const char *count_path;

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

static void arm(void)
{
    const char *fault = getenv("MARGAY_FAULT");
    const char *colon = fault == NULL ? NULL : strchr(fault, ':');
    if (colon == NULL)
        return;
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
            strstr(where.dli_fname, "liblzma") == NULL);
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

#ifdef MARGAY_FAULTS_WRAP

#define HOOK(name) __wrap_##name
#define REAL(name) __real_##name

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_reallocarray(void *memory, size_t count, size_t bytes);
void *__real_mmap(void *at, size_t bytes, int protection, int flags, int fd,
                  off_t offset);
ssize_t __real_read(int fd, void *buffer, size_t bytes);
ssize_t __real_write(int fd, const void *buffer, size_t bytes);
int __real_close(int fd);
int __real_rename(const char *from, const char *to);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *argument);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd,
                  off_t offset);
ssize_t __wrap_read(int fd, void *buffer, size_t bytes);
ssize_t __wrap_write(int fd, const void *buffer, size_t bytes);
int __wrap_close(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *argument);

__attribute__((constructor)) static void begin(void)
{
    arm();
}

void *__wrap_reallocarray(void *memory, size_t count, size_t bytes)
{
    return NO_MEMORY ? NULL : __real_reallocarray(memory, count, bytes);
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

static void *(*real_mmap)(void *, size_t, int, int, int, off_t);
static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_close)(int);
static int (*real_rename)(const char *, const char *);
static int (*real_pthread_create)(pthread_t *, const pthread_attr_t *,
                                  void *(*)(void *), void *);
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
    look_up("mmap", &real_mmap);
    look_up("read", &real_read);
    look_up("write", &real_write);
    look_up("close", &real_close);
    look_up("rename", &real_rename);
    look_up("pthread_create", &real_pthread_create);
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

void *HOOK(malloc)(size_t bytes)
{
    return NO_MEMORY ? NULL : REAL(malloc)(bytes);
}

void *HOOK(calloc)(size_t count, size_t bytes)
{
    return NO_MEMORY ? NULL : REAL(calloc)(count, bytes);
}

void *HOOK(realloc)(void *memory, size_t bytes)
{
    return NO_MEMORY ? NULL : REAL(realloc)(memory, bytes);
}

void *HOOK(mmap)(void *at, size_t bytes, int protection, int flags, int fd,
                 off_t offset)
{
    return fails(MMAP, ENOMEM)
               ? MAP_FAILED
               : REAL(mmap)(at, bytes, protection, flags, fd, offset);
}

ssize_t HOOK(read)(int fd, void *buffer, size_t bytes)
{
    return fails(READ, EIO) ? -1 : REAL(read)(fd, buffer, bytes);
}

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

int HOOK(rename)(const char *from, const char *to)
{
    return fails(RENAME, EACCES) ? -1 : REAL(rename)(from, to);
}

int HOOK(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes,
                         void *(*run)(void *), void *argument)
{
    return fails(THREAD, EAGAIN)
               ? EAGAIN
               : REAL(pthread_create)(thread, attributes, run, argument);
}
