/*
 * machine_csv.c - a machine of caches, from its table or from the system
 *
 * A row is a level, and each column a member of struct margay_level with a
 * parser of its own.  An empty field is as good as a column that is not there.
 */
#define _GNU_SOURCE
#include "sim/result/machine_csv.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/options/option_types.h"
#include "sim/result/csv_read.h"
#include "sim/terminal/find_file.h"
#include "traces/traces_internal.h"

/* What the levels point at. */
struct machine_row {
    char *name, *next, *policy; /* NULL = not given */
    uint64_t line;
    bool says_shared; /* by how many cores */
};

/* A field that is being read. */
struct field {
    struct margay_level *level;
    struct machine_row *row;
    const char *text;
};

/* Parsers return what they expect, and NULL if they have found it. */
typedef const char *parse_field(const struct field *field);

static const char *copy_text(char **to, const char *text)
{
    *to = strdup(text);
    return *to == NULL ? "more memory" : NULL;
}

static const char *parse_name(const struct field *field)
{
    field->level->name = "";
    const char *expected = copy_text(&field->row->name, field->text);
    if (strpbrk(field->text, ",=\"\r\n") != NULL)
        return "a name without comma, equals sign and quotation mark";
    if (expected == NULL)
        field->level->name = field->row->name;
    return expected;
}

static const char *parse_next(const struct field *field)
{
    return copy_text(&field->row->next, field->text);
}

static const char *parse_policy_spec(const struct field *field)
{
    const char *expected = copy_text(&field->row->policy, field->text);
    field->level->policy = field->row->policy;
    return expected;
}

static const char *parse_amount(const char *text, uint64_t *value)
{
    bool suffixed;
    struct margay_error error;
    return margay_parse_size(text, "bytes", value, &suffixed, &error) ==
                       MARGAY_OK &&
                   *value != 0
               ? NULL
               : "a number of bytes, perhaps with K, M or G, 1 or more";
}

static const char *parse_capacity(const struct field *field)
{
    return parse_amount(field->text, &field->level->bytes);
}

static const char *parse_block(const struct field *field)
{
    return parse_amount(field->text, &field->level->block_bytes);
}

static const char *parse_number(const char *text, uint64_t *value)
{
    return margay_parse_u64(text, value) ? NULL : "a number";
}

static const char *parse_ways(const struct field *field)
{
    return parse_number(field->text, &field->level->ways);
}

static const char *parse_victims(const struct field *field)
{
    return parse_number(field->text, &field->level->victim_blocks);
}

static const char *parse_shared(const struct field *field)
{
    field->row->says_shared = true;
    if (strcmp(field->text, "all") == 0) {
        field->level->shared = 0;
        return NULL;
    }
    return margay_parse_u64(field->text, &field->level->shared) &&
                   field->level->shared > 0
               ? NULL
               : "a number of cores from 1 on, or 'all'";
}

static const char *parse_cycles(const struct field *field)
{
    char *end;
    double cycles = strtod(field->text, &end);
    field->level->cycles = cycles;
    return *end == '\0' && isfinite(cycles) && cycles >= 0
               ? NULL
               : "a number of cycles, 0 or more";
}

/* The value of a word, or -1. */
static int word_value(const char *text, const struct word *words)
{
    for (; words->text != NULL; words++) {
        if (strcmp(words->text, text) == 0)
            return words->value;
    }
    return -1;
}

/* Define the parser of a column whose fields are words. */
#define WORD_FIELD(name, member, type, expected, ...)                \
    static const char *parse_##name(const struct field *field)       \
    {                                                                \
        static const struct word words[] = {__VA_ARGS__, {NULL, 0}}; \
        int value = word_value(field->text, words);                  \
        if (value < 0)                                               \
            return expected;                                         \
        field->level->member = (type)value;                          \
        return NULL;                                                 \
    }

WORD_FIELD(holds, holds, unsigned, "fetch, data or all",
           {"fetch", MARGAY_KIND_BIT(MARGAY_FETCH)},
           {"data",
            MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_WRITE)},
           {"all", MARGAY_ALL_KINDS})
WORD_FIELD(write, writing, enum margay_writing, "back, through or none",
           {"back", MARGAY_WRITE_BACK}, {"through", MARGAY_WRITE_THROUGH},
           {"none", MARGAY_WRITE_NONE})
WORD_FIELD(allocate, no_allocate, bool, "on or off", {"on", false},
           {"off", true})
WORD_FIELD(inclusion, inclusion, enum margay_inclusion,
           "inclusive, exclusive or none", {"none", MARGAY_INCLUSION_NONE},
           {"inclusive", MARGAY_INCLUSIVE}, {"exclusive", MARGAY_EXCLUSIVE})
