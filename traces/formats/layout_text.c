/*
 * layout_text.c - layouts as text: in layouts.def, and in files of users
 *
 *     msr about="requests to volumes"
 *         columns=time=1,device=2+3,op=4,id=5,size=6 shape=dtdoddd
 *         gets=read sets=write unit=1 ticks=10000000
 *
 * A row begins with a name; lines that begin with a blank continue it, and
 * those that begin with a hash are comments.  KEY=VALUE follow; a value with
 * blanks stands in quotation marks, single or double ones.  Each `columns`
 * begins a variant, to which `shape` and `named` belong.  A row without words
 * of operations has the usual ones.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/formats/detect.h"
#include "traces/formats/layout.h"
#include "traces/formats/reading.h"
#include "traces/formats/scan.h"

/* A longer file of layouts is a mistake. */
#define FILE_BYTES 65536

enum value { TEXT, NUMBER, FLAG, CHARACTER };

struct margay_own_layout {
    struct margay_format format;
    struct margay_layout layout;
    char columns[MARGAY_ROLES_BYTES]; /* that a pattern names */
};

static const struct key {
    const char *name;
    enum value value;
    size_t offset, bytes; /* in struct margay_own_layout */
} keys[] = {
#define KEY(name, value, field)                                 \
    {                                                           \
        name, value, offsetof(struct margay_own_layout, field), \
            sizeof((struct margay_own_layout *)NULL)->field     \
    }
#define OF_LAYOUT(name, value, field) KEY(name, value, layout.field)
#define OF_VARIANT(name, value, field) \
    KEY(name, value, layout.variants[0].field)
    KEY("about", TEXT, format.info.description),
    KEY("suffixes", TEXT, format.info.suffixes),
    KEY("writes", TEXT, format.written),
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
    OF_LAYOUT("size-in-bytes", FLAG, size_in_bytes),
    OF_LAYOUT("ticks", NUMBER, ticks_per_second),
    OF_LAYOUT("device-bits", NUMBER, device_bits),
    OF_LAYOUT("ascends", FLAG, ascends),
    OF_LAYOUT("since", NUMBER, least_seconds),
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
    {"lines", "picture", MARGAY_SYNTAX_PICTURE},
    {"delimiter", "blanks", (unsigned char)MARGAY_BLANKS},
    {"delimiter", "tab", '\t'},
    {"delimiter", "space", ' '},
    {"delimiter", "any", (unsigned char)MARGAY_ANY_DELIMITER},
    {"quote", "none", MARGAY_NO_QUOTE},
    {"ticks", "epoch", MARGAY_EPOCH_TICKS},
};
#define WORDS (sizeof words / sizeof *words)

/* --------------------------------------------------------------- reading -- */

