/* machine_table.c - the machines that --vary makes of one, and their rows */
#define _GNU_SOURCE
#include "sim/result/machine_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* -------------------------------------------------- machines that vary -- */

/* The most machines of a run. */
#define MOST_MACHINES 1000000

static void free_field(struct machine_varied *field)
{
    for (size_t k = 0; k < field->count; k++)
        free(field->values[k]);
    free(field->values);
    free(field->cache);
    free(field->column);
}

void machine_vary_clear(struct machine_vary *vary)
{
    while (vary->count > 0)
        free_field(&vary->fields[--vary->count]);
}

/* --------------------------------------------------------------- reading -- */

static enum margay_status add_value(struct machine_varied *field, char *value,
                                    struct margay_error *error)
{
    char **values =
        margay_grow(field->values, field->count, &field->room, sizeof(char *));
    if (value == NULL || values == NULL) {
        free(value);
        return margay_fail_memory(error, "what varies");
    }
    field->values = values;
    values[field->count++] = value;
    return MARGAY_OK;
}

static enum margay_status add_number(struct machine_varied *field,
                                     uint64_t number,
                                     struct margay_error *error)
{
    char *value;
    return add_value(
        field, asprintf(&value, "%" PRIu64, number) < 0 ? NULL : value, error);
}

static bool parse_end(const char *text, uint64_t *value)
{
    bool suffixed;
    return margay_parse_size(text, "", value, &suffixed, NULL) == MARGAY_OK;
}

static uint64_t twice(uint64_t number)
{
    return number == 0 ? 1 : 2 * number;
}

/* A value, or A, twice A, and so on up to B; after 0 comes 1.  Sizes are
   written as plain numbers, so that a program can read them. */
static enum margay_status add_text(struct machine_varied *field, char *text,
                                   struct margay_error *error)
{
    char *dots =
        strcmp(field->column, "policy") == 0 ? NULL : strstr(text, "..");
    uint64_t from, to, met;
    enum margay_status status = MARGAY_OK;
    if (dots == NULL)
        return parse_end(text, &from) ? add_number(field, from, error)
                                      : add_value(field, strdup(text), error);
    *dots = '\0';
    bool is_range = parse_end(text, &from) && parse_end(dots + 2, &to);
    *dots = '.';
    for (met = from; is_range && met < to && met <= UINT64_MAX / 2;)
        met = twice(met);
    if (!is_range || met != to)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "--vary %s.%s: '%s' (expected A..B, two numbers, where doubling "
            "A leads to B, or a list)",
            field->cache, field->column, text);
    for (; status == MARGAY_OK && from < to; from = twice(from))
        status = add_number(field, from, error);
    return status == MARGAY_OK ? add_number(field, to, error) : status;
}

/* The fields CACHE.COLUMN[+CACHE.COLUMN...]= that a text begins with, as the
   last ones of *vary, which move together.  Returns what comes after them;
   `text` itself if it begins with no field of the machine. */
static char *find_fields(struct machine_vary *vary,
                         const struct machine *machine, char *text)
{
    size_t first = vary->count;
    for (char *at = text; vary->count < MACHINE_MOST_VARIED;) {
        size_t i = 0, bytes = 0;
        for (; i < machine->count; i++) {
            bytes = strlen(machine->levels[i].name);
            if (strncmp(at, machine->levels[i].name, bytes) == 0 &&
                at[bytes] == '.')
                break;
        }
        char *end = i == machine->count ? NULL : strpbrk(at + bytes, "+=");
        if (end == NULL)
            break;
        vary->fields[vary->count] = (struct machine_varied){
            .cache = strdup(machine->levels[i].name),
            .column = strndup(at + bytes + 1, (size_t)(end - at) - bytes - 1),
            .tied = vary->count > first};
        vary->count++;
        at = end + 1;
        if (*end == '=')
            return at;
    }
    while (vary->count > first)
        free_field(&vary->fields[--vary->count]);
    return text;
}

/* What a field gets of a value of several fields: its part, if there are as
   many joined by '+' as fields, else all of it. */
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

/* Cut off the next value, and what names the fields before it.  Between commas
   also stand the parameters of a policy, which begin KEY= without what fields
   and specs have before that. */
static char *next_piece(char **rest)
{
    char *piece = *rest, *end = strchrnul(piece, ',');
    while (*end != '\0' && end[1 + strcspn(end + 1, "=.:/+,")] == '=')
        end = strchrnul(end + 1, ',');
    *rest = *end == '\0' ? NULL : end + 1;
    *end = '\0';
    return piece;
}

