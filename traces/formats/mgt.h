/*
 * mgt.h - the compact format: how a trace lies in a file
 *
 * docs/formats.md has it byte by byte.  A file is a header, blocks of up to
 * 65,536 entries that can be read without the ones before them, and a footer
 * with counts and the place of every block.  All numbers are little-endian;
 * every part has a CRC-32 of its own.
 *
 * In a block, what belongs together lies together, in columns: the numbers,
 * what the references do and cover, and, where the trace has them, counts,
 * threads and code sites.  mgt_column.c codes a column, mgt_stream.c compresses
 * it, mgt_block.c makes a block of columns, mgt_write.c and mgt_read.c a file
 * of blocks.
 */
#ifndef MARGAY_TRACES_FORMATS_MGT_H
#define MARGAY_TRACES_FORMATS_MGT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "traces/formats/format.h"

#define MARGAY_MGT_VERSION 1

/* No byte of it survives a transfer as text. */
#define MARGAY_MGT_MAGIC       "\x89MGT\r\n\x1a\n"
#define MARGAY_MGT_END_MAGIC   "\n\x1a\r\nTGM\x89"
#define MARGAY_MGT_MAGIC_BYTES 8

#define MARGAY_MGT_HEADER_BYTES       20
#define MARGAY_MGT_BLOCK_HEADER_BYTES 28
#define MARGAY_MGT_FOOTER_BYTES       56 /* without the places of blocks */
#define MARGAY_MGT_PLACE_BYTES        16
#define MARGAY_MGT_TRAILER_BYTES      24

#define MARGAY_MGT_BLOCK_MARK  UINT32_C(0x6274676d) /* "mgtb" */
#define MARGAY_MGT_FOOTER_MARK UINT32_C(0x6574676d) /* "mgte" */

#define MARGAY_MGT_BLOCK_ENTRIES ((size_t)65536 >> MARGAY_SHRINK)

/* The columns, in the order in which a block has them. */
enum margay_mgt_column_name {
    MARGAY_MGT_NUMBERS,
    MARGAY_MGT_ACCESSES, /* kind + 4 * extent */
    MARGAY_MGT_COUNTS,
    MARGAY_MGT_THREADS,
    MARGAY_MGT_SITES,
};
#define MARGAY_MGT_COLUMNS 5

/* A set of columns, the sum of these; the first two are always there. */
#define MARGAY_MGT_COLUMN_BIT(name) (1u << (name))
#define MARGAY_MGT_ALWAYS           3u

/* What the header says. */
struct margay_mgt_header {
    enum margay_numbers numbers;
    unsigned columns;
    bool always_splits;
    uint64_t unit_bytes;      /* of ids; 0 = unknown */
    uint64_t collapsed_bytes; /* 0 = repeats are not counted */
};

void margay_mgt_put_header(const struct margay_mgt_header *header,
                           uint8_t bytes[MARGAY_MGT_HEADER_BYTES]);

/* Returns NULL, or what was expected. */
const char *margay_mgt_take_header(const uint8_t bytes[MARGAY_MGT_HEADER_BYTES],
                                   struct margay_mgt_header *header);

/* CRC-32 as in gzip and PNG, of what `crc` is of and then these bytes; begin
   with 0. */
uint32_t margay_mgt_crc(uint32_t crc, const void *bytes, size_t count);

/* --------------------------------------------------------- little-endian -- */

static inline uint64_t margay_mgt_get(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | from[i];
    return value;
}

static inline void margay_mgt_put(uint8_t *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++, value >>= 8)
        to[i] = (uint8_t)value;
}

/* Is it the check sum that is stored here?  A fuzzer, which cannot know what
   would be, may have any. */
static inline bool margay_mgt_is_crc(uint32_t crc, const uint8_t *stored)
{
    return MARGAY_SHRINK != 0 || margay_mgt_get(stored, 4) == crc;
}

/* ---------------------------------------------------------- compression -- */

struct margay_mgt_packer; /* compresses, or decompresses, many streams */

/* For one of both.  MARGAY_NO_MEMORY.  The caller owns *packer. */
enum margay_status margay_mgt_packer_create(bool compresses,
                                            struct margay_mgt_packer **packer,
                                            struct margay_error *error);
void margay_mgt_packer_free(
    struct margay_mgt_packer *packer); /* NULL is fine */

/* Bytes of a stream: raw bytes, stored bytes, and these. */
#define MARGAY_MGT_STREAM_BYTES(raw) (8 + (size_t)(raw))

/* Append a stream, compressed if that makes it shorter; returns its end, or
   NULL for want of memory. */
uint8_t *margay_mgt_pack(struct margay_mgt_packer *packer, const uint8_t *raw,
                         size_t raw_bytes, uint8_t *to);

/* Expand the stream at *cursor, of at most `room` bytes raw, to `raw`, and go
   past it.  Returns NULL, or what was expected. */
const char *margay_mgt_unpack(struct margay_mgt_packer *packer,
                              const uint8_t **cursor, const uint8_t *end,
                              uint8_t *raw, size_t room, size_t *raw_bytes);

/* --------------------------------------------------------------- columns -- */

