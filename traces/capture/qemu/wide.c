/*
 * wide.c - x86 instructions whose accesses QEMU divides
 *
 * The tables hold the two-byte opcodes (0F xx) of SSE to SSE3, by the prefix
 * that selects among them: what code for any x86-64 may contain.  The accesses
 * of instructions after other escapes, and of AVX, stay divided.
 */
#include "traces/capture/qemu/wide.h"

/* A range of opcodes with both ends. */
struct range {
    uint8_t from, to;
};

/* Each table ends with a range up to 0. */
static const struct range without_prefix[] = {
    {0x10, 0x11}, {0x14, 0x15}, {0x28, 0x29}, {0x2b, 0x2b}, {0x51, 0x59},
    {0x5b, 0x5f}, {0xc2, 0xc2}, {0xc6, 0xc6}, {0, 0},
};
static const struct range with_66[] = {
    {0x10, 0x11}, {0x14, 0x15}, {0x28, 0x29}, {0x2b, 0x2d}, {0x51, 0x51},
    {0x54, 0x6d}, {0x6f, 0x70}, {0x74, 0x76}, {0x7c, 0x7d}, {0x7f, 0x7f},
    {0xc2, 0xc2}, {0xc6, 0xc6}, {0xd0, 0xd5}, {0xd8, 0xef}, {0xf1, 0xf6},
    {0xf8, 0xfe}, {0, 0},
};
static const struct range with_f2[] = {
    {0x70, 0x70}, {0x7c, 0x7d}, {0xd0, 0xd0},
    {0xe6, 0xe6}, {0xf0, 0xf0}, {0, 0},
};
static const struct range with_f3[] = {
    {0x12, 0x12}, {0x16, 0x16}, {0x5b, 0x5b},
    {0x6f, 0x70}, {0x7f, 0x7f}, {0, 0},
};

static bool is_in(const struct range *ranges, uint8_t opcode)
{
    for (; ranges->to != 0; ranges++) {
        if (opcode >= ranges->from && opcode <= ranges->to)
            return true;
    }
    return false;
}

bool margay_is_wide(const uint8_t *code, size_t bytes)
{
    const struct range *ranges = without_prefix;
    size_t i = 0;
    for (; i < bytes; i++) {
        if (code[i] == 0x66 && ranges == without_prefix)
            ranges = with_66;
        else if (code[i] == 0xf2)
            ranges = with_f2;
        else if (code[i] == 0xf3)
            ranges = with_f3;
        else if (code[i] != 0x64 && code[i] != 0x65) /* segments */
            break;
    }
    if (i < bytes && (code[i] & 0xf0) == 0x40) /* REX */
        i++;
    return bytes - i >= 2 && code[i] == 0x0f && is_in(ranges, code[i + 1]);
}
