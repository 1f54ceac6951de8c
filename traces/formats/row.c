/* row.c - from the fields of a row to a reference: see row.h */
#include "traces/formats/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/base/fnv.h"
#include "traces/formats/names.h"
#include "traces/formats/scan.h"

#define USUAL_DEVICE_BITS 16

/* More than the longest name of a tenant. */
#define TENANT_BYTES 256

/* A row of meta-kv and meta-block stands for its repeats within a second. */
#define MOST_COUNT 65535

/* The longest text of a number, leading zeros included. */
#define LONGEST_DECIMAL 256

void margay_field_value(struct margay_field *field)
{
    const char *text = field->text, *end = text + field->bytes;
    field->decimal = false;
    if (field->bytes == 0 || field->bytes > LONGEST_DECIMAL ||
        (unsigned)(unsigned char)*text - '0' >= 10)
        return;
    /* A digit that follows is not of the field. */
    if ((unsigned)(unsigned char)*end - '0' < 10) {
        char copy[LONGEST_DECIMAL + MARGAY_TEXT_PADDING] = "";
        memcpy(copy, text, field->bytes);
        field->decimal =
            margay_scan_decimal(copy, &field->value) == copy + field->bytes;
        return;
    }
    field->decimal = margay_scan_decimal(text, &field->value) == end;
}

/* --------------------------------------------------------------- fields -- */

static unsigned count_of(const struct margay_rows *rows, unsigned role)
{
    return rows->choice.counts[role];
}

static const struct margay_field *field_of(const struct margay_rows *rows,
                                           unsigned role, unsigned k)
{
    return &rows->fields[rows->choice.firsts[role] + k];
}

static const struct margay_named_column *column_of(
    const struct margay_rows *rows, unsigned role, unsigned k)
{
    return &rows->choice.columns[rows->choice.firsts[role] + k];
}

/* Do the fields of a line have names? */
static bool has_names(const struct margay_rows *rows)
{
    return rows->layout->syntax != MARGAY_SYNTAX_TABLE;
}

/* "WHAT in column N", or by its name; returns the length of the message. */
static int say_where(struct margay_rows *rows, unsigned role, unsigned k,
                     const char *what)
{
    const struct margay_named_column *column = column_of(rows, role, k);
    if (!has_names(rows))
        return snprintf(rows->message, sizeof rows->message,
                        "%s in column %llu", what,
                        (unsigned long long)column->number);
    return snprintf(rows->message, sizeof rows->message, "%s in '%.*s'", what,
                    (int)(column->name_bytes < 100 ? column->name_bytes : 100),
                    column->name);
}

static const char *expect(struct margay_rows *rows, unsigned role, unsigned k,
                          const char *what)
{
    say_where(rows, role, k, what);
    return rows->message;
}

static const char *expect_field(struct margay_rows *rows, unsigned role,
                                unsigned k, const char *what)
{
    char *more = rows->message + say_where(rows, role, k, what);
    size_t room = sizeof rows->message - (size_t)(more - rows->message);
    if (!has_names(rows))
        snprintf(more, room, "%s (the row has %zu column%s)",
                 rows->in_first_row ? " of the first row" : "", rows->columns,
                 margay_plural(rows->columns, "s"));
    else if (field_of(rows, role, k)->text == NULL)
        snprintf(more, room, ", which the line lacks");
    return rows->message;
}

/* Does a line by names lack an optional field? */
static bool may_lack(const struct margay_rows *rows, unsigned role, unsigned k)
{
    return has_names(rows) && count_of(rows, role) > k &&
           field_of(rows, role, k)->text == NULL &&
           column_of(rows, role, k)->optional;
}

/* The fields of a role as one key. */
static uint64_t hash_fields(const struct margay_rows *rows, unsigned role)
{
    uint64_t hash = MARGAY_FNV1A_BEGIN;
    for (unsigned k = 0; k < count_of(rows, role); k++) {
        const struct margay_field *field = field_of(rows, role, k);
        if (k > 0)
            hash = margay_fnv1a_on(hash, "", 1);
        hash = margay_fnv1a_on(hash, field->text, field->bytes);
    }
    return hash;
}

