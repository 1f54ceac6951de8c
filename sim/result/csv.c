/* csv.c - the one place that writes tables: as CSV, or as JSON lines */
#define _GNU_SOURCE
#include "sim/result/csv.h"

#include <csv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/json.h"
#include "traces/traces_internal.h"
#include <margay/stackdist.h>

#define MAX_DIGITS 20 /* of a u64 */

/* ------------------------------------------------------------- writing -- */

/* Write a number at `to`; returns the byte after it. */
static char *put_u64(char *to, uint64_t value)
{
    static const char pairs[] = "00010203040506070809"
                                "10111213141516171819"
                                "20212223242526272829"
                                "30313233343536373839"
                                "40414243444546474849"
                                "50515253545556575859"
                                "60616263646566676869"
                                "70717273747576777879"
                                "80818283848586878889"
                                "90919293949596979899";
    char digits[MAX_DIGITS];
    char *end = digits + MAX_DIGITS, *first = end;
    for (; value >= 100; value /= 100)
        memcpy(first -= 2, pairs + 2 * (value % 100), 2);
    if (value >= 10)
        memcpy(first -= 2, pairs + 2 * value, 2);
    else
        *--first = (char)('0' + value);
    memcpy(to, first, (size_t)(end - first));
    return to + (end - first);
}

/* The most bytes of a field with that text, in either form. */
static size_t most_text_bytes(const char *text)
{
    return JSON_MOST_BYTES * strlen(text) + sizeof "null";
}

static char *put_nothing(const struct csv_writer *csv, char *to)
{
    static const char null[] = "null";
    size_t bytes = csv->json ? strlen(null) : 0;
    memcpy(to, null, bytes);
    return to + bytes;
}

/* Write a text where there is room for the most bytes; returns the end. */
static char *put_text(const struct csv_writer *csv, char *to, const char *text)
{
    size_t bytes = strlen(text);
    if (bytes == 0)
        return put_nothing(csv, to);
    if (csv->json)
        return json_put_text(to, text, bytes);
    /* A reader would split such a field, or strip its blanks. */
    if (strpbrk(text, ",\"\r\n") != NULL || strchr(" \t", text[0]) != NULL ||
        strchr(" \t", text[bytes - 1]) != NULL)
        return to + csv_write(to, most_text_bytes(text), text, bytes);
    memcpy(to, text, bytes);
    return to + bytes;
}

/* --------------------------------------------------------- begin of a field */

/* Write the separator and, in an object of JSON and in an upright table, the
   name of the column.  Returns where the field begins. */
static char *put_start(struct csv_writer *csv, char *to)
{
    size_t bytes = strcspn(csv->column, ",");
    bool is_first = csv->fields++ == 0;
    if (!csv->json && !csv->upright) {
        if (!is_first)
            *to++ = ',';
        return to;
    }
    if (csv->json) {
        *to++ = is_first ? '{' : ',';
        to = json_put_text(to, csv->column, bytes);
        *to++ = ':';
    } else {
        if (!is_first)
            *to++ = '\n';
        to = mempcpy(to, csv->column, bytes);
        *to++ = ',';
    }
    csv->column += bytes + (csv->column[bytes] == ',');
    return to;
}

/* Begin a field of the output; returns room for it. */
static char *begin_field(struct csv_writer *csv, size_t bytes)
{
    size_t most = JSON_MOST_BYTES * strcspn(csv->column, ",") + sizeof "{\"\":";
    char *start = output_room(csv->output, most);
    output_add(csv->output, (size_t)(put_start(csv, start) - start));
    return output_room(csv->output, bytes);
}

static void begin_row(struct csv_writer *csv)
{
    csv->fields = 0;
    csv->column = csv->columns;
}

/* ---------------------------------------------------------------- tables -- */

void csv_begin(struct csv_writer *csv, struct output *output, bool json,
               enum csv_form form, const char *columns)
{
    *csv = (struct csv_writer){
        .output = output,
        .json = json,
        .upright = form == CSV_UPRIGHT && !json,
        .columns = columns,
        .column = columns,
    };
    if (form != CSV_PART && !json)
        output_text(output, "%s\n", csv->upright ? "key,value" : columns);
}

void csv_end(struct csv_writer *csv)
{
    free(csv->key);
    csv->key = NULL;
}

enum margay_status csv_open(struct csv_writer *csv, const char *path, bool json,
                            enum csv_form form, const char *columns,
                            struct margay_error *error)
{
    struct output *output;
    enum margay_status status = output_open(path, OUTPUT_HELD, &output, error);
    if (status == MARGAY_OK)
        csv_begin(csv, output, json, form, columns);
    return status;
}

int csv_conclude(enum margay_status status, struct csv_writer *csvs,
                 size_t count, struct margay_error *error)
{
    struct output *outputs[4];
    for (size_t i = 0; i < count; i++) {
        outputs[i] = csvs[i].output;
        csv_end(&csvs[i]);
    }
    return conclude(status, outputs, count, error);
}

/* ------------------------------------------------- what all rows begin with */

