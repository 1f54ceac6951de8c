/*
 * cheetah.c - a file of addresses through Cheetah's caches of one block size
 *
 *     cheetah BLOCK_BITS SET_BITS WAY_BITS FILE
 *
 * LRU caches of 1 to 2^SET_BITS sets and 1 to 2^WAY_BITS ways.  FILE has 64-bit
 * addresses, of which Cheetah takes blocks below 2^31.  Prints lines
 * `block_bytes sets ways misses`.  Cheetah's two files, saclru.c and util.c,
 * are compiled with this one by tests/bench/peers.pl and are no part of this
 * tree; they are of 1993, and so are the declarations below.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What they expect from the program around them. */
int N, B, myB, A, L, T = INT32_MAX, SAVE_INTERVAL = INT32_MAX,
                     P_INTERVAL = INT32_MAX;

extern unsigned **sac_hits; /* [ways - 1][log of sets], complete when printed */
int init_saclru();
void sacnmul_woarr(unsigned long address);
void outpr_saclru(FILE *file);

/* What the copy in SimpleScalar's tree calls where it gives up. */
void _fatal()
{
    abort();
}

static uint64_t addresses[1 << 16];

int main(int argc, char **argv)
{
    FILE *file = argc == 5 ? fopen(argv[4], "rb") : NULL;
    FILE *nowhere = fopen("/dev/null", "w");
    size_t count, i;
    int sets, ways;
    uint64_t refs = 0, hits;
    if (file == NULL || nowhere == NULL) {
        fprintf(stderr, "usage: cheetah BLOCK_BITS SET_BITS WAY_BITS FILE\n");
        return 2;
    }
    L = atoi(argv[1]);
    B = myB = atoi(argv[2]); /* one name or the other */
    N = atoi(argv[3]);
    init_saclru();
    while ((count = fread(addresses, sizeof *addresses, 1 << 16, file)) > 0) {
        for (i = 0; i < count; i++)
            sacnmul_woarr(addresses[i]);
        refs += count;
    }
    outpr_saclru(nowhere);
    for (sets = 0; sets <= B; sets++) {
        hits = 0;
        for (ways = 0; ways < 1 << N; ways++) {
            hits += sac_hits[ways][sets];
            printf("%d %d %d %llu\n", 1 << L, 1 << sets, ways + 1,
                   (unsigned long long)(refs - hits));
        }
    }
    return 0;
}
