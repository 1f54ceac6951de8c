/*
 * memory.h - large zeroed tables on huge pages
 *
 * Tables of megabytes and more are mapped from the system, aligned to 2 MiB,
 * with a request for huge pages: random access to them then costs far fewer
 * address translations.  Memory is zero; the system provides a page when it is
 * first touched.
 */
#ifndef MARGAY_TRACES_BASE_MEMORY_H
#define MARGAY_TRACES_BASE_MEMORY_H

#include <stddef.h>

/* Zeroed memory, aligned to 64 bytes at least; NULL if the system refuses. */
void *margay_map(size_t bytes);

/* Give back what margay_map() returned for the same `bytes`.  NULL is fine. */
void margay_unmap(void *memory, size_t bytes);

/* Extend memory of margay_map() from `bytes` to `more_bytes` by zeros.  It
   moves, but its pages are not copied, so the memory never exists twice.  NULL
   if the system refuses; the memory is then as before. */
void *margay_remap(void *memory, size_t bytes, size_t more_bytes);

/* Give the whole pages of [memory, memory + bytes) back to the system; they
   read as zero afterwards.  For tables that are handed over piece by piece. */
void margay_discard(void *memory, size_t bytes);

#endif
