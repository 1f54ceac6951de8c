/* bench.h - clocks, files of numbers and medians */
#ifndef MARGAY_TESTS_BENCH_BENCH_H
#define MARGAY_TESTS_BENCH_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

static inline double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* All 64-bit numbers of a file, shifted right. */
static inline uint64_t *read_numbers(const char *name, unsigned shift,
                                     size_t *count)
{
    FILE *file = fopen(name, "rbe");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        die(name, "cannot be opened");
    long bytes = ftell(file);
    rewind(file);
    *count = bytes < 0 ? 0 : (size_t)bytes / sizeof(uint64_t);
    uint64_t *numbers = calloc(*count + 1, sizeof *numbers);
    if (numbers == NULL)
        die(name, "out of memory");
    if (fread(numbers, sizeof *numbers, *count, file) != *count)
        die(name, "cannot be read");
    fclose(file);
    for (size_t i = 0; i < *count; i++)
        numbers[i] >>= shift;
    return numbers;
}

static inline int by_size(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static inline double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_size);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

#endif
