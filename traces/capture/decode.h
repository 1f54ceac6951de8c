/* decode.h - from the words of a recorded thread to references */
#ifndef MARGAY_TRACES_CAPTURE_DECODE_H
#define MARGAY_TRACES_CAPTURE_DECODE_H

#include "traces/capture/stream.h"
#include "traces/formats/data.h"
#include "traces/formats/format.h"

/* Events of data, MARGAY_BUFFER_WORDS at most; `at` counts entries of the
   batch. */
struct margay_data_events {
    struct margay_data_event events[MARGAY_BUFFER_WORDS];
    size_t count;
};

/* How far a buffer has been decoded; to begin, all zero but `slots`. */
struct margay_decoding {
    uint32_t words; /* decoded so far */
    bool slots;     /* references name the slots of their sites */
    bool stated;    /* no slot has `site` yet */
    uint64_t site;  /* the call site last stated */
    uint64_t sites[MARGAY_SITE_SLOTS];
    /* The words with the sites of the next references, one each. */
    uint32_t next_site, next_site_end;
    uint64_t above; /* the 16 bits above the 48 of an address */
    uint64_t bytes; /* of the next event of data, */
    uint64_t order; /* and its number */
};

/* Decode the words up to `end` and append them to `references`, which must hold
   one more for each word.  Arrays that are NULL are not filled.  Any words are
   safe to decode; meaningless ones are skipped.  Events of data are appended to
   `events`, unless that is NULL. */
void margay_decode_words(struct margay_decoding *decoding,
                         const uint64_t *words, uint32_t end,
                         struct margay_references *references,
                         struct margay_data_events *events);

/* Take note of the words up to `end` on which later ones depend. */
void margay_decode_controls(struct margay_decoding *decoding,
                            const uint64_t *words, uint32_t end);

#endif
