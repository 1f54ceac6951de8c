/* parts.c - one trace in parts, read and analysed at the same time */
#include "sim/parts.h"

#include <stdlib.h>

#include "sim/batch_part.h"
#include "stackdist/stackdist_internal.h"
#include "traces/traces_internal.h"

/* Fewer references are analysed before other threads have begun. */
#define LEAST_PART_REFS ((uint64_t)1 << 18)

/* Each part has tables of its own.  Blocks in all of them, that is, half a
   gigabyte, unless those of the trace are a quarter of that already. */
#define MOST_BLOCKS   ((uint64_t)1 << 24)
#define MOST_REPEATED 4

/* Block references made at a time. */
#define CHUNK_REFS 8192

/* References to judge by how many blocks there will be. */
#define SAMPLE_RUNS     64
#define SAMPLE_RUN_REFS 512

struct parts;

/* What one thread knows of its part. */
struct part {
    uint64_t first, count; /* references of the file */
    atomic_uint_fast64_t shown_refs;
    uint64_t read_refs;
    bool cut; /* after them comes a part of another */
    bool complete;
    enum margay_status status;
    struct margay_error error;
    uint64_t blocks[CHUNK_REFS];
};

struct parts {
    struct trace_run *run;
    uint64_t first, refs; /* of the file, all that are wanted */
    uint64_t sample[SAMPLE_RUNS * SAMPLE_RUN_REFS]; /* numbers */
    size_t sampled;
    unsigned count;
    atomic_uint failed; /* the first part known to have failed, or `count` */
    struct part *parts;
    struct margay_row *rows; /* one per pass */
};

/* ---------------------------------------------------------- whether to -- */

/* The references that are wanted, if they can be counted. */
static bool count_refs(const struct trace_run *run, uint64_t *first,
                       uint64_t *count)
{
    const struct options *options = run->options;
    uint64_t refs;
    if (!margay_trace_known_references(run->trace, &refs))
        return false;
    *first = options->skip_refs < refs ? options->skip_refs : refs;
    *count = refs - *first;
    if (options->limit_refs < *count)
        *count = options->limit_refs;
    return true;
}

/* Parts that are long enough, for threads that no other block size needs. */
static unsigned most_parts(const struct trace_run *run, uint64_t count)
{
    uint64_t parts = count / LEAST_PART_REFS;
    if (parts > run->threads / run->pass_count)
        parts = run->threads / run->pass_count;
    return parts < MARGAY_ROW_MAX_PARTS ? (unsigned)parts
                                        : MARGAY_ROW_MAX_PARTS;
}

bool parts_wanted(const struct trace_run *run)
{
    const struct options *options = run->options;
    const struct analysis_hooks *hooks = run->hooks;
    uint64_t first, count;
    if (hooks->no_engine || hooks->batch != NULL || hooks->chunk != NULL ||
        hooks->wants_distances || options->measure != MARGAY_REUSE_DISTANCES)
        return false;
    /* What wants to see the trace in its order, or threads to work as told. */
    if (options->window_refs != 0 || options->every.refs != 0 ||
        options->every.seconds != 0 || options->save != NULL ||
        options->resume != NULL || options->warmup_refs != 0 ||
        options->chunk_refs != 0 || options->phase_refs != 0)
        return false;
    for (size_t i = 0; i < run->pass_count; i++) {
        if (!margay_row_takes(run->passes[i].engine))
            return false;
    }
    return count_refs(run, &first, &count) && most_parts(run, count) > 1 &&
           trace_run_has_ranges(run);
}

/* ---------------------------------------------------------- the sample -- */

/* Each reference by itself, as many as have room. */
static void keep_sample(struct parts *parts, const struct margay_batch *batch)
{
    const size_t most = sizeof parts->sample / sizeof *parts->sample;
    for (size_t i = 0; i < batch->references; i++) {
        uint32_t count = batch->counts == NULL ? 1 : batch->counts[i];
        for (uint32_t k = 0; k < count && parts->sampled < most; k++)
            parts->sample[parts->sampled++] = batch->numbers[i];
    }
}

/* A few runs of references from places all over the trace. */
static void take_sample(struct parts *parts)
{
    struct trace_run *run = parts->run;
    struct margay_random random;
    margay_random_seed(&random, run->options->seed);
    for (size_t i = 0; i < SAMPLE_RUNS; i++) {
        uint64_t at =
            parts->first +
            margay_random_below(&random, parts->refs - SAMPLE_RUN_REFS);
        struct margay_batch batch;
        margay_range *range;
        /* What is wrong will be found when all is read. */
        if (margay_trace_range(run->trace, at, SAMPLE_RUN_REFS, &range, NULL) !=
            MARGAY_OK)
            return;
        if (margay_range_next(range, &batch, NULL) == MARGAY_OK)
            keep_sample(parts, &batch);
        margay_range_free(range);
    }
}

