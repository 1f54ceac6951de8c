/* option_types.c - the types of options.def: text to value */
#define _GNU_SOURCE
#include "sim/options/options.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assoc/assoc_internal.h"

/* -------------------------------------------------------------- refusals -- */

/* Fail with "NAME: 'TEXT' (expected EXPECTED)". */
static enum margay_status refuse(const char *name, const char *text,
                                 const char *expected,
                                 struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT, "%s: '%s' (expected %s)",
                       name, text, expected);
}

/* ---------------------------------------------------------------- lists -- */

/* Room for one item of a list; every valid item is shorter. */
#define ITEM_BYTES 48

/* Copy the item at *cursor, up to a comma or the end, and step over it;
 *cursor is NULL after the last one. */
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

/* ---------------------------------------------------------------- words -- */

static const char *word_at(size_t i, const void *context)
{
    const struct word *words = context;
    return words[i].text;
}

/* Find a text among words; the refusal of another lists them. */
static enum margay_status find_word(const char *name, const char *text,
                                    const struct word *words,
                                    const struct word **found,
                                    struct margay_error *error)
{
    char list[160]; /* "lru, fifo or opt" */
    size_t used = 0;
    for (const struct word *word = words; word->text != NULL; word++) {
        *found = word;
        if (strcasecmp(text, word->text) == 0)
            return MARGAY_OK;
        const char *before = word == words          ? ""
                             : word[1].text == NULL ? " or "
                                                    : ", ";
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     before, word->text);
    }
    const char *nearest = margay_nearest(text, word_at, words);
    if (nearest == NULL)
        return refuse(name, text, list, error);
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: '%s' (expected %s; did you mean '%s'?)", name, text,
                       list, nearest);
}

enum margay_status option_parse_words(const struct option *option,
                                      const char *name, const char *text,
                                      void *field, struct margay_error *error)
{
    const bool is_list = strchr(option->argument, ',') != NULL;
    char item[ITEM_BYTES];
    unsigned set = 0;
    for (const char *cursor = text; cursor != NULL;) {
        const struct word *word = NULL;
        enum margay_status status = MARGAY_OK;
        if (is_list)
            status = next_item(name, &cursor, item, error);
        if (status == MARGAY_OK)
            status = find_word(name, is_list ? item : text, option->values,
                               &word, error);
        if (status != MARGAY_OK)
            return status;
        set |= 1u << word->value;
        if (is_list)
            *(unsigned *)field = set;
        else if (option->field_bytes == sizeof word->text)
            *(const char **)field = word->text;
        else
            *(int *)field = word->value;
        cursor = is_list ? cursor : NULL;
    }
    return MARGAY_OK;
}

/* -------------------------------------------------------- single values -- */

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

OPTION_TYPE(input)
{
    return parse_text(name, text, field, error);
}

OPTION_TYPE(output)
{
    return parse_text(name, text, field, error);
}

/* Parse one number: its range, and the expected text. */
#define NUMBER_TYPE(type, is_right, expected)           \
    OPTION_TYPE(type)                                   \
    {                                                   \
        uint64_t *value = field;                        \
        if (!(is_right))                                \
            return refuse(name, text, expected, error); \
        return MARGAY_OK;                               \
    }
NUMBER_TYPE(count, margay_parse_u64(text, value),
            "a number from 0 to 2^64 - 1, digits only")
NUMBER_TYPE(positive, margay_parse_u64(text, value) && *value > 0,
            "a number from 1 to 2^64 - 1, digits only")
NUMBER_TYPE(bad_lines,
            margay_parse_u64(text, value) ||
                (*value = UINT64_MAX, strcmp(text, "all") == 0),
            "a number of lines, or all")

/* Numbers of references may have a suffix: 250K, 3M, 1G. */
#define SUCH_AS " to 2^64 - 1, such as 250000, 250K, 3M or 1G"
NUMBER_TYPE(refs, margay_parse_count(text, value),
            "a number of references from 0" SUCH_AS)
NUMBER_TYPE(some_refs, margay_parse_count(text, value) && *value > 0,
            "a number of references from 1" SUCH_AS)
NUMBER_TYPE(some_blocks, margay_parse_count(text, value) && *value > 0,
            "a number of blocks from 1" SUCH_AS)

/* A number of which it is known whether it is given. */
#define GIVEN_TYPE(type, number_type)                                  \
    OPTION_TYPE(type)                                                  \
    {                                                                  \
        struct given_number *value = field;                            \
        value->given = true;                                           \
        return parse_##number_type(name, text, &value->number, error); \
    }
