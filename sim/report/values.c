/* values.c - the different numbers of a column */
#include "sim/report/values.h"

static void add_value(struct values *values, double number)
{
    size_t i = values->count;
    if (values_place(values, number) < values->count || i == VALUES_MOST)
        return;
    for (; i > 0 && values->numbers[i - 1] > number; i--)
        values->numbers[i] = values->numbers[i - 1];
    values->numbers[i] = number;
    values->count++;
}

struct values values_of(const struct rows *rows, size_t column)
{
    struct values values = {0};
    double number;
    for (size_t row = rows->from; row < rows->to; row++) {
        if (table_number(rows->table, row, column, &number))
            add_value(&values, number);
    }
    return values;
}

size_t values_place(const struct values *values, double number)
{
    size_t place = 0;
    while (place < values->count && values->numbers[place] != number)
        place++;
    return place;
}
