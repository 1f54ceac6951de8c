/*
 * profile.c - the misses of lines, and their profile for callgrind_annotate and
 *             KCachegrind
 *
 * Source: "Callgrind Format Specification", valgrind's manual, version 1 of the
 *   format of profiles.  Files and functions are numbered, "fn=(2) name", so
 *   that a name may begin with a parenthesis; control characters are replaced.
 */
#include "sim/annotate/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/json.h"
#include "traces/traces_internal.h"

/* ----------------------------------------------------------------- lines -- */

enum margay_status line_counts_add(struct line_counts *lines,
                                   const struct place *place,
                                   uint64_t references,
                                   const struct margay_point *points,
                                   struct margay_error *error)
{
    size_t file_bytes = strlen(place->file) + 1;
    size_t function_bytes = strlen(place->function) + 1;
    struct counted_line *line =
        calloc(1, sizeof *line + lines->size_count * sizeof *line->misses +
                      file_bytes + function_bytes);
    if (line == NULL ||
        !MARGAY_MAKE_ROOM(lines->list, lines->count, 1, lines->capacity)) {
        free(line);
        return margay_fail_memory(error, "the lines of a program");
    }
    char *text = (char *)(line->misses + lines->size_count);
    line->file = memcpy(text, place->file, file_bytes);
    line->function = memcpy(text + file_bytes, place->function, function_bytes);
    line->number = place->line;
    line->references = references;
    for (size_t i = 0; i < lines->size_count; i++)
        line->misses[i] = points[i].misses;
    lines->list[lines->count++] = line;
    return MARGAY_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct counted_line *x = *(struct counted_line *const *)a;
    const struct counted_line *y = *(struct counted_line *const *)b;
    int order = strcmp(x->file, y->file);
    if (order == 0)
        order = (x->number > y->number) - (x->number < y->number);
    return order == 0 ? strcmp(x->function, y->function) : order;
}

void line_counts_sort(struct line_counts *lines)
{
    size_t kept = 0;
    if (lines->count > 1)
        qsort(lines->list, lines->count, sizeof *lines->list, by_place);
    for (size_t i = 0; i < lines->count; i++) {
        if (kept == 0 ||
            by_place(&lines->list[kept - 1], &lines->list[i]) != 0) {
            lines->list[kept++] = lines->list[i];
            continue;
        }
        lines->list[kept - 1]->references += lines->list[i]->references;
        for (size_t k = 0; k < lines->size_count; k++)
            lines->list[kept - 1]->misses[k] += lines->list[i]->misses[k];
        free(lines->list[i]);
    }
    lines->count = kept;
}

void line_counts_clear(struct line_counts *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->list[i]);
    free(lines->list);
    *lines = (struct line_counts){.list = NULL};
}

/* ---------------------------------------------------------- the profile -- */

static void put_name(struct output *output, const char *name)
{
    static const struct escapes escapes = {.control = "_"};
    escaped_text(output, name, strlen(name), &escapes);
    output_text(output, "%s\n", *name == '\0' ? "???" : "");
}

static void put_counts(struct output *output, const uint64_t *misses,
                       size_t sizes, uint64_t references)
{
    for (size_t i = 0; i < sizes; i++)
        output_text(output, " %" PRIu64, misses[i]);
    output_text(output, " %" PRIu64 "\n", references);
}

/* Names of events are such as "Misses32KiB", or "Misses512blocks" where bytes
   are unknown: they have letters and digits only. */
static void put_events(struct output *output, const struct line_counts *lines,
                       uint64_t block_bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    output_text(output, "events:");
    for (size_t i = 0; i < lines->size_count; i++) {
        uint64_t size = lines->sizes[i] * (block_bytes ? block_bytes : 1);
        size_t unit = 0;
        for (; block_bytes != 0 && size % 1024 == 0 && unit < 3; unit++)
            size /= 1024;
        output_text(output, " Misses%" PRIu64 "%s", size,
                    block_bytes == 0 ? "blocks" : units[unit]);
    }
    output_text(output, " References\n");
}

void profile_write(struct output *output, const struct line_counts *lines,
                   const char *trace, uint64_t block_bytes)
{
    const char *file = NULL, *function = NULL;
    size_t files = 0, functions = 0;
    uint64_t misses[ANNOTATION_SIZES] = {0}, references = 0;
    for (size_t i = 0; i < lines->count; i++) {
        references += lines->list[i]->references;
        for (size_t k = 0; k < lines->size_count; k++)
            misses[k] += lines->list[i]->misses[k];
    }
    output_text(output,
                "# callgrind format\nversion: 1\ncreator: margay-%s\ncmd: ",
                MARGAY_VERSION);
    put_name(output, trace);
    output_text(output, "positions: line\n");
    put_events(output, lines, block_bytes);
    output_text(output, "summary:");
    put_counts(output, misses, lines->size_count, references);
    for (size_t i = 0; i < lines->count; i++) {
        const struct counted_line *line = lines->list[i];
        bool is_new = file == NULL || strcmp(file, line->file) != 0;
        if (is_new) {
            output_text(output, "fl=(%zu) ", ++files);
            put_name(output, line->file);
        }
        if (is_new || strcmp(function, line->function) != 0) {
            output_text(output, "fn=(%zu) ", ++functions);
            put_name(output, line->function);
        }
        file = line->file;
        function = line->function;
        output_text(output, "%u", line->number);
        put_counts(output, line->misses, lines->size_count, line->references);
    }
}
