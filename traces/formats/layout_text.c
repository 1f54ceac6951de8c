/*
 * layout_text.c - layouts as text: what a file says, and what the table holds
 *
 *     msr about="requests to volumes"
 * columns=time=1,device=2+3,op=4,id=5,size=6 shape=dtdoddd gets=read sets=write
 * unit=1 ticks=10000000
 *
 * A row begins with a name; lines that begin with a blank continue it, and
 * those that begin with a hash are comments.  KEY=VALUE follow, one table of
 * which is read and written alike; a value with blanks stands in quotation
 * marks, single or double ones.  Each `columns` begins a variant, which `shape`
 * and `named` are of.  Words of operations that a row does not name are the
 * usual ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/formats/detect.h"
#include "traces/formats/layout.h"
#include "traces/formats/reading.h"
#include "traces/formats/scan.h"

/* A file of layouts is longer than this by mistake. */
#define FILE_BYTES 65536

enum value { TEXT, NUMBER, FLAG, CHARACTER };

static const struct key {
    const char *name;
    enum value value;
    bool of_variant;
    size_t offset, bytes;
} keys[] = {
#define OF_LAYOUT(name, value, field)                              \
    {                                                              \
        name, value, false, offsetof(struct margay_layout, field), \
            sizeof((struct margay_layout *)NULL)->field            \
    }
#define OF_VARIANT(name, value, field)                             \
    {                                                              \
        name, value, true, offsetof(struct margay_variant, field), \
            sizeof((struct margay_variant *)NULL)->field           \
    }
    OF_VARIANT("columns", TEXT, columns),
    OF_VARIANT("shape", TEXT, shape),
    OF_VARIANT("named", FLAG, by_name_only),
    OF_LAYOUT("lines", NUMBER, syntax),
    OF_LAYOUT("pattern", TEXT, pattern),
    OF_LAYOUT("delimiter", CHARACTER, delimiter),
    OF_LAYOUT("quote", CHARACTER, quote),
    OF_LAYOUT("gets", TEXT, gets),
    OF_LAYOUT("sets", TEXT, sets),
    OF_LAYOUT("deletes", TEXT, deletes),
    OF_LAYOUT("passes", TEXT, passes),
    OF_LAYOUT("unit", NUMBER, offset_bytes),
    OF_LAYOUT("ticks", NUMBER, ticks_per_second),
    OF_LAYOUT("device-bits", NUMBER, device_bits),
    OF_LAYOUT("ascends", FLAG, ascends),
    OF_LAYOUT("since", NUMBER, least_time),
    OF_LAYOUT("empty-gets-missed", FLAG, empty_gets_missed),
};
#define KEYS (sizeof keys / sizeof *keys)

/* The words for some values. */
static const struct word {
    const char *key, *word;
    uint64_t value;
} words[] = {
    {"lines", "table", MARGAY_SYNTAX_TABLE},
    {"lines", "jsonl", MARGAY_SYNTAX_JSON},
    {"lines", "logfmt", MARGAY_SYNTAX_LOGFMT},
    {"lines", "w3c", MARGAY_SYNTAX_W3C},
    {"lines", "regex", MARGAY_SYNTAX_REGEX},
    {"delimiter", "blanks", (unsigned char)MARGAY_BLANKS},
    {"delimiter", "tab", '\t'},
    {"delimiter", "space", ' '},
    {"delimiter", "any", (unsigned char)MARGAY_ANY_DELIMITER},
    {"quote", "none", MARGAY_NO_QUOTE},
    {"ticks", "epoch", MARGAY_EPOCH_TICKS},
};
#define WORDS (sizeof words / sizeof *words)

static char *field_of(struct margay_layout *layout, unsigned variant,
                      const struct key *key)
{
    char *base = (char *)layout;
    if (key->of_variant)
        base = (char *)&layout->variants[variant];
    return base + key->offset;
}

/* ---------------------------------------------------------------- reading --
 */

struct margay_own_layout {
    struct margay_format format;
    struct margay_layout layout;
    char text[FILE_BYTES + 1]; /* which the layout points into */
};

struct reading {
    const char *path;
    struct margay_own_layout *own;
    char *cursor;
    uint64_t line;
    unsigned variants;
};

