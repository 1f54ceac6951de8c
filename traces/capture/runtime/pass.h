/*
 * pass.h - what code that a compiler's plugin has instrumented calls
 *
 * The plugin is traces/capture/llvm.  Its code writes the words of its
 * references itself, one piece after another: a piece is a sequence of
 * references without a call between them, at most MARGAY_PIECE_WORDS.  These
 * functions are called seldom, and clang's code does not expect that they
 * change registers; where the calling conventions of C do not say so, each is
 * entered by assembly.  They find the site of the caller themselves.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_PASS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_PASS_H

#include <stddef.h>
#include <stdint.h>

/* Make room for the words of a piece; returns the place of the first one.
   `end` is what the caller has moved margay_recorder.next to. */
uint64_t *margay_pass_room(uint64_t *end, size_t words);

/* If margay_recorder.tells_sites after that: tell the site of the next
   reference of the piece, at the place that the call before returned. */
uint64_t *margay_pass_site(uint64_t *at);

/* If margay_recorder.watches: a function begins, or returns. */
void margay_pass_enter(void);
void margay_pass_leave(void);

#endif
