/*
 * test_dense.c - the exact engine with memory=low, where its table is hard put
 *
 * The table stores a part of each id only, and the homes of ids that are made
 * for that are all the same.
 */
#include "stackdist/exact/exact_state.h"
#include "tests/rounds.h"
#include "tests/stackdist/ask.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define REFS 40000

/* So few that the table grows several times. */
#define DENSE_FROM 4096

static uint64_t blocks[REFS], expected[REFS], got[REFS];
static size_t refs; /* of these */

/* Ids from numbers: as they are, with one home, with one tag, with one tag in
   neighbouring homes, in one half of the table, and all bits but few. */
enum coding { PLAIN, ONE_HOME, ONE_TAG, NEIGHBOURS, ONE_HALF, HIGH, CODINGS };

static const char *const coding_names[CODINGS] = {
    "plain", "one home", "one tag", "one tag near", "one half", "high bits"};

static uint64_t id_of(enum coding coding, uint64_t number)
{
    switch (coding) {
    case ONE_HOME:
        return margay_dense_unmix(number);
    case ONE_TAG:
        return margay_dense_unmix(number << 32);
    case NEIGHBOURS:
        return margay_dense_unmix(number << 40 | 7);
    case ONE_HALF:
        return margay_dense_unmix(number * UINT64_C(0x9e3779b97f4a7c15) >> 1);
    case HIGH:
        return ~(number << 44);
    default:
        return number;
    }
}

/* Ids that all look alike make one long run of the table beside. */
static bool is_crowded(enum coding coding)
{
    return coding == ONE_HOME || coding == NEIGHBOURS || coding == ONE_HALF;
}

static void fill_blocks(enum coding coding, struct margay_random *random)
{
    bool crowded = is_crowded(coding);
    uint64_t distinct = crowded ? 8800 : REFS;
    refs = crowded ? 12000 : REFS;
    for (size_t i = 0; i < refs; i++) {
        bool near = margay_random_below(random, 4) == 0;
        uint64_t number =
            crowded && i < distinct
                ? i
                : margay_random_below(random, near ? 40 : distinct);
        blocks[i] = id_of(coding, number);
    }
}

/* Does the engine know the stack, newest block last? */
static bool lists_stack(struct margay_exact *e, uint64_t bound)
{
    uint64_t *stack, count;
    struct margay_hash last;
    if (margay_exact_list_stack(e, &stack, &count, NULL) != MARGAY_OK ||
        margay_hash_create(&last, refs, NULL) != MARGAY_OK)
        return false;
    for (size_t i = 0; i < refs; i++)
        *margay_hash_insert(&last, blocks[i]) = (uint32_t)i + 1;
    uint64_t known = bound != 0 && bound < last.entries ? bound : last.entries;
    bool right = count == known;
    for (size_t i = refs; i-- > 0 && count > 0 && right;)
        right = *margay_hash_find(&last, blocks[i]) != i + 1 ||
                stack[--count] == blocks[i];
    margay_hash_destroy(&last);
    free(stack);
    return right && count == 0;
}

/* Are the timestamps short enough for the ids beside them? */
static bool has_room(const struct margay_dense *dense)
{
    return dense->buckets == NULL || UINT64_C(1) << dense->time_bits <=
                                         margay_dense_most_timestamps(dense);
}

/* In the order of the engine's parameters. */
static const enum margay_target targets[] = {
    [1] = MARGAY_TARGET_V4, MARGAY_TARGET_V3, MARGAY_TARGET_PORTABLE};

/* An engine to save memory; false if it cannot be made. */
static bool make(unsigned filter, unsigned target, uint64_t bound,
                 uint64_t first, struct margay_exact **e)
{
    struct margay_engine_setup setup = {
        .settings = {.choices = {filter, target, 1}},
        .options = MARGAY_ENGINE_OPTIONS_DEFAULT,
    };
    setup.options.bound_blocks = bound;
    *e = margay_map(sizeof **e);
    return margay_exact_create_at(&setup, first, *e, NULL) == MARGAY_OK;
}

/* Distances from an engine whose table becomes dense early, with time beginning
   at `first`; false if the engine fails or never had such a table. */
static bool run(unsigned filter, unsigned target, uint64_t bound,
                uint64_t first)
{
    struct margay_exact *e;
    bool fine = make(filter, target, bound, first, &e);
    e->dense_from_blocks = DENSE_FROM;
    for (size_t i = 0; fine && i < refs; i += 2000)
        fine = margay_exact_feed(e, blocks + i, 2000, got + i, NULL) ==
                   MARGAY_OK &&
               has_room(&e->dense);
    fine = fine && e->dense.buckets != NULL && lists_stack(e, bound);
    margay_engine_free_state(&margay_engine_exact, e);
    return fine;
}

static void compare(enum coding coding, uint64_t bound, uint64_t first)
{
    for (unsigned filter = is_crowded(coding) ? 2 : 0; filter <= 2; filter++) {
        for (unsigned target = 1; target <= 3; target++) {
            if (!margay_target_available(targets[target]))
                continue;
            bool same = run(filter, target, bound, first) &&
                        memcmp(got, expected, refs * sizeof *got) == 0;
            CHECK(same,
                  "%s, filter %u, target %s, bound %" PRIu64 " from %" PRIu64,
                  coding_names[coding], filter,
                  margay_target_name(targets[target]), bound, first);
        }
    }
}

