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

void machine_vary_clear(struct machine_vary *vary)
{
    for (size_t i = 0; i < vary->count; i++) {
        struct machine_varied *field = &vary->fields[i];
        for (size_t k = 0; k < field->count; k++)
            free(field->values[k]);
        free(field->values);
        free(field->cache);
        free(field->column);
    }
    vary->count = 0;
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
    char *dots = strstr(text, "..");
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

/* A value of the last field, or of one that the text begins: CACHE.COLUMN= */
static enum margay_status add_piece(struct machine_vary *vary,
                                    const struct machine *machine, char *piece,
                                    struct margay_error *error)
{
    char *equals = strchr(piece, '='), *value = piece;
    for (size_t i = 0; equals != NULL && i < machine->count; i++) {
        const char *name = machine->levels[i].name;
        size_t bytes = strlen(name);
        if (strncmp(piece, name, bytes) != 0 || piece[bytes] != '.' ||
            equals < piece + bytes + 1 || vary->count == MACHINE_MOST_VARIED)
            continue;
        vary->fields[vary->count++] = (struct machine_varied){
            .cache = strdup(name),
            .column = strndup(piece + bytes + 1,
                              (size_t)(equals - piece) - bytes - 1)};
        value = equals + 1;
        break;
    }
    if (vary->count == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--vary: '%s' (expected CACHE.COLUMN=A..B or "
                           "CACHE.COLUMN=LIST, of a cache of the machine)",
                           piece);
    struct machine_varied *field = &vary->fields[vary->count - 1];
    if (field->cache == NULL || field->column == NULL)
        return margay_fail_memory(error, "what varies");
    return add_text(field, value, error);
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
        status = add_piece(vary, machine, strsep(&rest, ","), error);
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
        count *= vary->fields[i].count;
    return count;
}

/* The value of a field in machine `index`; the first field varies the least. */
static const char *machine_vary_value(const struct machine_vary *vary,
                                      size_t index, size_t field)
{
    for (size_t i = vary->count - 1; i > field; i--)
        index /= vary->fields[i].count;
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

/* ----------------------------------------------------------- access times --
 */

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

/* ---------------------------------------------------------------- columns --
 */

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

/* ------------------------------------------------------------- the caches --
 */

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

/* -------------------------------------------------------------- the front --
 */

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
