/* room.h - the memory that this process can use */
#ifndef MARGAY_ASSOC_ROOM_H
#define MARGAY_ASSOC_ROOM_H

#include <stdint.h>

#include <margay/status.h>

/* This machine's memory in bytes, or the process's limit if that is less. */
uint64_t margay_room_bytes(void);

/* Fail with MARGAY_NO_MEMORY if that is less than `bytes`; `what` names in the
   message the objects that need them. */
enum margay_status margay_room_check(const char *what, uint64_t bytes,
                                     struct margay_error *error);

/* "1.5 GiB"; the text is cut at MARGAY_ROOM_TEXT bytes. */
#define MARGAY_ROOM_TEXT 32
void margay_room_text(char text[MARGAY_ROOM_TEXT], uint64_t bytes);

#endif
