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
 *     passes lru FILE BYTES   simulate one LRU cache of objects of that many
 *                             bytes, by itself: what a curve of all sizes is to
 *                             be compared with; prints misses, too
 *     passes optimal FILE.u64 [SHIFT [BOUND [BYPASS]]]
 *                             measure Belady's optimum of the blocks number >>
 *                             SHIFT
 *
 * Prints the number of references; of the optimum a table: the references, the
 * distinct blocks, millions of references per second of processor time, reading
 * not counted, the largest distance, and the bytes of memory that the process
 * has come to take beyond the file, per distinct block.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "stackdist/exact/hash.h"
#include "tests/bench/bench.h"
#include "traces/traces_internal.h"
#include <margay/stackdist.h>

/* Bucket addresses are prefetched this many look-ups ahead. */
#define AHEAD 64

static void check(enum margay_status status, const struct margay_error *error)
{
    if (status != MARGAY_OK)
        die("passes", error->message);
}

static void hash_batch(struct margay_hash *hash, const uint64_t *numbers,
                       size_t count, uint32_t *time)
{
    struct margay_error error;
    check(margay_hash_reserve(hash, count, &error), &error);
    for (size_t i = 0; i < count && i < AHEAD; i++)
        margay_hash_prefetch(hash, numbers[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            margay_hash_prefetch(hash, numbers[i + AHEAD]);
        *margay_hash_insert(hash, numbers[i]) = ++*time;
    }
}

static void hash_pass(const char *path, uint64_t blocks)
{
    static uint64_t numbers[8192];
    const size_t numbers_max = sizeof numbers / sizeof numbers[0];
    struct margay_error error;
    struct margay_hash hash;
    check(blocks == 0 ? margay_hash_create(&hash, numbers_max, &error)
                      : margay_hash_create_stretched(
                            &hash, blocks + numbers_max, &error),
          &error);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        die(path, "cannot be opened");
    setvbuf(file, NULL, _IONBF, 0);
    uint32_t time = 0;
    size_t count;
    while ((count = fread(numbers, sizeof numbers[0], numbers_max, file)) > 0)
        hash_batch(&hash, numbers, count, &time);
    fclose(file);
    margay_hash_destroy(&hash);
    printf("%" PRIu32 "\n", time);
}

/* Read a trace; each batch is given to `use`. */
static void read_trace(const char *path, const char *column,
                       void (*use)(const struct margay_batch *batch))
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.column = column;
    struct margay_error error;
    struct margay_batch batch;
    margay_trace *trace;
    uint64_t references = 0;
    enum margay_status status =
        margay_trace_open(path, &options, &trace, &error);
    while (status == MARGAY_OK &&
           (status = margay_trace_next(trace, -1, &batch, &error)) ==
               MARGAY_OK) {
        references += batch.references;
        if (use != NULL)
            use(&batch);
    }
    if (status != MARGAY_END)
        die("passes", error.message);
    margay_trace_free(trace);
    printf("%" PRIu64 "\n", references);
}

/* ------------------------------------------------------------------- lru -- */

struct object {
    uint64_t size;
    uint32_t newer, older; /* places in the list by last use; 0 is its head */
    bool cached;
};

/* An object is looked up in the table, which has its place. */
static struct {
    struct margay_hash hash;
    struct object *objects;
    size_t known, room;
    uint64_t used, capacity, misses;
} lru;

static void take_out(uint32_t place)
{
    struct object *object = &lru.objects[place];
    lru.objects[object->newer].older = object->older;
    lru.objects[object->older].newer = object->newer;
    object->cached = false;
    lru.used -= object->size;
}

static void put_first(uint32_t place)
{
    struct object *object = &lru.objects[place], *head = &lru.objects[0];
    object->newer = 0;
    object->older = head->older;
    lru.objects[head->older].newer = place;
    head->older = place;
    object->cached = true;
    lru.used += object->size;
}

static void refer(uint64_t name, uint64_t size)
{
    uint32_t *place = margay_hash_insert(&lru.hash, name);
    if (*place == 0) {
        lru.known++;
        if (!MARGAY_MAKE_ROOM(lru.objects, lru.known, 1, lru.room))
            die("passes", "out of memory");
        lru.objects[lru.known] = (struct object){.size = size};
        *place = (uint32_t)lru.known;
    }
    struct object *object = &lru.objects[*place];
    lru.misses += !object->cached;
    if (object->cached)
        take_out(*place);
    if (object->size > lru.capacity)
        return;
    while (object->size > lru.capacity - lru.used)
        take_out(lru.objects[0].newer);
    put_first(*place);
}

static void refer_all(const struct margay_batch *batch)
{
    struct margay_error error;
    if (batch->sizes == NULL)
        die("passes", "a trace without sizes");
    check(margay_hash_reserve(&lru.hash, batch->references, &error), &error);
    for (size_t i = 0; i < batch->references; i++)
        refer(batch->numbers[i], batch->sizes[i]);
}

static void lru_pass(const char *path, uint64_t bytes)
{
    struct margay_error error;
    lru.capacity = bytes;
    if (!MARGAY_MAKE_ROOM(lru.objects, 0, 1, lru.room))
        die("passes", "out of memory");
    lru.objects[0] = (struct object){.size = 0};
    check(margay_hash_create(&lru.hash, 1024, &error), &error);
    read_trace(path, NULL, refer_all);
    printf("%" PRIu64 "\n", lru.misses);
}

/* --------------------------------------------------------------- optimum -- */

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static void optimal_pass(const char *path, unsigned shift, uint64_t bound,
                         bool bypass)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_error error;
    struct margay_result result;
    margay_engine *engine;
    size_t count;
    uint64_t *numbers = read_numbers(path, shift, &count), largest = 0;
    options.bound_blocks = bound;
    options.measure =
        bypass ? MARGAY_OPTIMAL_BYPASS_DISTANCES : MARGAY_OPTIMAL_DISTANCES;
    check(margay_engine_create("exact", &options, &engine, &error), &error);
    double memory = peak_bytes(), start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    check(margay_engine_feed(engine, numbers, count, NULL, &error), &error);
    check(margay_engine_finish(engine, &result, &error), &error);
    double seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
    memory = peak_bytes() - memory;
    margay_histogram_largest(result.histogram, &largest);
    printf("references,distinct_blocks,million_refs_per_second,"
           "largest_distance,bytes_per_block\n"
           "%zu,%" PRIu64 ",%.2f,%" PRIu64 ",%.1f\n",
           count, result.distinct_blocks, (double)count / seconds / 1e6,
           largest, memory / (double)result.distinct_blocks);
}

int main(int argc, char **argv)
{
    uint64_t numbers[3] = {0};
    for (int i = 3; i < argc && i < 6; i++)
        numbers[i - 3] = strtoull(argv[i], NULL, 10);
    if (argc < 3 || argc > 6)
        die("usage", "passes hash|read|lru|optimal FILE [WHAT...]");
    if (strcmp(argv[1], "hash") == 0)
        hash_pass(argv[2], numbers[0]);
    else if (strcmp(argv[1], "read") == 0)
        read_trace(argv[2], argv[3], NULL);
    else if (strcmp(argv[1], "lru") == 0)
        lru_pass(argv[2], numbers[0]);
    else if (strcmp(argv[1], "optimal") == 0)
        optimal_pass(argv[2], (unsigned)numbers[0], numbers[1],
                     numbers[2] != 0);
    else
        die(argv[1], "no pass");
    return 0;
}