WORD_FIELD(prefetch, prefetch, enum margay_prefetch,
           "none, next-line, stride or stream", {"none", MARGAY_PREFETCH_NONE},
           {"next-line", MARGAY_PREFETCH_NEXT_LINE},
           {"stride", MARGAY_PREFETCH_STRIDE},
           {"stream", MARGAY_PREFETCH_STREAM})
WORD_FIELD(coherence, coherence, enum margay_coherence, "mesi or none",
           {"none", MARGAY_COHERENCE_NONE}, {"mesi", MARGAY_MESI})

static const char *parse_nothing(const struct field *field)
{
    (void)field;
    return NULL;
}

/* The columns.  Those that are needed come first. */
static const struct column {
    const char *name;
    parse_field *parse;
    bool is_needed;    /* there has to be such a column */
    bool is_filled;    /* and no field of it is empty, */
    bool is_of_memory; /* not even that of a memory */
    bool varies;       /* with --vary */
} columns[] = {
    {"cache", parse_name, true, true, true, false},
    {"holds", parse_holds, true, true, true, true},
    {"bytes", parse_capacity, true, false, true, true},
    {"block_bytes", parse_block, true, true, false, true},
    {"ways", parse_ways, true, true, false, true},
    {"next", parse_next, true, false, true, false},
    {"policy", parse_policy_spec, false, false, false, true},
    {"write", parse_write, false, false, false, true},
    {"allocate", parse_allocate, false, false, false, true},
    {"inclusion", parse_inclusion, false, false, false, true},
    {"victim_blocks", parse_victims, false, false, false, true},
    {"prefetch", parse_prefetch, false, false, false, true},
    {"shared", parse_shared, false, false, false, true},
    {"coherence", parse_coherence, false, false, false, true},
    {"cycles", parse_cycles, false, false, true, true},
    {"source", parse_nothing, false, false, true, false},
};
#define COLUMNS (sizeof columns / sizeof columns[0])

struct reader {
    const char *path;
    const char *vary; /* as of machine_read() */
    struct machine *machine;
    size_t places[COLUMNS]; /* of each column in a row, plus 1; 0 = none */
    size_t fields;          /* of a row; 0 = no header yet */
};

/* ---------------------------------------------------------------- header -- */

static enum margay_status take_name(struct reader *reader,
                                    const struct csv_row *row, size_t place,
                                    struct margay_error *error)
{
    const char *name = row->fields[place];
    size_t i = 0;
    while (i < COLUMNS && strcmp(columns[i].name, name) != 0)
        i++;
    if (i == COLUMNS)
        return margay_fail(
            error, MARGAY_BAD_INPUT,
            "%s:%" PRIu64 ": found column '%s', expected cache, holds, bytes, "
            "block_bytes, ways, next, and perhaps policy, write, allocate, "
            "inclusion, victim_blocks, prefetch, shared, coherence, cycles, "
            "source",
            reader->path, row->line, name);
    if (reader->places[i] != 0)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:%" PRIu64
                           ": found column '%s' twice, expected it once",
                           reader->path, row->line, name);
    reader->places[i] = place + 1;
    return MARGAY_OK;
}

static enum margay_status take_header(struct reader *reader,
                                      const struct csv_row *row,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    reader->fields = row->count;
    for (size_t i = 0; i < row->count && status == MARGAY_OK; i++)
        status = take_name(reader, row, i, error);
    for (size_t i = 0; i < COLUMNS && status == MARGAY_OK; i++) {
        if (columns[i].is_needed && reader->places[i] == 0)
            return margay_fail(error, MARGAY_BAD_INPUT,
                               "%s:%" PRIu64
                               ": found no column '%s', expected cache, holds, "
                               "bytes, block_bytes, ways and next",
                               reader->path, row->line, columns[i].name);
    }
    return status;
}

/* ----------------------------------------------------------------- levels --
 */

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
         at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, cache, bytes) == 0 && at[bytes] == '.' &&
            strncmp(at + bytes + 1, name, more) == 0 &&
            at[bytes + 1 + more] == '=')
            return true;
    }
    return false;
}

