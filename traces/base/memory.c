/* memory.c - large zeroed tables on huge pages */
#define _GNU_SOURCE
#include "traces/base/memory.h"

#include <stdint.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define PAGE_BYTES      ((size_t)4096)

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) & ~(unit - 1);
}

/* Only tables that fill several huge pages are aligned to them. */
static size_t mapped_bytes(size_t bytes)
{
    return round_up(bytes,
                    bytes < 2 * HUGE_PAGE_BYTES ? PAGE_BYTES : HUGE_PAGE_BYTES);
}

static char *map_pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void *margay_map(size_t bytes)
{
    if (bytes == 0 || bytes > SIZE_MAX / 2)
        return NULL;
    size_t wanted = mapped_bytes(bytes);
    if (bytes < 2 * HUGE_PAGE_BYTES)
        return map_pages(wanted);
    /* Map one huge page more than needed and trim both ends. */
    char *raw = map_pages(wanted + HUGE_PAGE_BYTES);
    if (raw == NULL)
        return NULL;
    char *aligned = (char *)round_up((size_t)(uintptr_t)raw, HUGE_PAGE_BYTES);
    size_t before = (size_t)(aligned - raw);
    if (before > 0)
        munmap(raw, before);
    munmap(aligned + wanted, HUGE_PAGE_BYTES - before);
    madvise(aligned, wanted, MADV_HUGEPAGE);
    return aligned;
}

void margay_unmap(void *memory, size_t bytes)
{
    if (memory != NULL)
        munmap(memory, mapped_bytes(bytes));
}

void *margay_remap(void *memory, size_t bytes, size_t more_bytes)
{
    size_t moved = mapped_bytes(bytes);
    void *place = margay_map(more_bytes);
    if (place == NULL)
        return NULL;
    if (mremap(memory, moved, moved, MREMAP_MAYMOVE | MREMAP_FIXED, place) ==
        MAP_FAILED) {
        margay_unmap(place, more_bytes);
        return NULL;
    }
    if (more_bytes >= 2 * HUGE_PAGE_BYTES)
        madvise(place, mapped_bytes(more_bytes), MADV_HUGEPAGE);
    return place;
}

void margay_discard(void *memory, size_t bytes)
{
    uintptr_t from = round_up((uintptr_t)memory, PAGE_BYTES);
    uintptr_t to = ((uintptr_t)memory + bytes) & ~(PAGE_BYTES - 1);
    if (from < to)
        madvise((void *)from, to - from, MADV_DONTNEED);
}
