/* tikz.c - a picture in TikZ as LaTeX takes it */
#define _GNU_SOURCE
#include "sim/plot/tikz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/traces_internal.h"

/* What a character, or its first bytes in UTF-8, becomes. */
static const struct replacement {
    const char *text, *with;
} replacements[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"#", "\\#"},
    {"$", "\\$"},
    {"%", "\\%"},
    {"&", "\\&"},
    {"_", "\\_"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    /* The usual font of LaTeX has other characters in these places. */
    {"<", "$<$"},
    {">", "$>$"},
    {"|", "$|$"},
    {"\xe2\x89\xa5", "$\\geq$"},
};

static const struct replacement *find_replacement(const char *text)
{
    for (size_t i = 0; i < sizeof replacements / sizeof replacements[0]; i++) {
        if (strncmp(text, replacements[i].text, strlen(replacements[i].text)) ==
            0)
            return &replacements[i];
    }
    return NULL;
}

static void write_text(struct output *output, const char *text, const char *end)
{
    while (text < end) {
        const struct replacement *found = find_replacement(text);
        if (found == NULL) {
            output_bytes(output, text++, 1);
            continue;
        }
        output_bytes(output, found->with, strlen(found->with));
        text += strlen(found->text);
    }
}

/* gnuplot writes each text in a line: \node[...] at (X,Y) {TEXT}; and may have
   written a path before it. */
static void write_line(struct output *output, const char *line)
{
    const char *node = strstr(line, "\\node[");
    const char *place = node == NULL ? NULL : strstr(node, "] at (");
    const char *text = place == NULL ? NULL : strstr(place, ") {");
    const char *end =
        text == NULL ? NULL : text + strlen(text) - strlen("};\n");
    if (text == NULL || end < text || strcmp(end, "};\n") != 0) {
        output_bytes(output, line, strlen(line));
        return;
    }
    text += strlen(") {");
    output_bytes(output, line, (size_t)(text - line));
    write_text(output, text, end);
    output_bytes(output, end, strlen(end));
}

enum margay_status tikz_write(int descriptor, struct output *output,
                              struct margay_error *error)
{
    char *line = NULL;
    size_t room = 0;
    int copy = dup(descriptor);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "r");
    if (stream == NULL) {
        if (copy >= 0)
            close(copy);
        return margay_fail(error, MARGAY_IO,
                           "cannot read what gnuplot drew: %s",
                           strerror(errno));
    }
    rewind(stream);
    while (getline(&line, &room, stream) > 0) {
        if (strncmp(line, "%% ", 3) != 0)
            write_line(output, line);
    }
    /* Without an end of the file it was an error, or memory was short. */
    bool failed = !feof(stream);
    int reason = errno;
    free(line);
    fclose(stream);
    return failed ? margay_fail(error, MARGAY_IO,
                                "cannot read what gnuplot drew: %s",
                                strerror(reason))
                  : MARGAY_OK;
}
