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
    uint64_t above; /* the 48 bits of an address */
    unsigned shift; /* of the addresses, to what they are given as; 0 to 63 */
};

/* References that a buffer yields at most: a word may have repeats of another
   kind. */
#define MARGAY_DECODED_REFS ((size_t)2 * MARGAY_BUFFER_WORDS)

/*
 * Append what the words up to `end` say to `references`, which has room for
 * two of each; arrays that are missing are left out.  Without kinds, all
 * repeats are of the reference's own; without counts, they are added up.
 * Whatever the words are, nothing bad happens; what means nothing is left out.
 */
void margay_decode_words(struct margay_decoding *decoding,
                         const uint64_t *words, uint32_t end,
                         struct margay_references *references);

#endif