/* A value of the last fields, or of some that the text begins. */
static enum margay_status add_piece(struct machine_vary *vary,
                                    const struct machine *machine, char *piece,
                                    struct margay_error *error)
{
    char *value = find_fields(vary, machine, piece);
    size_t first = vary->count;
    enum margay_status status = MARGAY_OK;
    char caches[256] = "";
    for (size_t i = 0, used = 0;
         vary->count == 0 && i < machine->count && used < sizeof caches; i++)
        used += (size_t)snprintf(caches + used, sizeof caches - used, "%s%s",
                                 i == 0 ? "" : ", ", machine->levels[i].name);
    if (vary->count == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--vary: '%s' (expected CACHE.COLUMN=A..B or "
                           "CACHE.COLUMN=LIST, of a cache of the machine: %s)",
                           piece, caches);
    while (first > 0 && (first == vary->count || vary->fields[first].tied))
        first--;
    for (size_t i = first; i < vary->count && status == MARGAY_OK; i++) {
        struct machine_varied *field = &vary->fields[i];
        if (field->cache == NULL || field->column == NULL)
            return margay_fail_memory(error, "what varies");
        char *part = part_of(value, i - first, vary->count - first);
        status = part == NULL ? margay_fail_memory(error, "what varies")
                              : add_text(field, part, error);
        free(part);
    }
    return status;
}

/* Do two fields say the same of a cache? */
static bool clash(const struct machine_varied *a,
                  const struct machine_varied *b)
{
    static const char *const size[] = {"bytes", "entries"};
    bool sizes = true;
    for (size_t i = 0; i < 2; i++)
        sizes &=
            strcmp(a->column, size[i]) == 0 || strcmp(b->column, size[i]) == 0;
    return strcmp(a->cache, b->cache) == 0 &&
           (sizes || strcmp(a->column, b->column) == 0);
}

static enum margay_status check_fields(const struct machine_vary *vary,
                                       struct margay_error *error)
{
    for (size_t i = 1; i < vary->count; i++) {
        const struct machine_varied *field = &vary->fields[i];
        for (size_t k = 0; k < i; k++) {
            if (clash(field, &vary->fields[k]))
                return margay_fail(error, MARGAY_BAD_ARGUMENT,
                                   "--vary: found %s.%s after %s.%s, expected "
                                   "one of them once",
                                   field->cache, field->column,
                                   vary->fields[k].cache,
                                   vary->fields[k].column);
        }
        if (field->tied && field->count != field[-1].count)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--vary: found %zu values of %s.%s and %zu of "
                               "%s.%s, which move together, expected as many",
                               field[-1].count, field[-1].cache,
                               field[-1].column, field->count, field->cache,
                               field->column);
    }
    return MARGAY_OK;
}

enum margay_status machine_vary_read(struct machine_vary *vary,
                                     const struct machine *machine,
                                     const char *text,
                                     struct margay_error *error)
{
    struct machine tried = *machine;
    enum margay_status status = MARGAY_OK;
    *vary = (struct machine_vary){.count = 0};
    if (text == NULL)
        return MARGAY_OK;
    char *copy = strdup(text), *rest = copy;
    if (copy == NULL)
        return margay_fail_memory(error, "what varies");
    while (rest != NULL && status == MARGAY_OK)
        status = add_piece(vary, machine, next_piece(&rest), error);
    if (status == MARGAY_OK)
        status = check_fields(vary, error);
    free(copy);
    /* Every value has to be one that its column takes. */
    for (size_t i = 0; i < vary->count; i++) {
        const struct machine_varied *field = &vary->fields[i];
        for (size_t k = 0; k < field->count && status == MARGAY_OK; k++)
            status = machine_set(&tried, field->cache, field->column,
                                 field->values[k], error);
    }
    if (status == MARGAY_OK && machine_vary_count(vary) > MOST_MACHINES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--vary: over %d machines", MOST_MACHINES);
    return status;
}

/* -------------------------------------------------------------- machines -- */

size_t machine_vary_count(const struct machine_vary *vary)
{
    size_t count = 1;
    for (size_t i = 0; i < vary->count && count <= MOST_MACHINES; i++)
        count *= vary->fields[i].tied ? 1 : vary->fields[i].count;
    return count;
}

/* The value of a field in machine `index`; the first field varies the least. */
static const char *machine_vary_value(const struct machine_vary *vary,
                                      size_t index, size_t field)
{
    for (size_t i = vary->count - 1; i > field; i--)
        index /= vary->fields[i].tied ? 1 : vary->fields[i].count;
    return vary->fields[field].values[index % vary->fields[field].count];
}

void machine_vary_text(const struct machine_vary *vary, size_t index,
                       char *text, size_t bytes)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < vary->count && used < bytes; i++) {
        const struct machine_varied *field = &vary->fields[i];
        used += (size_t)snprintf(text + used, bytes - used, "%s%s.%s=%s",
                                 i == 0 ? "" : ",", field->cache, field->column,
                                 machine_vary_value(vary, index, i));
    }
}

