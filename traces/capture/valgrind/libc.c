/* libc.c - the functions of the C library that the recorder uses: see tool.h */
#define _GNU_SOURCE
#include "traces/capture/valgrind/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcprint.h>

/* Of Valgrind's core, which does not declare these to tools. */
extern SysRes VG_(do_syscall)(UWord number, UWord, UWord, UWord, UWord, UWord,
                              UWord, UWord, UWord);
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT bytes,
                                                      UInt protection, Int file,
                                                      Off64T offset);

const char *margay_libc_capture;

/* ------------------------------------------------------- system calls -- */

static int reason;

int *__errno_location(void)
{
    return &reason;
}

static long result_of(SysRes result)
{
    if (!sr_isError(result))
        return (long)sr_Res(result);
    reason = (int)sr_Err(result);
    return -1;
}

static long call(long number, long a, long b, long c, long d)
{
    return result_of(VG_(do_syscall)((UWord)number, (UWord)a, (UWord)b,
                                     (UWord)c, (UWord)d, 0, 0, 0, 0));
}

static long address(const void *pointer)
{
    return (long)(uintptr_t)pointer;
}

int open(const char *path, int flags, ...)
{
    return (int)call(SYS_openat, AT_FDCWD, address(path), flags, 0);
}

int close(int file)
{
    return (int)call(SYS_close, file, 0, 0, 0);
}

ssize_t read(int file, void *bytes, size_t count)
{
    return call(SYS_read, file, address(bytes), (long)count, 0);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset)
{
    return call(SYS_pread64, file, address(bytes), (long)count, offset);
}

ssize_t write(int file, const void *bytes, size_t count)
{
    return call(SYS_write, file, address(bytes), (long)count, 0);
}

int fcntl(int file, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    int argument = va_arg(arguments, int);
    va_end(arguments);
    return (int)call(SYS_fcntl, file, command, argument, 0);
}

int fstat(int file, struct stat *status)
{
    return (int)call(SYS_fstat, file, address(status), 0, 0);
}

int getrlimit(__rlimit_resource_t which, struct rlimit *limit)
{
    return (int)call(SYS_prlimit64, 0, (long)which, 0, address(limit));
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *most,
          const sigset_t *signals)
{
    struct timespec wait = *most; /* the system changes it */
    (void)signals;
    return (int)call(SYS_ppoll, address(files), (long)count, address(&wait), 0);
}

pid_t getpid(void)
{
    return (pid_t)call(SYS_getpid, 0, 0, 0, 0);
}

/* Valgrind keeps account of all mappings, and chooses the address. */
void *mmap64(void *at, size_t bytes, int protection, int flags, int file,
             off64_t offset)
{
    if (at != NULL || flags != MAP_SHARED) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    long mapped = result_of(VG_(am_shared_mmap_file_float_valgrind)(
        bytes, (UInt)protection, file, offset));
    return mapped == -1 ? MAP_FAILED : (void *)mapped;
}

/* ------------------------------------------------------------ threads -- */

/* The tool itself sees forks, ... */
int pthread_atfork(void (*before)(void), void (*in_parent)(void),
                   void (*in_child)(void))
{
    (void)before, (void)in_parent, (void)in_child;
    return 0;
}

/* ... and the end of a thread. */
int pthread_key_create(pthread_key_t *key, void (*at_end)(void *))
{
    (void)at_end;
    *key = 0;
    return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
    (void)key;
    return NULL;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    (void)key, (void)value;
    return 0;
}

/* ------------------------------------------------------------ strings -- */

char *secure_getenv(const char *name)
{
    (void)name;
    return (char *)margay_libc_capture;
}

int snprintf(char *text, size_t bytes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    UInt length = VG_(vsnprintf)(text, (Int)bytes, format, arguments);
    va_end(arguments);
    return (int)length;
}

/* strtol() by both of its names: the headers of later C libraries give calls
   of it the second, and would give it to a function of the first as well. */
long margay_valgrind_strtol(const char *text, char **end, int base);
long margay_valgrind_strtol(const char *text, char **end, int base)
{
    (void)base;
    return (long)VG_(strtoll10)(text, end);
}
__asm__(".globl strtol\n"
        ".set strtol, margay_valgrind_strtol\n"
        ".globl __isoc23_strtol\n"
        ".set __isoc23_strtol, margay_valgrind_strtol");

size_t strlen(const char *text)
{
    return VG_(strlen)(text);
}

char *strcpy(char *to, const char *from)
{
    return VG_(strcpy)(to, from);
}

int strncmp(const char *one, const char *other, size_t bytes)
{
    return VG_(strncmp)(one, other, bytes);
}

int memcmp(const void *one, const void *other, size_t bytes)
{
    return VG_(memcmp)(one, other, bytes);
}
