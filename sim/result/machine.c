/*
 * machine.c - machines of caches, from a table and its varied fields
 *
 * A row is a level, and each column a member of struct margay_level.  An empty
 * field is as good as a column that is not there.  Values of --vary are set
 * like fields of the table, once for each machine.
 */
#define _GNU_SOURCE
#include "sim/result/machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/options/options.h"
#include "traces/traces_internal.h"

/* The most machines of a run. */
#define MOST_MACHINES 1000000

/* The type of a field. */
enum form {
    NAME,
    NEXT,
    POLICY,
    BYTES,   /* 1 or more, perhaps with a suffix */
    ENTRIES, /* 1 or more blocks, instead of bytes */
    NUMBER,
    CORES, /* all of them are 0 */
    CYCLES,
    WORD,
    SWITCH, /* a word for a bool */
    PREFETCHERS,
    IGNORED,
};

#define AMOUNT         "a number of bytes, perhaps with K, M or G, 1 or more"
#define WORDS(...)     ((const struct word[]){__VA_ARGS__, {NULL, 0}})
#define MEMBER(member) .field = offsetof(struct margay_level, member)

/* The columns.  Those that are needed come first. */
static const struct column {
    const char *name;
    enum form form;
    bool is_needed;    /* there has to be such a column */
    bool is_filled;    /* and no field of it is empty, */
    bool is_of_memory; /* not even that of a memory */
    bool varies;       /* with --vary */
    const char *expected;
    size_t field; /* in struct margay_level */
    const struct word *words;
} columns[] = {
    {"cache", NAME, true, true, true, false,
     .expected = "a name without comma, equals sign and quotation mark"},
    {"holds", WORD, true, true, true, true, "fetch, data or all", MEMBER(holds),
     WORDS(
         {"fetch", MARGAY_KIND_BIT(MARGAY_FETCH)},
         {"data", MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_WRITE)},
         {"all", MARGAY_ALL_KINDS})},
    {"bytes", BYTES, true, false, true, true, AMOUNT, MEMBER(bytes)},
    {"entries", ENTRIES, false, false, true, true,
     .expected = "a number from 1 on, and no bytes"},
    {"block_bytes", BYTES, true, true, false, true, AMOUNT,
     MEMBER(block_bytes)},
    {"ways", NUMBER, true, true, false, true, "a number", MEMBER(ways)},
    {"next", NEXT, true, false, true, false,
     .expected = "the name of another row, or nothing for memory"},
    {"index", WORD, false, false, false, true, "modulo or xor", MEMBER(index),
     WORDS({"modulo", MARGAY_INDEX_MODULO}, {"xor", MARGAY_INDEX_XOR})},
    {"slices", NUMBER, false, false, false, true, "a number", MEMBER(slices)},
    {"policy", POLICY, false, false, false, true, .expected = NULL},
    {"write", WORD, false, false, false, true, "back, through or none",
     MEMBER(writing),
     WORDS({"back", MARGAY_WRITE_BACK}, {"through", MARGAY_WRITE_THROUGH},
           {"none", MARGAY_WRITE_NONE})},
    {"allocate", SWITCH, false, false, false, true, "on or off",
     MEMBER(no_allocate), WORDS({"on", false}, {"off", true})},
    {"inclusion", WORD, false, false, false, true,
     "inclusive, exclusive or none", MEMBER(inclusion),
     WORDS({"none", MARGAY_INCLUSION_NONE}, {"inclusive", MARGAY_INCLUSIVE},
           {"exclusive", MARGAY_EXCLUSIVE})},
    {"victim_blocks", NUMBER, false, false, false, true, "a number",
     MEMBER(victim_blocks)},
    {"prefetch", PREFETCHERS, false, false, false, true,
     "none, next-line, adjacent, stride, stream, or several joined by '+', "
     "perhaps with :on=read,write,fetch or :renew=on",
     MEMBER(prefetch),
     WORDS({"none", MARGAY_PREFETCH_NONE},
           {"next-line", MARGAY_PREFETCH_NEXT_LINE},
           {"adjacent", MARGAY_PREFETCH_ADJACENT},
           {"stride", MARGAY_PREFETCH_STRIDE},
           {"stream", MARGAY_PREFETCH_STREAM})},
    {"shared", CORES, false, false, false, true,
     "a number of cores from 1 on, or 'all'", MEMBER(shared)},
    {"coherence", WORD, false, false, false, true, "mesi or none",
     MEMBER(coherence),
     WORDS({"none", MARGAY_COHERENCE_NONE}, {"mesi", MARGAY_MESI})},
    {"cycles", CYCLES, false, false, true, true,
     "a number of cycles, 0 or more", MEMBER(cycles)},
    {"source", IGNORED, false, false, true, false, .expected = NULL},
};
#define COLUMNS    (sizeof columns / sizeof columns[0])
#define BYTES_AT   2
#define ENTRIES_AT 3