static enum margay_status fail_row(const struct reading *reading,
                                   const char *found, const char *expected,
                                   struct margay_error *error)
{
    char quoted[MARGAY_QUOTE_BYTES];
    return margay_fail(
        error, MARGAY_BAD_INPUT, "%s:%llu: found '%s', expected %s",
        reading->path, (unsigned long long)reading->line,
        margay_quote(quoted, found, found + strlen(found)), expected);
}

/* Go to the next word of the row; false: it has ended. */
static bool next_word(struct reading *reading)
{
    for (;;) {
        reading->cursor =
            (char *)(uintptr_t)margay_skip_blanks(reading->cursor);
        bool in_next = reading->cursor[0] == '\n';
        if (!in_next)
            return *reading->cursor != '\0';
        reading->line++;
        reading->cursor++;
        if (*reading->cursor == '#')
            reading->cursor += strcspn(reading->cursor, "\n");
        else if (!margay_is_blank(*reading->cursor) && *reading->cursor != '\n')
            return false;
    }
}

/* Cut the value at the cursor off; NULL: a quotation mark is missing. */
static char *take_value(struct reading *reading)
{
    static const char ends[] = " \t\r\n";
    char quote[] = {*reading->cursor, '\n', '\0'};
    bool quoted = *quote == '"' || *quote == '\'';
    char *value = reading->cursor + quoted;
    char *end = value + strcspn(value, quoted ? quote : ends);
    if (quoted && *end != *quote)
        return NULL;
    reading->cursor = end + (*end != '\0' && *end != '\n');
    /* The newline that ends a value is still to be counted. */
    if (*end == '\n') {
        reading->cursor = end;
        memmove(value - 1, value, (size_t)(end - value));
        value--;
        end--;
    }
    *end = '\0';
    return value;
}

static bool set_number(const struct key *key, const char *value, char *field)
{
    uint64_t number = 0;
    size_t length = strlen(value), i = 0;
    while (i < WORDS && (strcmp(words[i].key, key->name) != 0 ||
                         strcmp(words[i].word, value) != 0))
        i++;
    if (i < WORDS)
        number = words[i].value;
    else if (key->value == CHARACTER && length == 1)
        number = (unsigned char)*value;
    else if (key->value == CHARACTER || strcmp(key->name, "lines") == 0 ||
             length == 0 || length > 19 ||
             margay_scan_decimal(value, &number) != value + length)
        return false;
    if (key->bytes == 1)
        *field = (char)number;
    else if (key->bytes == sizeof(int))
        *(int *)(void *)field = (int)number;
    else
        *(uint64_t *)(void *)field = number;
    return i < WORDS || key->bytes == 8 || number <= INT32_MAX;
}

/* KEY=VALUE, or a flag. */
static enum margay_status take_key(struct reading *reading, char **about,
                                   struct margay_error *error)
{
    struct margay_layout *layout = &reading->own->layout;
    char *word = reading->cursor;
    size_t bytes = strcspn(word, "= \t\r\n"), k = 0;
    bool is_about = bytes == 5 && memcmp(word, "about", 5) == 0;
    while (k < KEYS && (strlen(keys[k].name) != bytes ||
                        memcmp(keys[k].name, word, bytes) != 0))
        k++;
    if ((k == KEYS && !is_about) ||
        ((k == KEYS || keys[k].value != FLAG) != (word[bytes] == '=')))
        return fail_row(reading, word,
                        "KEY=VALUE of a layout: margay help layouts shows some",
                        error);
    reading->cursor += bytes;
    if (k < KEYS &&
        keys[k].offset == offsetof(struct margay_variant, columns) &&
        keys[k].of_variant && reading->variants++ == MARGAY_VARIANTS)
        return fail_row(reading, word, "at most 5 times columns=", error);
    if (k < KEYS && keys[k].of_variant && reading->variants == 0)
        return fail_row(reading, word, "columns= before it", error);
    char *field =
        k == KEYS ? NULL : field_of(layout, reading->variants - 1, &keys[k]);
    if (k < KEYS && keys[k].value == FLAG) {
        *(bool *)field = true;
        return MARGAY_OK;
    }
    reading->cursor++;
    char *value = take_value(reading);
    if (value == NULL)
        return fail_row(reading, word, "a quotation mark that ends it", error);
    if (is_about)
        *about = value;
    else if (keys[k].value == TEXT)
        *(const char **)(void *)field = value;
    else if (!set_number(&keys[k], value, field))
        return fail_row(reading, value, "a value of that key", error);
    return MARGAY_OK;
}

