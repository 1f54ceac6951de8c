/*
 * stream.h - the protocol of a recorded program and `margay record`
 *
 * `margay record` makes a file without a name and two pipes, and passes their
 * descriptors on in the environment (MARGAY_CAPTURE).  Both sides map the file,
 * which holds
 *
 *     struct margay_capture      the settings; one page or more
 *     buffer 0, 1, 2, ...        MARGAY_BUFFER_WORDS words each
 *
 * A recording thread takes a free buffer, fills it word by word, and says in
 * the memory that it is full: slots.h is how.  One pipe wakes the recorder, the
 * other one threads that wait for a buffer; the bytes in them mean nothing.  A
 * program says nothing at its end, however it ends: an unused word is zero, so
 * the words that a process has left in its buffers can be taken as soon as the
 * process is dead, or by the program that it has become.
 *
 * A word is one reference or, where its kind is MARGAY_WORD_CONTROL, a
 * statement about the references around it:
 *
 *     bits 0..47    the address, without the bits above
 *     bits 48..55   which of the buffer's slots holds the call site, where
 *                   sites are recorded, so that a site is written once for
 *                   many references
 *     bits 56..61   the size in bytes, 1 to 63; 0 = 64
 *     bits 62..63   enum margay_kind
 *
 * Both sides run on one machine, so words have its byte order.
 */
#ifndef MARGAY_TRACES_CAPTURE_STREAM_H
#define MARGAY_TRACES_CAPTURE_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* To be raised with every change to this file. */
#define MARGAY_CAPTURE_VERSION 18

/*
 * "FILE,FREE,BELL,RECORDER,READING", in decimal: the three descriptors, the
 * process of the recorder, and its descriptor of the other end of BELL.  A
 * program that has closed descriptors it did not open finds the files again
 * where the system shows the descriptors of other processes
 * (/proc/RECORDER/fd).
 */
#define MARGAY_CAPTURE_VARIABLE "MARGAY_CAPTURE"

/* The first eight bytes of the file, in the byte order of the machine. */
#define MARGAY_CAPTURE_MAGIC UINT64_C(0x0163706179677261)

/* 64 KiB: small enough to stay in the cache of a core, and large enough for the
   cost of a system call to vanish. */
#ifndef MARGAY_BUFFER_WORDS
#define MARGAY_BUFFER_WORDS 8192
#endif
#define MARGAY_BUFFER_BYTES (MARGAY_BUFFER_WORDS * sizeof(uint64_t))

/* The most buffers.  Each thread has one, and some are free or full. */
#define MARGAY_MAX_BUFFERS 4096

/* ----------------------------------------------------------------- words -- */

#define MARGAY_WORD_CONTROL      3u /* in place of a kind */
#define MARGAY_WORD_KIND_SHIFT   62
#define MARGAY_WORD_BYTES_SHIFT  56
#define MARGAY_SLOT_SHIFT        48
#define MARGAY_WORD_ADDRESS_MASK ((UINT64_C(1) << MARGAY_SLOT_SHIFT) - 1)

/* The longest reference of one word. */
#define MARGAY_WORD_MAX_BYTES 64

/* The meaning of a control word, in the bits of the size; bits 0..55 hold its
   value. */
enum margay_control {
    /* Words may yet be written here: the present end of a thread's words. */
    MARGAY_CONTROL_END = 0,
    /* A reference that might have been made, and was not. */
    MARGAY_CONTROL_NONE = 1,
    /* A site of code: an address in bits 0..47, and the number of its module in
       bits 48..55.  It goes into the slot of the reference or event of data
       that comes next, and stays there for those that follow.  Events, and
       references that have no slots, are of slot 0. */
    MARGAY_CONTROL_SITE = 2,
    /* The next addresses have these 16 bits above their 48.  No recorder writes
       this word. */
    MARGAY_CONTROL_ABOVE = 3,
    /* The next event covers this many bytes, ... */
    MARGAY_CONTROL_BYTES = 4,
    /* ... has this number among the events of data of all threads, ... */
    MARGAY_CONTROL_ORDER = 5,
    /* ... and is about the address in bits 0..47, which from now on holds data
       of the kind in bits 48..55 (enum margay_data, traces/formats/data.h); the
       site shows which. */
    MARGAY_CONTROL_DATA = 6,
    /* The code at this site makes one of the references that follow: the first
       of several such words that of the first reference, and so on.  There are
       as many references as such words, MARGAY_PIECE_WORDS at most; they have
       slot 0. */
    MARGAY_CONTROL_NEXT_SITE = 7,
    /* In a trace: a direct reader of the pipe of this number ... */
    MARGAY_CONTROL_PIPE = 8,
    /* ... may find words in this memory (relay.h). */
    MARGAY_CONTROL_MEMORY = 9,
};

#define MARGAY_CONTROL_DATA_SHIFT 48

/* The most references whose words a thread makes room for at once. */
#define MARGAY_PIECE_WORDS 32

#define MARGAY_WORD_END \
    ((uint64_t)MARGAY_WORD_CONTROL << MARGAY_WORD_KIND_SHIFT)

static inline bool margay_word_is_unused(uint64_t word)
{
    return word == 0 || word == MARGAY_WORD_END;
}

/* The slots of sites in a buffer, all zero to begin. */
#define MARGAY_SITE_SLOTS 256

/* The most words of an event of data, with its site. */
#define MARGAY_DATA_WORDS 4

#define MARGAY_CONTROL_MASK ((UINT64_C(1) << MARGAY_WORD_BYTES_SHIFT) - 1)

