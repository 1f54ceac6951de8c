/* room.c - the memory that this process can use */
#include "assoc/room.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "traces/traces_internal.h"

uint64_t margay_room_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    uint64_t bytes = UINT64_MAX;
    struct rlimit limit;
    if (pages > 0 && page_bytes > 0)
        bytes = (uint64_t)pages * (uint64_t)page_bytes;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < bytes)
        bytes = limit.rlim_cur;
    return bytes;
}

void margay_room_text(char text[MARGAY_ROOM_TEXT], uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB",
                                        "GiB",   "TiB", "PiB"};
    double amount = (double)bytes;
    unsigned unit = 0;
    for (; amount >= 1024 && unit < 5; unit++)
        amount /= 1024;
    snprintf(text, MARGAY_ROOM_TEXT, unit == 0 ? "%.0f %s" : "%.1f %s", amount,
             units[unit]);
}

enum margay_status margay_room_check(const char *what, uint64_t bytes,
                                     struct margay_error *error)
{
    char needed[MARGAY_ROOM_TEXT], there[MARGAY_ROOM_TEXT];
    uint64_t room = margay_room_bytes();
    if (bytes <= room)
        return MARGAY_OK;
    margay_room_text(needed, bytes);
    margay_room_text(there, room);
    return margay_fail(error, MARGAY_NO_MEMORY,
                       "%s would take %s of memory, and there are %s", what,
                       needed, there);
}
