/* option_types.c - the types of options.def: text to value */
#include "sim/option_types.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/options.h"
#include "sim/refuse.h"
#include "traces/traces_internal.h"

OPTION_TYPE(flag)
{
    (void)name, (void)text, (void)error;
    *(bool *)field = true;
    return MARGAY_OK;
}

OPTION_TYPE(text)
{
    if (*text == '\0')
        return refuse(name, text, "a value that is not empty", error);
    *(const char **)field = text;
    return MARGAY_OK;
}

OPTION_TYPE(count)
{
    if (!margay_parse_u64(text, field))
        return refuse(name, text, "a number from 0 to 2^64 - 1, digits only",
                      error);
    return MARGAY_OK;
}

OPTION_TYPE(positive)
{
    uint64_t *value = field;
    if (!margay_parse_u64(text, value) || *value == 0)
        return refuse(name, text, "a number from 1 to 2^64 - 1, digits only",
                      error);
    return MARGAY_OK;
}

OPTION_TYPE(interval)
{
    struct interval *interval = field;
    char digits[32];
    size_t bytes = strlen(text);
    bool seconds = bytes > 0 && text[bytes - 1] == 's';
    uint64_t value;
    snprintf(digits, sizeof digits, "%.*s", (int)(bytes - seconds), text);
    if (bytes >= sizeof digits || !margay_parse_u64(digits, &value) ||
        value == 0)
        return refuse(name, text,
                      "a number of references such as 1000000, or of "
                      "seconds such as 60s, from 1 on",
                      error);
    *interval = (struct interval){0};
    *(seconds ? &interval->seconds : &interval->refs) = value;
    return MARGAY_OK;
}

OPTION_TYPE(threads)
{
    uint64_t value;
    if (!margay_parse_u64(text, &value) || value == 0 || value > INT_MAX)
        return refuse(name, text, "a whole number from 1 on", error);
    *(unsigned *)field = (unsigned)value;
    return MARGAY_OK;
}

OPTION_TYPE(decimal)
{
    char *end;
    double *value = field;
    /* strtod would take blanks, signs, hexadecimal, inf and nan as well. */
    bool decimal = text[strspn(text, "0123456789.")] == '\0';
    *value = strtod(text, &end);
    if (!decimal || end == text || *end != '\0' || !isfinite(*value))
        return refuse(name, text, "a number such as 0.8", error);
    return MARGAY_OK;
}

/* The characters that a shell makes hard to write have names. */
OPTION_TYPE(delimiter)
{
    char *delimiter = field;
    if (strcmp(text, "tab") == 0)
        *delimiter = '\t';
    else if (strcmp(text, "space") == 0)
        *delimiter = ' ';
    else if (strlen(text) == 1 && strchr("\"\r\n", *text) == NULL)
        *delimiter = *text;
    else
        return refuse(name, text,
                      "one character other than a quote, tab or space", error);
    return MARGAY_OK;
}

OPTION_TYPE(bytes)
{
    uint64_t *value = field;
    bool suffixed;
    enum margay_status status =
        margay_parse_size(text, name, value, &suffixed, error);
    if (status == MARGAY_OK && *value == 0)
        status = refuse(name, text, "at least 1 byte", error);
    return status;
}

/* ---------------------------------------------------------------- lists -- */

/* Room for one item of a list; nothing sensible is longer. */
#define ITEM_BYTES 48

/*
 * Copy the item at *cursor, up to a comma or the end, and step behind it;
 * *cursor is NULL after the last one.
 */
static enum margay_status next_item(const char *name, const char **cursor,
                                    char item[ITEM_BYTES],
                                    struct margay_error *error)
{
    size_t bytes = strcspn(*cursor, ",");
    if (bytes == 0)
        return refuse(name, *cursor, "a list without empty places", error);
    if (bytes >= ITEM_BYTES)
        return refuse(name, *cursor, "a list joined by commas", error);
    memcpy(item, *cursor, bytes);
    item[bytes] = '\0';
    *cursor = (*cursor)[bytes] == ',' ? *cursor + bytes + 1 : NULL;
    return MARGAY_OK;
}

/* The powers of two below and above are what may be meant. */
static enum margay_status refuse_uneven(const char *name, const char *text,
                                        uint64_t bytes,
                                        struct margay_error *error)
{
    char expected[80];
    unsigned below = bytes == 0 ? 0 : margay_log2_floor(bytes);
    uint64_t power = UINT64_C(1) << below;
    if (below >= 63)
        return refuse(name, text, "a power of two", error);
    snprintf(expected, sizeof expected,
             "a power of two such as %" PRIu64 " or %" PRIu64, power,
             2 * power);
    return refuse(name, text, expected, error);
}

OPTION_TYPE(block_list)
{
    struct block_list *list = field;
    char item[ITEM_BYTES];
    uint64_t powers = 0, bytes;
    for (const char *cursor = text; cursor != NULL;) {
        enum margay_status status = next_item(name, &cursor, item, error);
        if (status == MARGAY_OK)
            status = parse_bytes(name, item, &bytes, error);
        if (status == MARGAY_OK && !margay_is_power_of_two(bytes))
            status = refuse_uneven(name, item, bytes, error);
        if (status != MARGAY_OK)
            return status;
        powers |= bytes;
    }
    /* Each is a single bit, which sorts them and drops repetitions. */
    for (list->count = 0; powers != 0; powers &= powers - 1)
        list->bytes[list->count++] = powers & -powers;
    return MARGAY_OK;
}

