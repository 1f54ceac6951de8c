/*
 * images.c - from the address of code to the file that the code is in
 *
 * Algorithm: the system knows which files are mapped (/proc/self/maps), and the
 *   segments of an ELF file say which address a place in it has.  The results
 *   are kept for the process.  A page of code that is in no such file is kept,
 *   too, so that it is looked up once.
 * Guarantee: right unless a library is unloaded and another one mapped in its
 *   place, whose sites then seem to be in the first one.
 * Cost: a walk through the mappings for each image, once per process; a walk
 *   through the images found so far where a thread goes from one to another.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/images.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_IMAGES 256
#define PAGE_BYTES  UINT64_C(4096)
/* Of a stack without a limit. */
#define MOST_STACK_BYTES (UINT64_C(1) << 26)

static struct {
    struct margay_image image;
    _Atomic bool whole;
} images[MOST_IMAGES];
static _Atomic unsigned image_count; /* may go beyond MOST_IMAGES */
static struct margay_module
    *_Atomic modules; /* MARGAY_MODULES; NULL = not yet */

/* --------------------------------------------------------- the mappings -- */

/* A mapping of a file, [from, to), or a part of a line that describes one. */
struct mapping {
    uint64_t from, to, offset;
    unsigned field;
    size_t length; /* of the path; MARGAY_CAPTURED_PATH_BYTES: it is too long */
    char path[MARGAY_CAPTURED_PATH_BYTES];
};

/* The fields of a line of /proc/self/maps: "from-to rwxp offset 08:01 inode
   path".  Blanks stand before the path. */
enum { FROM, TO, RIGHTS, OFFSET, DEVICE, INODE, PATH };

/* Take a character of a line that is not its end. */
static void take(struct mapping *mapping, char c)
{
    uint64_t *number = mapping->field == FROM     ? &mapping->from
                       : mapping->field == TO     ? &mapping->to
                       : mapping->field == OFFSET ? &mapping->offset
                                                  : NULL;
    bool fits = mapping->length < MARGAY_CAPTURED_PATH_BYTES;
    if (mapping->field == PATH && fits && (mapping->length > 0 || c != ' '))
        mapping->path[mapping->length++] = c;
    else if (c == (mapping->field == FROM ? '-' : ' '))
        mapping->field += mapping->field != PATH;
    else if (number != NULL)
        *number = *number << 4 | (uint64_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

/* Take characters up to the end of the line of that address; false: it is not
   among them. */
static bool take_lines(struct mapping *mapping, uint64_t address,
                       const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text[i] != '\n') {
            take(mapping, text[i]);
            continue;
        }
        if (address - mapping->from < mapping->to - mapping->from)
            return true;
        mapping->from = mapping->to = mapping->offset = 0;
        mapping->field = FROM;
        mapping->length = 0;
    }
    return false;
}

/* Find the mapping of an address; false: there is none. */
static bool find_mapping(uint64_t address, struct mapping *mapping)
{
    char text[512];
    bool found = false;
    ssize_t got = 1;
    *mapping = (struct mapping){.field = FROM};
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (file >= 0 && got > 0 && !found) {
        got = read(file, text, sizeof text);
        found = got > 0 && take_lines(mapping, address, text, (size_t)got);
    }
    if (file >= 0)
        close(file);
    if (found && mapping->length < MARGAY_CAPTURED_PATH_BYTES)
        mapping->path[mapping->length] = '\0';
    return found;
}

/* The stack of the first thread grows, down to a limit. */
bool margay_images_stack(uint64_t address, uint64_t *from, uint64_t *to)
{
    struct mapping mapping;
    struct rlimit limit;
    if (!find_mapping(address, &mapping))
        return false;
    *from = mapping.from;
    *to = mapping.to;
    if (mapping.length == 7 && memcmp(mapping.path, "[stack]", 7) == 0 &&
        getrlimit(RLIMIT_STACK, &limit) == 0) {
        uint64_t bytes = limit.rlim_cur < MOST_STACK_BYTES ? limit.rlim_cur
                                                           : MOST_STACK_BYTES;
        if (*to - *from < bytes)
            *from = *to - bytes;
    }
    return true;
}

