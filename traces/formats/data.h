/*
 * data.h - the data at the addresses of a recorded program, over time
 *
 * A recording may hold events of data besides references: memory was allocated
 * or freed, a file of code was loaded with its variables, a thread has a stack.
 * A reader that follows these events knows the datum of each reference: the
 * contents of its address at that moment.
 *
 * A datum is a number.  Its bits from MARGAY_DATUM_SHIFT on are the kind of
 * data, enum margay_data; those below are a site, as of a reference
 * (modules.h): of memory, the site that allocated it; of a variable, its own
 * address in the file that has it; of a stack and of anything else, the site of
 * the reference.
 */
#ifndef MARGAY_TRACES_FORMATS_DATA_H
#define MARGAY_TRACES_FORMATS_DATA_H

#include <margay/traces.h>

#include "traces/formats/data_kind.h"

#define MARGAY_DATUM_SHIFT 56

static inline uint64_t margay_datum(enum margay_data data, uint64_t site)
{
    return (site & ((UINT64_C(1) << MARGAY_DATUM_SHIFT) - 1)) |
           (uint64_t)data << MARGAY_DATUM_SHIFT;
}

/* An event at [address, address + bytes). */
struct margay_data_event {
    uint64_t at; /* entries before it, in the batch or, in mgt, in the trace */
    uint64_t address, bytes;
    uint64_t site; /* as in a datum */
    /* Events of all threads are numbered in their order, which is not that of
       the trace where threads are close to each other. */
    uint64_t order;
    enum margay_data data; /* MARGAY_DATA_UNKNOWN: the memory is free again, as
                              far as it was allocated at `address`; all of it
                              up to `bytes`, unless that is 0 */
};

/* Does the format of the writer have a place for events? */
bool margay_writer_takes_data(const margay_writer *writer);

/* Write an event before the next references; its `at` is ignored.  Only for a
   writer that takes events. */
enum margay_status margay_writer_put_data(margay_writer *writer,
                                          const struct margay_data_event *event,
                                          struct margay_error *error);

/* The ranges of memory. */
struct margay_data_map;

/* Fails with MARGAY_NO_MEMORY.  The caller owns *map. */
enum margay_status margay_data_map_create(struct margay_data_map **map,
                                          struct margay_error *error);
void margay_data_map_free(struct margay_data_map *map); /* NULL is fine. */

/* Apply an event.  Fails with MARGAY_NO_MEMORY. */
enum margay_status margay_data_map_follow(struct margay_data_map *map,
                                          const struct margay_data_event *event,
                                          struct margay_error *error);

/* The datum of a reference to an address by code at a site. */
uint64_t margay_data_map_find(struct margay_data_map *map, uint64_t address,
                              uint64_t site);

/* Has any event happened? */
bool margay_data_map_has_events(const struct margay_data_map *map);

struct margay_references;

/* Replace the sites of the entries from `first` on by data, while `count`
   events happen, whose `at` is an index of entries and does not descend.  Where
   the batch has no sites they are taken to be 0.  Fails with
   MARGAY_NO_MEMORY. */
enum margay_status margay_data_map_name(struct margay_data_map *map,
                                        const struct margay_data_event *events,
                                        size_t count,
                                        struct margay_references *references,
                                        size_t first,
                                        struct margay_error *error);

#endif
