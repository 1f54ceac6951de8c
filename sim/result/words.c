/* words.c - numbers and names of a table as people say them: see text.h */
#include "sim/result/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/json.h"
#include "sim/result/match.h"
#include "traces/traces_internal.h"

/* "1,234,567" */
static const char *words_count(uint64_t count, char text[WORDS_BYTES])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

static bool for_people;

void words_be_for_people(void)
{
    for_people = true;
}

const char *words_number(uint64_t count, char text[WORDS_BYTES])
{
    if (for_people)
        return words_count(count, text);
    snprintf(text, WORDS_BYTES, "%" PRIu64, count);
    return text;
}

const char *words_of(uint64_t count, const char *noun, char text[WORDS_BYTES])
{
    bool hisses = noun[strlen(noun) - 1] == 's';
    size_t used = strlen(words_number(count, text));
    snprintf(text + used, WORDS_BYTES - used, " %s%s", noun,
             margay_plural(count, hisses ? "es" : "s"));
    return text;
}

const char *words_bytes(uint64_t bytes, char text[WORDS_BYTES])
{
    static const char *const units[] = {"B",   "KiB", "MiB", "GiB",
                                        "TiB", "PiB", "EiB"};
    size_t unit = 0;
    while (unit < 6 && bytes >> (10 * (unit + 1)) > 0)
        unit++;
    double value = ldexp((double)bytes, -10 * (int)unit);
    double step = value < 10 ? 0.01 : value < 100 ? 0.1 : 1;
    value = ceil(value / step - 1e-9) * step;
    /* A number rounded to 1024 is one of the next unit. */
    if (unit < 6 && value >= 1024) {
        value /= 1024;
        unit++;
    }
    snprintf(text, WORDS_BYTES, "%.4g %s", value, units[unit]);
    return text;
}

const char *words_ratio(double ratio, char text[WORDS_BYTES])
{
    double percent = 100 * ratio;
    int digits = 3;
    while (digits < 12 && ratio < 1 &&
           (snprintf(text, WORDS_BYTES, "%.*g", digits, percent),
            strtod(text, NULL) >= 100))
        digits++;
    snprintf(text, WORDS_BYTES, "%.*g%%", digits, percent);
    return text;
}

static bool ends_with(const char *text, const char *end)
{
    size_t bytes = strlen(text), end_bytes = strlen(end);
    return bytes >= end_bytes && strcmp(text + bytes - end_bytes, end) == 0;
}

const char *words_cell(const struct cells *table, size_t row, size_t column,
                       char text[WORDS_BYTES])
{
    const char *name = cells_name(table, column);
    const char *cell = cells_at(table, row, column);
    uint64_t number;
    if (strcmp(name, "trace") == 0 || strcmp(name, "program") == 0) {
        /* The file of a path. */
        const char *slash = strrchr(cell, '/');
        return strcmp(cell, "-") == 0              ? "standard input"
               : slash == NULL || slash[1] == '\0' ? cell
                                                   : slash + 1;
    }
    if (column_is_text(name) || !json_is_number(cell))
        return cell;
    if (ends_with(name, "ratio") || ends_with(name, "share") ||
        strncmp(name, "predicted_", 10) == 0 || strncmp(name, "error_", 6) == 0)
        return words_ratio(strtod(cell, NULL), text);
    if (!margay_parse_u64(cell, &number)) {
        double value = strtod(cell, NULL);
        if (value >= 1e6 && value < 1e18)
            return words_count((uint64_t)value, text);
        snprintf(text, WORDS_BYTES, "%.6g", value);
        return text;
    }
    return ends_with(name, "bytes") ? words_bytes(number, text)
                                    : words_count(number, text);
}

const char *words_key(const struct cells *table, size_t row, size_t column,
                      char text[WORDS_KEY_BYTES])
{
    char number[WORDS_BYTES];
    const char *name = cells_name(table, column);
    const char *value = words_cell(table, row, column, number);
    if (strcmp(name, "trace") == 0)
        return value;
    if (strcmp(name, "block_bytes") == 0)
        snprintf(text, WORDS_KEY_BYTES, "blocks of %s", value);
    else if (strcmp(name, "references") == 0)
        snprintf(text, WORDS_KEY_BYTES, "%s reference%s", value,
                 strcmp(value, "1") == 0 ? "" : "s");
    else if (strcmp(name, "sampled") == 0)
        snprintf(text, WORDS_KEY_BYTES, "a sample of %s", value);
    else
        snprintf(text, WORDS_KEY_BYTES, "%s %s", name, value);
    return text;
}
