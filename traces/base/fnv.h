/*
 * fnv.h - a 64-bit hash of a text
 *
 * Algorithm: FNV-1a, one byte at a time, without tables.
 * Source: Fowler, Noll and Vo 1991.
 * Guarantee: the same on every machine.  Not for secrets.
 */
#ifndef MARGAY_TRACES_BASE_FNV_H
#define MARGAY_TRACES_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define MARGAY_FNV1A_BEGIN UINT64_C(0xcbf29ce484222325)

/* The hash of the text that has `hash`, followed by these bytes. */
static inline uint64_t margay_fnv1a_on(uint64_t hash, const void *text,
                                       size_t bytes)
{
    const unsigned char *at = text;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static inline uint64_t margay_fnv1a(const void *text, size_t bytes)
{
    return margay_fnv1a_on(MARGAY_FNV1A_BEGIN, text, bytes);
}

#endif
