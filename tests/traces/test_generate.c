/*
 * test_generate.c - the generators: same bytes everywhere, right shares, and
 * the addresses of textbook programs, worked out by hand
 */
#include <math.h>

#include "tests/tap.h"
#include "traces/generate/power.h"

#include <margay/traces.h>

#define GOLDEN_REFS 100000

static margay_generator *make(const char *name, uint64_t blocks,
                              double exponent, uint64_t seed)
{
    struct margay_generator_options options = {
        .blocks = blocks, .seed = seed, .exponent = exponent};
    struct margay_error error;
    margay_generator *generator;
    if (margay_generator_create(name, &options, &generator, &error) !=
        MARGAY_OK) {
        printf("Bail out! %s: %s\n", name, error.message);
        exit(1);
    }
    return generator;
}

static uint64_t *take(const char *name, uint64_t blocks, double exponent,
                      uint64_t seed, size_t count)
{
    uint64_t *ids = malloc(count * sizeof *ids);
    if (ids == NULL) {
        printf("Bail out! no memory\n");
        exit(1);
    }
    margay_generator *generator = make(name, blocks, exponent, seed);
    margay_generator_next(generator, ids, count);
    margay_generator_free(generator);
    return ids;
}

/* 64-bit FNV-1a over the ids' bytes, the least significant first. */
static uint64_t checksum(const uint64_t *ids, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++) {
        for (int byte = 0; byte < 8; byte++) {
            hash ^= ids[i] >> (8 * byte) & 0xff;
            hash *= UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

static const struct golden {
    const char *name;
    uint64_t blocks;
    double exponent;
    uint64_t seed;
    uint64_t checksum;
} goldens[] = {
    {"zipf", 1, 1, 1, UINT64_C(0xe3dbd3f783edc725)},
    {"zipf", 1000, 0, 7, UINT64_C(0x4c4f3f8481c2e43d)},
    {"zipf", 100000, 0.8, 1, UINT64_C(0xe9bf71377a102556)},
    {"zipf", 100000, 0.8, 2, UINT64_C(0x46ea39efa626af13)},
    {"zipf", 1000000, 1.2, UINT64_MAX, UINT64_C(0xd5819e0060e46bb5)},
    {"zipf", 300, 8, 1, UINT64_C(0x7c4e7fb0cd6981ed)},
    {"uniform", 1000000, 0, 1, UINT64_C(0x7bc950f23c03f8c7)},
    {"uniform", UINT64_MAX, 0, 3, UINT64_C(0x615135e3f620ae53)},
    {"loop", 777, 0, 1, UINT64_C(0x7425eb8ffb8118a5)},
    {"scan", 5, 0, 1, UINT64_C(0x6985869f5c4f98a5)},
};
#define GOLDENS (sizeof goldens / sizeof goldens[0])

/* The same stream in calls of every small length. */
static uint64_t checksum_in_pieces(const struct golden *golden)
{
    margay_generator *generator =
        make(golden->name, golden->blocks, golden->exponent, golden->seed);
    static uint64_t ids[GOLDEN_REFS];
    for (size_t done = 0, piece = 0; done < GOLDEN_REFS; done += piece) {
        piece = (piece + 1) % 71;
        if (piece > GOLDEN_REFS - done)
            piece = GOLDEN_REFS - done;
        margay_generator_next(generator, ids + done, piece);
    }
    margay_generator_free(generator);
    return checksum(ids, GOLDEN_REFS);
}

static void test_goldens(void)
{
    for (size_t i = 0; i < GOLDENS; i++) {
        const struct golden *golden = &goldens[i];
        uint64_t *ids = take(golden->name, golden->blocks, golden->exponent,
                             golden->seed, GOLDEN_REFS);
        uint64_t sum = checksum(ids, GOLDEN_REFS);
        free(ids);
        CHECK(sum == golden->checksum, "golden %zu, %s: %#" PRIx64, i,
              golden->name, sum);
        CHECK(sum == checksum_in_pieces(golden), "golden %zu in pieces", i);
    }
}

static void test_ranges(void)
{
    static const uint64_t sizes[] = {1, 2, 3, 1000, 65536};
    static const char *const names[] = {"zipf", "uniform", "loop"};
    for (size_t n = 0; n < 3; n++) {
        for (size_t s = 0; s < 5; s++) {
            uint64_t *ids = take(names[n], sizes[s], 0.9, 5, GOLDEN_REFS);
            uint64_t highest = 0;
            for (size_t i = 0; i < GOLDEN_REFS; i++)
                highest = ids[i] > highest ? ids[i] : highest;
            free(ids);
            CHECK(highest < sizes[s], "%s stays below %" PRIu64, names[n],
                  sizes[s]);
        }
    }
}

static void test_sequences(void)
{
    uint64_t *loop = take("loop", 3, 0, 1, 7);
    CHECK(loop[0] == 0 && loop[1] == 1 && loop[2] == 2 && loop[3] == 0 &&
              loop[6] == 0,
          "a loop over 3 is 0 1 2 0 1 2 0");
    free(loop);
    uint64_t *scan = take("scan", 3, 0, 1, 7);
    CHECK(scan[0] == 0 && scan[3] == 3 && scan[6] == 6,
          "a scan never comes back");
    free(scan);
}

static int descending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* How often each of `blocks` ids is drawn, the most popular first. */
static void count_by_rank(const char *name, uint64_t blocks, double exponent,
                          size_t draws, uint64_t *counts)
{
    margay_generator *generator = make(name, blocks, exponent, 11);
    static uint64_t ids[4096];
    memset(counts, 0, blocks * sizeof *counts);
    for (size_t done = 0; done < draws; done += 4096) {
        margay_generator_next(generator, ids, 4096);
        for (size_t i = 0; i < 4096; i++)
            counts[ids[i]]++;
    }
    margay_generator_free(generator);
    qsort(counts, blocks, sizeof *counts, descending);
}

/* Chi-square of counts by rank against rank^-exponent, as the number of
   standard deviations from its mean.  For a skewed distribution of few blocks
   and many draws the order of the counts is that of the ranks. */
static double chi_square(const char *name, uint64_t blocks, double exponent,
                         size_t draws)
{
    uint64_t counts[64];
    double sum = 0, square = 0;
    count_by_rank(name, blocks, exponent, draws, counts);
    for (uint64_t r = 1; r <= blocks; r++)
        sum += pow((double)r, -exponent);
    for (uint64_t r = 1; r <= blocks; r++) {
        double expected = (double)draws * pow((double)r, -exponent) / sum;
        double off = (double)counts[r - 1] - expected;
        square += off * off / expected;
    }
    double freedom = (double)blocks - 1;
    return (square - freedom) / sqrt(2 * freedom);
}

static void test_shares(void)
{
    size_t draws = 4096 * 1000;
    CHECK(fabs(chi_square("uniform", 64, 0, draws)) < 4, "uniform shares");
    CHECK(fabs(chi_square("zipf", 64, 0, draws)) < 4, "zipf of exponent 0");
    CHECK(fabs(chi_square("zipf", 30, 0.8, draws)) < 4, "zipf 0.8 shares");
    CHECK(fabs(chi_square("zipf", 30, 1, draws)) < 4, "zipf 1 shares");
    CHECK(fabs(chi_square("zipf", 9, 2.5, draws)) < 4, "zipf 2.5 shares");
}

static void test_powers(void)
{
    static const double exponents[] = {0, 0.1, 0.5, 0.8, 1, 1.7, 3, 8};
    double worst = 0;
    for (size_t i = 0; i < 8; i++) {
        struct margay_power power;
        margay_power_prepare(&power, exponents[i]);
        for (uint64_t rank = 1; rank < UINT32_MAX / 2; rank += 1 + rank / 50) {
            double off = ldexp((double)margay_power_of(&power, rank),
                               -MARGAY_POWER_BITS) -
                         pow((double)rank, -exponents[i]);
            worst = fabs(off) > worst ? fabs(off) : worst;
        }
    }
    CHECK(worst < ldexp(1, -40), "powers are right to %.3g", worst);
}

static void test_exact_powers(void)
{
    struct margay_power power;
    margay_power_prepare(&power, 1);
    CHECK_U64(margay_power_of(&power, 1), UINT64_C(1) << MARGAY_POWER_BITS,
              "1^-1 = 1 exactly");
    CHECK_U64(margay_power_of(&power, 1024),
              UINT64_C(1) << (MARGAY_POWER_BITS - 10),
              "1024^-1 = 2^-10 exactly");
}

/* -------------------------------------------------------------- kernels -- */

/* In calls of three, which must make no difference. */
static void generate(const char *name, uint64_t blocks, uint64_t *stream,
                     size_t count)
{
    margay_generator *generator = make(name, blocks, 0, 7);
    for (size_t done = 0; done < count; done += 3)
        margay_generator_next(generator, stream + done,
                              count - done < 3 ? count - done : 3);
    margay_generator_free(generator);
}

static bool same(const uint64_t *stream, const uint64_t *elements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (stream[i] != 8 * elements[i]) {
            printf("#   address %" PRIu64 " at %zu\n", stream[i], i);
            return false;
        }
    }
    return true;
}

/* 2 x 2: A is elements 0 to 3, B 4 to 7, C 8 to 11. */
static void test_matmul(void)
{
    static const uint64_t elements[] = {
        0, 4, 1, 6, 8,  0, 5, 1, 7, 9,  /* C's first row */
        2, 4, 3, 6, 10, 2, 5, 3, 7, 11, /* its second row */
        0, 4,                           /* and again */
    };
    uint64_t stream[22];
    generate("matmul", 12, stream, 22);
    CHECK(same(stream, elements, 22), "matmul of 12 elements");
    generate("matmul", 26, stream, 22);
    CHECK(same(stream, elements, 22), "the same with 14 too many");
}

/* Four complex numbers: swap 1 and 2, then (0,1) (2,3), then (0,2) (1,3). */
static void test_fft(void)
{
    static const unsigned pairs[][2] = {{1, 2}, {0, 1}, {2, 3},
                                        {0, 2}, {1, 3}, {1, 2}};
    uint64_t stream[48], elements[48];
    for (size_t i = 0; i < 48; i++)
        elements[i] = 2 * pairs[i / 8][i / 2 % 2] + i % 2;
    generate("fft", 8, stream, 48);
    CHECK(same(stream, elements, 48), "fft of 8 elements");
    static const uint64_t two[] = {0, 1, 2, 3, 0, 1, 2, 3, 0};
    generate("fft", 7, stream, 9);
    CHECK(same(stream, two, 9), "fft of two numbers: nothing to swap");
}

/* Two grids of 4 x 4, or of 4 x 4 x 4: each inner point of one is made of those
   around it in the other, in turns.  What is left is too little for more. */
static void test_stencil(const char *name, bool flat, uint64_t left)
{
    static const uint64_t inner[] = {21, 22, 25, 26, 37, 38, 41, 42};
    static const int steps[] = {-16, -4, -1, 0, 1, 4, 16};
    uint64_t stream[130], elements[130];
    uint64_t grid = flat ? 16 : 64, points = flat ? 4 : 8, refs = flat ? 6 : 8;
    for (size_t i = 0; i < 130; i++) {
        uint64_t from = i / refs / points % 2 * grid;
        uint64_t point = inner[i / refs % points] - (flat ? 16 : 0);
        elements[i] = i % refs == refs - 1
                          ? grid - from + point
                          : from + point + (uint64_t)steps[i % refs + flat];
    }
    generate(name, 2 * grid, stream, 130);
    CHECK(same(stream, elements, 130), "%s over two grids", name);
    generate(name, 2 * grid + left, stream, 130);
    CHECK(same(stream, elements, 130), "the same with too many");
}

static void test_phases(void)
{
    static uint64_t stream[300000];
    bool within = true, steps = true;
    uint64_t jumps = 0, most = 0;
    generate("phases", 1000, stream, 300000);
    for (size_t i = 0; i < 300000; i++) {
        within = within && stream[i] < 1000;
        most = stream[i] > most ? stream[i] : most;
        if (i > 0 && stream[i] != stream[i - 1] + 1 &&
            stream[i] + 1 != stream[i - 1])
            jumps++;
    }
    steps = jumps < 150000;
    CHECK(within && most > 900, "phases stays within its blocks");
    CHECK(steps, "most references are neighbours of the one before");
    generate("phases", 1, stream, 100);
    CHECK(stream[0] == 0 && stream[99] == 0, "phases over one block");
}

/* ------------------------------------------------------------ refusals -- */

static const struct {
    const char *name;
    uint64_t blocks;
    double exponent;
    const char *part;
} refused[] = {
    {"zpf", 10, 1, "did you mean 'zipf'"},
    {"nothing", 10, 1, "zipf, uniform, loop, scan"},
    {"loop", 0, 1, "0 blocks"},
    {"zipf", UINT64_C(1) << 32, 1, "at most 4294967295"},
    {"zipf", 10, -0.5, "exponent -0.5"},
    {"zipf", 10, 8.1, "exponent 8.1"},
    {"zipf", 10, NAN, "exponent"},
    {"matmul", 2, 1, ""},
    {"fft", 3, 1, ""},
    {"stencil", 17, 1, ""},
    {"stencil3d", 53, 1, ""},
    {"matmul", UINT64_MAX / 8 + 1, 1, ""},
    {"phases", UINT64_MAX, 1, ""},
};

static void test_refusals(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct margay_generator_options options = {.blocks = refused[i].blocks,
                                                   .seed = 1,
                                                   .exponent =
                                                       refused[i].exponent};
        struct margay_error error = {.message = ""};
        margay_generator *generator;
        CHECK(margay_generator_create(refused[i].name, &options, &generator,
                                      &error) == MARGAY_BAD_ARGUMENT &&
                  generator == NULL &&
                  strstr(error.message, refused[i].part) != NULL,
              "refused: %s", error.message);
    }
    CHECK(margay_generator_at(margay_generator_count()) == NULL,
          "the table ends");
    margay_generator_free(NULL);
}

int main(void)
{
    test_goldens();
    test_ranges();
    test_sequences();
    test_shares();
    test_powers();
    test_exact_powers();
    test_matmul();
    test_fft();
    test_stencil("stencil", true, 17);
    test_stencil("stencil3d", false, 121);
    test_phases();
    test_refusals();
    return tap_done();
}