static void test_ids(enum coding coding, struct margay_random *random)
{
    fill_blocks(coding, random);
    ask_distances("bennett-kruskal:k=2", blocks, refs, expected);
    compare(coding, 0, 0);
    compare(coding, 0, (UINT64_C(1) << 32) - 40 * 512);
    /* So that tables forget blocks once they are dense. */
    uint64_t bound = is_crowded(coding) ? 3600 : 5000;
    for (size_t i = 0; i < refs; i++)
        expected[i] = expected[i] < bound ? expected[i] : MARGAY_INFINITE;
    compare(coding, bound, 0);
}

/* What is found, entry by entry, after each change of the table. */
static bool has_all(const struct margay_dense *dense,
                    const struct margay_hash *hash, const uint64_t *ids,
                    size_t count)
{
    size_t found = 0;
    for (uint64_t i = 0; i < margay_dense_buckets(dense); i++) {
        const struct margay_dense_bucket *bucket = &dense->buckets[i];
        uint64_t first = margay_dense_first(dense, i);
        for (unsigned slot = 0; slot < MARGAY_DENSE_SLOTS; slot++) {
            uint64_t field = margay_dense_field(bucket, slot);
            uint64_t mixed = margay_dense_mixed(first, bucket->tags[slot],
                                                field, dense->time_bits);
            uint64_t time = margay_dense_time(dense, field);
            if (field != 0 && time <= count &&
                ids[time - 1] == margay_dense_unmix(mixed))
                found++;
        }
    }
    bool right = found == dense->entries;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *value = margay_hash_find(hash, ids[i]);
        found += value != NULL && *value == i + 1;
    }
    return right && found == count;
}

/* The table from which entries come at once, and which then grows. */
static void test_growth(size_t count, enum coding coding)
{
    struct margay_hash hash;
    struct margay_dense dense;
    uint64_t *ids = malloc(count * sizeof *ids);
    if (ids == NULL)
        abort();
    bool fine = margay_hash_create(&hash, count, NULL) == MARGAY_OK &&
                margay_dense_create(&dense, count, NULL) == MARGAY_OK;
    dense.time_bits = margay_log2_floor(margay_dense_most_timestamps(&dense));
    for (size_t i = 0; i < count; i++) {
        ids[i] = id_of(coding, i);
        margay_hash_put_new(&hash, ids[i], i + 1);
    }
    fine = fine && margay_dense_take(&dense, &hash, NULL) == MARGAY_OK;
    CHECK(fine && has_all(&dense, &hash, ids, count),
          "%zu ids are taken in, %s: %" PRIu64 " and %" PRIu64, count,
          coding_names[coding], dense.entries, hash.entries);
    for (int i = 0; i < 12 && fine; i++)
        fine = margay_dense_grow(&dense, &hash, NULL) == MARGAY_OK &&
               has_all(&dense, &hash, ids, count);
    CHECK(fine, "and are there when the table has grown twelve times");
    margay_dense_destroy(&dense);
    margay_hash_destroy(&hash);
    free(ids);
}

/* An entry whose timestamp has a lower word of 0 is neither taken for a free
   slot nor for that of a block whose id has the same rest and another tag. */
static void test_long_time(unsigned target)
{
    const uint64_t time = UINT64_C(1) << 32, tag = 5;
    const uint64_t ids[] = {margay_dense_unmix(tag),
                            margay_dense_unmix(tag + 1)};
    uint64_t times[] = {0, 0};
    struct margay_exact *e;
    bool fine = make(0, target, 0, 0, &e) &&
                margay_dense_create(&e->dense, DENSE_FROM, NULL) == MARGAY_OK;
    if (fine) {
        struct margay_dense_bucket *home = e->dense.buckets;
        e->dense.time_bits = 34;
        home->tags[0] = (uint32_t)tag;
        margay_dense_set_field(home, 0, 0,
                               margay_dense_join(&e->dense, tag, time));
        e->kernel->dense->find(e, ids, 2, times);
    }
    CHECK(fine && times[0] == time && times[1] == 0,
          "of two blocks the one at time 2^32 is found, target %s",
          margay_target_name(targets[target]));
    margay_engine_free_state(&margay_engine_exact, e);
}

/* 16 bytes for each block, with the tables beside this one. */
static void test_bytes(void)
{
    uint64_t entries = 5000000, homes;
    struct margay_dense dense;
    CHECK(margay_dense_create(&dense, entries, NULL) == MARGAY_OK,
          "a table for 5 million blocks");
    homes = dense.home_count;
    CHECK(homes * sizeof *dense.buckets < entries * 21 / 2,
          "takes less than 10.5 bytes for each");
    CHECK(margay_dense_limit(&dense) >= entries, "and has room for them");
    margay_dense_destroy(&dense);
    CHECK(margay_dense_create(&dense, UINT64_C(1) << 40, NULL) ==
              MARGAY_NO_MEMORY,
          "a table for 2^40 blocks is refused");
}

int main(void)
{
    struct margay_random random;
    margay_random_seed(&random, 22);
    for (unsigned coding = 0; coding < CODINGS; coding++) {
        test_ids((enum coding)coding, &random);
        test_growth(6000, (enum coding)coding);
    }
    test_growth(300000, PLAIN);
    test_growth(300000, HIGH);
    for (unsigned target = 1; target <= 3; target++) {
        if (margay_target_available(targets[target]))
            test_long_time(target);
    }
    test_bytes();
    return tap_done();
}
