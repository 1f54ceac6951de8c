/*
 * matrix.c - ten kernels all of whose references are known
 *
 * All that they work on lies in `arena`, and each access to it is volatile: one
 * reference, in the order of the source, with every compiler.  Prints where the
 * arena lies.  Compiled with -DTELLS, the program prints its references in
 * their order instead, by the distance of the place from the arena's beginning:
 * what a recording must have.  The number of a kernel is stored at the arena's
 * beginning before the kernel runs.
 */
#include <stdint.h>
#include <stdio.h>

typedef uint64_t vector __attribute__((vector_size(16)));

static volatile union {
    uint64_t kernel; /* that runs */
    uint8_t bytes[1 << 15];
    uint16_t shorts[1 << 14];
    uint32_t words[1 << 13];
    uint64_t longs[1 << 12];
    double numbers[1 << 12];
    vector vectors[1 << 11];
} arena __attribute__((aligned(64)));

#ifdef TELLS
static void tell(char kind, const volatile void *place, unsigned bytes)
{
    printf("%c %lx %u\n", kind,
           (unsigned long)((uintptr_t)place - (uintptr_t)&arena), bytes);
}
#else
#define tell(kind, place, bytes) ((void)0)
#endif

#define ACCESS(type, name)                              \
    static inline type get_##name(size_t i)             \
    {                                                   \
        tell('L', &arena.name[i], sizeof(type));        \
        return arena.name[i];                           \
    }                                                   \
    static inline void put_##name(size_t i, type value) \
    {                                                   \
        tell('S', &arena.name[i], sizeof(type));        \
        arena.name[i] = value;                          \
    }

ACCESS(uint8_t, bytes)
ACCESS(uint16_t, shorts)
ACCESS(uint32_t, words)
ACCESS(uint64_t, longs)
ACCESS(double, numbers)
ACCESS(vector, vectors)

static uint32_t next_random(uint32_t *state)
{
    return (*state = *state * 1664525u + 1013904223u) >> 8;
}

/* -------------------------------------------------------------- numbers -- */

enum { N = 10, A = 64, B = A + N * N, C = B + N * N };

static void multiply(void)
{
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++) {
                double a = get_numbers(A + i * N + k);
                sum += a * get_numbers(B + k * N + j);
            }
            put_numbers(C + i * N + j, sum);
        }
    }
}

static void decompose(void)
{
    for (size_t i = 0; i < N * N; i++)
        put_numbers(A + i, i % (N + 1) == 0 ? 2 * N : 1);
    for (size_t k = 0; k < N; k++) {
        double pivot = get_numbers(A + k * N + k);
        for (size_t i = k + 1; i < N; i++) {
            double factor = get_numbers(A + i * N + k) / pivot;
            for (size_t j = k; j < N; j++) {
                double above = get_numbers(A + k * N + j);
                double here = get_numbers(A + i * N + j);
                put_numbers(A + i * N + j, here - factor * above);
            }
        }
    }
}

/* A transform of 64 numbers modulo 257, of which 249 is a 64th root of 1. */
static void transform(void)
{
    enum { COUNT = 64, PRIME = 257 };
    uint32_t root = 249;
    for (size_t half = COUNT / 2; half > 0; half /= 2) {
        for (size_t from = 0; from < COUNT; from += 2 * half) {
            uint32_t factor = 1;
            for (size_t i = from; i < from + half; i++) {
                uint32_t one = get_shorts(64 + i);
                uint32_t two = get_shorts(64 + i + half);
                put_shorts(64 + i, (uint16_t)((one + two) % PRIME));
                put_shorts(64 + i + half, (uint16_t)((one + PRIME - two) %
                                                     PRIME * factor % PRIME));
                factor = factor * root % PRIME;
            }
        }
        root = root * root % PRIME;
    }
}

static void smooth(void)
{
    for (size_t row = 1; row < 15; row++) {
        for (size_t i = row * 16 + 1; i < row * 16 + 15; i++) {
            double sum = get_numbers(A + i - 16);
            sum += get_numbers(A + i - 1);
            sum += get_numbers(A + i + 1);
            sum += get_numbers(A + i + 16);
            put_numbers(A + 256 + i, sum / 4);
        }
    }
}

