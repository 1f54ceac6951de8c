/*
 * mgt_column.c - a column of numbers in a block of the format mgt
 *
 * Algorithm: the writer takes the first of three codings that fits.
 *
 *   constant: all values are equal, and the value is stored once.
 *
 *   dictionary: the values, at most 256, and for each entry a byte that selects
 *   one.  Not used for the numbers themselves.
 *
 *   back: a control byte for each entry.  Its low six bits select the nearest
 *   of the last 64 values (0 = the last one), its high two bits the width of
 *   the difference from it: 0, 1, 2 or 8 bytes.  64 zeros precede the first
 *   value.  Differences are folded, so that small ones have few bits with
 *   either sign: 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ...
 *
 *   A loop then gives the same bytes again and again, however many arrays it
 *   walks through: the entry of one turn ago is always equally far back, and
 *   the difference is the stride.  Such streams compress well, and the reader
 *   needs only the values that it has just written.
 *
 * Cost: measured on traces of programs, the difference from the last value
 *   alone takes twice the space, and so do tables of slots with a replacement
 *   policy; predictions from a hash of the last differences take as much space
 *   or more; a list in the order of last use takes the same space, but its
 *   reader has to move entries.
 */
#include <stdlib.h>
#include <zstd_errors.h>

#include "traces/formats/mgt.h"

/* --------------------------------------------------------------- streams -- */

/* A stream begins with its raw and its stored length, 32 bits each.  If these
   are equal the bytes are stored raw, because compression made them no
   shorter. */

#define EXPECTS_STREAM "a stream as long as it says"

/* Higher levels take twice the time and more, and save a twentieth. */
#define LEVEL 1

/* Append a stream, compressed if that makes it shorter.  Returns its end, or
   NULL where there is no memory. */
static uint8_t *put_stream(ZSTD_CCtx *zstd, const uint8_t *raw,
                           size_t raw_bytes, uint8_t *to)
{
    size_t bytes = raw_bytes;
    if (raw_bytes > 0)
        bytes = ZSTD_compressCCtx(zstd, to + 8, raw_bytes - 1, raw, raw_bytes,
                                  LEVEL);
    if (ZSTD_isError(bytes) &&
        ZSTD_getErrorCode(bytes) != ZSTD_error_dstSize_tooSmall)
        return NULL;
    if (ZSTD_isError(bytes)) {
        bytes = raw_bytes;
        memcpy(to + 8, raw, raw_bytes);
    }
    margay_put_little(to, raw_bytes, 4);
    margay_put_little(to + 4, bytes, 4);
    return to + 8 + bytes;
}

/* Decompress the stream at *cursor into `raw`, which has `capacity` bytes, and
   advance *cursor past it. */
static const char *take_stream(ZSTD_DCtx *zstd, const uint8_t **cursor,
                               const uint8_t *end, uint8_t *raw,
                               size_t capacity, size_t *raw_bytes)
{
    if (end - *cursor < 8)
        return EXPECTS_STREAM;
    size_t wanted = margay_get_little(*cursor, 4);
    size_t stored = margay_get_little(*cursor + 4, 4);
    const uint8_t *bytes = *cursor + 8;
    if (wanted > capacity || stored > wanted || stored > (size_t)(end - bytes))
        return EXPECTS_STREAM;
    *cursor = bytes + stored;
    *raw_bytes = wanted;
    if (stored == wanted)
        memcpy(raw, bytes, stored);
    else if (ZSTD_decompressDCtx(zstd, raw, wanted, bytes, stored) != wanted)
        return "a stream that zstd can decompress";
    return NULL;
}

#define EXPECTS_COLUMN "a column that its coding allows"

static const uint8_t widths[4] = {0, 1, 2, 8};

/* ------------------------------------------------------------- encoding -- */

/* Twice the largest number of values. */
#define SLOTS 512

struct dictionary {
    uint64_t values[MARGAY_MGT_DICTIONARY_VALUES];
    size_t count;
    uint16_t slots[SLOTS]; /* 1 + the index of a value; 0 = free */
};

/* The index of the value, which is added if it is new; -1 if the dictionary is
   full. */