/* A decimal number, or a hexadecimal one after 0x. */
static bool is_number(const struct margay_field *field, uint64_t *number)
{
    char copy[LONGEST_DECIMAL + MARGAY_TEXT_PADDING] = "";
    *number = field->value;
    if (field->text == NULL || field->decimal || field->bytes > LONGEST_DECIMAL)
        return field->decimal;
    memcpy(copy, field->text, field->bytes);
    return margay_has_hex_prefix(copy) &&
           margay_scan_hex(copy + 2, number) == copy + field->bytes;
}

/* A number unchanged, or the hash of a key. */
static const char *read_name(struct margay_rows *rows, unsigned role,
                             const char *what, uint64_t *name)
{
    unsigned count = count_of(rows, role);
    bool is_address = role == MARGAY_ROLE_ID && rows->choice.addresses;
    bool is_offset = role == MARGAY_ROLE_ID && rows->layout->offset_bytes != 0;
    *name = 0;
    if (count == 0 || (role == MARGAY_ROLE_SITE && may_lack(rows, role, 0)))
        return NULL;
    const struct margay_field *first = field_of(rows, role, 0);
    if (count == 1 && first->decimal) {
        *name = first->value;
        return NULL;
    }
    if ((is_address || role == MARGAY_ROLE_SITE) && is_number(first, name))
        return NULL;
    if (is_address)
        return expect_field(rows, role, 0,
                            "an address, in decimal or after 0x");
    if (is_offset)
        return expect_field(rows, role, 0, "an offset in decimal");
    for (unsigned k = 0; k < count; k++) {
        const struct margay_field *field = field_of(rows, role, k);
        if ((field->text == NULL && !may_lack(rows, role, k)) ||
            (role != MARGAY_ROLE_REQUEST && count == 1 && field->bytes == 0 &&
             !rows->choice.http))
            return expect_field(rows, role, k, what);
    }
    *name = hash_fields(rows, role);
    return NULL;
}

/* "METHOD PATH PROTOCOL": an operation and an id, which is the whole of a
   request that has no path. */
static const struct margay_field *split_http(struct margay_rows *rows,
                                             const struct margay_field *fields)
{
    const struct margay_choice *choice = &rows->choice;
    struct margay_field *split = rows->split;
    struct margay_field *op = &split[choice->firsts[MARGAY_ROLE_OP]];
    struct margay_field *id = &split[choice->firsts[MARGAY_ROLE_ID]];
    memcpy(split, fields, choice->count * sizeof *fields);
    if (id->text == NULL)
        return split;
    const char *end = id->text + id->bytes;
    const char *path = margay_next_word(id->text, end);
    op->bytes = (size_t)(margay_word_end(op->text, end) - op->text);
    if (path == end)
        return split;
    /* Nearly always the only blank after a long path. */
    const char *blank = memchr(path, ' ', (size_t)(end - path));
    if (blank == NULL || memchr(path, '\t', (size_t)(blank - path)) != NULL)
        blank = margay_word_end(path, end);
    *id = margay_field_of(path, (size_t)(blank - path));
    return split;
}

/* Does the row lack a size there?  Among names, and in columns of the user's
   own, an empty field, a hyphen or null means so. */
static bool lacks_size(const struct margay_rows *rows, unsigned k)
{
    const struct margay_field *field = field_of(rows, MARGAY_ROLE_SIZE, k);
    if ((rows->layout->open || has_names(rows)) && field->text != NULL)
        return field->bytes == 0 ||
               (field->bytes == 1 && *field->text == '-') ||
               (field->bytes == 4 && memcmp(field->text, "null", 4) == 0);
    return field->bytes == 0 && column_of(rows, MARGAY_ROLE_SIZE, k)->optional;
}

static const char *read_size(struct margay_rows *rows, uint64_t *size)
{
    *size = 0;
    for (unsigned k = 0; k < count_of(rows, MARGAY_ROLE_SIZE); k++) {
        const struct margay_field *field = field_of(rows, MARGAY_ROLE_SIZE, k);
        if (lacks_size(rows, k)) {
            *size = MARGAY_SIZE_UNKNOWN;
            return NULL;
        }
        if (!field->decimal)
            return expect_field(rows, MARGAY_ROLE_SIZE, k, "a size in decimal");
        if (!margay_add_u64(*size, field->value, size) ||
            *size == MARGAY_SIZE_UNKNOWN)
            return expect(rows, MARGAY_ROLE_SIZE, k,
                          "sizes that are below 2^64 - 1 together");
    }
    return NULL;
}

