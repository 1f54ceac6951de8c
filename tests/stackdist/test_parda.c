/*
 * test_parda.c - a trace in parts, step by step; test_engines.c has them at
 * random
 *
 * The steps are those of the tables in Niu et al., "PARDA", IPDPS 2012, where a
 * letter is a block; misprints of the paper are corrected by its definitions.
 */
#include "stackdist/engine.h"
#include "stackdist/histogram.h"
#include "stackdist/parts/part.h"
#include "tests/stackdist/results.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

static const struct margay_part_help nobody;

static struct margay_part begin(const char *letters, bool first, bool plain,
                                uint64_t bound)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_part part;
    uint64_t blocks[32];
    options.bound_blocks = bound;
    size_t count = strlen(letters);
    for (size_t i = 0; i < count; i++)
        blocks[i] = (uint64_t)letters[i];
    const struct margay_part_setup setup = {
        .spec = "olken", .options = &options, .first = first, .plain = plain};
    if (margay_part_begin(&part, &setup, NULL) != MARGAY_OK ||
        margay_part_feed(&part, blocks, count, NULL) != MARGAY_OK ||
        margay_part_close(&part, NULL) != MARGAY_OK)
        abort();
    return part;
}

static const char *as_text(const uint64_t *blocks, uint64_t count)
{
    static char text[33];
    for (uint64_t i = 0; i < count; i++)
        text[i] = (char)blocks[i];
    text[count] = '\0';
    return text;
}

static void check_touches(const struct margay_part *part, const char *expected,
                          const char *name)
{
    CHECK_TEXT(as_text(part->touches, part->touch_count), expected, "%s", name);
}

/* The counts of a part, without its first touches. */
static margay_histogram *counts_of(const struct margay_part *part)
{
    struct margay_result result = {0};
    if (part->plain)
        margay_histogram_copy(part->counts, &result.histogram, NULL);
    else
        margay_engine_peek(part->engine, &result, NULL);
    if (!part->plain)
        margay_histogram_uncount_infinite(result.histogram, part->touch_count);
    return result.histogram;
}

static uint64_t infinite_of(const struct margay_part *part)
{
    margay_histogram *counts = counts_of(part);
    uint64_t infinite = margay_histogram_infinite(counts) + part->beyond;
    margay_histogram_free(counts);
    return infinite;
}

/* Ask about a part's first touches; what is left, then what was counted. */
static void check_answers(struct margay_part *part, struct margay_part *later,
                          size_t *left, const char *expected_left,
                          const char *expected_counts, const char *name)
{
    char counts[256] = "";
    size_t used = 0;
    uint64_t distance, n, infinite = infinite_of(part);
    margay_histogram *before = counts_of(part), *after;
    margay_part_answer(part, later->touches, left, &nobody, NULL);
    infinite = infinite_of(part) - infinite;
    after = counts_of(part);
    for (uint64_t at = 0; margay_histogram_next(after, at, &distance, &n);
         at = distance + 1) {
        uint64_t had = 0, d = 0;
        if (!margay_histogram_next(before, distance, &d, &had) || d != distance)
            had = 0;
        if (n > had)
            used +=
                (size_t)snprintf(counts + used, sizeof counts - used,
                                 "%" PRIu64 "x%" PRIu64 " ", n - had, distance);
    }
    snprintf(counts + used, sizeof counts - used, "inf %" PRIu64, infinite);
    margay_histogram_free(before);
    margay_histogram_free(after);
    CHECK_TEXT(as_text(later->touches, *left), expected_left,
               "%s: what is left", name);
    CHECK_TEXT(counts, expected_counts, "%s: what is counted", name);
}

static void check_stack(struct margay_part *part, const char *expected,
                        const char *name)
{
    uint64_t *blocks, count;
    margay_part_list(part, &blocks, &count, NULL);
    CHECK_TEXT(as_text(blocks, count), expected, "%s", name);
    free(blocks);
}

