/* places.c - from an address in a program to the line of its source */
#define _GNU_SOURCE
#include "sim/annotate/annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef MARGAY_HAS_LIBDW
#include <dwarf.h>
#include <elfutils/version.h>
#else
typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwarf_Die Dwarf_Die;
#endif

#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* "Itanium C++ ABI", section 3.4, defines it; both libraries of C++ have it. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *bytes,
                            int *status);

bool demangle(const char *name, char *text, size_t bytes)
{
    static struct margay_late libraries[] = {
        {.file = "libstdc++.so.6", .newest = "__cxa_demangle"},
        {.file = "libc++abi.so.1", .newest = "__cxa_demangle"}};
    int status = -1;
    if (strncmp(name, "_Z", 2) != 0)
        return false;
    struct margay_late *library = &libraries[!margay_late_open(libraries)];
    if (!margay_late_open(library))
        return false;
    char *made =
        MARGAY_LATE(library, __cxa_demangle)(name, NULL, NULL, &status);
    if (made != NULL)
        snprintf(text, bytes, "%s", made);
    free(made);
    return made != NULL;
}

/* A file of code. */
struct file {
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL: it cannot be read, */
    const char *why;     /* for this reason */
    struct timespec changed;
    uint64_t bias;   /* an address of libdwfl, less that in the file */
    Dwarf_Die *unit; /* in which the last address was; NULL = none */
    uint64_t unit_bias;
};

struct places {
    struct file *files;
    size_t count, capacity;
    size_t last; /* looked up */
    bool no_memory;
};

enum margay_status places_check(const struct places *places,
                                struct margay_error *error)
{
    return places->no_memory ? margay_fail_memory(error, "lines of sources")
                             : MARGAY_OK;
}

void places_tell_unread(const struct places *places)
{
    size_t i = 0;
    while (i < places->count && places->files[i].module != NULL)
        i++;
    if (i < places->count)
        message_keep("%s: no lines of it: %s", places->files[i].path,
                     places->files[i].why);
}

const char *places_changed_since(const struct places *places,
                                 const struct timespec *time)
{
    for (size_t i = 0; i < places->count; i++) {
        const struct file *file = &places->files[i];
        const struct timespec *changed = &file->changed;
        if (file->module != NULL && (changed->tv_sec != time->tv_sec
                                         ? changed->tv_sec > time->tv_sec
                                         : changed->tv_nsec > time->tv_nsec))
            return file->path;
    }
    return NULL;
}

#ifdef MARGAY_HAS_LIBDW

#define TEXT(number)  #number
#define VALUE(number) TEXT(number)

struct margay_late places_libdw = {
    .file = "libdw.so.1", .newest = "dwarf_cu_info", .package = "libdw1"};

const char *places_library_version(void)
{
    return margay_late_open(&places_libdw) ? "0." VALUE(_ELFUTILS_VERSION)
                                           : NULL;
}

enum margay_status places_open(struct places **places,
                               struct margay_error *error)
{
    if (!margay_late_open(&places_libdw)) {
        *places = NULL;
        return margay_late_fail(&places_libdw, NULL, "finds",
                                "lines and functions", error);
    }
    *places = calloc(1, sizeof **places);
    return *places == NULL ? margay_fail_memory(error, "lines of sources")
                           : MARGAY_OK;
}

void places_free(struct places *places)
{
    if (places == NULL)
        return;
    for (size_t i = 0; i < places->count; i++) {
        DWFL(end)(places->files[i].dwfl);
        free(places->files[i].path);
    }
    free(places->files);
    free(places);
}

/* ---------------------------------------------------------------- files -- */

/* Where libdw has no memory, it can do nothing but end the process. */
static __attribute__((noreturn)) void end_without_memory(void)
{
    message_print("not enough memory for lines of sources");
    exit(EXIT_TROUBLE);
}

/* A trace may name any file: one that is none, such as a FIFO, is not
   opened. */
