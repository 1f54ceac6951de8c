/*
 * annotation.h - the misses of each line of a program, at some cache sizes
 */
#ifndef MARGAY_SIM_ANNOTATE_ANNOTATION_H
#define MARGAY_SIM_ANNOTATE_ANNOTATION_H

#include <stddef.h>
#include <stdint.h>

#include "sim/annotate/places.h"
#include "sim/terminal/output.h"

/* The most cache sizes of an annotation. */
#define ANNOTATION_SIZES 64

/* A line of a function. */
struct annotated_line {
    char *file;    /* "" = unknown */
    unsigned line; /* 0 = unknown */
    char *function;
    uint64_t references;
    uint64_t *misses; /* at each size */
};

struct annotation;

/* Begin without lines, for `sizes` cache sizes, ANNOTATION_SIZES at most.  The
   caller owns *annotation.  MARGAY_NO_MEMORY on failure. */
enum margay_status annotation_create(size_t sizes,
                                     struct annotation **annotation,
                                     struct margay_error *error);

/* Add references at a place, and their misses at each size.
   MARGAY_NO_MEMORY on failure. */
enum margay_status annotation_add(struct annotation *annotation,
                                  const struct place *place,
                                  uint64_t references, const uint64_t *misses,
                                  struct margay_error *error);

/* Put what was added to the same place together, and the lines in order: by
   file, line and function.  Nothing is added afterwards. */
void annotation_finish(struct annotation *annotation);

/* The lines; they and their texts belong to the annotation. */
const struct annotated_line *annotation_lines(
    const struct annotation *annotation, size_t *count);

/* What a profile is of. */
struct profile {
    const char *trace;
    const uint64_t *cache_blocks;
    size_t sizes;
    uint64_t block_bytes; /* 0 = unknown */
};

/* Write the lines as a profile in callgrind's format, for callgrind_annotate
   and KCachegrind: an event for the misses at each size, and one for the
   references. */
void annotation_write_profile(const struct annotation *annotation,
                              const struct profile *profile,
                              struct output *output);

/* NULL is fine. */
void annotation_free(struct annotation *annotation);

#endif
