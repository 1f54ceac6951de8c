/* sharing.c - the blocks that cores share, and the lines that contend for
   them */
#define _GNU_SOURCE
#include "sim/annotate/annotate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* The lines that are named of a block, and the bytes of a name. */
#define MOST_LINES 4
#define NAME_BYTES 256

struct sharing {
    struct csv_writer *csv;
    const struct machine_results *results;
    const margay_trace *trace;
    const char *program;
    struct places *places;
    bool has_sites;
    size_t machine; /* whose rows are written */
    uint64_t most;  /* misses of false sharing of a block so far, */
    char most_text[80 + NAME_BYTES * (MOST_LINES + 2)]; /* its address */
};

static uint64_t false_misses(const struct margay_sharing_place *place)
{
    return place->coherence_misses - place->true_sharing_misses;
}

/* The level of the place, in the machine whose rows are written. */
static const struct margay_level *level_of(
    const struct sharing *sharing, const struct margay_sharing_place *place)
{
    const struct machine_results *results = sharing->results;
    return &results->levels[sharing->machine * results->machine->count +
                            place->level];
}

/* The line of a site, as far as it is known. */
static void find_line(const struct sharing *sharing, uint64_t site,
                      struct place *line)
{
    *line = (struct place){.line = 0};
    if (sharing->has_sites && sharing->places != NULL)
        places_find_site(sharing->places, sharing->trace, sharing->program,
                         site, line);
}

static void write_row(const struct sharing *sharing,
                      const struct margay_sharing_place *place)
{
    const struct margay_level *level = level_of(sharing, place);
    struct csv_writer *csv = sharing->csv;
    struct place line;
    find_line(sharing, place->site, &line);
    csv_text(csv, sharing->results->name);
    csv_text(csv, sharing->results->trace);
    csv_text(csv, level->name);
    csv_hexadecimal(csv, place->block * level->block_bytes);
    csv_u64(csv, place->offset);
    csv_u64(csv, place->core);
    if (sharing->has_sites)
        csv_hexadecimal(csv, place->site);
    else
        csv_nothing(csv);
    csv_text(csv, line.file);
    csv_known(csv, line.line != 0, line.line);
    csv_text(csv, line.function);
    csv_u64(csv, place->true_sharing_misses);
    csv_u64(csv, false_misses(place));
    csv_u64(csv, place->invalidations);
    table_varied(csv, sharing->results->machine, sharing->machine);
    csv_end_row(csv);
}

/* Most misses of false sharing first, then most invalidations; then sites. */
static int by_misses(const void *a, const void *b)
{
    const struct margay_sharing_place *first = a, *second = b;
    uint64_t one = false_misses(first), other = false_misses(second);
    if (one == other) {
        one = first->invalidations;
        other = second->invalidations;
    }
    if (one == other) {
        one = second->site;
        other = first->site;
    }
    return one < other ? 1 : -(one > other);
}

/* Describe a block by its places: its address, and the lines that contend for
   it, each once, as ", a.c:1, b.c:2 and c.c:3"; the site where its line is
   unknown. */
static void describe_block(struct sharing *sharing,
                           struct margay_sharing_place *places, size_t count)
{
    char names[MOST_LINES][NAME_BYTES], fields[NAME_BYTES];
    char *end = sharing->most_text;
    size_t named = 0;
    qsort(places, count, sizeof *places, by_misses);
    for (size_t i = 0; sharing->has_sites && i < count && named < MOST_LINES;
         i++) {
        size_t k = 0;
        struct place place;
        find_line(sharing, places[i].site, &place);
        if (place.line == 0)
            snprintf(names[named], NAME_BYTES, "0x%" PRIx64, places[i].site);
        else
            snprintf(names[named], NAME_BYTES, "%.200s:%u",
                     basename(place.file), place.line);
        while (strcmp(names[k], names[named]) != 0)
            k++;
        named += k == named;
    }
    machine_text(sharing->results->machine, sharing->machine, fields,
                 sizeof fields);
    end += sprintf(end, "0x%" PRIx64,
                   places->block * level_of(sharing, places)->block_bytes);
    for (size_t i = 0; i < named; i++)
        end += sprintf(end, "%s%s", i == 0 || i + 1 < named ? ", " : " and ",
                       names[i]);
    sprintf(end, ", %" PRIu64 " miss%s%s%s", sharing->most,
            margay_plural(sharing->most, "es"),
            *fields == '\0' ? "" : ", with ", fields);
}

/* The rows of a machine.  The first places of a level are those of its block
   with the most misses. */
static enum margay_status write_machine(struct sharing *sharing,
                                        struct margay_error *error)
{
    struct margay_sharing_place *places;
    size_t count;
    const margay_hierarchy *hierarchy =
        margay_family_hierarchy(sharing->results->family, sharing->machine);
    if (hierarchy == NULL)
        return MARGAY_OK;
    enum margay_status status =
        margay_hierarchy_sharing(hierarchy, &places, &count, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        write_row(sharing, &places[i]);
    for (size_t i = 0; i < count; i++) {
        size_t end = i + 1;
        if ((i > 0 && places[i].level == places[i - 1].level) ||
            places[i].block_false_sharing_misses <= sharing->most)
            continue;
        while (end < count && places[end].block == places[i].block &&
               places[end].level == places[i].level)
            end++;
        sharing->most = places[i].block_false_sharing_misses;
        describe_block(sharing, &places[i], end - i);
    }
    free(places);
    return MARGAY_OK;
}

enum margay_status table_sharing(struct csv_writer *csv,
                                 const struct machine_results *results,
                                 const margay_trace *trace, const char *program,
                                 struct places *places,
                                 struct margay_error *error)
{
    struct sharing sharing = {
        .csv = csv,
        .results = results,
        .trace = trace,
        .program = program,
        .places = places,
        .has_sites =
            (margay_trace_facts(trace)->columns & MARGAY_COLUMN_SITES) != 0,
    };
    enum margay_status status = MARGAY_OK;
    size_t machines = machine_count(results->machine);
    for (; sharing.machine < machines && status == MARGAY_OK; sharing.machine++)
        status = write_machine(&sharing, error);
    if (sharing.most == 0)
        message_tell("%s: no false sharing was seen", results->trace);
    else
        message_tell("%s: most false sharing: block %s", results->trace,
                     sharing.most_text);
    if (places != NULL)
        places_tell_unread(places);
    return status;
}
