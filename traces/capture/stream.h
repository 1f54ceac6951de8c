/*
 * stream.h - how a recorded program and `margay record` speak
 *
 * `margay record` makes a file without a name and two pipes, and passes their
 * descriptors on in the environment (MARGAY_CAPTURE).  The file is mapped by
 * both sides and holds
 *
 *     struct margay_capture      what is to be recorded; one page or more
 *     buffer 0, 1, 2, ...        MARGAY_BUFFER_WORDS words each
 *
 * A recording thread takes the number of an empty buffer out of the pipe of
 * free ones, which makes it wait while all are full: that is the whole of the
 * backpressure.  It fills the buffer word by word and, when it is full, sends
 * a struct margay_message through the other pipe.  Nothing has to be sent at
 * the end of a program, however it comes: an unused word is zero, so what a
 * process has left in its buffers can be taken as soon as it is dead.
 *
 * A word is one reference or, where its kind is MARGAY_WORD_CONTROL, says
 * something about those around it:
 *
 *     bits 0..47    the address; what is above is dropped
 *     bits 48..51   so many more reads of the same block
 *     bits 52..55   and so many writes
 *     bits 56..61   the size in bytes, 1 to 63; 0 = 64
 *     bits 62..63   enum margay_kind
 *
 * A read or a write is repeated where repeats are to be collapsed: by what
 * follows it at once, in the same block.
 *
 * Both sides run on one machine, so words are in its own byte order.
 */
#ifndef MARGAY_TRACES_CAPTURE_STREAM_H
#define MARGAY_TRACES_CAPTURE_STREAM_H

#include <stdatomic.h>
#include <stdint.h>

/* Changes with anything in this file. */
#define MARGAY_CAPTURE_VERSION 2

/* "FILE,FREE,FULL": the three descriptors, in decimal. */
#define MARGAY_CAPTURE_VARIABLE "MARGAY_CAPTURE"

/* Of the file's beginning, in the byte order of the machine. */
#define MARGAY_CAPTURE_MAGIC UINT64_C(0x0163706179677261)

/* 64 KiB: so small that it stays in a core's own cache, so large that a
   system call for each is nothing. */
#ifndef MARGAY_BUFFER_WORDS
#define MARGAY_BUFFER_WORDS 8192
#endif
#define MARGAY_BUFFER_BYTES (MARGAY_BUFFER_WORDS * sizeof(uint64_t))

/* At most; each thread has one, and there are some more. */
#define MARGAY_MAX_BUFFERS 4096

/* ----------------------------------------------------------------- words -- */

#define MARGAY_WORD_CONTROL       3u /* in place of a kind */
#define MARGAY_WORD_KIND_SHIFT    62
#define MARGAY_WORD_BYTES_SHIFT   56
#define MARGAY_WORD_REPEATS_SHIFT 48 /* of reads; those of writes follow */
#define MARGAY_WORD_REPEATS_BITS  4
#define MARGAY_WORD_MAX_REPEATS   ((1u << MARGAY_WORD_REPEATS_BITS) - 1)
#define MARGAY_WORD_ADDRESS_MASK \
    ((UINT64_C(1) << MARGAY_WORD_REPEATS_SHIFT) - 1)

/* The longest reference of one word. */
#define MARGAY_WORD_MAX_BYTES 64

/* What a control word says, in place of a size; bits 0..55 are for it. */
enum margay_control {
    /* The references after it are made by the code at that address. */
    MARGAY_CONTROL_SITE = 2,
    /* The addresses after it have these 16 bits above the 48.  No recorder
       writes that. */
    MARGAY_CONTROL_ABOVE = 3,
};

#define MARGAY_CONTROL_MASK ((UINT64_C(1) << MARGAY_WORD_BYTES_SHIFT) - 1)

static inline uint64_t margay_word(uint64_t address, unsigned kind,
                                   unsigned bytes)
{
    return (address & MARGAY_WORD_ADDRESS_MASK) |
           (uint64_t)(bytes % MARGAY_WORD_MAX_BYTES)
               << MARGAY_WORD_BYTES_SHIFT |
           (uint64_t)kind << MARGAY_WORD_KIND_SHIFT;
}

static inline uint64_t margay_control_word(enum margay_control control,
                                           uint64_t payload)
{
    return (payload & MARGAY_CONTROL_MASK) |
           (uint64_t)control << MARGAY_WORD_BYTES_SHIFT |
           (uint64_t)MARGAY_WORD_CONTROL << MARGAY_WORD_KIND_SHIFT;
}

/* -------------------------------------------------------------- messages -- */

enum margay_message_type {
    MARGAY_MESSAGE_FULL = 1, /* `words` words of `buffer` */
    MARGAY_MESSAGE_ATTACH,   /* process `process` has become program `buffer`;
                                whatever it was before has ended: it called
                                exec */
    MARGAY_MESSAGE_WANT,     /* a thread waits for a buffer, and none is free */
};

/* Shorter than PIPE_BUF, so it arrives whole. */
struct margay_message {
    uint32_t type;
    uint32_t buffer;
    uint32_t words;
    uint32_t process;
};

/* ------------------------------------------------------------ the memory -- */

/* Whether anything is to be recorded. */
enum margay_quiet {
    MARGAY_RECORD = 0,
    MARGAY_NOT_YET, /* before the function to start at */
    MARGAY_NO_MORE,
};

/* Who fills a buffer; 0 = nobody. */
struct margay_slot {
    _Atomic uint32_t process;
    _Atomic uint32_t program; /* which one the process was then */
    _Atomic uint32_t thread;
};

/* Code from `from` to below `to`, relative to where the program's file is
   loaded; from == to: none. */
struct margay_code_range {
    uint64_t from, to;
};

struct margay_capture {
    uint64_t magic;
    uint32_t version;
    uint32_t data_offset;    /* of buffer 0 in the file */
    uint32_t collapse_shift; /* blocks of so many bits are collapsed */
    uint32_t collapses;      /* is 1 if they are */
    uint32_t wants_sites;    /* is 1 if MARGAY_CONTROL_SITE is to be used */
    _Atomic uint32_t quiet;  /* enum margay_quiet */
    struct margay_code_range start, stop;
    _Atomic uint32_t next_thread;  /* number of the next thread that comes */
    _Atomic uint32_t next_program; /* and of the next program */
    _Atomic uint32_t faults;       /* buffers found full by a fault */
    struct margay_slot slots[MARGAY_MAX_BUFFERS];
};

#endif
