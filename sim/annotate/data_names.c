/* data_names.c - what the data of a recorded program are called */
#define _GNU_SOURCE
#include "sim/annotate/data_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/annotate/sites.h"
#include "sim/annotate/variables.h"
#include "stackdist/stackdist_internal.h"
#include "traces/traces_internal.h"

#define MOST_NUMBERS (UINT32_C(1) << 24)

/* Data with one name. */
struct named {
    uint64_t datum;                  /* the first one */
    const struct variable *variable; /* NULL = none that has a name */
};

struct data_names {
    struct places *places;
    const margay_trace *trace;
    const char *program;
    bool knows_files; /* the trace has named its files before its end */
    struct variables *variables[MARGAY_MOST_MODULES]; /* NULL = not yet read */
    struct margay_hash numbers;                       /* by datum: 1 + it */
    struct named *list;                               /* by number */
    size_t count, capacity;
    /* The last variable that was found. */
    const struct variable *last;
    uint64_t last_module;
    bool no_memory;
};

enum margay_status data_names_create(struct places *places,
                                     const margay_trace *trace,
                                     const char *program,
                                     struct data_names **names,
                                     struct margay_error *error)
{
    *names = calloc(1, sizeof **names);
    if (*names == NULL)
        return margay_fail_memory(error, "the names of data");
    (*names)->places = places;
    (*names)->trace = trace;
    (*names)->program = program;
    uint64_t references;
    (*names)->knows_files = margay_trace_known_references(trace, &references);
    return margay_hash_create(&(*names)->numbers, 64, error);
}

void data_names_free(struct data_names *names)
{
    if (names == NULL)
        return;
    for (size_t i = 0; i < MARGAY_MOST_MODULES; i++)
        variables_free(names->variables[i]);
    margay_hash_destroy(&names->numbers);
    free(names->list);
    free(names);
}

enum margay_status data_names_check(const struct data_names *names,
                                    struct margay_error *error)
{
    return names->no_memory ? margay_fail_memory(error, "the names of data")
                            : MARGAY_OK;
}

/* -------------------------------------------------------------- numbers -- */

static const struct variable *find_variable(struct data_names *names,
                                            uint64_t module, uint64_t address)
{
    const struct variable *last = names->last;
    if (last != NULL && names->last_module == module &&
        address - last->from < last->bytes)
        return last;
    const char *path = names->knows_files
                           ? places_path(names->trace, names->program, module)
                       : module == 0 ? names->program
                                     : NULL;
    if (path == NULL)
        return NULL;
    if (names->variables[module] == NULL &&
        variables_read(names->places, path, &names->variables[module], NULL) !=
            MARGAY_OK) {
        names->no_memory = true;
        return NULL;
    }
    names->last_module = module;
    return names->last = variables_at(names->variables[module], address);
}

/* All data of a variable are that with its first address, and those without a
   name that with the first address of their file. */
static uint64_t first_datum(struct data_names *names, uint64_t datum,
                            const struct variable **variable)
{
    const uint64_t address_mask = (UINT64_C(1) << MARGAY_SITE_MODULE_SHIFT) - 1;
    *variable = NULL;
    if (datum >> MARGAY_DATUM_SHIFT != MARGAY_DATA_VARIABLE)
        return datum;
    *variable = find_variable(names, datum >> MARGAY_SITE_MODULE_SHIFT & 0xff,
                              datum & address_mask);
    return (datum & ~address_mask) +
           (*variable == NULL ? 0 : (*variable)->from);
}

uint32_t data_names_number(struct data_names *names, uint64_t datum)
{
    const struct variable *variable;
    const uint64_t first = first_datum(names, datum, &variable);
    if (margay_hash_reserve(&names->numbers, 1, NULL) != MARGAY_OK) {
        names->no_memory = true;
        return 0;
    }
    uint32_t *entry = margay_hash_insert(&names->numbers, first);
    if (*entry != 0)
        return *entry - 1;
    *entry = 1; /* even if the next call fails, the table stays in order */
    struct named *list = names->count == MOST_NUMBERS
                             ? NULL
                             : margay_grow(names->list, names->count,
                                           &names->capacity, sizeof *list);
    names->no_memory = names->no_memory || list == NULL;
    if (list == NULL)
        return 0;
    names->list = list;
    list[names->count++] = (struct named){first, variable};
    *entry = (uint32_t)names->count;
    return *entry - 1;
}

/* ---------------------------------------------------------------- names -- */

static void find_variables_place(const struct data_names *names,
                                 const struct named *named, struct place *place)
{
    const struct variable *variable = named->variable;
    const char *path =
        places_path(names->trace, names->program,
                    named->datum >> MARGAY_SITE_MODULE_SHIFT & 0xff);
    const char *name = path == NULL ? NULL : strrchr(path, '/');
    *place->file = '\0';
    place->line = 0;
    if (variable == NULL) {
        snprintf(place->function, sizeof place->function, "data of %s",
                 path == NULL   ? "a file"
                 : name == NULL ? path
                                : name + 1);
        return;
    }
    snprintf(place->function, sizeof place->function, "%s", variable->name);
    if (variable->file != NULL)
        snprintf(place->file, sizeof place->file, "%s", variable->file);
    place->line = variable->line;
}

void data_names_find(struct data_names *names, uint64_t number,
                     struct place *place)
{
    static const char *const prefixes[MARGAY_DATA_KINDS] = {
        [MARGAY_DATA_UNKNOWN] = "other of ",
        [MARGAY_DATA_ALLOCATED] = "heap of ",
        [MARGAY_DATA_STACK] = "stack of ",
    };
    const struct named *named = &names->list[number];
    const uint64_t data = named->datum >> MARGAY_DATUM_SHIFT;
    char function[PLACE_FUNCTION_BYTES];
    if (data == MARGAY_DATA_VARIABLE) {
        find_variables_place(names, named, place);
        return;
    }
    places_find_site(names->places, names->trace, names->program,
                     margay_datum(0, named->datum), place);
    strcpy(function, place->function);
    snprintf(place->function, sizeof place->function, "%s%.*s", prefixes[data],
             (int)(sizeof function - 16), function);
    if (data != MARGAY_DATA_ALLOCATED) {
        *place->file = '\0';
        place->line = 0;
    }
}
