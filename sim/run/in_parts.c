/*
 * in_parts.c - a file in parts, each read and analysed by a thread
 *
 * Each thread reads its part straight from the file.  When all have been read,
 * the first touches of each part are looked up in those before it
 * (stackdist/parts), and the parts are put together in their order.
 */
#include <stdlib.h>

#include "sim/run/running.h"
#include "sim/run/spans.h"

/* References from places all over a file are read before it is analysed, so
   that tables can be made for as many blocks as there will be.  The sample is
   made of runs of references, each from anywhere in a part of its own: the
   more, the better, but each costs what its decoding costs. */
#define SAMPLE_REFS        ((size_t)32768)
#define SAMPLE_PLACES      ((size_t)64)
#define SAMPLE_MOST_PLACES ((size_t)1024) /* of records */

struct block_sample {
    uint64_t numbers[SAMPLE_REFS];
    size_t count, run_refs;
};

/* Each part has tables of its own.  Blocks in all of them, that is, half a
   gigabyte, unless those of the trace are a quarter of that already. */
#define MOST_BLOCKS   ((uint64_t)1 << 24)
#define MOST_REPEATED 4

/* The part of one thread. */
struct part {
    uint64_t first, count; /* references of the file, or its bytes */
    atomic_uint_fast64_t fed_refs;
    uint64_t read_refs; /* with those of kinds that are left out */
    bool complete;
    enum margay_status status;
    struct margay_error error;
    struct margay_span_store store;
};

struct parts {
    struct margay_running *running;
    struct margay_engine_recipe recipes[MARGAY_MOST_BLOCK_SIZES];
    /* The wanted references of the file or, where these are not counted, the
       bytes of lines; and the number of references, perhaps an estimate. */
    uint64_t first, length;
    uint64_t refs;
    struct block_sample sample;
    unsigned count;
    atomic_uint failed; /* the first part known to have failed, or `count` */
    struct part *parts;
    struct margay_row *rows; /* one per pass */
};

/* -------------------------------------------------- how many parts -- */

/* The amount of work, and a sample of it: a run of references, or bytes, from
   each of some places.  Where the trace cannot be read, the sample ends: the
   error is found when all is read. */
static void measure(struct parts *parts)
{
    const struct margay_running *running = parts->running;
    struct block_sample *sample = &parts->sample;
    struct margay_random random;
    size_t places =
        running->facts.has_records ? SAMPLE_MOST_PLACES : SAMPLE_PLACES;
    uint64_t run = SAMPLE_REFS / places, refs;
    parts->refs = running->facts.refs;
    if (running->facts.by_lines) {
        margay_trace_known_lines(running->trace, &parts->length, &refs);
        run *= parts->length / parts->refs;
    } else {
        margay_running_range(running, &parts->first, &parts->length);
    }
    uint64_t stratum = parts->length / places;
    margay_range *range = NULL;
    margay_random_seed(&random, parts->recipes[0].seed);
    sample->run_refs = SAMPLE_REFS / places;
    for (size_t i = 0; i < places; i++) {
        uint64_t at = parts->first + stratum * i +
                      margay_random_below(&random, stratum - run);
        struct margay_batch batch = {.references = 0};
        if (margay_trace_range(running->trace, at, run, &range, NULL) !=
            MARGAY_OK)
            break;
        if (margay_range_next(range, &batch, NULL) != MARGAY_OK)
            batch.references = 0;
        for (size_t k = 0; k < batch.references && sample->count < SAMPLE_REFS;
             k++)
            sample->numbers[sample->count++] = batch.numbers[k];
    }
    margay_range_free(range);
}

/* The blocks of pass `i` that are expected among `refs` references. */
static uint64_t expect_blocks(const struct parts *parts, size_t i,
                              uint64_t refs)
{
    const struct block_sample *sample = &parts->sample;
    uint64_t blocks[SAMPLE_REFS];
    for (size_t k = 0; k < sample->count; k++)
        blocks[k] = sample->numbers[k] >> parts->running->passes[i].shift;
    return margay_expect_blocks(blocks, sample->count, sample->run_refs, refs);
}

/* Two parts at least, if there may be two, and more as long as their tables are
   no burden. */