/* The blocks of a pass that so many of the references have, by the sample. */
static uint64_t expect_blocks(const struct parts *parts,
                              const struct analysis_pass *pass, uint64_t refs)
{
    uint64_t blocks[SAMPLE_RUNS * SAMPLE_RUN_REFS];
    for (size_t i = 0; i < parts->sampled; i++)
        blocks[i] = parts->sample[i] >> pass->shift;
    uint64_t expected = margay_footprint_expect(blocks, parts->sampled, refs);
    return pass->bound_blocks != 0 && expected > pass->bound_blocks
               ? pass->bound_blocks
               : expected;
}

/* Two parts at least, and more as long as their tables are no burden. */
static void choose_count(struct parts *parts)
{
    const struct analysis_pass *pass = &parts->run->passes[0];
    parts->count = most_parts(parts->run, parts->refs);
    if (parts->count == 2)
        return;
    uint64_t most = MOST_REPEATED * expect_blocks(parts, pass, parts->refs);
    if (most < MOST_BLOCKS)
        most = MOST_BLOCKS;
    while (parts->count > 2 &&
           parts->count *
                   expect_blocks(parts, pass, parts->refs / parts->count) >
               most)
        parts->count--;
}

/* ------------------------------------------------------------ one part -- */

static enum margay_status feed_pass(struct parts *parts, unsigned i,
                                    size_t pass_index,
                                    const struct margay_batch *batch,
                                    struct margay_error *error)
{
    struct margay_row *row = &parts->rows[pass_index];
    const struct analysis_pass *pass = &parts->run->passes[pass_index];
    uint64_t *blocks = parts->parts[i].blocks;
    bool split = pass->split && batch->extents != NULL;
    struct margay_block_cursor cursor = {0, 0};
    enum margay_status status = MARGAY_OK;
    size_t count;
    /* As in feeding.c. */
    if (batch->counts != NULL)
        margay_row_add_repeats(
            row, i, margay_batch_references(batch) - batch->references);
    if (pass->shift == 0 && !split)
        return margay_row_feed(row, i, batch->numbers, batch->references,
                               error);
    while (status == MARGAY_OK &&
           (count = margay_batch_blocks(batch, pass->shift, split, &cursor,
                                        blocks, NULL, CHUNK_REFS)) > 0)
        status = margay_row_feed(row, i, blocks, count, error);
    return status;
}

/* An earlier part that has failed makes this one worthless. */
static bool is_over(struct parts *parts, unsigned i)
{
    return trace_run_is_over(parts->run) || atomic_load(&parts->failed) < i;
}

static uint64_t sum_shown(struct parts *parts)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < parts->count; i++)
        sum += atomic_load_explicit(&parts->parts[i].shown_refs,
                                    memory_order_relaxed);
    return sum;
}

/* As in trace_run.c, where there is nothing to stop at. */
static enum margay_status feed_batch(struct parts *parts, unsigned i,
                                     const struct margay_batch *batch)
{
    struct part *part = &parts->parts[i];
    struct batch_pieces pieces = trace_run_pieces(parts->run, batch);
    uint64_t shown = part->shown_refs;
    struct margay_batch piece;
    enum margay_status status = MARGAY_OK;
    while (status == MARGAY_OK && batch_pieces_next(&pieces, &piece)) {
        for (size_t k = 0; k < parts->run->pass_count && status == MARGAY_OK;
             k++)
            status = feed_pass(parts, i, k, &piece, &part->error);
        atomic_store_explicit(&part->shown_refs, shown + pieces.blocks,
                              memory_order_relaxed);
        if (i == 0)
            trace_run_show_progress(parts->run, sum_shown(parts));
        if (is_over(parts, i))
            break;
    }
    const struct margay_batch whole = batch_part(batch, 0, pieces.done);
    part->read_refs += margay_batch_references(&whole);
    part->cut = pieces.done_numbers > 0;
    return status;
}

static enum margay_status read_range(struct parts *parts, unsigned i,
                                     margay_range *range)
{
    struct part *part = &parts->parts[i];
    enum margay_status status = MARGAY_OK;
    while (status == MARGAY_OK && !is_over(parts, i)) {
        struct margay_batch batch;
        status = margay_range_next(range, &batch, &part->error);
        if (status == MARGAY_OK)
            status = feed_batch(parts, i, &batch);
    }
    return status;
}

/* A task: part i. */
static void read_part(void *context, size_t i)
{
    struct parts *parts = context;
    struct part *part = &parts->parts[i];
    margay_range *range;
    enum margay_status status = margay_trace_range(
        parts->run->trace, part->first, part->count, &range, &part->error);
    if (status == MARGAY_OK)
        status = read_range(parts, (unsigned)i, range);
    margay_range_free(range);
    part->complete = status == MARGAY_END;
    part->status = status == MARGAY_END ? MARGAY_OK : status;
    unsigned failed = atomic_load(&parts->failed);
    while (part->status != MARGAY_OK && i < failed &&
           !atomic_compare_exchange_weak(&parts->failed, &failed, (unsigned)i))
        ;
}