/* The bytes that HTTP sends are no size of an object where they are a part, or
   none because it is unchanged, or because of HEAD. */
static const char *read_status(struct margay_rows *rows, uint64_t *size)
{
    const struct margay_field *field = field_of(rows, MARGAY_ROLE_STATUS, 0);
    const struct margay_field *op = count_of(rows, MARGAY_ROLE_OP) == 0
                                        ? field
                                        : field_of(rows, MARGAY_ROLE_OP, 0);
    if (op->text != NULL && op->bytes == 4 &&
        strncasecmp(op->text, "head", 4) == 0)
        *size = MARGAY_SIZE_UNKNOWN;
    if (may_lack(rows, MARGAY_ROLE_STATUS, 0))
        return NULL;
    if (!field->decimal && (field->bytes == 0 || *field->text != '-'))
        return expect_field(rows, MARGAY_ROLE_STATUS, 0, "a status of HTTP");
    if (field->decimal && (field->value == 206 || field->value == 304))
        *size = MARGAY_SIZE_UNKNOWN;
    return NULL;
}

/* A number up to `most` in the one column that a role has, if any. */
static const char *read_number(struct margay_rows *rows, unsigned role,
                               uint64_t most, const char *what,
                               uint64_t *number)
{
    if (count_of(rows, role) == 0 || may_lack(rows, role, 0))
        return NULL;
    const struct margay_field *field = field_of(rows, role, 0);
    if (!field->decimal || field->value > most)
        return expect_field(rows, role, 0, what);
    *number = field->value;
    return NULL;
}

/* Is the field digits, a point, and digits? */
static bool is_fraction(const struct margay_field *field, uint64_t *whole,
                        uint64_t *millionths)
{
    const char *point =
        field->text == NULL ? NULL : memchr(field->text, '.', field->bytes);
    if (point == NULL ||
        margay_scan_millionths(point + 1, field->text + field->bytes,
                               millionths) != field->text + field->bytes)
        return false;
    const struct margay_field before =
        margay_field_of(field->text, (size_t)(point - field->text));
    *whole = before.value;
    return before.decimal;
}

/* The magnitude of a time since 1970 shows its unit. */
static uint64_t epoch_ticks(uint64_t value)
{
    return value >= UINT64_C(100000000000000000) ? 1000000000
           : value >= UINT64_C(100000000000000)  ? 1000000
           : value >= MARGAY_EPOCH_MILLISECONDS  ? 1000
                                                 : 1;
}

bool margay_time_read(const struct margay_field *field,
                      uint64_t ticks_per_second, uint64_t *time)
{
    uint64_t whole = field->value, millionths = 0;
    if (!field->decimal && !is_fraction(field, &whole, &millionths))
        return false;
    if (ticks_per_second == MARGAY_EPOCH_TICKS)
        ticks_per_second = epoch_ticks(whole);
    margay_u128 ticks = (margay_u128)whole * MARGAY_SECOND + millionths;
    if (ticks_per_second > 1)
        ticks /= ticks_per_second;
    *time = ticks >> 64 == 0 ? (uint64_t)ticks : UINT64_MAX;
    return true;
}

/* A date, perhaps with its time of day in another column.  Often only the
   seconds differ from the row before, whose time is in *time at first. (A date
   that a zone puts before 1970 counts as 0.) */