static void read_file(struct file *file)
{
    static Dwfl_Callbacks callbacks;
    callbacks = (Dwfl_Callbacks){
        .find_elf = DWFL(build_id_find_elf),
        .find_debuginfo = DWFL(standard_find_debuginfo),
        .section_address = DWFL(offline_section_address),
    };
    struct stat status;
    Dwarf_Addr bias;
    file->why = "it is no regular file that can be read";
    if (stat(file->path, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    file->changed = status.st_mtim;
    file->dwfl = DWFL(begin)(&callbacks);
    Dwfl_Module *module =
        file->dwfl == NULL
            ? NULL
            : DWFL(report_offline)(file->dwfl, file->path, file->path, -1);
    if (module == NULL || DWFL(report_end)(file->dwfl, NULL, NULL) != 0 ||
        DWFL(module_getelf)(module, &file->bias) == NULL)
        file->why = DWFL(errmsg)(-1);
    else
        file->module = module;
    Dwarf *debug = file->module == NULL
                       ? NULL
                       : DWFL(module_getdwarf)(file->module, &bias);
    if (debug != NULL)
        DWARF(new_oom_handler)(debug, end_without_memory);
}

void places_begin(void)
{
    errno = 0;
}

void places_end(struct places *places)
{
    places->no_memory = places->no_memory || errno == ENOMEM;
}

/* The file of that path; NULL = there is no memory. */
static struct file *file_of(struct places *places, const char *path)
{
    for (size_t i = 0; i < places->count; i++) {
        size_t at = (places->last + i) % places->count;
        if (strcmp(places->files[at].path, path) == 0)
            return &places->files[places->last = at];
    }
    char *copy = strdup(path);
    if (copy == NULL ||
        !MARGAY_MAKE_ROOM(places->files, places->count, 1, places->capacity)) {
        free(copy);
        places->no_memory = true;
        return NULL;
    }
    places->last = places->count++;
    struct file *file = &places->files[places->last];
    *file = (struct file){.path = copy};
    places_begin();
    read_file(file);
    places_end(places);
    return file;
}

Dwfl_Module *places_module(struct places *places, const char *path,
                           uint64_t *bias)
{
    struct file *file = file_of(places, path);
    *bias = file == NULL ? 0 : file->bias;
    return file == NULL ? NULL : file->module;
}

uint64_t places_symbols(struct places *places, const char *path,
                        enum place_symbols which,
                        void (*take)(void *context, const char *name,
                                     uint64_t address, uint64_t bytes),
                        void *context)
{
    struct file *file = file_of(places, path);
    if (file == NULL || file->module == NULL)
        return 0;
    GElf_Addr address, lowest = file->bias;
    places_begin();
    int count = DWFL(module_getsymtab)(file->module);
    DWFL(module_info)
    (file->module, NULL, &lowest, NULL, NULL, NULL, NULL, NULL);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        const char *name = DWFL(module_getsym_info)(file->module, i, &symbol,
                                                    &address, NULL, NULL, NULL);
        if (name != NULL && symbol.st_shndx != SHN_UNDEF &&
            symbol.st_size != 0 &&
            GELF_ST_TYPE(symbol.st_info) ==
                (which == PLACE_FUNCTIONS ? STT_FUNC : STT_OBJECT))
            take(context, name, address - file->bias, symbol.st_size);
    }
    places_end(places);
    return lowest - file->bias;
}

/* ---------------------------------------------------------------- lines -- */

static bool holds(const struct file *file, Dwarf_Addr address)
{
    return file->unit != NULL &&
           DWARF(haspc)(file->unit, address - file->unit_bias) > 0;
}

/* Find the compilation unit of an address of libdwfl.  Not every compiler
   writes the table by which libdwfl finds units, which then finds another one,
   or none; then all units are gone through. */
static bool find_unit(struct file *file, Dwarf_Addr address)
{
    if (holds(file, address))
        return true;
    file->unit = DWFL(module_addrdie)(file->module, address, &file->unit_bias);
    if (holds(file, address))
        return true;
    file->unit = NULL;
    do {
        file->unit =
            DWFL(module_nextcu)(file->module, file->unit, &file->unit_bias);
    } while (file->unit != NULL && !holds(file, address));
    return file->unit != NULL;
}

void places_put_source(Dwarf_Die *unit, const char *source, char *path)
{
    Dwarf_Attribute attribute;
    const char *directory =
        source[0] == '/'
            ? NULL
            : DWARF(formstring)(DWARF(attr)(unit, DW_AT_comp_dir, &attribute));
    snprintf(path, PLACE_FILE_BYTES, "%s%s%s",
             directory == NULL ? "" : directory, directory == NULL ? "" : "/",
             source);
}

static void take_line(const struct file *file, Dwarf_Addr address,
                      struct place *place)
{
    int number = 0;
    Dwarf_Line *line = DWARF(getsrc_die)(file->unit, address - file->unit_bias);
    const char *source = line == NULL ? NULL : DWARF(linesrc)(line, NULL, NULL);
    if (source == NULL)
        return;
    places_put_source(file->unit, source, place->file);
    if (DWARF(lineno)(line, &number) == 0 && number > 0)
        place->line = (unsigned)number;
}

/* Write a function's name as it stands in the source. */
static void put_function(const char *name, struct place *place)
{
    if (name != NULL &&
        !demangle(name, place->function, sizeof place->function))
        snprintf(place->function, sizeof place->function, "%s", name);
}

Dwarf_Die places_whole_unit(Dwarf_Die *unit)
{
    Dwarf_Die split;
    uint8_t type = 0;
    memset(&split, 0, sizeof split);
    return DWARF(cu_info)(unit->cu, NULL, &type, NULL, &split, NULL, NULL,
                          NULL) == 0 &&
                   type == DW_UT_skeleton && split.cu != NULL
               ? split
               : *unit;
}

static const char *symbol_at(const struct file *file, Dwarf_Addr address)
{
    GElf_Off offset;
    GElf_Sym symbol;
    return DWFL(module_addrinfo)(file->module, address, &offset, &symbol, NULL,
                                 NULL, NULL);
}

static bool is_mangled(const char *name)
{
    return name != NULL && strncmp(name, "_Z", 2) == 0;
}

/* The linker's name, if that is one of C++, which has more.  For functions that
   other files do not see, gcc leaves it to the symbols. */
static const char *name_of(const struct file *file, Dwarf_Addr address,
                           Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    const char *name = DWARF(formstring)(
        DWARF(attr_integrate)(function, DW_AT_linkage_name, &attribute));
    if (!is_mangled(name) && DWARF(tag)(function) == DW_TAG_subprogram)
        name = symbol_at(file, address);
    return is_mangled(name) ? name : DWARF(diename)(function);
}

static void take_function(const struct file *file, Dwarf_Addr address,
                          struct place *place)
{
    Dwarf_Die unit = places_whole_unit(file->unit), *scopes = NULL;
    int count = DWARF(getscopes)(&unit, address - file->unit_bias, &scopes);
    const char *name = NULL;
    for (int i = 0; i < count && name == NULL; i++) {
        int tag = DWARF(tag)(&scopes[i]);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
            name = name_of(file, address, &scopes[i]);
    }
    put_function(name, place);
    free(scopes);
}

/* Find an address as it stands in the file of that path; NULL = unknown. */
static void places_find(struct places *places, const char *path,
                        uint64_t address, struct place *place)
{
    places_begin();
    struct file *file = path == NULL ? NULL : file_of(places, path);
    *place->file = *place->function = '\0';
    place->line = 0;
    if (file != NULL && file->module != NULL) {
        if (find_unit(file, address + file->bias)) {
            take_line(file, address + file->bias, place);
            take_function(file, address + file->bias, place);
        }
        if (*place->function == '\0')
            put_function(symbol_at(file, address + file->bias), place);
    }
    places_end(places);
    if (*place->function != '\0')
        return;
    snprintf(place->function, sizeof place->function, "%s%s0x%" PRIx64,
             path == NULL ? "" : basename(path), path == NULL ? "" : "+",
             address);
}

#else /* without libdw */

const char *places_library_version(void)
{
    return NULL;
}

enum margay_status places_open(struct places **places,
                               struct margay_error *error)
{
    *places = NULL;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "this margay was built without elfutils' libdw, which "
                       "finds lines and functions (Debian: libdw-dev; then "
                       "build it again)");
}

