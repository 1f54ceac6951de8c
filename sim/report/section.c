/* section.c - pictures and words, as the columns of a table ask for them */
#include "sim/report/section.h"

#include <string.h>

#include "sim/report/bars.h"
#include "sim/report/chart.h"
#include "sim/report/words.h"
#include "sim/tables/csv.h"

typedef enum margay_status draw(struct output *output,
                                const struct section *section, const char *id,
                                unsigned *charts, struct margay_error *error);

/* -------------------------------------------------------------- charts -- */

/* Are the sizes of caches known in bytes? */
static bool has_bytes(const struct cells *table)
{
    double bytes;
    return table_number(table, 0, table_column(table, "cache_bytes"), &bytes);
}

/* Draw what the chart's y counts over the sizes of caches, which are known in
   bytes or in blocks. */
static enum margay_status draw_sizes(struct output *output,
                                     const struct section *section,
                                     const char *id, struct chart chart,
                                     unsigned *charts,
                                     struct margay_error *error)
{
    bool in_bytes = has_bytes(&section->table);
    chart.table = &section->table;
    chart.table_id = id;
    chart.x_title = in_bytes ? "cache in bytes" : "cache in blocks";
    chart.x = in_bytes ? "cache_bytes" : "cache_blocks";
    chart.sizes = true;
    chart.in_bytes = in_bytes;
    chart.logarithmic = true;
    return chart_write(output, &chart, ++*charts, error);
}

/* The miss ratio; `key` is a column that tells lines apart, beside the trace
   and the block size. */
static enum margay_status draw_ratio(struct output *output,
                                     const struct section *section,
                                     const char *id, const char *key,
                                     const char *caption, unsigned *charts,
                                     struct margay_error *error)
{
    const struct chart chart = {.caption = caption,
                                .y = "miss_ratio",
                                .y_title = "miss ratio",
                                .keys = {"trace", "block_bytes", key}};
    return draw_sizes(output, section, id, chart, charts, error);
}

static enum margay_status draw_curve(struct output *output,
                                     const struct section *section,
                                     const char *id, unsigned *charts,
                                     struct margay_error *error)
{
    words_of_curve(output, &section->table, "miss_ratio", "");
    return draw_ratio(output, section, id, NULL,
                      "Misses of a fully associative LRU cache over its size",
                      charts, error);
}

static enum margay_status draw_both(struct output *output,
                                    const struct section *section,
                                    const char *id, unsigned *charts,
                                    struct margay_error *error)
{
    const struct chart of_bytes = {
        .caption = "Bytes that miss a cache of objects over its size",
        .y = "byte_miss_ratio",
        .y_title = "byte miss ratio",
        .keys = {"trace", "policy"}};
    enum margay_status status = draw_ratio(
        output, section, id, "policy",
        "Requests that miss a cache of objects over its size", charts, error);
    return status == MARGAY_OK
               ? draw_sizes(output, section, id, of_bytes, charts, error)
               : status;
}

static enum margay_status draw_objects(struct output *output,
                                       const struct section *section,
                                       const char *id, unsigned *charts,
                                       struct margay_error *error)
{
    words_of_curve(output, &section->table, "miss_ratio", ", requests");
    words_of_curve(output, &section->table, "byte_miss_ratio", ", bytes");
    return draw_both(output, section, id, charts, error);
}

static enum margay_status draw_object_policies(struct output *output,
                                               const struct section *section,
                                               const char *id, unsigned *charts,
                                               struct margay_error *error)
{
    words_of_policies(output, &section->table);
    return draw_both(output, section, id, charts, error);
}

static enum margay_status draw_policies(struct output *output,
                                        const struct section *section,
                                        const char *id, unsigned *charts,
                                        struct margay_error *error)
{
    words_of_policies(output, &section->table);
    return draw_ratio(output, section, id, "policy",
                      "Misses by replacement policy over the size of the cache",
                      charts, error);
}

static enum margay_status draw_requests(struct output *output,
                                        const struct section *section,
                                        const char *id, unsigned *charts,
                                        struct margay_error *error)
{
    const struct chart of_requests = {
        .caption = "Requests that miss any of their blocks",
        .y = "missed_requests",
        .y_title = "requests",
        .keys = {"trace", "block_bytes"}};
    output_text(output, "<p>Here a block hits if all before it in its request "
                        "do. The other curves of this page count the blocks of "
                        "requests, each for itself.</p>\n");
    words_of_curve(output, &section->table, "miss_ratio",
                   ", blocks of requests");
    enum margay_status status =
        draw_ratio(output, section, id, NULL,
                   "Blocks of requests that miss an LRU cache over its size",
                   charts, error);
    return status == MARGAY_OK
               ? draw_sizes(output, section, id, of_requests, charts, error)
               : status;
}

