/*
 * functions.c - entries and returns of functions; the program's begin and end
 *
 * Recording may begin when one function is entered and end when another one
 * returns.  A hook is told neither; but it knows where it was called from,
 * and `margay record` looks up in the program's symbols where the functions
 * are.
 */
#include <stdatomic.h>

#include "traces/capture/runtime/observe.h"
#include "traces/capture/runtime/process.h"

/* How `margay record` knows a program that carries this. */
HOOK extern const char margay_runtime_mark[];
const char margay_runtime_mark[] __attribute__((used)) =
#ifdef MARGAY_MMU
    "margay-capture-runtime-mmu";
#else
    "margay-capture-runtime";
#endif

/* Where the program's own file is loaded: the linker says. */
extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));

static struct margay_code_range start, stop; /* addresses */

/* Entries of the function to stop at that have not returned. */
static __thread unsigned depth;

static void begin(void)
{
    if (!margay_process_attach())
        return;
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
}

/* What is recorded after this is taken from memory. */
__attribute__((destructor(101))) static void end_program(void)
{
    margay_recorder_leave();
}

HOOK void __tsan_init(void);
HOOK void __tsan_func_entry(void *caller);
HOOK void __tsan_func_exit(void);

/* Called by each object file's own constructor. */
void __tsan_init(void)
{
}

static inline int is_in(const struct margay_code_range *range, uint64_t code)
{
    return code - range->from < range->to - range->from;
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
    margay_recorder_begin();
    if (__builtin_expect(is_in(&start, SITE), 0))
        margay_recorder_start();
    if (__builtin_expect(is_in(&stop, SITE), 0))
        depth++;
}

void __tsan_func_exit(void)
{
    if (__builtin_expect(is_in(&stop, SITE), 0) && depth > 0 && --depth == 0)
        margay_recorder_stop();
}
