/* test_selection.c - skip, limit, warm-up, kinds; references to blocks */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/traces/read_all.h"

#define LINES 60000 /* several batches */

/* The references of `all` that the selection should keep, one at a time. */
static struct whole_trace select_slowly(const struct whole_trace *all,
                                        const struct margay_trace_options *o)
{
    struct whole_trace kept = {
        .numbers = malloc(all->count * 8 + 1),
        .kinds = malloc(all->count + 1),
        .extents = malloc(all->count * 4 + 1),
    };
    for (uint64_t i = 0; i < all->count; i++) {
        if (i < o->skip_refs || i - o->skip_refs >= o->limit_refs)
            continue;
        if ((o->kinds & MARGAY_KIND_BIT(all->kinds[i])) == 0)
            continue;
        kept.warmup += i - o->skip_refs < o->warmup_refs;
        kept.numbers[kept.count] = all->numbers[i];
        kept.kinds[kept.count] = all->kinds[i];
        kept.extents[kept.count] = all->extents[i];
        kept.count++;
    }
    return kept;
}

static bool selects_alike(const char *path, const struct whole_trace *all,
                          const struct margay_trace_options *options)
{
    struct whole_trace got = read_path(path, options);
    struct whole_trace expected = select_slowly(all, options);
    bool alike = got.status == MARGAY_OK && same_trace(&got, &expected) &&
                 got.warmup == expected.warmup;
    if (!alike)
        printf("#   skip %" PRIu64 " limit %" PRIu64 " warm-up %" PRIu64
               " kinds %u: %zu references (%zu), expected %zu (%zu)\n",
               options->skip_refs, options->limit_refs, options->warmup_refs,
               options->kinds, got.count, got.warmup, expected.count,
               expected.warmup);
    drop_trace(&got);
    drop_trace(&expected);
    return alike;
}

/* A count that is often 0, a batch's end, the trace's end, or beyond. */
static uint64_t odd_count(uint64_t total)
{
    static const uint64_t odd[] = {0, 1, 16383, 16384, 16385, 32768};
    uint64_t choice = below(10);
    if (choice < 6)
        return odd[choice];
    if (choice == 6)
        return UINT64_MAX;
    return below(total + 2);
}

static void test_selections(const char *name, const char *text, size_t bytes)
{
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    seed_chance(6);
    write_file(make_path(path, name), text, bytes);
    struct whole_trace all = read_path(path, &options);
    CHECK(all.count >= LINES, "%s: %zu references", name, all.count);
    uint64_t tries = rounds(150), wrong = 0;
    for (uint64_t i = 0; i < tries; i++) {
        options.skip_refs = odd_count(all.count);
        options.limit_refs = odd_count(all.count);
        options.warmup_refs = odd_count(all.count);
        options.kinds = (unsigned)below(8);
        wrong += !selects_alike(path, &all, &options);
    }
    CHECK_U64(wrong, 0, "%s: %" PRIu64 " selections", name, tries);
    drop_trace(&all);
    unlink(path);
}

static void test_all_selections(void)
{
    seed_chance(7);
    char *text = malloc(LINES * 32);
    size_t used = 0;
    for (size_t i = 0; i < LINES; i++)
        used += (size_t)sprintf(text + used, "%s%" PRIx64 ",%u\n",
                                &"I  \0 L \0 S \0 M "[4 * below(4)],
                                any_u64() >> (i % 60), (unsigned)(1 + i % 20));
    test_selections("trace.lackey", text, used);
    used = 0;
    for (size_t i = 0; i < LINES; i++)
        used += (size_t)sprintf(text + used, "%" PRIu64 "\n",
                                any_u64() >> (i % 60));
    test_selections("trace.lines", text, used);
    free(text);
}

/* Lines after the limit are not read. */
static void test_limit_stops(void)
{
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.limit_refs = 2;
    write_file(make_path(path, "trace"), "0 1\n0 2\n0 x\n", 12);
    struct whole_trace got = read_path(path, &options);
    CHECK(got.status == MARGAY_OK && got.count == 2,
          "a bad line after the limit: %zu references", got.count);
    drop_trace(&got);
    options.limit_refs = 3;
    got = read_path(path, &options);
    CHECK(got.status == MARGAY_BAD_INPUT && got.count == 2,
          "a bad line within the limit: %s", got.error.message);
    drop_trace(&got);
    unlink(path);
}

static void check_shown(const struct margay_trace_options *options,
                        const char *text, const char *expected,
                        const char *what)
{
    CHECK_TEXT(show_bytes("trace", options, text, strlen(text)), expected, "%s",
               what);
}