static enum margay_status take_field(const struct reader *reader,
                                     const struct csv_row *row, size_t column,
                                     const struct field *field,
                                     struct margay_error *error)
{
    const struct column *described = &columns[column];
    bool is_memory =
        *text_of(reader, row, 2) == '\0' && !is_varied(reader, row, 2);
    const char *expected = NULL;
    if (is_varied(reader, row, column))
        return MARGAY_OK;
    if (*field->text != '\0')
        expected = described->parse(field);
    else if (described->is_filled && (described->is_of_memory || !is_memory))
        expected = "a value";
    if (expected == NULL && *field->text != '\0' && is_memory &&
        !described->is_of_memory)
        expected = "nothing, as a level without bytes is a memory";
    if (expected == NULL)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s:%" PRIu64 ": %s: %s: found '%s', expected %s",
                       reader->path, row->line, text_of(reader, row, 0),
                       described->name, field->text, expected);
}

static enum margay_status make_room(struct reader *reader,
                                    const struct csv_row *row,
                                    struct margay_error *error)
{
    struct machine *machine = reader->machine;
    if (row->count != reader->fields)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:%" PRIu64
                           ": found %zu fields, expected %zu as in the header",
                           reader->path, row->line, row->count, reader->fields);
    if (machine->count == MARGAY_MOST_LEVELS)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:%" PRIu64
                           ": found another cache, expected at most %d",
                           reader->path, row->line, MARGAY_MOST_LEVELS);
    struct machine_row *rows =
        reallocarray(machine->rows, machine->count + 1, sizeof *rows);
    if (rows == NULL)
        return margay_fail_memory(error, "a machine");
    rows[machine->count] = (struct machine_row){.line = row->line};
    machine->rows = rows;
    return MARGAY_OK;
}

static enum margay_status take_row(void *context, const struct csv_row *row,
                                   struct margay_error *error)
{
    struct reader *reader = context;
    struct machine *machine = reader->machine;
    if (reader->fields == 0)
        return take_header(reader, row, error);
    enum margay_status status = make_room(reader, row, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_level *level = &machine->levels[machine->count];
    struct machine_row *texts = &machine->rows[machine->count++];
    *level = (struct margay_level){.next = MARGAY_NO_LEVEL, .block_bytes = 1};
    for (size_t i = 0; i < COLUMNS && status == MARGAY_OK; i++) {
        const struct field field = {level, texts, text_of(reader, row, i)};
        status = take_field(reader, row, i, &field, error);
    }
    return status;
}

/* --------------------------------------------------------------- the whole --
 */

static enum margay_status find_next(struct machine *machine, size_t index,
                                    struct margay_error *error)
{
    const struct machine_row *row = &machine->rows[index];
    if (row->next == NULL)
        return MARGAY_OK;
    for (size_t i = 0; i < machine->count; i++) {
        if (strcmp(machine->levels[i].name, row->next) == 0) {
            machine->levels[index].next = i;
            return MARGAY_OK;
        }
    }
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s:%" PRIu64
                       ": %s: next: found '%s', expected the name "
                       "of another row, or nothing for memory",
                       machine->path, row->line, row->name, row->next);
}

/* A memory has the largest block of the levels that it is next of, so that no
   block is divided. */
static void set_memory_block(struct machine *machine, size_t index)
{
    struct margay_level *level = &machine->levels[index];
    if (level->bytes != 0)
        return;
    level->block_bytes = 1;
    for (size_t i = 0; i < machine->count; i++) {
        if (machine->levels[i].next == index &&
            machine->levels[i].block_bytes > level->block_bytes)
            level->block_bytes = machine->levels[i].block_bytes;
    }
}

enum margay_status machine_settle(struct machine *machine,
                                  struct margay_error *error)
{
    struct margay_error why;
    size_t wrong;
    for (size_t i = 0; i < machine->count; i++) {
        if (!machine->rows[i].says_shared)
            machine->levels[i].shared =
                margay_level_is_first(machine->levels, machine->count, i);
        set_memory_block(machine, i);
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

static enum margay_status finish(struct machine *machine,
                                 struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (machine->count == 0)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found no cache, expected a row for each",
                           machine->path);
    for (size_t i = 0; i < machine->count && status == MARGAY_OK; i++)
        status = find_next(machine, i, error);
    return status;
}

static enum margay_status keep_name(struct machine *machine, const char *path,
                                    struct margay_error *error)
{
    machine->path = strdup(path);
    return machine->path == NULL ? margay_fail_memory(error, "a machine")
                                 : MARGAY_OK;
}

static enum margay_status machine_read(struct machine *machine,
                                       const char *path, const char *vary,
                                       struct margay_error *error)
{
    struct reader reader = {.path = path, .vary = vary, .machine = machine};
    *machine = (struct machine){.count = 0};
    enum margay_status status = keep_name(machine, path, error);
    if (status == MARGAY_OK)
        status = csv_read(path, take_row, &reader, error);
    return status == MARGAY_OK ? finish(machine, error) : status;
}

static enum margay_status machine_read_stream(struct machine *machine,
                                              FILE *file, const char *name,
                                              const char *vary,
                                              struct margay_error *error)
{
    struct reader reader = {.path = name, .vary = vary, .machine = machine};
    *machine = (struct machine){.count = 0};
    enum margay_status status = keep_name(machine, name, error);
    if (status == MARGAY_OK)
        status = csv_read_stream(file, name, take_row, &reader, error);
    return status == MARGAY_OK ? finish(machine, error) : status;
}

/* The parser of a column that may vary; NULL for any other. */
static parse_field *parser_of(const char *column)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        if (strcmp(columns[i].name, column) == 0)
            return columns[i].varies ? columns[i].parse : NULL;
    }
    return NULL;
}

