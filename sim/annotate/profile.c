/*
 * profile.c - lines and their misses in callgrind's profile format
 *
 * Source: "Callgrind Format Specification", valgrind's manual, version 1 of the
 *   format.  Files and functions are numbered, "fn=(2) name", so that a name
 *   may begin with a parenthesis; control characters are replaced.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "sim/annotate/annotation.h"

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
