/*
 * machine.c - instructions that read and write memory in unusual ways
 *
 * usage: machine FILE
 *
 * Executes each instruction on `area`, and writes to FILE what a trace has to
 * hold of that: a plain account of the processor's manual.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__

static uint8_t area[1024] __attribute__((aligned(64)));
static FILE *file;

static void expect(char kind, size_t at, size_t bytes)
{
    fprintf(file, " %c %08lx,%zu\n", kind,
            (unsigned long)(uintptr_t)(area + at), bytes);
}

/* A read and a write of the same. */
static void expect_both(size_t at, size_t bytes)
{
    expect('L', at, bytes);
    expect('S', at, bytes);
}

static void atomics(uint8_t *m)
{
    uint64_t old = 0, given = 7;
    __asm__ volatile("lock addq $1, (%0)" ::"r"(m) : "memory", "cc");
    expect_both(0, 8);
    __asm__ volatile("lock xaddl %%eax, 8(%0)" ::"r"(m), "a"(3)
                     : "memory", "cc");
    expect_both(8, 4);
    __asm__ volatile("xchgb %%al, 16(%0)" ::"r"(m), "a"(3) : "memory");
    expect_both(16, 1);
    __asm__ volatile("lock cmpxchgq %2, 24(%0)"
                     : "+r"(m), "+a"(old)
                     : "r"(given)
                     : "memory", "cc");
    expect_both(24, 8);
    old = 1; /* and now the comparison fails */
    __asm__ volatile("lock cmpxchgq %2, 24(%0)"
                     : "+r"(m), "+a"(old)
                     : "r"(given)
                     : "memory", "cc");
    expect_both(24, 8);
    __asm__ volatile("lock btsw $3, 32(%0)" ::"r"(m) : "memory", "cc");
    expect_both(32, 2);
    __asm__ volatile("lock decb 40(%0)" ::"r"(m) : "memory", "cc");
    expect_both(40, 1);
}

static void strings(uint8_t *m)
{
    void *to = m + 256, *from = m;
    uint64_t count = 5;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count)::"memory");
    for (size_t i = 0; i < 5; i++) {
        expect('L', i, 1);
        expect('S', 256 + i, 1);
    }
    count = 3;
    to = m + 320;
    __asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(9) : "memory");
    for (size_t i = 0; i < 3; i++)
        expect('S', 320 + 8 * i, 8);
    count = 10;
    to = m + 320;
    __asm__ volatile("repne scasb"
                     : "+D"(to), "+c"(count)
                     : "a"(0)
                     : "memory", "cc");
    expect('L', 320, 1);
    expect('L', 321, 1);
    count = 0;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count)::"memory");
    to = m + 400;
    from = m + 8;
    __asm__ volatile("movsq" : "+D"(to), "+S"(from)::"memory");
    expect('L', 8, 8);
    expect('S', 400, 8);
}

static void conditions(uint8_t *m)
{
    uint64_t value = 1;
    for (int i = 0; i < 2; i++) {
        __asm__ volatile("cmpq $0, %2\n\t"
                         "cmoveq 64(%1), %0"
                         : "+r"(value)
                         : "r"(m), "r"((uint64_t)i)
                         : "memory", "cc");
        expect('L', 64, 8);
    }
    __asm__ volatile("pushq 72(%0)\n\t"
                     "popq 80(%0)" ::"r"(m)
                     : "memory");
    expect('L', 72, 8);
    expect('S', 80, 8);
    __asm__ volatile("addl $1, 88(%0)" ::"r"(m) : "memory", "cc");
    expect_both(88, 4);
}

/* What emulators divide in ways of their own. */
static void long_ones(uint8_t *m)
{
    __asm__ volatile("fldt 512(%0)\n\t"
                     "fstpt 528(%0)" ::"r"(m)
                     : "memory");
    expect('L', 512, 10);
    expect('S', 528, 10);
    __asm__ volatile("movdqa 544(%0), %%xmm1\n\t"
                     "movdqu %%xmm1, 561(%0)" ::"r"(m)
                     : "memory", "xmm1");
    expect('L', 544, 16);
    expect('S', 561, 16);
    __asm__ volatile("lock cmpxchg16b 576(%0)" ::"r"(m), "a"(0ul), "d"(0ul),
                     "b"(1ul), "c"(2ul)
                     : "memory", "cc");
    expect_both(576, 16);
}

__attribute__((target("avx2"))) static void vectors(uint8_t *m)
{
    static const int32_t mask[8] = {-1, 0, 0, -1, 0, -1, 0, 0};
    __asm__ volatile("vmovdqu 640(%0), %%ymm2\n\t"
                     "vmovdqu %%ymm2, 700(%0)\n\t"
                     "vmovdqu (%1), %%ymm3\n\t"
                     "vmaskmovps %%ymm2, %%ymm3, 768(%0)\n\t"
                     "vmaskmovps 800(%0), %%ymm3, %%ymm4\n\t"
                     "vmovdqu %%ymm4, 832(%0)\n\t"
                     "vzeroupper" ::"r"(m),
                     "r"(mask)
                     : "memory", "xmm2", "xmm3", "xmm4");
    expect('L', 640, 32);
    expect('S', 700, 32);
    for (size_t i = 0; i < 8; i++) {
        if (mask[i] != 0)
            expect('S', 768 + 4 * i, 4);
    }
    for (size_t i = 0; i < 8; i++) {
        if (mask[i] != 0)
            expect('L', 800 + 4 * i, 4);
    }
    expect('S', 832, 32);
}

int main(int argument_count, char **arguments)
{
    file = argument_count > 1 ? fopen(arguments[1], "w") : NULL;
    if (file == NULL)
        return 2;
    printf("%08lx %08lx\n", (unsigned long)(uintptr_t)area,
           (unsigned long)(uintptr_t)(area + sizeof area));
    atomics(area);
    strings(area);
    conditions(area);
    long_ones(area);
    if (__builtin_cpu_supports("avx2"))
        vectors(area);
    return fclose(file) != 0;
}

#else

int main(void)
{
    return 77; /* nothing of this machine's is here yet */
}

#endif
