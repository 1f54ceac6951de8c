/*
 * zip.c - what the end of a zip says of its members
 *
 * Source: PKWARE's APPNOTE.  libarchive, which reads the members in their
 *   order, passes over one whose header is damaged; the table of contents
 *   behind the members tells that it was there.
 */
#include "traces/formats/zip.h"

#include <stdbool.h>

#include "traces/formats/format.h"

/* What begins the record that ends a zip, its length, and that of an entry of
   the table of contents without its names. */
#define END         0x06054b50
#define END_BYTES   22
#define ENTRY_BYTES 46

static uint64_t get16(const unsigned char *from)
{
    return margay_get_little(from, 2);
}

static uint64_t get32(const unsigned char *from)
{
    return margay_get_little(from, 4);
}

/* Do the entries of the table, of `bytes` bytes, sum up to this many?  Those
   with lengths of 64 bits keep these elsewhere. */
static bool sums_up(const unsigned char *entry, size_t bytes,
                    uint64_t member_bytes)
{
    uint64_t sum = 0;
    while (bytes >= ENTRY_BYTES) {
        uint64_t taken = ENTRY_BYTES + get16(entry + 28) + get16(entry + 30) +
                         get16(entry + 32);
        if (get32(entry + 24) == UINT32_MAX)
            return true;
        if (taken > bytes)
            return false;
        sum += get32(entry + 24);
        entry += taken;
        bytes -= taken;
    }
    return sum == member_bytes;
}

const char *margay_zip_check_end(const unsigned char *tail, size_t held,
                                 uint64_t members, uint64_t member_bytes)
{
    const unsigned char *record = NULL;
    for (size_t left = END_BYTES; left <= held && record == NULL; left++)
        record = get32(tail + held - left) == END ? tail + held - left : NULL;
    if (record == NULL)
        return "unexpected end";
    uint64_t named = get16(record + 10), bytes = get32(record + 12);
    bool right = named == UINT16_MAX || named == (members & UINT16_MAX);
    if (right && bytes <= (size_t)(record - tail))
        right = sums_up(record - bytes, bytes, member_bytes);
    return right ? NULL : "other members than its table of contents names";
}
