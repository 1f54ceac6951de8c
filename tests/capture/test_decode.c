/* test_decode.c - what the words of a recorded thread say */
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/capture/decode.h"
#include "traces/formats/words.h"

static uint64_t numbers[256], sites[256];
static uint8_t kinds[256];
static uint32_t extents[256], threads[256];
static struct margay_references references = {.numbers = numbers,
                                              .kinds = kinds,
                                              .extents = extents,
                                              .threads = threads,
                                              .sites = sites,
                                              .capacity = 256};

/* More words than a piece; every third is what `odd` says. */
static void decode_many(uint64_t odd, struct margay_references *to)
{
    uint64_t words[130];
    struct margay_decoding decoding = {0};
    to->count = 0;
    for (uint32_t i = 0; i < 130; i++)
        words[i] = i % 3 == 2 ? odd : margay_word(i + 1, i % 3, 1 + i % 64);
    margay_decode_words(&decoding, words, 130, to, NULL);
}

/* Pieces of references only are decoded by other code. */
static void test_pieces(void)
{
    bool same = true;
    decode_many(margay_word(9, MARGAY_FETCH, 64), &references);
    for (size_t i = 0; i < 130; i++)
        same = same && sites[i] == 0 && kinds[i] == i % 3 &&
               numbers[i] == (i % 3 == 2 ? 9 : i + 1) &&
               extents[i] == (i % 3 == 2 ? 64 : 1 + i % 64);
    CHECK(same && references.count == 130, "many references");
    decode_many(0, &references);
    CHECK(references.count == 87 && numbers[86] == 130 && kinds[2] == 0,
          "and holes among them");
    decode_many(margay_control_word(MARGAY_CONTROL_SITE, 77), &references);
    CHECK(references.count == 87 && sites[1] == 0 && sites[2] == 77,
          "and words about others");
    struct margay_references bare = {.numbers = numbers, .capacity = 256};
    decode_many(margay_word(9, MARGAY_WRITE, 1), &bare);
    CHECK(bare.count == 130 && numbers[5] == 9, "numbers alone");
}

/* Sites in slots: a slot holds what was last stated for it.  References with
   few slots, so that whole pieces of them come without a site. */
#define SLOT_WORDS 200

struct slot_case {
    uint64_t words[SLOT_WORDS];
    uint64_t sites[SLOT_WORDS]; /* of the references, as expected */
    uint32_t first;             /* references before word `cut` */
    uint32_t cut, references;
};

static void make_slot_case(struct slot_case *test)
{
    uint64_t held[MARGAY_SITE_SLOTS] = {0};
    uint64_t few = 1 + below(MARGAY_SITE_SLOTS);
    uint64_t rare = 1 + below(300);
    test->cut = (uint32_t)below(SLOT_WORDS + 1);
    test->first = test->references = 0;
    for (uint32_t i = 0; i < SLOT_WORDS; i++) {
        uint64_t slot = below(few);
        if (i == test->cut)
            test->first = test->references;
        if (i + 1 < SLOT_WORDS && one_in(rare)) {
            bool event = one_in(4);
            if (event)
                slot = 0;
            held[slot] = below(1 << 20);
            test->words[i++] =
                margay_control_word(MARGAY_CONTROL_SITE, held[slot]);
            if (i == test->cut)
                test->first = test->references;
            if (event) {
                test->words[i] = margay_control_word(MARGAY_CONTROL_DATA, 5);
                continue;
            }
        }
        test->sites[test->references++] = held[slot];
        test->words[i] =
            margay_word(i, MARGAY_READ, 4) | slot << MARGAY_SLOT_SHIFT;
    }
    if (test->cut == SLOT_WORDS)
        test->first = test->references;
}