/* What the row comes to. */
static enum margay_status make_format(const struct reading *reading,
                                      const char *name, const char *about,
                                      struct margay_error *error)
{
    struct margay_own_layout *own = reading->own;
    struct margay_layout *layout = &own->layout;
    struct margay_choice choices[MARGAY_VARIANTS];
    bool is_table = layout->syntax == MARGAY_SYNTAX_TABLE;
    bool offsets = layout->offset_bytes != 0;
    enum margay_status status = MARGAY_OK;
    if (reading->variants == 0 && layout->syntax != MARGAY_SYNTAX_REGEX)
        return fail_row(reading, name, "columns=id=... in its row", error);
    if ((layout->offset_bytes & (layout->offset_bytes - 1)) != 0)
        return fail_row(reading, name, "a unit that is a power of two", error);
    if (layout->device_bits > 60)
        return fail_row(reading, name, "at most 60 device-bits", error);
    for (unsigned v = 0; v < reading->variants && status == MARGAY_OK; v++)
        status = margay_choice_parse(layout->variants[v].columns, true, NULL,
                                     &choices[v], error);
    if (layout->gets == NULL && layout->sets == NULL &&
        layout->deletes == NULL) {
        layout->gets = margay_layout_any.gets;
        layout->sets = margay_layout_any.sets;
        layout->deletes = margay_layout_any.deletes;
    }
    if (layout->gets == NULL)
        layout->gets = "";
    for (unsigned v = 0; v < reading->variants && status == MARGAY_OK; v++) {
        if (layout->variants[v].shape == NULL && !choices[v].by_name)
            layout->variants[v].shape = "*";
    }
    layout->open = true;
    own->format = is_table ? margay_format_csv : margay_format_jsonl;
    own->format.layout = layout;
    own->format.recognise = NULL;
    own->format.encode = NULL;
    own->format.info = (struct margay_format_info){
        .name = name,
        .description = about,
        .suffixes = "",
        .numbers = offsets ? MARGAY_ADDRESSES : MARGAY_IDS,
        .unit_bytes = offsets,
        .named_columns = MARGAY_TABLE_COLUMNS,
        .splits = offsets,
        .empty_extents = offsets,
        .usual_block_bytes = offsets ? 4096 : 0,
    };
    return status;
}

/* Read a row; *wanted: it is the one. */
static enum margay_status take_row(struct reading *reading, const char *wanted,
                                   bool *found, struct margay_error *error)
{
    struct margay_own_layout *own = reading->own;
    char *name = reading->cursor, *about = (char *)(uintptr_t) "";
    size_t bytes = strcspn(name, " \t\r\n");
    own->layout = (struct margay_layout){.ticks_per_second = 1};
    reading->variants = 0;
    reading->cursor += bytes;
    enum margay_status status = MARGAY_OK;
    bool more = next_word(reading);
    name[bytes] = '\0';
    while (status == MARGAY_OK && more) {
        status = take_key(reading, &about, error);
        more = status == MARGAY_OK && next_word(reading);
    }
    *found = wanted == NULL || strcmp(wanted, name) == 0;
    return status == MARGAY_OK && *found
               ? make_format(reading, name, about, error)
               : status;
}

static enum margay_status read_file(struct reading *reading,
                                    struct margay_error *error)
{
    char *text = reading->own->text;
    FILE *file = fopen(reading->path, "re");
    if (file == NULL)
        return margay_fail(error, MARGAY_IO, "%s: cannot be opened: %s",
                           reading->path, strerror(errno));
    /* The newline before the first row ends what is before it. */
    text[0] = '\n';
    size_t bytes = fread(text + 1, 1, FILE_BYTES - 1, file);
    bool whole = ferror(file) == 0 && bytes < FILE_BYTES - 1;
    fclose(file);
    if (!whole || memchr(text, '\0', bytes + 1) != NULL)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found no text of less than %d bytes, expected "
                           "rows of layouts",
                           reading->path, FILE_BYTES);
    text[bytes + 1] = '\0';
    return MARGAY_OK;
}

