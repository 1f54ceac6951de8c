/*
 * state.h - the file that a run is continued from
 *
 *     0   "margay s", then the version of what follows, as everything else a
 *         64-bit number, the least significant byte first
 *    16   what the trace was read as: numbers (0 addresses, 1 ids), the bytes
 *         of a unit, the kinds kept, whether references were split
 *    48   references read; passes, that is, block sizes
 *    64   each pass: bytes of a block, bound (0 = none), whether it was
 *         exceeded, references at infinite distance, R, B; R pairs of a
 *         distance and its references; B blocks, the LRU stack from the
 *         oldest on
 *   end   a checksum of all that
 */
#ifndef MARGAY_SIM_STATE_H
#define MARGAY_SIM_STATE_H

#include "sim/analysis.h"

/* Write the state of all passes, which replaces `path` as a whole. */
enum margay_status state_save(const char *path, const struct options *options,
                              const margay_trace *trace,
                              const struct analysis_pass *passes, size_t count,
                              uint64_t references, struct margay_error *error);

/*
 * Give engines that have not been fed yet the state that was saved.
 * MARGAY_BAD_INPUT if the file is damaged, MARGAY_BAD_ARGUMENT if it belongs
 * to another version, or to other options than these.
 */
enum margay_status state_load(const char *path, const struct options *options,
                              const margay_trace *trace,
                              struct analysis_pass *passes, size_t count,
                              uint64_t *references, struct margay_error *error);

#endif
