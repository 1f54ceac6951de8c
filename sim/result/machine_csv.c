/*
 * machine_csv.c - a machine of caches, from its table or from the system
 *
 * A row is a level, and each column a member of struct margay_level, or a text
 * that it points at.  An empty field is as good as a column that is not there.
 */
#define _GNU_SOURCE
#include "sim/result/machine_csv.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "sim/options/option_types.h"
#include "sim/result/csv_read.h"
#include "sim/terminal/find_file.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* What a field holds.  The first are texts. */
enum form {
    NAME,
    NEXT,
    POLICY,
    TEXTS,
    BYTES = TEXTS, /* 1 or more, perhaps with a suffix */
    ENTRIES,       /* 1 or more blocks, instead of bytes */
    NUMBER,
    CORES, /* all of them are 0 */
    CYCLES,
    WORD,
    SWITCH, /* a word for a bool */
    PREFETCHERS,
    IGNORED,
};

struct machine_row {
    char *texts[TEXTS]; /* NULL = not given */
    uint64_t line;
    uint64_t entries; /* of the size of its block; 0 = bytes are given */
    bool says_shared; /* by how many cores */
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
    {"next", NEXT, true, false, true, false, .expected = NULL},
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

static size_t find_column(const char *name)
{
    size_t i = 0;
    while (i < COLUMNS && strcmp(columns[i].name, name) != 0)
        i++;
    return i;
}

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

/* Set what a column says of a level.  Returns what was expected, and NULL if it
   was found. */
static const char *set_field(const struct column *column,
                             struct margay_level *level,
                             struct machine_row *row, const char *text)
{
    void *field = (char *)level + column->field;
    struct margay_error ignored;
    bool suffixed, good = true;
    unsigned value;
    char *end;
    if (column->form < TEXTS &&
        (row->texts[column->form] = strdup(text)) == NULL)
        return "more memory";
    switch (column->form) {
    case NAME:
        good = strpbrk(text, ",=\"\r\n") == NULL;
        level->name = good ? row->texts[NAME] : "";
        break;
    case POLICY:
        level->policy = row->texts[POLICY];
        break;
    case BYTES:
        if (field == &level->bytes)
            row->entries = 0;
        good = margay_parse_size(text, "bytes", field, &suffixed, &ignored) ==
                   MARGAY_OK &&
               *(uint64_t *)field != 0;
        break;
    case ENTRIES:
        good = margay_parse_u64(text, &row->entries) && row->entries > 0;
        break;
    case NUMBER:
        good = margay_parse_u64(text, field);
        break;
    case CORES:
        row->says_shared = true;
        level->shared = 0;
        good = strcmp(text, "all") == 0 ||
               (margay_parse_u64(text, field) && level->shared > 0);
        break;
    case CYCLES:
        level->cycles = strtod(text, &end);
        good = *end == '\0' && isfinite(level->cycles) && level->cycles >= 0;
        break;
    case WORD:
        good = has_word(column->words, text, strlen(text), field);
        break;
    case SWITCH:
        good = has_word(column->words, text, strlen(text), &value);
        *(bool *)field = value != 0;
        break;
    case PREFETCHERS:
        good = find_prefetchers(column->words, text, level);
        break;
    default:
        break;
    }
    return good ? NULL : column->expected;
}

struct reader {
    const char *path;
    const char *vary; /* as of machine_read() */
    struct machine *machine;
    size_t places[COLUMNS]; /* of each column in a row, plus 1; 0 = none */
    size_t fields;          /* of a row; 0 = no header yet */
};

static enum margay_status take_header(struct reader *reader,
                                      const struct csv_row *row,
                                      struct margay_error *error)
{
    reader->fields = row->count;
    for (size_t place = 0; place < row->count; place++) {
        const char *name = row->fields[place];
        size_t i = find_column(name);
        if (i == COLUMNS)
            return csv_fail(
                reader->path, row->line, error,
                "found column '%s', expected cache, holds, bytes or entries, "
                "block_bytes, ways, next, and perhaps index, slices, policy, "
                "write, allocate, inclusion, victim_blocks, prefetch, shared, "
                "coherence, cycles, source",
                name);
        if (reader->places[i] != 0)
            return csv_fail(reader->path, row->line, error,
                            "found column '%s' twice, expected it once", name);
        reader->places[i] = place + 1;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        bool is_there = reader->places[i] != 0 ||
                        (i == BYTES_AT && reader->places[ENTRIES_AT] != 0);
        if (columns[i].is_needed && !is_there)
            return csv_fail(reader->path, row->line, error,
                            "found no column '%s', expected cache, holds, "
                            "bytes or entries, block_bytes, ways and next",
                            columns[i].name);
    }
    return MARGAY_OK;
}

/* ---------------------------------------------------------------- levels -- */

static const char *text_of(const struct reader *reader,
                           const struct csv_row *row, size_t column)
{
    size_t place = reader->places[column];
    return place == 0 ? "" : row->fields[place - 1];
}

/* Does --vary replace a field? */
static bool is_varied(const struct reader *reader, const struct csv_row *row,
                      size_t column)
{
    const char *cache = text_of(reader, row, 0);
    const char *name = columns[column].name;
    size_t bytes = strlen(cache), more = strlen(name);
    for (const char *at = reader->vary; at != NULL && columns[column].varies;
         at = strpbrk(at, ",+")) {
        at += *at == ',' || *at == '+';
        if (strncmp(at, cache, bytes) == 0 && at[bytes] == '.' &&
            strncmp(at + bytes + 1, name, more) == 0 &&
            (at[bytes + 1 + more] == '=' || at[bytes + 1 + more] == '+'))
            return true;
    }
    return false;
}

static enum margay_status take_field(const struct reader *reader,
                                     const struct csv_row *row, size_t column,
                                     struct margay_error *error)
{
    const struct column *described = &columns[column];
    const char *text = text_of(reader, row, column), *expected = NULL;
    struct machine *machine = reader->machine;
    size_t last = machine->count - 1;
    bool has_bytes = *text_of(reader, row, BYTES_AT) != '\0' ||
                     is_varied(reader, row, BYTES_AT);
    bool has_entries = *text_of(reader, row, ENTRIES_AT) != '\0' ||
                       is_varied(reader, row, ENTRIES_AT);
    bool is_memory = !has_bytes && !has_entries;
    if (is_varied(reader, row, column))
        return MARGAY_OK;
    if (*text != '\0' && column == ENTRIES_AT && has_bytes)
        expected = is_varied(reader, row, BYTES_AT)
                       ? NULL
                       : "nothing, as bytes are given";
    else if (*text != '\0')
        expected = set_field(described, &machine->levels[last],
                             &machine->rows[last], text);
    else if (described->is_filled && (described->is_of_memory || !is_memory))
        expected = "a value";
    if (expected == NULL && *text != '\0' && is_memory &&
        !described->is_of_memory)
        expected = "nothing, as a level without bytes is a memory";
    if (expected == NULL)
        return MARGAY_OK;
    return csv_fail(reader->path, row->line, error,
                    "%s: %s: found '%s', expected %s", text_of(reader, row, 0),
                    described->name, text, expected);
}

static enum margay_status take_row(void *context, const struct csv_row *row,
                                   struct margay_error *error)
{
    struct reader *reader = context;
    struct machine *machine = reader->machine;
    enum margay_status status = MARGAY_OK;
    if (reader->fields == 0)
        return take_header(reader, row, error);
    if (row->count != reader->fields)
        return csv_fail(reader->path, row->line, error,
                        "found %zu fields, expected %zu as in the header",
                        row->count, reader->fields);
    if (machine->count == MARGAY_MOST_LEVELS)
        return csv_fail(reader->path, row->line, error,
                        "found another cache, expected at most %d",
                        MARGAY_MOST_LEVELS);
    struct machine_row *rows =
        reallocarray(machine->rows, machine->count + 1, sizeof *rows);
    if (rows == NULL)
        return margay_fail_memory(error, "a machine");
    rows[machine->count] = (struct machine_row){.line = row->line};
    machine->rows = rows;
    machine->levels[machine->count++] = (struct margay_level){
        .name = "", .next = MARGAY_NO_LEVEL, .block_bytes = 1};
    for (size_t i = 0; i < COLUMNS && status == MARGAY_OK; i++)
        status = take_field(reader, row, i, error);
    return status;
}

/* ------------------------------------------------------------- the whole -- */

enum margay_status machine_settle(struct machine *machine,
                                  struct margay_error *error)
{
    struct margay_error why;
    size_t wrong;
    for (size_t i = 0; i < machine->count; i++) {
        struct margay_level *level = &machine->levels[i];
        uint64_t entries = machine->rows[i].entries;
        if (entries != 0 &&
            !margay_multiply_u64(entries, level->block_bytes, &level->bytes))
            return margay_fail(error, MARGAY_BAD_INPUT,
                               "%s:%" PRIu64 ": %s: entries: found %" PRIu64
                               ", expected fewer of %" PRIu64 " bytes",
                               machine->path, machine->rows[i].line,
                               level->name, entries, level->block_bytes);
        if (!machine->rows[i].says_shared)
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
        "%s:%" PRIu64 ": %s", machine->path, machine->rows[wrong].line,
        why.message);
}

/* Read the open file, or if it is NULL the one at the path. */
static enum margay_status machine_read(struct machine *machine,
                                       const char *path, FILE *file,
                                       const char *vary,
                                       struct margay_error *error)
{
    struct reader reader = {.path = path, .vary = vary, .machine = machine};
    *machine = (struct machine){.path = strdup(path)};
    if (machine->path == NULL)
        return margay_fail_memory(error, "a machine");
    enum margay_status status = csv_read(path, file, take_row, &reader, error);
    if (status == MARGAY_OK && machine->count == 0)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found no cache, expected a row for each", path);
    for (size_t i = 0; i < machine->count && status == MARGAY_OK; i++) {
        const struct machine_row *row = &machine->rows[i];
        const char *next = row->texts[NEXT];
        size_t k = 0;
        while (next != NULL && k < machine->count &&
               strcmp(machine->levels[k].name, next) != 0)
            k++;
        if (k == machine->count)
            return csv_fail(path, row->line, error,
                            "%s: next: found '%s', expected the name of "
                            "another row, or nothing for memory",
                            row->texts[NAME], next);
        if (next != NULL)
            machine->levels[i].next = k;
    }
    return status;
}

enum margay_status machine_set(struct machine *machine, const char *cache,
                               const char *column, const char *text,
                               struct margay_error *error)
{
    size_t found = find_column(column), i = 0;
    bool varies = found < COLUMNS && columns[found].varies;
    const char *expected = "a column of the table but cache, next and source";
    while (strcmp(machine->levels[i].name, cache) != 0)
        i++;
    if (varies)
        expected = NULL;
    if (varies && columns[found].form == POLICY)
        machine->levels[i].policy = text;
    else if (varies)
        expected = set_field(&columns[found], &machine->levels[i],
                             &machine->rows[i], text);
    if (expected == NULL)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "--vary %s.%s: found '%s', expected %s", cache, column,
                       varies ? text : column, expected);
}

