/*
 * record_symbols.c - facts of a program's file: the place of a function, and
 * marks of the recorder
 *
 * A function of C++ is also found by its name in the source.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
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
    if (*name == '\0' || !take_source_name(symbol, text, sizeof text))
        return false;
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        const char *after = at + strlen(name);
        /* Go past the types in brackets. */
        for (int depth = 0; *after != '\0'; after++) {
            depth += *after == '<';
            if (depth == 0)
                break;
            depth -= *after == '>';
        }
        bool begins = at == text || at[-1] == ' ' ||
                      (at - text > 1 && strncmp(at - 2, "::", 2) == 0);
        if (begins &&
            (*after == '\0' || *after == '(' || strcmp(after, " const") == 0))
            return true;
    }
    return false;
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
    if (name != NULL && access(program, R_OK) != 0)
        return margay_fail(error, MARGAY_IO, "%s: cannot be opened: %s",
                           program, strerror(errno));
    enum margay_status status =
        name == NULL ? MARGAY_OK : places_open(&places, error);
    if (places == NULL)
        return status;
    uint64_t base =
        places_symbols(places, program, PLACE_FUNCTIONS, take, &search);
    search.in_source = search.count == 0;
    if (search.in_source)
        places_symbols(places, program, PLACE_FUNCTIONS, take, &search);
    status = places_check(places, error);
    if (status == MARGAY_OK && search.count == 0)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "%s: no function '%s' among its symbols (it may "
                             "have been stripped, or the function inlined)",
                             program, name);
    else if (status == MARGAY_OK && search.in_source && search.count > 1)
        status = fail_several(&search, program, error);
    else if (status == MARGAY_OK)
        *range = (struct margay_code_range){search.found[0].range.from - base,
                                            search.found[0].range.to - base};
    places_free(places);
    return status;
}

/* ----------------------------------------------------------------- files -- */

/* The mark stands here in two parts, so that this program does not hold it. */
bool record_carries(const char *program, const char *part)
{
    static const char begin[] = "margay-capt";
    char mark[64];
    struct stat status;
    void *bytes = MAP_FAILED;
    bool found = false;
    snprintf(mark, sizeof mark, "%sure-%s", begin, part);
    int file = open(program, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0)
        bytes =
            mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) {
        found =
            memmem(bytes, (size_t)status.st_size, mark, strlen(mark)) != NULL;
        munmap(bytes, (size_t)status.st_size);
    }
    if (file >= 0)
        close(file);
    return found;
}

bool record_is_built(const char *program)
{
    return record_carries(program, "runtime");
}
