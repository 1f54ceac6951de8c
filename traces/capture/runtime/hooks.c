/*
 * hooks.c - the functions that gcc and clang call with -fsanitize=thread
 *
 * The compilers call a hook before each access to memory that may be shared,
 * which is nearly every access that the source names; accesses to registers
 * spilled to the stack, and those inside the C library, have no hook.  No
 * header declares the hooks: their names and types follow from the calls.
 *
 * They replace libtsan, the library of the compilers.
 *
 * The linker redirects calls of memcpy, memmove and memset to functions here
 * (--wrap); clang calls hooks instead of them.  A copy is recorded as the words
 * of 8 bytes that it touches: a line of the source, then the same line of the
 * destination, much like the code of the library.
 *
 * This file is compiled with -fno-builtin, so that the compiler turns no loop
 * here into a call of one of these functions.
 */
#include "traces/capture/runtime/recorder.h"

#define WORD_BYTES ((size_t)8)
#define LINE_BYTES ((size_t)64)

static void observe_range(const volatile void *address, size_t bytes,
                          unsigned kind, uint64_t site)
{
    const volatile char *at = address;
    while (bytes > 0) {
        size_t some = WORD_BYTES - (uintptr_t)at % WORD_BYTES;
        if (some > bytes)
            some = bytes;
        margay_record_at(at, kind, (unsigned)some, site);
        at += some;
        bytes -= some;
    }
}

static void observe_copy(const volatile void *to, const volatile void *from,
                         size_t bytes, uint64_t site)
{
    const volatile char *source = from, *target = to;
    while (bytes > 0) {
        size_t some = bytes < LINE_BYTES ? bytes : LINE_BYTES;
        observe_range(source, some, READ, site);
        observe_range(target, some, WRITE, site);
        source += some;
        target += some;
        bytes -= some;
    }
}

/* An access of READ, of WRITE, or of the one and then the other. */
#define ACCESS(name, size, first, last)                  \
    HOOK void __tsan_##name##size(void *address)         \
    {                                                    \
        margay_record_at(address, first, size, SITE);    \
        if (first != last)                               \
            margay_record_at(address, last, size, SITE); \
    }

#define ACCESSES(size)                                   \
    ACCESS(read, size, READ, READ)                       \
    ACCESS(volatile_read, size, READ, READ)              \
    ACCESS(unaligned_read, size, READ, READ)             \
    ACCESS(unaligned_volatile_read, size, READ, READ)    \
    ACCESS(write, size, WRITE, WRITE)                    \
    ACCESS(volatile_write, size, WRITE, WRITE)           \
    ACCESS(unaligned_write, size, WRITE, WRITE)          \
    ACCESS(unaligned_volatile_write, size, WRITE, WRITE) \
    ACCESS(read_write, size, READ, WRITE)                \
    ACCESS(unaligned_read_write, size, READ, WRITE)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

HOOK void __tsan_read_range(void *address, size_t bytes)
{
    observe_range(address, bytes, READ, SITE);
}

HOOK void __tsan_write_range(void *address, size_t bytes)
{
    observe_range(address, bytes, WRITE, SITE);
}

/* C++: the pointer of an object to its virtual functions. */
HOOK void __tsan_vptr_read(void **vptr)
{
    margay_record_at(vptr, READ, sizeof *vptr, SITE);
}

HOOK void __tsan_vptr_update(void **vptr, void *value)
{
    (void)value;
    margay_record_at(vptr, WRITE, sizeof *vptr, SITE);
}

/* `hook` records the accesses of `real`, and calls it. */
#define COPY(hook, real)                                      \
    void *real(void *to, const void *from, size_t bytes);     \
    HOOK void *hook(void *to, const void *from, size_t bytes) \
    {                                                         \
        observe_copy(to, from, bytes, SITE);                  \
        return real(to, from, bytes);                         \
    }

#define SET(hook, real)                                \
    void *real(void *to, int value, size_t bytes);     \
    HOOK void *hook(void *to, int value, size_t bytes) \
    {                                                  \
        observe_range(to, bytes, WRITE, SITE);         \
        return real(to, value, bytes);                 \
    }

COPY(__wrap_memcpy, __real_memcpy)
COPY(__wrap_memmove, __real_memmove)
SET(__wrap_memset, __real_memset)
COPY(__tsan_memcpy, __real_memcpy)
COPY(__tsan_memmove, __real_memmove)
SET(__tsan_memset, __real_memset)

/* With _FORTIFY_SOURCE, the library ends a program whose copy overflows its
   destination.  A C library without these functions gets no calls of them. */
#define CHECKED_COPY(hook, real)                                               \
    __attribute__((weak)) void *real(void *to, const void *from, size_t bytes, \
                                     size_t room);                             \
    HOOK void *hook(void *to, const void *from, size_t bytes, size_t room)     \
    {                                                                          \
        if (bytes <= room)                                                     \
            observe_copy(to, from, bytes, SITE);                               \
        return real(to, from, bytes, room);                                    \
    }

CHECKED_COPY(__wrap___memcpy_chk, __real___memcpy_chk)
CHECKED_COPY(__wrap___memmove_chk, __real___memmove_chk)

__attribute__((weak)) void *__real___memset_chk(void *to, int value,
                                                size_t bytes, size_t room);

HOOK void *__wrap___memset_chk(void *to, int value, size_t bytes, size_t room)
{
    if (bytes <= room)
        observe_range(to, bytes, WRITE, SITE);
    return __real___memset_chk(to, value, bytes, room);
}