/* ----------------------------------------------------------- all parts -- */

static void divide(struct parts *parts)
{
    uint64_t each = parts->refs / parts->count;
    for (unsigned i = 0; i < parts->count; i++) {
        parts->parts[i].first = parts->first + each * i;
        parts->parts[i].count = each;
    }
    /* Whoever has the last references of the file looks at its end, too. */
    struct part *last = &parts->parts[parts->count - 1];
    last->count = parts->first + parts->refs - last->first;
    if (parts->run->options->limit_refs > parts->refs)
        last->count = UINT64_MAX;
}

static enum margay_status begin_rows(struct parts *parts, margay_crew *crew,
                                     struct margay_error *error)
{
    struct trace_run *run = parts->run;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < run->pass_count && status == MARGAY_OK; i++) {
        const struct margay_engine_options options = {
            .seed = run->options->seed,
            .threads = 1,
            .bound_blocks = run->passes[i].bound_blocks,
        };
        const struct margay_part_setup setup = {
            .spec = run->options->engine,
            .options = &options,
            .first = true,
            .refs = parts->parts[0].count,
            .expected_blocks =
                expect_blocks(parts, &run->passes[i], parts->parts[0].count),
        };
        status = margay_row_begin(&parts->rows[i], &setup, parts->count, crew,
                                  error);
    }
    return status;
}

/* Parts up to the first that is not complete make a whole. */
static enum margay_status count_usable(struct parts *parts, unsigned *usable,
                                       struct margay_error *error)
{
    struct trace_run *run = parts->run;
    for (*usable = 0; *usable < parts->count && !run->interrupted;) {
        const struct part *part = &parts->parts[(*usable)++];
        if (part->status != MARGAY_OK) {
            *error = part->error;
            return part->status;
        }
        run->read_refs += part->read_refs;
        run->interrupted = !part->complete;
        run->cut = part->cut;
    }
    run->counted_refs = run->read_refs;
    return MARGAY_OK;
}

static enum margay_status finish_passes(struct parts *parts, unsigned usable,
                                        struct margay_error *error)
{
    struct trace_run *run = parts->run;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < run->pass_count && status == MARGAY_OK; i++) {
        struct analysis_pass *pass = &run->passes[i];
        status = margay_row_close(&parts->rows[i], usable, error);
        if (status == MARGAY_OK)
            status = margay_row_finish(&parts->rows[i], &pass->result, error);
        pass->fed_refs = pass->result.references;
        pass->seconds = progress_seconds(&run->progress);
    }
    return status;
}

static enum margay_status read_parts(struct parts *parts, margay_crew *crew,
                                     struct margay_error *error)
{
    unsigned usable;
    enum margay_status status = begin_rows(parts, crew, error);
    if (status != MARGAY_OK)
        return status;
    atomic_store(&parts->failed, parts->count);
    margay_crew_start(crew, read_part, parts, parts->count);
    margay_crew_finish(crew);
    status = count_usable(parts, &usable, error);
    return status == MARGAY_OK ? finish_passes(parts, usable, error) : status;
}

/* The engines of the passes were for what can be known to fail beforehand. */
static void free_engines(struct trace_run *run)
{
    for (size_t i = 0; i < run->pass_count; i++) {
        margay_engine_free(run->passes[i].engine);
        run->passes[i].engine = NULL;
    }
}

static enum margay_status make_parts(struct parts *parts,
                                     struct margay_error *error)
{
    count_refs(parts->run, &parts->first, &parts->refs);
    take_sample(parts);
    choose_count(parts);
    parts->parts = calloc(parts->count, sizeof *parts->parts);
    parts->rows = calloc(parts->run->pass_count, sizeof *parts->rows);
    if (parts->parts == NULL || parts->rows == NULL)
        return margay_fail_memory(error, "the parts of a trace");
    divide(parts);
    return MARGAY_OK;
}

static void free_parts(struct parts *parts)
{
    for (size_t i = 0; parts->rows != NULL && i < parts->run->pass_count; i++)
        margay_row_free(&parts->rows[i]);
    free(parts->rows);
    free(parts->parts);
    free(parts);
}

enum margay_status parts_read(struct trace_run *run, struct margay_error *error)
{
    struct parts *parts = calloc(1, sizeof *parts);
    margay_crew *crew = NULL;
    if (parts == NULL)
        return margay_fail_memory(error, "the parts of a trace");
    parts->run = run;
    free_engines(run);
    enum margay_status status = make_parts(parts, error);
    if (status == MARGAY_OK)
        status = margay_crew_create(parts->count, &crew, error);
    if (status == MARGAY_OK)
        status = read_parts(parts, crew, error);
    margay_crew_free(crew);
    free_parts(parts);
    return status;
}
