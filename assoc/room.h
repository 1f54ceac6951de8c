/* room.h - how much memory there is to be had */
#ifndef MARGAY_ASSOC_ROOM_H
#define MARGAY_ASSOC_ROOM_H

#include <stdint.h>

#include <margay/status.h>

/* This machine's memory, or what the process may have of it. */
uint64_t margay_room_bytes(void);

/* MARGAY_NO_MEMORY, in a message about `what`, if it is less than `bytes`. */
enum margay_status margay_room_check(const char *what, uint64_t bytes,
                                     struct margay_error *error);

/* "1.5 GiB"; the text is cut at MARGAY_ROOM_TEXT bytes. */
#define MARGAY_ROOM_TEXT 32
void margay_room_text(char text[MARGAY_ROOM_TEXT], uint64_t bytes);

#endif
