/* predict.h - what margay predict is made of, beside cmd_predict.c */
#ifndef MARGAY_SIM_COMMAND_PREDICT_H
#define MARGAY_SIM_COMMAND_PREDICT_H

#include <stdint.h>

#include <margay/prediction.h>

#include "sim/terminal/output.h"

/* Write a model of runs at blocks of `block_bytes` (0 = unknown) to an open
   output, which keeps its own failures.  MARGAY_NO_MEMORY. */
enum margay_status model_file_write(struct output *output,
                                    const margay_model *model,
                                    uint64_t block_bytes,
                                    struct margay_error *error);

/* Read a model.  Fails as margay_words_read() does.  The caller owns *model. */
enum margay_status model_file_read(const char *path, margay_model **model,
                                   uint64_t *block_bytes,
                                   struct margay_error *error);

struct options;

/* margay predict --sample; returns the exit status. */
int predict_sample(const struct options *options);

#endif
