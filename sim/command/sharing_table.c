/* sharing_table.c - the table of the blocks that cores share in machines */
#include "sim/command/sharing_table.h"

#include <stdlib.h>

#include "sim/annotate/sites.h"

/* The site and its line, as far as they are known. */
static void write_site(struct csv_writer *csv,
                       const struct sharing_lines *lines, uint64_t site)
{
    bool has_sites =
        (margay_trace_columns(lines->trace) & MARGAY_COLUMN_SITES) != 0;
    struct place place = {.line = 0};
    if (has_sites)
        csv_hexadecimal(csv, site);
    else
        csv_nothing(csv);
    if (has_sites && lines->places != NULL)
        places_find_site(lines->places, lines->trace, lines->program, site,
                         &place);
    csv_text(csv, place.file);
    if (place.line == 0)
        csv_nothing(csv);
    else
        csv_u64(csv, place.line);
    csv_text(csv, place.function);
}

static void write_place(struct csv_writer *csv,
                        const struct machine_results *results, size_t machine,
                        const struct sharing_lines *lines,
                        const struct margay_sharing_place *place)
{
    const struct margay_level *level =
        &results->levels[machine * results->machine->count + place->level];
    csv_text(csv, results->name);
    csv_text(csv, results->trace);
    csv_text(csv, level->name);
    csv_hexadecimal(csv, place->block * level->block_bytes);
    csv_u64(csv, place->offset);
    csv_u64(csv, place->core);
    write_site(csv, lines, place->site);
    csv_u64(csv, place->true_sharing_misses);
    csv_u64(csv, place->coherence_misses - place->true_sharing_misses);
    csv_u64(csv, place->invalidations);
    table_varied(csv, results->vary, machine);
    csv_end_row(csv);
}

static enum margay_status write_machine(struct csv_writer *csv,
                                        const struct machine_results *results,
                                        size_t machine,
                                        const struct sharing_lines *lines,
                                        struct margay_error *error)
{
    struct margay_sharing_place *places;
    size_t count;
    enum margay_status status = margay_machine_consumer_sharing(
        results->consumer, machine, &places, &count, error);
    for (size_t i = 0; status == MARGAY_OK && i < count; i++)
        write_place(csv, results, machine, lines, &places[i]);
    free(places);
    return status;
}

enum margay_status table_sharing(struct csv_writer *csv,
                                 const struct machine_results *results,
                                 const struct sharing_lines *lines,
                                 struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    size_t machines = machine_vary_count(results->vary);
    for (size_t i = 0; status == MARGAY_OK && i < machines; i++)
        status = write_machine(csv, results, i, lines, error);
    return status;
}
