/* decode.h - the words of a recorded thread, as references */
#ifndef MARGAY_TRACES_CAPTURE_DECODE_H
#define MARGAY_TRACES_CAPTURE_DECODE_H

#include <stdint.h>

#include "traces/capture/stream.h"
#include "traces/formats/format.h"

/* Where the decoding of a buffer stands; zero it to begin. */
struct margay_decoding {
    uint32_t words; /* dealt with */
    uint64_t site;
    uint64_t address; /* of the last reference */
    uint8_t kind;
    uint32_t extent; /* 0 = there was none yet */
};

/* References that a buffer yields at most: its words, two for repeats. */
#define MARGAY_DECODED_REFS ((size_t)2 * MARGAY_BUFFER_WORDS)

/*
 * Append what the words up to `end` say to `references`, which has room for
 * MARGAY_DECODED_REFS; all its arrays but that of threads are filled in, of
 * which those of counts, without repeats, and of sites may be missing.
 * Whatever the words are, nothing bad happens; what means nothing is left out.
 */
void margay_decode_words(struct margay_decoding *decoding,
                         const uint64_t *words, uint32_t end,
                         struct margay_references *references);

#endif
