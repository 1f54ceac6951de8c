/*
 * recorder.h - references recorded from inside a program
 *
 * Code that observes a program in its own process, such as the hooks that
 * compilers insert, calls margay_record_at() for each reference.  The first
 * call of a thread gets the thread a buffer; stream.h defines what happens to
 * buffers.  Outside `margay record` a call does nothing and costs next to
 * nothing.
 *
 * Thread safety: every thread has a buffer of its own, and so has the child of
 * a fork.  A signal may come between any two instructions of
 * margay_record_at(), and its handler may be recorded.  No function takes a
 * lock.
 *
 * The runtime is linked into programs of others: it uses the C library for
 * system calls only, and neither allocates nor prints.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_RECORDER_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_RECORDER_H

#include <stddef.h>

#include "traces/capture/stream.h"

/*
 * Where the next word of a thread goes.  A word that is not 0 lies there if the
 * buffer is full, if there is none, if call sites are recorded, or if a handler
 * of a signal has written since: then margay_recorder_put() decides.  The
 * recorder moves `next` first, and checks that word afterwards, so that a
 * handler in between finds another place.
 *
 * Code that clang's pass has instrumented (traces/capture/llvm) knows this
 * layout.
 */
struct margay_recorder {
    uint64_t *next;
    /* 1 = margay_pass_enter() and margay_pass_leave() want to be called, ... */
    uint8_t watches;
    /* ... and margay_pass_site(), after margay_pass_room(). */
    uint8_t tells_sites;
};

extern __thread struct margay_recorder margay_recorder
    __attribute__((tls_model("initial-exec"), visibility("default")));

/* Record a reference whose word cannot simply be written at `next`. */
void margay_recorder_put(uint64_t *next, uint64_t word, uint64_t site);

/* Make room for `words` words, 1 to MARGAY_PIECE_WORDS, which are written one
   after another from the returned address on; with sites, the words of all
   their sites come first.  `next` is where room was expected. */
uint64_t *margay_recorder_room(uint64_t *next, size_t words);

/* The word with the site of one of the next references. */
uint64_t margay_recorder_site(uint64_t site);

/* Record a reference of 1 to 64 bytes at an address of at most 48 bits (tags
   above them are dropped); kind as enum margay_kind.  `site` is the address of
   the code that makes it, or 0. */
static inline void margay_record_at(const volatile void *address, unsigned kind,
                                    unsigned bytes, uint64_t site)
{
    uint64_t word = margay_word((uint64_t)(uintptr_t)address, kind, bytes);
    uint64_t *next = margay_recorder.next;
    margay_recorder.next = next + 1;
    __asm__ volatile("" ::: "memory");
    if (__builtin_expect(*next != 0, 0)) {
        margay_recorder_put(next, word, site);
        return;
    }
    *next = word;
}

/* True if events of data are recorded. */
bool margay_recorder_wants_data(void);

/* Record, where that is wanted, that [address, address + bytes) now holds other
   data: enum margay_data, by which `site` is an address of code or of a
   variable in this process.  Does not begin the recording of references. */
void margay_recorder_put_data(unsigned data, const volatile void *address,
                              uint64_t bytes, uint64_t site);

/* Begin to record, if the recording waits for that; stop for good.  For the
   calling thread at once, for others when they next need a buffer. */
void margay_recorder_start(void);
void margay_recorder_stop(void);

/* ----------------------------------------------------------------- hooks -- */

/* Code that a compiler has instrumented calls hooks by name, so the compilers
   define their names and types, and no header declares them.  They are visible
   to programs and to shared libraries. */
#define HOOK __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* As in enum margay_kind, which is part of the library, not of the runtime. */
enum { READ = 0, WRITE = 1 };

/* The call site, which is within the call of the hook: the code after it may
   be of another line. */
#define SITE ((uint64_t)(uintptr_t)__builtin_return_address(0) - 1)

/* The function with the code at this site begins, or returns.  Where no
   function is waited for, the calling thread's margay_recorder.watches is 0
   afterwards. */
void margay_functions_enter(uint64_t site);
void margay_functions_leave(uint64_t site);

/* Record which files of code are loaded where, with their variables. */
void margay_allocations_tell_files(void);

#endif
