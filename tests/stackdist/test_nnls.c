/* test_nnls.c - least squares without negative unknowns */
#include <math.h>

#include "stackdist/predict/nnls.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MOST_ROWS    24
#define MOST_COLUMNS 12

struct system {
    double matrix[MOST_ROWS * MOST_COLUMNS], b[MOST_ROWS];
    size_t rows, columns;
};

static double real(void)
{
    return (double)below(2001) / 1000 - 1;
}

static struct system make_system(size_t most)
{
    struct system s;
    s.columns = 1 + below(most);
    s.rows = s.columns + below(MOST_ROWS - s.columns);
    uint64_t zeros = below(3);
    for (size_t i = 0; i < s.rows * s.columns; i++)
        s.matrix[i] = below(3) < zeros ? 0 : real();
    for (size_t i = 0; i < s.rows; i++)
        s.b[i] = real();
    return s;
}

static double residual_of(const struct system *s, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < s->rows; i++) {
        double off = -s->b[i];
        for (size_t j = 0; j < s->columns; j++)
            off += s->matrix[i * s->columns + j] * x[j];
        sum += off * off;
    }
    return sum;
}

static double solve(const struct system *s, double *x)
{
    if (margay_nnls(s->matrix, s->b, s->rows, s->columns, x, NULL) != MARGAY_OK)
        abort();
    return residual_of(s, x);
}

/* --------------------------------------------------------------- oracle -- */

/* Least squares over the unknowns in `set`, by elimination with pivots; false
   if they depend on each other. */
static bool solve_set(const struct system *s, unsigned set, double *x)
{
    double a[MOST_COLUMNS][MOST_COLUMNS + 1] = {{0}};
    size_t at[MOST_COLUMNS], n = 0;
    memset(x, 0, s->columns * sizeof *x);
    for (size_t j = 0; j < s->columns; j++) {
        if (set >> j & 1)
            at[n++] = j;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; r < s->rows; r++) {
            const double *row = s->matrix + r * s->columns;
            for (size_t j = 0; j < n; j++)
                a[i][j] += row[at[i]] * row[at[j]];
            a[i][n] += row[at[i]] * s->b[r];
        }
    }
    for (size_t i = 0; i < n; i++) {
        size_t pivot = i;
        for (size_t k = i + 1; k < n; k++) {
            if (fabs(a[k][i]) > fabs(a[pivot][i]))
                pivot = k;
        }
        if (fabs(a[pivot][i]) < 1e-9)
            return false;
        for (size_t j = 0; j <= n; j++) {
            double other = a[i][j];
            a[i][j] = a[pivot][j];
            a[pivot][j] = other;
        }
        for (size_t k = 0; k < n; k++) {
            double factor = k == i ? 0 : a[k][i] / a[i][i];
            for (size_t j = i; j <= n; j++)
                a[k][j] -= factor * a[i][j];
        }
    }
    for (size_t i = 0; i < n; i++)
        x[at[i]] = a[i][n] / a[i][i];
    return true;
}

/* The least of all sets whose solution is not negative. */
static double best_of_all(const struct system *s)
{
    double x[MOST_COLUMNS], best = INFINITY;
    for (unsigned set = 0; set < 1u << s->columns; set++) {
        bool good = solve_set(s, set, x);
        for (size_t j = 0; j < s->columns; j++)
            good = good && x[j] >= 0;
        if (good)
            best = fmin(best, residual_of(s, x));
    }
    return best;
}

/* ---------------------------------------------------------------- tests -- */

static void test_by_hand(void)
{
    /* Apart, the second would be -1; then the first gets all of b. */
    const struct system apart = {
        .matrix = {1, 0, 0, 1}, .b = {2, -1}, .rows = 2, .columns = 2};
    double x[2];
    double residual = solve(&apart, x);
    CHECK(x[0] == 2 && x[1] == 0 && residual == 1,
          "an unknown that would be negative is 0");
    /* Without signs (3, -1); with them the first alone: 5/2. */
    const struct system joint = {
        .matrix = {1, 1, 1, 0}, .b = {2, 3}, .rows = 2, .columns = 2};
    residual = solve(&joint, x);
    CHECK(fabs(x[0] - 2.5) < 1e-12 && x[1] == 0 && fabs(residual - 0.5) < 1e-12,
          "the others make up for it");
    const struct system none = {
        .matrix = {-1, -1}, .b = {1, 1}, .rows = 2, .columns = 1};
    residual = solve(&none, x);
    CHECK(x[0] == 0 && residual == 2, "nothing helps: all are 0");
    const struct system zero = {
        .matrix = {0, 1, 0, 1}, .b = {4, 6}, .rows = 2, .columns = 2};
    residual = solve(&zero, x);
    CHECK(x[0] == 0 && fabs(x[1] - 5) < 1e-12 && fabs(residual - 2) < 1e-12,
          "an empty column");
}

static void test_against_all_sets(void)
{
    uint64_t wrong = 0, negative = 0;
    for (uint64_t round = 0; round < rounds(400); round++) {
        struct system s = make_system(7);
        double x[MOST_COLUMNS], best = best_of_all(&s);
        double residual = solve(&s, x);
        wrong += !(fabs(residual - best) < 1e-8 * (1 + best));
        for (size_t j = 0; j < s.columns; j++)
            negative += !(x[j] >= 0);
    }
    CHECK_U64(negative, 0, "nothing is negative");
    CHECK_U64(wrong, 0, "no set of free unknowns does better");
}

/* At the optimum no zero unknown would help, and free ones are level. */
static void test_conditions(void)
{
    uint64_t wrong = 0;
    for (uint64_t round = 0; round < rounds(400); round++) {
        struct system s = make_system(MOST_COLUMNS);
        double x[MOST_COLUMNS];
        solve(&s, x);
        for (size_t j = 0; j < s.columns; j++) {
            double slope = 0;
            for (size_t i = 0; i < s.rows; i++) {
                double off = -s.b[i];
                for (size_t k = 0; k < s.columns; k++)
                    off += s.matrix[i * s.columns + k] * x[k];
                slope += off * s.matrix[i * s.columns + j];
            }
            wrong += x[j] > 0 ? fabs(slope) > 1e-7 : slope < -1e-7;
        }
    }
    CHECK_U64(wrong, 0, "the conditions of an optimum hold");
}

static void test_dependent(void)
{
    uint64_t wrong = 0;
    for (uint64_t round = 0; round < rounds(300); round++) {
        struct system s = make_system(6);
        struct system twice = s;
        double x[MOST_COLUMNS], again[MOST_COLUMNS];
        if (2 * s.columns > MOST_COLUMNS)
            continue;
        twice.columns = 2 * s.columns;
        for (size_t i = 0; i < s.rows; i++) {
            for (size_t j = 0; j < twice.columns; j++)
                twice.matrix[i * twice.columns + j] =
                    s.matrix[i * s.columns + j % s.columns] *
                    (j < s.columns ? 1 : 3);
        }
        double residual = solve(&s, x), other = solve(&twice, again);
        wrong += !(fabs(residual - other) < 1e-8);
    }
    CHECK_U64(wrong, 0, "columns that say the same twice change nothing");
}

int main(void)
{
    seed_chance(1);
    test_by_hand();
    test_against_all_sets();
    test_conditions();
    test_dependent();
    return tap_done();
}
