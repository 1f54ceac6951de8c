/*
 * observe.h - what all hooks of the runtime do with a reference
 *
 * Hooks are called by name from code that a compiler has instrumented, so they
 * have the names and the types that compilers have given them.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_OBSERVE_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_OBSERVE_H

#include <stddef.h>
#include <stdint.h>

#include "traces/capture/runtime/recorder.h"

/* As enum margay_kind, which belongs to the library. */
enum { READ = 0, WRITE = 1 };

/* Called from outside, be it from a shared library. */
#define HOOK __attribute__((visibility("default")))

/* The code that called the hook. */
#define SITE ((uint64_t)(uintptr_t)__builtin_return_address(0))

static inline void observe(const volatile void *address, unsigned kind,
                           unsigned bytes, uint64_t site)
{
    margay_record_at((uint64_t)(uintptr_t)address, kind, bytes, site);
}

/* A range, as the words of 8 bytes that it touches. */
void margay_observe_range(const volatile void *address, size_t bytes,
                          unsigned kind, uint64_t site);

/* A copy: a line of the source, then the same of the destination. */
void margay_observe_copy(const volatile void *to, const volatile void *from,
                         size_t bytes, uint64_t site);

#endif
