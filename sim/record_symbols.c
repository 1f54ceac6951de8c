/*
 * record_symbols.c - where a function is in a program
 *
 * The table of symbols of an ELF file, of this machine's own word length and
 * byte order: no other could be run by the method that asks.
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

#include "sim/record.h"

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Phdr) elf_segment;
typedef ElfW(Shdr) elf_section;
typedef ElfW(Sym) elf_symbol;

/* A file in memory. */
struct file {
    const char *bytes;
    size_t count;
};

/* `count` things of `each` bytes at an offset; NULL: not all in the file. */
static const void *at(const struct file *file, uint64_t offset, uint64_t count,
                      size_t each)
{
    uint64_t bytes;
    if (!margay_multiply_u64(count, each, &bytes) || offset > file->count ||
        bytes > file->count - offset)
        return NULL;
    return file->bytes + offset;
}

/* The lowest address that is loaded, to which others are relative. */
static bool find_base(const struct file *file, const elf_header *header,
                      uint64_t *base)
{
    const elf_segment *segments =
        at(file, header->e_phoff, header->e_phnum, sizeof *segments);
    *base = UINT64_MAX;
    for (unsigned i = 0; segments != NULL && i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr < *base)
            *base = segments[i].p_vaddr;
    }
    return *base != UINT64_MAX;
}

/* Look into one section of symbols. */
static bool find_in(const struct file *file, const elf_section *sections,
                    unsigned section_count, const elf_section *table,
                    const char *name, struct margay_code_range *range)
{
    uint64_t count = table->sh_size / sizeof(elf_symbol);
    const elf_symbol *symbols =
        at(file, table->sh_offset, count, sizeof *symbols);
    if (symbols == NULL || table->sh_link >= section_count)
        return false;
    const elf_section *names = &sections[table->sh_link];
    const char *text = at(file, names->sh_offset, names->sh_size, 1);
    size_t bytes = strlen(name) + 1;
    for (uint64_t i = 0; text != NULL && i < count; i++) {
        const elf_symbol *symbol = &symbols[i];
        if ((symbol->st_info & 15) != STT_FUNC || symbol->st_value == 0 ||
            symbol->st_size == 0 || bytes > names->sh_size ||
            symbol->st_name > names->sh_size - bytes ||
            memcmp(text + symbol->st_name, name, bytes) != 0)
            continue;
        range->from = symbol->st_value;
        range->to = symbol->st_value + symbol->st_size;
        return true;
    }
    return false;
}

static bool find(const struct file *file, const char *name,
                 struct margay_code_range *range)
{
    const elf_header *header = at(file, 0, 1, sizeof *header);
    uint64_t base;
    if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shentsize != sizeof(elf_section) ||
        header->e_phentsize != sizeof(elf_segment) ||
        !find_base(file, header, &base))
        return false;
    const elf_section *sections =
        at(file, header->e_shoff, header->e_shnum, sizeof *sections);
    for (unsigned i = 0; sections != NULL && i < header->e_shnum; i++) {
        if ((sections[i].sh_type == SHT_SYMTAB ||
             sections[i].sh_type == SHT_DYNSYM) &&
            find_in(file, sections, header->e_shnum, &sections[i], name,
                    range)) {
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