/* The value of the first `bytes` of a text, a word of a list. */
static bool has_word(const struct word *words, const char *text, size_t bytes,
                     unsigned *value)
{
    while (words->text != NULL && (strlen(words->text) != bytes ||
                                   strncmp(words->text, text, bytes) != 0))
        words++;
    *value = (unsigned)words->value;
    return words->text != NULL;
}

/* Prefetchers, the kinds of references that they act on, and whether they use a
   block that is there: A+B:on=KIND,KIND,renew=on.  Kinds are joined by '+',
   too, as --vary has another use for commas. */
static bool find_prefetchers(const struct word *words, const char *text,
                             struct margay_level *level)
{
    const struct word kinds[] = {{"read", MARGAY_KIND_BIT(MARGAY_READ)},
                                 {"write", MARGAY_KIND_BIT(MARGAY_WRITE)},
                                 {"fetch", MARGAY_KIND_BIT(MARGAY_FETCH)},
                                 {NULL, 0}};
    const struct word renew[] = {{"renew=off", 0}, {"renew=on", 1}, {NULL, 0}};
    bool of_kinds = false;
    unsigned value;
    level->prefetch = level->prefetch_on = 0;
    level->prefetch_renews = false;
    do {
        size_t bytes = strcspn(text, "+:");
        if (!has_word(words, text, bytes, &value))
            return false;
        level->prefetch |= value;
        text += bytes;
    } while (*text++ == '+');
    while (text[-1] != '\0') {
        if (strncmp(text, "on=", 3) == 0) {
            of_kinds = true;
            text += 3;
        }
        size_t bytes = strcspn(text, "+,");
        if (of_kinds && has_word(kinds, text, bytes, &value)) {
            level->prefetch_on |= value;
        } else if (has_word(renew, text, bytes, &value)) {
            level->prefetch_renews = value != 0;
            of_kinds = false;
        } else {
            return false;
        }
        text += bytes + 1;
    }
    return true;
}

static bool find_level(const struct machine *machine, const char *name,
                       size_t *level)
{
    *level = 0;
    while (*level < machine->count &&
           strcmp(machine->levels[*level].name, name) != 0)
        ++*level;
    return *level < machine->count;
}

static bool is_positive(const char *text, uint64_t *number)
{
    return margay_parse_u64(text, number) && *number > 0;
}

/* Bytes, perhaps with a suffix. */
static bool is_size(const char *text, uint64_t *number)
{
    bool suffixed;
    return margay_parse_size(text, "", number, &suffixed, NULL) == MARGAY_OK;
}

/* Set the value of a column of a level; the text outlives the machine.  False:
   column->expected says what may stand there. */
static bool set_field(struct machine *machine, size_t index,
                      const struct column *column, const char *text)
{
    struct margay_level *level = &machine->levels[index];
    void *field = (char *)level + column->field;
    unsigned value;
    char *end;
    switch (column->form) {
    case NAME:
        return strpbrk(text, ",=\"\r\n") == NULL;
    case NEXT:
        return find_level(machine, text, &level->next);
    case POLICY:
        level->policy = text;
        return true;
    case BYTES:
        if (field == &level->bytes)
            machine->entries[index] = 0;
        return is_size(text, field) && *(uint64_t *)field != 0;
    case ENTRIES:
        return is_positive(text, &machine->entries[index]);
    case NUMBER:
        return margay_parse_u64(text, field);
    case CORES:
        machine->says_shared[index] = true;
        level->shared = 0;
        return strcmp(text, "all") == 0 || is_positive(text, field);
    case CYCLES:
        level->cycles = strtod(text, &end);
        return *end == '\0' && isfinite(level->cycles) && level->cycles >= 0;
    case WORD:
        return has_word(column->words, text, strlen(text), field);
    case SWITCH:
        if (!has_word(column->words, text, strlen(text), &value))
            return false;
        *(bool *)field = value != 0;
        return true;
    case PREFETCHERS:
        return find_prefetchers(column->words, text, level);
    default:
        return true;
    }
}

