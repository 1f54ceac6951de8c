/*
 * page.c - a report as one page of HTML that needs no other file
 *
 * Each table stands on the page twice: as HTML, which needs no script, and as
 * JSON, of which charts.js and report.js make pictures and words.  Which ones
 * fit a table follows from its columns alone.
 */
#define _GNU_SOURCE
#include "sim/report/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/plot/plot.h"
#include "sim/result/json.h"
#include "sim/result/knees.h"
#include "sim/result/match.h"
#include "sim/terminal/asset.h"
#include "traces/traces_internal.h"

ASSET(report_css, "sim/report/report.css");
ASSET(charts_js, "sim/report/charts.js");
ASSET(report_js, "sim/report/report.js");

/* The most rows of a table that the page shows; all of them are in its JSON. */
#define MOST_SHOWN 2000

bool page_knows(const char *header)
{
    return plot_kind_of(header) != NULL;
}

static const struct plot_kind *kind_of(const struct cells *table)
{
    static const struct plot_kind unknown = {.title = "Table"};
    struct csv_row header = {.count = table->columns};
    char line[1024];
    for (size_t i = 0; i < table->columns; i++)
        header.fields[i] = cells_name(table, i);
    csv_join_row(&header, line, sizeof line);
    const struct plot_kind *kind = plot_kind_of(line);
    return kind == NULL ? &unknown : kind;
}

/* ---------------------------------------------------------------- texts -- */

/* Write text that is no markup. */
static void write_text(struct output *output, const char *text)
{
    static const struct escapes escapes = {
        .control = "?",
        .invalid = JSON_NO_CHARACTER,
        .list = {{"&", "&amp;"},
                 {"<", "&lt;"},
                 {">", "&gt;"},
                 {"\"", "&quot;"},
                 {"'", "&#39;"}},
    };
    escaped_text(output, text, strlen(text), &escapes);
}

/* Texts are cut to pieces for which the output has room. */
static void write_json_text(struct output *output, const char *text)
{
    const size_t most = OUTPUT_ROOM_BYTES / JSON_MOST_BYTES - 2;
    size_t bytes = strnlen(text, most);
    char *room = output_room(output, 2 + JSON_MOST_BYTES * bytes);
    output_add(output, (size_t)(json_put_text(room, text, bytes) - room));
}

/* --------------------------------------------------------------- tables -- */

static void write_rows(struct output *output, const struct cells *table,
                       size_t rows, const bool *is_number)
{
    output_text(output, "<thead><tr>");
    for (size_t i = 0; i < table->columns; i++) {
        output_text(output, "<th scope=\"col\"%s>",
                    is_number[i] ? " class=\"number\"" : "");
        write_text(output, cells_name(table, i));
        output_text(output, "</th>");
    }
    output_text(output, "</tr></thead>\n<tbody>\n");
    for (size_t row = 0; row < rows; row++) {
        output_text(output, "<tr>");
        for (size_t i = 0; i < table->columns; i++) {
            output_text(output, is_number[i] ? "<td>" : "<td class=\"text\">");
            write_text(output, cells_at(table, row, i));
            output_text(output, "</td>");
        }
        output_text(output, "</tr>\n");
    }
    output_text(output, "</tbody></table>\n");
}

/* The rows as a list of objects: numbers as the table has them, an empty field
   as null, all else as text.  No text has a "<", so none ends the script. */
static void write_json(struct output *output, const struct cells *table,
                       size_t number, const bool *is_number)
{
    output_text(output,
                "<script type=\"application/json\" id=\"table%zu-rows\">\n[",
                number);
    for (size_t row = 0; row < table->rows; row++) {
        output_text(output, row == 0 ? "{" : ",\n{");
        for (size_t i = 0; i < table->columns; i++) {
            const char *text = cells_at(table, row, i);
            output_text(output, i == 0 ? "" : ",");
            write_json_text(output, cells_name(table, i));
            output_text(output, ":");
            if (*text == '\0')
                output_text(output, "null");
            else if (is_number[i] && json_is_number(text))
                output_text(output, "%s", text);
            else
                write_json_text(output, text);
        }
        output_text(output, "}");
    }
    output_text(output, "]\n</script>\n");
}

/* ---------------------------------------------------- lines of sources -- */

/* Of lines with this share of the misses at a size, the lines around them. */
#define HOT_SHARE  0.01
#define AROUND     3
#define LINE_BYTES 512
#define MOST_SIZES 8

/* Write the lines around one of a file, as pairs of a number and a text; none
   where there is no such file.  Reading a FIFO might wait for ever. */
