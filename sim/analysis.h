/*
 * analysis.h - what all commands that read traces share
 *
 * Each trace is read once.  For each block size an engine gets its block
 * references; what else is to happen with them, and with an engine's result,
 * is up to the command's hooks.
 */
#ifndef MARGAY_SIM_ANALYSIS_H
#define MARGAY_SIM_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/options.h"
#include <margay/stackdist.h>
#include <margay/traces.h>

/* One trace at one block size. */
struct analysis_pass {
    const char *trace; /* as named in the output */
    const struct margay_format_info *format;
    enum margay_numbers numbers;
    bool split;            /* references touch all blocks they cover */
    size_t index;          /* among the block sizes */
    uint64_t block_bytes;  /* 0 = nobody knows */
    unsigned shift;        /* from numbers to blocks */
    uint64_t bound_blocks; /* 0 = none */
    margay_engine *engine;
    uint64_t fed_refs; /* block references so far, warm-up included */
    uint64_t window;   /* which one the result is of, with --window */
    struct margay_result result;
    double seconds;
};

/* Consecutive block references of a pass. */
struct analysis_chunk {
    uint64_t first_index; /* among all of the pass, warm-up included */
    size_t count;
    const uint64_t *blocks;
    const uint8_t *kinds;             /* NULL = all are reads */
    const uint64_t *distances;        /* NULL unless the hooks want them */
    const struct margay_batch *batch; /* that they are of, */
    const uint32_t *origins; /* and of which of its references; NULL unless
                                the hooks want to know */
    bool warmup;
};

struct analysis_hooks {
    bool wants_distances, wants_origins;
    unsigned needs; /* MARGAY_LACKS_... that the engine must not lack */
    bool no_engine; /* none is made: pass->engine is NULL, the result empty */
    bool takes_numbers; /* no chunks, only batches, where no reference is
                           split and there is no engine */
    bool passes_apart;  /* batch() and chunk() may be called for different
                           passes of a trace at the same time */
    /* All may be NULL.  An unsuccessful one ends the analysis. */
    enum margay_status (*begin)(void *context, const struct analysis_pass *pass,
                                struct margay_error *error);
    enum margay_status (*batch)(void *context, const struct analysis_pass *pass,
                                const struct margay_batch *batch,
                                struct margay_error *error);
    enum margay_status (*chunk)(void *context, const struct analysis_pass *pass,
                                const struct analysis_chunk *chunk,
                                struct margay_error *error);
    /* The warm-up is over, once per trace, if there was to be one. */
    enum margay_status (*end_warmup)(void *context, struct margay_error *error);
    /* pass->result is there; it is cleared afterwards.  With --window this is
       called for every window of references, else once per pass. */
    enum margay_status (*end)(void *context, const struct analysis_pass *pass,
                              struct margay_error *error);
    /* All of `count` passes, with the results of the first `references`
       references; the analysis goes on. */
    enum margay_status (*snapshot)(void *context,
                                   const struct analysis_pass *passes,
                                   size_t count, uint64_t references,
                                   struct margay_error *error);
};

/*
 * Analyse all traces of the command line.  Where neither batch() nor chunk()
 * is there, traces are read and begun at the same time as others; they always
 * end one after the other, in their order.  A signal that asks for an end
 * makes it stop reading, end the passes of the traces it is at as they stand,
 * and return MARGAY_OK.
 */
enum margay_status analysis_run(const struct options *options,
                                const struct analysis_hooks *hooks,
                                void *context, struct margay_error *error);

#endif
