/* markup.c - text within HTML and SVG */
#include "sim/report/markup.h"

#include <stdio.h>
#include <string.h>

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

/* The bytes of the character of UTF-8 that the text begins with; 0: none. */
static size_t utf8_bytes(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t more = byte[0] < 0x80                       ? 0
                  : byte[0] >= 0xc2 && byte[0] <= 0xdf ? 1
                  : byte[0] >= 0xe0 && byte[0] <= 0xef ? 2
                  : byte[0] >= 0xf0 && byte[0] <= 0xf4 ? 3
                                                       : 4;
    for (size_t i = 1; more < 4 && i <= more; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Longer forms than needed, halves of pairs, and beyond Unicode. */
    if (more == 4 || (byte[0] == 0xe0 && byte[1] < 0xa0) ||
        (byte[0] == 0xed && byte[1] > 0x9f) ||
        (byte[0] == 0xf0 && byte[1] < 0x90) ||
        (byte[0] == 0xf4 && byte[1] > 0x8f))
        return 0;
    return more + 1;
}

void markup_text(struct output *output, const char *text)
{
    while (*text != '\0') {
        const char *name = entity(*text);
        size_t bytes = utf8_bytes(text);
        if (name != NULL)
            output_bytes(output, name, strlen(name));
        else if (bytes == 0 || margay_is_control(*text))
            output_bytes(output, "?", 1);
        else
            output_bytes(output, text, bytes);
        text += bytes == 0 ? 1 : bytes;
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