enum margay_status csv_set_key(struct csv_writer *csv, const char *trace,
                               uint64_t block_bytes, struct margay_error *error)
{
    const struct csv_label *label = &csv->label;
    size_t most = JSON_MOST_BYTES * strlen(csv->columns) +
                  (label->kind == CSV_TEXT ? most_text_bytes(label->text) : 0) +
                  most_text_bytes(trace) + 4 * (sizeof "{\"\":" + MAX_DIGITS);
    csv_end(csv);
    csv->key = malloc(most);
    if (csv->key == NULL)
        return margay_fail_memory(error, "a row of the table");
    char *end = csv->key;
    begin_row(csv);
    if (csv->window != NULL)
        end = put_u64(put_start(csv, end), *csv->window);
    if (label->kind != CSV_NO_LABEL)
        end = put_start(csv, end);
    if (label->kind == CSV_TEXT)
        end = put_text(csv, end, label->text);
    else if (label->kind == CSV_HEXADECIMAL && !csv->json)
        end += sprintf(end, "0x%" PRIx64, label->number);
    else if (label->kind != CSV_NO_LABEL)
        end = put_u64(end, label->number);
    end = put_text(csv, put_start(csv, end), trace);
    end = put_start(csv, end);
    end = block_bytes == 0 ? put_nothing(csv, end) : put_u64(end, block_bytes);
    csv->key_bytes = (size_t)(end - csv->key);
    csv->key_fields = csv->fields;
    csv->key_end = csv->column;
    begin_row(csv);
    return MARGAY_OK;
}

void csv_key(struct csv_writer *csv)
{
    memcpy(output_room(csv->output, csv->key_bytes), csv->key, csv->key_bytes);
    output_add(csv->output, csv->key_bytes);
    csv->fields = csv->key_fields;
    csv->column = csv->key_end;
}

/* ---------------------------------------------------------------- fields -- */

void csv_u64(struct csv_writer *csv, uint64_t value)
{
    char *room = begin_field(csv, MAX_DIGITS);
    output_add(csv->output, (size_t)(put_u64(room, value) - room));
}

void csv_hexadecimal(struct csv_writer *csv, uint64_t value)
{
    if (csv->json) {
        csv_u64(csv, value);
        return;
    }
    begin_field(csv, 0);
    output_text(csv->output, "0x%" PRIx64, value);
}

void csv_i64(struct csv_writer *csv, int64_t value)
{
    begin_field(csv, 0);
    output_text(csv->output, "%" PRId64, value);
}

void csv_known(struct csv_writer *csv, bool known, uint64_t value)
{
    if (known)
        csv_u64(csv, value);
    else
        csv_nothing(csv);
}

void csv_count(struct csv_writer *csv, uint64_t count, uint64_t unit)
{
    unsigned bits = csv->fraction_bits;
    unsigned shift = unit == 0 ? 0 : margay_log2_floor(unit);
    csv_known(csv, unit != 0,
              bits < shift ? count << (shift - bits)
                           : margay_round_count(count, bits - shift));
}

void csv_bytes(struct csv_writer *csv, uint64_t blocks, uint64_t block_bytes)
{
    csv_known(csv, block_bytes != 0, blocks * block_bytes);
}

void csv_share(struct csv_writer *csv, uint64_t part, uint64_t whole)
{
    csv_decimal(csv, whole == 0 ? NAN : (double)part / (double)whole);
}

/* JSON has no infinite numbers: they are texts. */
void csv_decimal(struct csv_writer *csv, double value)
{
    if (isnan(value)) {
        csv_nothing(csv);
        return;
    }
    begin_field(csv, 0);
    output_text(csv->output, csv->json && isinf(value) ? "\"%g\"" : "%.12g",
                value);
}

void csv_text(struct csv_writer *csv, const char *text)
{
    char *field = begin_field(csv, most_text_bytes(text));
    output_add(csv->output, (size_t)(put_text(csv, field, text) - field));
}

void csv_cell(struct csv_writer *csv, const char *text)
{
    size_t bytes = strlen(text);
    if (!json_is_number(text)) {
        csv_text(csv, text);
        return;
    }
    memcpy(begin_field(csv, bytes), text, bytes);
    output_add(csv->output, bytes);
}

void csv_nothing(struct csv_writer *csv)
{
    char *field = begin_field(csv, MAX_DIGITS);
    output_add(csv->output, (size_t)(put_nothing(csv, field) - field));
}

void csv_distance(struct csv_writer *csv, uint64_t distance)
{
    if (distance == MARGAY_INFINITE)
        csv_text(csv, "inf");
    else
        csv_u64(csv, distance);
}

void csv_end_row(struct csv_writer *csv)
{
    if (csv->json)
        output_bytes(csv->output, "}", 1);
    *output_room(csv->output, 1) = '\n';
    output_add(csv->output, 1);
    begin_row(csv);
}

/* -------------------------------------------------------- many distances -- */

void csv_distance_rows(struct csv_writer *csv, uint64_t index,
                       const uint64_t *blocks, const uint64_t *distances,
                       size_t count)
{
    size_t row_bytes = csv->key_bytes + 3 * (MAX_DIGITS + 1) + 1;
    for (size_t i = 0; i < count && csv->json; i++) {
        csv_key(csv);
        csv_u64(csv, index + i);
        csv_u64(csv, blocks[i]);
        csv_distance(csv, distances[i]);
        csv_end_row(csv);
    }
    for (size_t i = 0; i < count && !csv->json; i++) {
        char *row = output_room(csv->output, row_bytes), *end = row;
        memcpy(end, csv->key, csv->key_bytes);
        end += csv->key_bytes;
        *end++ = ',';
        end = put_u64(end, index + i);
        *end++ = ',';
        end = put_u64(end, blocks[i]);
        *end++ = ',';
        end = distances[i] == MARGAY_INFINITE ? mempcpy(end, "inf", 3)
                                              : put_u64(end, distances[i]);
        *end++ = '\n';
        output_add(csv->output, (size_t)(end - row));
    }
}

#define TO_TEXT(number) #number
#define AS_TEXT(number) TO_TEXT(number)

const char *csv_library_version(void)
{
    return AS_TEXT(CSV_MAJOR) "." AS_TEXT(CSV_MINOR) "." AS_TEXT(CSV_RELEASE);
}
