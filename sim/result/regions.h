/* regions.h - named ranges of addresses, from a table */
#ifndef MARGAY_SIM_RESULT_REGIONS_H
#define MARGAY_SIM_RESULT_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

#define REGIONS_COLUMNS "name,from,to"

/* The name of the addresses in no region. */
#define REGIONS_OTHER "other"

struct regions;

/* Read the table ("-": standard input).  Addresses are decimal, or hexadecimal
   with 0x; ranges are half-open, must not overlap, and several may have the
   same name.  MARGAY_BAD_INPUT names the faulty line.  The caller owns
   *regions. */
enum margay_status regions_read(const char *path, struct regions **regions,
                                struct margay_error *error);

/* A name by its number, in the order of the table. */
const char *regions_name(const struct regions *regions, size_t number);

/* The number of the region that holds an address. */
size_t regions_find(struct regions *regions, uint64_t address);

/* NULL is fine. */
void regions_free(struct regions *regions);

#endif