/* Find the address in an ELF file that stands at `offset`. */
static bool find_address(const char *path, uint64_t offset, uint64_t *address)
{
    ElfW(Ehdr) header;
    ElfW(Phdr) segment;
    bool found = false;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    bool whole = pread(file, &header, sizeof header, 0) == sizeof header &&
                 memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                 header.e_ident[EI_CLASS] ==
                     (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
                 header.e_phentsize == sizeof segment;
    for (unsigned i = 0; whole && !found && i < header.e_phnum; i++) {
        whole = pread(file, &segment, sizeof segment,
                      (off_t)(header.e_phoff + i * sizeof segment)) ==
                (ssize_t)sizeof segment;
        found = whole && segment.p_type == PT_LOAD &&
                offset - segment.p_offset < segment.p_filesz;
    }
    close(file);
    *address = found ? offset - segment.p_offset + segment.p_vaddr : 0;
    return found;
}

/* -------------------------------------------------------------- modules -- */

/* The number of a file.  Where two processes name the same file at the same
   time it may get two numbers, which does no harm. */
static uint64_t number_of(const char *path)
{
    struct margay_module *table = atomic_load(&modules);
    for (uint64_t i = 0; i < MARGAY_MODULES; i++) {
        uint32_t state = MARGAY_MODULE_FREE;
        if (atomic_compare_exchange_strong(&table[i].state, &state,
                                           MARGAY_MODULE_BEGUN)) {
            strcpy(table[i].path, path);
            atomic_store(&table[i].state, MARGAY_MODULE_NAMED);
            return i;
        }
        if (state == MARGAY_MODULE_NAMED &&
            strncmp(table[i].path, path, sizeof table[i].path) == 0)
            return i;
    }
    return MARGAY_MODULES;
}

void margay_images_begin(struct margay_module *table, const char *program)
{
    atomic_store(&modules, table);
    if (program != NULL && strlen(program) < MARGAY_CAPTURED_PATH_BYTES)
        number_of(program);
}

/* --------------------------------------------------------------- images -- */

/* The mapping that a site is in or, where that is of no ELF file, its page. */
static struct margay_image look_for(uint64_t site)
{
    const uint64_t page = site & ~(PAGE_BYTES - 1);
    const struct margay_image unknown = {page, page + PAGE_BYTES,
                                         (uint64_t)MARGAY_MODULES
                                             << MARGAY_MODULE_SHIFT};
    uint64_t address;
    struct mapping mapping;
    if (!find_mapping(site, &mapping) ||
        mapping.length == MARGAY_CAPTURED_PATH_BYTES ||
        mapping.path[0] != '/' ||
        !find_address(mapping.path, site - mapping.from + mapping.offset,
                      &address))
        return unknown;
    uint64_t number = number_of(mapping.path);
    if (number == MARGAY_MODULES)
        return unknown;
    return (struct margay_image){
        mapping.from,
        mapping.to,
        (number << MARGAY_MODULE_SHIFT) + address - site,
    };
}

const struct margay_image *margay_images_find(uint64_t site)
{
    static const struct margay_image nowhere = {
        0, 0, (uint64_t)MARGAY_MODULES << MARGAY_MODULE_SHIFT};
    unsigned count = atomic_load(&image_count);
    for (unsigned i = 0; i < count && i < MOST_IMAGES; i++) {
        if (atomic_load(&images[i].whole) &&
            site - images[i].image.from <
                images[i].image.to - images[i].image.from)
            return &images[i].image;
    }
    if (count >= MOST_IMAGES || atomic_load(&modules) == NULL)
        return &nowhere;
    int reason = errno;
    const struct margay_image found = look_for(site);
    errno = reason;
    unsigned slot = atomic_fetch_add(&image_count, 1);
    if (slot >= MOST_IMAGES)
        return &nowhere;
    images[slot].image = found;
    atomic_store(&images[slot].whole, true);
    return &images[slot].image;
}
