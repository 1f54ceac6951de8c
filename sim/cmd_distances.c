/* cmd_distances.c - margay distances */
#include "sim/analysis.h"
#include "sim/commands.h"
#include "sim/conclude.h"
#include "sim/csv.h"
#include "sim/options.h"

#define MAX_TABLES 64

/* One reading pass serves all block sizes, but the rows of each belong
   together: the first goes straight to the output, the others wait. */
struct distances {
    struct output *output;
    struct output *parts[MAX_TABLES];
    struct csv_writer tables[MAX_TABLES];
    size_t count;
};

static enum margay_status begin_pass(void *context,
                                     const struct analysis_pass *pass,
                                     struct margay_error *error)
{
    struct distances *distances = context;
    struct csv_writer *table = &distances->tables[pass->index];
    enum margay_status status = MARGAY_OK;
    if (pass->index > 0) {
        struct output **part = &distances->parts[pass->index];
        status = output_open(NULL, OUTPUT_HELD, part, error);
        csv_begin(table, *part, NULL);
    }
    distances->count = pass->index + 1;
    if (status == MARGAY_OK)
        status = csv_set_key(table, pass->trace, pass->block_bytes, error);
    return status;
}

static enum margay_status write_chunk(void *context,
                                      const struct analysis_pass *pass,
                                      const struct analysis_chunk *chunk,
                                      struct margay_error *error)
{
    struct distances *distances = context;
    struct csv_writer *table = &distances->tables[pass->index];
    if (chunk->warmup)
        return MARGAY_OK;
    csv_distance_rows(table, chunk->first_index, chunk->blocks,
                      chunk->distances, chunk->count);
    return output_status(table->output, error);
}

static void join_parts(struct distances *distances, enum margay_status status)
{
    for (size_t i = 0; i < distances->count; i++) {
        if (status == MARGAY_OK && i > 0)
            output_append(distances->output, distances->parts[i]);
        output_free(distances->parts[i]);
        csv_end(&distances->tables[i]);
    }
}

int cmd_distances(const struct options *options)
{
    static const struct analysis_hooks hooks = {
        .wants_distances = true,
        .needs = MARGAY_LACKS_DISTANCES,
        .passes_apart = true,
        .begin = begin_pass,
        .chunk = write_chunk,
    };
    struct distances distances = {.count = 0};
    struct margay_error error;
    enum margay_status status =
        output_open(options->output, OUTPUT_HELD, &distances.output, &error);
    if (status == MARGAY_OK) {
        csv_begin(&distances.tables[0], distances.output, DISTANCES_COLUMNS);
        status = analysis_run(options, &hooks, &distances, &error);
    }
    join_parts(&distances, status);
    return conclude(status, &distances.output, 1, &error);
}