/* An M is two references as read; sizes in bytes are dropped when addresses are
   read as ids. */
static void test_references(void)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.skip_refs = 1;
    options.limit_refs = 2;
    check_shown(&options, " M 1,1\n L 2,1\n L 3,1\n", "w1 r2",
                "half an M is skipped");
    options = (struct margay_trace_options)MARGAY_TRACE_OPTIONS_DEFAULT;
    options.ids = true;
    check_shown(&options, " L 10,8\n", "r10", "lackey as ids has no sizes");
    check_shown(&options, "16 8 0 0\n", "10+8",
                "arc holds ids and keeps its counts");
}

/* -------------------------------------------------------------- blocks -- */

static const uint64_t straddle_numbers[] = {
    0, 60, 63, 64, 100, UINT64_MAX, UINT64_MAX - 3, 128, 7, UINT64_MAX - 64};
static const uint32_t straddle_extents[] = {4, 8, 2, 1, 200,
                                            8, 4, 0, 1, UINT32_MAX};
static const uint8_t straddle_kinds[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
#define STRADDLES (sizeof straddle_numbers / sizeof *straddle_numbers)

/* The blocks touched, counted unit by unit in 128 bits. */
static size_t blocks_slowly(unsigned shift, bool split, uint64_t *blocks,
                            uint8_t *kinds)
{
    __extension__ typedef unsigned __int128 u128;
    size_t count = 0;
    for (size_t i = 0; i < STRADDLES; i++) {
        u128 first = straddle_numbers[i];
        u128 end = split ? first + straddle_extents[i] : first + 1;
        if (end > (u128)1 << 64)
            end = (u128)1 << 64;
        for (u128 block = first >> shift; block << shift < end && first < end;
             block++) {
            blocks[count] = (uint64_t)block;
            kinds[count++] = straddle_kinds[i];
        }
    }
    return count;
}

static bool blocks_right(unsigned shift, bool split, size_t capacity)
{
    static uint64_t expected[4096], got[4096];
    static uint8_t expected_kinds[4096], got_kinds[4096];
    struct margay_batch batch = {
        .references = STRADDLES,
        .numbers = straddle_numbers,
        .kinds = straddle_kinds,
        .extents = straddle_extents,
    };
    struct margay_block_cursor cursor = {0};
    size_t expected_count =
        blocks_slowly(shift, split, expected, expected_kinds);
    size_t count = 0, more;
    while (
        (more = margay_batch_blocks(&batch, shift, split, &cursor, got + count,
                                    got_kinds + count, NULL, capacity)) > 0)
        count += more;
    return count == expected_count &&
           memcmp(got, expected, count * sizeof *got) == 0 &&
           memcmp(got_kinds, expected_kinds, count) == 0;
}

static void test_blocks(void)
{
    unsigned wrong = 0;
    for (unsigned shift = 0; shift < 64; shift++) {
        for (size_t capacity = 1; capacity <= 1024; capacity *= 4) {
            wrong += !blocks_right(shift, false, capacity);
            wrong += shift >= 3 && !blocks_right(shift, true, capacity);
        }
    }
    CHECK_U64(wrong, 0, "first and split, every shift and several capacities");
}

static void test_blocks_without_arrays(void)
{
    uint64_t blocks[4];
    uint8_t kinds[4] = {9, 9, 9, 9};
    struct margay_batch batch = {.references = 2,
                                 .numbers = (uint64_t[]){64, UINT64_MAX}};
    struct margay_block_cursor cursor = {0};
    CHECK_U64(
        margay_batch_blocks(&batch, 6, true, &cursor, blocks, kinds, NULL, 4),
        2, "split without extents: one block each");
    CHECK(blocks[0] == 1 && blocks[1] == UINT64_MAX >> 6, "the right ones");
    CHECK(kinds[0] == MARGAY_READ && kinds[1] == MARGAY_READ,
          "without kinds they are reads");
    CHECK_U64(
        margay_batch_blocks(&batch, 6, true, &cursor, blocks, NULL, NULL, 4), 0,
        "and no more");
    struct margay_batch empty = {0};
    cursor = (struct margay_block_cursor){0};
    CHECK_U64(
        margay_batch_blocks(&empty, 0, false, &cursor, blocks, NULL, NULL, 4),
        0, "an empty batch");
}

int main(void)
{
    test_all_selections();
    test_limit_stops();
    test_references();
    test_blocks();
    test_blocks_without_arrays();
    return tap_done();
}
