/* picture_options.c - the types of options.def that describe pictures */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/options/option_types.h"
#include "sim/options/option_values.h"
#include "traces/traces_internal.h"

OPTION_TYPE(picture_size)
{
    struct picture_size *size = field;
    int used = 0;
    if (text[strspn(text, "0123456789x")] == '\0' &&
        sscanf(text, "%5ux%5u%n", &size->width, &size->height, &used) == 2 &&
        text[used] == '\0' && size->width >= 100 && size->width <= 20000 &&
        size->height >= 100 && size->height <= 20000)
        return MARGAY_OK;
    return refuse(name, text, "two numbers from 100 to 20000, such as 1280x800",
                  error);
}

/* The name may be empty: ",10". */
OPTION_TYPE(picture_font)
{
    struct picture_font *font = field;
    const char *comma = strrchr(text, ',');
    size_t bytes = comma == NULL ? strlen(text) : (size_t)(comma - text);
    if (bytes >= sizeof font->name)
        return refuse(name, text, "a name of less than 64 bytes", error);
    memcpy(font->name, text, bytes);
    font->name[bytes] = '\0';
    return comma == NULL ? MARGAY_OK
                         : parse_decimal(name, comma + 1, &font->points, error);
}

/* Room for an end of an axis. */
#define END_BYTES 32

/* An end of an axis: a decimal fraction, or a number with a suffix. */
static bool parse_end(const char *text, size_t bytes, double *value)
{
    char end[END_BYTES];
    uint64_t size;
    bool suffixed;
    struct margay_error unused;
    bool negative = bytes > 0 && *text == '-';
    text += negative;
    bytes -= negative;
    if (bytes == 0 || bytes >= sizeof end)
        return false;
    memcpy(end, text, bytes);
    end[bytes] = '\0';
    if (margay_parse_size(end, "", &size, &suffixed, &unused) == MARGAY_OK)
        *value = (double)size;
    else if (parse_decimal("", end, value, &unused) != MARGAY_OK)
        return false;
    if (negative)
        *value = -*value;
    return true;
}

OPTION_TYPE(axis_range)
{
    struct picture_axis *axis = field;
    const char *dots = strstr(text, "..");
    axis->has_from = dots != NULL && dots != text;
    axis->has_to = dots != NULL && dots[2] != '\0';
    if ((axis->has_from || axis->has_to) &&
        (!axis->has_from ||
         parse_end(text, (size_t)(dots - text), &axis->from)) &&
        (!axis->has_to || parse_end(dots + 2, strlen(dots + 2), &axis->to)) &&
        !(axis->has_from && axis->has_to && axis->from >= axis->to))
        return MARGAY_OK;
    return refuse(name, text,
                  "A.. or ..B, or A..B with A below B, such as 0..0.5 or "
                  "4KiB..1MiB",
                  error);
}

/* A word that the scripts of plots/ know: the values of its row are 0, 1, ...
 */
#define PICTURE_WORD(type, ...)                                      \
    OPTION_TYPE(type)                                                \
    {                                                                \
        static const struct word words[] = {__VA_ARGS__, {NULL, 0}}; \
        int found;                                                   \
        enum margay_status status =                                  \
            find_word(name, text, words, &found, error);             \
        if (status == MARGAY_OK)                                     \
            *(const char **)field = words[found].text;               \
        return status;                                               \
    }

PICTURE_WORD(paper, {"column", 0}, {"page", 1}, {"slide", 2})
PICTURE_WORD(legend, {"right", 0}, {"below", 1}, {"inside", 2}, {"none", 3})
PICTURE_WORD(axis_scale, {"linear", 0}, {"log", 1})
