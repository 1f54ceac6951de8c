/*
 * xz_threads.h - xz decompressed by several threads
 *
 * A file that `xz -T` writes, or `xz --block-size`, is made of blocks whose
 * headers tell their lengths; liblzma gives each to a thread.  A file of one
 * block, or of blocks without lengths, takes one thread.  Concatenated streams
 * are read as one.
 */
#ifndef MARGAY_TRACES_FORMATS_XZ_THREADS_H
#define MARGAY_TRACES_FORMATS_XZ_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/formats/byte_source.h"

struct margay_xz;

/* Built without liblzma, or with one that has no threads: false, and nothing
   below may be called. */
bool margay_xz_is_there(void);

/* At most `threads` threads beside the caller's.  MARGAY_NO_MEMORY on failure;
 *xz is then NULL. */
enum margay_status margay_xz_create(struct margay_byte_source source,
                                    unsigned threads, struct margay_xz **xz,
                                    struct margay_error *error);

/*
 * Read up to `bytes` plain bytes; *got = 0 is the end.  Where the data is wrong
 * the status is MARGAY_BAD_INPUT, `error` untouched, *reason says what is, and
 * *position how many compressed bytes had been used.
 */
enum margay_status margay_xz_read(struct margay_xz *xz, void *buffer,
                                  size_t bytes, size_t *got,
                                  const char **reason, uint64_t *position,
                                  struct margay_error *error);

/* NULL is fine. */
void margay_xz_free(struct margay_xz *xz);

#endif
