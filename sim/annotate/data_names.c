/*
 * data_names.c - the names of the data of a recorded program
 *
 * The debug information of a program or a library says which variables it has,
 * with their sizes and declarations, also those of functions (static); where it
 * is missing, symbols name them.
 */
#define _GNU_SOURCE
#include "sim/annotate/annotate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/stackdist_internal.h"

/* ----------------------------------------------------------- variables -- */

/* A variable; [from, from + bytes) are addresses as they stand in the file. */
struct variable {
    uint64_t from, bytes;
    char *name; /* "table", "function::counter" */
    char *file; /* of the declaration; NULL = unknown */
    unsigned line;
};

/* The variables of one file. */
struct variables {
    struct variable *list; /* by address */
    size_t count, capacity;
    bool no_memory;
};

#ifdef MARGAY_HAS_LIBDW

#include <dwarf.h>
#include <elfutils/libdwfl.h>

static void add(struct variables *variables, const struct variable *variable)
{
    char *name = strdup(variable->name);
    char *file = variable->file == NULL ? NULL : strdup(variable->file);
    if (name == NULL || (variable->file != NULL && file == NULL) ||
        !MARGAY_MAKE_ROOM(variables->list, variables->count, 1,
                          variables->capacity)) {
        free(name);
        free(file);
        variables->no_memory = true;
        return;
    }
    struct variable *added = &variables->list[variables->count++];
    *added = *variable;
    added->name = name;
    added->file = file;
}

static void add_symbol(void *variables, const char *name, uint64_t address,
                       uint64_t bytes)
{
    char text[PLACE_FUNCTION_BYTES];
    const struct variable variable = {
        .from = address,
        .bytes = bytes,
        .name = demangle(name, text, sizeof text) ? text : (char *)name,
    };
    add(variables, &variable);
}

/* ----------------------------------------------------- debug information -- */

/* The state of a walk through a unit. */
struct walk {
    struct variables *variables;
    Dwarf_Die unit;
    GElf_Addr shift; /* of an address there to one in the file */
};

/* The address of a variable that has one for the whole time; false: it has
   none. */
static bool address_of(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute location, operand;
    Dwarf_Op *operations;
    Dwarf_Addr found;
    size_t count;
    if (DWARF(attr)(die, DW_AT_location, &location) == NULL ||
        DWARF(getlocation)(&location, &operations, &count) != 0 || count != 1)
        return false;
    *address = operations[0].number;
    if (operations[0].atom == DW_OP_addr)
        return true;
    if (DWARF(getlocation_attr)(&location, operations, &operand) != 0 ||
        DWARF(formaddr)(&operand, &found) != 0)
        return false;
    *address = found;
    return true;
}

/* The name in C++, or that of the function and the variable. */
static void put_name(Dwarf_Die *die, const char *function, char *text,
                     size_t bytes)
{
    Dwarf_Attribute attribute;
    const char *linked = DWARF(formstring)(
        DWARF(attr_integrate)(die, DW_AT_linkage_name, &attribute));
    const char *name =
        DWARF(formstring)(DWARF(attr_integrate)(die, DW_AT_name, &attribute));
    if (linked != NULL && demangle(linked, text, bytes))
        return;
    snprintf(text, bytes, "%s%s%s", function == NULL ? "" : function,
             function == NULL ? "" : "::", name == NULL ? "" : name);
}

/* The file of the declaration; NULL = unknown.  From DWARF 5 on the first file
   of a unit has the number 0, which libdw takes for none. */
static const char *source_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    Dwarf_Files *files;
    Dwarf_Word number = 0;
    Dwarf_Half version = 0;
    size_t count = 0;
    const char *source = DWARF(decl_file)(die);
    if (source != NULL ||
        DWARF(formudata)(
            DWARF(attr_integrate)(die, DW_AT_decl_file, &attribute), &number) !=
            0 ||
        DWARF(cu_info)(attribute.cu, &version, NULL, &unit, NULL, NULL, NULL,
                       NULL) != 0 ||
        version < 5 || DWARF(getsrcfiles)(&unit, &files, &count) != 0 ||
        number >= count)
        return source;
    return DWARF(filesrc)(files, number, NULL, NULL);
}

static void add_variable(const struct walk *walk, Dwarf_Die *die,
                         const char *function)
{
    char name[PLACE_FUNCTION_BYTES], file[PLACE_FILE_BYTES];
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Word bytes = 0, line = 0;
    struct variable variable = {.name = name};
    if (!address_of(die, &variable.from) ||
        DWARF(attr_integrate)(die, DW_AT_type, &attribute) == NULL ||
        DWARF(formref_die)(&attribute, &type) == NULL ||
        DWARF(aggregate_size)(&type, &bytes) != 0 || bytes == 0)
        return;
    variable.bytes = bytes;
    variable.from += walk->shift;
    put_name(die, function, name, sizeof name);
    const char *source = source_of(die);
    if (DWARF(formudata)(
            DWARF(attr_integrate)(die, DW_AT_decl_line, &attribute), &line) ==
        0)
        variable.line = (unsigned)line;
    if (source != NULL) {
        Dwarf_Die unit = walk->unit;
        places_put_source(&unit, source, file);
        variable.file = file;
    }
    if (*name != '\0')
        add(walk->variables, &variable);
}