/* --------------------------------------------------- what varies: --vary -- */

static const char *cache_of(const struct machine *machine,
                            const struct machine_varied *field)
{
    return machine->levels[field->level].name;
}

/* A value, or A, twice A, and so on up to B; after 0 comes 1.  Sizes are
   written as plain numbers, so that a program can read them. */
static enum margay_status add_text(const struct machine *machine,
                                   struct machine_varied *field, char *text,
                                   struct margay_error *error)
{
    char *dots =
        columns[field->column].form == POLICY ? NULL : strstr(text, "..");
    uint64_t at = 0, to = 0;
    if (dots != NULL)
        *dots = '\0';
    bool numbers =
        is_size(text, &at) && is_size(dots == NULL ? text : dots + 2, &to);
    if (dots != NULL)
        *dots = '.';
    uint64_t met = at;
    while (numbers && met < to && met <= UINT64_MAX / 2)
        met = met == 0 ? 1 : 2 * met;
    if (dots != NULL && (!numbers || met != to))
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "--vary %s.%s: '%s' (expected A..B, two numbers, where doubling "
            "A leads to B, or a list)",
            cache_of(machine, field), columns[field->column].name, text);
    for (bool more = true; more; at = at == 0 ? 1 : 2 * at) {
        char *value = NULL;
        if (!numbers)
            value = strdup(text);
        else if (asprintf(&value, "%" PRIu64, at) < 0)
            value = NULL;
        if (value == NULL ||
            !MARGAY_MAKE_ROOM(field->values, field->count, 1, field->room)) {
            free(value);
            return margay_fail_memory(error, "what varies");
        }
        field->values[field->count++] = value;
        more = numbers && at < to;
    }
    return MARGAY_OK;
}

/* The fields CACHE.COLUMN[+CACHE.COLUMN...]= that *text begins with, as the
   last ones of the machine, which move together.  *text moves past them, if
   there are any. */
static enum margay_status find_fields(struct machine *machine, char **text,
                                      struct margay_error *error)
{
    size_t first = machine->varied_count;
    for (char *at = *text; machine->varied_count < MACHINE_MOST_VARIED;) {
        size_t i = 0, k = 0, bytes = 0;
        for (; i < machine->count; i++) {
            bytes = strlen(machine->levels[i].name);
            if (strncmp(at, machine->levels[i].name, bytes) == 0 &&
                at[bytes] == '.')
                break;
        }
        char *end = i == machine->count ? NULL : strpbrk(at + bytes, "+=");
        if (end == NULL)
            break;
        const char *name = at + bytes + 1;
        bytes = (size_t)(end - name);
        while (k < COLUMNS &&
               (!columns[k].varies || strlen(columns[k].name) != bytes ||
                strncmp(columns[k].name, name, bytes) != 0))
            k++;
        if (k == COLUMNS)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--vary %s.%.*s: found '%.*s', expected a "
                               "column of the table but cache, next and source",
                               machine->levels[i].name, (int)bytes, name,
                               (int)bytes, name);
        machine->varied[machine->varied_count] = (struct machine_varied){
            .level = i, .column = k, .tied = machine->varied_count > first};
        machine->varied_count++;
        at = end + 1;
        if (*end == '=') {
            *text = at;
            return MARGAY_OK;
        }
    }
    machine->varied_count = first;
    return MARGAY_OK;
}

/* The part of a field in a value of several fields: one, if there are as many
   joined by '+' as fields, else all of it. */
static char *part_of(const char *value, size_t part, size_t parts)
{
    size_t pluses = 0;
    for (const char *at = value; *at != '\0'; at++)
        pluses += *at == '+';
    if (parts == 1 || pluses != parts - 1)
        return strdup(value);
    for (; part > 0; part--)
        value = strchr(value, '+') + 1;
    return strndup(value, strcspn(value, "+"));
}

