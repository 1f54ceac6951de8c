/*
 * kernels.c - kernels whose references different builds must make alike
 *
 * All that they work on lies at an address that is the same in every build.
 * They print nothing that the time changes.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARENA ((void *)0x100000000000)

struct point {
    double x, y;
    int id;
    char name[28];
};

static union arena {
    struct {
        double re[1024], im[1024];
    } signal;
    struct node {
        struct node *next;
        uint64_t value;
    } nodes[2000];
    struct {
        char text[5000], copy[5000];
        uint8_t bits[2000];
    } text;
    struct point points[200];
    struct {
        _Atomic uint64_t shared;
        _Atomic uint32_t slots[64];
        uint64_t sums[16];
    } atomics;
    struct {
        jmp_buf back;
        uint64_t log[300];
        size_t count;
    } jumps;
} * arena;

static void transform(void)
{
    double *re = arena->signal.re, *im = arena->signal.im;
    for (int half = 1; half < 1024; half *= 2) {
        for (int at = 0; at < 1024; at += 2 * half) {
            for (int i = at; i < at + half; i++) {
                double x = re[i + half], y = im[i + half];
                re[i + half] = re[i] - x;
                im[i + half] = im[i] - y;
                re[i] += x;
                im[i] += y;
            }
        }
    }
}

static void walk(void)
{
    struct node *nodes = arena->nodes;
    for (unsigned i = 0; i < 2000; i++)
        nodes[i] = (struct node){&nodes[(i * 733 + 1) % 2000], i};
    uint64_t sum = 0;
    for (struct node *node = nodes; node->value != 1999; node = node->next)
        sum += node->value++;
    nodes[0].value = sum;
}

static void count_text(void)
{
    memset(arena->text.text, 'x', 4999);
    for (int i = 0; i < 4999; i += 7)
        arena->text.text[i] = ' ';
    memcpy(arena->text.copy, arena->text.text, 5000);
    memmove(arena->text.copy + 3, arena->text.copy, 4000);
    for (const char *at = arena->text.copy; *at != '\0'; at++)
        arena->text.bits[(unsigned)*at % 250]++;
}

static struct point moved(struct point point, double by)
{
    point.x += by;
    point.name[point.id % 28] = 'm';
    return point;
}

static void move_points(void)
{
    for (int i = 0; i < 200; i++)
        arena->points[i] = (struct point){i, -i, i, "point"};
    for (int i = 1; i < 200; i++)
        arena->points[i] = moved(arena->points[i - 1], 0.5);
}

static void update(void)
{
    for (unsigned i = 0; i < 500; i++) {
        uint32_t expected = i % 3;
        atomic_fetch_add(&arena->atomics.shared, i);
        atomic_compare_exchange_strong(&arena->atomics.slots[i % 64], &expected,
                                       i);
        atomic_store(&arena->atomics.slots[i * 7 % 64],
                     (uint32_t)atomic_load(&arena->atomics.shared) % 3);
        atomic_exchange(&arena->atomics.shared, i);
    }
}

static uint64_t add_all(int count, ...)
{
    va_list numbers;
    uint64_t sum = 0;
    va_start(numbers, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(numbers, uint64_t);
    va_end(numbers);
    return sum;
}

static void add(void)
{
    uint64_t *sums = arena->atomics.sums;
    for (uint64_t i = 0; i < 300; i++)
        sums[i % 16] = add_all(9, i, sums[3], i, i, sums[i % 7], i, i, i, i);
}

static void log_jump(unsigned depth)
{
    arena->jumps.log[arena->jumps.count++ % 300] = depth;
    if (depth == 0)
        longjmp(arena->jumps.back, 1);
    log_jump(depth - 1);
    arena->jumps.log[0] = depth;
}

static void jump(void)
{
    for (volatile unsigned i = 0; i < 50; i++) {
        if (setjmp(arena->jumps.back) == 0)
            log_jump(i % 9);
        else
            arena->jumps.log[i]++;
    }
}

static void (*const kernels[])(void) = {
    transform, walk, count_text, move_points, update, add, jump,
};
#define KERNELS (sizeof kernels / sizeof kernels[0])

int main(int count, char **arguments)
{
    size_t which = count > 1 ? strtoul(arguments[1], NULL, 10) : 0;
    arena = mmap(ARENA, sizeof *arena, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (arena == MAP_FAILED || which >= KERNELS)
        return 2;
    kernels[which]();
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof *arena / sizeof sum; i++)
        sum = sum * 31 + ((const uint64_t *)arena)[i];
    printf("%zu %llx\n", which,
           which == 1 || which == 6 ? 0 : (unsigned long long)sum);
    return 0;
}