void machine_clear(struct machine *machine)
{
    for (size_t i = 0; machine->rows != NULL && i < machine->count; i++) {
        for (size_t k = 0; k < TEXTS; k++)
            free(machine->rows[i].texts[k]);
    }
    free(machine->rows);
    free(machine->path);
    *machine = (struct machine){.count = 0};
}

/* --------------------------------------------- machines by their names -- */

static const struct data_place place = {
    "MARGAY_MACHINES", {"/../sim/machines", "/../share/margay/machines"}};

/* What the system says of the caches of its first processor. */
#define HOST_CACHES "/sys/devices/system/cpu/cpu0/cache"

/* A cache, as the system describes it. */
struct host_cache {
    char level[16], type[16], bytes[24], block[16], ways[16], cores[256];
};

static bool read_line(unsigned index, const char *name, char *text, int bytes)
{
    char path[128];
    snprintf(path, sizeof path, HOST_CACHES "/index%u/%s", index, name);
    FILE *file = fopen(path, "re");
    bool got = file != NULL && fgets(text, bytes, file) != NULL;
    if (file != NULL)
        fclose(file);
    if (got)
        text[strcspn(text, "\n")] = '\0';
    return got;
}

static bool read_cache(unsigned index, struct host_cache *cache)
{
    return read_line(index, "level", cache->level, sizeof cache->level) &&
           read_line(index, "type", cache->type, sizeof cache->type) &&
           read_line(index, "size", cache->bytes, sizeof cache->bytes) &&
           read_line(index, "coherency_line_size", cache->block,
                     sizeof cache->block) &&
           read_line(index, "ways_of_associativity", cache->ways,
                     sizeof cache->ways) &&
           read_line(index, "shared_cpu_list", cache->cores,
                     sizeof cache->cores);
}

