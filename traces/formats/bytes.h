/*
 * bytes.h - the bytes of a trace, for formats that decode them by the record
 *
 * A window on the bytes moves forward over the trace.  A format asks for as
 * many bytes as its next record takes, decodes those records that the window
 * holds whole, and moves the window past them.
 */
#ifndef MARGAY_TRACES_FORMATS_BYTES_H
#define MARGAY_TRACES_FORMATS_BYTES_H

#include "traces/formats/blocks_format.h"

#define MARGAY_BYTES_HELD ((size_t)65536)

/* Zeroed but for the source, it is at the first byte of the trace. */
struct margay_bytes {
    struct margay_block_source source;
    uint64_t offset; /* of `begin` in the trace */
    size_t begin, end;
    /* A number at the end of the window may be loaded as 8 bytes. */
    unsigned char held[MARGAY_BYTES_HELD + 8];
};

/* Have `wanted` bytes, at most MARGAY_BYTES_HELD, between `begin` and `end`;
   fewer only at the end of the trace.  Waits for no more than these. */
enum margay_status margay_bytes_need(struct margay_bytes *bytes, size_t wanted,
                                     struct margay_error *error);

static inline size_t margay_bytes_left(const struct margay_bytes *bytes)
{
    return bytes->end - bytes->begin;
}

static inline const unsigned char *margay_bytes_at(
    const struct margay_bytes *bytes)
{
    return bytes->held + bytes->begin;
}

static inline void margay_bytes_pass(struct margay_bytes *bytes, size_t count)
{
    bytes->begin += count;
    bytes->offset += count;
}

/* Report the bytes at `begin` + `ahead`; returns MARGAY_BAD_INPUT. */
enum margay_status margay_bytes_fail(const struct margay_bytes *bytes,
                                     size_t ahead, const char *found,
                                     const char *expected,
                                     struct margay_error *error);

/* The end of a trace whose records are `record_bytes` long: MARGAY_END, or
   MARGAY_BAD_INPUT where half a record is left. */
enum margay_status margay_bytes_end(const struct margay_bytes *bytes,
                                    size_t record_bytes,
                                    struct margay_error *error);

#endif