GIVEN_TYPE(given_refs, refs)
GIVEN_TYPE(ttl, count)

OPTION_TYPE(interval)
{
    struct interval *interval = field;
    char digits[32];
    size_t bytes = strlen(text);
    size_t seconds = bytes > 0 && text[bytes - 1] == 's';
    size_t thousandths = seconds && bytes > 1 && text[bytes - 2] == 'm';
    uint64_t value = 0;
    snprintf(digits, sizeof digits, "%.*s",
             (int)(bytes - seconds - thousandths), text);
    if (bytes >= sizeof digits ||
        !(seconds ? margay_parse_u64 : margay_parse_count)(digits, &value) ||
        value == 0)
        return refuse(name, text,
                      "a number of references such as 1000000 or 1M, or a "
                      "time such as 60s or 500ms, above 0",
                      error);
    *interval = (struct interval){
        .refs = seconds ? 0 : value,
        .seconds = (double)value * (thousandths ? 1e-3 : (double)seconds)};
    return MARGAY_OK;
}

OPTION_TYPE(interleave)
{
    struct margay_mix_options *mix = field;
    mix->by_time = strcmp(text, "time") == 0;
    mix->by_instructions = strcmp(text, "instructions") == 0;
    if (!mix->by_time && !mix->by_instructions &&
        (!margay_parse_count(text, &mix->turn_refs) || mix->turn_refs == 0))
        return refuse(name, text,
                      "a number of references from 1 on, 'time' or "
                      "'instructions'",
                      error);
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

/* A decimal number, or one of hundredths: "5%". */
OPTION_TYPE(ratio)
{
    char number[32];
    size_t bytes = strlen(text);
    double *value = field;
    if (bytes == 0 || text[bytes - 1] != '%' || bytes >= sizeof number)
        return parse_decimal(name, text, value, error);
    memcpy(number, text, bytes - 1);
    number[bytes - 1] = '\0';
    enum margay_status status = parse_decimal(name, number, value, error);
    *value /= 100;
    return status;
}

OPTION_TYPE(miss_ratio)
{
    enum margay_status status = parse_ratio(name, text, field, error);
    return status == MARGAY_OK && *(double *)field > 1
               ? refuse(name, text,
                        "a ratio from 0 to 1, or hundredths of it such as 5%",
                        error)
               : status;
}

/* Characters that are hard to write in a shell have names. */
OPTION_TYPE(delimiter)
{
    char *delimiter = field;
    if (strcmp(text, "tab") == 0)
        *delimiter = '\t';
    else if (strcmp(text, "space") == 0)
        *delimiter = ' ';
    else if (strcmp(text, "blanks") == 0)
        *delimiter = MARGAY_BLANKS;
    else if (strlen(text) == 1 && strchr("\"\r\n", *text) == NULL &&
             (unsigned char)*text >= ' ')
        *delimiter = *text;
    else
        return refuse(name, text,
                      "tab, space, blanks, or one character that is no quote",
                      error);
    return MARGAY_OK;
}

OPTION_TYPE(knees)
{
    uint64_t *knees = field;
    *knees = 3;
    return text == NULL ? MARGAY_OK : parse_positive(name, text, field, error);
}

OPTION_TYPE(quote)
{
    int *quote = field;
    if (strcmp(text, "none") == 0)
        *quote = MARGAY_NO_QUOTE;
    else if (strlen(text) == 1 && strchr(" \t\r\n", *text) == NULL)
        *quote = (unsigned char)*text;
    else
        return refuse(name, text, "one character, or none", error);
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

/* ---------------------------------------------------------- sizes, lists -- */

/* A cache size counts blocks or, with a suffix, bytes, which become blocks once
   the trace and the block size are known. */
OPTION_TYPE(cache_size)
{
    struct margay_cache_size *size = field;
    enum margay_status status =
        margay_parse_size(text, name, &size->value, &size->in_bytes, error);
    if (status == MARGAY_OK && size->value == 0)
        status =
            margay_fail(error, MARGAY_BAD_ARGUMENT,
                        "%s: a cache of size 0 (expected 1 or more)", name);
    return status;
}

#define MOST_PER_OCTAVE 65536

/* pow2, all and octave:N, or else a list. */
OPTION_TYPE(sizes)
{
    struct margay_cache_sizes *sizes = field;
    char item[ITEM_BYTES];
    size_t room = 0;
    free(sizes->list);
    sizes->list = NULL;
    sizes->count = 0;
    if (strcmp(text, "pow2") == 0)
        sizes->kind = MARGAY_SIZES_POW2;
    else if (strcmp(text, "all") == 0)
        sizes->kind = MARGAY_SIZES_ALL;
    else if (strncmp(text, "octave:", 7) == 0 &&
             margay_parse_u64(text + 7, &sizes->per_octave) &&
             sizes->per_octave >= 1 && sizes->per_octave <= MOST_PER_OCTAVE)
        sizes->kind = MARGAY_SIZES_OCTAVE;
    else if (*text < '0' || *text > '9')
        return refuse(name, text,
                      "pow2, octave:N with N from 1 to 65536, all, or a "
                      "list of sizes such as 64,4KiB,1MiB",
                      error);
    else
        sizes->kind = MARGAY_SIZES_LIST;
    if (sizes->kind != MARGAY_SIZES_LIST)
        return MARGAY_OK;
    for (const char *cursor = text; cursor != NULL;) {
        enum margay_status status = next_item(name, &cursor, item, error);
        if (!MARGAY_MAKE_ROOM(sizes->list, sizes->count, 1, room))
            return margay_fail_memory(error, "the cache sizes");
        if (status == MARGAY_OK)
            status = parse_cache_size(name, item, &sizes->list[sizes->count++],
                                      error);
        if (status != MARGAY_OK)
            return status;
    }
    return MARGAY_OK;
}

/* A tier's sizes are joined by plus signs. */
OPTION_TYPE(tiers)
{
    struct margay_tiers *tiers = field;
    char item[ITEM_BYTES];
    size_t sizes = 0, bytes;
    tiers->count = 0;
    for (const char *cursor = text;; cursor += bytes + 1) {
        bytes = strcspn(cursor, ",+");
        bool first = cursor == text || cursor[-1] == ',';
        if (bytes >= sizeof item || sizes == MARGAY_MOST_TIER_SIZES ||
            (first && tiers->count == MARGAY_MOST_TIERS))
            return refuse(name, text,
                          "up to 64 tiers, and sizes such as 64,4KiB+8KiB, 256 "
                          "together",
                          error);
        tiers->count += first;
        *(char *)mempcpy(item, cursor, bytes) = '\0';
        enum margay_status status =
            parse_cache_size(name, item, &tiers->list[sizes++], error);
        if (status != MARGAY_OK)
            return status;
        tiers->ends[tiers->count - 1] = sizes;
        if (cursor[bytes] == '\0')
            break;
    }
    return tiers->count < 2
               ? refuse(name, text, "two sizes or more such as 64,4KiB", error)
               : MARGAY_OK;
}

OPTION_TYPE(groups)
{
    struct margay_layer_groups *groups = field;
    char item[ITEM_BYTES];
    groups->count = 0;
    for (const char *cursor = text; cursor != NULL; groups->count++) {
        enum margay_status status = next_item(name, &cursor, item, error);
        uint64_t window = 0;
        if (status != MARGAY_OK)
            return status;
        if (groups->count == MARGAY_MOST_GROUPS ||
            (strcmp(item, "full") != 0 &&
             (strncmp(item, "window=", 7) != 0 ||
              parse_bytes(name, item + 7, &window, error) != MARGAY_OK ||
              window < 2)))
            return refuse(name, text,
                          "full or window=TOKENS such as 1024 or 1K, 2 or "
                          "more, up to 64 in all",
                          error);
        groups->tokens[groups->count] = window;
    }
    return MARGAY_OK;
}

OPTION_TYPE(bins)
{
    struct margay_error why;
    (void)name;
    if (margay_bins_parse(text, field, &why) == MARGAY_OK)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT, "%s: %s", name, why.message);
}

OPTION_TYPE(attribution)
{
    struct attribution_option *option = field;
    *option = (struct attribution_option){
        .given = true,
        .by = strcmp(text, "site") == 0     ? MARGAY_BY_SITE
              : strcmp(text, "thread") == 0 ? MARGAY_BY_THREAD
              : strcmp(text, "op") == 0     ? MARGAY_BY_OP
                                            : MARGAY_BY_REGION};
    if (option->by != MARGAY_BY_REGION)
        return MARGAY_OK;
    if (strncmp(text, "region=", 7) != 0 || text[7] == '\0')
        return refuse(name, text, "site, thread, op or region=MAP.csv", error);
    option->map = text + 7;
    return MARGAY_OK;
}

/* ----------------------------------------------------- lists and ranges -- */

/* Put a number in its place of a list; false if the list is full. */
static bool add_number(struct number_list *list, uint64_t number)
{
    size_t place = list->count;
    while (place > 0 && list->numbers[place - 1] > number)
        place--;
    if (place > 0 && list->numbers[place - 1] == number)
        return true;
    if (list->count == MARGAY_MOST_LISTED)
        return false;
    memmove(list->numbers + place + 1, list->numbers + place,
            (list->count++ - place) * sizeof list->numbers[0]);
    list->numbers[place] = number;
    return true;
}

/* Add the numbers of an item, "A" or "A..B": all from A to B, or the powers of
   two.  False if it is no such item, or they are too many, or out of range. */
static bool add_range(struct number_list *list, char *item, uint64_t most,
                      bool powers)
{
    uint64_t from, to;
    char *dots = strstr(item, "..");
    if (dots != NULL)
        *dots = '\0';
    bool good = margay_parse_u64(item, &from) &&
                margay_parse_u64(dots == NULL ? item : dots + 2, &to);
    if (dots != NULL)
        *dots = '.';
    if (!good || from < 1 || from > to || to > most ||
        (powers && from != to &&
         (!margay_is_power_of_two(from) || !margay_is_power_of_two(to))))
        return false;
    for (; good && from <= to; from = powers ? 2 * from : from + 1)
        good = add_number(list, from);
    return good;
}

static enum margay_status parse_numbers(const char *name, const char *text,
                                        struct number_list *list, uint64_t most,
                                        bool powers, const char *expected,
                                        struct margay_error *error)
{
    char item[ITEM_BYTES];
    list->count = 0;
    for (const char *cursor = text; cursor != NULL;) {
        if (next_item(name, &cursor, item, error) != MARGAY_OK)
            return refuse(name, text, expected, error);
        if (!add_range(list, item, most, powers))
            return refuse(name, item, expected, error);
    }
    return MARGAY_OK;
}

OPTION_TYPE(set_list)
{
    return parse_numbers(name, text, field, MARGAY_MOST_SETS, true,
                         "up to 256 numbers up to 16777216, as A,B,... or "
                         "powers of two as A..B",
                         error);
}

/* Sizes in bytes, of blocks powers of two. */
static enum margay_status parse_sizes_in_bytes(const char *name,
                                               const char *text,
                                               struct number_list *list,
                                               bool of_blocks,
                                               struct margay_error *error)
{
    char item[ITEM_BYTES], expected[80] = "a power of two";
    enum margay_status status = MARGAY_OK;
    list->count = 0;
    for (const char *cursor = text; cursor != NULL && status == MARGAY_OK;) {
        uint64_t bytes = 0;
        status = next_item(name, &cursor, item, error);
        if (status == MARGAY_OK)
            status = parse_bytes(name, item, &bytes, error);
        if (status == MARGAY_OK && of_blocks &&
            !margay_is_power_of_two(bytes)) {
            unsigned below = margay_log2_floor(bytes);
            if (below < 63)
                snprintf(expected, sizeof expected,
                         "a power of two such as %" PRIu64 " or %" PRIu64,
                         UINT64_C(1) << below, UINT64_C(2) << below);
            status = refuse(name, item, expected, error);
        } else if (status == MARGAY_OK && !add_number(list, bytes)) {
            status = refuse(name, text, "up to 256 sizes", error);
        }
    }
    return status;
}

OPTION_TYPE(byte_list)
{
    return parse_sizes_in_bytes(name, text, field, false, error);
}

OPTION_TYPE(block_list)
{
    return parse_sizes_in_bytes(name, text, field, true, error);
}

OPTION_TYPE(one_block)
{
    struct number_list *list = field;
    enum margay_status status = parse_block_list(name, text, list, error);
    if (status == MARGAY_OK && list->count > 1)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "%s: one block size at a time, not %zu", name,
                             list->count);
    return status;
}

