/*
 * policies.c - how fast caches of sixteen sizes are, policy by policy
 *
 *     policies ROUNDS FILE.u64 SPEC...
 *
 * Sizes go in equal ratios from 16 blocks to all blocks of the trace.  Batches
 * of 4096 references go to one size after the other.  Prints for each spec the
 * millions of references and sizes a second of this thread's time, the median
 * of the rounds, of blocks that are dense numbers and of blocks that are
 * hashed.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assoc/numbering.h"
#include <margay/assoc.h>

#define SIZES  16
#define BATCH  4096
#define ROUNDS 99

struct trace {
    size_t count;
    uint64_t *blocks, *dense;
    uint64_t distinct;
};

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "policies: %s\n", what);
    exit(2);
}

static uint64_t *read_blocks(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        die(path);
    *count = (size_t)ftell(file) / sizeof(uint64_t);
    rewind(file);
    uint64_t *blocks = calloc(*count + 1, sizeof *blocks);
    if (blocks == NULL || fread(blocks, sizeof *blocks, *count, file) != *count)
        die(path);
    fclose(file);
    return blocks;
}

/* Number the blocks in the order of their first use. */
static void make_dense(struct trace *trace)
{
    margay_numbering *numbering;
    uint32_t *numbers = calloc(trace->count + 1, sizeof *numbers);
    trace->dense = calloc(trace->count + 1, sizeof *trace->dense);
    if (numbers == NULL || trace->dense == NULL ||
        margay_numbering_create(&numbering, NULL) != MARGAY_OK ||
        margay_numbering_feed(numbering, trace->blocks, trace->count, numbers,
                              NULL) != MARGAY_OK)
        die("no memory");
    for (size_t i = 0; i < trace->count; i++)
        trace->dense[i] = numbers[i];
    trace->distinct = margay_numbering_count(numbering);
    margay_numbering_free(numbering);
    free(numbers);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double measure(const struct trace *trace, const char *spec, bool dense)
{
    margay_cache *caches[SIZES];
    struct margay_error error;
    for (int i = 0; i < SIZES; i++) {
        double share = (i + 1.0) / (SIZES + 1.0);
        struct margay_cache_options options = {
            .ways = (uint32_t)(16 * pow((double)trace->distinct / 16, share)),
            .policy = spec,
            .seed = 1,
            .dense_blocks = dense};
        if (margay_cache_create(&options, &caches[i], &error) != MARGAY_OK ||
            margay_cache_reserve(caches[i], trace->distinct, &error) !=
                MARGAY_OK)
            die(error.message);
    }
    const uint64_t *blocks = dense ? trace->dense : trace->blocks;
    double start = now();
    for (size_t at = 0; at < trace->count; at += BATCH) {
        size_t left = trace->count - at;
        for (int i = 0; i < SIZES; i++)
            margay_cache_feed(caches[i], blocks + at, NULL,
                              left < BATCH ? left : BATCH);
    }
    double seconds = now() - start;
    for (int i = 0; i < SIZES; i++)
        margay_cache_free(caches[i]);
    return SIZES * (double)trace->count / seconds * 1e-6;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *rates, size_t count)
{
    qsort(rates, count, sizeof *rates, compare);
    return rates[count / 2];
}

int main(int argc, char **argv)
{
    size_t rounds = argc < 4 ? 0 : (size_t)strtoull(argv[1], NULL, 10);
    double rates[2][ROUNDS];
    struct trace trace = {.count = 0};
    if (rounds < 1 || rounds > ROUNDS)
        die("usage: policies ROUNDS FILE.u64 SPEC...");
    trace.blocks = read_blocks(argv[2], &trace.count);
    make_dense(&trace);
    printf("%-12s %8s %8s\n", "policy", "dense", "hashed");
    for (int i = 3; i < argc; i++) {
        for (size_t round = 0; round < rounds; round++) {
            rates[0][round] = measure(&trace, argv[i], false);
            rates[1][round] = measure(&trace, argv[i], true);
        }
        printf("%-12s %8.1f %8.1f\n", argv[i], median(rates[1], rounds),
               median(rates[0], rounds));
        fflush(stdout);
    }
    free(trace.blocks);
    free(trace.dense);
    return 0;
}
