/*
 * memory.h - large zeroed tables on huge pages
 *
 * Tables of megabytes and more are mapped straight from the system, aligned
 * to 2 MiB, with huge pages asked for: random access to them costs far fewer
 * address translations.  Memory is zeroed and appears as it is touched.
 */
#ifndef MARGAY_TRACES_BASE_MEMORY_H
#define MARGAY_TRACES_BASE_MEMORY_H

#include <stddef.h>

/* Zeroed memory, aligned to 64 bytes at least; NULL if it cannot be had. */
void *margay_map(size_t bytes);

/* Give back what margay_map returned for the same `bytes`; NULL is ignored. */
void margay_unmap(void *memory, size_t bytes);

/*
 * Make memory of margay_map() that is soon written to appear at once.  Memory
 * that is read first appears as a shared page of zeros, and again when it is
 * written; other threads have to be interrupted for that.
 */
void margay_touch(void *memory, size_t bytes);

/*
 * Give the system back the whole pages of [memory, memory + bytes); they read
 * as zero afterwards.  For tables that are handed over piece by piece.
 */
void margay_discard(void *memory, size_t bytes);

#endif
