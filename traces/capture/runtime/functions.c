/*
 * functions.c - entries and returns of functions; begin and end of the program
 *
 * Recording may begin when one function is entered and end when another one
 * returns.  A hook does not get the function, but it knows the address that
 * called it, and `margay record` finds the addresses of the functions in the
 * symbols of the program.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <unistd.h>

#include "traces/capture/runtime/images.h"
#include "traces/capture/runtime/process.h"
#include "traces/capture/runtime/recorder.h"

/* By this `margay record` recognises a program with the runtime. */
HOOK extern const char margay_runtime_mark[];
const char margay_runtime_mark[] __attribute__((used)) =
    "margay-capture-runtime";

/* The address at which the file of the program is loaded, by the linker. */
extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));

static struct margay_code_range start, stop; /* addresses */

static bool begun; /* start and stop are known */

/* How many calls of the function to stop at have not returned, by code that a
   plugin has instrumented. */
static __thread unsigned depth;

/* How many calls of any function have not returned since the one to stop at was
   entered, by hooks.  The hook of an exit may be what a function does last, by
   a jump, and then has the address that its caller has: it does not say which
   function returns.  After a longjmp out of functions there are too many, so
   the count alone ends no recording: the exit must have the stack pointer of
   that call, or its return address. */
static __thread unsigned calls;

/* Of the call of the function to stop at, the stack pointer, and where it
   returns to. */
static __thread uint64_t stack, caller_code;

/* The program is the first module of the process. */
static void begin(void)
{
    char path[MARGAY_CAPTURED_PATH_BYTES];
    if (!margay_process_attach())
        return;
    if (margay_process.capture->wants_sites) {
        ssize_t length = readlink("/proc/self/exe", path, sizeof path);
        bool known = length > 0 && (size_t)length < sizeof path;
        if (known)
            path[length] = '\0';
        margay_images_begin(margay_process.capture->modules,
                            known ? path : NULL);
    }
    margay_allocations_tell_files();
    uint64_t base = (uint64_t)(uintptr_t)__ehdr_start;
    const struct margay_capture *capture = margay_process.capture;
    start = capture->start;
    stop = capture->stop;
    start.from += base;
    start.to += base;
    stop.from += base;
    stop.to += base;
}

__attribute__((constructor(101))) static void begin_program(void)
{
    begin();
    begun = true;
}

/* References after this stay in a buffer, from which the receiver takes
   them. */
__attribute__((destructor(101))) static void end_program(void)
{
    margay_recorder_leave();
}

/* The constructor of each object file calls this. */
HOOK void __tsan_init(void)
{
}

static inline int is_in(const struct margay_code_range *range, uint64_t code)
{
    return code - range->from < range->to - range->from;
}

void margay_functions_enter(uint64_t site)
{
    if (begun && start.from == start.to && stop.from == stop.to)
        margay_recorder.watches = 0;
    if (__builtin_expect(is_in(&start, site), 0))
        margay_recorder_start();
    if (__builtin_expect(is_in(&stop, site), 0))
        depth++;
}

void margay_functions_leave(uint64_t site)
{
    if (__builtin_expect(is_in(&stop, site), 0) && depth > 0 && --depth == 0)
        margay_recorder_stop();
}

/* The stack pointer of the function that calls a hook. */
#define STACK ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())

HOOK void __tsan_func_entry(void *caller)
{
    margay_functions_enter(SITE);
    if (__builtin_expect(calls > 0, 0)) {
        calls++;
    } else if (__builtin_expect(is_in(&stop, SITE), 0)) {
        calls = 1;
        stack = STACK;
        caller_code = (uint64_t)(uintptr_t)caller;
    }
}

/* The exit of a function that called the one to stop at has a stack above its
   own, and another address than that to which it returns. */
HOOK void __tsan_func_exit(void)
{
    if (__builtin_expect(calls == 0, 1))
        return;
    if (calls > 1) {
        calls--;
    } else if (STACK <= stack || SITE + 1 == caller_code) {
        calls = 0;
        margay_recorder_stop();
    }
}