/* ----------------------------------------------------------- structures -- */

static void sort(void)
{
    uint32_t state = 1;
    for (size_t i = 0; i < 60; i++)
        put_words(64 + i, next_random(&state));
    for (size_t i = 1; i < 60; i++) {
        uint32_t key = get_words(64 + i);
        size_t at = i;
        for (; at > 0; at--) {
            uint32_t before = get_words(64 + at - 1);
            if (before <= key)
                break;
            put_words(64 + at, before);
        }
        put_words(64 + at, key);
    }
}

/* Count keys in a table of 256 places, each with the next free one as its
   overflow. */
static void count_keys(void)
{
    uint32_t state = 7;
    for (int i = 0; i < 400; i++) {
        uint64_t key = 1 + next_random(&state) % 150;
        size_t at = key * 2654435761u % 256;
        uint64_t found;
        while ((found = get_longs(512 + 2 * at)) != key && found != 0)
            at = (at + 1) % 256;
        if (found == 0)
            put_longs(512 + 2 * at, key);
        put_longs(513 + 2 * at, get_longs(513 + 2 * at) + 1);
    }
}

/* A list of 97 nodes, of which each leads to the one 31 further. */
static void walk_list(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < 97; i++)
        put_longs(1024 + 2 * i, 1024 + 2 * ((i + 31) % 97));
    for (size_t at = 1024, i = 0; i < 300; i++) {
        sum += get_longs(at + 1);
        at = get_longs(at);
    }
    put_longs(1023, sum);
}

/* --------------------------------------------------------- instructions -- */

/* Strings, as the processor has instructions for them; compilers' methods see
   none of these. */
static void copy_strings(void)
{
#ifdef __x86_64__
    const volatile uint64_t *from = &arena.longs[64];
    volatile uint64_t *to = &arena.longs[256];
    uint64_t count = 50;
    volatile uint8_t *place = &arena.bytes[1001];
    for (size_t i = 0; i < 50; i++) {
        tell('L', &arena.longs[64 + i], 8);
        tell('S', &arena.longs[256 + i], 8);
    }
    for (size_t i = 0; i < 33; i++)
        tell('S', &arena.bytes[1001 + i], 1);
    __asm__ volatile("rep movsq" : "+S"(from), "+D"(to), "+c"(count)::"memory");
    count = 33;
    __asm__ volatile("rep stosb"
                     : "+D"(place), "+c"(count)
                     : "a"(1)
                     : "memory");
#endif
}

static void modify_atomically(void)
{
    for (size_t i = 0; i < 40; i++) {
        volatile uint64_t *eight = &arena.longs[100 + i % 3];
        volatile uint32_t *four = &arena.words[300 + i % 5];
        uint64_t is = __atomic_load_n(eight, __ATOMIC_RELAXED);
        tell('L', eight, 8);
        __atomic_fetch_add(four, 1, __ATOMIC_SEQ_CST);
        tell('L', four, 4);
        tell('S', four, 4);
        __atomic_compare_exchange_n(eight, &is, is + 1, 0, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
        tell('L', eight, 8);
        tell('S', eight, 8);
        __atomic_store_n(four, 3, __ATOMIC_RELEASE);
        tell('S', four, 4);
    }
}

static void add_vectors(void)
{
    for (size_t i = 64; i < 128; i++) {
        vector sum = get_vectors(i);
        sum += get_vectors(i + 64);
        put_vectors(i + 128, sum);
        put_bytes(i, (uint8_t)i);
        put_bytes(i + 1, get_bytes(i));
    }
}

int main(void)
{
    static void (*const kernels[])(void) = {
        multiply,   decompose,    transform,
        smooth,     sort,         count_keys,
        walk_list,  copy_strings, modify_atomically,
        add_vectors};
    const size_t count = sizeof kernels / sizeof *kernels;
#ifndef TELLS
    printf("%lx %lx\n", (unsigned long)(uintptr_t)&arena,
           (unsigned long)(uintptr_t)(&arena + 1));
    fflush(stdout);
#endif
    for (size_t i = 0; i < count; i++) {
        put_longs(0, i);
        kernels[i]();
    }
    put_longs(0, count);
    return 0;
}