/* A value of the last fields, or of some that the text begins. */
static enum margay_status add_piece(struct machine *machine, char *piece,
                                    struct margay_error *error)
{
    char *value = piece, caches[256] = "";
    enum margay_status status = find_fields(machine, &value, error);
    size_t count = machine->varied_count, first = count;
    for (size_t i = 0, used = 0;
         count == 0 && i < machine->count && used < sizeof caches; i++)
        used += (size_t)snprintf(caches + used, sizeof caches - used, "%s%s",
                                 i == 0 ? "" : ", ", machine->levels[i].name);
    if (status == MARGAY_OK && count == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--vary: '%s' (expected CACHE.COLUMN=A..B or "
                           "CACHE.COLUMN=LIST, of a cache of the machine: %s)",
                           piece, caches);
    while (first > 0 && (first == count || machine->varied[first].tied))
        first--;
    for (size_t i = first; i < count && status == MARGAY_OK; i++) {
        char *part = part_of(value, i - first, count - first);
        status = part == NULL
                     ? margay_fail_memory(error, "what varies")
                     : add_text(machine, &machine->varied[i], part, error);
        free(part);
    }
    return status;
}

/* Do two fields say the same of a cache?  Bytes and entries do. */
static bool clash(const struct machine_varied *a,
                  const struct machine_varied *b)
{
    bool sizes = (a->column == BYTES_AT || a->column == ENTRIES_AT) &&
                 (b->column == BYTES_AT || b->column == ENTRIES_AT);
    return a->level == b->level && (sizes || a->column == b->column);
}

static enum margay_status check_varied(const struct machine *machine,
                                       struct margay_error *error)
{
    for (size_t i = 1; i < machine->varied_count; i++) {
        const struct machine_varied *field = &machine->varied[i];
        const char *cache = cache_of(machine, field);
        const char *column = columns[field->column].name;
        for (size_t k = 0; k < i; k++) {
            const struct machine_varied *other = &machine->varied[k];
            if (clash(field, other))
                return margay_fail(error, MARGAY_BAD_ARGUMENT,
                                   "--vary: found %s.%s after %s.%s, expected "
                                   "one of them once",
                                   cache, column, cache_of(machine, other),
                                   columns[other->column].name);
        }
        if (field->tied && field->count != field[-1].count)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--vary: found %zu values of %s.%s and %zu of "
                               "%s.%s, which move together, expected as many",
                               field[-1].count, cache_of(machine, &field[-1]),
                               columns[field[-1].column].name, field->count,
                               cache, column);
    }
    return MARGAY_OK;
}

static enum margay_status read_varied(struct machine *machine, const char *text,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    char *copy = strdup(text), *rest = copy;
    if (copy == NULL)
        return margay_fail_memory(error, "what varies");
    while (rest != NULL && status == MARGAY_OK) {
        /* Cut off the next value, and the names of the fields before it.
           Between commas also stand the parameters of a policy, which begin
           KEY= without what fields and specs have before that. */
        char *piece = rest, *end = strchrnul(piece, ',');
        while (*end != '\0' && end[1 + strcspn(end + 1, "=.:/+,")] == '=')
            end = strchrnul(end + 1, ',');
        rest = *end == '\0' ? NULL : end + 1;
        *end = '\0';
        status = add_piece(machine, piece, error);
    }
    free(copy);
    return status == MARGAY_OK ? check_varied(machine, error) : status;
}

/* ------------------------------------------------------------- the table -- */

static enum margay_status take_header(struct machine *machine,
                                      size_t places[COLUMNS],
                                      struct margay_error *error)
{
    const struct cells *cells = &machine->cells;
    for (size_t place = 0; place < cells->columns; place++) {
        const char *name = cells_name(cells, place);
        size_t i = 0;
        while (i < COLUMNS && strcmp(columns[i].name, name) != 0)
            i++;
        if (i == COLUMNS)
            return csv_fail(
                cells->path, cells->lines[0], error,
                "found column '%s', expected cache, holds, bytes or entries, "
                "block_bytes, ways, next, and perhaps index, slices, policy, "
                "write, allocate, inclusion, victim_blocks, prefetch, shared, "
                "coherence, cycles, source",
                name);
        if (places[i] != SIZE_MAX)
            return csv_fail(cells->path, cells->lines[0], error,
                            "found column '%s' twice, expected it once", name);
        places[i] = place;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        bool is_there = places[i] != SIZE_MAX ||
                        (i == BYTES_AT && places[ENTRIES_AT] != SIZE_MAX);
        if (columns[i].is_needed && !is_there)
            return csv_fail(cells->path, cells->lines[0], error,
                            "found no column '%s', expected cache, holds, "
                            "bytes or entries, block_bytes, ways and next",
                            columns[i].name);
    }
    return MARGAY_OK;
}

