/*
 * wide.c - accesses that an emulator may divide, or join
 *
 * Between a store to `begin` and one to `end`: 16 bytes at once, aligned and
 * not; 8 bytes side by side, each by itself; reads and writes at once.  Each
 * register is loaded once, because valgrind leaves out unused loads.
 */
#include <stdint.h>

static volatile uint64_t begin, end;

#ifdef __x86_64__

static uint8_t area[512] __attribute__((aligned(16)));

static void sixteen_bytes(const uint8_t *from, uint8_t *to)
{
    __asm__ volatile("movdqa (%0), %%xmm0\n\t"
                     "movdqu 24(%0), %%xmm1\n\t"
                     "movups 33(%0), %%xmm2\n\t"
                     "movaps %%xmm0, (%1)\n\t"
                     "movups %%xmm1, 40(%1)\n\t"
                     "addps 64(%0), %%xmm0\n\t"
                     "addpd 80(%0), %%xmm0\n\t"
                     "pxor 96(%0), %%xmm0\n\t"
                     "movntdq %%xmm0, 64(%1)\n\t"
                     "shufps $1, 112(%0), %%xmm3"
                     :
                     : "r"(from), "r"(to)
                     : "memory", "xmm0", "xmm1", "xmm2", "xmm3");
}

/* The second and the third are where the other half of the one before would
   be. */
static void eight_bytes(const uint8_t *from, uint8_t *to)
{
    __asm__ volatile("movsd (%0), %%xmm4\n\t"
                     "movsd 8(%0), %%xmm5\n\t"
                     "movq 16(%0), %%xmm6\n\t"
                     "movhps 24(%0), %%xmm6\n\t"
                     "movq %%xmm4, (%1)\n\t"
                     "movlps %%xmm5, 8(%1)\n\t"
                     "movss 24(%0), %%xmm7\n\t"
                     "movdqa (%0), %%xmm8\n\t"
                     "movdqa 16(%0), %%xmm9\n\t"
                     "movsd 24(%0), %%xmm10"
                     :
                     : "r"(from), "r"(to)
                     : "memory", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                       "xmm10");
}

static void read_and_write(uint8_t *at)
{
    __asm__ volatile("incl (%0)\n\t"
                     "addq $3, 8(%0)\n\t"
                     "xorb $1, 16(%0)"
                     :
                     : "r"(at)
                     : "memory", "cc");
}

static __attribute__((noinline)) void work(void)
{
    begin = 1;
    sixteen_bytes(area, area + 256);
    eight_bytes(area, area + 256);
    read_and_write(area + 400);
    end = 1;
}

#else

static __attribute__((noinline)) void work(void)
{
    begin = 1;
    end = 1;
}

#endif

int main(void)
{
    work();
    return 0;
}