OPTION_TYPE(way_list)
{
    return parse_numbers(name, text, field, MARGAY_MOST_SLOTS, false,
                         "up to 256 numbers from 1 on, as A,B,... or A..B",
                         error);
}

/* -------------------------------------------------------------- policies -- */

OPTION_TYPE(policy)
{
    struct cache_policy *policy = field;
    struct margay_error why;
    enum margay_status status = margay_policy_find(text, &policy->info, &why);
    if (status != MARGAY_OK)
        return margay_fail(error, status, "%s: %s", name, why.message);
    policy->spec = text;
    return MARGAY_OK;
}

void policy_list_clear(struct policy_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->specs[i]);
    free(list->specs);
    *list = (struct policy_list){.specs = NULL};
}

/* The end of the spec that begins at `text`.  Specs stand between commas, and
   so do the parameters of a spec: after a spec with parameters, a word that has
   an = and no : before it is another of them. */
static const char *spec_end(const char *text)
{
    const char *end = strchrnul(text, ',');
    bool takes_more = memchr(text, ':', (size_t)(end - text)) != NULL;
    while (takes_more && *end != '\0' &&
           end[1 + strcspn(end + 1, ":=,")] == '=')
        end = strchrnul(end + 1, ',');
    return end;
}

OPTION_TYPE(spec_list)
{
    struct policy_list *list = field;
    policy_list_clear(list);
    if (*text == '\0')
        return refuse(name, text, "a value that is not empty", error);
    for (const char *next = text; next != NULL;) {
        const char *end = spec_end(next);
        char *spec = strndup(next, (size_t)(end - next));
        char **specs =
            reallocarray(list->specs, list->count + 1, sizeof *list->specs);
        if (specs != NULL)
            list->specs = specs;
        if (spec == NULL || specs == NULL) {
            free(spec);
            return margay_fail_memory(error, "the specs");
        }
        specs[list->count++] = spec;
        next = *end == ',' ? end + 1 : NULL;
    }
    return MARGAY_OK;
}

