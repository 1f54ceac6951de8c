/* csv.c - the one place that writes CSV */
#define _GNU_SOURCE
#include "sim/tables/csv.h"

#include <csv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"
#include <margay/stackdist.h>

#define MAX_DIGITS 20 /* of a u64 */

/* ------------------------------------------------------------- writing -- */

/* Write a number at `to`; returns the byte behind it. */
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

/* A reader would split such a field, or strip its blanks. */
static bool needs_quotes(const char *text)
{
    size_t bytes = strlen(text);
    return strpbrk(text, ",\"\r\n") != NULL ||
           (bytes > 0 && (strchr(" \t", text[0]) != NULL ||
                          strchr(" \t", text[bytes - 1]) != NULL));
}

static size_t put_text(char *to, size_t room, const char *text)
{
    size_t bytes = strlen(text);
    if (needs_quotes(text))
        return csv_write(to, room, text, bytes);
    memcpy(to, text, bytes);
    return bytes;
}

/* The most bytes of a text that consists of quotes and stands between quotes.
 */
static size_t most_text_bytes(const char *text)
{
    return 2 * strlen(text) + 2;
}

void csv_begin(struct csv_writer *csv, struct output *output,
               const char *columns)
{
    *csv = (struct csv_writer){.output = output};
    if (columns != NULL)
        output_text(output, "%s\n", columns);
}

enum margay_status csv_set_key(struct csv_writer *csv, const char *trace,
                               uint64_t block_bytes, struct margay_error *error)
{
    const char *label = csv->label == NULL ? "" : csv->label;
    size_t room = most_text_bytes(trace) + most_text_bytes(label) + 1 +
                  2 * (1 + MAX_DIGITS);
    csv_end(csv);
    csv->key = malloc(room);
    if (csv->key == NULL)
        return margay_fail_memory(error, "a row of the table");
    char *end = csv->key;
    if (csv->has_window) {
        end = put_u64(end, csv->window);
        *end++ = ',';
    }
    if (csv->label != NULL) {
        end += put_text(end, room - (size_t)(end - csv->key), label);
        *end++ = ',';
    }
    end += put_text(end, room - (size_t)(end - csv->key), trace);
    *end++ = ',';
    if (block_bytes != 0)
        end = put_u64(end, block_bytes);
    csv->key_bytes = (size_t)(end - csv->key);
    return MARGAY_OK;
}

/* Begin a field, with a comma unless it is the first; returns room for it. */
static char *begin_field(struct csv_writer *csv, size_t bytes)
{
    if (csv->fields++ > 0) {
        *output_room(csv->output, 1) = ',';
        output_add(csv->output, 1);
    }
    return output_room(csv->output, bytes);
}

void csv_key(struct csv_writer *csv)
{
    memcpy(begin_field(csv, csv->key_bytes), csv->key, csv->key_bytes);
    output_add(csv->output, csv->key_bytes);
}

void csv_u64(struct csv_writer *csv, uint64_t value)
{
    char *room = begin_field(csv, MAX_DIGITS);
    output_add(csv->output, (size_t)(put_u64(room, value) - room));
}

void csv_hexadecimal(struct csv_writer *csv, uint64_t value)
{
    begin_field(csv, 0);
    output_text(csv->output, "0x%" PRIx64, value);
}

void csv_i64(struct csv_writer *csv, int64_t value)
{
    begin_field(csv, 0);
    output_text(csv->output, "%" PRId64, value);
}

void csv_bytes(struct csv_writer *csv, uint64_t blocks, uint64_t block_bytes)
{
    if (block_bytes == 0)
        csv_nothing(csv);
    else
        csv_u64(csv, blocks * block_bytes);
}

void csv_share(struct csv_writer *csv, uint64_t part, uint64_t whole)
{
    csv_decimal(csv, (double)part / (double)whole);
}

void csv_decimal(struct csv_writer *csv, double value)
{
    begin_field(csv, 0);
    output_text(csv->output, "%.12g", value);
}

void csv_text(struct csv_writer *csv, const char *text)
{
    size_t room = most_text_bytes(text);
    char *field = begin_field(csv, room);
    output_add(csv->output, put_text(field, room, text));
}

void csv_nothing(struct csv_writer *csv)
{
    begin_field(csv, 0);
}

void csv_end_row(struct csv_writer *csv)
{
    *output_room(csv->output, 1) = '\n';
    output_add(csv->output, 1);
    csv->fields = 0;
}

static char *put_distance(char *to, uint64_t distance)
{
    if (distance != MARGAY_INFINITE)
        return put_u64(to, distance);
    memcpy(to, "inf", 3);
    return to + 3;
}

void csv_distance_rows(struct csv_writer *csv, uint64_t index,
                       const uint64_t *blocks, const uint64_t *distances,
                       size_t count)
{
    size_t row_bytes = csv->key_bytes + 3 * (MAX_DIGITS + 1) + 1;
    for (size_t i = 0; i < count; i++) {
        char *row = output_room(csv->output, row_bytes), *end = row;
        memcpy(end, csv->key, csv->key_bytes);
        end += csv->key_bytes;
        *end++ = ',';
        end = put_u64(end, index + i);
        *end++ = ',';
        end = put_u64(end, blocks[i]);
        *end++ = ',';
        end = put_distance(end, distances[i]);
        *end++ = '\n';
        output_add(csv->output, (size_t)(end - row));
    }
}

void csv_end(struct csv_writer *csv)
{
    free(csv->key);
    csv->key = NULL;
}

#define TO_TEXT(number) #number
#define AS_TEXT(number) TO_TEXT(number)

const char *csv_library_version(void)
{
    return AS_TEXT(CSV_MAJOR) "." AS_TEXT(CSV_MINOR) "." AS_TEXT(CSV_RELEASE);
}
