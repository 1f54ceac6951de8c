/*
 * passes.c - the parts of an analysis, alone
 *
 *     passes hash FILE.u64 [BLOCKS]
 *                             look up or insert every number, prefetched: no
 *                             exact analysis can be faster than this; the
 *                             table grows, or is made for BLOCKS
 *     passes read FILE [COLUMN]
 *                             read a trace of any format, of a CSV this
 *                             column, and do nothing
 *
 * Prints the number of references.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/exact/hash.h"

#include <margay/traces.h>

/* Bucket addresses are asked for this number of look-ups ahead. */
#define AHEAD 64

static _Noreturn void die(const struct margay_error *error)
{
    fprintf(stderr, "passes: %s\n", error->message);
    exit(2);
}

static void hash_batch(struct margay_hash *hash, const uint64_t *numbers,
                       size_t count, uint32_t *time)
{
    struct margay_error error;
    if (margay_hash_reserve(hash, count, &error) != MARGAY_OK)
        die(&error);
    for (size_t i = 0; i < count && i < AHEAD; i++)
        margay_hash_prefetch(hash, numbers[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            margay_hash_prefetch(hash, numbers[i + AHEAD]);
        *margay_hash_insert(hash, numbers[i]) = ++*time;
    }
}

static uint64_t hash_pass(const char *path, uint64_t blocks)
{
    static uint64_t numbers[8192];
    const size_t numbers_max = sizeof numbers / sizeof numbers[0];
    struct margay_error error;
    struct margay_hash hash;
    enum margay_status status =
        blocks == 0
            ? margay_hash_create(&hash, numbers_max, &error)
            : margay_hash_create_stretched(&hash, blocks + numbers_max, &error);
    if (status != MARGAY_OK)
        die(&error);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    setvbuf(file, NULL, _IONBF, 0);
    uint32_t time = 0;
    size_t count;
    while ((count = fread(numbers, sizeof numbers[0], numbers_max, file)) > 0)
        hash_batch(&hash, numbers, count, &time);
    fclose(file);
    margay_hash_destroy(&hash);
    return time;
}

static uint64_t read_pass(const char *path, const char *column)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.column = column;
    struct margay_error error;
    struct margay_batch batch;
    margay_trace *trace;
    uint64_t references = 0;
    enum margay_status status =
        margay_trace_open(path, &options, &trace, &error);
    while (status == MARGAY_OK) {
        status = margay_trace_next(trace, -1, &batch, &error);
        references += status == MARGAY_OK ? batch.references : 0;
    }
    if (status != MARGAY_END)
        die(&error);
    margay_trace_free(trace);
    return references;
}

int main(int argc, char **argv)
{
    const char *last = argc == 4 ? argv[3] : NULL;
    uint64_t blocks = last != NULL ? strtoull(last, NULL, 10) : 0;
    if ((argc == 3 || blocks > 0) && strcmp(argv[1], "hash") == 0) {
        printf("%" PRIu64 "\n", hash_pass(argv[2], blocks));
    } else if ((argc == 3 || argc == 4) && strcmp(argv[1], "read") == 0) {
        printf("%" PRIu64 "\n", read_pass(argv[2], last));
    } else {
        fprintf(stderr, "usage: passes hash FILE [BLOCKS]\n"
                        "       passes read FILE [COLUMN]\n");
        return 2;
    }
    return 0;
}
