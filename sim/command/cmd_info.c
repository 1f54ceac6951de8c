/* cmd_info.c - margay info */
#include <stdlib.h>

#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/result/tables.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

/* Blocks that the engine is fed at once. */
#define CHUNK_REFS 8192

/* Of whole references. */
struct survey {
    margay_analysis analysis;
    margay_engine *engine;          /* counts the distinct blocks */
    uint64_t distinct_blocks;       /* set in the end */
    uint64_t of_kind[MARGAY_KINDS]; /* block references */
    uint64_t lowest, highest;       /* numbers as read; empty: low > high */
};

static struct survey *self(margay_analysis *analysis)
{
    return (struct survey *)analysis;
}

static void note_range(struct survey *survey, const struct margay_span *span,
                       const uint32_t *extents)
{
    uint64_t lowest = survey->lowest, highest = survey->highest;
    for (size_t i = 0; i < span->count; i++) {
        uint64_t first = span->blocks[i], last = first;
        if (extents != NULL && extents[i] == 0)
            continue;
        if (extents != NULL)
            last = margay_extent_last(first, extents[i]);
        lowest = first < lowest ? first : lowest;
        highest = last > highest ? last : highest;
    }
    survey->lowest = lowest;
    survey->highest = highest;
}

/* A reference counts once for each block. */
static void count_kinds(struct survey *survey, const struct margay_pass *pass,
                        const struct margay_span *span, const uint32_t *extents)
{
    for (size_t i = 0; i < span->count; i++) {
        uint64_t refs = 1;
        if (extents != NULL)
            refs =
                margay_extent_blocks(span->blocks[i], extents[i], pass->shift);
        survey->of_kind[span->kinds == NULL ? MARGAY_READ : span->kinds[i]] +=
            refs;
    }
}

static enum margay_status feed(margay_analysis *analysis,
                               const struct margay_span *span,
                               struct margay_error *error)
{
    struct survey *survey = self(analysis);
    const struct margay_pass *pass = analysis->pass;
    const uint32_t *extents = pass->splits ? span->extents : NULL;
    const struct margay_batch batch = {
        .references = span->count,
        .numbers = span->blocks,
        .extents = extents,
    };
    uint64_t blocks[CHUNK_REFS];
    struct margay_block_cursor cursor = {0, 0};
    enum margay_status status = MARGAY_OK;
    size_t count;
    note_range(survey, span, extents);
    count_kinds(survey, pass, span, extents);
    while (status == MARGAY_OK &&
           (count = margay_batch_blocks(&batch, pass->shift, pass->splits,
                                        &cursor, blocks, NULL, CHUNK_REFS)) > 0)
        status = margay_engine_feed(survey->engine, blocks, count, NULL, error);
    return status;
}

static enum margay_status finish(margay_analysis *analysis,
                                 struct margay_error *error)
{
    struct survey *survey = self(analysis);
    struct margay_result result;
    enum margay_status status =
        margay_engine_finish(survey->engine, &result, error);
    if (status == MARGAY_OK)
        survey->distinct_blocks = result.distinct_blocks;
    margay_result_clear(&result);
    return status;
}

static void free_survey(margay_analysis *analysis)
{
    margay_engine_free(self(analysis)->engine);
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct survey *survey = self(analysis);
    struct margay_engine_options engine = MARGAY_ENGINE_OPTIONS_DEFAULT;
    survey->lowest = UINT64_MAX;
    engine.threads = share->threads;
    return margay_engine_create("exact", &engine, &survey->engine, error);
}

static enum margay_status open_survey(void *context, margay_question **question,
                                      struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct survey),
        .begin = begin,
        .feed = feed,
        .finish = finish,
        .free = free_survey,
    };
    static const margay_question kind = {
        .functions = &functions,
        .can = {.uses = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS,
                .references = true},
        .name = "the survey",
    };
    return drive_question(&kind, context, question, error);
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct csv_writer *csv = context;
    const struct survey *survey = self(job->analyses[0]);
    bool any = survey->lowest <= survey->highest;
    (void)error;
    if (csv->json)
        csv_text(csv, pass->trace);
    csv_text(csv, pass->format->name);
    csv_u64(csv, of_all_kinds(survey->of_kind));
    csv_u64(csv, survey->of_kind[MARGAY_READ]);
    csv_u64(csv, survey->of_kind[MARGAY_WRITE]);
    csv_u64(csv, survey->of_kind[MARGAY_FETCH]);
    csv_u64(csv, survey->distinct_blocks);
    for (size_t i = 0; i < 2; i++) {
        uint64_t number = i == 0 ? survey->lowest : survey->highest;
        if (any && pass->numbers == MARGAY_ADDRESSES)
            csv_hexadecimal(csv, number);
        else
            csv_known(csv, any, number);
    }
    csv_bytes(csv, 1, pass->block_bytes);
    csv_end_row(csv);
    return MARGAY_OK;
}

int cmd_info(const struct options *options)
{
    struct csv_writer csv = {0};
    const struct drive drive = {
        .options = options,
        .context = &csv,
        .csv = &csv,
        .columns = options->json ? "trace," INFO_COLUMNS : INFO_COLUMNS,
        .upright = true,
        .open = open_survey,
        .ended = write_pass,
    };
    struct margay_error error;
    return drive_table(&drive, MARGAY_OK, &error);
}
