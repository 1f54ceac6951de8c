/* embed.c - a table as JSON within a page */
#include "sim/report/embed.h"

#include <string.h>

#include "sim/tables/csv_read.h"
#include "sim/tables/json.h"

/* Texts are cut to pieces for which the output has room. */
#define MOST_TEXT (OUTPUT_ROOM_BYTES / JSON_MOST_BYTES - 2)

static void embed_text(struct output *output, const char *text)
{
    size_t bytes = strlen(text);
    if (bytes > MOST_TEXT)
        bytes = MOST_TEXT;
    char *room = output_room(output, 2 + JSON_MOST_BYTES * bytes);
    output_add(output, (size_t)(json_put_text(room, text, bytes) - room));
}

static void embed_field(struct output *output, const char *text, bool number)
{
    if (*text == '\0')
        output_text(output, "null");
    else if (number && json_is_number(text))
        output_text(output, "%s", text);
    else
        embed_text(output, text);
}

void embed_rows(struct output *output, const struct cells *table)
{
    bool numbers[CSV_ROW_FIELDS];
    for (size_t i = 0; i < table->columns; i++)
        numbers[i] = table_is_numeric(table, i);
    for (size_t row = 0; row < table->rows; row++) {
        output_text(output, row == 0 ? "[{" : ",\n{");
        for (size_t i = 0; i < table->columns; i++) {
            output_text(output, i == 0 ? "" : ",");
            embed_text(output, cells_name(table, i));
            output_text(output, ":");
            embed_field(output, table_text(table, row, i), numbers[i]);
        }
        output_text(output, "}");
    }
    output_text(output, table->rows == 0 ? "[]\n" : "]\n");
}