/* Each tenant alone, and what it misses in a cache of all. */
static enum margay_status draw_tenants(struct output *output,
                                       const struct section *section,
                                       const char *id, unsigned *charts,
                                       struct margay_error *error)
{
    const struct chart shared = {
        .caption = "Misses of each tenant in a cache of all tenants",
        .y = "shared_misses",
        .y_title = "misses",
        .keys = {"trace", "block_bytes", "tenant"}};
    words_of_curve(output, &section->table, "miss_ratio", "");
    enum margay_status status = draw_ratio(
        output, section, id, "tenant",
        "Misses of each tenant in a cache of its own", charts, error);
    return status == MARGAY_OK
               ? draw_sizes(output, section, id, shared, charts, error)
               : status;
}

/* The misses of each program, which are not known of objects, and those in its
   part of the cache. */
static enum margay_status draw_shared(struct output *output,
                                      const struct section *section,
                                      const char *id, unsigned *charts,
                                      struct margay_error *error)
{
    struct chart chart = {.caption =
                              "Misses of programs that use the cache together",
                          .y = "shared_misses",
                          .y_title = "misses",
                          .keys = {"trace", "block_bytes", "program"}};
    bool of_objects =
        table_begins_with(&section->table, SHARE_COLUMNS SHARE_OBJECT_COLUMNS);
    enum margay_status status =
        of_objects ? MARGAY_OK
                   : draw_sizes(output, section, id, chart, charts, error);
    chart.caption = "Misses of programs that have parts of the cache";
    chart.y = "partition_misses";
    return status == MARGAY_OK
               ? draw_sizes(output, section, id, chart, charts, error)
               : status;
}

/* Caches of objects have sizes in bytes alone. */
static enum margay_status draw_windows(struct output *output,
                                       const struct section *section,
                                       const char *id, unsigned *charts,
                                       struct margay_error *error)
{
    bool of_objects = table_begins_with(
        &section->table, WINDOW_COLUMN CURVE_COLUMNS CURVE_OBJECT_COLUMNS);
    const struct chart chart = {
        .table = &section->table,
        .table_id = id,
        .caption = of_objects
                       ? "Miss ratio of requests over time, of a few sizes"
                       : "Miss ratio of a few sizes over time",
        .x_title = "window of the trace",
        .y_title = "miss ratio",
        .x = "window",
        .y = "miss_ratio",
        .keys = {"trace", "block_bytes",
                 of_objects ? "cache_bytes" : "cache_blocks"},
    };
    return chart_write(output, &chart, ++*charts, error);
}

/* A line for each cache, over the first column that was varied. */
static enum margay_status draw_varied(struct output *output,
                                      const struct section *section,
                                      const char *id, size_t column,
                                      unsigned *charts,
                                      struct margay_error *error)
{
    const struct cells *table = &section->table;
    const char *varied = cells_name(table, column);
    bool has_another = column + 1 < table->columns;
    const struct chart chart = {
        .table = table,
        .table_id = id,
        .caption = "Miss ratio of each cache of the machine, varied",
        .x_title = varied,
        .y_title = "demand miss ratio",
        .x = varied,
        .y = "demand_miss_ratio",
        .keys = {"trace", "cache",
                 has_another ? cells_name(table, column + 1) : NULL},
        .logarithmic = true,
    };
    return chart_write(output, &chart, ++*charts, error);
}

/* ------------------------------------------------- bars and cells -- */

struct picture {
    void (*draw)(struct output *output, const struct rows *rows,
                 const char *caption);
    const char *caption;
};

/* For each trace, block size and policy. */
static void draw_each(struct output *output, const struct section *section,
                      const struct picture *picture)
{
    struct rows rows = {.to = 0};
    while (rows.to < section->table.rows) {
        rows = rows_alike(&section->table, rows.to);
        picture->draw(output, &rows, picture->caption);
    }
}