static bool read_date(struct margay_rows *rows, uint64_t *time)
{
    char date[MARGAY_DATE_BYTES];
    size_t bytes = 0;
    for (unsigned k = 0; k < count_of(rows, MARGAY_ROLE_TIME); k++) {
        const struct margay_field *field = field_of(rows, MARGAY_ROLE_TIME, k);
        if (field->text == NULL || bytes + field->bytes + 1 >= sizeof date)
            return false;
        if (k > 0)
            date[bytes++] = ' ';
        memcpy(date + bytes, field->text, field->bytes);
        bytes += field->bytes;
    }
    /* Where the seconds stand, each of two digits. */
    size_t at = bytes > 2 && date[2] == '/' ? 18 : 17;
    char *known = rows->date;
    if (bytes >= at + 2 && bytes == rows->date_bytes &&
        *time > 100 * MARGAY_SECOND && (unsigned)date[at] - '0' < 10 &&
        (unsigned)date[at + 1] - '0' < 10 && memcmp(known, date, at) == 0 &&
        memcmp(known + at + 2, date + at + 2, bytes - at - 2) == 0) {
        *time += MARGAY_SECOND * (uint64_t)((date[at] - known[at]) * 10 +
                                            date[at + 1] - known[at + 1]);
        memcpy(known + at, date + at, 2);
        return true;
    }
    rows->date_bytes = margay_date_read(date, bytes, time) ? bytes : 0;
    memcpy(known, date, rows->date_bytes);
    return rows->date_bytes > 0;
}

static const char *read_time(struct margay_rows *rows, uint64_t *time)
{
    unsigned count = count_of(rows, MARGAY_ROLE_TIME);
    *time = rows->last_time;
    if (count == 0 || may_lack(rows, MARGAY_ROLE_TIME, 0))
        return NULL;
    if (count == 1 && margay_time_read(field_of(rows, MARGAY_ROLE_TIME, 0),
                                       rows->layout->ticks_per_second, time)) {
        if (*time == UINT64_MAX && !rows->lacks_times)
            return expect(rows, MARGAY_ROLE_TIME, 0, MARGAY_EXPECTS_TIME);
        rows->date_bytes = 0;
    } else if (!read_date(rows, time)) {
        return expect_field(rows, MARGAY_ROLE_TIME, 0,
                            rows->layout->open ? "a time in decimal, or a date,"
                                               : "a time in decimal");
    }
    rows->last_time = *time;
    return NULL;
}

/* None, 0 and negative numbers mean that the object stays valid. */
static const char *read_ttl(struct margay_rows *rows, uint64_t *ttl)
{
    *ttl = UINT64_MAX;
    if (count_of(rows, MARGAY_ROLE_TTL) == 0)
        return NULL;
    const struct margay_field *field = field_of(rows, MARGAY_ROLE_TTL, 0);
    if (may_lack(rows, MARGAY_ROLE_TTL, 0))
        return NULL;
    if (field->text == NULL)
        return expect_field(rows, MARGAY_ROLE_TTL, 0, "a time to live");
    bool negative = field->bytes > 0 && *field->text == '-';
    const struct margay_field magnitude =
        margay_field_of(field->text + negative, field->bytes - negative);
    if (field->bytes > 0 && !magnitude.decimal)
        return expect_field(rows, MARGAY_ROLE_TTL, 0,
                            "a time to live in decimal");
    if (field->bytes > 0 && !negative && field->value > 0)
        *ttl = field->value;
    return NULL;
}

/* The name of a tenant is its fields, joined by slashes.  A row without a
   tenant is refused even where a layout does not require it. */
static const char *read_tenant(struct margay_rows *rows, uint32_t *tenant)
{
    char name[TENANT_BYTES];
    unsigned count = count_of(rows, MARGAY_ROLE_TENANT);
    size_t bytes = 0;
    *tenant = 0;
    for (unsigned k = 0; k < count; k++) {
        const struct margay_field *field =
            field_of(rows, MARGAY_ROLE_TENANT, k);
        if (field->text == NULL || field->bytes == 0 ||
            bytes + field->bytes >= sizeof name)
            return expect_field(rows, MARGAY_ROLE_TENANT, k,
                                "a tenant, of 255 bytes at most,");
        if (k > 0)
            name[bytes++] = '/';
        memcpy(name + bytes, field->text, field->bytes);
        bytes += field->bytes;
    }
    if (count > 0 && rows->tenants != NULL &&
        !margay_names_number(rows->tenants, name, bytes, tenant))
        return "tenants for whose names there is memory";
    return NULL;
}

/* ----------------------------------------------------------- operations -- */

/* Is the text one of the words of the list, or does a word that ends in an
   asterisk match its beginning? */
