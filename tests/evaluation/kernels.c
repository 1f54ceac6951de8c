/*
 * kernels.c - five kernels to be recorded
 *
 *     kernels fft|lu|sort|multiply|walk N
 *
 * On N numbers, matrices of N x N, or N searches, that do not depend on the
 * machine; each prints one figure of its result, so that nothing can be left
 * out.
 */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 42;

/* In [0, 1). */
static double next_number(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / (double)(1 << 24);
}

static void *allocate(size_t count, size_t each_bytes)
{
    void *room = calloc(count, each_bytes);
    if (room == NULL) {
        fputs("kernels: out of memory\n", stderr);
        exit(1);
    }
    return room;
}

static double *random_numbers(size_t count)
{
    double *numbers = allocate(count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = next_number();
    return numbers;
}

/* ------------------------------------------------------------------- fft -- */

/* Each index to the place of its bits in reverse. */
static void reverse_bits(double complex *values, size_t count)
{
    for (size_t i = 1, j = 0; i < count; i++) {
        size_t bit = count >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double complex value = values[i];
            values[i] = values[j];
            values[j] = value;
        }
    }
}

/* Cooley and Tukey's, in place; `count` is a power of two. */
static void transform(double complex *values, size_t count)
{
    reverse_bits(values, count);
    for (size_t half = 1; half < count; half *= 2) {
        double complex turn = cexp(-I * acos(-1.0) / (double)half);
        for (size_t from = 0; from < count; from += 2 * half) {
            double complex factor = 1;
            for (size_t i = from; i < from + half; i++) {
                double complex odd = factor * values[i + half];
                values[i + half] = values[i] - odd;
                values[i] += odd;
                factor *= turn;
            }
        }
    }
}

static double fft(size_t n)
{
    size_t count = 1;
    while (count < n)
        count *= 2;
    double complex *values = allocate(count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = next_number();
    transform(values, count);
    double energy = 0;
    for (size_t i = 0; i < count; i++)
        energy += cabs(values[i]);
    free(values);
    return energy;
}

/* -------------------------------------------------------------------- lu -- */

/* Gauss's elimination without exchanges of rows: the diagonal is heavy. */
static double lu(size_t n)
{
    double *matrix = random_numbers(n * n);
    for (size_t i = 0; i < n; i++)
        matrix[i * n + i] += (double)n;
    for (size_t k = 0; k < n; k++) {
        for (size_t i = k + 1; i < n; i++) {
            double factor = matrix[i * n + k] /= matrix[k * n + k];
            for (size_t j = k + 1; j < n; j++)
                matrix[i * n + j] -= factor * matrix[k * n + j];
        }
    }
    double trace = 0;
    for (size_t i = 0; i < n; i++)
        trace += matrix[i * n + i];
    free(matrix);
    return trace;
}

/* ------------------------------------------------------------------ sort -- */

static void quicksort(double *numbers, size_t count)
{
    while (count > 1) {
        double pivot = numbers[(count - 1) / 2]; /* never the last */
        size_t low = 0, high = count - 1;
        for (;; low++, high--) {
            while (numbers[low] < pivot)
                low++;
            while (numbers[high] > pivot)
                high--;
            if (low >= high)
                break;
            double number = numbers[low];
            numbers[low] = numbers[high];
            numbers[high] = number;
        }
        quicksort(numbers, high + 1);
        numbers += high + 1;
        count -= high + 1;
    }
}

static double sort(size_t n)
{
    double *numbers = random_numbers(n);
    quicksort(numbers, n);
    for (size_t i = 1; i < n; i++) {
        if (numbers[i - 1] > numbers[i])
            exit(1);
    }
    double median = numbers[n / 2];
    free(numbers);
    return median;
}

/* -------------------------------------------------------------- multiply -- */

static double multiply(size_t n)
{
    double *a = random_numbers(n * n), *b = random_numbers(n * n);
    double *c = allocate(n * n, sizeof *c);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    double sum = 0;
    for (size_t i = 0; i < n * n; i++)
        sum += c[i];
    free(a);
    free(b);
    free(c);
    return sum;
}

/* ------------------------------------------------------------------ walk -- */

struct entry {
    struct entry *next;
    uint64_t key, found;
};

/* Where a key's chain begins. */
static size_t chain_of(uint64_t key)
{
    return (size_t)(key * 0x9e3779b97f4a7c15u >> 48);
}

/* Search a hash table of 65,536 chains and keys. */
static double walk(size_t n)
{
    enum { KEYS = 1 << 16 };
    struct entry **chains = allocate(KEYS, sizeof(struct entry *));
    struct entry *entries = allocate(KEYS, sizeof *entries);
    for (uint64_t key = 0; key < KEYS; key++) {
        struct entry **chain = &chains[chain_of(key)];
        entries[key] = (struct entry){*chain, key, 0};
        *chain = &entries[key];
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = (uint64_t)(next_number() * KEYS);
        struct entry *entry = chains[chain_of(key)];
        while (entry->key != key)
            entry = entry->next;
        sum += ++entry->found;
    }
    free(chains);
    free(entries);
    return (double)sum;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)(size_t n);
    } kernels[] = {{"fft", fft},
                   {"lu", lu},
                   {"sort", sort},
                   {"multiply", multiply},
                   {"walk", walk}};

    for (size_t i = 0; argc == 3 && i < sizeof kernels / sizeof *kernels; i++) {
        long n = strtol(argv[2], NULL, 10);
        if (strcmp(argv[1], kernels[i].name) == 0 && n > 0 && n <= 1 << 28) {
            printf("%.6g\n", kernels[i].run((size_t)n));
            return 0;
        }
    }
    fputs("usage: kernels fft|lu|sort|multiply|walk N\n", stderr);
    return 2;
}
