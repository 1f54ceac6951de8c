/*
 * record_symbols.c - the place of a function in a program
 *
 * It reads the symbol table of an ELF file of this machine's word length and
 * byte order; the method that needs it runs no other program.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/record/record.h"

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

static bool has_name(const struct file *file, const elf_section *names,
                     const elf_symbol *symbol, const char *name)
{
    size_t bytes = strlen(name) + 1;
    return names->sh_offset <= file->count &&
           names->sh_size <= file->count - names->sh_offset &&
           bytes <= names->sh_size &&
           symbol->st_name <= names->sh_size - bytes &&
           memcmp(file->bytes + names->sh_offset + symbol->st_name, name,
                  bytes) == 0;
}

/* Find the function in one section of symbols. */
static bool find_in(const struct file *file, const elf_header *header,
                    const elf_section *table, const char *name,
                    struct margay_code_range *range)
{
    elf_section names;
    elf_symbol symbol;
    if (table->sh_link >= header->e_shnum ||
        !copy(file, header->e_shoff, table->sh_link, &names, sizeof names))
        return false;
    for (uint64_t i = 0;
         i < table->sh_size / sizeof symbol &&
         copy(file, table->sh_offset, i, &symbol, sizeof symbol);
         i++) {
        if ((symbol.st_info & 15) != STT_FUNC || symbol.st_value == 0 ||
            symbol.st_size == 0 || !has_name(file, &names, &symbol, name))
            continue;
        range->from = symbol.st_value;
        range->to = symbol.st_value + symbol.st_size;
        return true;
    }
    return false;
}

static bool find(const struct file *file, const char *name,
                 struct margay_code_range *range)
{
    elf_header header;
    elf_section section;
    uint64_t base;
    if (!copy(file, 0, 0, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_shentsize != sizeof(elf_section) ||
        header.e_phentsize != sizeof(elf_segment) ||
        !find_base(file, &header, &base))
        return false;
    for (unsigned i = 0; i < header.e_shnum && copy(file, header.e_shoff, i,
                                                    &section, sizeof section);
         i++) {
        if ((section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
            find_in(file, &header, &section, name, range)) {
            range->from -= base;
            range->to -= base;
            return true;
        }
    }
    return false;
}

enum margay_status record_find_function(const char *program, const char *name,
                                        struct margay_code_range *range,
                                        struct margay_error *error)
{
    struct stat status;
    bool found = false;
    *range = (struct margay_code_range){0, 0};
    if (name == NULL)
        return MARGAY_OK;
    int descriptor = open(program, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 &&
        status.st_size > 0) {
        struct file file = {NULL, (size_t)status.st_size};
        void *memory =
            mmap(NULL, file.count, PROT_READ, MAP_PRIVATE, descriptor, 0);
        file.bytes = memory;
        if (memory != MAP_FAILED) {
            found = find(&file, name, range);
            munmap(memory, file.count);
        }
    }
    if (descriptor >= 0)
        close(descriptor);
    if (found)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: no function '%s' among its symbols (it may have "
                       "been stripped, or the function inlined)",
                       program, name);
}
