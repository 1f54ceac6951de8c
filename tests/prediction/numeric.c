/* numeric.c - programs that compute: matrices, dense and sparse, particles */
#include "tests/prediction/touch.h"

#define SWEEPS     4
#define ROW_VALUES 6 /* of the sparse matrix */

/* A = L U in place, row by row, without pivoting. */
void run_lu(uint64_t size)
{
    uint64_t n = 1;
    while ((n + 1) * (n + 1) <= size)
        n++;
    double *a = make_room(n * n, sizeof *a);
    for (uint64_t i = 0; i < n * n; i++)
        a[i] = 1 + (double)draw(1000) / 1000 + (i % (n + 1) == 0 ? 9e3 : 0);
    for (uint64_t k = 0; k < n; k++) {
        for (uint64_t i = k + 1; i < n; i++) {
            double factor = AT(a[i * n + k]) / AT(a[k * n + k]);
            AT(a[i * n + k]) = factor;
            for (uint64_t j = k + 1; j < n; j++)
                AT(a[i * n + j]) -= factor * AT(a[k * n + j]);
        }
    }
}

/* y = A x, then x = y, for a sparse matrix of `size` rows whose columns are
   anywhere. */
void run_spmv(uint64_t size)
{
    uint32_t *columns = make_room(size * ROW_VALUES, sizeof *columns);
    double *values = make_room(size * ROW_VALUES, sizeof *values);
    double *x = make_room(size, sizeof *x), *y = make_room(size, sizeof *y);
    for (uint64_t i = 0; i < size * ROW_VALUES; i++) {
        columns[i] = (uint32_t)draw(size);
        values[i] = 0.1;
    }
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        for (uint64_t row = 0; row < size; row++) {
            double sum = 0;
            for (uint64_t i = row * ROW_VALUES; i < (row + 1) * ROW_VALUES; i++)
                sum += AT(values[i]) * AT(x[AT(columns[i])]);
            AT(y[row]) = sum;
        }
        for (uint64_t row = 0; row < size; row++)
            AT(x[row]) = AT(y[row]);
    }
}

struct body {
    double x, y, z, mass, fx, fy, fz, unused;
};

/* The forces between all pairs of bodies. */
void run_nbody(uint64_t size)
{
    struct body *bodies = make_room(size, sizeof *bodies);
    for (uint64_t i = 0; i < size; i++)
        bodies[i] = (struct body){.x = (double)draw(1000),
                                  .y = (double)draw(1000),
                                  .z = (double)draw(1000),
                                  .mass = 1};
    for (uint64_t i = 0; i < size; i++) {
        for (uint64_t j = 0; j < size; j++) {
            double dx = AT(bodies[j].x) - AT(bodies[i].x);
            double dy = AT(bodies[j].y) - AT(bodies[i].y);
            double dz = AT(bodies[j].z) - AT(bodies[i].z);
            double pull =
                AT(bodies[j].mass) / (1 + dx * dx + dy * dy + dz * dz);
            AT(bodies[i].fx) += pull * dx;
            AT(bodies[i].fy) += pull * dy;
            AT(bodies[i].fz) += pull * dz;
        }
    }
}
