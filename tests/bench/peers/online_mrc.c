/*
 * online_mrc.c - a file of numbers through the SHARDS of online_mrc
 *
 *     online_mrc RATE FILE
 *
 * FILE has 64-bit numbers of blocks.  Prints the miss ratios of caches of 64,
 * 128, ... blocks as lines `blocks ratio`.  Its library is compiled with this
 * file by tests/bench/peers.pl and is no part of this tree.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "histogram/histogram.h"
#include "shards/fixed_rate_shards.h"

#define BIN 64 /* distances */

int main(int argc, char **argv)
{
    static uint64_t blocks[1 << 16];
    struct FixedRateShards shards;
    const struct Histogram *histogram;
    FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (file == NULL ||
        !FixedRateShards__init(&shards, atof(argv[1]), 1 << 18, BIN, true)) {
        fprintf(stderr, "usage: online_mrc RATE FILE\n");
        return 2;
    }
    for (size_t count;
         (count = fread(blocks, sizeof *blocks, 1 << 16, file)) > 0;) {
        for (size_t i = 0; i < count; i++)
            FixedRateShards__access_item(&shards, blocks[i]);
    }
    FixedRateShards__post_process(&shards);
    FixedRateShards__get_histogram(&shards, &histogram);
    uint64_t hits = 0, size = BIN;
    for (uint64_t i = 0; i < histogram->num_bins; i++) {
        hits += histogram->histogram[i];
        if ((i + 1) * BIN == size) {
            printf("%llu %.6f\n", (unsigned long long)size,
                   1 - (double)hits / (double)histogram->running_sum);
            size *= 2;
        }
    }
    return 0;
}