static bool lists(const char *list, const char *text, size_t bytes)
{
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, " ");
        bool begins = list[length - 1] == '*';
        size_t compared = length - begins;
        if ((begins ? bytes >= compared : bytes == compared) &&
            strncasecmp(list, text, compared) == 0)
            return true;
        list += length + (list[length] == ' ');
    }
    return false;
}

unsigned margay_role_told(const char *name)
{
    static const char *const names[MARGAY_ROLES] = {
        [MARGAY_ROLE_ID] = "id key url uri object object_id obj_id",
        [MARGAY_ROLE_SIZE] = "size bytes object_size obj_size",
        [MARGAY_ROLE_OP] = "op operation",
        [MARGAY_ROLE_TIME] = "time ts timestamp",
        [MARGAY_ROLE_TTL] = "ttl",
        [MARGAY_ROLE_ADDRESS] = "address",
        [MARGAY_ROLE_KIND] = "kind",
        [MARGAY_ROLE_THREAD] = "thread",
        [MARGAY_ROLE_SITE] = "site",
        [MARGAY_ROLE_COST] = "cost",
    };
    unsigned role = 0;
    while (role < MARGAY_ROLES && !lists(names[role], name, strlen(name)))
        role++;
    return role;
}

static const char *expect_op(struct margay_rows *rows)
{
    const struct margay_layout *layout = rows->layout;
    char what[400];
    snprintf(what, sizeof what, "an operation (%s%s%s%s%s)", layout->gets,
             layout->sets == NULL ? "" : " ",
             layout->sets == NULL ? "" : layout->sets,
             layout->deletes == NULL ? "" : " ",
             layout->deletes == NULL ? "" : layout->deletes);
    return expect_field(rows, MARGAY_ROLE_OP, 0, what);
}

/* An operation, by a word that was read before, or by the lists of the layout;
   MARGAY_OPS: the row is no reference. */
static const char *read_op(struct margay_rows *rows, uint8_t *op)
{
    const struct margay_layout *layout = rows->layout;
    const char *const words[MARGAY_OPS] = {
        [MARGAY_GET] = layout->gets,
        [MARGAY_SET] = layout->sets,
        [MARGAY_DELETE] = layout->deletes,
    };
    *op = MARGAY_GET;
    if (count_of(rows, MARGAY_ROLE_OP) == 0 ||
        may_lack(rows, MARGAY_ROLE_OP, 0))
        return NULL;
    const struct margay_field *field = field_of(rows, MARGAY_ROLE_OP, 0);
    for (*op = 0; *op < MARGAY_OPS; ++*op) {
        const struct margay_known_word *known = &rows->words[*op];
        if (known->bytes == field->bytes && known->bytes > 0 &&
            memcmp(known->text, field->text, known->bytes) == 0)
            return NULL;
    }
    for (*op = 0; field->text != NULL && *op < MARGAY_OPS; ++*op) {
        struct margay_known_word *known = &rows->words[*op];
        if (!lists(words[*op], field->text, field->bytes))
            continue;
        known->bytes = field->bytes <= MARGAY_WORD_BYTES ? field->bytes : 0;
        memcpy(known->text, field->text, known->bytes);
        return NULL;
    }
    if (field->text != NULL && lists(layout->passes, field->text, field->bytes))
        return NULL;
    /* Other methods of HTTP are gets. */
    *op = MARGAY_GET;
    return field->text != NULL &&
                   (rows->choice.http || count_of(rows, MARGAY_ROLE_STATUS) > 0)
               ? NULL
               : expect_op(rows);
}

static const char *read_kind(struct margay_rows *rows, uint8_t *kind_said)
{
    static const char *const words[MARGAY_KINDS] = {
        [MARGAY_READ] = "read r load l",
        [MARGAY_WRITE] = "write w store s",
        [MARGAY_FETCH] = "fetch f",
    };
    *kind_said = 0;
    if (count_of(rows, MARGAY_ROLE_KIND) == 0 ||
        may_lack(rows, MARGAY_ROLE_KIND, 0))
        return NULL;
    const struct margay_field *field = field_of(rows, MARGAY_ROLE_KIND, 0);
    for (uint8_t kind = 0; field->text != NULL && kind < MARGAY_KINDS; kind++) {
        if (lists(words[kind], field->text, field->bytes)) {
            *kind_said = kind + 1;
            return NULL;
        }
    }
    return expect_field(rows, MARGAY_ROLE_KIND, 0,
                        "a kind (read, write, fetch, or r, w, f, load, store, "
                        "l, s)");
}

