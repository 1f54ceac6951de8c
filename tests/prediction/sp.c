/*
 * sp.c - scalar pentadiagonal systems along the lines of a cube
 *
 * After the description of SP in the NAS parallel benchmarks: a right-hand side
 * of fluxes and of fourth differences; then along each axis, line by line,
 * three systems of five diagonals (one for three of the five unknowns, one each
 * for the others), between products with a matrix of 5 x 5 for each cell; and
 * the solution is added up.  The references are those of its loops and arrays,
 * of which a cell has 37 numbers; the values are none of a fluid's.
 */
#include "tests/prediction/touch.h"

#define STEPS 4

enum { UNKNOWNS = 5, DIAGONALS = 5, SYSTEMS = 3 };

static size_t n; /* cells of an edge */
static double *u[UNKNOWNS], *rhs[UNKNOWNS], *forcing[UNKNOWNS];
static double *velocity[3], *square, *qs, *inverse, *speed;
static double *lhs[SYSTEMS][DIAGONALS];

static void make_arrays(void)
{
    size_t cells = n * n * n;
    double **const sets[] = {u, rhs, forcing};
    for (unsigned m = 0; m < UNKNOWNS; m++)
        for (unsigned set = 0; set < 3; set++)
            sets[set][m] = make_room(cells, sizeof(double));
    for (unsigned axis = 0; axis < 3; axis++)
        velocity[axis] = make_room(cells, sizeof(double));
    double **const others[] = {&square, &qs, &inverse, &speed};
    for (unsigned i = 0; i < 4; i++)
        *others[i] = make_room(cells, sizeof(double));
    for (unsigned s = 0; s < SYSTEMS; s++)
        for (unsigned d = 0; d < DIAGONALS; d++)
            lhs[s][d] = make_room(cells, sizeof(double));
    for (size_t cell = 0; cell < cells; cell++)
        for (unsigned m = 0; m < UNKNOWNS; m++)
            u[m][cell] = 1 + (double)draw(100) / 1000;
}

/* What both the fluxes and the systems need of each cell. */
static void derive(void)
{
    for (size_t cell = 0; cell < n * n * n; cell++) {
        double one = 1 / AT(u[0][cell]), sum = 0;
        AT(inverse[cell]) = one;
        for (unsigned axis = 0; axis < 3; axis++) {
            double along = AT(u[1 + axis][cell]);
            AT(velocity[axis][cell]) = along * one;
            sum += along * along;
        }
        AT(square[cell]) = sum * one / 2;
        AT(qs[cell]) = AT(square[cell]) * one;
        AT(speed[cell]) = one * (AT(u[4][cell]) + AT(square[cell]));
        for (unsigned m = 0; m < UNKNOWNS; m++)
            AT(rhs[m][cell]) = AT(forcing[m][cell]);
    }
}

/* Visit the inner cells, or those of the lines along an axis from their second
   cell on; `step` is the distance of neighbours on the axis. */
#define FOR_INNER(k, j, i)                 \
    for (size_t k = 1; k < n - 1; k++)     \
        for (size_t j = 1; j < n - 1; j++) \
            for (size_t i = 1; i < n - 1; i++)

static void add_fluxes(unsigned axis, size_t step)
{
    FOR_INNER(k, j, i)
    {
        size_t at = (k * n + j) * n + i;
        double here = AT(velocity[axis][at]),
               next = AT(velocity[axis][at + step]),
               last = AT(velocity[axis][at - step]);
        for (unsigned m = 0; m < UNKNOWNS; m++)
            AT(rhs[m][at]) += 1e-3 * (AT(u[m][at + step]) - 2 * AT(u[m][at]) +
                                      AT(u[m][at - step])) +
                              1e-4 * (next - 2 * here + last);
        AT(rhs[4][at]) +=
            1e-4 * (AT(qs[at + step]) - AT(qs[at - step]) + AT(inverse[at]) +
                    AT(square[at + step]) - AT(square[at - step]));
    }
    for (unsigned m = 0; m < UNKNOWNS; m++) {
        FOR_INNER(k, j, i)
        {
            size_t at = (k * n + j) * n + i;
            size_t place = axis == 0 ? i : axis == 1 ? j : k;
            double far = place > 1 ? AT(u[m][at - 2 * step]) : 0;
            far += place < n - 2 ? AT(u[m][at + 2 * step]) : 0;
            AT(rhs[m][at]) -=
                1e-4 * (far - 4 * AT(u[m][at - step]) + 6 * AT(u[m][at]) -
                        4 * AT(u[m][at + step]));
        }
    }
}