static void write_around(struct output *output, const char *path, uint64_t line)
{
    char text[LINE_BYTES];
    const char *gap = "";
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode)
                     ? fopen(path, "r")
                     : NULL;
    uint64_t at = 1;
    bool begins = true;
    while (file != NULL && at <= line + AROUND &&
           fgets(text, sizeof text, file) != NULL) {
        const size_t bytes = strcspn(text, "\r\n");
        const bool ends = strchr(text, '\n') != NULL;
        text[bytes] = '\0';
        if (begins && at + AROUND >= line) {
            output_text(output, "%s[%" PRIu64 ",", gap, at);
            write_json_text(output, text);
            output_text(output, "]");
            gap = ",";
        }
        begins = ends;
        at += ends;
    }
    if (file != NULL)
        fclose(file);
}

/* The misses of all rows with the size of one, of the few sizes of a report. */
static double *misses_at(const struct cells *table, size_t row,
                         const char *sizes[MOST_SIZES],
                         double misses[MOST_SIZES])
{
    const char *size = cells_at(table, row, cells_column(table, "cache_bytes"));
    size_t i = 0;
    while (i + 1 < MOST_SIZES && sizes[i] != NULL &&
           strcmp(sizes[i], size) != 0)
        i++;
    sizes[i] = size;
    return &misses[i];
}

/* Sources around lines with many misses: a list of files and lines with their
   context.  Only traces name files; a table may come from anyone. */
static void write_sources(struct output *output, const struct section *section)
{
    const struct cells *table = &section->table;
    const size_t files = cells_column(table, "file"),
                 lines = cells_column(table, "line"),
                 misses = cells_column(table, "misses");
    const char *gap = "", *sizes[MOST_SIZES] = {NULL};
    const char *last_file = "", *last_line = "";
    double all[MOST_SIZES] = {0};
    for (size_t row = 0; row < table->rows; row++)
        *misses_at(table, row, sizes, all) +=
            strtod(cells_at(table, row, misses), NULL);
    output_text(output, "<script type=\"application/json\" class=\"source\">[");
    for (size_t row = 0; row < table->rows; row++) {
        const char *file = cells_at(table, row, files);
        const char *line = cells_at(table, row, lines);
        uint64_t number;
        /* The sizes of a line follow each other. */
        if (strtod(cells_at(table, row, misses), NULL) <
                HOT_SHARE * *misses_at(table, row, sizes, all) ||
            (strcmp(line, last_line) == 0 && strcmp(file, last_file) == 0) ||
            !margay_parse_u64(line, &number) || number > UINT32_MAX)
            continue;
        output_text(output, "%s[", gap);
        write_json_text(output, file);
        output_text(output, ",%" PRIu64 ",[", number);
        write_around(output, file, number);
        output_text(output, "]]");
        gap = ",\n";
        last_file = file;
        last_line = line;
    }
    output_text(output, "]</script>\n");
}

/* A short table stands open. */
static void write_table(struct output *output, const struct section *section,
                        size_t number)
{
    const struct cells *table = &section->table;
    const size_t shown = table->rows < MOST_SHOWN ? table->rows : MOST_SHOWN;
    bool is_number[CSV_ROW_FIELDS];
    /* Columns that have only numbers, empty fields and `inf`. */
    for (size_t i = 0; i < table->columns; i++) {
        is_number[i] = table->rows > 0;
        for (size_t row = 0; row < table->rows && is_number[i]; row++) {
            const char *text = cells_at(table, row, i);
            is_number[i] = *text == '\0' || strcmp(text, "inf") == 0 ||
                           json_is_number(text);
        }
    }
    output_text(output,
                "<details%s><summary>Table of %zu row%s</summary>\n"
                "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
                "aria-label=\"Rows of table%zu\"><table><caption>",
                table->rows <= 16 ? " open" : "", table->rows,
                table->rows == 1 ? "" : "s", number);
    write_text(output, basename(section->source));
    output_text(output, "</caption>\n");
    write_rows(output, table, shown, is_number);
    if (shown < table->rows)
        output_text(output,
                    "<p>The first %zu of %zu rows; the page holds all of them "
                    "as JSON.</p>\n",
                    shown, table->rows);
    output_text(output, "</div></details>\n");
    write_json(output, table, number, is_number);
}

/* ----------------------------------------------------------------- page -- */

/* Does a section belong to one of several traces, whose sections are folded?
   Those of a trace follow each other. */
static bool is_folded(const struct sections *sections, size_t i)
{
    return i < sections->count && sections->list[i].command != NULL &&
           strcmp(sections->list[0].source,
                  sections->list[sections->count - 1].source) != 0;
}

static bool continues_fold(const struct sections *sections, size_t i)
{
    return i > 0 && is_folded(sections, i - 1) && is_folded(sections, i) &&
           strcmp(sections->list[i - 1].source, sections->list[i].source) == 0;
}