static int index_of(struct dictionary *dictionary, uint64_t value)
{
    size_t slot = (value * UINT64_C(0x9e3779b97f4a7c15)) >> 55;
    for (;; slot = (slot + 1) % SLOTS) {
        int index = dictionary->slots[slot] - 1;
        if (index >= 0 && dictionary->values[index] == value)
            return index;
        if (index < 0)
            break;
    }
    if (dictionary->count == MARGAY_MGT_DICTIONARY_VALUES)
        return -1;
    dictionary->values[dictionary->count++] = value;
    dictionary->slots[slot] = (uint16_t)dictionary->count;
    return (int)dictionary->count - 1;
}

static bool fill_dictionary(struct dictionary *dictionary,
                            const uint64_t *values, size_t count,
                            uint8_t *control)
{
    *dictionary = (struct dictionary){.count = 0};
    for (size_t i = 0; i < count; i++) {
        int index = index_of(dictionary, values[i]);
        if (index < 0)
            return false;
        control[i] = (uint8_t)index;
    }
    return true;
}

static inline uint64_t fold(uint64_t difference)
{
    return difference << 1 ^ -(difference >> 63);
}

static inline uint64_t unfold(uint64_t folded)
{
    return folded >> 1 ^ -(folded & 1);
}

/* The narrowest width, as an index of `widths`. */
static inline unsigned width_of(uint64_t folded)
{
    return (folded > 0) + (folded > UINT8_MAX) + (folded > UINT16_MAX);
}

/* The search stops at a folded difference below these: the first for the value
   as far back as last time, the second for any other. */
#define NEAR_AGAIN 16
#define NEAR       256

/* Find how far back the nearest of the last values is, or the first that is
   near enough, and the folded difference from it.  `back` is the distance of
   last time. */
static unsigned find_base(const uint64_t *value, unsigned back,
                          uint64_t *folded)
{
    uint64_t again = fold(*value - value[-1 - (int)back]);
    uint64_t least = UINT64_MAX;
    unsigned nearest = 0;
    *folded = again;
    if (again < NEAR_AGAIN)
        return back;
    for (unsigned i = 0; i < MARGAY_MGT_BACK_VALUES && least >= NEAR; i++) {
        uint64_t other = fold(*value - value[-1 - (int)i]);
        nearest = other < least ? i : nearest;
        least = other < least ? other : least;
    }
    /* If the difference is no narrower, the same distance as last time
       compresses best. */
    if (width_of(least) == width_of(again))
        return back;
    *folded = least;
    return nearest;
}

static uint8_t *encode_back(struct margay_mgt_encoder *encoder,
                            const uint64_t *values, size_t count, uint8_t *to)
{
    uint8_t *deltas[4];
    unsigned back = 0;
    for (unsigned w = 0; w < 4; w++)
        deltas[w] = encoder->deltas[w];
    for (size_t i = 0; i < count; i++) {
        uint64_t folded;
        back = find_base(&values[i], back, &folded);
        unsigned w = width_of(folded);
        encoder->control[i] = (uint8_t)(w << 6 | back);
        margay_put_little(deltas[w], folded, 8);
        deltas[w] += widths[w];
    }
    to = put_stream(encoder->zstd, encoder->control, count, to);
    for (unsigned w = 1; w < 4 && to != NULL; w++)
        to = put_stream(encoder->zstd, encoder->deltas[w],
                        (size_t)(deltas[w] - encoder->deltas[w]), to);
    return to;
}

static uint8_t *put_values(uint8_t *to, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++, to += 8)
        margay_put_little(to, values[i], 8);
    return to;
}

uint8_t *margay_mgt_encode(struct margay_mgt_encoder *encoder,
                           enum margay_mgt_column_name name,
                           const uint64_t *values, size_t count, uint8_t *to)
{
    struct dictionary dictionary;
    *to++ = (uint8_t)name;
    /* All values are the same if each is the one before it. */
    if (memcmp(values, values + 1, (count - 1) * sizeof *values) == 0) {
        *to++ = MARGAY_MGT_CONSTANT;
        return put_values(to, values, 1);
    }
    if (name != MARGAY_MGT_NUMBERS &&
        fill_dictionary(&dictionary, values, count, encoder->control)) {
        *to++ = MARGAY_MGT_DICTIONARY;
        margay_put_little(to, dictionary.count, 2);
        to = put_values(to + 2, dictionary.values, dictionary.count);
        return put_stream(encoder->zstd, encoder->control, count, to);
    }
    *to++ = MARGAY_MGT_BACK;
    return encode_back(encoder, values, count, to);
}

