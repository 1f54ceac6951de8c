/* table.c - numbers and names in the cells of a table */
#include "sim/report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What lies beyond is in none of margay's tables, and would lead a picture out
   of what floating-point numbers can add. */
#define MOST_NUMBER  0x1p64
#define LEAST_NUMBER 0x1p-64

size_t table_column(const struct cells *table, const char *name)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (strcmp(cells_name(table, i), name) == 0)
            return i;
    }
    return NO_COLUMN;
}

const char *table_text(const struct cells *table, size_t row, size_t column)
{
    return column == NO_COLUMN ? "" : cells_at(table, row, column);
}

bool table_number(const struct cells *table, size_t row, size_t column,
                  double *number)
{
    const char *text = table_text(table, row, column);
    char *end;
    *number = strtod(text, &end);
    if (fabs(*number) < LEAST_NUMBER)
        *number = 0;
    return end != text && *end == '\0' && fabs(*number) <= MOST_NUMBER;
}

bool table_is_numeric(const struct cells *table, size_t column)
{
    double number;
    for (size_t row = 0; row < table->rows; row++) {
        const char *text = table_text(table, row, column);
        if (*text != '\0' && strcmp(text, "inf") != 0 &&
            !table_number(table, row, column, &number))
            return false;
    }
    return table->rows > 0;
}

bool table_begins_with(const struct cells *table, const char *columns)
{
    for (size_t i = 0; i < table->columns; i++) {
        size_t bytes = strcspn(columns, ",");
        const char *name = cells_name(table, i);
        if (strlen(name) != bytes || strncmp(name, columns, bytes) != 0)
            return false;
        if (columns[bytes] == '\0')
            return true;
        columns += bytes + 1;
    }
    return false;
}