static void places_find(struct places *places, const char *path,
                        uint64_t address, struct place *place)
{
    (void)places, (void)path, (void)address, (void)place;
}

uint64_t places_symbols(struct places *places, const char *path,
                        enum place_symbols which,
                        void (*take)(void *context, const char *name,
                                     uint64_t address, uint64_t bytes),
                        void *context)
{
    (void)places, (void)path, (void)which, (void)take, (void)context;
    return 0;
}

void places_free(struct places *places)
{
    (void)places;
}

#endif

/* --------------------------------------------------------------- sites -- */

const char *places_path(const margay_trace *trace, const char *program,
                        uint64_t module)
{
    if (module == 0 && program != NULL)
        return program;
    return module < MARGAY_MOST_MODULES
               ? margay_trace_module(trace, (unsigned)module)
               : NULL;
}

/* Of a trace that names no modules, as the formats of other tools, a site may
   be any address in memory. */
void places_find_site(struct places *places, const margay_trace *trace,
                      const char *program, uint64_t site, struct place *place)
{
    const uint64_t number = site >> MARGAY_SITE_MODULE_SHIFT;
    const char *path = places_path(trace, program, number);
    if (path != NULL || number == MARGAY_MOST_MODULES)
        site -= number << MARGAY_SITE_MODULE_SHIFT;
    places_find(places, path, site, place);
}