enum margay_status margay_layout_load(const char *path, const char *name,
                                      struct margay_format **format,
                                      struct margay_error *error)
{
    /* Scanners load some bytes more than there are. */
    struct margay_own_layout *own =
        calloc(1, sizeof *own + MARGAY_TEXT_PADDING);
    struct reading reading = {.path = path, .own = own};
    bool found = false;
    *format = NULL;
    if (own == NULL)
        return margay_fail_memory(error, "a layout");
    enum margay_status status = read_file(&reading, error);
    reading.cursor = own->text;
    if (status == MARGAY_OK && next_word(&reading))
        status = fail_row(&reading, reading.cursor,
                          "a name at the beginning of a line", error);
    while (status == MARGAY_OK && !found && *reading.cursor != '\0')
        status = take_row(&reading, name, &found, error);
    if (status == MARGAY_OK && !found)
        status = margay_fail(
            error, MARGAY_BAD_ARGUMENT, "%s: found no layout%s%s in it", path,
            name == NULL ? "" : " called ", name == NULL ? "" : name);
    if (status == MARGAY_OK && name == NULL && *reading.cursor != '\0')
        status = fail_row(&reading, reading.cursor,
                          "one layout, or -f to say which", error);
    if (status == MARGAY_OK)
        *format = &own->format;
    else
        free(own);
    return status;
}

/* ---------------------------------------------------------------- writing --
 */

/* "KEY=VALUE", with a blank before it. */
static size_t write_key(const struct key *key, const char *field, char *text,
                        size_t bytes)
{
    uint64_t number = key->bytes == 1 ? (unsigned char)*field
                      : key->bytes == sizeof(int)
                          ? (uint64_t) * (const int *)(const void *)field
                          : *(const uint64_t *)(const void *)field;
    const char *word = NULL;
    if (key->value == FLAG)
        return number == 0 ? 0
                           : (size_t)snprintf(text, bytes, " %s", key->name);
    if (key->value == TEXT) {
        word = *(const char *const *)(const void *)field;
        const char *quote = word == NULL || strchr(word, ' ') == NULL ? ""
                            : strchr(word, '"') == NULL               ? "\""
                                                                      : "'";
        return word == NULL ? 0
                            : (size_t)snprintf(text, bytes, " %s=%s%s%s",
                                               key->name, quote, word, quote);
    }
    for (size_t i = 0; i < WORDS; i++) {
        if (strcmp(words[i].key, key->name) == 0 && words[i].value == number)
            word = words[i].word;
    }
    return number == 0 ? 0
           : word != NULL
               ? (size_t)snprintf(text, bytes, " %s=%s", key->name, word)
           : key->value == CHARACTER
               ? (size_t)snprintf(text, bytes, " %s=%c", key->name,
                                  (char)number)
               : (size_t)snprintf(text, bytes, " %s=%llu", key->name,
                                  (unsigned long long)number);
}

bool margay_layout_write(size_t index, char *text, size_t bytes)
{
    const struct margay_format *format = margay_format_row(index);
    if (format == NULL)
        return false;
    *text = '\0';
    if (format->layout == NULL || format->layout->variants[0].columns == NULL)
        return true;
    struct margay_layout layout = *format->layout;
    if (layout.gets == margay_layout_any.gets)
        layout.gets = layout.sets = layout.deletes = NULL;
    size_t used = (size_t)snprintf(text, bytes, "%s about=\"%s\"",
                                   format->info.name, format->info.description);
    unsigned variants = 0;
    while (variants < MARGAY_VARIANTS &&
           layout.variants[variants].columns != NULL)
        variants++;
    for (unsigned v = 0; v <= variants; v++) {
        /* The variants a line each, and what they share in the last one. */
        used += (size_t)snprintf(text + used, bytes - used, "\n   ");
        for (size_t k = 0; k < KEYS; k++) {
            if (keys[k].of_variant == (v < variants))
                used += write_key(&keys[k], field_of(&layout, v, &keys[k]),
                                  text + used, bytes - used);
        }
    }
    return true;
}
