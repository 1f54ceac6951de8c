/* annotation.c - the misses of each line of a program, at some cache sizes */
#define _GNU_SOURCE
#include "sim/annotate/annotation.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* What was added to a place; [0] = references, then the misses. */
struct row {
    char *file, *function; /* one string behind the other; the first is owned */
    unsigned line;
    uint64_t *counts;
};

struct annotation {
    size_t sizes;
    struct row *rows;
    size_t count, capacity;
};

enum margay_status annotation_create(size_t sizes,
                                     struct annotation **annotation,
                                     struct margay_error *error)
{
    *annotation = calloc(1, sizeof **annotation);
    if (*annotation == NULL)
        return margay_fail_memory(error, "the lines of a program");
    (*annotation)->sizes = sizes;
    return MARGAY_OK;
}

static void free_row(struct row *row)
{
    free(row->file);
    free(row->counts);
}

void annotation_free(struct annotation *annotation)
{
    if (annotation == NULL)
        return;
    for (size_t i = 0; i < annotation->count; i++)
        free_row(&annotation->rows[i]);
    free(annotation->rows);
    free(annotation);
}

enum margay_status annotation_add(struct annotation *annotation,
                                  const struct place *place,
                                  uint64_t references, const uint64_t *misses,
                                  struct margay_error *error)
{
    size_t file_bytes = strlen(place->file) + 1;
    size_t function_bytes = strlen(place->function) + 1;
    struct row *rows = margay_grow(annotation->rows, annotation->count,
                                   &annotation->capacity, sizeof *rows);
    if (rows == NULL)
        return margay_fail_memory(error, "the lines of a program");
    annotation->rows = rows;
    struct row row = {
        .file = malloc(file_bytes + function_bytes),
        .line = place->line,
        .counts = malloc((1 + annotation->sizes) * sizeof *row.counts),
    };
    if (row.file == NULL || row.counts == NULL) {
        free_row(&row);
        return margay_fail_memory(error, "the lines of a program");
    }
    row.function = row.file + file_bytes;
    memcpy(row.file, place->file, file_bytes);
    memcpy(row.function, place->function, function_bytes);
    row.counts[0] = references;
    memcpy(row.counts + 1, misses, annotation->sizes * sizeof *misses);
    rows[annotation->count++] = row;
    return MARGAY_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    return order == 0 ? strcmp(x->function, y->function) : order;
}

void annotation_finish(struct annotation *annotation)
{
    struct row *rows = annotation->rows;
    size_t kept = 0;
    if (annotation->count > 1)
        qsort(rows, annotation->count, sizeof *rows, by_place);
    for (size_t i = 1; i < annotation->count; i++) {
        if (by_place(&rows[kept], &rows[i]) != 0) {
            rows[++kept] = rows[i];
            continue;
        }
        for (size_t k = 0; k <= annotation->sizes; k++)
            rows[kept].counts[k] += rows[i].counts[k];
        free_row(&rows[i]);
    }
    annotation->count = annotation->count == 0 ? 0 : kept + 1;
}

size_t annotation_lines(const struct annotation *annotation)
{
    return annotation->count;
}

struct annotated_line annotation_line(const struct annotation *annotation,
                                      size_t index)
{
    const struct row *row = &annotation->rows[index];
    return (struct annotated_line){row->file, row->line, row->function,
                                   row->counts[0], row->counts + 1};
}
