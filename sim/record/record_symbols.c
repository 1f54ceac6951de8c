/*
 * record_symbols.c - facts of a program's file: the place of a function, how
 * it is linked, and marks of the recorder
 *
 * A function of C++ is also found by its name in the source.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/annotate/annotate.h"
#include "sim/record/record.h"

/* Longer ones are not found by the name in the source. */
#define LONGEST_NAME 4096
/* The functions of a name that are reported, and one more as a sign of
   others. */
#define MOST_TOLD  4
#define MOST_FOUND (MOST_TOLD + 1)

/* --------------------------------------------------- names in the source -- */

/* Where the bracket begins that ends at text[end - 1]. */
static size_t bracket_start(const char *text, size_t end, char open, char close)
{
    size_t depth = 0;
    while (end > 0) {
        end--;
        depth += text[end] == close;
        depth -= text[end] == open;
        if (depth == 0)
            break;
    }
    return end;
}

/* Are the first `end` characters the name, or the name in a class or a name
   space, or after a type? */
static bool ends_in(const char *text, size_t end, const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length > end ||
        strncmp(text + end - length, name, length) != 0)
        return false;
    size_t before = end - length;
    return before == 0 || text[before - 1] == ' ' ||
           (before > 1 && strncmp(text + before - 2, "::", 2) == 0);
}

/* A function's name in the source, also of one of its clones
   ("work.constprop.0"); false: the symbol is a piece of a function, or internal
   to the compiler, such as a thunk. */
static bool take_source_name(const char *symbol, char *text, size_t bytes)
{
    char whole[LONGEST_NAME];
    size_t length = strcspn(symbol, ".");
    if (length >= sizeof whole || strncmp(symbol, "_ZT", 3) == 0 ||
        strstr(symbol + length, ".cold") != NULL ||
        strstr(symbol + length, ".part") != NULL)
        return false;
    memcpy(whole, symbol, length);
    whole[length] = '\0';
    if (!demangle(whole, text, bytes))
        snprintf(text, bytes, "%s", whole);
    return true;
}

/* Is that a name of the function, "type space::name<types>(types) const", with
   all of it or without what stands before or after the name? */
static bool is_called(const char *symbol, const char *name)
{
    char text[LONGEST_NAME];
    if (!take_source_name(symbol, text, sizeof text))
        return false;
    size_t end = strlen(text);
    const char *last = strrchr(text, ')');
    if (ends_in(text, end, name))
        return true;
    if (last != NULL) {
        end = (size_t)(last - text) + 1;
        if (ends_in(text, end, name))
            return true;
        end = bracket_start(text, end, '(', ')');
    }
    return ends_in(text, end, name) ||
           (end > 0 && text[end - 1] == '>' &&
            ends_in(text, bracket_start(text, end, '<', '>'), name));
}

/* ------------------------------------------------------------- searching -- */

/* The functions of a name. */
struct search {
    const char *name;
    bool in_source; /* the name may be that in the source */
    struct found {
        const char *symbol; /* its name, in the file */
        struct margay_code_range range;
    } found[MOST_FOUND]; /* several names of one are one */
    size_t count;
};

static void take(void *context, const char *symbol, uint64_t address,
                 uint64_t bytes)
{
    struct search *search = context;
    if (search->count == MOST_FOUND ||
        !(search->in_source ? is_called(symbol, search->name)
                            : strcmp(symbol, search->name) == 0))
        return;
    for (size_t i = 0; i < search->count; i++) {
        if (search->found[i].range.from == address)
            return;
    }
    search->found[search->count++] =
        (struct found){symbol, {address, address + bytes}};
}

static enum margay_status fail_several(const struct search *search,
                                       const char *program,
                                       struct margay_error *error)
{
    char list[MARGAY_MESSAGE_BYTES] = "", text[LONGEST_NAME];
    for (size_t i = 0; i < search->count && i < MOST_TOLD; i++) {
        size_t length = strlen(list);
        const char *symbol = search->found[i].symbol;
        take_source_name(symbol, text, sizeof text);
        snprintf(list + length, sizeof list - length, "%s'%.120s' (%.120s)",
                 i == 0 ? "" : ", ", text, symbol);
    }
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: several functions are called '%s', expected one "
                       "of %s%s",
                       program, search->name, list,
                       search->count > MOST_TOLD ? ", ..." : "");
}

enum margay_status record_find_function(const char *program, const char *name,
                                        struct margay_code_range *range,
                                        struct margay_error *error)
{
    struct search search = {.name = name};
    struct places *places = NULL;
    *range = (struct margay_code_range){0, 0};
    enum margay_status status =
        name == NULL ? MARGAY_OK : places_open(&places, error);
    if (places == NULL)
        return status;
    uint64_t base =
        places_symbols(places, program, PLACE_FUNCTIONS, take, &search);
    search.in_source = search.count == 0;
    if (search.in_source)
        places_symbols(places, program, PLACE_FUNCTIONS, take, &search);
    if (search.count == 0)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "%s: no function '%s' among its symbols (it may "
                             "have been stripped, or the function inlined)",
                             program, name);
    else if (search.in_source && search.count > 1)
        status = fail_several(&search, program, error);
    else
        *range = (struct margay_code_range){search.found[0].range.from - base,
                                            search.found[0].range.to - base};
    places_free(places);
    return status;
}

/* ----------------------------------------------------------------- files -- */

struct file {
    const char *bytes;
    size_t count;
};

/* The file in memory, until unmap_file(); without bytes if it has none. */
static struct file map_file(const char *path)
{
    struct stat status;
    void *memory = MAP_FAILED;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 &&
        status.st_size > 0)
        memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE,
                      descriptor, 0);
    if (descriptor >= 0)
        close(descriptor);
    return memory == MAP_FAILED ? (struct file){NULL, 0}
                                : (struct file){memory, (size_t)status.st_size};
}

static void unmap_file(const struct file *file)
{
    if (file->bytes != NULL)
        munmap((void *)file->bytes, file->count);
}

bool record_file_holds(const char *path, const char *text)
{
    const struct file file = map_file(path);
    bool found = file.bytes != NULL &&
                 memmem(file.bytes, file.count, text, strlen(text)) != NULL;
    unmap_file(&file);
    return found;
}

bool record_is_static(const char *program)
{
    ElfW(Ehdr) header = {.e_phnum = 0};
    ElfW(Phdr) segment;
    const struct file file = map_file(program);
    if (file.count >= sizeof header)
        memcpy(&header, file.bytes, sizeof header);
    bool is_static = memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                     header.e_phnum > 0 && header.e_phentsize == sizeof segment;
    for (uint64_t i = 0; is_static && i < header.e_phnum; i++) {
        uint64_t at = header.e_phoff + i * sizeof segment;
        if (at > file.count || file.count - at < sizeof segment)
            break;
        memcpy(&segment, file.bytes + at, sizeof segment);
        is_static = segment.p_type != PT_INTERP;
    }
    unmap_file(&file);
    return is_static;
}