enum margay_status machine_vary_levels(const struct machine_vary *vary,
                                       struct machine *machine,
                                       struct margay_level **levels,
                                       struct margay_error *error)
{
    size_t count = machine_vary_count(vary);
    enum margay_status status = MARGAY_OK;
    *levels = reallocarray(NULL, count * machine->count, sizeof **levels);
    if (*levels == NULL)
        return margay_fail_memory(error, "the machines");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        for (size_t k = 0; k < vary->count && status == MARGAY_OK; k++)
            status = machine_set(machine, vary->fields[k].cache,
                                 vary->fields[k].column,
                                 machine_vary_value(vary, i, k), error);
        if (status == MARGAY_OK)
            status = machine_settle(machine, error);
        if (status == MARGAY_OK)
            memcpy(*levels + i * machine->count, machine->levels,
                   machine->count * sizeof **levels);
    }
    return status;
}

/* ---------------------------------------------------------------- rows -- */

static uint64_t sum(const uint64_t counts[MARGAY_KINDS])
{
    return counts[MARGAY_READ] + counts[MARGAY_WRITE] + counts[MARGAY_FETCH];
}

static const struct margay_level *levels_of(
    const struct machine_results *results, size_t machine)
{
    return results->levels + machine * results->machine->count;
}

/* ---------------------------------------------------------- access times -- */

void machines_find(const struct machine_results *results, bool *have_cycles,
                   bool *are_coherent)
{
    size_t count = results->machine->count * machine_vary_count(results->vary);
    *have_cycles = *are_coherent = false;
    for (size_t i = 0; i < count; i++) {
        *have_cycles |= results->levels[i].cycles != 0;
        *are_coherent |= results->levels[i].coherence != MARGAY_COHERENCE_NONE;
    }
}

double machine_access_cycles(const struct machine_results *results,
                             size_t machine)
{
    double cycles = 0;
    for (size_t i = 0; i < results->machine->count; i++) {
        const struct margay_level_counts counts =
            margay_machine_analysis_counts(results->analysis, machine, i);
        cycles +=
            levels_of(results, machine)[i].cycles * (double)counts.lookups;
    }
    return cycles /
           (double)sum(margay_machine_analysis_references(results->analysis));
}

/* --------------------------------------------------------------- columns -- */

enum margay_status machine_columns(const char *columns,
                                   const struct machine_vary *vary,
                                   char **names, struct margay_error *error)
{
    size_t bytes = strlen(columns) + 1;
    for (size_t i = 0; i < vary->count; i++)
        bytes +=
            strlen(vary->fields[i].cache) + strlen(vary->fields[i].column) + 2;
    *names = malloc(bytes);
    if (*names == NULL)
        return margay_fail_memory(error, "the columns");
    char *end = stpcpy(*names, columns);
    for (size_t i = 0; i < vary->count; i++)
        end += sprintf(end, ",%s.%s", vary->fields[i].cache,
                       vary->fields[i].column);
    return MARGAY_OK;
}

void table_varied(struct csv_writer *csv, const struct machine_vary *vary,
                  size_t machine)
{
    for (size_t i = 0; i < vary->count; i++) {
        const char *value = machine_vary_value(vary, machine, i);
        uint64_t number;
        if (margay_parse_u64(value, &number))
            csv_u64(csv, number);
        else
            csv_text(csv, value);
    }
}

/* ------------------------------------------------------------ the caches -- */

static void write_ratio(struct csv_writer *csv, uint64_t references,
                        uint64_t misses)
{
    csv_u64(csv, references);
    csv_u64(csv, misses);
    if (references == 0)
        csv_nothing(csv);
    else
        csv_share(csv, misses, references);
}

static void write_mpki(struct csv_writer *csv, uint64_t misses,
                       uint64_t instructions)
{
    if (instructions == 0)
        csv_nothing(csv);
    else
        csv_decimal(csv, (double)misses * 1000 / (double)instructions);
}

