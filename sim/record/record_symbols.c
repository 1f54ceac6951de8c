/*
 * record_symbols.c - facts of a program's file: the place of a function, how
 * it is linked, and marks of the recorder
 *
 * It reads the tables of an ELF file of this machine's word length and byte
 * order; the method that needs it runs no other program.  A function of C++ is
 * also found by its name in the source.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
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

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Phdr) elf_segment;
typedef ElfW(Shdr) elf_section;
typedef ElfW(Sym) elf_symbol;

/* A file in memory. */
struct file {
    const char *bytes;
    size_t count;
};

/* Copy element `index` of an array that begins at an offset; false if a part of
   it lies beyond the file.  It is copied because offsets may be unaligned. */
static bool copy(const struct file *file, uint64_t offset, uint64_t index,
                 void *thing, size_t bytes)
{
    uint64_t before;
    if (!margay_multiply_u64(index, bytes, &before) || offset > file->count ||
        before > file->count - offset || bytes > file->count - offset - before)
        return false;
    memcpy(thing, file->bytes + offset + before, bytes);
    return true;
}

/* The lowest loaded address; recorded addresses are relative to it. */
static bool find_base(const struct file *file, const elf_header *header,
                      uint64_t *base)
{
    elf_segment segment;
    *base = UINT64_MAX;
    for (unsigned i = 0; i < header->e_phnum && copy(file, header->e_phoff, i,
                                                     &segment, sizeof segment);
         i++) {
        if (segment.p_type == PT_LOAD && segment.p_vaddr < *base)
            *base = segment.p_vaddr;
    }
    return *base != UINT64_MAX;
}

/* NULL = it has none. */
static const char *symbol_name(const struct file *file,
                               const elf_section *names,
                               const elf_symbol *symbol)
{
    if (names->sh_offset > file->count ||
        names->sh_size > file->count - names->sh_offset ||
        symbol->st_name >= names->sh_size)
        return NULL;
    const char *name = file->bytes + names->sh_offset + symbol->st_name;
    return memchr(name, '\0', names->sh_size - symbol->st_name) == NULL ? NULL
                                                                        : name;
}

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

static void take(struct search *search, const char *symbol_name,
                 const elf_symbol *symbol)
{
    if (search->count == MOST_FOUND || symbol_name == NULL ||
        !(search->in_source ? is_called(symbol_name, search->name)
                            : strcmp(symbol_name, search->name) == 0))
        return;
    for (size_t i = 0; i < search->count; i++) {
        if (search->found[i].range.from == symbol->st_value)
            return;
    }
    search->found[search->count++] = (struct found){
        symbol_name, {symbol->st_value, symbol->st_value + symbol->st_size}};
}

/* Search all sections of symbols. */
static void search_all(const struct file *file, const elf_header *header,
                       struct search *search)
{
    elf_section table, names;
    elf_symbol symbol;
    for (unsigned i = 0; i < header->e_shnum &&
                         copy(file, header->e_shoff, i, &table, sizeof table);
         i++) {
        if ((table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) ||
            table.sh_link >= header->e_shnum ||
            !copy(file, header->e_shoff, table.sh_link, &names, sizeof names))
            continue;
        for (uint64_t k = 0;
             k < table.sh_size / sizeof symbol &&
             copy(file, table.sh_offset, k, &symbol, sizeof symbol);
             k++) {
            if ((symbol.st_info & 15) == STT_FUNC && symbol.st_value != 0 &&
                symbol.st_size != 0)
                take(search, symbol_name(file, &names, &symbol), &symbol);
        }
    }
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

/* The header of an ELF file; false: it is none. */
static bool read_header(const struct file *file, elf_header *header)
{
    return copy(file, 0, 0, header, sizeof *header) &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_phentsize == sizeof(elf_segment);
}

static enum margay_status find(const struct file *file, const char *program,
                               const char *name,
                               struct margay_code_range *range,
                               struct margay_error *error)
{
    struct search search = {.name = name};
    elf_header header;
    uint64_t base = 0;
    if (read_header(file, &header) &&
        header.e_shentsize == sizeof(elf_section) &&
        find_base(file, &header, &base)) {
        search_all(file, &header, &search);
        search.in_source = search.count == 0;
        if (search.in_source)
            search_all(file, &header, &search);
    }
    if (search.count == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: no function '%s' among its symbols (it may "
                           "have been stripped, or the function inlined)",
                           program, name);
    if (search.in_source && search.count > 1)
        return fail_several(&search, program, error);
    *range = search.found[0].range;
    range->from -= base;
    range->to -= base;
    return MARGAY_OK;
}

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
    elf_header header;
    elf_segment segment;
    const struct file file = map_file(program);
    bool is_static = read_header(&file, &header) && header.e_phnum > 0;
    for (unsigned i = 0;
         is_static && i < header.e_phnum &&
         copy(&file, header.e_phoff, i, &segment, sizeof segment);
         i++)
        is_static = segment.p_type != PT_INTERP;
    unmap_file(&file);
    return is_static;
}

enum margay_status record_find_function(const char *program, const char *name,
                                        struct margay_code_range *range,
                                        struct margay_error *error)
{
    *range = (struct margay_code_range){0, 0};
    if (name == NULL)
        return MARGAY_OK;
    const struct file file = map_file(program);
    enum margay_status found = find(&file, program, name, range, error);
    unmap_file(&file);
    return found;
}