/* -------------------------------------------------------------- devices -- */

const char *margay_device_claim(uint64_t **devices, unsigned bits,
                                uint64_t identity, uint64_t *number)
{
    const uint64_t numbers = UINT64_C(1) << bits;
    if (*devices == NULL)
        *devices = calloc(numbers, sizeof **devices);
    if (*devices == NULL)
        return "a device for which there is memory";
    for (uint64_t tries = 0; tries < numbers; tries++) {
        uint64_t *slot = &(*devices)[*number];
        if (*slot == 0)
            *slot = identity;
        if (*slot == identity)
            return NULL;
        *number = (*number + 1) % numbers;
    }
    return bits == USUAL_DEVICE_BITS ? "at most 65536 devices"
                                     : "at most 1048576 files";
}

/* Put the device above the number, unless the request would reach into another
   device. */
static const char *add_device(struct margay_rows *rows,
                              struct margay_row_reference *reference)
{
    unsigned bits = rows->layout->device_bits == 0 ? USUAL_DEVICE_BITS
                                                   : rows->layout->device_bits;
    unsigned count = count_of(rows, MARGAY_ROLE_DEVICE);
    const char *expected = NULL;
    if (count == 0)
        return NULL;
    for (unsigned k = 0; k < count; k++) {
        if (field_of(rows, MARGAY_ROLE_DEVICE, k)->bytes == 0 &&
            !column_of(rows, MARGAY_ROLE_DEVICE, k)->optional)
            return expect_field(rows, MARGAY_ROLE_DEVICE, k, "a device");
    }
    const struct margay_field *first = field_of(rows, MARGAY_ROLE_DEVICE, 0);
    bool plain = count == 1 && first->decimal && first->value >> bits == 0;
    uint64_t hash = plain ? 0 : hash_fields(rows, MARGAY_ROLE_DEVICE);
    uint64_t device = plain ? first->value : hash & ((UINT64_C(1) << bits) - 1);
    uint64_t room = UINT64_C(1) << (64 - bits);
    if (bits == USUAL_DEVICE_BITS)
        expected =
            margay_device_claim(&rows->devices, bits,
                                plain ? MARGAY_NUMBERED_DEVICE(first->value)
                                      : MARGAY_NAMED_DEVICE(hash),
                                &device);
    if (expected != NULL)
        return expected;
    if (reference->number >= room ||
        room - reference->number < reference->extent) {
        snprintf(rows->message, sizeof rows->message,
                 "an id below 2^%u, as the device stands above it", 64 - bits);
        return rows->message;
    }
    reference->number |= device << (64 - bits);
    return NULL;
}

/* -------------------------------------------------------------- extents -- */

/* Offsets and sizes become bytes. */
static const char *scale_offset(struct margay_rows *rows,
                                struct margay_row_reference *reference)
{
    uint64_t unit = rows->unit_bytes == 0 ? 1 : rows->unit_bytes;
    /* Addresses have a byte at least, unless they are those of a layout. */
    if (rows->layout->offset_bytes == 0 &&
        count_of(rows, MARGAY_ROLE_SIZE) > 0 && reference->size == 0)
        return expect(rows, MARGAY_ROLE_SIZE, 0, "a length of 1 byte at least");
    if (!margay_multiply_u64(reference->size,
                             rows->layout->size_in_bytes ? 1 : unit,
                             &reference->size) ||
        reference->size > UINT32_MAX)
        return expect(rows, MARGAY_ROLE_SIZE, 0,
                      "a length below 4294967296 bytes");
    if (!margay_multiply_u64(reference->number, unit, &reference->number))
        return expect(rows, MARGAY_ROLE_ID, 0, "an offset below 2^64 bytes");
    reference->extent =
        count_of(rows, MARGAY_ROLE_SIZE) == 0 ? 1 : (uint32_t)reference->size;
    return margay_extent_passes(reference->number, reference->extent)
               ? expect(rows, MARGAY_ROLE_ID, 0,
                        "an offset and a length below 2^64 bytes together")
               : NULL;
}