/* ------------------------------------------------------------- decoding -- */

/* Where a stream begins in the buffer of a column: control bytes first, then
   differences by width. */
static size_t stream_begin(unsigned stream)
{
    size_t before = 0;
    for (unsigned w = 0; w < stream; w++)
        before += MARGAY_MGT_BLOCK_ENTRIES * (size_t)(w == 0 ? 1 : widths[w]) +
                  MARGAY_MGT_PADDING;
    return before;
}

void margay_mgt_column_free(struct margay_mgt_column *column)
{
    free(column->buffer);
    column->buffer = NULL;
}

static const char *take_values(const uint8_t **cursor, const uint8_t *end,
                               size_t count, struct margay_mgt_column *column)
{
    if ((size_t)(end - *cursor) < 8 * count)
        return EXPECTS_COLUMN;
    for (size_t i = 0; i < count; i++, *cursor += 8)
        column->dictionary[i] = margay_get_little(*cursor, 8);
    column->dictionary_values = count;
    return NULL;
}

/* Bytes examined together: compilers turn loops of fixed length into vector
   instructions. */
#define TOGETHER 64

static uint8_t highest_of(const uint8_t *bytes, size_t count)
{
    uint8_t highest[TOGETHER] = {0}, all = 0;
    size_t i = 0;
    for (; i + TOGETHER <= count; i += TOGETHER) {
        for (size_t k = 0; k < TOGETHER; k++)
            highest[k] = bytes[i + k] > highest[k] ? bytes[i + k] : highest[k];
    }
    for (; i < count; i++)
        highest[0] = bytes[i] > highest[0] ? bytes[i] : highest[0];
    for (size_t k = 0; k < TOGETHER; k++)
        all = highest[k] > all ? highest[k] : all;
    return all;
}

/* How many control bytes select each width. */
static void count_widths(const uint8_t *control, size_t count, size_t wanted[4])
{
    size_t i = 0, from[4] = {0}; /* of this width or a wider one */
    for (; i + TOGETHER <= count; i += TOGETHER) {
        uint8_t sums[3] = {0};
        for (size_t k = 0; k < TOGETHER; k++)
            sums[0] = (uint8_t)(sums[0] + (control[i + k] >= 1 << 6));
        for (size_t k = 0; k < TOGETHER; k++)
            sums[1] = (uint8_t)(sums[1] + (control[i + k] >= 2 << 6));
        for (size_t k = 0; k < TOGETHER; k++)
            sums[2] = (uint8_t)(sums[2] + (control[i + k] >= 3 << 6));
        for (unsigned w = 1; w < 4; w++)
            from[w] += sums[w - 1];
    }
    for (; i < count; i++) {
        for (unsigned w = 1; w < 4; w++)
            from[w] += control[i] >= w << 6;
    }
    for (unsigned w = 1; w < 4; w++)
        wanted[w] = from[w] - (w < 3 ? from[w + 1] : 0);
}

static const char *decode_dictionary(ZSTD_DCtx *zstd, const uint8_t **cursor,
                                     const uint8_t *end, size_t count,
                                     struct margay_mgt_column *column)
{
    if (end - *cursor < 2)
        return EXPECTS_COLUMN;
    size_t values = margay_get_little(*cursor, 2), bytes;
    *cursor += 2;
    if (values < 1 || values > MARGAY_MGT_DICTIONARY_VALUES)
        return EXPECTS_COLUMN;
    const char *expected = take_values(cursor, end, values, column);
    if (expected == NULL)
        expected = take_stream(zstd, cursor, end, column->buffer,
                               MARGAY_MGT_BLOCK_ENTRIES, &bytes);
    if (expected != NULL)
        return expected;
    return bytes == count && highest_of(column->buffer, count) < values
               ? NULL
               : EXPECTS_COLUMN;
}