OPTION_TYPE(policy_list)
{
    struct policy_list *list = field;
    struct cache_policy checked;
    enum margay_status status = parse_spec_list(name, text, list, error);
    for (size_t i = 0; i < list->count && status == MARGAY_OK; i++) {
        status = parse_policy(name, list->specs[i], &checked, error);
        if (status == MARGAY_OK)
            list->abilities |= checked.info->abilities;
    }
    return status;
}

OPTION_TYPE(sample_rate)
{
    struct sample_option *sample = field;
    enum margay_status status = parse_ratio(name, text, &sample->rate, error);
    if (status == MARGAY_OK && !(sample->rate >= 0.000001 && sample->rate <= 1))
        status = refuse(name, text, "a share of the blocks from 0.000001 to 1",
                        error);
    snprintf(sample->engine, sizeof sample->engine, "shards:rate=%.9f",
             sample->rate);
    return status;
}

/* ------------------------------------------------------------- pictures -- */

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
    bool suffixed, negative = bytes > 0 && *text == '-';
    struct margay_error unused;
    snprintf(end, sizeof end, "%.*s", (int)bytes - negative, text + negative);
    bool is_size =
        margay_parse_size(end, "", &size, &suffixed, &unused) == MARGAY_OK;
    if (bytes >= sizeof end ||
        (!is_size && parse_decimal("", end, value, &unused) != MARGAY_OK))
        return false;
    if (is_size)
        *value = (double)size;
    *value = negative ? -*value : *value;
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

