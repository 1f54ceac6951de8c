/*
 * stencil.c - the addresses that sweeps over a grid touch
 *
 * The addresses are those of elements of 8 bytes.  Two grids with equally many
 * rows and columns (and layers) follow each other from address 0 on.  A sweep
 * takes the inner points of one grid in the order of their addresses, reads
 * each point with its neighbours, also in that order, and writes the point of
 * the other grid; the next sweep exchanges the grids (Jacobi's method).
 *
 * stencil: two dimensions, a point and its 4 neighbours.
 * stencil3d: three dimensions, a point and its 6 neighbours.
 *
 * Outer points are read only as neighbours of inner points, so no corner is
 * touched.
 */
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/generate/generator.h"
#include "traces/generate/side.h"

#define GRIDS         2
#define ELEMENT_BYTES 8
#define MOST_POINTS   7

struct stencil {
    unsigned dimensions;
    uint64_t side;
    uint64_t elements;      /* of a grid */
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

/* List the points that are read in the order of their addresses: the nearest
   neighbours stand in the middle. */
static void place_points(struct stencil *stencil)
{
    unsigned centre = stencil->dimensions;
    uint64_t stride = 1;
    stencil->points = 2 * stencil->dimensions + 1;
    stencil->reach[centre] = 0;
    for (unsigned i = 1; i <= stencil->dimensions; i++) {
        stencil->reach[centre - i] = -stride;
        stencil->reach[centre + i] = stride;
        stride *= stencil->side;
    }
    stencil->elements = stride;
}

static enum margay_status create(unsigned dimensions,
                                 const struct margay_generator_options *options,
                                 void **state, struct margay_error *error)
{
    uint64_t side = margay_largest_side(options->blocks, GRIDS, dimensions);
    if (side < 3)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a stencil has an inner point: %d elements at least",
                           dimensions == 2 ? 2 * 3 * 3 : 2 * 3 * 3 * 3);
    struct stencil *stencil = calloc(1, sizeof *stencil);
    if (stencil == NULL)
        return margay_fail_memory(error, "a generator");
    stencil->dimensions = dimensions;
    stencil->side = side;
    place_points(stencil);
    stencil->written = stencil->elements;
    begin_sweep(stencil);
    *state = stencil;
    return MARGAY_OK;
}

static enum margay_status create_2d(
    const struct margay_generator_options *options, void **state,
    struct margay_error *error)
{
    return create(2, options, state, error);
}

static enum margay_status create_3d(
    const struct margay_generator_options *options, void **state,
    struct margay_error *error)
{
    return create(3, options, state, error);
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

static void stencil_next(void *state, uint64_t *addresses, size_t count)
{
    struct stencil *stencil = state;
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
    .create = create_2d,
    .next = stencil_next,
    .free_state = free,
};

const struct margay_generator_class margay_generator_stencil3d = {
    .info = {.name = "stencil3d",
             .description = "the same in three dimensions, 7 points",
             .addresses = true},
    .create = create_3d,
    .next = stencil_next,
    .free_state = free,
};
