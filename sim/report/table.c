/* table.c - a table in memory */
#define _GNU_SOURCE
#include "sim/report/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* What lies beyond is in none of margay's tables, and would lead a picture out
   of what floating-point numbers can add. */
#define MOST_NUMBER  0x1p64
#define LEAST_NUMBER 0x1p-64

struct reading {
    struct table *table;
    const char *name;
};

static enum margay_status copy_fields(const struct csv_row *row, char **fields,
                                      size_t *count, struct margay_error *error)
{
    for (size_t i = 0; i < row->count; i++) {
        fields[i] = strdup(row->fields[i]);
        if (fields[i] == NULL)
            return margay_fail_memory(error, "a table");
        ++*count;
    }
    return MARGAY_OK;
}

static enum margay_status reserve_row(struct table *table,
                                      struct margay_error *error)
{
    if (table->row_count < table->row_room)
        return MARGAY_OK;
    size_t room = table->row_room == 0 ? 64 : 2 * table->row_room;
    char **fields =
        reallocarray(table->fields, room * table->column_count, sizeof *fields);
    if (fields == NULL)
        return margay_fail_memory(error, "a table");
    table->fields = fields;
    table->row_room = room;
    return MARGAY_OK;
}

static enum margay_status take_row(void *context, const struct csv_row *row,
                                   struct margay_error *error)
{
    const struct reading *reading = context;
    struct table *table = reading->table;
    size_t count = 0;
    if (table->column_count == 0)
        return copy_fields(row, table->columns, &table->column_count, error);
    if (row->count != table->column_count)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:%" PRIu64 ": found %zu field%s, expected %zu as "
                           "in the header",
                           reading->name, row->line, row->count,
                           margay_plural(row->count, "s"), table->column_count);
    enum margay_status status = reserve_row(table, error);
    if (status != MARGAY_OK)
        return status;
    char **fields = table->fields + table->row_count * table->column_count;
    status = copy_fields(row, fields, &count, error);
    if (status == MARGAY_OK)
        table->row_count++;
    else
        while (count > 0)
            free(fields[--count]);
    return status;
}

enum margay_status table_read(FILE *file, const char *name, struct table *table,
                              struct margay_error *error)
{
    struct reading reading = {table, name};
    *table = (struct table){0};
    enum margay_status status =
        csv_read_stream(file, name, take_row, &reading, error);
    if (status == MARGAY_OK && table->column_count == 0)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found nothing, expected a table", name);
    return status;
}

void table_clear(struct table *table)
{
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        free(table->fields[i]);
    for (size_t i = 0; i < table->column_count; i++)
        free(table->columns[i]);
    free(table->fields);
    *table = (struct table){0};
}

size_t table_column(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i], name) == 0)
            return i;
    }
    return NO_COLUMN;
}

const char *table_text(const struct table *table, size_t row, size_t column)
{
    return column == NO_COLUMN
               ? ""
               : table->fields[row * table->column_count + column];
}

bool table_number(const struct table *table, size_t row, size_t column,
                  double *number)
{
    const char *text = table_text(table, row, column);
    char *end;
    *number = strtod(text, &end);
    if (fabs(*number) < LEAST_NUMBER)
        *number = 0;
    return end != text && *end == '\0' && fabs(*number) <= MOST_NUMBER;
}

bool table_is_numeric(const struct table *table, size_t column)
{
    double number;
    for (size_t row = 0; row < table->row_count; row++) {
        const char *text = table_text(table, row, column);
        if (*text != '\0' && strcmp(text, "inf") != 0 &&
            !table_number(table, row, column, &number))
            return false;
    }
    return table->row_count > 0;
}

bool table_begins_with(const struct table *table, const char *columns)
{
    for (size_t i = 0; i < table->column_count; i++) {
        size_t bytes = strcspn(columns, ",");
        if (strlen(table->columns[i]) != bytes ||
            strncmp(table->columns[i], columns, bytes) != 0)
            return false;
        if (columns[bytes] == '\0')
            return true;
        columns += bytes + 1;
    }
    return false;
}
