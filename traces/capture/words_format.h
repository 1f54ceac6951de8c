/*
 * words_format.h - the format `words`: the words of the recorder, fast to write
 * and read
 *
 *     8 bytes   "mgwords" and the version, 3; 2 is read, too, and has no slots
 *               of sites but slot 0
 *     4 bytes   block size within which repeats were collapsed, 0 = none
 *     4 bytes   1 = the call sites are known, 2 = words may have repeats,
 *               3 = both; 4 and 12 were samples, which are refused
 *   then chunks, each of
 *     4 bytes   the number of words, up to 8192; 2^31 more: the words are not
 *               here, but in the next slot of memory that the reader has taken
 *               (relay.h)
 *     4 bytes   the number of the thread
 *     words     of 8 bytes, as stream.h defines them
 *
 * All numbers are little-endian.  No chunk depends on the control words of
 * another.  A trace that is cut gives its whole words.
 */
#ifndef MARGAY_TRACES_CAPTURE_WORDS_FORMAT_H
#define MARGAY_TRACES_CAPTURE_WORDS_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "traces/formats/blocks_format.h"

#define MARGAY_WORDS_MAGIC                   \
    {                                        \
        'm', 'g', 'w', 'o', 'r', 'd', 's', 3 \
    }
#define MARGAY_WORDS_SITES   1u
#define MARGAY_WORDS_REPEATS 2u
#define MARGAY_WORDS_SAMPLE  4u

struct margay_words_head {
    char magic[8];
    uint32_t collapsed_bytes, flags;
};

struct margay_chunk_head {
    uint32_t words, thread;
};

/* A constant of the file format, independent of MARGAY_BUFFER_WORDS. */
#define MARGAY_CHUNK_WORDS 8192

/* In the number of words. */
#define MARGAY_CHUNK_RELAYED (UINT32_C(1) << 31)

extern const struct margay_blocks_reading margay_words_reading;

#endif
