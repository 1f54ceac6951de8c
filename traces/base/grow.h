/*
 * grow.h - arrays that grow while elements come
 *
 * An array of `capacity` elements doubles when it is full, so each element is
 * moved less than twice on average, however many there will be.
 */
#ifndef MARGAY_TRACES_BASE_GROW_H
#define MARGAY_TRACES_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MARGAY_FIRST_CAPACITY 64

/* Make room for `more` elements after `count` of them in an array, which
   malloc() made or which is NULL, and which may move.  False without memory,
   and the array is as before. */
#define MARGAY_MAKE_ROOM(array, count, more, capacity) \
    margay_make_room(&(array), count, more, &(capacity), sizeof *(array))
static inline bool margay_make_room(void *array, size_t count, size_t more,
                                    size_t *capacity, size_t element_bytes)
{
    void *before, *moved;
    if (more > SIZE_MAX / element_bytes - count)
        return false;
    if (count + more <= *capacity)
        return true;
    size_t wanted = *capacity == 0 ? MARGAY_FIRST_CAPACITY : 2 * *capacity;
    if (wanted < count + more)
        wanted = count + more;
    if (wanted > SIZE_MAX / element_bytes)
        return false;
    memcpy(&before, array, sizeof before);
    moved = realloc(before, wanted * element_bytes);
    if (moved == NULL)
        return false;
    memcpy(array, &moved, sizeof moved);
    *capacity = wanted;
    /* The caller's pointer has it. */
    /* cppcheck-suppress memleak */
    return true;
}

#endif
