/* shards.h - the two forms of the engine shards */
#ifndef MARGAY_STACKDIST_SHARDS_H
#define MARGAY_STACKDIST_SHARDS_H

#include "stackdist/engine.h"

/* The functions of an engine that keeps at most `blocks` blocks. */
struct margay_fixed_size;

enum margay_status margay_fixed_size_create(uint64_t blocks, bool adjust,
                                            uint64_t seed,
                                            struct margay_fixed_size **fixed,
                                            struct margay_error *error);
void margay_fixed_size_free(struct margay_fixed_size *fixed);
enum margay_status margay_fixed_size_feed(struct margay_fixed_size *fixed,
                                          const uint64_t *blocks, size_t count,
                                          struct margay_error *error);
void margay_fixed_size_reset_counts(struct margay_fixed_size *fixed);
enum margay_status margay_fixed_size_finish(struct margay_fixed_size *fixed,
                                            struct margay_result *result,
                                            struct margay_error *error);

#endif
