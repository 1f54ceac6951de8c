/* room.h - lists that grow */
#ifndef MARGAY_STACKDIST_PREDICT_ROOM_H
#define MARGAY_STACKDIST_PREDICT_ROOM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Room for one more behind `count` elements, of which there may be `*room`
 * before it moves; returns where the list is then.  NULL: there is no memory,
 * and the list is where it was.
 */
static inline void *margay_make_room(void *list, size_t count, size_t *room,
                                     size_t element_bytes)
{
    if (count < *room)
        return list;
    size_t more = *room == 0 ? 64 : 2 * *room;
    if (more > SIZE_MAX / element_bytes)
        return NULL;
    void *moved = realloc(list, more * element_bytes);
    if (moved != NULL)
        *room = more;
    return moved;
}

#endif
