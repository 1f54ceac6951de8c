/* model_file.h - models that are kept: --save-model, --load-model */
#ifndef MARGAY_SIM_MODEL_FILE_H
#define MARGAY_SIM_MODEL_FILE_H

#include <stdint.h>
#include <stdio.h>

#include <margay/stackdist.h>

#include "sim/output.h"

/* Write a model of runs at blocks of `block_bytes` (0 = unknown) to an output
   that has been opened.  MARGAY_NO_MEMORY; the output keeps its own errors. */
enum margay_status model_file_write(struct output *output,
                                    const margay_model *model,
                                    uint64_t block_bytes,
                                    struct margay_error *error);

/* And back.  Fails as words_read() does.  The caller owns *model. */
enum margay_status model_file_read(const char *path, margay_model **model,
                                   uint64_t *block_bytes,
                                   struct margay_error *error);

/* The same, of a file that is open; `name` is what messages call it. */
enum margay_status model_file_read_stream(FILE *file, const char *name,
                                          margay_model **model,
                                          uint64_t *block_bytes,
                                          struct margay_error *error);

#endif
