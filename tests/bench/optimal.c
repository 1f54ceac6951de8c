/*
 * optimal.c - how fast Belady's optimum is measured
 *
 *     optimal [--bound BLOCKS] [--bypass] [--block SHIFT] FILE.u64...
 *
 * Prints, for each file of 64-bit numbers, the references, the distinct
 * blocks, millions of references per second of processor time, reading not
 * counted, the largest distance, and the bytes of memory that the process has
 * come to take beyond the file, per distinct block.  A number's block is
 * number >> SHIFT.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/bench/bench.h"
#include <margay/stackdist.h>

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static void measure(const char *name, unsigned shift,
                    const struct margay_engine_options *options)
{
    struct margay_error error;
    struct margay_result result;
    margay_engine *engine;
    size_t count;
    uint64_t *numbers = read_numbers(name, shift, &count), largest = 0;
    if (margay_engine_create("exact", options, &engine, &error) != MARGAY_OK)
        die(name, error.message);
    double memory = peak_bytes(), start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (margay_engine_feed(engine, numbers, count, NULL, &error) != MARGAY_OK)
        die(name, error.message);
    if (margay_engine_finish(engine, &result, &error) != MARGAY_OK)
        die(name, error.message);
    double seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
    memory = peak_bytes() - memory;
    margay_histogram_largest(result.histogram, &largest);
    printf("%s,%zu,%" PRIu64 ",%.2f,%" PRIu64 ",%.1f\n", name, count,
           result.distinct_blocks, (double)count / seconds / 1e6, largest,
           memory / (double)result.distinct_blocks);
    fflush(stdout);
    margay_result_clear(&result);
    margay_engine_free(engine);
    free(numbers);
}

int main(int argc, char **argv)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    unsigned shift = 0;
    options.measure = MARGAY_OPTIMAL_DISTANCES;
    printf("file,references,distinct_blocks,million_refs_per_second,"
           "largest_distance,bytes_per_block\n");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--bypass") == 0)
            options.measure = MARGAY_OPTIMAL_BYPASS_DISTANCES;
        else if (strcmp(argv[i], "--bound") == 0 && i + 1 < argc)
            options.bound_blocks = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--block") == 0 && i + 1 < argc)
            shift = (unsigned)strtoul(argv[++i], NULL, 10);
        else
            measure(argv[i], shift, &options);
    }
    return 0;
}
