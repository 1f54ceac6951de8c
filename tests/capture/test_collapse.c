/*
 * test_collapse.c - words with repeats counted, against words read one by one
 *
 * The oracle decodes the words as they are, and goes through the references.
 */
#define _GNU_SOURCE
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/base/random.h"
#include "traces/capture/collapse.h"

enum { WORDS = 700, PIECE = 32 };

struct references {
    uint64_t numbers[2 * WORDS], sites[2 * WORDS];
    uint8_t kinds[2 * WORDS];
    uint32_t extents[2 * WORDS], counts[2 * WORDS];
    size_t count;
};

static struct references plain, expected, got;
static struct margay_data_events events, events_got;
static uint64_t words[WORDS + 2 * PIECE], collapsed[MARGAY_COLLAPSED_WORDS];

static void decode(struct margay_decoding *decoding, const uint64_t *from,
                   uint32_t count, struct references *to,
                   struct margay_data_events *found)
{
    struct margay_references references = {
        .numbers = to->numbers,
        .kinds = to->kinds,
        .extents = to->extents,
        .counts = decoding->slots ? NULL : to->counts,
        .sites = to->sites,
        .count = to->count,
        .capacity = 2 * WORDS};
    margay_decode_words(decoding, from, count, &references, found);
    to->count = references.count;
}

/* ---------------------------------------------------------------- oracle -- */

static uint64_t block_of(uint64_t address, unsigned shift)
{
    return address >> shift;
}

static bool is_alone(const struct references *from, size_t i, unsigned shift)
{
    return from->kinds[i] > 1 ||
           block_of(from->numbers[i], shift) !=
               block_of(from->numbers[i] + from->extents[i] - 1, shift);
}

static bool begins_at_event(size_t at)
{
    for (size_t i = 0; i < events.count; i++) {
        if (events.events[i].at == at)
            return true;
    }
    return false;
}

/* The references in `plain` from `from` on that one word can stand for, as
   entries of `expected`; returns the next. */
static size_t take_run(size_t from, size_t end, unsigned shift)
{
    size_t at = from + 1, first = expected.count++;
    uint32_t repeats[2] = {0, 0};
    unsigned kind = plain.kinds[from];
    while (at < end && !is_alone(&plain, from, shift) &&
           !is_alone(&plain, at, shift) && !begins_at_event(at) &&
           block_of(plain.numbers[at], shift) ==
               block_of(plain.numbers[from], shift) &&
           repeats[plain.kinds[at]] < MARGAY_WORD_MAX_REPEATS)
        repeats[plain.kinds[at++]]++;
    for (int i = 0; i < 2; i++) {
        size_t entry = i == 0 ? first : expected.count;
        if (i == 1 && (kind > 1 || repeats[!kind] == 0))
            break;
        expected.numbers[entry] = plain.numbers[from];
        expected.extents[entry] = plain.extents[from];
        expected.sites[entry] = plain.sites[from];
        expected.kinds[entry] = (uint8_t)(i == 0 ? kind : !kind);
        expected.counts[entry] =
            i == 0 ? 1 + (kind > 1 ? 0 : repeats[kind]) : repeats[!kind];
        expected.count += (size_t)i;
    }
    return at;
}

/* ----------------------------------------------------------------- cases -- */

static uint64_t make_word(struct margay_random *random, bool plainly)
{
    static const unsigned bytes[] = {1, 4, 8, 8, 16, 64};
    uint64_t what = margay_random_below(random, plainly ? 20 : 24);
    unsigned kind = (unsigned)margay_random_below(random, 2);
    if (what == 0)
        kind = MARGAY_FETCH;
    if (what < 20)
        return margay_word(UINT64_C(0x7f0000000000) +
                               margay_random_below(random, 400) / 8 * 8,
                           kind, bytes[margay_random_below(random, 6)]);
    if (what == 20)
        return 0;
    static const enum margay_control controls[] = {
        MARGAY_CONTROL_SITE, MARGAY_CONTROL_END, MARGAY_CONTROL_NONE};
    return margay_control_word(controls[what - 21],
                               what == 21 ? margay_random_below(random, 9) : 0);
}