static void test_table_2(bool plain)
{
    const char *how = plain ? "Table II, plain" : "Table II, in little space";
    struct margay_part first = begin("dacbcc", true, plain, 0);
    struct margay_part second = begin("gefafbc", false, plain, 0);
    size_t left = second.touch_count;
    CHECK_U64(infinite_of(&first), 4, "%s: 4 cold", how);
    check_touches(&second, "gefabc", "Table II: first touches of part 1");
    /* g, e and f are cold; a, b and c (references 9, 11 and 12) get 5. */
    check_answers(&first, &second, &left, "", "3x5 inf 3", how);
    margay_part_free(&first);
    margay_part_free(&second);
}

static void test_table_3(bool plain)
{
    struct margay_part part[3] = {
        begin("dacbccge", true, plain, 0),
        begin("fafbcmtm", false, plain, 0),
        begin("acfbdcac", false, plain, 0),
    };
    CHECK_U64(infinite_of(&part[0]), 6,
              "Table III: part 0 is at the beginning: d, a, c, b, g, e");
    CHECK_U64(part[0].touch_count, 0, "so there is nothing to ask about");
    check_touches(&part[1], "fabcmt", "Table III: first touches of part 1");
    check_touches(&part[2], "acfbd", "Table III: first touches of part 2");

    size_t left = part[1].touch_count;
    check_answers(&part[0], &part[1], &left, "", "3x5 inf 3",
                  "part 0 on part 1: a = 5, b = 5, c = 5; f, m, t cold");
    left = part[2].touch_count;
    check_answers(&part[1], &part[2], &left, "d",
                  plain ? "1x3 3x5 inf 0" : "1x3 3x5 inf 0",
                  "part 1 on part 2: a = 5, c = 3, f = 5, b = 5");
    check_answers(&part[0], &part[2], &left, "", "1x8 inf 0",
                  "part 0 on what is left: d = 2 + 6 = 8");
    if (!plain) {
        check_stack(&part[0], "ge", "Table III: part 0 keeps g, e");
        check_stack(&part[1], "tm", "Table III: part 1 keeps t, m");
        check_stack(&part[2], "fbdac", "Table III: part 2 has f, b, d, a, c");
    } else {
        check_stack(&part[0], "gefabcmtd", "plainly, part 0 has all of them");
        check_stack(&part[1], "tmacfbd", "and part 1 its own and part 2's");
    }
    for (size_t i = 0; i < 3; i++)
        margay_part_free(&part[i]);
}

/* Table III with a bound of 4: 17 infinite ones, and 0, 1, 3 as ever. */
static void test_table_3_bounded(void)
{
    struct margay_part part[3] = {
        begin("dacbccge", true, false, 4),
        begin("fafbcmtm", false, false, 4),
        begin("acfbdcac", false, false, 4),
    };
    check_touches(&part[1], "fabc", "bound 4: part 1 asks about 4");
    check_touches(&part[2], "acfb", "bound 4: part 2 asks about 4");
    size_t left = part[1].touch_count;
    check_answers(&part[0], &part[1], &left, "", "inf 4",
                  "bound 4: part 0 on part 1");
    left = part[2].touch_count;
    check_answers(&part[1], &part[2], &left, "af", "1x3 inf 1",
                  "bound 4: part 1 on part 2: c = 3");
    check_answers(&part[0], &part[2], &left, "", "inf 2",
                  "bound 4: part 0 has answered 4 already");
    CHECK(part[0].exceeded, "bound 4: which shows that it was exceeded");
    uint64_t infinite = 0;
    for (size_t i = 0; i < 3; i++) {
        infinite += infinite_of(&part[i]);
        margay_part_free(&part[i]);
    }
    CHECK_U64(infinite, 17, "Table III with a bound of 4: 17 infinite");
}

int main(void)
{
    test_table_2(false);
    test_table_2(true);
    test_table_3(false);
    test_table_3(true);
    test_table_3_bounded();
    return tap_done();
}
