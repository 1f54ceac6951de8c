/*
 * memory.c - ranges, and the C library's copies
 *
 * The linker sends calls of memcpy, memmove and memset here (--wrap); clang
 * calls hooks in place of them.  They count as the words that they touch, a
 * line of the source and then the same of the destination, much as the
 * library's own code goes about it.
 *
 * This file is compiled without the compiler's knowledge of these functions,
 * so that nothing here becomes a call of one of them.
 */
#include "traces/capture/runtime/observe.h"

#define WORD_BYTES ((size_t)8)
#define LINE_BYTES ((size_t)64)

void margay_observe_range(const volatile void *address, size_t bytes,
                          unsigned kind, uint64_t site)
{
    uint64_t at = (uint64_t)(uintptr_t)address, end = at + bytes;
    while (at < end) {
        uint64_t next = (at / WORD_BYTES + 1) * WORD_BYTES;
        if (next > end)
            next = end;
        margay_record_at(at, kind, (unsigned)(next - at), site);
        at = next;
    }
}

void margay_observe_copy(const volatile void *to, const volatile void *from,
                         size_t bytes, uint64_t site)
{
    const volatile char *source = from, *target = to;
    while (bytes > 0) {
        size_t some = bytes < LINE_BYTES ? bytes : LINE_BYTES;
        margay_observe_range(source, some, READ, site);
        margay_observe_range(target, some, WRITE, site);
        source += some;
        target += some;
        bytes -= some;
    }
}

/* `hook` records what `real` does, which does it. */
#define COPY(hook, real)                                       \
    void *real(void *to, const void *from, size_t bytes);      \
    HOOK void *hook(void *to, const void *from, size_t bytes); \
    void *hook(void *to, const void *from, size_t bytes)       \
    {                                                          \
        margay_observe_copy(to, from, bytes, SITE);            \
        return real(to, from, bytes);                          \
    }

#define SET(hook, real)                                 \
    void *real(void *to, int value, size_t bytes);      \
    HOOK void *hook(void *to, int value, size_t bytes); \
    void *hook(void *to, int value, size_t bytes)       \
    {                                                   \
        margay_observe_range(to, bytes, WRITE, SITE);   \
        return real(to, value, bytes);                  \
    }

COPY(__wrap_memcpy, __real_memcpy)
COPY(__wrap_memmove, __real_memmove)
SET(__wrap_memset, __real_memset)
COPY(__tsan_memcpy, __real_memcpy)
COPY(__tsan_memmove, __real_memmove)
SET(__tsan_memset, __real_memset)

/* _FORTIFY_SOURCE: the library ends the program where there is no room.  Who
   has no such functions does not call them. */
#define CHECKED_COPY(hook, real)                                               \
    __attribute__((weak)) void *real(void *to, const void *from, size_t bytes, \
                                     size_t room);                             \
    HOOK void *hook(void *to, const void *from, size_t bytes, size_t room);    \
    void *hook(void *to, const void *from, size_t bytes, size_t room)          \
    {                                                                          \
        if (bytes <= room)                                                     \
            margay_observe_copy(to, from, bytes, SITE);                        \
        return real(to, from, bytes, room);                                    \
    }

CHECKED_COPY(__wrap___memcpy_chk, __real___memcpy_chk)
CHECKED_COPY(__wrap___memmove_chk, __real___memmove_chk)

__attribute__((weak)) void *__real___memset_chk(void *to, int value,
                                                size_t bytes, size_t room);
HOOK void *__wrap___memset_chk(void *to, int value, size_t bytes, size_t room);

void *__wrap___memset_chk(void *to, int value, size_t bytes, size_t room)
{
    if (bytes <= room)
        margay_observe_range(to, bytes, WRITE, SITE);
    return __real___memset_chk(to, value, bytes, room);
}
