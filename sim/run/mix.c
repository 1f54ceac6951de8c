/* mix.c - several traces that are read as one */
#include "sim/run/mix.h"

#include <inttypes.h>
#include <stdlib.h>

#include "traces/traces_internal.h"

/* References of a batch. */
#define MIX_REFS 4096

/* The lowest bit of the trace's number in a byte address, and how many. */
#define CORE_SHIFT  48
#define MOST_TRACES 2048

struct source {
    margay_trace *trace;
    const char *name;
    struct margay_batch batch;
    size_t done; /* of the batch */
    bool ended;
};

struct margay_mix {
    const struct margay_mix_options *options;
    enum margay_straddle straddle;
    struct source *sources;
    size_t count, turn; /* whose turn it is */
    uint64_t left;      /* of that turn, */
    bool begins;        /* of which nothing has been read yet */
    uint64_t warmup_refs, given_refs;
    unsigned wanted_kinds, wanted_ops;
    unsigned shift; /* of the number of the trace, in numbers */
    /* The columns of a batch, and which of them some trace has. */
    size_t references;
    unsigned columns;
#define MARGAY_COLUMN(name, NAME, bit, type, words) type name[MIX_REFS];
#include <margay/columns.def>
};

/* -------------------------------------------------------------- opening -- */

/* Do the numbers of a trace mean what those of the first do? */
static enum margay_status check_alike(const struct margay_mix *mix,
                                      const struct source *source,
                                      struct margay_error *error)
{
    const struct margay_trace_facts *first = margay_trace_facts(
                                        mix->sources[0].trace),
                                    *trace = margay_trace_facts(source->trace);
    bool splits = mix->straddle != MARGAY_STRADDLE_USUAL ||
                  first->splits == trace->splits;
    if (first->numbers != trace->numbers ||
        first->unit_bytes != trace->unit_bytes)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: numbers of %" PRIu64 " bytes, and %s has "
                           "those of %" PRIu64 ", expected the same in a mix "
                           "(0 = unknown; say --unit BYTES)",
                           source->name, trace->unit_bytes,
                           mix->sources[0].name, first->unit_bytes);
    if (trace->format->sampled != first->format->sampled)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "%s and %s: one holds samples, and the other all references",
            source->name, mix->sources[0].name);
    return splits ? MARGAY_OK
                  : margay_fail(error, MARGAY_BAD_ARGUMENT,
                                "%s: references are usually split at blocks "
                                "in one of the formats %s and %s, expected "
                                "--straddle for both",
                                source->name, first->format->name,
                                trace->format->name);
}

enum margay_status margay_mix_create(const struct margay_request *request,
                                     uint64_t warmup_refs,
                                     struct margay_mix **mix,
                                     struct margay_error *error)
{
    *mix = NULL;
    if (request->trace_count > MOST_TRACES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a mix of %zu traces, expected at most %d",
                           request->trace_count, MOST_TRACES);
    struct margay_mix *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->sources = calloc(request->trace_count, sizeof *made->sources);
    if (made == NULL || made->sources == NULL) {
        free(made);
        return margay_fail_memory(error, "a mix of traces");
    }
    made->options = request->mix;
    made->straddle = request->straddle;
    made->warmup_refs = warmup_refs;
    made->wanted_kinds = request->reading.kinds;
    made->wanted_ops = request->reading.ops;
    made->columns = MARGAY_COLUMN_THREADS;
    *mix = made;
    return MARGAY_OK;
}

enum margay_status margay_mix_add(struct margay_mix *mix, const char *name,
                                  margay_trace *trace,
                                  struct margay_error *error)
{
    struct source *source = &mix->sources[mix->count];
    const struct margay_trace_facts *facts = margay_trace_facts(trace);
    uint64_t unit = facts->unit_bytes;
    *source = (struct source){.trace = trace, .name = name};
    mix->turn = mix->count++; /* whose turn has ended, before the first's */
    mix->shift = CORE_SHIFT - (unit < 2 ? 0 : margay_log2_floor(unit));
    mix->columns |= facts->columns;
    return check_alike(mix, source, error);
}

const margay_trace *margay_mix_trace(const struct margay_mix *mix, size_t index)
{
    return mix->sources[index].trace;
}

uint64_t margay_mix_given(const struct margay_mix *mix)
{
    return mix->given_refs;
}

void margay_mix_free(struct margay_mix *mix)
{
    for (size_t i = 1; mix != NULL && i < mix->count; i++)
        margay_trace_free(mix->sources[i].trace);
    if (mix != NULL)
        free(mix->sources);
    free(mix);
}

