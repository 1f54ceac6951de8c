/*
 * stages.c - where the time of the exact engine goes, on one thread
 *
 *     stages [ROUNDS] FILE.u64...
 *
 * Algorithm: the two stages of the engine (exact_kernel.c) are run alone over
 *   the whole file: every number is looked up in the hash table, and every
 *   previous timestamp, found beforehand, is ranked and counted.  Beside them
 *   the engine runs over the same numbers.  All are in memory, all tables are
 *   of the right size and touched, and the filter is off.  The model says that
 *   the engine takes what its stages take.
 *
 * Prints a row for each file: nanoseconds of the processor per reference of the
 * look-ups, of the ranks, and of the engine; the sum of the first two, divided
 * by the third; and cycles per reference of the ranks.  Medians of rounds in
 * which the stages take turns.  Files have at most 12 million references, for
 * which an axis needs no compaction.
 */
#include <inttypes.h>
#include <string.h>

#include "stackdist/exact/exact_state.h"
#include "tests/bench/bench.h"

#define MAX_ROUNDS 99
#define MAX_REFS   12000000
#define BATCH      ((size_t)MARGAY_EXACT_BATCH)
#define PIECE      8192

enum stage { LOOK_UPS, RANKS, ENGINE, STAGES };

struct input {
    uint64_t *blocks; /* whole batches of references, and one batch more */
    uint64_t *past;   /* their previous timestamps, or 0 */
    size_t count;
    uint64_t distinct;
};

static void check(enum margay_status status)
{
    if (status != MARGAY_OK)
        die("stages", "no memory");
}

