/*
 * annotation.c - the misses of each line of a program, at some cache sizes
 *
 * Source: "Callgrind Format Specification", valgrind's manual, version 1 of the
 *   format of profiles.  Files and functions are numbered, "fn=(2) name", so
 *   that a name may begin with a parenthesis; control characters are replaced.
 */
#define _GNU_SOURCE
#include "sim/annotate/annotation.h"

#include <inttypes.h>
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

/* ------------------------------------------------ callgrind's profiles -- */

static void put_name(struct output *output, const char *key, const char *name)
{
    output_text(output, "%s", key);
    for (size_t i = 0; name[i] != '\0'; i++) {
        bool replaced = (unsigned char)name[i] < ' ' || name[i] == 127;
        output_bytes(output, replaced ? "_" : &name[i], 1);
    }
    output_text(output, "%s\n", *name == '\0' ? "???" : "");
}

static void put_numbered(struct output *output, const char *key, size_t number,
                         const char *name)
{
    output_text(output, "%s=(%zu) ", key, number);
    put_name(output, "", name);
}

/* A size as people write it: "32K", or "512blocks" where bytes are unknown; an
   event's name has letters and digits only. */
static void put_size(struct output *output, uint64_t cache_blocks,
                     uint64_t block_bytes)
{
    static const char *const units[] = {"", "K", "M", "G"};
    uint64_t size = cache_blocks * (block_bytes == 0 ? 1 : block_bytes);
    size_t unit = 0;
    for (; block_bytes != 0 && size % 1024 == 0 && unit < 3; unit++)
        size /= 1024;
    output_text(output, "%" PRIu64 "%s", size,
                block_bytes == 0 ? "blocks" : units[unit]);
}

static void put_counts(struct output *output, const uint64_t *misses,
                       size_t sizes, uint64_t references)
{
    for (size_t i = 0; i < sizes; i++)
        output_text(output, " %" PRIu64, misses[i]);
    output_text(output, " %" PRIu64 "\n", references);
}

static void put_events(struct output *output, const struct profile *profile)
{
    for (size_t i = 0; i < profile->sizes; i++) {
        output_text(output, "event: M");
        put_size(output, profile->cache_blocks[i], profile->block_bytes);
        output_text(output, " : Misses in ");
        put_size(output, profile->cache_blocks[i], profile->block_bytes);
        output_text(output, "\n");
    }
    output_text(output, "event: Refs : References\nevents:");
    for (size_t i = 0; i < profile->sizes; i++) {
        output_text(output, " M");
        put_size(output, profile->cache_blocks[i], profile->block_bytes);
    }
    output_text(output, " Refs\n");
}

static void put_summary(struct output *output,
                        const struct annotation *annotation, size_t sizes)
{
    uint64_t misses[ANNOTATION_SIZES] = {0}, references = 0;
    for (size_t i = 0; i < annotation_lines(annotation); i++) {
        struct annotated_line line = annotation_line(annotation, i);
        references += line.references;
        for (size_t k = 0; k < sizes; k++)
            misses[k] += line.misses[k];
    }
    output_text(output, "summary:");
    put_counts(output, misses, sizes, references);
}

void annotation_write_profile(const struct annotation *annotation,
                              const struct profile *profile,
                              struct output *output)
{
    const char *file = NULL, *function = NULL;
    size_t files = 0, functions = 0;
    output_text(output, "# callgrind format\nversion: 1\ncreator: margay-%s\n",
                MARGAY_VERSION);
    put_name(output, "cmd: ", profile->trace);
    output_text(output, "positions: line\n");
    put_events(output, profile);
    put_summary(output, annotation, profile->sizes);
    for (size_t i = 0; i < annotation_lines(annotation); i++) {
        struct annotated_line line = annotation_line(annotation, i);
        if (file == NULL || strcmp(file, line.file) != 0)
            put_numbered(output, "fl", ++files, line.file);
        if (file == NULL || strcmp(file, line.file) != 0 ||
            strcmp(function, line.function) != 0)
            put_numbered(output, "fn", ++functions, line.function);
        file = line.file;
        function = line.function;
        output_text(output, "%u", line.line);
        put_counts(output, line.misses, profile->sizes, line.references);
    }
}