/* CACHE.COLUMN is what --vary gave a value. */
static enum margay_status draw_machine(struct output *output,
                                       const struct section *section,
                                       const char *id, unsigned *charts,
                                       struct margay_error *error)
{
    const struct cells *table = &section->table;
    for (size_t i = 0; i < table->columns; i++) {
        if (strchr(cells_name(table, i), '.') != NULL)
            return draw_varied(output, section, id, i, charts, error);
    }
    struct rows rows = {.to = 0};
    while (rows.to < table->rows) {
        rows = rows_alike(table, rows.to);
        bars_machine(output, &rows, "Misses of each cache");
        bars_traffic(output, &rows, "Traffic below each cache");
    }
    return MARGAY_OK;
}

/* ------------------------------------------------------- the kinds -- */

#define MAP_CAPTION "Misses of set-associative caches"

/* The first row whose columns a table begins with is its kind. */
static const struct kind {
    const char *columns, *title;
    draw *draw;                 /* NULL = there is none */
    struct picture pictures[2]; /* of each group of rows, then */
} kinds[] = {
    {.columns = CURVE_COLUMNS POLICY_COLUMN,
     .title = "Replacement policies",
     .draw = draw_policies},
    {.columns = CURVE_COLUMNS CURVE_OBJECT_COLUMNS POLICY_COLUMN,
     .title = "Replacement policies",
     .draw = draw_object_policies},
    {.columns = CURVE_COLUMNS CURVE_OBJECT_COLUMNS,
     .title = "Miss curve of objects",
     .draw = draw_objects},
    {.columns = CURVE_COLUMNS CURVE_REQUEST_COLUMNS,
     .title = "Miss curve of requests",
     .draw = draw_requests},
    {.columns = CURVE_COLUMNS CURVE_TENANT_COLUMN CURVE_SHARED_COLUMN,
     .title = "Tenants",
     .draw = draw_tenants},
    {.columns = CURVE_COLUMNS, .title = "Miss curve", .draw = draw_curve},
    {.columns = WINDOW_COLUMN CURVE_COLUMNS,
     .title = "Over time",
     .draw = draw_windows},
    {.columns = PHASES_COLUMNS,
     .title = "Phases",
     .pictures =
         {{bars_phases,
           "Phases of the trace and their working sets; a colour recurs"}}},
    {.columns = HISTOGRAM_COLUMNS,
     .title = "Reuse distances",
     .pictures = {{bars_histogram, "Share of references by reuse distance"}}},
    {.columns = COMPARE_COLUMNS,
     .title = "Set-associative caches",
     .pictures = {{bars_map, MAP_CAPTION},
                  {bars_three_cs, "Cold, capacity and conflict misses"}}},
    {.columns = ASSOC_COLUMNS,
     .title = "Set-associative caches",
     .pictures = {{bars_map, MAP_CAPTION}}},
    {.columns = ANNOTATE_COLUMNS,
     .title = "Lines of source",
     .pictures = {{bars_owners,
                   "Misses by line of source, as a share of the references"}}},
    {.columns = ANNOTATE_DATA_COLUMNS,
     .title = "Arrays and variables",
     .pictures =
         {{bars_owners,
           "Misses by array and variable, as a share of the references"}}},
    {.columns = SIMULATE_COLUMNS, .title = "A machine", .draw = draw_machine},
    {.columns = SHARE_COLUMNS, .title = "A shared cache", .draw = draw_shared},
    {.columns = SHARING_COLUMNS, .title = "Blocks that cores share"},
    {.columns = PARETO_COLUMNS, .title = "Machines"},
    {.columns = "key,value", .title = "The trace"},
};

static const struct kind *kind_of(const struct section *section)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (table_begins_with(&section->table, kinds[i].columns))
            return &kinds[i];
    }
    return NULL;
}

bool section_is_known(const char *header)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t bytes = strlen(kinds[i].columns);
        if (strncmp(header, kinds[i].columns, bytes) == 0 &&
            (header[bytes] == '\0' || header[bytes] == ','))
            return true;
    }
    return false;
}

const char *section_title(const struct section *section)
{
    const struct kind *kind = kind_of(section);
    return kind == NULL ? "Table" : kind->title;
}

enum margay_status section_draw(struct output *output,
                                const struct section *section, const char *id,
                                unsigned *charts, struct margay_error *error)
{
    const struct kind *kind = kind_of(section);
    enum margay_status status = MARGAY_OK;
    if (kind == NULL || section->table.rows == 0)
        return MARGAY_OK;
    if (kind->draw != NULL)
        status = kind->draw(output, section, id, charts, error);
    for (size_t i = 0; i < 2 && kind->pictures[i].draw != NULL; i++)
        draw_each(output, section, &kind->pictures[i]);
    return status;
}