/* ---------------------------------------------------------- predictions -- */

/* The bins of margay_bins_parse(), whose numbers may be left out. */
OPTION_TYPE(predict_bins)
{
    struct margay_bins *bins = field;
    *bins = (struct margay_bins){MARGAY_BINS_EXACT, 0};
    if (strcmp(text, "reference") == 0)
        bins->kind = MARGAY_BINS_REFERENCE;
    else if (strcmp(text, "linear") == 0)
        bins->kind = MARGAY_BINS_LINEAR;
    if (bins->kind != MARGAY_BINS_EXACT)
        return MARGAY_OK;
    if (margay_bins_parse(text, bins, NULL) == MARGAY_OK &&
        bins->kind != MARGAY_BINS_EXACT)
        return MARGAY_OK;
    return refuse(name, text,
                  "reference, reference:GROUPS, log2, loglinear, linear or "
                  "linear:WIDTH",
                  error);
}

OPTION_TYPE(input_size)
{
    double *size = field;
    if (parse_decimal(name, text, size, error) == MARGAY_OK && *size > 0)
        return MARGAY_OK;
    return refuse(name, text, "a number above 0, such as 4096", error);
}

/* ----------------------------------------------------------- recordings -- */

OPTION_TYPE(record_point)
{
    struct record_point *point = field;
    *point = (struct record_point){NULL, 0};
    if (margay_parse_count(text, &point->refs) && point->refs > 0)
        return MARGAY_OK;
    if (*text == '\0' || (*text >= '0' && *text <= '9'))
        return refuse(name, text,
                      "the name of a function, or a number of references from "
                      "1 to 2^64 - 1, such as 250000, 250K, 3M or 1G",
                      error);
    point->function = text;
    return MARGAY_OK;
}