enum margay_mgt_coding {
    MARGAY_MGT_CONSTANT,   /* all values are the same */
    MARGAY_MGT_DICTIONARY, /* up to 256 values, and a byte for each entry */
    MARGAY_MGT_BACK,       /* the difference to one of the 64 values before */
};

#define MARGAY_MGT_DICTIONARY_VALUES 256
#define MARGAY_MGT_BACK_VALUES       64

/* The most that a column of so many entries takes up in a block. */
#define MARGAY_MGT_COLUMN_BYTES(entries)                                \
    (4 + 8 * MARGAY_MGT_DICTIONARY_VALUES + 4 * (size_t)8 + (entries) + \
     8 * (size_t)(entries))

/* Where columns are coded; one for all, one after the other. */
struct margay_mgt_encoder;
enum margay_status margay_mgt_encoder_create(
    struct margay_mgt_encoder **encoder, struct margay_error *error);
void margay_mgt_encoder_free(struct margay_mgt_encoder *encoder);

/*
 * Append a column of up to MARGAY_MGT_BLOCK_ENTRIES values, before which lie
 * MARGAY_MGT_BACK_VALUES zeros; returns its end, or NULL for want of memory.
 */
uint8_t *margay_mgt_encode(struct margay_mgt_encoder *encoder,
                           enum margay_mgt_column_name name,
                           const uint64_t *values, size_t count, uint8_t *to);

/* A column that is being read. */
struct margay_mgt_column {
    enum margay_mgt_coding coding;
    size_t left; /* values to come */
    uint64_t dictionary[MARGAY_MGT_DICTIONARY_VALUES];
    size_t dictionary_values;
    const uint8_t *control;   /* of the next value */
    const uint8_t *deltas[4]; /* by their width: none, 1, 2, 8 bytes */
    uint8_t *room;            /* for both; owned */
    uint64_t before[MARGAY_MGT_BACK_VALUES]; /* the last one last */
};

void margay_mgt_column_free(struct margay_mgt_column *column);

/* Begin to read the column `name` at *cursor, of `count` values, and go past
   it.  Returns NULL, or what was expected; *no_memory: that was not it. */
const char *margay_mgt_decode(struct margay_mgt_packer *packer,
                              enum margay_mgt_column_name name,
                              const uint8_t **cursor, const uint8_t *end,
                              size_t count, struct margay_mgt_column *column,
                              bool *no_memory);

/* The next `count` <= column->left values. */
void margay_mgt_column_next(struct margay_mgt_column *column, uint64_t *values,
                            size_t count);

/* ---------------------------------------------------------------- blocks -- */

struct margay_mgt_block_header {
    uint32_t payload_bytes, entries;
    uint64_t references;
    uint8_t payload_crc[4];
};

/* The most that a block's payload can be. */
#define MARGAY_MGT_PAYLOAD_BYTES \
    (MARGAY_MGT_COLUMNS * MARGAY_MGT_COLUMN_BYTES(MARGAY_MGT_BLOCK_ENTRIES))

/* Returns NULL, or what was expected. */
const char *margay_mgt_take_block_header(
    const uint8_t bytes[MARGAY_MGT_BLOCK_HEADER_BYTES],
    struct margay_mgt_block_header *header);

/* A block that is being filled. */
struct margay_mgt_builder;
enum margay_status margay_mgt_builder_create(
    struct margay_mgt_builder **builder, struct margay_error *error);
void margay_mgt_builder_free(struct margay_mgt_builder *builder);

/* Take references of the batch from `from` on, until the block is full;
   returns how many. */
size_t margay_mgt_builder_take(struct margay_mgt_builder *builder,
                               unsigned columns,
                               const struct margay_batch *batch, size_t from);

size_t margay_mgt_builder_entries(const struct margay_mgt_builder *builder);

/* Code what has been taken and begin anew.  The block, header and all, is the
   builder's until then; NULL for want of memory. */
const uint8_t *margay_mgt_builder_end(struct margay_mgt_builder *builder,
                                      unsigned columns, size_t *bytes,
                                      uint64_t *references);

/* A block that is being read. */
struct margay_mgt_block {
    unsigned columns;
    size_t left; /* entries */
    uint64_t references_left;
    struct margay_mgt_column column[MARGAY_MGT_COLUMNS];
    /* Of a dictionary of accesses. */
    uint8_t kinds[MARGAY_MGT_DICTIONARY_VALUES];
    uint32_t extents[MARGAY_MGT_DICTIONARY_VALUES];
};

void margay_mgt_block_free(struct margay_mgt_block *block);

/* Begin to read a payload.  Returns NULL, or what was expected. */
const char *margay_mgt_block_begin(struct margay_mgt_block *block,
                                   struct margay_mgt_packer *packer,
                                   const struct margay_mgt_block_header *header,
                                   const uint8_t *payload, bool *no_memory);

/* Append the next entries, as many as there is room for.  Returns NULL, or
   what was expected of the entries; then none of them is appended. */
const char *margay_mgt_block_next(struct margay_mgt_block *block,
                                  struct margay_references *references);

#endif
