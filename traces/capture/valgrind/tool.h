/*
 * tool.h - declarations of the files of the tool of Valgrind
 *
 * cursors.c knows where the next word of each thread goes, instrument.c puts
 * stores of words into the program's code, and libc.c stands in for the C
 * library, without which a tool is linked: each function that the files of the
 * recorder call does as much there as these files ask for.
 *
 * Thread safety: Valgrind runs one thread at a time.
 */
#ifndef MARGAY_TRACES_CAPTURE_VALGRIND_TOOL_H
#define MARGAY_TRACES_CAPTURE_VALGRIND_TOOL_H

#include <stdint.h>

#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>

/* Of the thread that runs: the next word goes to *next, and the words from
   there to `end` are unused.  Code that Valgrind makes of the program's reads
   and writes these two, and calls the recorder where they leave no room. */
struct margay_cursor {
    uint64_t *next, *end;
};
extern struct margay_cursor margay_cursor;

/* The most words for which a cursor always finds room. */
#define MARGAY_CURSOR_WORDS 1024

/* Send the words of the thread that runs, and get it another buffer. */
void margay_cursor_refill(void);

/* A thread runs from now on.  Threads have numbers from 1 on. */
void margay_cursor_switch(unsigned thread);

/* The thread that runs has left a piece of code in its middle: `next` goes
   after the words that the piece had stored. */
void margay_cursor_catch_up(void);

/* The thread that runs has ended; its words are sent. */
void margay_cursor_end(void);

struct margay_wishes {
    Bool fetches; /* instructions are references, too */
    Bool sites;   /* each reference with its instruction */
};

/* A copy of a piece of code that also stores its references where the cursor
   says. */
IRSB *margay_instrument(IRSB *code, const struct margay_wishes *wishes);

/* The result of secure_getenv(), or NULL. */
extern const char *margay_libc_capture;

#endif
