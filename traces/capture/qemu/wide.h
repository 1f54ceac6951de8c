/* wide.h - x86 instructions that QEMU takes apart */
#ifndef MARGAY_TRACES_CAPTURE_QEMU_WIDE_H
#define MARGAY_TRACES_CAPTURE_QEMU_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether an x86-64 instruction, if it has an operand in memory, reads or
 * writes 16 bytes there by SSE, which QEMU does as 8 bytes and then the 8
 * behind them.  False where we do not know.
 */
bool margay_is_wide(const uint8_t *code, size_t bytes);

#endif