static inline uint64_t margay_word(uint64_t address, unsigned kind,
                                   unsigned bytes)
{
    return (address & MARGAY_WORD_ADDRESS_MASK) |
           (uint64_t)(bytes % MARGAY_WORD_MAX_BYTES)
               << MARGAY_WORD_BYTES_SHIFT |
           (uint64_t)kind << MARGAY_WORD_KIND_SHIFT;
}

/* enum margay_kind, or MARGAY_WORD_CONTROL. */
static inline unsigned margay_word_kind(uint64_t word)
{
    return (unsigned)(word >> MARGAY_WORD_KIND_SHIFT);
}

/* Of a control word: enum margay_control, or a number that none has. */
static inline unsigned margay_word_control(uint64_t word)
{
    return (unsigned)(word >> MARGAY_WORD_BYTES_SHIFT & 63);
}

static inline uint64_t margay_control_word(enum margay_control control,
                                           uint64_t payload)
{
    return (payload & MARGAY_CONTROL_MASK) |
           (uint64_t)control << MARGAY_WORD_BYTES_SHIFT |
           (uint64_t)MARGAY_WORD_CONTROL << MARGAY_WORD_KIND_SHIFT;
}

/* ------------------------------------------------------------ the memory -- */

/* The reason why references of a process are lost, or may be. */
enum margay_loss {
    MARGAY_LOSS_DESCRIPTORS, /* it closed them, and can open no others */
    MARGAY_LOSS_MEMORY,      /* it may map no more, as by ulimit -v */
    MARGAY_LOSS_THREADS,     /* it has more than there can be buffers */
    MARGAY_LOSS_SHARED,      /* another process has its variables */
    MARGAY_LOSSES
};

/* Whether references are recorded. */
enum margay_quiet {
    MARGAY_RECORD = 0,
    MARGAY_NOT_YET, /* before the function to start at */
    MARGAY_NO_MORE,
};

/* Larger than the system's numbers of processes. */
#define MARGAY_FIRST_FOREIGNER (UINT32_C(1) << 30)

/* A thread's position when a buffer of another one became full: `words` of a
   buffer, if that is still the one of this opening. */
struct margay_mark {
    _Atomic uint32_t opening;
    _Atomic uint16_t buffer, words;
};

/* Other threads' buffers that a full one knows of, at most. */
#define MARGAY_SLOT_MARKS 58

/* The owner of a buffer (slots.h), in cache lines of its own, because threads
   take and fill buffers at the same time. */
struct margay_slot {
    _Alignas(64) _Atomic uint64_t state;
    /* The process and the thread for which it is kept while it is free:
       margay_slot_keeper(), or 0 = for any. */
    _Atomic uint64_t keeper;
    _Atomic uint32_t thread;
    _Atomic uint32_t opening; /* in which it was opened, among all, */
    _Atomic uint32_t turn;    /* and in which it became full */
    _Atomic uint32_t dirty;   /* words, from the first on, that may not be 0 */
    _Atomic uint32_t mark_count;
    struct margay_mark marks[MARGAY_SLOT_MARKS];
};

/* The code in [from, to), relative to the address at which the file of the
   program is loaded; from == to: no code. */
struct margay_code_range {
    uint64_t from, to;
};

/* The files of code that sites are in.  A module is named before the first word
   of it is written, and stays.  A site of module MARGAY_MODULES is in no file,
   or in one too many. */
#define MARGAY_MODULES             255
#define MARGAY_MODULE_SHIFT        48
#define MARGAY_CAPTURED_PATH_BYTES 512

enum margay_module_state {
    MARGAY_MODULE_FREE,
    MARGAY_MODULE_BEGUN, /* the path is being written */
    MARGAY_MODULE_NAMED,
};

struct margay_module {
    _Atomic uint32_t state; /* enum margay_module_state */
    char path[MARGAY_CAPTURED_PATH_BYTES];
};

struct margay_capture {
    uint64_t magic;
    uint32_t version;
    uint32_t data_offset;    /* of buffer 0 in the file */
    uint32_t wants_sites;    /* 1 = MARGAY_CONTROL_SITE is used */
    uint32_t wants_data;     /* 1 = events of data are recorded, */
    _Atomic uint64_t events; /* until now */
    _Atomic uint32_t quiet;  /* enum margay_quiet */
    /* Recording begins at the first entry of `start`, and ends at the first
       return from `stop`. */
    struct margay_code_range start, stop;
    _Atomic uint32_t next_thread;         /* number of the next thread, */
    _Atomic uint32_t next_program;        /* and of the next program */
    _Atomic uint32_t lost[MARGAY_LOSSES]; /* processes that lost references */
    /* The name space of the recorder's processes, 0 = unknown.  In others,
       numbers of processes mean something else: there, processes have numbers
       from MARGAY_FIRST_FOREIGNER on. */
    uint64_t name_space;
    _Atomic uint32_t foreigners;
    /* The process of the first program, and 1: a tool that runs the program saw
       its end.  Where the process exits without that, the tool has failed. */
    _Atomic uint32_t first_process, saw_end;
    /* What slots.h needs besides the slots. */
    _Alignas(64) _Atomic uint32_t buffers; /* that there are */
    _Atomic uint32_t openings;             /* buffers that were opened, */
    _Atomic uint32_t fills;                /* and that became full, */
    _Atomic uint64_t sent;                 /* and the words in them */
    /* 1: the recorder sleeps, and is to be woken when `fills` is `alarm`, ...
     */
    _Atomic uint32_t sleeps, alarm;
    /* ... and 1: a thread waits for a buffer. */
    _Atomic uint32_t waits;
    struct margay_slot slots[MARGAY_MAX_BUFFERS];
    struct margay_module modules[MARGAY_MODULES];
};

#endif
