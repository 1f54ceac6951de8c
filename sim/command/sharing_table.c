/* sharing_table.c - the table of the blocks that cores share in machines */
#include "sim/command/sharing_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/annotate/annotate.h"

static bool has_sites(const struct sharing_lines *lines)
{
    return (margay_trace_columns(lines->trace) & MARGAY_COLUMN_SITES) != 0;
}

/* The line of a site, as far as it is known. */
static void find_line(const struct sharing_lines *lines, uint64_t site,
                      struct place *place)
{
    *place = (struct place){.line = 0};
    if (has_sites(lines) && lines->places != NULL)
        places_find_site(lines->places, lines->trace, lines->program, site,
                         place);
}

static uint64_t false_misses(const struct margay_sharing_place *place)
{
    return place->coherence_misses - place->true_sharing_misses;
}

static uint64_t address_of(const struct machine_results *results,
                           size_t machine,
                           const struct margay_sharing_place *place)
{
    size_t first = machine * results->machine->count;
    return place->block * results->levels[first + place->level].block_bytes;
}

static void write_place(struct csv_writer *csv,
                        const struct machine_results *results, size_t machine,
                        const struct sharing_lines *lines,
                        const struct margay_sharing_place *place)
{
    const struct margay_level *level =
        &results->levels[machine * results->machine->count + place->level];
    struct place line;
    find_line(lines, place->site, &line);
    csv_text(csv, results->name);
    csv_text(csv, results->trace);
    csv_text(csv, level->name);
    csv_hexadecimal(csv, address_of(results, machine, place));
    csv_u64(csv, place->offset);
    csv_u64(csv, place->core);
    if (has_sites(lines))
        csv_hexadecimal(csv, place->site);
    else
        csv_nothing(csv);
    csv_text(csv, line.file);
    csv_known(csv, line.line != 0, line.line);
    csv_text(csv, line.function);
    csv_u64(csv, place->true_sharing_misses);
    csv_u64(csv, false_misses(place));
    csv_u64(csv, place->invalidations);
    table_varied(csv, results->machine, machine);
    csv_end_row(csv);
}

/* ------------------------------------------------- the block of the most -- */

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

/* The lines of some places, each once, as ", a.c:1, b.c:2 and c.c:3"; the site
   where its line is unknown. */
static void name_lines(const struct sharing_lines *lines,
                       const struct margay_sharing_place *places, size_t count,
                       struct sharing_most *most)
{
    char names[SHARING_MOST_LINES][SHARING_NAME_BYTES];
    size_t named = 0, used = 0;
    for (size_t i = 0; i < count && named < SHARING_MOST_LINES; i++) {
        size_t k = 0;
        struct place place;
        find_line(lines, places[i].site, &place);
        const char *slash = strrchr(place.file, '/');
        if (place.line == 0)
            snprintf(names[named], SHARING_NAME_BYTES, "0x%" PRIx64,
                     places[i].site);
        else
            snprintf(names[named], SHARING_NAME_BYTES, "%.200s:%u",
                     slash == NULL ? place.file : slash + 1, place.line);
        while (strcmp(names[k], names[named]) != 0)
            k++;
        named += k == named;
    }
    for (size_t i = 0; i < named; i++)
        used += (size_t)snprintf(
            most->lines + used, sizeof most->lines - used, "%s%s",
            i == 0 || i + 1 < named ? ", " : " and ", names[i]);
}

/* The places begin with those of a block that has the most of its level. */
static void note_most(const struct machine_results *results, size_t machine,
                      const struct sharing_lines *lines,
                      struct margay_sharing_place *places, size_t count,
                      struct sharing_most *most)
{
    size_t of_block = 0;
    if (count == 0 || places->block_false_sharing_misses <= most->misses)
        return;
    most->misses = places->block_false_sharing_misses;
    most->address = address_of(results, machine, places);
    most->machine = machine;
    most->lines[0] = '\0';
    while (of_block < count && places[of_block].block == places->block &&
           places[of_block].level == places->level)
        of_block++;
    qsort(places, of_block, sizeof *places, by_misses);
    if (has_sites(lines))
        name_lines(lines, places, of_block, most);
}

/* ---------------------------------------------------------------- tables -- */

enum margay_status table_sharing(struct csv_writer *csv,
                                 const struct machine_results *results,
                                 const struct sharing_lines *lines,
                                 struct sharing_most *most,
                                 struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    size_t machines = machine_count(results->machine);
    *most = (struct sharing_most){.misses = 0};
    for (size_t machine = 0; status == MARGAY_OK && machine < machines;
         machine++) {
        struct margay_sharing_place *places;
        size_t count;
        status = margay_machine_analysis_sharing(results->analysis, machine,
                                                 &places, &count, error);
        for (size_t i = 0; status == MARGAY_OK && i < count; i++)
            write_place(csv, results, machine, lines, &places[i]);
        for (size_t i = 0; status == MARGAY_OK && i < count; i++) {
            if (i == 0 || places[i].level != places[i - 1].level)
                note_most(results, machine, lines, &places[i], count - i, most);
        }
        free(places);
    }
    return status;
}
