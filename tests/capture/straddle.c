/*
 * straddle.c - references that cover two blocks, before and after others to
 * either of them
 */
#include <stdint.h>

static char memory[256] __attribute__((aligned(128)));

/* Of 4 bytes.  The compiler must not know that some are unaligned: it would
   split them. */
#define WORD(offset) (*(volatile uint32_t *)(void *)(start + (offset)))

int main(void)
{
    char *volatile unknown = memory;
    char *start = unknown;
    uint32_t sum = 0;
    for (int i = 0; i < 200; i++) {
        /* Begins a row, in either block. */
        sum += WORD(62);
        sum += WORD(64);
        sum += WORD(68);
        WORD(62) = sum;
        sum += WORD(8);
        WORD(8) = sum;
        /* Stands within one, and ends it. */
        sum += WORD(12);
        sum += WORD(62);
        sum += WORD(12);
        sum += WORD(16);
        WORD(126) = sum;
        WORD(126) = sum;
        sum += WORD(126);
        sum += WORD(64);
        if (i % 3 == 0)
            sum += WORD(130);
    }
    return sum == 1;
}
