/*
 * grow.h - arrays that grow while elements come
 *
 * An array of `capacity` elements doubles when it is full, so each element is
 * moved less than twice on average, however many there will be.
 */
#ifndef MARGAY_TRACES_BASE_GROW_H
#define MARGAY_TRACES_BASE_GROW_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define MARGAY_FIRST_CAPACITY 64

/*
 * Make room for one more element after `count` of them in `array`, which
 * malloc() made or which is NULL, and which may move.  Without memory NULL, and
 * the array is as before.
 */
static inline void *margay_grow(void *array, size_t count, size_t *capacity,
                                size_t element_bytes)
{
    if (count < *capacity)
        return array;
    size_t more = *capacity == 0 ? MARGAY_FIRST_CAPACITY : 2 * *capacity;
    if (more > SIZE_MAX / element_bytes)
        return NULL;
    void *moved = realloc(array, more * element_bytes);
    if (moved != NULL)
        *capacity = more;
    return moved;
}

#endif
