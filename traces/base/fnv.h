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

static inline uint64_t margay_fnv1a(const void *text, size_t bytes)
{
    const unsigned char *at = text;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