enum margay_status machine_set(struct machine *machine, const char *cache,
                               const char *column, const char *text,
                               struct margay_error *error)
{
    parse_field *parse = parser_of(column);
    size_t i = 0;
    while (strcmp(machine->levels[i].name, cache) != 0)
        i++;
    const struct field field = {&machine->levels[i], &machine->rows[i], text};
    const char *expected =
        parse == NULL ? "a column of the table but cache, next and source"
                      : NULL;
    if (parse == parse_policy_spec)
        machine->levels[i].policy = text;
    else if (parse != NULL)
        expected = parse(&field);
    if (expected == NULL)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "--vary %s.%s: found '%s', expected %s", cache, column,
                       parse == NULL ? column : text, expected);
}

void machine_clear(struct machine *machine)
{
    for (size_t i = 0; machine->rows != NULL && i < machine->count; i++) {
        free(machine->rows[i].name);
        free(machine->rows[i].next);
        free(machine->rows[i].policy);
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
        bool unified = strcmp(cache.type, "Unified") == 0;
        bool fetches = strcmp(cache.type, "Instruction") == 0;
        unsigned long cores = count_cores(cache.cores);
        threads = i == 0 ? cores : threads;
        fprintf(table, "L%s%s,%s,%s,%s,%s,", cache.level,
                unified   ? ""
                : fetches ? "I"
                          : "D",
                unified   ? "all"
                : fetches ? "fetch"
                          : "data",
                cache.bytes, cache.block, cache.ways);
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
    bool written = fclose(table) == 0;
    table = written ? fmemopen(text, bytes, "r") : NULL;
    if (table == NULL)
        margay_fail_memory(error, "the machine");
    else
        status = machine_read_stream(machine, table, "host", vary, error);
    if (table != NULL)
        fclose(table);
    free(text);
    return status;
}

/* ----------------------------------------------------------------- by name --
 */

static int is_table(const struct dirent *entry)
{
    size_t bytes = strlen(entry->d_name);
    return bytes > 4 && strcmp(entry->d_name + bytes - 4, ".csv") == 0;
}

/* The names of the tables next to one of them, and the host. */
static void list_names(const char *path, char *names, size_t bytes)
{
    struct dirent **entries;
    const char *slash = strrchr(path, '/');
    char *directory = strndup(path, (size_t)(slash - path));
    int count = directory == NULL
                    ? -1
                    : scandir(directory, &entries, is_table, alphasort);
    size_t used = (size_t)snprintf(names, bytes, "host");
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (used < bytes)
            used += (size_t)snprintf(names + used, bytes - used, ", %.*s",
                                     (int)strlen(name) - 4, name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    free(directory);
}

static enum margay_status refuse_name(const char *name,
                                      struct margay_error *error)
{
    char names[400], *path = NULL;
    snprintf(names, sizeof names, "host");
    if (data_file_find(&place, "intel-skylake.csv", &path, NULL) == MARGAY_OK)
        list_names(path, names, sizeof names);
    free(path);
    return margay_fail(error, MARGAY_IO,
                       "--machine %s: no such file, and no machine of that "
                       "name (expected a table, or one of %s)",
                       name, names);
}

static enum margay_status read_known(struct machine *machine, const char *name,
                                     const char *vary,
                                     struct margay_error *error)
{
    char *file, *path = NULL;
    if (asprintf(&file, "%s.csv", name) < 0)
        return margay_fail_memory(error, "the name of a machine");
    enum margay_status status =
        data_file_find(&place, file, &path, NULL) == MARGAY_OK
            ? machine_read(machine, path, vary, error)
            : refuse_name(name, error);
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
        return machine_read(machine, name, vary, error);
    return strcmp(name, "host") == 0 ? read_host(machine, vary, error)
                                     : read_known(machine, name, vary, error);
}
