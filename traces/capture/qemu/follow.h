/*
 * follow.h - a recorded program becomes another one
 *
 * The emulator passes execve on to the system, which would run the other
 * program without the emulator.  These functions execute the emulator instead,
 * with the same plugin, and have it run that program.
 */
#ifndef MARGAY_TRACES_CAPTURE_QEMU_FOLLOW_H
#define MARGAY_TRACES_CAPTURE_QEMU_FOLLOW_H

#include <stdint.h>

/* The program runs on the processor of that name, by the names of QEMU. */
void margay_follow_begin(const char *processor);

/* The address of its address 0 in the emulator.  To be called once, before it
   makes a system call. */
void margay_follow_memory(uint64_t base);

/* The program makes a system call, perhaps execve(path, arguments,
   environment). */
void margay_follow_call(int64_t number, uint64_t path, uint64_t arguments,
                        uint64_t environment);

/* The call has returned. */
void margay_follow_return(int64_t number);

#endif
