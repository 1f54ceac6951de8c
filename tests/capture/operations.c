/*
 * operations.c - atomic operations and copies, and their effects
 *
 * usage: operations FILE
 *
 * Does each operation between two stores to `fence`, checks what it did, and
 * writes to FILE what a trace has to hold, without the stores.  Exits with 1
 * if an operation did not do what it should.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static volatile uint64_t fence;
static _Alignas(64) uint8_t number8;
static _Alignas(64) uint16_t number16;
static _Alignas(64) uint32_t number32;
static _Alignas(64) uint64_t number64;
static _Alignas(64) char source[200], target[200];
static bool wrong;

static void expect(FILE *file, char kind, const void *address, size_t size)
{
    fprintf(file, " %c %08lx,%zu\n", kind, (unsigned long)(uintptr_t)address,
            size);
}

static void check(bool right)
{
    wrong = wrong || !right;
}

/* Each operation of one size: reads and writes as `expect` is told. */
#define OPERATIONS(bits)                                                       \
    static __attribute__((noinline)) void do_##bits(void)                      \
    {                                                                          \
        uint##bits##_t *n = &number##bits;                                     \
        uint##bits##_t wanted = 5, r[9];                                       \
        fence = 1;                                                             \
        __atomic_store_n(n, 5, __ATOMIC_RELEASE);                              \
        r[0] = __atomic_load_n(n, __ATOMIC_ACQUIRE);                           \
        r[1] = __atomic_fetch_add(n, 3, __ATOMIC_RELAXED);                     \
        r[2] = __atomic_fetch_sub(n, 1, __ATOMIC_SEQ_CST);                     \
        r[3] = __atomic_fetch_and(n, 6, __ATOMIC_SEQ_CST);                     \
        r[4] = __atomic_fetch_or(n, 9, __ATOMIC_SEQ_CST);                      \
        r[5] = __atomic_fetch_xor(n, 1, __ATOMIC_SEQ_CST);                     \
        r[6] = __atomic_exchange_n(n, 5, __ATOMIC_SEQ_CST);                    \
        r[7] = __atomic_compare_exchange_n(                                    \
            n, &wanted, 9, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
        r[8] = __atomic_compare_exchange_n(                                    \
            n, &wanted, 9, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
        fence = 2;                                                             \
        check(r[0] == 5 && r[1] == 5 && r[2] == 8 && r[3] == 7 && r[4] == 6 && \
              r[5] == 15 && r[6] == 14 && r[7] == 1 && r[8] == 0 &&            \
              wanted == 9 && *n == 9);                                         \
    }                                                                          \
    static void expect_##bits(FILE *file)                                      \
    {                                                                          \
        static const char kinds[] = "SLLSLSLSLSLSLSLSL";                       \
        for (size_t i = 0; kinds[i] != '\0'; i++)                              \
            expect(file, kinds[i], &number##bits, bits / 8);                   \
    }

OPERATIONS(8)
OPERATIONS(16)
OPERATIONS(32)
OPERATIONS(64)

/* The length must not be known when this is compiled. */
static __attribute__((noinline)) void copy(size_t bytes)
{
    fence = 1;
    memcpy(target, source + 1, bytes);
    memmove(target + 3, target, bytes);
    memset(target, 7, bytes);
    fence = 2;
    check(target[0] == 7 && target[bytes - 1] == 7);
}

/* And a length that is known: compilers would rather move than call. */
static __attribute__((noinline)) void copy_some(void)
{
    fence = 1;
    memcpy(target, source + 1, 40);
    memset(target + 64, 7, 24);
    fence = 2;
    check(target[39] == source[40] && target[87] == 7);
}

static void expect_range(FILE *file, char kind, const char *from, size_t bytes)
{
    while (bytes > 0) {
        size_t some = 8 - (uintptr_t)from % 8;
        some = some < bytes ? some : bytes;
        expect(file, kind, from, some);
        from += some;
        bytes -= some;
    }
}

static void expect_copy(FILE *file, const char *to, const char *from,
                        size_t bytes)
{
    for (size_t done = 0; done < bytes; done += 64) {
        size_t some = bytes - done < 64 ? bytes - done : 64;
        expect_range(file, 'L', from + done, some);
        expect_range(file, 'S', to + done, some);
    }
}

int main(int argument_count, char **arguments)
{
    const size_t bytes = 130;
    do_8();
    do_16();
    do_32();
    do_64();
    copy(bytes);
    copy_some();
    FILE *file = argument_count > 1 ? fopen(arguments[1], "w") : NULL;
    if (file == NULL)
        return 2;
    printf("%08lx\n", (unsigned long)(uintptr_t)&fence);
    expect_8(file);
    expect_16(file);
    expect_32(file);
    expect_64(file);
    expect_copy(file, target, source + 1, bytes);
    expect_copy(file, target + 3, target, bytes);
    expect_range(file, 'S', target, bytes);
    expect_copy(file, target, source + 1, 40);
    expect_range(file, 'S', target + 64, 24);
    return fclose(file) != 0 || wrong;
}