static void write_head(struct output *output, const struct options *options,
                       const struct sections *sections)
{
    output_text(output, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                        "<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" "
                        "content=\"width=device-width, initial-scale=1\">\n"
                        "<title>Cache report: ");
    write_text(output, basename(sections->list[0].source));
    output_text(output, is_folded(sections, 0) ? " and others" : "");
    output_text(output, "</title>\n<style>\n");
    output_bytes(output, report_css, strlen(report_css));
    output_text(output, "</style>\n</head>\n<body>\n<main>\n"
                        "<h1>Cache report</h1>\n"
                        "<p class=\"made\">Margay " MARGAY_VERSION
                        ", <code>margay report");
    for (char *const *word = options->arguments; *word != NULL; word++) {
        output_text(output, " ");
        write_text(output, *word);
    }
    output_text(output, "</code></p>\n"
                        "<noscript><p>Pictures and words need scripts, which "
                        "this browser does not run; the tables are complete."
                        "</p></noscript>\n");
}

static void write_contents(struct output *output,
                           const struct sections *sections)
{
    output_text(output, "<nav aria-label=\"Contents\"><ul>\n");
    for (size_t i = 0; i < sections->count; i++) {
        const struct section *section = &sections->list[i];
        if (continues_fold(sections, i))
            continue;
        output_text(output, "<li><a href=\"#table%zu\">", i + 1);
        if (!is_folded(sections, i))
            output_text(output, "%s of ", kind_of(&section->table)->title);
        write_text(output, basename(section->source));
        output_text(output, "</a></li>\n");
    }
    output_text(output, "</ul></nav>\n");
}

/* The rows of a table of curves at which one has a knee. */
static enum margay_status write_knees(struct output *output,
                                      const struct section *section,
                                      struct margay_error *error)
{
    static const char *const sizes[] = {"cache_blocks", "cache_bytes", NULL};
    const struct cells *table = &section->table;
    enum margay_status status = MARGAY_OK;
    output_text(output, " data-knees=\"");
    for (size_t first = 0, end; first < table->rows && status == MARGAY_OK;
         first = end) {
        struct knees knees;
        end = first + 1;
        while (end < table->rows && match_same_keys(table, end, first, sizes))
            end++;
        status =
            knees_of_rows(table, first, end, section->is_whole, &knees, error);
        for (size_t i = 0; i < knees.count; i++)
            output_text(output, "%" PRIu64 " ", knees.list[i]);
    }
    output_text(output, "\"");
    return status;
}

static enum margay_status write_section(struct output *output,
                                        const struct section *section,
                                        size_t number,
                                        struct margay_error *error)
{
    const struct plot_kind *kind = kind_of(&section->table);
    enum margay_status status = MARGAY_OK;
    output_text(output, "<section id=\"table%zu\"", number);
    if (kind->drawing != NULL)
        output_text(output, " data-drawing=\"%s\"", kind->drawing);
    if (knees_are_for(&section->table))
        status = write_knees(output, section, error);
    output_text(output, " data-source=\"");
    write_text(output, section->source);
    output_text(output, "\">\n<h2>%s</h2>\n<p class=\"made\">", kind->title);
    if (section->command != NULL)
        output_text(output, "margay %s, ", section->command);
    write_text(output, basename(section->source));
    output_text(output, "</p>\n");
    if (section->table.rows == 0)
        output_text(output, "<p>There are no references, and so no rows.</p>");
    write_table(output, section, number);
    if (section->command != NULL && kind->drawing != NULL &&
        strcmp(kind->drawing, "lines") == 0)
        write_sources(output, section);
    output_text(output, "</section>\n");
    return status;
}

enum margay_status page_write(struct output *output,
                              const struct options *options,
                              const struct sections *sections,
                              struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    write_head(output, options, sections);
    write_contents(output, sections);
    for (size_t i = 0; i < sections->count && status == MARGAY_OK; i++) {
        if (is_folded(sections, i) && !continues_fold(sections, i)) {
            output_text(output, "<details><summary>");
            write_text(output, basename(sections->list[i].source));
            output_text(output, "</summary>\n");
        }
        status = write_section(output, &sections->list[i], i + 1, error);
        if (is_folded(sections, i) && !continues_fold(sections, i + 1))
            output_text(output, "</details>\n");
    }
    output_text(output, "</main>\n<script>\n");
    output_bytes(output, charts_js, strlen(charts_js));
    output_bytes(output, report_js, strlen(report_js));
    output_text(output, "</script>\n</body>\n</html>\n");
    return status;
}

/* ------------------------------------------------------------- sections -- */

struct section *sections_new(struct sections *sections, const char *source,
                             const char *command)
{
    struct section *list = reallocarray(sections->list, sections->count + 1,
                                        sizeof *sections->list);
    if (list == NULL)
        return NULL;
    sections->list = list;
    struct section *section = &list[sections->count];
    *section = (struct section){.source = strdup(source), .command = command};
    if (section->source == NULL)
        return NULL;
    sections->count++;
    return section;
}

void sections_clear(struct sections *sections)
{
    for (size_t i = 0; i < sections->count; i++) {
        cells_clear(&sections->list[i].table);
        free(sections->list[i].source);
    }
    free(sections->list);
    *sections = (struct sections){0};
}
