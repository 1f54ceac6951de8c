/*
 * row.h - from the fields of a row to a reference
 *
 * Ids.  One field that is a decimal number of at most 64 bits is an id as it
 *   stands.  Any other text is a key, and so are several fields: their bytes,
 *   in the order in which the columns were named, with a NUL byte between two,
 *   which no field holds.  The id is the 64-bit FNV-1a hash of the key.
 *
 * Addresses and code sites.  A decimal number, or a hexadecimal one after 0x;
 *   any other text of a site is a key as above.
 *
 * Devices.  The upper 16 bits of a number hold the device (in meta-block 38).
 *   A device named by a decimal number that fits these bits has that number;
 *   any other name, and several fields, joined as above, have the lowest bits
 *   of the hash.  Of 16 bits, a number that another device of the trace has
 *   already is not given twice: the next free one is.  So the number depends on
 *   the device alone, and a trace in several files may be analysed in turn,
 *   unless two of its devices collide.
 */
#ifndef MARGAY_TRACES_FORMATS_ROW_H
#define MARGAY_TRACES_FORMATS_ROW_H

#include "traces/base/checked.h"
#include "traces/formats/layout.h"

/* A field without its quotes.  MARGAY_TEXT_PADDING bytes are readable after
   it. */
struct margay_field {
    const char *text;
    size_t bytes;
    uint64_t value; /* of a decimal number of at most 64 bits */
    bool decimal;   /* it is a number */
};

/* A word that has been read, and its operation. */
#define MARGAY_WORD_BYTES 24
struct margay_known_word {
    char text[MARGAY_WORD_BYTES];
    size_t bytes; /* 0 = none yet */
};

/* More than the longest date. */
#define MARGAY_DATE_BYTES 48

struct margay_rows {
    const struct margay_layout *layout;
    struct margay_choice choice; /* the columns that the trace has */
    /* The bytes that offsets count, or those that --unit says an id stands for;
       0 = ids are names. */
    uint64_t unit_bytes;
    struct margay_known_word words[MARGAY_OPS];
    uint64_t *devices; /* the identity that has each number; NULL = none */
    struct margay_names *tenants; /* NULL = they need no numbers */
    bool in_first_row;            /* for messages */
    bool lacks_times;             /* none are wanted, so that any will do */
    uint64_t last_time; /* in microseconds, that a row has said, by this date */
    char date[MARGAY_DATE_BYTES];
    size_t date_bytes; /* 0 = by none */
    /* The row that is read: its fields, and how many columns it has. */
    const struct margay_field *fields;
    size_t columns;
    struct margay_field split[MARGAY_TAKES]; /* the lists, with HTTP split in
                                                two */
    char message[512];                       /* what was expected */
};

/* A row, with a time in microseconds. */
struct margay_row_reference {
    uint64_t number, size, time, ttl, request, site, cost;
    uint32_t tenant, thread;
    uint32_t extent;
    uint32_t count; /* 0 = the row stands for nothing */
    uint8_t op;
    uint8_t kind_said; /* 1 + enum margay_kind; 0 = the operation says it */
};

/* The identity of a device, by its number or the hash of its name: it is not 0,
   and no name has that of a number. */
#define MARGAY_NAMED_DEVICE(hash)      ((hash) | UINT64_C(1) << 63)
#define MARGAY_NUMBERED_DEVICE(number) ((number) + 1)

/* Give a device the number that it has already, or else the first free one of
   `bits` bits, 16 or 20, from *number on.  *devices is NULL at first; the
   caller frees it.  Returns NULL, or what was expected. */
const char *margay_device_claim(uint64_t **devices, unsigned bits,
                                uint64_t identity, uint64_t *number);

/* Is the whole text, of `bytes` bytes, a date from 1970 on (dates.c)?
   Then it is *time, in microseconds. */
bool margay_date_read(const char *text, size_t bytes, uint64_t *time);

/* Is the field a number of ticks, perhaps with digits after a point?  Then it
   is *time, in whole microseconds; UINT64_MAX = it is beyond these. */
bool margay_time_read(const struct margay_field *field,
                      uint64_t ticks_per_second, uint64_t *time);

/* Read digits as those after a point, of which six count.  Returns their
   end. */
static inline const char *margay_scan_millionths(const char *cursor,
                                                 const char *end,
                                                 uint64_t *millionths)
{
    uint64_t unit = MARGAY_SECOND;
    *millionths = 0;
    for (; cursor < end && (unsigned)*cursor - '0' < 10; cursor++)
        *millionths += (unit /= 10) * ((unsigned)*cursor - '0');
    return cursor;
}

/* The role that the name of a column shows, MARGAY_ROLES = none. */
unsigned margay_role_told(const char *name);

/* Set the value of a field whose text is known. */
void margay_field_value(struct margay_field *field);

/* The field of that text. */
static inline struct margay_field margay_field_of(const char *text,
                                                  size_t bytes)
{
    struct margay_field field = {.text = text, .bytes = bytes};
    margay_field_value(&field);
    return field;
}

/* Make a reference of the fields of the choice; a missing one has NULL as text.
   `columns`: how many columns the row has.  Returns NULL, or what was
   expected. */
const char *margay_rows_read(struct margay_rows *rows,
                             const struct margay_field *fields, size_t columns,
                             struct margay_row_reference *reference);

/* Append it once; unwanted columns stay unchanged. */
static inline void margay_rows_append(const struct margay_row_reference *row,
                                      struct margay_references *references)
{
    size_t i = references->count++;
    references->numbers[i] = row->number;
    if (references->kinds != NULL)
        references->kinds[i] = row->kind_said > 0      ? row->kind_said - 1
                               : row->op == MARGAY_GET ? MARGAY_READ
                                                       : MARGAY_WRITE;
    if (references->extents != NULL)
        references->extents[i] = row->extent;
    if (references->sizes != NULL)
        references->sizes[i] = row->size;
    if (references->times != NULL)
        references->times[i] = row->time;
    if (references->ttls != NULL)
        references->ttls[i] = row->ttl;
    if (references->ops != NULL)
        references->ops[i] = row->op;
    if (references->requests != NULL)
        references->requests[i] = row->request;
    if (references->tenants != NULL)
        references->tenants[i] = row->tenant;
    if (references->threads != NULL)
        references->threads[i] = row->thread;
    if (references->sites != NULL)
        references->sites[i] = row->site;
    if (references->costs != NULL)
        references->costs[i] = row->cost;
}

#endif