static void choose_count(struct parts *parts)
{
    parts->count = parts->running->plan.most_parts;
    if (parts->count <= 2)
        return;
    uint64_t most = margay_maximum(
        MOST_BLOCKS, MOST_REPEATED * expect_blocks(parts, 0, parts->refs));
    while (parts->count > 2 &&
           parts->count * expect_blocks(parts, 0, parts->refs / parts->count) >
               most)
        parts->count--;
}

/* ------------------------------------------------------------ one part -- */

/* An earlier part that has failed makes this one worthless. */
static bool is_over(struct parts *parts, unsigned i)
{
    return margay_running_is_over(parts->running) ||
           atomic_load(&parts->failed) < i;
}

/* Count what has been fed; the thread of the first part shows the sum of
   all. */
static void note_fed(struct parts *parts, unsigned i, uint64_t refs)
{
    uint64_t sum = 0;
    atomic_fetch_add_explicit(&parts->parts[i].fed_refs, refs,
                              memory_order_relaxed);
    for (unsigned k = 0; i == 0 && k < parts->count; k++)
        sum += atomic_load_explicit(&parts->parts[k].fed_refs,
                                    memory_order_relaxed);
    if (i == 0)
        margay_running_show(parts->running, sum);
}

/* Note how the reading of a part ended.  The first part that failed counts. */
static void end_part(struct parts *parts, unsigned i, enum margay_status status)
{
    struct part *part = &parts->parts[i];
    part->complete = status == MARGAY_END;
    part->status = status == MARGAY_END ? MARGAY_OK : status;
    unsigned failed = atomic_load(&parts->failed);
    while (part->status != MARGAY_OK && i < failed &&
           !atomic_compare_exchange_weak(&parts->failed, &failed, i))
        ;
}

/* Take the next references of a part, after the first `done` of a batch. */
static enum margay_status take_next(const struct parts *parts,
                                    margay_range *range,
                                    struct margay_batch *batch, size_t *done,
                                    struct margay_batch *some,
                                    struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (*done == batch->references) {
        *done = 0;
        status = margay_range_next(range, batch, error);
    }
    if (status == MARGAY_OK)
        status = margay_running_take(parts->running, batch, *done, UINT64_MAX,
                                     some, error);
    if (status == MARGAY_OK)
        *done += some->references;
    return status;
}

/* A task: part i.  Its engines note first touches themselves, so that they are
   fed as any other. */
static void read_part(void *context, size_t i)
{
    struct parts *parts = context;
    const struct margay_running *running = parts->running;
    struct part *part = &parts->parts[i];
    struct margay_error *error = &part->error;
    struct margay_batch batch = {.references = 0}, some;
    size_t done = 0;
    margay_range *range = NULL;
    enum margay_status status = margay_trace_range(running->trace, part->first,
                                                   part->count, &range, error);
    while (status == MARGAY_OK && !is_over(parts, (unsigned)i)) {
        status = take_next(parts, range, &batch, &done, &some, error);
        for (size_t k = 0; k < running->pass_count && status == MARGAY_OK;
             k++) {
            const margay_engine *engine = parts->rows[k].parts[i].engine;
            struct margay_span_walk walk = {
                .batch = &some,
                .shift = running->passes[k].shift,
                .splits = running->passes[k].splits,
                .store = &part->store,
            };
            struct margay_span span;
            while (margay_span_next(&walk, &span, error))
                walk.status = engine->class->feed(engine->state, span.blocks,
                                                  span.count, NULL, error);
            status = walk.status;
        }
        if (status == MARGAY_OK)
            note_fed(parts, (unsigned)i, some.references);
    }
    part->read_refs = range != NULL && margay_running_leaves_out(running)
                          ? margay_range_given(range)
                          : part->fed_refs;
    margay_range_free(range);
    end_part(parts, (unsigned)i, status);
}

/* ----------------------------------------------------------- all parts -- */