static const char *decode_back(ZSTD_DCtx *zstd, const uint8_t **cursor,
                               const uint8_t *end, size_t count,
                               struct margay_mgt_column *column)
{
    size_t bytes, wanted[4];
    const char *expected = take_stream(zstd, cursor, end, column->buffer,
                                       MARGAY_MGT_BLOCK_ENTRIES, &bytes);
    if (expected != NULL || bytes != count)
        return expected == NULL ? EXPECTS_COLUMN : expected;
    count_widths(column->buffer, count, wanted);
    for (unsigned w = 1; w < 4 && expected == NULL; w++) {
        uint8_t *deltas = column->buffer + stream_begin(w);
        expected =
            take_stream(zstd, cursor, end, deltas,
                        MARGAY_MGT_BLOCK_ENTRIES * (size_t)widths[w], &bytes);
        if (expected == NULL && bytes != wanted[w] * widths[w])
            expected = EXPECTS_COLUMN;
        column->deltas[w] = deltas;
    }
    column->deltas[0] = column->buffer;
    memset(column->before, 0, sizeof column->before);
    return expected;
}

const char margay_mgt_lacks_memory[] = "memory for a column";

const char *margay_mgt_decode(ZSTD_DCtx *zstd, enum margay_mgt_column_name name,
                              const uint8_t **cursor, const uint8_t *end,
                              size_t count, struct margay_mgt_column *column)
{
    if (end - *cursor < 2 || **cursor != name)
        return "another column";
    column->coding = (*cursor)[1];
    *cursor += 2;
    column->left = count;
    if (column->coding == MARGAY_MGT_CONSTANT)
        return take_values(cursor, end, 1, column);
    if (column->buffer == NULL)
        column->buffer = calloc(1, stream_begin(4));
    column->control = column->buffer;
    if (column->buffer == NULL)
        return margay_mgt_lacks_memory;
    if (column->coding == MARGAY_MGT_DICTIONARY)
        return decode_dictionary(zstd, cursor, end, count, column);
    if (column->coding == MARGAY_MGT_BACK)
        return decode_back(zstd, cursor, end, count, column);
    return "a coding that is known";
}

/* The base values precede `values` in memory. */
static void add_back(struct margay_mgt_column *column, uint64_t *values,
                     size_t count)
{
    static const uint64_t masks[4] = {0, UINT8_MAX, UINT16_MAX, UINT64_MAX};
    const uint8_t *control = column->control;
    const uint8_t *deltas[4];
    memcpy(deltas, column->deltas, sizeof deltas);
    for (size_t i = 0; i < count; i++) {
        unsigned w = control[i] >> 6;
        uint64_t folded = margay_get_little(deltas[w], 8) & masks[w];
        deltas[w] += widths[w];
        values[i] =
            values[(ptrdiff_t)i - 1 - (control[i] & 63)] + unfold(folded);
    }
    memcpy(column->deltas, deltas, sizeof deltas);
    column->control += count;
}

/* The array of the caller does not have the values before its first one.  So
   the first 64 are made in a window after these, and all others in the
   array. */
static void next_back(struct margay_mgt_column *column, uint64_t *values,
                      size_t count)
{
    enum { BEFORE = MARGAY_MGT_BACK_VALUES };
    uint64_t window[2 * BEFORE];
    size_t head = count < BEFORE ? count : BEFORE;
    memcpy(window, column->before, sizeof column->before);
    add_back(column, window + BEFORE, head);
    memcpy(values, window + BEFORE, head * sizeof *values);
    add_back(column, values + head, count - head);
    const uint64_t *last =
        count > BEFORE ? values + count - BEFORE : window + head;
    memcpy(column->before, last, sizeof column->before);
}

void margay_mgt_column_next(struct margay_mgt_column *column, uint64_t *values,
                            size_t count)
{
    column->left -= count;
    switch (column->coding) {
    case MARGAY_MGT_CONSTANT:
        for (size_t i = 0; i < count; i++)
            values[i] = column->dictionary[0];
        break;
    case MARGAY_MGT_DICTIONARY:
        for (size_t i = 0; i < count; i++)
            values[i] = column->dictionary[column->control[i]];
        column->control += count;
        break;
    case MARGAY_MGT_BACK:
        next_back(column, values, count);
        break;
    }
}