static const char *text_of(const struct machine *machine,
                           const size_t places[COLUMNS], size_t row,
                           size_t column)
{
    return places[column] == SIZE_MAX
               ? ""
               : cells_at(&machine->cells, row, places[column]);
}

/* Does --vary replace a field? */
static bool is_varied(const struct machine *machine, size_t row, size_t column)
{
    for (size_t i = 0; i < machine->varied_count; i++) {
        if (machine->varied[i].level == row &&
            machine->varied[i].column == column)
            return true;
    }
    return false;
}

static enum margay_status take_field(struct machine *machine,
                                     const size_t places[COLUMNS], size_t row,
                                     size_t column, struct margay_error *error)
{
    const struct column *described = &columns[column];
    const char *text = text_of(machine, places, row, column), *expected = NULL;
    bool has_bytes = *text_of(machine, places, row, BYTES_AT) != '\0' ||
                     is_varied(machine, row, BYTES_AT);
    bool has_entries = *text_of(machine, places, row, ENTRIES_AT) != '\0' ||
                       is_varied(machine, row, ENTRIES_AT);
    bool is_memory = !has_bytes && !has_entries;
    if (is_varied(machine, row, column))
        return MARGAY_OK;
    if (*text != '\0' && column == ENTRIES_AT && has_bytes)
        expected = is_varied(machine, row, BYTES_AT)
                       ? NULL
                       : "nothing, as bytes are given";
    else if (*text != '\0')
        expected = set_field(machine, row, described, text)
                       ? NULL
                       : described->expected;
    else if (described->is_filled && (described->is_of_memory || !is_memory))
        expected = "a value";
    if (expected == NULL && *text != '\0' && is_memory &&
        !described->is_of_memory)
        expected = "nothing, as a level without bytes is a memory";
    if (expected == NULL)
        return MARGAY_OK;
    return csv_fail(machine->path, cells_line(&machine->cells, row), error,
                    "%s: %s: found '%s', expected %s",
                    machine->levels[row].name, described->name, text, expected);
}

enum margay_status machine_read(struct machine *machine, const char *path,
                                FILE *file, const char *vary,
                                struct margay_error *error)
{
    const struct cells *cells = &machine->cells;
    size_t places[COLUMNS];
    *machine = (struct machine){.path = strdup(path)};
    if (machine->path == NULL)
        return margay_fail_memory(error, "a machine");
    for (size_t i = 0; i < COLUMNS; i++)
        places[i] = SIZE_MAX;
    enum margay_status status =
        cells_read(&machine->cells, machine->path, file, error);
    if (status == MARGAY_OK)
        status = take_header(machine, places, error);
    if (status == MARGAY_OK && cells->rows == 0)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found no cache, expected a row for each", path);
    if (status == MARGAY_OK && cells->rows > MARGAY_MOST_LEVELS)
        return csv_fail(path, cells_line(cells, MARGAY_MOST_LEVELS), error,
                        "found another cache, expected at most %d",
                        MARGAY_MOST_LEVELS);
    for (size_t i = 0; i < cells->rows && status == MARGAY_OK; i++)
        machine->levels[machine->count++] = (struct margay_level){
            .name = text_of(machine, places, i, 0),
            .next = MARGAY_NO_LEVEL,
            .block_bytes = 1,
        };
    if (status == MARGAY_OK && vary != NULL)
        status = read_varied(machine, vary, error);
    for (size_t i = 0; i < machine->count * COLUMNS && status == MARGAY_OK; i++)
        status = take_field(machine, places, i / COLUMNS, i % COLUMNS, error);
    return status;
}

void machine_clear(struct machine *machine)
{
    for (size_t i = 0; i < machine->varied_count; i++) {
        for (size_t k = 0; k < machine->varied[i].count; k++)
            free(machine->varied[i].values[k]);
        free(machine->varied[i].values);
    }
    cells_clear(&machine->cells);
    free(machine->path);
    *machine = (struct machine){.count = 0};
}

/* -------------------------------------------------------------- machines -- */

size_t machine_count(const struct machine *machine)
{
    size_t count = 1;
    for (size_t i = 0; i < machine->varied_count && count <= MOST_MACHINES; i++)
        count *= machine->varied[i].tied ? 1 : machine->varied[i].count;
    return count;
}

const char *machine_value(const struct machine *machine, size_t index,
                          size_t field)
{
    const struct machine_varied *varied = machine->varied;
    for (size_t i = machine->varied_count - 1; i > field; i--)
        index /= varied[i].tied ? 1 : varied[i].count;
    return varied[field].values[index % varied[field].count];
}

