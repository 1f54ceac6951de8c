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

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int value, size_t bytes);

HOOK void *__wrap_memcpy(void *to, const void *from, size_t bytes);
HOOK void *__wrap_memmove(void *to, const void *from, size_t bytes);
HOOK void *__wrap_memset(void *to, int value, size_t bytes);
HOOK void *__tsan_memcpy(void *to, const void *from, size_t bytes);
HOOK void *__tsan_memmove(void *to, const void *from, size_t bytes);
HOOK void *__tsan_memset(void *to, int value, size_t bytes);

void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    margay_observe_copy(to, from, bytes, SITE);
    return __real_memcpy(to, from, bytes);
}

void *__wrap_memmove(void *to, const void *from, size_t bytes)
{
    margay_observe_copy(to, from, bytes, SITE);
    return __real_memmove(to, from, bytes);
}

void *__wrap_memset(void *to, int value, size_t bytes)
{
    margay_observe_range(to, bytes, WRITE, SITE);
    return __real_memset(to, value, bytes);
}

void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    margay_observe_copy(to, from, bytes, SITE);
    return __real_memcpy(to, from, bytes);
}

void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    margay_observe_copy(to, from, bytes, SITE);
    return __real_memmove(to, from, bytes);
}

void *__tsan_memset(void *to, int value, size_t bytes)
{
    margay_observe_range(to, bytes, WRITE, SITE);
    return __real_memset(to, value, bytes);
}