/* How many processors a list such as 0-3,8-11 names. */
static unsigned long count_cores(const char *list)
{
    unsigned long count = 0;
    while (*list != '\0') {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        count += last - first + 1;
        list = *end == ',' ? end + 1 : "";
    }
    return count == 0 ? 1 : count;
}

/* The caches as a table.  Threads of the same core count as one core: the
   cores of a cache are in proportion to those of the first one. */
static void write_host(FILE *table)
{
    struct host_cache cache, next;
    unsigned long threads = 1;
    fputs("cache,holds,bytes,block_bytes,ways,next,shared,source\n", table);
    for (unsigned i = 0; read_cache(i, &cache); i++) {
        const char *kind = strcmp(cache.type, "Unified") == 0       ? ",all"
                           : strcmp(cache.type, "Instruction") == 0 ? "I,fetch"
                                                                    : "D,data";
        unsigned long cores = count_cores(cache.cores);
        threads = i == 0 ? cores : threads;
        fprintf(table, "L%s%s,%s,%s,%s,", cache.level, kind, cache.bytes,
                cache.block, cache.ways);
        unsigned k = i + 1;
        while (read_cache(k, &next) && (strcmp(next.type, "Unified") != 0 ||
                                        strcmp(next.level, cache.level) == 0))
            k++;
        if (read_cache(k, &next))
            fprintf(table, "L%s", next.level);
        fprintf(table, ",%lu," HOST_CACHES "/index%u\n",
                cores < threads ? 1 : cores / threads, i);
    }
}

