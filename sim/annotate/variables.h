/*
 * variables.h - from an address in a program's data to the variable there
 *
 * The debug information of a program or a library says which variables it has,
 * with their sizes and declarations, also those of functions (static); where it
 * is missing, symbols name them.
 */
#ifndef MARGAY_SIM_ANNOTATE_VARIABLES_H
#define MARGAY_SIM_ANNOTATE_VARIABLES_H

#include <stdint.h>

#include "sim/annotate/places.h"

/* A variable; [from, from + bytes) are addresses as they stand in the file. */
struct variable {
    uint64_t from, bytes;
    char *name; /* "table", "function::counter" */
    char *file; /* of the declaration; NULL = unknown */
    unsigned line;
};

/* The variables of one file. */
struct variables;

/* Read the variables of a file; one that cannot be read has none, and
   places_unread() finds it.  Fails with MARGAY_NO_MEMORY.  The caller owns
   *variables. */
enum margay_status variables_read(struct places *places, const char *path,
                                  struct variables **variables,
                                  struct margay_error *error);

/* The variable at an address; NULL = there is none. */
const struct variable *variables_at(const struct variables *variables,
                                    uint64_t address);

/* NULL is fine. */
void variables_free(struct variables *variables);

#endif
