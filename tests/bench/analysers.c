/*
 * analysers.c - what the project wants of the speed of its engines
 *
 *     analysers [LARGEST]
 *
 * Million references per second of the processor's time on one thread, medians
 * over rounds in which the engines take turns; a table for
 * docs/measured/analysers.md.
 * LARGEST is the number of blocks that the scale tree's sweep goes up to
 * (10000000); a hundred million take 2.2 GB.  Starts in the root of the tree.
 */
#define _GNU_SOURCE
#include <string.h>

#include "tests/bench/bench.h"
#include <margay/stackdist.h>
#include <margay/traces.h>

#define PIECE_REFS 8192
#define ROUNDS     5

/* A trace in memory, or the pattern of margay engines --sweep. */
struct workload {
    uint64_t *blocks; /* NULL: the pattern */
    uint64_t references, part_blocks;
};

static double now_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static const uint64_t *next_piece(const struct workload *load, uint64_t from,
                                  size_t count, uint64_t *piece)
{
    if (load->blocks != NULL)
        return load->blocks + from;
    uint64_t part = load->part_blocks;
    for (size_t i = 0; i < count; i++)
        piece[i] = (from + i) / (2 * part) * part + (from + i) % part;
    return piece;
}

/* Seconds of an engine on a workload. */
static double time_engine(const char *spec, const struct workload *load)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_result result;
    margay_engine *engine;
    uint64_t piece[PIECE_REFS];
    double begin = now_seconds(), sum = 0;
    if (margay_engine_create(spec, &options, &engine, NULL) != MARGAY_OK)
        die(spec, "cannot be measured");
    for (uint64_t done = 0; done < load->references; done += PIECE_REFS) {
        uint64_t left = load->references - done;
        size_t count = left < PIECE_REFS ? (size_t)left : PIECE_REFS;
        sum += now_seconds() - begin;
        const uint64_t *blocks = next_piece(load, done, count, piece);
        begin = now_seconds();
        if (margay_engine_feed(engine, blocks, count, NULL, NULL) != MARGAY_OK)
            die(spec, "cannot be measured");
    }
    if (margay_engine_finish(engine, &result, NULL) != MARGAY_OK)
        die(spec, "cannot be measured");
    sum += now_seconds() - begin;
    margay_engine_free(engine);
    margay_result_clear(&result);
    return sum;
}

/* Million references per second of each of `count` engines, 4 at most. */
static void measure(const char *const *specs, size_t count, unsigned rounds,
                    const struct workload *load, double *rates)
{
    double seconds[4][ROUNDS];
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++)
            seconds[i][round] = time_engine(specs[i], load);
    }
    for (size_t i = 0; i < count; i++) {
        rates[i] =
            (double)load->references / median(seconds[i], rounds) / 1000000;
    }
}

/* ------------------------------------------------------------ workloads -- */

static struct workload generate(const char *name, double exponent,
                                uint64_t references)
{
    struct margay_generator_options options = {
        .blocks = 1000000, .seed = 1, .exponent = exponent};
    struct workload load = {malloc(references * sizeof(uint64_t)), references,
                            0};
    margay_generator *generator = NULL;
    if (load.blocks == NULL ||
        margay_generator_create(name, &options, &generator, NULL) != MARGAY_OK)
        die(name, "cannot be generated");
    margay_generator_next(generator, load.blocks, references);
    margay_generator_free(generator);
    return load;
}

/* ----------------------------------------------------------------- goals -- */

static void show(const char *what, const char *wanted, const char *against,
                 double rate, double other)
{
    printf("| %s | %s | %.1f |", what, wanted, rate);
    if (other > 0)
        printf(" `%s` %.1f | %.2f |\n", against, other, rate / other);
    else
        printf(" | |\n");
}

static void compare(const char *what, const char *wanted, const char *spec,
                    const char *against, unsigned rounds, struct workload load)
{
    const char *const specs[] = {spec, against};
    char text[128];
    double rates[2] = {0, 0};
    measure(specs, against == NULL ? 1 : 2, rounds, &load, rates);
    snprintf(text, sizeof text, "`%s`, %s", spec, what);
    show(text, wanted, against, rates[0], rates[1]);
    fflush(stdout);
    free(load.blocks);
}

static void sweep(uint64_t largest)
{
    double first = 0;
    for (uint64_t blocks = 100000; blocks <= largest; blocks *= 10) {
        const char *const specs[] = {"scale-tree"};
        struct workload load = {NULL, 2 * blocks, blocks / 100};
        char text[64];
        double rate;
        measure(specs, 1, blocks <= 1000000 ? ROUNDS : 1, &load, &rate);
        first = blocks == 100000 ? rate : first;
        snprintf(text, sizeof text, "`scale-tree`, sweep of %llu blocks",
                 (unsigned long long)blocks);
        show(text, "0.7", "at 100000", rate, first);
        fflush(stdout);
    }
}

int main(int count, char **arguments)
{
    uint64_t largest = count > 1 ? strtoull(arguments[1], NULL, 10) : 10000000;
    printf("| engine and trace | wanted | million/s | against | ratio |\n"
           "| --- | --- | --- | --- | --- |\n");
    compare("Zipf 0.8", "300 million/s", "shards", NULL, ROUNDS,
            generate("zipf", 0.8, 10000000));
    compare("Zipf 0.8", "3", "bennett-kruskal:k=16", "olken", 1,
            generate("zipf", 0.8, 10000000));
    compare("Zipf 0.8", "1", "scale-tree", "olken", 1,
            generate("zipf", 0.8, 3000000));
    compare("uniform", "1", "scale-tree", "olken", 1,
            generate("uniform", 0, 3000000));
    compare("loop", "1", "scale-tree", "olken", 3,
            generate("loop", 0, 3000000));
    compare("sweep", "1", "scale-tree", "olken", ROUNDS,
            (struct workload){NULL, 2000000, 10000});
    sweep(largest);
    return 0;
}
