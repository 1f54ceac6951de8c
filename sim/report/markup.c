/* markup.c - text within HTML and SVG */
#include "sim/report/markup.h"

#include <stdio.h>
#include <string.h>

#include "sim/tables/json.h"
#include "traces/traces_internal.h"

static const char *entity(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void markup_text(struct output *output, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const char *name = entity(*text);
        size_t bytes = json_character_bytes(text, left);
        if (name != NULL)
            output_bytes(output, name, strlen(name));
        else if (bytes == 0)
            output_text(output, JSON_NO_CHARACTER);
        else if (margay_is_control(*text))
            output_bytes(output, "?", 1);
        else
            output_bytes(output, text, bytes);
        bytes = bytes == 0 ? 1 : bytes;
        text += bytes;
        left -= bytes;
    }
}

const char *markup_size(double size, bool in_bytes, char text[32])
{
    static const char *const units[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    size_t unit = 0;
    while (size >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
        size /= 1024;
        unit++;
    }
    snprintf(text, 32, "%.4g%s%s%s", size, unit > 0 || in_bytes ? " " : "",
             units[unit], in_bytes ? "B" : "");
    return text;
}
