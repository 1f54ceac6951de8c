/* page.c - a report as one page of HTML that needs no other file */
#include "sim/report/page.h"

#include <stdio.h>
#include <string.h>

#include "sim/report/assets.h"
#include "sim/report/embed.h"
#include "sim/report/markup.h"
#include "sim/tables/csv_read.h"

/* The most rows of a table that the page shows; all of them are in its JSON. */
#define MOST_SHOWN 2000

static void write_head(struct output *output, const struct sections *sections)
{
    output_text(output, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                        "<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" "
                        "content=\"width=device-width, initial-scale=1\">\n"
                        "<title>Cache report: ");
    markup_text(output, sections->list[0].source);
    output_text(output, "</title>\n<style>\n");
    output_bytes(output, report_css, asset_bytes(report_css, report_css_end));
    output_text(output, "</style>\n</head>\n<body>\n<main>\n");
}

static void write_contents(struct output *output,
                           const struct sections *sections)
{
    output_text(output, "<nav aria-label=\"Contents\"><ul>\n");
    for (size_t i = 0; i < sections->count; i++) {
        output_text(output, "<li><a href=\"#table%zu\">%s</a>, ", i + 1,
                    section_title(&sections->list[i]));
        markup_text(output, sections->list[i].source);
        output_text(output, "</li>\n");
    }
    output_text(output, "</ul></nav>\n");
}

/* --------------------------------------------------------------- tables -- */

static void write_row(struct output *output, const struct cells *table,
                      size_t row, const bool *is_number)
{
    output_text(output, "<tr>");
    for (size_t i = 0; i < table->columns; i++) {
        output_text(output, is_number[i] ? "<td>" : "<td class=\"text\">");
        markup_text(output, table_text(table, row, i));
        output_text(output, "</td>");
    }
    output_text(output, "</tr>\n");
}

static void write_rows(struct output *output, const struct cells *table)
{
    bool is_number[CSV_ROW_FIELDS];
    size_t shown = table->rows < MOST_SHOWN ? table->rows : MOST_SHOWN;
    output_text(output, "<thead><tr>");
    for (size_t i = 0; i < table->columns; i++) {
        is_number[i] = table_is_numeric(table, i);
        output_text(output, "<th scope=\"col\"%s>",
                    is_number[i] ? " class=\"number\"" : "");
        markup_text(output, cells_name(table, i));
        output_text(output, "</th>");
    }
    output_text(output, "</tr></thead>\n<tbody>\n");
    for (size_t row = 0; row < shown; row++)
        write_row(output, table, row, is_number);
    output_text(output, "</tbody></table>\n");
    if (shown < table->rows)
        output_text(output,
                    "<p>The first %zu of %zu rows; the page holds all of them "
                    "as JSON.</p>\n",
                    shown, table->rows);
}

/* A short table stands open. */
static void write_table(struct output *output, const struct section *section,
                        const char *id)
{
    const struct cells *table = &section->table;
    output_text(output,
                "<details%s><summary>Table of %zu row%s</summary>\n"
                "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
                "aria-label=\"Rows of %s\"><table><caption>",
                table->rows <= 16 ? " open" : "", table->rows,
                table->rows == 1 ? "" : "s", id);
    markup_text(output, section->source);
    output_text(output, "</caption>\n");
    write_rows(output, table);
    output_text(output,
                "</div></details>\n"
                "<script type=\"application/json\" id=\"%s-rows\">\n",
                id);
    embed_rows(output, table);
    output_text(output, "</script>\n");
}

static enum margay_status write_section(struct output *output,
                                        const struct section *section,
                                        const char *id, unsigned *charts,
                                        struct margay_error *error)
{
    output_text(output, "<section id=\"%s\">\n<h2>%s</h2>\n<p class=\"made\">",
                id, section_title(section));
    if (section->command != NULL)
        output_text(output, "margay %s, ", section->command);
    markup_text(output, section->source);
    output_text(output, "</p>\n");
    if (section->table.rows == 0)
        output_text(output, "<p>There are no references, and so no rows.</p>");
    enum margay_status status =
        section_draw(output, section, id, charts, error);
    write_table(output, section, id);
    output_text(output, "</section>\n");
    return status;
}

static void write_command(struct output *output, const struct options *options)
{
    output_text(output, "<p class=\"made\">Margay " MARGAY_VERSION
                        ", <code>margay report");
    for (char *const *word = options->arguments; *word != NULL; word++) {
        output_text(output, " ");
        markup_text(output, *word);
    }
    output_text(output, "</code></p>\n");
}

enum margay_status page_write(struct output *output,
                              const struct options *options,
                              const struct sections *sections,
                              struct margay_error *error)
{
    unsigned charts = 0;
    enum margay_status status = MARGAY_OK;
    write_head(output, sections);
    output_text(output, "<h1>Cache report</h1>\n");
    write_command(output, options);
    write_contents(output, sections);
    for (size_t i = 0; i < sections->count && status == MARGAY_OK; i++) {
        char id[32];
        snprintf(id, sizeof id, "table%zu", i + 1);
        status = write_section(output, &sections->list[i], id, &charts, error);
    }
    output_text(output, "</main>\n<script>\n");
    output_bytes(output, report_js, asset_bytes(report_js, report_js_end));
    output_text(output, "</script>\n</body>\n</html>\n");
    return status;
}
