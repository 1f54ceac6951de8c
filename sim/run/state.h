/*
 * state.h - the files from which a run goes on
 *
 *     0   "margay s", then the version of what follows, as everything else a
 *         64-bit number, the least significant byte first
 *    16   what the trace was read as: numbers (0 addresses, 1 ids), the bytes
 *         of a unit, the kinds kept, whether references were split
 *    48   references read; of the warm-up, still to come
 *    64   the operations kept; references of a window (0 = there are none);
 *         references counted; T; T letters, which are the name of the column
 *         of tenants, if there is one, and those of the tenants,
 *         each with a NUL after it; passes, that is, block sizes; each pass:
 *         bytes of a block, bound (0 = none), whether it was
 *         exceeded, references at infinite distance, R, B; R pairs of a
 *         distance and its references, by distance; B blocks, the LRU stack
 *         from the oldest on
 *         or, where all that was fed is kept (fed.c): bytes of a block,
 *         2^64 - 1, whether these are references as they stand, tokens of a
 *         block (0 = unknown), 0, B; B words
 *   end   a checksum of all that
 */
#ifndef MARGAY_SIM_RUN_STATE_H
#define MARGAY_SIM_RUN_STATE_H

#include "sim/run/history.h"
#include "sim/run/words.h"
#include <margay/run.h>

/*
 * All that an analysis was fed (fed.c), where it has no smaller state
 *
 * Algorithm: the stack of a plain curve is all that its future needs.  Other
 *   results depend on later references (the optimum), on sizes that are known
 *   in the end (simulations), on times, or on the whole order.  Their state is
 *   their input: spans, and where counts began anew.
 * Guarantee: an analysis that is fed all again is the same.
 * Cost: 8 bytes for each block reference and each column that the question
 *   uses, at most 128 MiB of them in memory; and all of the work again in the
 *   run that goes on.  A look writes them only if they have doubled since they
 *   were last written: all looks write less than twice the last of these.
 */
struct margay_fed {
    bool keeps;    /* what comes; zeroed, it does not */
    bool is_apart; /* the state's last request and the trace's first are two */
    unsigned columns; /* that are kept, of spans that have them */
    struct margay_history history;
};

/* A span is to be fed; one without references is the end of a warm-up.
   MARGAY_NO_MEMORY; MARGAY_IO. */
enum margay_status margay_fed_add(struct margay_fed *fed,
                                  const struct margay_span *span,
                                  struct margay_error *error);

/* Put how many words it has, and these.  MARGAY_IO. */
enum margay_status margay_fed_write(const struct margay_fed *fed,
                                    struct margay_word_writer *writer,
                                    struct margay_error *error);

/* Feed them to an analysis that has not been fed yet, and keep them where *fed
   does.  Fails as the analysis does.  *taken is how many of them are what this
   question can have been fed: all, unless the state is of others, or
   damaged. */
enum margay_status margay_fed_again(const uint64_t *words, uint64_t count,
                                    margay_analysis *analysis,
                                    struct margay_pass *pass,
                                    struct margay_fed *fed, uint64_t *taken,
                                    struct margay_error *error);

/* The beginning of every state. */
struct margay_state_head {
    /* What a trace is read as, in which runs that are continued must agree. */
    uint64_t numbers;    /* 0 addresses, 1 ids */
    uint64_t unit_bytes; /* 0 = unknown */
    uint64_t kinds;      /* a set */
    uint64_t split;      /* 0 no, 1 yes */
    /* How far a run has come: in references of the trace, those of other kinds
       included, and in those of the warm-up that are still to come. */
    uint64_t references, warmup_refs;
    uint64_t ops;          /* a set, in which runs must agree, too, */
    uint64_t window_refs;  /* and in this; 0 = there are no windows */
    uint64_t counted_refs; /* of all windows */
};

/* A state that was read; zeroed, there is none. */
struct margay_state {
    const char *path;
    struct margay_state_head head;
    size_t pass_count;
    /* The column of tenants, owned; empty = none.  Their names, one after the
       other, each with a NUL after it. */
    const char *column;
    uint32_t tenant_count;
    const char *tenants;
    uint64_t *words; /* owned; in this machine's order */
    size_t at;       /* of the first pass */
};

/* Read a state, before anything is known of the trace that goes on.  `path`
   must outlive it.  MARGAY_BAD_INPUT if the file is damaged,
   MARGAY_BAD_ARGUMENT if it is of another version. */
enum margay_status margay_state_read(const char *path,
                                     struct margay_state *state,
                                     struct margay_error *error);

/* The bytes and tokens of the blocks of a pass; 0 = not known, or there is no
   such pass. */
struct margay_state_pass {
    uint64_t block_bytes, block_tokens;
};
struct margay_state_pass margay_state_pass(const struct margay_state *state,
                                           size_t pass);

/* Load the saved state into the analyses of a job, which have not been fed yet.
   MARGAY_BAD_ARGUMENT if the state belongs to other options than these. */
enum margay_status margay_state_restore(const struct margay_state *state,
                                        const struct margay_state_head *wanted,
                                        const struct margay_job *job,
                                        struct margay_pass *passes,
                                        struct margay_fed *fed,
                                        struct margay_error *error);

/* Write the state of the analyses of a job, or their input; `column` is that of
   tenants, NULL = none. */
enum margay_status margay_state_write(const struct margay_sink *sink,
                                      const struct margay_state_head *head,
                                      const char *column,
                                      const struct margay_job *job,
                                      const struct margay_fed *fed,
                                      struct margay_error *error);

/* Release; a zeroed one is fine. */
void margay_state_clear(struct margay_state *state);

#endif
