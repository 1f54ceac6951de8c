/* fuzz_report.c - tables that mean harm, on a page */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "sim/report/page.h"
#include "tests/fuzz/fuzz.h"

/* Any table has a page.  Its bytes go nowhere: report.t tests their values. */
void fuzz_report(const char *name, const uint8_t *data, size_t bytes)
{
    char *const arguments[] = {NULL};
    const struct options options = {.arguments = arguments};
    struct margay_error error = {.message = ""};
    struct sections sections = {0};
    struct output *output;
    (void)name;
    if (bytes == 0)
        return;
    struct section *section = sections_new(&sections, "a table", NULL);
    FILE *file = fmemopen((void *)data, bytes, "rb");
    if (output_open("/dev/null", OUTPUT_STREAMED, &output, &error) != MARGAY_OK)
        fuzz_fail("%s", error.message);
    enum margay_status status = MARGAY_OK;
    if (cells_read(&section->table, "table", file, &error) == MARGAY_OK)
        status = page_write(output, &options, &sections, &error);
    if (output_settle(output, status, &error) != MARGAY_OK)
        fuzz_fail("%s", error.message);
    fclose(file);
    sections_clear(&sections);
}
