/* cmd_info.c - margay info */

#include "sim/analysis.h"
#include "sim/commands.h"
#include "sim/conclude.h"
#include "sim/csv.h"
#include "sim/message.h"
#include "sim/options.h"
#include "traces/traces_internal.h"

struct info {
    struct csv_writer csv;
    uint64_t of_kind[MARGAY_KINDS]; /* block references */
    uint64_t lowest, highest;       /* numbers as read; empty: low > high */
};

static enum margay_status note_range(void *context,
                                     const struct analysis_pass *pass,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    struct info *info = context;
    uint64_t lowest = info->lowest, highest = info->highest;
    const uint32_t *extents = pass->split ? batch->extents : NULL;
    (void)error;
    for (size_t i = 0; i < batch->references; i++) {
        uint32_t extent = extents == NULL ? 1 : extents[i];
        if (extent == 0)
            continue;
        uint64_t last = margay_extent_last(batch->numbers[i], extent);
        if (batch->numbers[i] < lowest)
            lowest = batch->numbers[i];
        if (last > highest)
            highest = last;
    }
    info->lowest = lowest;
    info->highest = highest;
    return MARGAY_OK;
}

static enum margay_status count_kinds(void *context,
                                      const struct analysis_pass *pass,
                                      const struct analysis_chunk *chunk,
                                      struct margay_error *error)
{
    struct info *info = context;
    (void)pass, (void)error;
    if (chunk->kinds == NULL)
        info->of_kind[MARGAY_READ] += chunk->count;
    for (size_t i = 0; chunk->kinds != NULL && i < chunk->count; i++)
        info->of_kind[chunk->kinds[i]]++;
    return MARGAY_OK;
}

static void count_row(struct csv_writer *csv, const char *key, uint64_t value)
{
    csv_text(csv, key);
    csv_u64(csv, value);
    csv_end_row(csv);
}

static void number_row(struct csv_writer *csv, const char *key,
                       const struct analysis_pass *pass, bool known,
                       uint64_t value)
{
    csv_text(csv, key);
    if (!known)
        csv_nothing(csv);
    else if (pass->numbers == MARGAY_ADDRESSES)
        csv_hexadecimal(csv, value);
    else
        csv_u64(csv, value);
    csv_end_row(csv);
}

static enum margay_status write_pass(void *context,
                                     const struct analysis_pass *pass,
                                     struct margay_error *error)
{
    struct info *info = context;
    struct csv_writer *csv = &info->csv;
    bool any = info->lowest <= info->highest;
    (void)error;
    csv_text(csv, "format");
    csv_text(csv, pass->format->name);
    csv_end_row(csv);
    count_row(csv, "references", pass->fed_refs);
    count_row(csv, "reads", info->of_kind[MARGAY_READ]);
    count_row(csv, "writes", info->of_kind[MARGAY_WRITE]);
    count_row(csv, "fetches", info->of_kind[MARGAY_FETCH]);
    count_row(csv, "distinct_blocks", pass->result.distinct_blocks);
    number_row(csv, "lowest", pass, any, info->lowest);
    number_row(csv, "highest", pass, any, info->highest);
    csv_text(csv, "block_bytes");
    if (pass->block_bytes == 0)
        csv_nothing(csv);
    else
        csv_u64(csv, pass->block_bytes);
    csv_end_row(csv);
    return MARGAY_OK;
}

int cmd_info(const struct options *options)
{
    static const struct analysis_hooks hooks = {
        .batch = note_range, .chunk = count_kinds, .end = write_pass};
    struct info info = {.lowest = UINT64_MAX};
    struct output *output;
    struct margay_error error;
    if (options->blocks.count > 1) {
        message_print("--block: one block size at a time, not %zu",
                      options->blocks.count);
        return EXIT_TROUBLE;
    }
    enum margay_status status =
        output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK) {
        csv_begin(&info.csv, output, INFO_COLUMNS);
        status = analysis_run(options, &hooks, &info, &error);
    }
    return conclude(status, &output, 1, &error);
}