static enum margay_status read_host(struct machine *machine, const char *vary,
                                    struct margay_error *error)
{
    char *text = NULL;
    size_t bytes;
    FILE *table = access(HOST_CACHES "/index0/level", R_OK) == 0
                      ? open_memstream(&text, &bytes)
                      : NULL;
    if (table == NULL)
        return margay_fail(error, MARGAY_IO,
                           "host: this system does not describe its caches "
                           "(expected " HOST_CACHES ")");
    write_host(table);
    enum margay_status status = MARGAY_NO_MEMORY;
    FILE *written = fclose(table) == 0 ? fmemopen(text, bytes, "r") : NULL;
    if (written == NULL) {
        margay_fail_memory(error, "the machine");
    } else {
        status = machine_read(machine, "host", written, vary, error);
        fclose(written);
    }
    free(text);
    return status;
}

/* --------------------------------------------------------------- by name -- */

static int is_table(const struct dirent *entry)
{
    size_t bytes = strlen(entry->d_name);
    return bytes > 4 && strcmp(entry->d_name + bytes - 4, ".csv") == 0;
}

#define MOST_NAMES 64

/* "host", and the names of the folder of installed tables; returns their
 * number.
 */
static size_t machine_names(char *names[MOST_NAMES])
{
    struct dirent **entries;
    char *path = NULL;
    int found = -1;
    size_t count = 0;
    if (data_file_find(&place, "intel-skylake.csv", &path, NULL) == MARGAY_OK) {
        *strrchr(path, '/') = '\0';
        found = scandir(path, &entries, is_table, alphasort);
    }
    if (count < MOST_NAMES && (names[count] = strdup("host")) != NULL)
        count++;
    for (int i = 0; i < found; i++) {
        *strrchr(entries[i]->d_name, '.') = '\0';
        if (count < MOST_NAMES &&
            (names[count] = strdup(entries[i]->d_name)) != NULL)
            count++;
        free(entries[i]);
    }
    if (found >= 0)
        free(entries);
    free(path);
    return count;
}

