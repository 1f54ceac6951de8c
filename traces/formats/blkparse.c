/*
 * blkparse.c - what blkparse prints of requests to block devices
 *
 *     8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]
 *
 * Device, processor, number, seconds, process, action, what is done, first
 * sector, sectors, program.  A request passes through several actions; it
 * counts where it is queued, Q, and nowhere else.  One that neither reads nor
 * writes, or discards, is no reference.  Lines behind the first record that
 * begin with no device are the summary.
 */
#include "traces/base/fnv.h"
#include "traces/formats/log.h"

#define SECTOR_BYTES 512
#define EXPECTED                                                             \
    "a line of blkparse: device, processor, number, time, process, action, " \
    "what is done, sector + sectors"

/* "8,0": true if the word is a device. */
static bool is_device(const char *word, const char *end)
{
    uint64_t number;
    const char *comma = memchr(word, ',', (size_t)(end - word));
    return comma != NULL && margay_log_number(word, comma, &number) &&
           margay_log_number(comma + 1, end, &number);
}

/* Seconds, a point and digits. */
static bool take_time(const char *word, const char *end, uint64_t *seconds)
{
    uint64_t digits;
    const char *point = memchr(word, '.', (size_t)(end - word));
    return point != NULL && margay_log_number(word, point, seconds) &&
           margay_log_number(point + 1, end, &digits);
}

/* SECTOR + SECTORS, in bytes. */
static const char *take_sectors(const char *word, const char *end,
                                struct margay_row_reference *row)
{
    uint64_t sectors;
    const char *plus = margay_log_next(word, end);
    const char *count = margay_log_next(plus, end);
    if (!margay_log_number(word, margay_log_word(word, end), &row->number) ||
        plus == end || *plus != '+' ||
        !margay_log_number(count, margay_log_word(count, end), &sectors))
        return EXPECTED;
    if (sectors >= (UINT64_C(1) << 32) / SECTOR_BYTES)
        return "a request below 4294967296 bytes";
    if (row->number >
        ((UINT64_C(1) << 48) - (UINT64_C(1) << 32)) / SECTOR_BYTES)
        return "a sector below 2^39, as the device stands above its bytes";
    row->number *= SECTOR_BYTES;
    row->size = sectors * SECTOR_BYTES;
    row->extent = (uint32_t)row->size;
    return NULL;
}

static const char *parse(struct margay_log *log, const char *line,
                         const char *end, struct margay_row_reference *row)
{
    const char *words[8] = {line}; /* of which the last is the sector */
    for (unsigned i = 1; i < 8; i++)
        words[i] = margay_log_next(words[i - 1], end);
    log->cursor = end;
    row->count = 0;
    const char *device_end = margay_log_word(line, end);
    if (!is_device(line, device_end))
        return log->begun ? NULL : EXPECTED;
    if (!take_time(words[3], margay_log_word(words[3], end), &row->time) ||
        words[6] == end)
        return EXPECTED;
    log->begun = true;
    size_t bytes = (size_t)(margay_log_word(words[6], end) - words[6]);
    bool reads = memchr(words[6], 'R', bytes) != NULL;
    bool writes = memchr(words[6], 'W', bytes) != NULL;
    if (margay_log_word(words[5], end) != words[5] + 1 || *words[5] != 'Q' ||
        memchr(words[6], 'D', bytes) != NULL || (!reads && !writes))
        return NULL;
    uint64_t hash = margay_fnv1a(line, (size_t)(device_end - line));
    uint64_t device = hash & UINT16_MAX;
    const char *expected = take_sectors(words[7], end, row);
    if (expected == NULL)
        expected = margay_device_claim(&log->devices, hash, &device);
    row->count = 1;
    row->number |= device << 48;
    row->op = writes ? MARGAY_SET : MARGAY_GET;
    return expected;
}

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    return margay_log_decode(text, references, parse);
}

const struct margay_format margay_format_blkparse = {
    .info = {.name = "blkparse",
             .description = "blkparse: requests to devices, where queued",
             .suffixes = "blkparse",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                        MARGAY_COLUMN_SIZES | MARGAY_COLUMN_TIMES |
                        MARGAY_COLUMN_OPS,
             .kinds =
                 MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_WRITE),
             .splits = true,
             .empty_extents = true,
             .usual_block_bytes = 4096},
    .decode = decode,
    .recognise = decode,
    .create_state = margay_log_create,
    .free_state = margay_log_free,
};