/* Variables may be in name spaces and in blocks of functions; a damaged file
   may nest these without end. */
#define MOST_DEPTH 64

static void walk_children(const struct walk *walk, Dwarf_Die *parent,
                          const char *function, unsigned depth)
{
    Dwarf_Die die;
    if (depth == MOST_DEPTH || DWARF(child)(parent, &die) != 0)
        return;
    do {
        switch (DWARF(tag)(&die)) {
        case DW_TAG_variable:
            add_variable(walk, &die, function);
            break;
        case DW_TAG_subprogram:
            walk_children(walk, &die, DWARF(diename)(&die), depth + 1);
            break;
        case DW_TAG_namespace:
        case DW_TAG_lexical_block:
            walk_children(walk, &die, function, depth + 1);
            break;
        default:
            break;
        }
    } while (DWARF(siblingof)(&die, &die) == 0);
}

/* --------------------------------------------------------------- reading -- */

static int by_address(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;
    int order = (x->from > y->from) - (x->from < y->from);
    return order != 0 ? order : (y->file != NULL) - (x->file != NULL);
}

/* Of several at an address keep the one whose declaration is known, which
   comes first. */
static void drop_doubles(struct variables *variables)
{
    size_t kept = 0;
    struct variable *list = variables->list;
    if (variables->count > 1)
        qsort(list, variables->count, sizeof *list, by_address);
    for (size_t i = 0; i < variables->count; i++) {
        if (kept > 0 && list[kept - 1].from == list[i].from) {
            free(list[i].name);
            free(list[i].file);
        } else {
            list[kept++] = list[i];
        }
    }
    variables->count = kept;
}

static void read_variables(struct places *places, const char *path,
                           struct variables *variables)
{
    uint64_t bias;
    Dwarf_Addr unit_bias;
    Dwarf_Die *unit = NULL;
    places_begin();
    Dwfl_Module *module = places_module(places, path, &bias);
    if (module != NULL) {
        places_symbols(places, path, PLACE_VARIABLES, add_symbol, variables);
        while ((unit = DWFL(module_nextcu)(module, unit, &unit_bias)) != NULL) {
            Dwarf_Die whole = places_whole_unit(unit);
            const struct walk walk = {variables, *unit, unit_bias - bias};
            walk_children(&walk, &whole, NULL, 0);
        }
        drop_doubles(variables);
    }
    places_end(places);
}

#else /* without libdw */

static void read_variables(struct places *places, const char *path,
                           struct variables *variables)
{
    (void)places, (void)path, (void)variables;
}

#endif

/* ---------------------------------------------------------------- data -- */

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
    bool late[MARGAY_MOST_MODULES]; /* variables of it came before its name */
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
    (*names)->knows_files = margay_trace_facts(trace)->knows_references;
    return margay_hash_create(&(*names)->numbers, 64, error);
}

void data_names_free(struct data_names *names)
{
    if (names == NULL)
        return;
    for (size_t i = 0; i < MARGAY_MOST_MODULES; i++) {
        struct variables *variables = names->variables[i];
        for (size_t k = 0; variables != NULL && k < variables->count; k++) {
            free(variables->list[k].name);
            free(variables->list[k].file);
        }
        free(variables == NULL ? NULL : variables->list);
        free(variables);
    }
    margay_hash_destroy(&names->numbers);
    free(names->list);
    free(names);
}

enum margay_status data_names_check(const struct data_names *names,
                                    const char *trace,
                                    struct margay_error *error)
{
    for (unsigned i = 0; i < MARGAY_MOST_MODULES; i++) {
        if (names->late[i] && margay_trace_module(names->trace, i) != NULL)
            return margay_fail(error, MARGAY_BAD_INPUT,
                               "%s: --data: a pipe or a compressed file names "
                               "the files of variables, such as %s, too late: "
                               "expected a plain file",
                               trace, margay_trace_module(names->trace, i));
    }
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
    if (path == NULL) {
        if (module < MARGAY_MOST_MODULES)
            names->late[module] = !names->knows_files;
        return NULL;
    }
    if (names->variables[module] == NULL &&
        (names->variables[module] = calloc(1, sizeof **names->variables)) !=
            NULL)
        read_variables(names->places, path, names->variables[module]);
    if (names->variables[module] == NULL ||
        names->variables[module]->no_memory) {
        names->no_memory = true;
        return NULL;
    }
    const struct variable *list = names->variables[module]->list;
    size_t end = MARGAY_BISECT(i, names->variables[module]->count,
                               list[i].from <= address);
    bool found = end > 0 && address - list[end - 1].from < list[end - 1].bytes;
    names->last_module = module;
    return names->last = found ? &list[end - 1] : NULL;
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
    if (names->count == MOST_NUMBERS ||
        !MARGAY_MAKE_ROOM(names->list, names->count, 1, names->capacity)) {
        names->no_memory = true;
        return 0;
    }
    names->list[names->count++] = (struct named){first, variable};
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
    *place->file = '\0';
    place->line = 0;
    if (variable == NULL) {
        snprintf(place->function, sizeof place->function, "data of %s",
                 path == NULL ? "a file" : basename(path));
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