struct names {
    char *list[MOST_NAMES];
    size_t count;
};

static const char *name_at(size_t i, const void *context)
{
    const struct names *names = context;
    return i < names->count ? names->list[i] : NULL;
}

/* The name after its maker's: "skylake" of "intel-skylake". */
static const char *short_name_at(size_t i, const void *context)
{
    const char *name = name_at(i, context);
    const char *dash = name == NULL ? NULL : strchr(name, '-');
    return dash == NULL ? name : dash + 1;
}

/* The one that was meant: with its maker's name or without, and of several that
   begin so the one of that name. */
static const char *meant(const struct names *names, const char *name)
{
    const char *nearest = margay_nearest(name, name_at, names);
    const char *rest = margay_nearest(name, short_name_at, names);
    for (size_t i = 0; i < names->count; i++) {
        const char *short_name = short_name_at(i, names);
        if (strcasecmp(short_name, name) == 0)
            return names->list[i];
        if (nearest == NULL && short_name == rest)
            nearest = names->list[i];
    }
    return nearest;
}

static enum margay_status refuse_name(const struct names *names,
                                      const char *name,
                                      struct margay_error *error)
{
    char list[400];
    size_t used = 0;
    for (size_t i = 0; i < names->count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i == 0 ? "" : ", ", names->list[i]);
    const char *nearest = meant(names, name);
    char guess[80] = "";
    if (nearest != NULL)
        snprintf(guess, sizeof guess, " (did you mean '%s'?)", nearest);
    return margay_fail(error, MARGAY_IO,
                       "--machine %s: no such file, and no machine of that "
                       "name%s (expected a table, or one of %s)",
                       name, guess, list);
}

/* The machine whose name it is, in any case of letters. */
static enum margay_status read_named(struct machine *machine, const char *name,
                                     const char *vary,
                                     struct margay_error *error)
{
    struct names names;
    char *file = NULL, *path = NULL;
    size_t i = 0;
    names.count = machine_names(names.list);
    while (i < names.count && strcasecmp(names.list[i], name) != 0)
        i++;
    const char *known = i == names.count ? name : names.list[i];
    enum margay_status status;
    if (asprintf(&file, "%s.csv", known) < 0)
        status = margay_fail_memory(error, "the name of a machine");
    else if (data_file_find(&place, file, &path, NULL) == MARGAY_OK)
        status = machine_read(machine, path, NULL, vary, error);
    else
        status = refuse_name(&names, name, error);
    for (i = 0; i < names.count; i++)
        free(names.list[i]);
    free(file);
    free(path);
    return status;
}

enum margay_status machine_find(struct machine *machine, const char *name,
                                const char *vary, struct margay_error *error)
{
    *machine = (struct machine){.count = 0};
    if (access(name, F_OK) == 0 || strchr(name, '/') != NULL ||
        strcmp(name, "-") == 0)
        return machine_read(machine, name, NULL, vary, error);
    return strcasecmp(name, "host") == 0 || strcasecmp(name, "this") == 0
               ? read_host(machine, vary, error)
               : read_named(machine, name, vary, error);
}