enum margay_status machine_columns(const struct machine *machine,
                                   const char *before, char **names,
                                   struct margay_error *error)
{
    *names = strdup(before);
    for (size_t i = 0; *names != NULL && i < machine->varied_count; i++) {
        const struct machine_varied *field = &machine->varied[i];
        char *longer;
        if (asprintf(&longer, "%s,%s.%s", *names, cache_of(machine, field),
                     columns[field->column].name) < 0)
            longer = NULL;
        free(*names);
        *names = longer;
    }
    return *names == NULL ? margay_fail_memory(error, "the columns")
                          : MARGAY_OK;
}

void machine_text(const struct machine *machine, size_t index, char *text,
                  size_t bytes)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < machine->varied_count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s.%s=%s",
                                 i == 0 ? "" : ",",
                                 cache_of(machine, &machine->varied[i]),
                                 columns[machine->varied[i].column].name,
                                 machine_value(machine, index, i));
}

/* Set a varied field, in a machine that was read. */
static enum margay_status set_varied(struct machine *machine, size_t i,
                                     const char *value,
                                     struct margay_error *error)
{
    const struct machine_varied *field = &machine->varied[i];
    const struct column *column = &columns[field->column];
    return set_field(machine, field->level, column, value)
               ? MARGAY_OK
               : margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--vary %s.%s: found '%s', expected %s",
                             cache_of(machine, field), column->name, value,
                             column->expected);
}

/* Check the levels together. */
static enum margay_status settle(struct machine *machine,
                                 struct margay_error *error)
{
    struct margay_error why;
    size_t wrong;
    for (size_t i = 0; i < machine->count; i++) {
        struct margay_level *level = &machine->levels[i];
        uint64_t entries = machine->entries[i];
        if (entries != 0 &&
            !margay_multiply_u64(entries, level->block_bytes, &level->bytes))
            return csv_fail(machine->path, cells_line(&machine->cells, i),
                            error,
                            "%s: entries: found %" PRIu64
                            ", expected fewer of %" PRIu64 " bytes",
                            level->name, entries, level->block_bytes);
        if (!machine->says_shared[i])
            level->shared =
                margay_level_is_first(machine->levels, machine->count, i);
        /* A memory has the largest block of the levels that it is next of, so
           that no block is divided. */
        if (level->bytes == 0)
            level->block_bytes = 1;
        for (size_t k = 0; k < machine->count && level->bytes == 0; k++) {
            if (machine->levels[k].next == i &&
                machine->levels[k].block_bytes > level->block_bytes)
                level->block_bytes = machine->levels[k].block_bytes;
        }
    }
    enum margay_status status =
        margay_machine_check(machine->levels, machine->count, &wrong, &why);
    if (status == MARGAY_OK)
        return MARGAY_OK;
    return margay_fail(
        error, status == MARGAY_BAD_ARGUMENT ? MARGAY_BAD_INPUT : status,
        "%s:%" PRIu64 ": %s", machine->path, cells_line(&machine->cells, wrong),
        why.message);
}

enum margay_status machine_levels(struct machine *machine,
                                  struct margay_level **levels,
                                  struct margay_error *error)
{
    struct machine tried = *machine;
    size_t count = machine_count(machine);
    enum margay_status status = MARGAY_OK;
    *levels = NULL;
    /* Every value has to be one that its column takes. */
    for (size_t i = 0; i < machine->varied_count; i++) {
        const struct machine_varied *field = &machine->varied[i];
        for (size_t k = 0; k < field->count && status == MARGAY_OK; k++)
            status = set_varied(&tried, i, field->values[k], error);
    }
    if (status == MARGAY_OK && count > MOST_MACHINES)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--vary: over %d machines", MOST_MACHINES);
    if (status == MARGAY_OK)
        *levels = reallocarray(NULL, count * machine->count, sizeof **levels);
    if (status == MARGAY_OK && *levels == NULL)
        status = margay_fail_memory(error, "the machines");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        for (size_t k = 0; k < machine->varied_count && status == MARGAY_OK;
             k++)
            status =
                set_varied(machine, k, machine_value(machine, i, k), error);
        if (status == MARGAY_OK)
            status = settle(machine, error);
        if (status == MARGAY_OK)
            memcpy(*levels + i * machine->count, machine->levels,
                   machine->count * sizeof **levels);
    }
    return status;
}
