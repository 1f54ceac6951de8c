/*
 * pass.c - the functions that code instrumented by a compiler's plugin calls
 *
 * The plugin is traces/capture/llvm.  Its code writes the words of its
 * references itself, one piece after another: a piece is a sequence of
 * references without a call between them, at most MARGAY_PIECE_WORDS.  These
 * functions are called seldom, and clang's code does not expect that they
 * change registers; where the calling conventions of C do not say so, each is
 * entered by assembly.  They find the site of the caller themselves:
 *
 *     uint64_t *margay_pass_room(uint64_t *end, size_t words)
 *         Make room for the words of a piece; returns the place of the first
 *         one.  The caller has moved margay_recorder.next to `end`.
 *     uint64_t *margay_pass_site(uint64_t *at)
 *         If margay_recorder.tells_sites after that: write the site of the next
 *         reference of the piece, at the place that the call before returned.
 *     void margay_pass_enter(void), void margay_pass_leave(void)
 *         If margay_recorder.watches: a function begins, or returns.
 *
 * On x86-64 its code uses LLVM's convention preserve_most: a function changes
 * r11, the register of its result, and vectors; elsewhere it uses C's.
 */
#include "traces/capture/runtime/recorder.h"

/* By this `margay record` recognises a program with such code. */
__attribute__((used)) static const char mark[] = "margay-capture-plugin";

/* The bodies, which get the return address. */
__attribute__((used)) static uint64_t *room(uint64_t *end, size_t words)
{
    return margay_recorder_room(end - words, words);
}

__attribute__((used)) static uint64_t *site(uint64_t *at, uint64_t after)
{
    *at = margay_recorder_site(after - 1);
    return at + 1;
}

__attribute__((used)) static void enter(uint64_t after)
{
    margay_functions_enter(after - 1);
}

__attribute__((used)) static void leave(uint64_t after)
{
    margay_functions_leave(after - 1);
}

#ifdef __x86_64__

/* `name` keeps all registers but r11 and those that `keeps` does not list, and
   calls `body` with the return address in `argument`.  Eight registers, eight
   bytes more and the address that is returned to keep the stack aligned. */
#define ENTRY(name, body, argument, first)                                    \
    __asm__(".text\n"                                                         \
            ".globl " #name "\n"                                              \
            ".type " #name ", @function\n" #name ":\n"                        \
            ".cfi_startproc\n"                                                \
            "push %" first "\n.cfi_adjust_cfa_offset 8\n"                     \
            "push %rcx\n.cfi_adjust_cfa_offset 8\n"                           \
            "push %rdx\n.cfi_adjust_cfa_offset 8\n"                           \
            "push %rsi\n.cfi_adjust_cfa_offset 8\n"                           \
            "push %rdi\n.cfi_adjust_cfa_offset 8\n"                           \
            "push %r8\n.cfi_adjust_cfa_offset 8\n"                            \
            "push %r9\n.cfi_adjust_cfa_offset 8\n"                            \
            "push %r10\n.cfi_adjust_cfa_offset 8\n"                           \
            "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n" argument "call " #body \
            "\n"                                                              \
            "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                       \
            "pop %r10\n.cfi_adjust_cfa_offset -8\n"                           \
            "pop %r9\n.cfi_adjust_cfa_offset -8\n"                            \
            "pop %r8\n.cfi_adjust_cfa_offset -8\n"                            \
            "pop %rdi\n.cfi_adjust_cfa_offset -8\n"                           \
            "pop %rsi\n.cfi_adjust_cfa_offset -8\n"                           \
            "pop %rdx\n.cfi_adjust_cfa_offset -8\n"                           \
            "pop %rcx\n.cfi_adjust_cfa_offset -8\n"                           \
            "pop %" first "\n.cfi_adjust_cfa_offset -8\n"                     \
            "ret\n"                                                           \
            ".cfi_endproc\n"                                                  \
            ".size " #name ", .-" #name "\n")

ENTRY(margay_pass_room, room, "", "r11");
ENTRY(margay_pass_site, site, "mov 72(%rsp), %rsi\n", "r11");
ENTRY(margay_pass_enter, enter, "mov 72(%rsp), %rdi\n", "rax");
ENTRY(margay_pass_leave, leave, "mov 72(%rsp), %rdi\n", "rax");

#else

#define RETURN ((uint64_t)(uintptr_t)__builtin_return_address(0))

HOOK uint64_t *margay_pass_room(uint64_t *end, size_t words)
{
    return room(end, words);
}

HOOK uint64_t *margay_pass_site(uint64_t *at)
{
    return site(at, RETURN);
}

HOOK void margay_pass_enter(void)
{
    enter(RETURN);
}

HOOK void margay_pass_leave(void)
{
    leave(RETURN);
}

#endif
