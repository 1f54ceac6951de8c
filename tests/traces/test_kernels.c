/* test_kernels.c - the addresses of textbook programs, worked out by hand */
#include <margay/traces.h>

#include "tests/tap.h"

static margay_generator *make(const char *name, uint64_t blocks)
{
    struct margay_generator_options options = {.blocks = blocks, .seed = 7};
    margay_generator *generator;
    if (margay_generator_create(name, &options, &generator, NULL) != MARGAY_OK)
        abort();
    return generator;
}

/* In calls of three, which must make no difference. */
static void generate(const char *name, uint64_t blocks, uint64_t *stream,
                     size_t count)
{
    margay_generator *generator = make(name, blocks);
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

/* Grids of 4 x 4: 0 to 15 and 16 to 31, whose inner points are 5, 6, 9, 10. */
static void test_stencil(void)
{
    static const uint64_t inner[] = {5, 6, 9, 10};
    uint64_t stream[50], elements[50];
    for (size_t i = 0; i < 50; i++) {
        uint64_t point = inner[i / 6 % 4], from = i < 24 ? 0 : 16;
        uint64_t read[] = {point - 4, point - 1, point, point + 1, point + 4};
        if (i >= 48)
            from = 0;
        elements[i] = i % 6 == 5 ? 16 - from + point : from + read[i % 6];
    }
    generate("stencil", 32, stream, 50);
    CHECK(same(stream, elements, 50), "stencil over 4 x 4, three sweeps");
    generate("stencil", 49, stream, 50);
    CHECK(same(stream, elements, 50), "the same with 17 too many");
}

/* Grids of 4 x 4 x 4: 0 to 63 and 64 to 127; 8 inner points. */
static void test_stencil3d(void)
{
    static const uint64_t inner[] = {21, 22, 25, 26, 37, 38, 41, 42};
    uint64_t stream[130], elements[130];
    for (size_t i = 0; i < 130; i++) {
        uint64_t point = inner[i / 8 % 8], from = i / 64 % 2 * 64;
        uint64_t read[] = {point - 16, point - 4, point - 1, point,
                           point + 1,  point + 4, point + 16};
        elements[i] = i % 8 == 7 ? 64 - from + point : from + read[i % 8];
    }
    generate("stencil3d", 128, stream, 130);
    CHECK(same(stream, elements, 130), "stencil3d over 4 x 4 x 4");
    generate("stencil3d", 249, stream, 130);
    CHECK(same(stream, elements, 130), "the same with 121 too many");
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

static void test_refused(void)
{
    struct margay_generator_options options = {.blocks = 2};
    margay_generator *generator;
    CHECK(margay_generator_create("matmul", &options, &generator, NULL) ==
              MARGAY_BAD_ARGUMENT,
          "matmul needs 3 elements");
    options.blocks = 3;
    CHECK(margay_generator_create("fft", &options, &generator, NULL) ==
              MARGAY_BAD_ARGUMENT,
          "fft needs 4 elements");
    options.blocks = 17;
    CHECK(margay_generator_create("stencil", &options, &generator, NULL) ==
              MARGAY_BAD_ARGUMENT,
          "stencil needs 18 elements");
    options.blocks = 53;
    CHECK(margay_generator_create("stencil3d", &options, &generator, NULL) ==
              MARGAY_BAD_ARGUMENT,
          "stencil3d needs 54 elements");
    options.blocks = UINT64_MAX / 8 + 1;
    CHECK(margay_generator_create("matmul", &options, &generator, NULL) ==
              MARGAY_BAD_ARGUMENT,
          "2^61 elements of 8 bytes are too many");
    options.blocks = UINT64_MAX;
    CHECK(margay_generator_create("phases", &options, &generator, NULL) ==
              MARGAY_BAD_ARGUMENT,
          "phases refuses 2^64 - 1 blocks");
}

int main(void)
{
    test_matmul();
    test_fft();
    test_stencil();
    test_stencil3d();
    test_phases();
    test_refused();
    return tap_done();
}