struct reading {
    const char *path; /* NULL = it is a known one */
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

/* Go to the next word of the row; false: the row has ended. */
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
static enum margay_status take_key(struct reading *reading,
                                   struct margay_error *error)
{
    const size_t columns = offsetof(struct margay_own_layout, layout.variants);
    char *word = reading->cursor;
    size_t bytes = strcspn(word, "= \t\r\n"), k = 0;
    while (k < KEYS && (strlen(keys[k].name) != bytes ||
                        memcmp(keys[k].name, word, bytes) != 0))
        k++;
    if (k == KEYS || (keys[k].value != FLAG) != (word[bytes] == '='))
        return fail_row(reading, word,
                        "KEY=VALUE of a layout: margay help layouts shows some",
                        error);
    reading->cursor += bytes;
    char *field = (char *)reading->own + keys[k].offset;
    if (keys[k].offset == columns && reading->variants++ == MARGAY_VARIANTS)
        return fail_row(reading, word, "at most 5 times columns=", error);
    if (keys[k].offset >= columns &&
        keys[k].offset < columns + sizeof(struct margay_variant)) {
        if (reading->variants == 0)
            return fail_row(reading, word, "columns= before it", error);
        field += (reading->variants - 1) * sizeof(struct margay_variant);
    }
    if (keys[k].value == FLAG) {
        *(bool *)field = true;
        return MARGAY_OK;
    }
    reading->cursor++;
    char *value = take_value(reading);
    if (value == NULL)
        return fail_row(reading, word, "a quotation mark that ends it", error);
    if (keys[k].value == TEXT)
        *(const char **)(void *)field = value;
    else if (!set_number(&keys[k], value, field))
        return fail_row(reading, value, "a value of that key", error);
    return MARGAY_OK;
}

/* Check the columns and shapes of a row.  Each line is compared with w and e in
   all ways. */
static enum margay_status settle_variants(const struct reading *reading,
                                          unsigned *columns,
                                          struct margay_error *error)
{
    struct margay_variant *variants = reading->own->layout.variants;
    struct margay_choice choice;
    for (unsigned v = 0; v < MARGAY_VARIANTS && variants[v].columns != NULL;
         v++) {
        const char *shape = variants[v].shape;
        size_t letters = 0, loose = 0;
        enum margay_status status = margay_choice_parse(
            variants[v].columns, true, NULL, &choice, error);
        if (status != MARGAY_OK)
            return status;
        *columns |= margay_choice_gives(&choice);
        if (shape == NULL && !choice.by_name)
            shape = variants[v].shape = "*";
        for (; shape != NULL && strchr("*", shape[letters]) == NULL; letters++)
            loose += shape[letters] == 'w' || shape[letters] == 'e';
        if (letters > MARGAY_EARLY_FIELDS || loose > 2)
            return fail_row(reading, shape,
                            "at most 32 letters, two of them w or e", error);
    }
    return MARGAY_OK;
}

/* Check the row, and fill in defaults.  *columns: the columns of its
   references. */
static enum margay_status settle(const struct reading *reading,
                                 unsigned *columns, struct margay_error *error)
{
    struct margay_own_layout *own = reading->own;
    struct margay_layout *layout = &own->layout;
    struct margay_variant *variants = layout->variants;
    const char *name = own->format.info.name;
    if (reading->variants == 0 && layout->syntax == MARGAY_SYNTAX_TABLE)
        return fail_row(reading, name, "columns=id=... in its row", error);
    if ((layout->offset_bytes & (layout->offset_bytes - 1)) != 0)
        return fail_row(reading, name, "a unit that is a power of two", error);
    if (layout->device_bits > 60)
        return fail_row(reading, name, "at most 60 device-bits", error);
    if (layout->gets == NULL && layout->sets == NULL &&
        layout->deletes == NULL) {
        layout->gets = margay_layout_any.gets;
        layout->sets = margay_layout_any.sets;
        layout->deletes = margay_layout_any.deletes;
    }
    if (layout->gets == NULL)
        layout->gets = "";
    if (variants[0].columns == NULL && layout->pattern != NULL) {
        margay_choice_of_pattern(layout->pattern,
                                 layout->syntax == MARGAY_SYNTAX_PICTURE,
                                 own->columns);
        variants[0].columns = own->columns;
    }
    return settle_variants(reading, columns, error);
}

/* Make a format of the row. */
static enum margay_status make_format(const struct reading *reading,
                                      struct margay_error *error)
{
    struct margay_own_layout *own = reading->own;
    struct margay_layout *layout = &own->layout;
    struct margay_format_info info = own->format.info;
    bool is_table = layout->syntax == MARGAY_SYNTAX_TABLE;
    bool is_known = reading->path == NULL, offsets = layout->offset_bytes != 0;
    enum margay_status status = settle(reading, &info.columns, error);
    layout->open = !is_known || layout->variants[0].columns == NULL ||
                   layout->syntax == MARGAY_SYNTAX_W3C;
    info.columns |= offsets ? MARGAY_COLUMN_EXTENTS : 0;
    info.named_columns =
        layout->open ? MARGAY_TABLE_COLUMNS : MARGAY_COLUMN_TENANTS;
    info.kinds =
        info.columns & MARGAY_COLUMN_KINDS ? MARGAY_READS_AND_WRITES : 0;
    info.numbers = offsets ? MARGAY_ADDRESSES : MARGAY_IDS;
    info.unit_bytes = info.splits = info.empty_extents = offsets;
    info.usual_block_bytes = offsets ? 4096 : 0;
    const char *written = own->format.written;
    own->format = is_table ? margay_format_csv : margay_format_named;
    own->format.written = written;
    info.writable = written != NULL;
    if (!is_known || layout->variants[0].columns == NULL)
        own->format.recognise = NULL;
    own->format.encode = NULL;
    own->format.layout = layout;
    own->format.info = info;
    return status;
}

/* Read a row; *wanted: it has the wanted name. */
static enum margay_status take_row(struct reading *reading, const char *wanted,
                                   bool *found, struct margay_error *error)
{
    char *name = reading->cursor;
    size_t bytes = strcspn(name, " \t\r\n");
    reading->own->format = (struct margay_format){
        .info = {.name = name, .description = "", .suffixes = ""}};
    reading->own->layout = (struct margay_layout){.ticks_per_second = 1};
    reading->variants = 0;
    reading->cursor += bytes;
    enum margay_status status = MARGAY_OK;
    bool more = next_word(reading);
    name[bytes] = '\0';
    while (status == MARGAY_OK && more) {
        status = take_key(reading, error);
        more = status == MARGAY_OK && next_word(reading);
    }
    *found = wanted == NULL || strcmp(wanted, name) == 0;
    return status == MARGAY_OK && *found ? make_format(reading, error) : status;
}

static enum margay_status read_file(struct reading *reading,
                                    struct margay_error *error)
{
    char *text = reading->cursor;
    FILE *file = fopen(reading->path, "re");
    if (file == NULL)
        return margay_fail(error, MARGAY_IO, "%s: cannot be opened: %s",
                           reading->path, strerror(errno));
    /* The newline before the first row ends the text before it. */
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
    /* The text follows; scanners load some bytes after its end. */
    struct margay_own_layout *own =
        calloc(1, sizeof *own + FILE_BYTES + 1 + MARGAY_TEXT_PADDING);
    struct reading reading = {
        .path = path, .own = own, .cursor = (char *)(own + 1)};
    bool found = false;
    *format = NULL;
    if (own == NULL)
        return margay_fail_memory(error, "a layout");
    enum margay_status status = read_file(&reading, error);
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

/* -------------------------------------------------- those that are known -- */

static const char *const published[] = {
#define LAYOUT(text) text,
#include "traces/formats/layouts.def"
};
#define PUBLISHED (sizeof published / sizeof *published)

/* Longer than any of these texts. */
#define TEXT_BYTES 1024

static struct margay_own_layout rows[PUBLISHED];
static size_t rows_read;

static void read_published(void)
{
    static char texts[PUBLISHED][TEXT_BYTES];
    bool found = true;
    for (size_t i = 0; i < PUBLISHED && found; i++, rows_read += found) {
        struct reading reading = {.own = &rows[i], .cursor = texts[i]};
        snprintf(texts[i], TEXT_BYTES, "\n%s", published[i]);
        found = !next_word(&reading) &&
                take_row(&reading, NULL, &found, NULL) == MARGAY_OK;
    }
}

const struct margay_format *margay_layout_row(size_t index)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_published);
    return index < rows_read ? &rows[index].format : NULL;
}

const char *margay_layout_text(size_t index)
{
    return index < PUBLISHED ? published[index] : NULL;
}
