/*
 * kernels.c - the addresses that textbook programs touch
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
#include "traces/base/error.h"
#include "traces/generate/generator.h"

#define ELEMENT_BYTES 8

/* The largest side of which `arrays` arrays of side^dimensions elements have at
   most `elements`; 0 if there is none. */
static uint64_t largest_side(uint64_t elements, uint64_t arrays,
                             unsigned dimensions)
{
    uint64_t side = 0;
    for (unsigned bit = 64; bit-- > 0;) {
        uint64_t larger = side | UINT64_C(1) << bit, product = arrays;
        unsigned i = 0;
        while (i < dimensions && margay_multiply_u64(product, larger, &product))
            i++;
        if (i == dimensions && product <= elements)
            side = larger;
    }
    return side;
}

/* --------------------------------------------------------------- matmul -- */

struct matmul {
    uint64_t n; /* rows and columns */
    uint64_t row, column, inner;
    unsigned step; /* 0 = A, 1 = B; after both for all `inner`, C */
};

static enum margay_status matmul_begin(struct margay_generator *generator,
                                       struct margay_error *error)
{
    uint64_t n = largest_side(generator->options.blocks, 3, 2);
    if (n == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "matmul: three matrices have 3 elements at least");
    ((struct matmul *)generator->state)->n = n;
    return MARGAY_OK;
}

static void matmul_next(struct margay_generator *generator, uint64_t *addresses,
                        size_t count)
{
    struct matmul *matmul = (struct matmul *)generator->state;
    uint64_t n = matmul->n;
    for (size_t i = 0; i < count; i++) {
        uint64_t row = matmul->row, column = matmul->column;
        uint64_t inner = matmul->inner;
        addresses[i] =
            ELEMENT_BYTES * (inner == n          ? 2 * n * n + row * n + column
                             : matmul->step == 0 ? row * n + inner
                                                 : n * n + inner * n + column);
        if (inner < n) {
            matmul->inner += matmul->step;
            matmul->step ^= 1;
            continue;
        }
        matmul->inner = 0;
        matmul->column = column + 1 < n ? column + 1 : 0;
        if (matmul->column == 0)
            matmul->row = row + 1 < n ? row + 1 : 0;
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

static enum margay_status fft_begin(struct margay_generator *generator,
                                    struct margay_error *error)
{
    uint64_t elements = generator->options.blocks;
    if (elements < 4)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "fft: two complex numbers have 4 elements at least");
    struct fft *fft = (struct fft *)generator->state;
    fft->bits = margay_log2_floor(elements) - 1;
    fft->n = UINT64_C(1) << fft->bits;
    find_swap(fft, 0);
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

static void fft_next(struct margay_generator *generator, uint64_t *addresses,
                     size_t count)
{
    struct fft *fft = (struct fft *)generator->state;
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
    .state_bytes = sizeof(struct matmul),
    .begin = matmul_begin,
    .next = matmul_next,
};

const struct margay_generator_class margay_generator_fft = {
    .info = {.name = "fft",
             .description = "addresses of a fast Fourier transform",
             .addresses = true},
    .state_bytes = sizeof(struct fft),
    .begin = fft_begin,
    .next = fft_next,
};

/* -------------------------------------------------------------- stencils -- */

/*
 * Two grids have equally many rows and columns (and layers).  A sweep
 * takes the inner points of one grid in the order of their addresses, reads
 * each point with its neighbours, also in that order, and writes the point of
 * the other grid; the next sweep exchanges the grids (Jacobi's method).
 *
 * stencil: two dimensions, a point and its 4 neighbours.
 * stencil3d: three dimensions, a point and its 6 neighbours.
 *
 * Outer points are only read as neighbours of inner points, so no corner is
 * touched.
 */
#define GRIDS       2
#define MOST_POINTS 7

struct stencil {
    unsigned dimensions;
    uint64_t side;
    uint64_t read, written; /* the first elements of the two grids */
    unsigned points;
    uint64_t reach[MOST_POINTS]; /* from the point to each that is read */
    unsigned step;               /* points read; then one is written */
    uint64_t at[3];              /* the coordinates of the point */
    uint64_t point;              /* its index in the grid */
};

/* Go to the first inner point. */
static void begin_sweep(struct stencil *stencil)
{
    uint64_t stride = 1;
    stencil->point = 0;
    for (unsigned i = 0; i < stencil->dimensions; i++) {
        stencil->at[i] = 1;
        stencil->point += stride;
        stride *= stencil->side;
    }
}

static enum margay_status stencil_begin(struct margay_generator *generator,
                                        struct margay_error *error)
{
    struct stencil *stencil = (struct stencil *)generator->state;
    bool is_flat = generator->class == &margay_generator_stencil;
    stencil->dimensions = is_flat ? 2 : 3;
    stencil->side =
        largest_side(generator->options.blocks, GRIDS, stencil->dimensions);
    if (stencil->side < 3)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a stencil has an inner point: %d elements at least",
                           is_flat ? 2 * 3 * 3 : 2 * 3 * 3 * 3);
    /* The points that are read in the order of their addresses: the nearest
       neighbours stand in the middle. */
    unsigned centre = stencil->dimensions;
    uint64_t stride = 1;
    stencil->points = 2 * centre + 1;
    for (unsigned i = 1; i <= centre; i++) {
        stencil->reach[centre - i] = -stride;
        stencil->reach[centre + i] = stride;
        stride *= stencil->side;
    }
    stencil->written = stride;
    begin_sweep(stencil);
    return MARGAY_OK;
}

/* Go to the next inner point.  After the last one of a dimension stand two
   points that are not inner ones. */
static void next_point(struct stencil *stencil)
{
    uint64_t skipped = 2;
    stencil->point++;
    for (unsigned i = 0; i < stencil->dimensions; i++) {
        if (++stencil->at[i] < stencil->side - 1)
            return;
        stencil->at[i] = 1;
        stencil->point += skipped;
        skipped *= stencil->side;
    }
    uint64_t read = stencil->read;
    stencil->read = stencil->written;
    stencil->written = read;
    begin_sweep(stencil);
}

static void stencil_next(struct margay_generator *generator,
                         uint64_t *addresses, size_t count)
{
    struct stencil *stencil = (struct stencil *)generator->state;
    for (size_t i = 0; i < count; i++) {
        uint64_t element = stencil->written + stencil->point;
        if (stencil->step < stencil->points)
            element =
                stencil->read + stencil->point + stencil->reach[stencil->step];
        addresses[i] = element * ELEMENT_BYTES;
        if (stencil->step++ < stencil->points)
            continue;
        stencil->step = 0;
        next_point(stencil);
    }
}

const struct margay_generator_class margay_generator_stencil = {
    .info = {.name = "stencil",
             .description = "addresses of sweeps over a grid, 5 points",
             .addresses = true},
    .state_bytes = sizeof(struct stencil),
    .begin = stencil_begin,
    .next = stencil_next,
};

const struct margay_generator_class margay_generator_stencil3d = {
    .info = {.name = "stencil3d",
             .description = "the same in three dimensions, 7 points",
             .addresses = true},
    .state_bytes = sizeof(struct stencil),
    .begin = stencil_begin,
    .next = stencil_next,
};