/* The counts of coherence are empty where a cache is not coherent. */
static void write_level(struct csv_writer *csv,
                        const struct machine_results *results, size_t machine,
                        size_t index, uint64_t instructions, bool coherent)
{
    static const enum margay_kind kinds[] = {MARGAY_FETCH, MARGAY_READ,
                                             MARGAY_WRITE};
    const struct margay_level *level = &levels_of(results, machine)[index];
    const struct margay_level_counts counts =
        margay_machine_analysis_counts(results->analysis, machine, index);
    const uint64_t of_sharing[] = {
        counts.coherence_misses,
        counts.true_sharing_misses,
        counts.coherence_misses - counts.true_sharing_misses,
        counts.invalidations,
        counts.interventions,
        counts.upgrades,
    };
    csv_text(csv, results->name);
    csv_text(csv, results->trace);
    csv_text(csv, results->machine->levels[index].name);
    write_ratio(csv, sum(counts.references), sum(counts.misses));
    for (size_t i = 0; i < MARGAY_KINDS; i++) {
        csv_u64(csv, counts.references[kinds[i]]);
        csv_u64(csv, counts.misses[kinds[i]]);
    }
    csv_u64(csv, counts.writebacks);
    csv_u64(csv, counts.prefetches);
    csv_u64(csv, counts.useful_prefetches);
    write_mpki(csv, sum(counts.misses), instructions);
    write_ratio(csv, counts.demand_references, counts.demand_misses);
    write_mpki(csv, counts.demand_misses, instructions);
    csv_u64(csv, counts.writebacks_received);
    csv_u64(csv, counts.victim_fills);
    for (size_t i = 0; coherent && i < sizeof of_sharing / sizeof *of_sharing;
         i++)
        csv_known(csv, level->coherence != MARGAY_COHERENCE_NONE,
                  of_sharing[i]);
    table_varied(csv, results->vary, machine);
    csv_end_row(csv);
}

void table_machines(struct csv_writer *csv,
                    const struct machine_results *results)
{
    const uint64_t *references =
        margay_machine_analysis_references(results->analysis);
    uint64_t instructions = results->instructions;
    bool coherent, has_cycles;
    machines_find(results, &has_cycles, &coherent);
    if (instructions == 0)
        instructions = references[MARGAY_FETCH];
    for (size_t i = 0; i < machine_vary_count(results->vary); i++) {
        for (size_t k = 0; k < results->machine->count; k++)
            write_level(csv, results, i, k, instructions, coherent);
    }
}

/* ------------------------------------------------------------- the front -- */

/* A machine as a point of the plane. */
struct point {
    size_t machine;
    uint64_t bytes;
    double cycles;
};

/* What the instances of all caches hold; where writes are none, as in a TLB, a
   level holds no bytes of its own. */
static uint64_t bytes_of(const struct machine_results *results, size_t machine)
{
    uint64_t cores = margay_machine_analysis_cores(results->analysis);
    uint64_t bytes = 0;
    for (size_t i = 0; i < results->machine->count; i++) {
        const struct margay_level *level = &levels_of(results, machine)[i];
        uint64_t instances = level->shared == 0
                                 ? 1
                                 : (cores + level->shared - 1) / level->shared;
        if (level->bytes == 0 || level->writing == MARGAY_WRITE_NONE)
            continue;
        bytes += instances *
                 (level->bytes + level->victim_blocks * level->block_bytes);
    }
    return bytes;
}

static int by_bytes(const void *a, const void *b)
{
    const struct point *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes < right->bytes ? -1 : 1;
    if (left->cycles != right->cycles)
        return left->cycles < right->cycles ? -1 : 1;
    return (left->machine > right->machine) - (left->machine < right->machine);
}

enum margay_status table_pareto(struct csv_writer *csv,
                                const struct machine_results *results,
                                struct margay_error *error)
{
    size_t count = machine_vary_count(results->vary), best = 0;
    struct point *points = calloc(count, sizeof *points);
    if (points == NULL)
        return margay_fail_memory(error, "the machines");
    for (size_t i = 0; i < count; i++)
        points[i] = (struct point){i, bytes_of(results, i),
                                   machine_access_cycles(results, i)};
    qsort(points, count, sizeof *points, by_bytes);
    for (size_t i = 0; i < count; i++) {
        const struct point *point = &points[i], *front = &points[best];
        bool on_front =
            i == 0 || point->cycles < front->cycles ||
            (point->cycles == front->cycles && point->bytes == front->bytes);
        if (on_front)
            best = i;
        csv_text(csv, results->name);
        csv_text(csv, results->trace);
        csv_u64(csv, point->bytes);
        csv_decimal(csv, point->cycles);
        csv_u64(csv, on_front);
        table_varied(csv, results->vary, point->machine);
        csv_end_row(csv);
    }
    free(points);
    return MARGAY_OK;
}