static enum margay_status begin_rows(struct parts *parts, margay_crew *crew,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    uint64_t refs = parts->refs / parts->count;
    for (size_t k = 0; k < parts->running->pass_count && status == MARGAY_OK;
         k++) {
        const struct margay_engine_recipe *recipe = &parts->recipes[k];
        const struct margay_engine_options options = {
            .seed = recipe->seed,
            .threads = 1,
            .bound_blocks = recipe->bound_blocks,
        };
        const struct margay_part_setup setup = {
            .spec = recipe->spec,
            .options = &options,
            .first = true,
            .refs = refs,
            .expected_blocks = expect_blocks(parts, k, refs),
        };
        status = margay_row_begin(&parts->rows[k], &setup, parts->count, crew,
                                  error);
    }
    return status;
}

/* Parts up to the first that is not complete make a whole. */
static enum margay_status count_usable(struct parts *parts, unsigned *usable,
                                       struct margay_error *error)
{
    struct margay_running *running = parts->running;
    for (*usable = 0; *usable < parts->count && !running->interrupted;) {
        const struct part *part = &parts->parts[(*usable)++];
        if (part->status != MARGAY_OK) {
            *error = part->error;
            return part->status;
        }
        running->read_refs += part->read_refs;
        running->counted_refs += part->fed_refs;
        running->interrupted = !part->complete;
    }
    return MARGAY_OK;
}

static enum margay_status finish_passes(struct parts *parts, unsigned usable,
                                        struct margay_error *error)
{
    struct margay_running *running = parts->running;
    enum margay_status status = MARGAY_OK;
    for (size_t k = 0; k < running->pass_count && status == MARGAY_OK; k++) {
        struct margay_pass *pass = &running->passes[k];
        struct margay_result result = {.histogram = NULL};
        status = margay_row_close(&parts->rows[k], usable, error);
        if (status == MARGAY_OK)
            status = margay_row_finish(&parts->rows[k], &result, error);
        pass->fed_refs = result.references;
        pass->seconds = margay_running_seconds(running);
        running->analyses[k]->functions->adopt(running->analyses[k], &result);
    }
    return status;
}

/* Lend the engines, measure the work, and divide it. */
static enum margay_status make_parts(struct parts *parts,
                                     struct margay_error *error)
{
    struct margay_running *running = parts->running;
    for (size_t k = 0; k < running->pass_count; k++)
        running->analyses[k]->functions->lend(running->analyses[k],
                                              &parts->recipes[k]);
    measure(parts);
    choose_count(parts);
    parts->parts = calloc(parts->count, sizeof *parts->parts);
    parts->rows = calloc(running->pass_count, sizeof *parts->rows);
    if (parts->parts == NULL || parts->rows == NULL)
        return margay_fail_memory(error, "the parts of a trace");
    uint64_t each = parts->length / parts->count;
    for (unsigned i = 0; i < parts->count; i++) {
        parts->parts[i].first = parts->first + each * i;
        parts->parts[i].count = each;
    }
    /* The part with the last references of the file looks at its end, too. */
    struct part *last = &parts->parts[parts->count - 1];
    last->count = parts->first + parts->length - last->first;
    if (running->request->reading.limit_refs > parts->length)
        last->count = UINT64_MAX;
    atomic_store(&parts->failed, parts->count);
    return MARGAY_OK;
}

enum margay_status margay_read_in_parts(struct margay_running *running,
                                        struct margay_error *error)
{
    struct parts *parts = calloc(1, sizeof *parts);
    margay_crew *crew = NULL;
    unsigned usable;
    if (parts == NULL)
        return margay_fail_memory(error, "the parts of a trace");
    parts->running = running;
    enum margay_status status = make_parts(parts, error);
    if (status == MARGAY_OK)
        status = margay_crew_create(parts->count, &crew, error);
    if (status == MARGAY_OK)
        status = begin_rows(parts, crew, error);
    if (status == MARGAY_OK) {
        margay_crew_run(crew, read_part, parts, parts->count);
        status = count_usable(parts, &usable, error);
    }
    if (status == MARGAY_OK)
        status = finish_passes(parts, usable, error);
    margay_crew_free(crew);
    for (size_t k = 0; parts->rows != NULL && k < running->pass_count; k++)
        margay_row_free(&parts->rows[k]);
    for (unsigned i = 0; parts->parts != NULL && i < parts->count; i++)
        margay_span_store_clear(&parts->parts[i].store);
    free(parts->rows);
    free(parts->parts);
    free(parts);
    return status;
}
