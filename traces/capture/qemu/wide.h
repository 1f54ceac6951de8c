/* wide.h - x86 instructions whose accesses QEMU divides */
#ifndef MARGAY_TRACES_CAPTURE_QEMU_WIDE_H
#define MARGAY_TRACES_CAPTURE_QEMU_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * True if an x86-64 instruction, where its operand is in memory, reads or
 * writes 16 bytes by SSE.  QEMU accesses 8 bytes and then the next 8.  False
 * for instructions that the tables do not have.
 */
bool margay_is_wide(const uint8_t *code, size_t bytes);

#endif
