/* regions.h - named ranges of addresses, from a table */
#ifndef MARGAY_SIM_REGIONS_H
#define MARGAY_SIM_REGIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <margay/status.h>

#define REGIONS_COLUMNS "name,from,to"

/* The name of what lies in no region. */
#define REGIONS_OTHER "other"

struct regions;

/*
 * Read the table ("-": standard input): addresses are decimal, or hexadecimal
 * with 0x, ranges half-open, and a name may have several.  Regions must not
 * overlap.  MARGAY_BAD_INPUT says in which line they do, or what else is
 * wrong.  The caller owns *regions.
 */
enum margay_status regions_read(const char *path, struct regions **regions,
                                struct margay_error *error);

/* The same, of a file that is open; `name` is what messages call it. */
enum margay_status regions_read_stream(FILE *file, const char *name,
                                       struct regions **regions,
                                       struct margay_error *error);

/* How many names there are, REGIONS_OTHER among them. */
size_t regions_count(const struct regions *regions);

/* A name by its number, in the order of the table. */
const char *regions_name(const struct regions *regions, size_t number);

/* The number of the region that holds an address. */
size_t regions_find(struct regions *regions, uint64_t address);

/* NULL is fine. */
void regions_free(struct regions *regions);

#endif