static void test_slots(void)
{
    struct margay_references bare = {
        .numbers = numbers, .sites = sites, .capacity = 256};
    struct slot_case test;
    uint64_t wrong = 0;
    seed_chance(5);
    for (uint64_t round = 0; round < rounds(4000); round++) {
        struct margay_decoding decoding = {.slots = true};
        make_slot_case(&test);
        bare.count = 0;
        if (round % 2 == 0)
            margay_decode_words(&decoding, test.words, test.cut, &bare, NULL);
        else
            margay_decode_controls(&decoding, test.words, test.cut);
        uint32_t from = round % 2 == 0 ? 0 : test.first;
        margay_decode_words(&decoding, test.words, SLOT_WORDS, &bare, NULL);
        wrong +=
            bare.count != test.references - from ||
            memcmp(sites, test.sites + from, bare.count * sizeof *sites) != 0;
    }
    CHECK_U64(wrong, 0, "sites are found in their slots");
}

static void test_decode(void)
{
    const uint64_t words[] = {
        margay_word(0x1000, MARGAY_READ, 4),
        0, /* a hole */
        margay_word(0xffffffffffff, MARGAY_WRITE, 64),
        margay_control_word(MARGAY_CONTROL_SITE, 0x400123),
        margay_word(1, MARGAY_FETCH, 63) | UINT64_C(5) << MARGAY_SLOT_SHIFT,
        margay_control_word(9, 99), /* means nothing */
        margay_word(0x2000, MARGAY_READ, 8),
        margay_control_word(MARGAY_CONTROL_ABOVE, 0x1ffff),
        margay_word(0x2000, MARGAY_READ, 8),
    };
    struct margay_decoding decoding = {0};
    references.count = 0;
    margay_decode_words(&decoding, words, 9, &references, NULL);
    CHECK_U64(references.count, 5, "references");
    CHECK(numbers[0] == 0x1000 && kinds[0] == MARGAY_READ && extents[0] == 4 &&
              sites[0] == 0,
          "a read");
    CHECK(numbers[1] == 0xffffffffffff && kinds[1] == MARGAY_WRITE &&
              extents[1] == 64,
          "a write at the highest address");
    CHECK(kinds[2] == MARGAY_FETCH && extents[2] == 63 && sites[2] == 0x400123,
          "a fetch by known code");
    CHECK(numbers[3] == 0x2000 && kinds[3] == MARGAY_READ, "another read");
    CHECK(numbers[4] == UINT64_C(0xffff000000002000), "a higher address");
    margay_decode_words(&decoding, words, 9, &references, NULL);
    CHECK_U64(references.count, 5, "nothing twice");
    test_pieces();
    test_slots();
}

/* A word of any kind: a reference, mostly. */
static uint64_t any_word(uint64_t rare)
{
    unsigned kind = (unsigned)below(3);
    uint64_t bits = any_u64();
    if (below(rare) > 0)
        return margay_word(bits & MARGAY_WORD_ADDRESS_MASK, kind, 8) |
               (bits >> 60) << MARGAY_SLOT_SHIFT;
    return bits % 3 == 0 ? 0 : bits | (uint64_t)3 << MARGAY_WORD_KIND_SHIFT;
}

/* References are counted as they are decoded. */
static void test_count(void)
{
    static uint64_t words[300];
    static uint64_t all_numbers[300];
    struct margay_references all = {.numbers = all_numbers, .capacity = 300};
    uint64_t wrong = 0;
    seed_chance(6);
    for (uint64_t round = 0; round < rounds(4000); round++) {
        struct margay_decoding decoding = {0};
        struct margay_words part = {.words = words};
        uint64_t rare = 1 + below(400);
        part.count = (uint32_t)below(301);
        for (uint32_t i = 0; i < part.count; i++)
            words[i] = any_word(rare);
        all.count = 0;
        margay_decode_words(&decoding, words, part.count, &all, NULL);
        wrong += margay_words_references(&part) != all.count;
    }
    CHECK_U64(wrong, 0, "references are counted as they are decoded");
}

int main(void)
{
    test_decode();
    test_count();
    return tap_done();
}