/* The product of each cell's right-hand side with a matrix of its own. */
static void multiply_cells(void)
{
    FOR_INNER(k, j, i)
    {
        size_t at = (k * n + j) * n + i;
        double factor = AT(inverse[at]) + AT(qs[at]) + AT(speed[at]);
        for (unsigned axis = 0; axis < 3; axis++)
            factor += AT(velocity[axis][at]);
        double sum = 0;
        for (unsigned m = 0; m < UNKNOWNS; m++)
            sum += AT(rhs[m][at]);
        for (unsigned m = 0; m < UNKNOWNS; m++)
            AT(rhs[m][at]) += 1e-4 * factor * sum;
    }
}

/* One line of a system, for the unknowns from `from` on up to `to`. */
static void solve_line(unsigned s, size_t start, size_t step, unsigned from,
                       unsigned to)
{
    double **a = lhs[s];
    for (size_t i = 0; i + 2 < n; i++) {
        size_t at = start + i * step;
        double factor = 1 / AT(a[2][at]);
        AT(a[3][at]) *= factor;
        AT(a[4][at]) *= factor;
        for (unsigned m = from; m < to; m++)
            AT(rhs[m][at]) *= factor;
        for (size_t row = 1; row <= 2; row++) {
            size_t below = at + row * step;
            unsigned d = 2 - (unsigned)row;
            AT(a[d + 1][below]) -= AT(a[d][below]) * AT(a[3][at]);
            AT(a[d + 2][below]) -= AT(a[d][below]) * AT(a[4][at]);
            for (unsigned m = from; m < to; m++)
                AT(rhs[m][below]) -= AT(a[d][below]) * AT(rhs[m][at]);
        }
    }
    for (size_t i = n - 2; i-- > 0;) {
        size_t at = start + i * step;
        for (unsigned m = from; m < to; m++)
            AT(rhs[m][at]) -= AT(a[3][at]) * AT(rhs[m][at + step]) +
                              AT(a[4][at]) * AT(rhs[m][at + 2 * step]);
    }
}

static void solve_axis(unsigned axis, size_t step)
{
    size_t across[2] = {axis == 0 ? n : 1, axis == 2 ? n : n * n};
    for (size_t k = 1; k < n - 1; k++) {
        for (size_t j = 1; j < n - 1; j++) {
            size_t start = k * across[1] + j * across[0];
            for (size_t i = 0; i < n; i++) {
                size_t at = start + i * step;
                double along = AT(velocity[axis][at]) * AT(inverse[at]);
                double sound = AT(speed[at]);
                for (unsigned s = 0; s < SYSTEMS; s++)
                    for (unsigned d = 0; d < DIAGONALS; d++)
                        AT(lhs[s][d][at]) =
                            d == 2 ? 4
                                   : 1e-2 * along + (s > 0 ? 1e-3 * sound : 0);
            }
            solve_line(0, start, step, 0, 3);
            solve_line(1, start, step, 3, 4);
            solve_line(2, start, step, 4, 5);
        }
    }
}

void run_sp(uint64_t size)
{
    n = 1;
    while ((n + 1) * (n + 1) * (n + 1) <= size)
        n++;
    if (n < 4)
        return;
    make_arrays();
    for (unsigned step = 0; step < STEPS; step++) {
        const size_t steps[] = {1, n, n * n};
        derive();
        for (unsigned axis = 0; axis < 3; axis++)
            add_fluxes(axis, steps[axis]);
        multiply_cells();
        for (unsigned axis = 0; axis < 3; axis++) {
            solve_axis(axis, steps[axis]);
            multiply_cells();
        }
        FOR_INNER(k, j, i)
        {
            size_t at = (k * n + j) * n + i;
            for (unsigned m = 0; m < UNKNOWNS; m++)
                AT(u[m][at]) += 1e-3 * AT(rhs[m][at]);
        }
    }
}
