/*
 * observe.h - what the hooks of the runtime share
 *
 * Code that a compiler has instrumented calls hooks by name, so the compilers
 * define their names and types.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_OBSERVE_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_OBSERVE_H

#include <stddef.h>
#include <stdint.h>

#include "traces/capture/runtime/recorder.h"

/* As in enum margay_kind, which is part of the library, not of the runtime. */
enum { READ = 0, WRITE = 1 };

/* Visible to programs and to shared libraries. */
#define HOOK __attribute__((visibility("default")))

/* The call site, which is within the call of the hook: the code behind it may
   be of another line. */
#define SITE ((uint64_t)(uintptr_t)__builtin_return_address(0) - 1)

static inline void observe(const volatile void *address, unsigned kind,
                           unsigned bytes, uint64_t site)
{
    margay_record_at((uint64_t)(uintptr_t)address, kind, bytes, site);
}

/* The function with the code at this site begins, or returns.  Where no
   function is waited for, the calling thread's margay_recorder.watches is 0
   afterwards. */
void margay_functions_enter(uint64_t site);
void margay_functions_leave(uint64_t site);

/* Record which files of code are loaded where, with their variables. */
void margay_allocations_tell_files(void);

#endif