OPTION_TYPE(kinds)
{
    static const char *const words[] = {
        [MARGAY_READ] = "read",
        [MARGAY_WRITE] = "write",
        [MARGAY_FETCH] = "fetch",
        [MARGAY_KINDS] = NULL,
    };
    unsigned *kinds = field;
    char item[ITEM_BYTES];
    *kinds = 0;
    for (const char *cursor = text; cursor != NULL;) {
        size_t kind = 0;
        enum margay_status status = next_item(name, &cursor, item, error);
        if (status == MARGAY_OK)
            status = find_word(name, item, words, &kind, error);
        if (status != MARGAY_OK)
            return status;
        *kinds |= MARGAY_KIND_BIT(kind);
    }
    return MARGAY_OK;
}

OPTION_TYPE(straddle)
{
    static const char *const words[] = {"first", "split", NULL};
    size_t index;
    enum margay_status status = find_word(name, text, words, &index, error);
    *(bool *)field = index == 1;
    return status;
}

OPTION_TYPE(cache_size)
{
    return cache_size_parse(text, name, field, error);
}

#define MOST_PER_OCTAVE 65536

/* pow2, all and octave:N; false: it may still be a list. */
static bool parse_grid(const char *text, struct cache_sizes *sizes)
{
    if (strcmp(text, "pow2") == 0)
        sizes->kind = MARGAY_SIZES_POW2;
    else if (strcmp(text, "all") == 0)
        sizes->kind = MARGAY_SIZES_ALL;
    else if (strncmp(text, "octave:", 7) == 0 &&
             margay_parse_u64(text + 7, &sizes->per_octave) &&
             sizes->per_octave >= 1 && sizes->per_octave <= MOST_PER_OCTAVE)
        sizes->kind = MARGAY_SIZES_OCTAVE;
    else
        return false;
    return true;
}

static size_t count_items(const char *text)
{
    size_t count = 1;
    for (; *text != '\0'; text++)
        count += *text == ',';
    return count;
}

static enum margay_status parse_list(const char *name, const char *text,
                                     struct cache_sizes *sizes,
                                     struct margay_error *error)
{
    char item[ITEM_BYTES];
    size_t most = count_items(text);
    sizes->kind = MARGAY_SIZES_LIST;
    sizes->count = 0;
    sizes->list = calloc(most, sizeof *sizes->list);
    if (sizes->list == NULL)
        return margay_fail_memory(error, "the cache sizes");
    for (const char *cursor = text; cursor != NULL;) {
        enum margay_status status = next_item(name, &cursor, item, error);
        if (status == MARGAY_OK)
            status = cache_size_parse(item, name, &sizes->list[sizes->count++],
                                      error);
        if (status != MARGAY_OK)
            return status;
    }
    return MARGAY_OK;
}

OPTION_TYPE(sizes)
{
    struct cache_sizes *sizes = field;
    free(sizes->list);
    sizes->list = NULL;
    if (parse_grid(text, sizes))
        return MARGAY_OK;
    if (*text < '0' || *text > '9')
        return refuse(name, text,
                      "pow2, octave:N with N from 1 to 65536, all, or a "
                      "list of sizes such as 64,4KiB,1MiB",
                      error);
    return parse_list(name, text, sizes, error);
}

OPTION_TYPE(bins)
{
    struct margay_error why;
    (void)name;
    if (margay_bins_parse(text, field, &why) == MARGAY_OK)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT, "%s: %s", name, why.message);
}

OPTION_TYPE(measure_of)
{
    static const char *const words[] = {"distance", "time", NULL};
    size_t index;
    enum margay_status status = find_word(name, text, words, &index, error);
    *(enum margay_measure *)field =
        index == 0 ? MARGAY_REUSE_DISTANCES : MARGAY_REUSE_TIMES;
    return status;
}

OPTION_TYPE(of_distances)
{
    static const char *const words[] = {"distance", NULL};
    size_t index;
    *(bool *)field = true;
    return find_word(name, text, words, &index, error);
}

OPTION_TYPE(by_place)
{
    struct place_option *place = field;
    if (strcmp(text, "site") == 0)
        place->kind = BY_SITE;
    else if (strcmp(text, "thread") == 0)
        place->kind = BY_THREAD;
    else if (strncmp(text, "region=", 7) == 0 && text[7] != '\0')
        place->kind = BY_REGION;
    else
        return refuse(name, text, "site, thread or region=MAP.csv", error);
    place->map = place->kind == BY_REGION ? text + 7 : NULL;
    return MARGAY_OK;
}

OPTION_TYPE(model)
{
    static const char *const words[] = {"lru", "footprint", NULL};
    size_t index;
    enum margay_status status = find_word(name, text, words, &index, error);
    *(enum margay_measure *)field =
        index == 0 ? MARGAY_REUSE_DISTANCES : MARGAY_FOOTPRINT;
    return status;
}
