/*
 * kernels.c - the addresses that two textbook programs touch
 *
 * The addresses are those of elements of 8 bytes, in arrays that follow each
 * other from address 0 on.  A program that has ended begins again.
 *
 * matmul: C = A B for square matrices, by inner products.  For each element of
 *   C, row by row: the elements of a row of A and a column of B in turn, then
 *   the element of C.
 *
 * fft: an iterative radix-2 transform in place.  The real and the imaginary
 * part of a complex number are neighbours.  First come the swaps of the bit
 *   reversal, then log2 n stages of butterflies.  Each swap and each butterfly
 *   reads four elements and writes them.
 */
#include <stdlib.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"
#include "traces/generate/generator.h"
#include "traces/generate/side.h"

#define ELEMENT_BYTES 8

/* --------------------------------------------------------------- matmul -- */

struct matmul {
    uint64_t n; /* rows and columns */
    uint64_t row, column, inner;
    unsigned step; /* 0 = A, 1 = B; after both for all `inner`, C */
};

static enum margay_status matmul_create(
    const struct margay_generator_options *options, void **state,
    struct margay_error *error)
{
    uint64_t n = margay_largest_side(options->blocks, 3, 2);
    if (n == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "matmul: three matrices have 3 elements at least");
    struct matmul *matmul = calloc(1, sizeof *matmul);
    if (matmul == NULL)
        return margay_fail_memory(error, "a generator");
    matmul->n = n;
    *state = matmul;
    return MARGAY_OK;
}

/* The element of A, B or C that comes next. */
static uint64_t matmul_address(const struct matmul *matmul)
{
    uint64_t n = matmul->n;
    if (matmul->inner == n)
        return (2 * n * n + matmul->row * n + matmul->column) * ELEMENT_BYTES;
    if (matmul->step == 0)
        return (matmul->row * n + matmul->inner) * ELEMENT_BYTES;
    return (n * n + matmul->inner * n + matmul->column) * ELEMENT_BYTES;
}

static void matmul_step(struct matmul *matmul)
{
    if (matmul->inner < matmul->n) {
        matmul->inner += matmul->step;
        matmul->step ^= 1;
        return;
    }
    matmul->inner = 0;
    if (++matmul->column < matmul->n)
        return;
    matmul->column = 0;
    matmul->row = matmul->row + 1 < matmul->n ? matmul->row + 1 : 0;
}

static void matmul_next(void *state, uint64_t *addresses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        addresses[i] = matmul_address(state);
        matmul_step(state);
    }
}

/* ------------------------------------------------------------------ fft -- */

struct fft {
    unsigned bits; /* of n */
    uint64_t n;    /* complex numbers */
    /* The current pair: of the bit reversal (half = 0) or of a butterfly. */
    uint64_t half, low, high;
    unsigned step; /* 0 to 3: reads, 4 to 7: writes */
};

static uint64_t reverse(uint64_t index, unsigned bits)
{
    uint64_t reversed = 0;
    for (unsigned i = 0; i < bits; i++)
        reversed |= (index >> i & 1) << (bits - 1 - i);
    return reversed;
}

/* The first butterfly of a stage whose pairs are `half` apart. */
static void begin_stage(struct fft *fft, uint64_t half)
{
    fft->half = half;
    fft->low = 0;
    fft->high = half;
}

/* The next pair to be swapped, from `index` on; after the last one, the first
   stage. */
static void find_swap(struct fft *fft, uint64_t index)
{
    while (index < fft->n && reverse(index, fft->bits) <= index)
        index++;
    if (index == fft->n) {
        begin_stage(fft, 1);
        return;
    }
    fft->half = 0;
    fft->low = index;
    fft->high = reverse(index, fft->bits);
}

static enum margay_status fft_create(
    const struct margay_generator_options *options, void **state,
    struct margay_error *error)
{
    if (options->blocks < 4)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "fft: two complex numbers have 4 elements at least");
    struct fft *fft = calloc(1, sizeof *fft);
    if (fft == NULL)
        return margay_fail_memory(error, "a generator");
    fft->bits = margay_log2_floor(options->blocks) - 1;
    fft->n = UINT64_C(1) << fft->bits;
    find_swap(fft, 0);
    *state = fft;
    return MARGAY_OK;
}

static void next_pair(struct fft *fft)
{
    if (fft->half == 0) {
        find_swap(fft, fft->low + 1);
        return;
    }
    fft->low++;
    /* In each group the second half are the partners of the first. */
    if (fft->low % (2 * fft->half) == fft->half)
        fft->low += fft->half;
    fft->high = fft->low + fft->half;
    if (fft->low < fft->n)
        return;
    if (2 * fft->half < fft->n)
        begin_stage(fft, 2 * fft->half);
    else
        find_swap(fft, 0);
}

static void fft_next(void *state, uint64_t *addresses, size_t count)
{
    struct fft *fft = state;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = fft->step & 2 ? fft->high : fft->low;
        addresses[i] = (2 * number + (fft->step & 1)) * ELEMENT_BYTES;
        if (++fft->step == 8) {
            fft->step = 0;
            next_pair(fft);
        }
    }
}

const struct margay_generator_class margay_generator_matmul = {
    .info = {.name = "matmul",
             .description = "addresses of a matrix multiplication",
             .addresses = true},
    .create = matmul_create,
    .next = matmul_next,
    .free_state = free,
};

const struct margay_generator_class margay_generator_fft = {
    .info = {.name = "fft",
             .description = "addresses of a fast Fourier transform",
             .addresses = true},
    .create = fft_create,
    .next = fft_next,
    .free_state = free,
};