/* -------------------------------------------------------------- reading -- */

/* Have a reference of a trace at hand, if there is one left. */
static enum margay_status provide(struct source *source, int wait_ms,
                                  struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    while (!source->ended && source->done == source->batch.references &&
           status == MARGAY_OK) {
        source->done = 0;
        source->batch.references = 0;
        status =
            margay_trace_next(source->trace, wait_ms, &source->batch, error);
        source->ended = status == MARGAY_END;
    }
    return source->ended ? MARGAY_OK : status;
}

/* The trace whose reference is next; the number of traces: all have ended. */
static enum margay_status choose(struct margay_mix *mix, int wait_ms,
                                 size_t *next, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *next = mix->count;
    if (mix->options->by_time) {
        for (size_t i = 0; i < mix->count && status == MARGAY_OK; i++) {
            const struct source *source = &mix->sources[i];
            const struct source *best = &mix->sources[*next % mix->count];
            status = provide(&mix->sources[i], wait_ms, error);
            if (status == MARGAY_OK && !source->ended &&
                (*next == mix->count || source->batch.times[source->done] <
                                            best->batch.times[best->done]))
                *next = i;
        }
        return status;
    }
    for (size_t i = 0; i <= mix->count && status == MARGAY_OK; i++) {
        struct source *source = &mix->sources[mix->turn];
        status = provide(source, wait_ms, error);
        bool goes_on = status == MARGAY_OK && !source->ended && mix->left > 0;
        if (goes_on && mix->options->by_instructions && !mix->begins)
            goes_on = source->batch.kinds[source->done] != MARGAY_FETCH;
        if (goes_on) {
            mix->left -= !mix->options->by_instructions;
            mix->begins = false;
            *next = mix->turn;
            return MARGAY_OK;
        }
        if (status == MARGAY_OK) {
            mix->turn = (mix->turn + 1) % mix->count;
            mix->left = mix->options->turn_refs;
            mix->begins = true;
        }
    }
    return status;
}

/* Append the next reference of a trace, if it is wanted.  Missing columns are
   0, which is a read and a get, and the extent is 1. */
static void append(struct margay_mix *mix, size_t core)
{
    struct source *source = &mix->sources[core];
    const struct margay_batch *from = &source->batch;
    size_t i = source->done++, to = mix->references;
    uint64_t apart = mix->options->apart ? core : 0;
#define MARGAY_COLUMN(name, NAME, bit, type, words) \
    mix->name[to] = from->name == NULL ? 0 : from->name[i];
#include <margay/columns.def>
    mix->numbers[to] ^= apart << mix->shift;
    mix->sites[to] ^= apart << CORE_SHIFT;
    mix->requests[to] ^= (uint64_t)core << CORE_SHIFT;
    mix->threads[to] = (uint32_t)core;
    if (from->extents == NULL)
        mix->extents[to] = 1;
    mix->references += mix->wanted_kinds >> mix->kinds[to] &
                       mix->wanted_ops >> mix->ops[to] & 1;
}

enum margay_status margay_mix_next(struct margay_mix *mix, uint64_t most,
                                   int wait_ms, struct margay_batch *batch,
                                   struct margay_error *error)
{
    bool warmup = mix->warmup_refs > 0;
    most = margay_minimum(most, warmup ? mix->warmup_refs : MIX_REFS);
    most = margay_minimum(most, MIX_REFS);
    enum margay_status status = MARGAY_OK;
    uint64_t read_refs = 0;
    mix->references = 0;
    for (size_t next; read_refs < most && status == MARGAY_OK;) {
        status = choose(mix, wait_ms, &next, error);
        if (status == MARGAY_OK && next == mix->count)
            status = MARGAY_END;
        if (status == MARGAY_OK) {
            append(mix, next);
            read_refs++;
        }
    }
    if (status != MARGAY_OK &&
        (read_refs == 0 || (status != MARGAY_AGAIN && status != MARGAY_END)))
        return status;
    mix->given_refs += read_refs;
    mix->warmup_refs -= warmup ? read_refs : 0;
    *batch =
        (struct margay_batch){.references = mix->references, .warmup = warmup};
#define MARGAY_COLUMN(name, NAME, bit, type, words) \
    batch->name = mix->columns & 1u << (bit) ? mix->name : NULL;
#include <margay/columns.def>
    batch->numbers = mix->numbers;
    return MARGAY_OK;
}
