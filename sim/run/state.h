/*
 * state.h - the files from which a run goes on
 *
 *     0   "margay s", then the version of what follows, as everything else a
 *         64-bit number, the least significant byte first
 *    16   what the trace was read as: numbers (0 addresses, 1 ids), the bytes
 *         of a unit, the kinds kept, whether references were split
 *    48   references read; of the warm-up, still to come (not in version 1,
 *         which has none of these); passes, that is, block sizes
 *    72   each pass: bytes of a block, bound (0 = none), whether it was
 *         exceeded, references at infinite distance, R, B; R pairs of a
 *         distance and its references, by distance; B blocks, the LRU stack
 *         from the oldest on
 *   end   a checksum of all that
 */
#ifndef MARGAY_SIM_RUN_STATE_H
#define MARGAY_SIM_RUN_STATE_H

#include <margay/run.h>

/* What a trace is read as, in which runs that are continued must agree. */
struct margay_state_reading {
    uint64_t numbers;    /* 0 addresses, 1 ids */
    uint64_t unit_bytes; /* 0 = unknown */
    uint64_t kinds;      /* a set */
    uint64_t split;      /* 0 no, 1 yes */
};

/* How far a run has come. */
struct margay_state_place {
    uint64_t references;  /* of the trace, those of other kinds included */
    uint64_t warmup_refs; /* still to come */
};

/* A state that was read; zeroed, there is none. */
struct margay_state {
    const char *path;
    struct margay_state_reading reading;
    struct margay_state_place place;
    size_t pass_count;
    uint64_t *words; /* owned; in this machine's order */
    size_t at;       /* of the first pass */
};

/*
 * Read a state, before anything is known of the trace that goes on.  `path`
 * must outlive it.  MARGAY_BAD_INPUT if the file is damaged,
 * MARGAY_BAD_ARGUMENT if it is of another version.
 */
enum margay_status margay_state_read(const char *path,
                                     struct margay_state *state,
                                     struct margay_error *error);

/* The block sizes that it has, of which there are as many as passes. */
void margay_state_blocks(const struct margay_state *state,
                         uint64_t block_bytes[MARGAY_MOST_BLOCK_SIZES]);

/*
 * Give analyses that have not been fed yet what was saved.
 * MARGAY_BAD_ARGUMENT if the state belongs to other options than these.
 */
enum margay_status margay_state_restore(
    const struct margay_state *state,
    const struct margay_state_reading *reading,
    margay_analysis *const *analyses, const struct margay_pass *passes,
    size_t count, struct margay_error *error);

/* Write the state of the analyses of passes. */
enum margay_status margay_state_write(
    const struct margay_sink *sink, const struct margay_state_reading *reading,
    const struct margay_state_place *place, margay_analysis *const *analyses,
    const struct margay_pass *passes, size_t count, struct margay_error *error);

/* Release; a zeroed one is fine. */
void margay_state_clear(struct margay_state *state);

#endif
