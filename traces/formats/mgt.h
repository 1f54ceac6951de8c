/*
 * mgt.h - the compact format: its layout in a file
 *
 * docs/using/formats.md describes it byte by byte.  A file is a header, blocks
 * of up to 65,536 entries that can be read without the blocks before them, the
 * modules, if it has some, and a footer with counts and an index of the blocks.
 * Events of data stand before the block among whose entries they happen.  All
 * numbers are little-endian; every part has a CRC-32 of its own.
 *
 * A block holds columns: the numbers, the kinds and extents together and, where
 * the trace has them, threads and call sites.  mgt_column.c codes and
 * compresses a column, mgt_write.c makes blocks of columns and a file of
 * blocks, and mgt_read.c reads them.
 */
#ifndef MARGAY_TRACES_FORMATS_MGT_H
#define MARGAY_TRACES_FORMATS_MGT_H

#include <zlib.h>
#include <zstd.h>

#include "traces/formats/blocks_format.h"

#define MARGAY_MGT_VERSION 1

/* A transfer as text changes some byte of it. */
#define MARGAY_MGT_MAGIC       "\x89MGT\r\n\x1a\n"
#define MARGAY_MGT_END_MAGIC   "\n\x1a\r\nTGM\x89"
#define MARGAY_MGT_MAGIC_BYTES 8

#define MARGAY_MGT_HEADER_BYTES       20
#define MARGAY_MGT_BLOCK_HEADER_BYTES 28
#define MARGAY_MGT_FOOTER_BYTES       56 /* without the index */
#define MARGAY_MGT_INDEX_ENTRY_BYTES  16
#define MARGAY_MGT_TRAILER_BYTES      24
#define MARGAY_MGT_MODULES_BYTES      12 /* without the modules */
#define MARGAY_MGT_DATA_BYTES         16 /* without the events */

#define MARGAY_MGT_BLOCK_MARK   UINT32_C(0x6274676d) /* "mgtb" */
#define MARGAY_MGT_FOOTER_MARK  UINT32_C(0x6574676d) /* "mgte" */
#define MARGAY_MGT_MODULES_MARK UINT32_C(0x6c74676d) /* "mgtl" */
#define MARGAY_MGT_DATA_MARK    UINT32_C(0x6474676d) /* "mgtd" */

#define MARGAY_MGT_BLOCK_ENTRIES ((size_t)65536 >> MARGAY_SHRINK)

/* The columns, in the order in which a block has them. */
enum margay_mgt_column_name {
    MARGAY_MGT_NUMBERS,
    MARGAY_MGT_ACCESSES, /* kind + 4 * extent */
    MARGAY_MGT_COUNTS,   /* of repeats, in traces that are no longer read */
    MARGAY_MGT_THREADS,
    MARGAY_MGT_SITES,
};
#define MARGAY_MGT_COLUMNS 5

/* The columns of events of data, as many, which are coded like those of
   entries. */
enum margay_mgt_data_column {
    MARGAY_MGT_DATA_AT = MARGAY_MGT_COLUMNS,
    MARGAY_MGT_DATA_ADDRESS,
    MARGAY_MGT_DATA_EXTENT, /* in bytes */
    MARGAY_MGT_DATA_DATUM,  /* the datum, as in data.h */
    MARGAY_MGT_DATA_ORDER,
};

/* A set of columns is the sum of their bits; every block has the first two. */
#define MARGAY_MGT_COLUMN_BIT(name) (1u << (name))
#define MARGAY_MGT_ALWAYS           3u

/* The header of a file with these columns. */
void margay_mgt_put_header(const struct margay_trace_facts *facts,
                           unsigned names,
                           uint8_t bytes[MARGAY_MGT_HEADER_BYTES]);

/* CRC-32 as in gzip and PNG.  `crc` is that of the bytes before these, 0 to
   begin. */
static inline uint32_t margay_mgt_crc(uint32_t crc, const void *bytes,
                                      size_t count)
{
    return (uint32_t)crc32_z(crc, bytes, count);
}

/* Is this the stored check sum?  A fuzzer cannot compute check sums, so its
   build accepts any. */
static inline bool margay_mgt_is_crc(uint32_t crc, const uint8_t *stored)
{
    return MARGAY_SHRINK != 0 || margay_get_little(stored, 4) == crc;
}

/* --------------------------------------------------------------- columns -- */

enum margay_mgt_coding {
    MARGAY_MGT_CONSTANT,   /* all values are the same */
    MARGAY_MGT_DICTIONARY, /* up to 256 values, and a byte for each entry */
    MARGAY_MGT_BACK,       /* differences from one of the last 64 values */
};

#define MARGAY_MGT_DICTIONARY_VALUES 256
#define MARGAY_MGT_BACK_VALUES       64

/* The most bytes of a column with this many entries. */
#define MARGAY_MGT_COLUMN_BYTES(entries)                                \
    (4 + 8 * MARGAY_MGT_DICTIONARY_VALUES + 4 * (size_t)8 + (entries) + \
     8 * (size_t)(entries))

/* Differences are stored and loaded 8 bytes at a time. */
#define MARGAY_MGT_PADDING 8

/* Memory in which columns are coded, one after the other. */
struct margay_mgt_encoder {
    ZSTD_CCtx *zstd;
    uint8_t control[MARGAY_MGT_BLOCK_ENTRIES];
    /* By width; the first array stays empty. */
    uint8_t deltas[4][MARGAY_MGT_BLOCK_ENTRIES * 8 + MARGAY_MGT_PADDING];
};

/* Append a column of up to MARGAY_MGT_BLOCK_ENTRIES values, which
   MARGAY_MGT_BACK_VALUES zeros must precede in memory.  Returns the end of the
   column, or NULL where there is no memory. */
uint8_t *margay_mgt_encode(struct margay_mgt_encoder *encoder,
                           enum margay_mgt_column_name name,
                           const uint64_t *values, size_t count, uint8_t *to);

/* A column while it is read. */
struct margay_mgt_column {
    enum margay_mgt_coding coding;
    size_t left; /* values not yet given */
    uint64_t dictionary[MARGAY_MGT_DICTIONARY_VALUES];
    size_t dictionary_values;
    const uint8_t *control;   /* of the next value */
    const uint8_t *deltas[4]; /* by width: 0, 1, 2, 8 bytes */
    uint8_t *buffer;          /* holds control and deltas; owned */
    uint64_t before[MARGAY_MGT_BACK_VALUES]; /* the last values, in order */
};

void margay_mgt_column_free(struct margay_mgt_column *column);

/* Begin to read the column `name` of `count` values at *cursor, and advance
   *cursor past it.  Returns NULL, or what was expected instead of the bytes:
   margay_mgt_lacks_memory where they are not at fault. */
const char *margay_mgt_decode(ZSTD_DCtx *zstd, enum margay_mgt_column_name name,
                              const uint8_t **cursor, const uint8_t *end,
                              size_t count, struct margay_mgt_column *column);
extern const char margay_mgt_lacks_memory[];

/* Give the next `count` <= column->left values. */
void margay_mgt_column_next(struct margay_mgt_column *column, uint64_t *values,
                            size_t count);

/* The most bytes of the payload of a block, or of events of data. */
#define MARGAY_MGT_PAYLOAD_BYTES \
    (MARGAY_MGT_COLUMNS * MARGAY_MGT_COLUMN_BYTES(MARGAY_MGT_BLOCK_ENTRIES))

extern const struct margay_blocks_reading margay_mgt_reading; /* mgt_read.c */

#endif