static double now(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

/* Cycles per nanosecond: additions that wait for each other take one each. */
static double clock_rate(void)
{
    const uint64_t additions = 100000000;
    double before = now();
    uint64_t sum = 0;
    for (uint64_t i = 0; i < additions; i++) {
        sum++;
        __asm__ volatile("" : "+r"(sum));
    }
    return (double)additions / (now() - before) / 1e9;
}

static void read_input(const char *path, struct input *input)
{
    size_t count;
    input->blocks = read_numbers(path, 0, BATCH, &count);
    input->count = (count < MAX_REFS ? count : MAX_REFS) / BATCH * BATCH;
    input->past = calloc(input->count + BATCH, sizeof *input->past);
    if (input->past == NULL)
        die(path, "no memory");
}

/* The timestamps that the engine gives, and so the previous ones. */
static void find_past(struct input *input)
{
    struct margay_hash hash;
    check(margay_hash_create(&hash, input->count, NULL));
    for (size_t i = 0; i < input->count; i++) {
        uint32_t *value = margay_hash_insert(&hash, input->blocks[i]);
        input->past[i] = *value;
        *value = (uint32_t)margay_rank_nth(i);
    }
    input->distinct = hash.entries;
    margay_hash_destroy(&hash);
}

/* A copy of the engine's own, which is compiled into its kernels and is none of
   what a library has: a call for each batch would be measured too. */
static void find_homes(const struct margay_hash *hash, const uint64_t *blocks,
                       struct margay_bucket **homes)
{
    for (size_t k = 0; k < BATCH; k++)
        homes[k] = hash->buckets + margay_hash_home(hash, blocks[k]);
}

/* As the engine looks them up, and nothing else is done with them. */
static double look_up_all(const struct input *input)
{
    struct margay_hash hash;
    check(margay_hash_create_stretched(&hash, input->distinct + PIECE, NULL));
    double before = now();
    for (size_t i = 0; i < input->count; i += BATCH) {
        const uint64_t *blocks = input->blocks + i;
        struct margay_bucket *homes[MARGAY_EXACT_BATCH];
        struct margay_bucket *next_homes[MARGAY_EXACT_BATCH];
        find_homes(&hash, blocks, homes);
        find_homes(&hash, blocks + BATCH, next_homes);
        for (size_t k = 0; k < BATCH; k++) {
            unsigned slot;
            __builtin_prefetch(next_homes[k], 1);
            struct margay_bucket *bucket =
                margay_hash_slot_from(&hash, homes[k], blocks[k], &slot);
            bucket->keys[slot] = blocks[k];
            bucket->values[slot] = (uint32_t)(i + k) + 1;
        }
    }
    double seconds = now() - before;
    margay_hash_destroy(&hash);
    return seconds;
}

/* An engine without a filter whose tables are of the right size, and touched.
 */
static struct margay_exact *make_engine(const struct input *input)
{
    struct margay_engine_setup setup = {
        .settings = {.choices = {MARGAY_FILTER_OFF}},
        .options = MARGAY_ENGINE_OPTIONS_DEFAULT,
    };
    void *state;
    check(margay_engine_make_state(&margay_engine_exact, &setup, &state, NULL));
    struct margay_exact *e = state;
    e->expected_refs = input->count;
    check(margay_exact_expect(e, input->distinct + PIECE, NULL));
    memset(e->counters, 0, e->counter_count * sizeof *e->counters);
    margay_rank_fill(&e->rank, 0);
    return e;
}

static double rank_all(const struct input *input)
{
    struct margay_exact *e = make_engine(input);
    double before = now();
    for (size_t i = 0; i < input->count; i += BATCH) {
        const uint64_t *past = input->past + i;
        for (size_t k = 0; k < BATCH; k++)
            margay_rank_prefetch(&e->rank, past[BATCH + k]);
        if (margay_rank_full(&e->rank))
            die("stages", "the axis is too short");
        margay_rank_enter(&e->rank);
        margay_rank_append(&e->rank, BATCH);
        e->kernel->rank(e, past, BATCH, 0);
    }
    double seconds = now() - before;
    margay_engine_free_state(&margay_engine_exact, e);
    return seconds;
}

static double run_engine(const struct input *input)
{
    struct margay_exact *e = make_engine(input);
    double before = now();
    for (size_t i = 0; i < input->count; i += PIECE) {
        size_t left = input->count - i;
        check(margay_exact_feed(e, input->blocks + i,
                                left < PIECE ? left : PIECE, NULL, NULL));
    }
    double seconds = now() - before;
    margay_engine_free_state(&margay_engine_exact, e);
    return seconds;
}

static void measure(const char *path, unsigned rounds)
{
    static double seconds[STAGES][MAX_ROUNDS], rates[MAX_ROUNDS];
    static double models[MAX_ROUNDS];
    struct input input;
    double ns[STAGES];
    read_input(path, &input);
    find_past(&input);
    for (unsigned round = 0; round < rounds; round++) {
        seconds[LOOK_UPS][round] = look_up_all(&input);
        seconds[RANKS][round] = rank_all(&input);
        seconds[ENGINE][round] = run_engine(&input);
        rates[round] = clock_rate();
        models[round] = (seconds[LOOK_UPS][round] + seconds[RANKS][round]) /
                        seconds[ENGINE][round];
    }
    for (unsigned i = 0; i < STAGES; i++)
        ns[i] = 1e9 * median(seconds[i], rounds) / (double)input.count;
    printf("%s,%.2f,%.2f,%.2f,%.2f,%.1f\n", path, ns[LOOK_UPS], ns[RANKS],
           ns[ENGINE], median(models, rounds),
           ns[RANKS] * median(rates, rounds));
    free(input.blocks);
    free(input.past);
}

int main(int argc, char **argv)
{
    int first = argc > 1 && atoi(argv[1]) > 0 ? 2 : 1;
    int rounds = first == 2 ? atoi(argv[1]) : 5;
    if (argc <= first || rounds > MAX_ROUNDS) {
        fprintf(stderr, "usage: stages [ROUNDS] FILE.u64...\n");
        return 2;
    }
    printf("file,look_ups,ranks,engine,model,rank_cycles\n");
    for (int i = first; i < argc; i++)
        measure(argv[i], (unsigned)rounds);
    return 0;
}
