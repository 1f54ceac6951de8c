/* test_sample.c - which words of a recording are in a sample, in place too */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/capture/sample.h"
#include "traces/traces_internal.h"

#define WORDS MARGAY_BUFFER_WORDS

static struct margay_random numbers;

/* Some words of a recording; `odd` in 256 of them are no references. */
static uint32_t make_words(uint64_t *words, uint64_t most, unsigned odd)
{
    uint32_t count = (uint32_t)margay_random_below(&numbers, most + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = margay_random_below(&numbers, UINT64_C(1) << 47);
        unsigned kind = (unsigned)margay_random_below(&numbers, 3);
        static const enum margay_control controls[] = {
            MARGAY_CONTROL_END, MARGAY_CONTROL_NONE, MARGAY_CONTROL_LEFT_OUT,
            MARGAY_CONTROL_LEFT_OUT};
        words[i] = margay_word(number % 3 == 0 ? number : number % 5000, kind,
                               1 + (unsigned)(number % 64));
        if (margay_random_below(&numbers, 256) < odd)
            words[i] =
                number % 5 == 0
                    ? 0
                    : margay_control_word(controls[number % 4], number % 1000);
        if (odd > 0 && margay_random_below(&numbers, 20000) == 0)
            words[i] = margay_control_word(MARGAY_CONTROL_STOP, 0);
    }
    return count;
}

static struct margay_sampling make_sampling(void)
{
    static const double rates[] = {0.000001, 0.01, 0.2, 0.5, 0.999};
    double rate = rates[margay_random_below(&numbers, 5)];
    uint64_t seed = margay_random_below(&numbers, 3);
    uint64_t sets = UINT64_C(1) << margay_random_below(&numbers, 10);
    bool of_sets = margay_random_below(&numbers, 2) == 0;
    return (struct margay_sampling){
        .sample = of_sets ? margay_sample_of_sets(rate, sets, seed)
                          : margay_sample_of(rate, seed),
        .block_bytes = UINT64_C(1) << margay_random_below(&numbers, 13),
        .sets = of_sets ? sets : 0,
    };
}

/* What is said of margay_sample_words(), word by word. */
static uint32_t choose(const struct margay_sampling *sampling,
                       const uint64_t *words, uint32_t count, uint64_t *kept)
{
    uint32_t written = 0;
    uint64_t left_out = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word = words[i];
        uint64_t block =
            (word & MARGAY_WORD_ADDRESS_MASK) / sampling->block_bytes;
        uint64_t chosen = sampling->sets == 0 ? block : block % sampling->sets;
        if (word == 0)
            continue;
        if (margay_word_kind(word) == MARGAY_WORD_CONTROL) {
            if (margay_word_control(word) == MARGAY_CONTROL_STOP)
                break;
            if (margay_word_control(word) == MARGAY_CONTROL_LEFT_OUT)
                left_out += word & MARGAY_CONTROL_MASK;
            continue;
        }
        if (margay_sample_hash(chosen, sampling->sample.key) <=
            sampling->sample.limit)
            kept[written++] = word;
        else
            left_out++;
    }
    if (left_out > 0)
        kept[written++] =
            margay_control_word(MARGAY_CONTROL_LEFT_OUT, left_out);
    return written;
}

static bool same(const uint64_t *a, uint32_t a_count, const uint64_t *b,
                 uint32_t b_count)
{
    return a_count == b_count && memcmp(a, b, a_count * sizeof *a) == 0;
}

static void test_random(bool vectors)
{
    static uint64_t words[WORDS], expected[WORDS], kept[WORDS];
    bool right = true, in_place = true, again = true;
    for (uint64_t round = 0; round < rounds(3000); round++) {
        struct margay_sampling sampling = make_sampling();
        uint32_t count = make_words(words, round % 50 == 0 ? WORDS : 500,
                                    round % 3 == 0 ? 3 : 0);
        uint32_t wanted = choose(&sampling, words, count, expected);
        uint32_t got =
            margay_sample_words(&sampling, words, count, vectors, kept);
        right = right && same(kept, got, expected, wanted);
        got = margay_sample_words(&sampling, kept, got, vectors, kept);
        again = again && same(kept, got, expected, wanted);
        got = margay_sample_buffer(&sampling, words, count, vectors);
        in_place = in_place && same(words, got, expected, wanted);
        /* A reader that does not know how many these are finds no others. */
        got = margay_sample_words(&sampling, words, count, vectors, kept);
        in_place = in_place && same(kept, got, expected, wanted);
    }
    const char *how = vectors ? "with vectors" : "without vectors";
    CHECK(right, "%s: the words of the blocks in the sample", how);
    CHECK(again, "%s: a sample of a sample is the same", how);
    CHECK(in_place, "%s: and in place", how);
}

struct shared {
    _Atomic uint32_t phase; /* 1 = the words are being moved together */
    uint64_t words[WORDS];
};

static _Noreturn void move_for_ever(struct shared *shared,
                                    const struct margay_sampling *sampling,
                                    const uint64_t *words)
{
    for (;;) {
        memcpy(shared->words, words, sizeof shared->words);
        atomic_store(&shared->phase, 1);
        margay_sample_buffer(sampling, shared->words, WORDS, false);
        atomic_store(&shared->phase, 0);
    }
}

/* Killed while the words are moved, a process leaves all or nothing. */
static void test_killed(void)
{
    static uint64_t words[WORDS], expected[WORDS], kept[WORDS];
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct margay_sampling sampling = {margay_sample_of(0.3, 1), 64, 0};
    unsigned moving = 0, wrong = 0;
    while (make_words(words, WORDS, 0) < WORDS / 2)
        continue;
    uint32_t wanted = choose(&sampling, words, WORDS, expected);
    for (uint64_t round = 0; round < rounds(200); round++) {
        pid_t child = fork();
        if (child == 0)
            move_for_ever(shared, &sampling, words);
        if (child < 0) {
            wrong++; /* none was made, and kill() would mean all */
            break;
        }
        usleep(200 + (unsigned)margay_random_below(&numbers, 1000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (atomic_exchange(&shared->phase, 0) != 1)
            continue;
        moving++;
        uint32_t got =
            margay_sample_words(&sampling, shared->words, WORDS, false, kept);
        wrong += got != 0 && !same(kept, got, expected, wanted);
    }
    CHECK_U64(wrong, 0, "killed %u times while it moves words", moving);
    munmap(shared, sizeof *shared);
}

/* As many sets as the rate says, rounded up, and those of the least hashes. */
static void test_sets(void)
{
    bool right = true;
    for (uint64_t sets = 1; sets <= 1024; sets *= 2) {
        for (unsigned i = 1; i <= 20; i++) {
            uint64_t wanted = (sets * i + 19) / 20;
            struct margay_sample sample =
                margay_sample_of_sets(i / 20.0, sets, i % 3);
            struct margay_sample fewer = {sample.key, sample.limit - 1};
            right = right && margay_sample_sets(&sample, sets) == wanted &&
                    (sample.limit == 0 ||
                     margay_sample_sets(&fewer, sets) == wanted - 1);
        }
    }
    CHECK(right, "the share of the sets that is asked for");
}

int main(void)
{
    margay_random_seed(&numbers, 23);
    test_sets();
    test_random(false);
    if (margay_target_available(MARGAY_TARGET_V3))
        test_random(true);
    test_killed();
    return tap_done();
}
