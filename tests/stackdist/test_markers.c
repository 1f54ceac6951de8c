/* test_markers.c - the markers' misses against the naive stack's */
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

#define LONGEST_TRACE 3000

static void list_sizes(char *spec, size_t bytes)
{
    uint64_t size = 0, number = 1 + below(6);
    size_t used = (size_t)snprintf(spec, bytes, "markers:at=");
    for (uint64_t i = 0; i < number; i++) {
        size += 1 + below(i % 2 == 0 ? 4 : 300);
        used += (size_t)snprintf(spec + used, bytes - used, "%s%" PRIu64,
                                 i == 0 ? "" : "+", size);
    }
}

static bool same_misses(const struct margay_result *markers,
                        const struct margay_result *naive)
{
    bool same = markers->references == naive->references &&
                markers->infinite == naive->infinite &&
                markers->distinct_blocks == naive->distinct_blocks;
    for (size_t i = 0; i < markers->point_count && naive->references > 0; i++) {
        uint64_t size = markers->points[i].cache_blocks;
        struct margay_sizes sizes = {
            .kind = MARGAY_SIZES_LIST, .list_blocks = &size, .list_count = 1};
        struct margay_point *point;
        size_t count;
        if (margay_result_curve(naive, &sizes, &point, &count, NULL) !=
            MARGAY_OK)
            abort();
        same = same && point->misses == markers->points[i].misses;
        free(point);
    }
    return same;
}

static void test_random(void)
{
    const struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    static uint64_t blocks[LONGEST_TRACE];
    uint64_t number = rounds(600), failures = 0;
    for (uint64_t round = 0; round < number; round++) {
        char spec[256];
        size_t count = (size_t)below(LONGEST_TRACE);
        make_trace((enum shape)(round % SHAPES), blocks, count,
                   1 + below(count / 2 + 3));
        size_t reset = round % 3 == 0 ? count / 3 : 0;
        list_sizes(spec, sizeof spec);
        struct margay_result markers =
            run_engine(spec, &options, blocks, count, reset);
        struct margay_result naive =
            run_engine("naive", &options, blocks, count, reset);
        if (!same_misses(&markers, &naive) && failures++ == 0)
            printf("#   %s, %zu references\n", spec, count);
        margay_result_clear(&markers);
        margay_result_clear(&naive);
    }
    CHECK_U64(failures, 0, "%" PRIu64 " traces", number);
}

int main(void)
{
    seed_chance(1991);
    test_random();
    return tap_done();
}