/* The words of a piece with its sites, or of an event. */
static uint32_t make_group(struct margay_random *random, uint64_t *to)
{
    uint32_t count = 1 + (uint32_t)margay_random_below(random, PIECE);
    if (margay_random_below(random, 3) == 0) {
        to[0] = margay_control_word(MARGAY_CONTROL_BYTES, count);
        to[1] = margay_control_word(MARGAY_CONTROL_ORDER, count + 1);
        to[2] = margay_control_word(MARGAY_CONTROL_DATA,
                                    UINT64_C(1) << MARGAY_CONTROL_DATA_SHIFT);
        return 3;
    }
    for (uint32_t i = 0; i < count; i++) {
        to[i] = margay_control_word(MARGAY_CONTROL_NEXT_SITE,
                                    1 + margay_random_below(random, 5));
        to[count + i] = make_word(random, true);
    }
    return 2 * count;
}

static uint32_t make_words(struct margay_random *random)
{
    uint32_t count = 0, end = 1 + (uint32_t)margay_random_below(random, WORDS);
    uint64_t groups = margay_random_below(random, 3) * 20;
    bool plainly = margay_random_below(random, 2) == 0;
    while (count < end) {
        if (!plainly && margay_random_below(random, 1000) < groups)
            count += make_group(random, words + count);
        else
            words[count++] = make_word(random, plainly);
    }
    return end;
}

static bool is_same(void)
{
    bool same = got.count == expected.count && events_got.count == events.count;
    for (size_t i = 0; same && i < got.count; i++)
        same = got.numbers[i] == expected.numbers[i] &&
               got.sites[i] == expected.sites[i] &&
               got.kinds[i] == expected.kinds[i] &&
               got.extents[i] == expected.extents[i] &&
               got.counts[i] == expected.counts[i];
    for (size_t i = 0; same && i < events.count; i++)
        same = events_got.events[i].bytes == events.events[i].bytes &&
               events_got.events[i].order == events.events[i].order &&
               events_got.events[i].site == events.events[i].site;
    return same;
}

/* Words come in up to three parts, each of which is collapsed by itself. */
static bool try_words(struct margay_random *random)
{
    uint32_t end = make_words(random);
    unsigned shift = (unsigned)margay_random_below(random, 10);
    bool slots = margay_random_below(random, 2) == 0;
    struct margay_decoding decoding = {.slots = slots},
                           collapsing = {.slots = slots};
    for (uint32_t i = 0; slots && i < end; i++) {
        if (words[i] != 0 && margay_word_kind(words[i]) != MARGAY_WORD_CONTROL)
            words[i] |= margay_random_below(random, 4) << MARGAY_SLOT_SHIFT;
    }
    plain.count = expected.count = got.count = 0;
    events.count = events_got.count = 0;
    for (int part = 0; part < 3; part++) {
        uint32_t to =
            part == 2 ? end
                      : decoding.words + (uint32_t)margay_random_below(
                                             random, end - decoding.words + 1);
        size_t at = plain.count;
        decode(&decoding, words, to, &plain, &events);
        while (at < plain.count)
            at = take_run(at, plain.count, shift);
        uint32_t count =
            margay_collapse_words(&collapsing, words, to, shift, collapsed);
        decode(&(struct margay_decoding){0}, collapsed, count, &got,
               &events_got);
    }
    return is_same();
}

int main(void)
{
    struct margay_random random;
    margay_random_seed(&random, 1);
    uint64_t all = rounds(20000), bad = 0;
    for (uint64_t i = 0; i < all; i++)
        bad += !try_words(&random);
    CHECK_U64(bad, 0, "collapsed words stand for the same references");
    return tap_done();
}
