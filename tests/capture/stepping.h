/*
 * stepping.h - a signal after each single instruction, for programs that test
 * the recorder
 *
 * The processor stops after each instruction while its flag TF is set (x86),
 * and the system sends SIGTRAP.
 */
#ifndef MARGAY_TESTS_CAPTURE_STEPPING_H
#define MARGAY_TESTS_CAPTURE_STEPPING_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The compilers leave it as it is. */
#ifdef __clang__
#define UNRECORDED __attribute__((disable_sanitizer_instrumentation))
#else
#define UNRECORDED __attribute__((no_sanitize_thread))
#endif

/* Set the flag. */
__attribute__((noinline)) static void step_from_here(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n orq $0x100, (%%rsp)\n"
                     "popfq\n lea 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
}

/* Where the calling thread's next word goes: margay_recorder.next of the
   runtime. */
UNRECORDED static inline const volatile uint64_t *next_word(void)
{
    const volatile uint64_t *next;
    __asm__ volatile("movq margay_recorder@gottpoff(%%rip), %0\n"
                     "movq %%fs:(%0), %0"
                     : "=r"(next));
    return next;
}

static void map(volatile void *at, size_t bytes)
{
    if (mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
             -1, 0) != at)
        exit(2);
}

#endif