/* A size in bytes covers units, at least one. */
static const char *count_units(struct margay_rows *rows,
                               struct margay_row_reference *reference)
{
    uint64_t units = 1;
    if (count_of(rows, MARGAY_ROLE_SIZE) > 0 && rows->unit_bytes != 0 &&
        reference->size > 0 && reference->size != MARGAY_SIZE_UNKNOWN)
        units = (reference->size - 1) / rows->unit_bytes + 1;
    if (units > UINT32_MAX)
        return expect(rows, MARGAY_ROLE_SIZE, 0,
                      "a size of at most 4294967295 units of an id");
    reference->extent = (uint32_t)units;
    return margay_extent_passes(reference->number, units)
               ? expect(rows, MARGAY_ROLE_SIZE, 0,
                        "a size that ends within the ids of 64 bits")
               : NULL;
}

/* Read all columns but the operation, the device and the tenant. */
static const char *read_columns(struct margay_rows *rows, bool offsets,
                                struct margay_row_reference *reference)
{
    const char *expected;
    uint64_t count = 1, thread = 0;
    if ((expected = read_name(rows, MARGAY_ROLE_ID, "an id",
                              &reference->number)) != NULL ||
        (expected = read_size(rows, &reference->size)) != NULL ||
        (count_of(rows, MARGAY_ROLE_STATUS) > 0 &&
         (expected = read_status(rows, &reference->size)) != NULL) ||
        (expected = read_time(rows, &reference->time)) != NULL ||
        (expected = read_ttl(rows, &reference->ttl)) != NULL ||
        (expected = read_number(rows, MARGAY_ROLE_COUNT, MOST_COUNT,
                                "a count of at most 65535", &count)) != NULL ||
        (expected = read_name(rows, MARGAY_ROLE_REQUEST, "a request",
                              &reference->request)) != NULL ||
        (expected = read_name(rows, MARGAY_ROLE_SITE, "a site",
                              &reference->site)) != NULL ||
        (expected = read_number(rows, MARGAY_ROLE_THREAD, UINT32_MAX,
                                "a thread, a number below 2^32,", &thread)) !=
            NULL ||
        (expected = read_kind(rows, &reference->kind_said)) != NULL ||
        (expected = read_number(rows, MARGAY_ROLE_COST, UINT64_MAX,
                                "a cost in decimal", &reference->cost)) != NULL)
        return expected;
    /* A flush stands nowhere. */
    if (rows->layout->offset_bytes != 0 && reference->number == UINT64_MAX &&
        reference->size == 0)
        count = reference->number = 0;
    expected =
        offsets ? scale_offset(rows, reference) : count_units(rows, reference);
    if (expected != NULL)
        return expected;
    reference->count = (uint32_t)count;
    reference->thread = (uint32_t)thread;
    return NULL;
}

const char *margay_rows_read(struct margay_rows *rows,
                             const struct margay_field *fields, size_t columns,
                             struct margay_row_reference *reference)
{
    bool offsets = rows->layout->offset_bytes != 0 || rows->choice.addresses;
    unsigned sizes = count_of(rows, MARGAY_ROLE_SIZE);
    rows->fields = rows->choice.http ? split_http(rows, fields) : fields;
    rows->columns = columns;
    reference->count = 0;
    const char *expected = read_op(rows, &reference->op);
    if (expected != NULL || reference->op == MARGAY_OPS ||
        may_lack(rows, MARGAY_ROLE_ID, 0))
        return expected;
    expected = read_columns(rows, offsets, reference);
    if (expected != NULL)
        return expected;
    /* A get of 0 bytes missed. */
    if (!offsets && sizes > 0 && rows->layout->empty_gets_missed &&
        reference->op == MARGAY_GET &&
        field_of(rows, MARGAY_ROLE_SIZE, sizes - 1)->value == 0)
        reference->size = MARGAY_SIZE_UNKNOWN;
    /* The tenant last, so that an unreadable row adds none. */
    expected = add_device(rows, reference);
    return expected == NULL ? read_tenant(rows, &reference->tenant) : expected;
}
