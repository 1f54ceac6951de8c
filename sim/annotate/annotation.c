/*
 * annotation.c - the misses of each line of a program, at some cache sizes
 *
 * Source: "Callgrind Format Specification", valgrind's manual, version 1 of the
 *   format of profiles.  Files and functions are numbered, "fn=(2) name", so
 *   that a name may begin with a parenthesis; control characters are replaced.
 */
#define _GNU_SOURCE
#include "sim/annotate/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

struct annotation {
    size_t sizes;
    /* Of each, what was added to a place.  The function's name stands after the
       file's, in its memory. */
    struct annotated_line *lines;
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

static void free_line(struct annotated_line *line)
{
    free(line->file);
    free(line->misses);
}

void annotation_free(struct annotation *annotation)
{
    if (annotation == NULL)
        return;
    for (size_t i = 0; i < annotation->count; i++)
        free_line(&annotation->lines[i]);
    free(annotation->lines);
    free(annotation);
}

enum margay_status annotation_add(struct annotation *annotation,
                                  const struct place *place,
                                  uint64_t references, const uint64_t *misses,
                                  struct margay_error *error)
{
    size_t file_bytes = strlen(place->file) + 1;
    size_t function_bytes = strlen(place->function) + 1;
    struct annotated_line *lines =
        margay_grow(annotation->lines, annotation->count, &annotation->capacity,
                    sizeof *lines);
    if (lines == NULL)
        return margay_fail_memory(error, "the lines of a program");
    annotation->lines = lines;
    struct annotated_line line = {
        .file = malloc(file_bytes + function_bytes),
        .line = place->line,
        .references = references,
        .misses = malloc((1 + annotation->sizes) * sizeof *line.misses),
    };
    if (line.file == NULL || line.misses == NULL) {
        free_line(&line);
        return margay_fail_memory(error, "the lines of a program");
    }
    line.function = line.file + file_bytes;
    memcpy(line.file, place->file, file_bytes);
    memcpy(line.function, place->function, function_bytes);
    memcpy(line.misses, misses, annotation->sizes * sizeof *misses);
    lines[annotation->count++] = line;
    return MARGAY_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct annotated_line *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    return order == 0 ? strcmp(x->function, y->function) : order;
}

void annotation_finish(struct annotation *annotation)
{
    struct annotated_line *lines = annotation->lines;
    size_t kept = 0;
    if (annotation->count > 1)
        qsort(lines, annotation->count, sizeof *lines, by_place);
    for (size_t i = 1; i < annotation->count; i++) {
        if (by_place(&lines[kept], &lines[i]) != 0) {
            lines[++kept] = lines[i];
            continue;
        }
        lines[kept].references += lines[i].references;
        for (size_t k = 0; k < annotation->sizes; k++)
            lines[kept].misses[k] += lines[i].misses[k];
        free_line(&lines[i]);
    }
    annotation->count = annotation->count == 0 ? 0 : kept + 1;
}

const struct annotated_line *annotation_lines(
    const struct annotation *annotation, size_t *count)
{
    *count = annotation->count;
    return annotation->lines;
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

/* The name of an event, "Misses32KiB", or "Misses512blocks" where bytes are
   unknown: it has letters and digits only. */
static void put_event(struct output *output, const struct profile *profile,
                      size_t i)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    uint64_t block_bytes = profile->block_bytes;
    uint64_t size = profile->cache_blocks[i] * (block_bytes ? block_bytes : 1);
    size_t unit = 0;
    for (; block_bytes != 0 && size % 1024 == 0 && unit < 3; unit++)
        size /= 1024;
    output_text(output, "Misses%" PRIu64 "%s", size,
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
    output_text(output, "events:");
    for (size_t i = 0; i < profile->sizes; i++) {
        output_text(output, " ");
        put_event(output, profile, i);
    }
    output_text(output, " References\n");
}

static void put_summary(struct output *output,
                        const struct annotation *annotation, size_t sizes)
{
    uint64_t misses[ANNOTATION_SIZES] = {0}, references = 0;
    for (size_t i = 0; i < annotation->count; i++) {
        references += annotation->lines[i].references;
        for (size_t k = 0; k < sizes; k++)
            misses[k] += annotation->lines[i].misses[k];
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
    for (size_t i = 0; i < annotation->count; i++) {
        const struct annotated_line line = annotation->lines[i];
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
