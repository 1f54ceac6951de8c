/*
 * nnls.c - least squares whose unknowns are not negative
 *
 * Algorithm: an active set.  Unknowns are zero, or free; to begin with all are
 * zero.  The zero unknown that would reduce the error fastest becomes free, and
 * the free ones are solved for, with any signs.  If one becomes negative,
 * the solution moves from the last one towards the new one until the first
 * unknown is zero, which is kept at zero, and the others are solved for again.
 * The error falls with every unknown that becomes free, so no set of free ones
 * comes back.
 *
 * All computations are in the normal equations, A'A x = A'b, scaled to ones on
 * the diagonal, with a Cholesky factor of the free part.  A column that is
 * (nearly) a sum of free ones has no pivot to speak of, and stays at zero.
 *
 * Source: Lawson, Hanson, "Solving least squares problems", 1974, chapter 23;
 * in the normal equations: Bro, De Jong 1997.
 *
 * Guarantee: the optimum to rounding, where the columns are independent.
 *
 * Cost: A'A is O(rows columns^2); each change of the free set of k unknowns is
 * O(k^2) to enlarge it, O(k^3) to make it smaller.
 */
#include "stackdist/predict/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* Smaller pivots and gradients, of scaled columns and b, are rounding
   errors. */
#define NEARLY_ZERO 1e-10

/* The most changes of the free set per unknown; usually there are far fewer. */
#define MOST_CHANGES 10

struct problem {
    size_t n;
    double *gram;     /* A'A, n x n, ones on the diagonal */
    double *moment;   /* A'b */
    double *scale;    /* of the columns; 0 = an empty one */
    double *factor;   /* Cholesky factor of the free part, n x n */
    double *solution; /* of the free ones, in their order */
    size_t *free_at;  /* the unknowns that are free */
    size_t free_count;
    bool *is_free, *is_dependent;
};

static void problem_clear(struct problem *problem)
{
    free(problem->gram);
    free(problem->free_at);
    free(problem->is_free);
}

/* Three arrays in all. */
static bool problem_create(struct problem *problem, size_t n)
{
    size_t room = n == 0 ? 1 : n;
    *problem = (struct problem){.n = n};
    if (room > (SIZE_MAX / sizeof(double) / 2 - 3 * room) / room)
        return false;
    problem->gram = calloc(2 * room * room + 3 * room, sizeof(double));
    problem->free_at = calloc(room, sizeof(size_t));
    problem->is_free = calloc(2 * room, sizeof(bool));
    if (!problem->gram || !problem->free_at || !problem->is_free)
        return false;
    problem->factor = problem->gram + room * room;
    problem->moment = problem->factor + room * room;
    problem->scale = problem->moment + room;
    problem->solution = problem->scale + room;
    problem->is_dependent = problem->is_free + room;
    return true;
}

/* ------------------------------------------------------------ free part -- */

/* Append unknown `at` to the factor; false: it depends on the free ones. */
static bool factor_append(struct problem *problem, size_t at)
{
    size_t n = problem->n, k = problem->free_count;
    double *row = problem->factor + k * n;
    double pivot = problem->gram[at * n + at];
    for (size_t i = 0; i < k; i++) {
        const double *other = problem->factor + i * n;
        double sum = problem->gram[at * n + problem->free_at[i]];
        for (size_t j = 0; j < i; j++)
            sum -= row[j] * other[j];
        row[i] = sum / other[i];
        pivot -= row[i] * row[i];
    }
    if (pivot < NEARLY_ZERO)
        return false;
    row[k] = sqrt(pivot);
    problem->free_at[problem->free_count++] = at;
    problem->is_free[at] = true;
    return true;
}

/* L L' y = moment of the free ones. */
static void solve(struct problem *problem)
{
    size_t n = problem->n, k = problem->free_count;
    double *y = problem->solution;
    for (size_t i = 0; i < k; i++) {
        const double *row = problem->factor + i * n;
        y[i] = problem->moment[problem->free_at[i]];
        for (size_t j = 0; j < i; j++)
            y[i] -= row[j] * y[j];
        y[i] /= row[i];
    }
    for (size_t i = k; i-- > 0;) {
        for (size_t j = i + 1; j < k; j++)
            y[i] -= problem->factor[j * n + i] * y[j];
        y[i] /= problem->factor[i * n + i];
    }
}

/* ----------------------------------------------------------- active set -- */

/* The zero unknown to be freed next; n: none would help. */
static size_t choose(const struct problem *problem, const double *x,
                     double least)
{
    size_t best = problem->n;
    for (size_t i = 0; i < problem->n; i++) {
        if (problem->is_free[i] || problem->is_dependent[i])
            continue;
        /* How fast the error falls with this unknown. */
        double fall = problem->moment[i];
        for (size_t j = 0; j < problem->free_count; j++) {
            size_t other = problem->free_at[j];
            fall -= problem->gram[i * problem->n + other] * x[other];
        }
        if (fall > least) {
            best = i;
            least = fall;
        }
    }
    return best;
}

/* Move x towards the solution until an unknown would become negative.  Returns
   true if x has reached the solution. */
static bool approach(const struct problem *problem, double *x)
{
    double step = 1;
    size_t first = problem->n; /* the one that gets to zero */
    for (size_t i = 0; i < problem->free_count; i++) {
        double from = x[problem->free_at[i]], to = problem->solution[i];
        if (to > 0 || from / (from - to) >= step)
            continue;
        step = from == to ? 0 : from / (from - to);
        first = problem->free_at[i];
    }
    for (size_t i = 0; i < problem->free_count; i++) {
        double *at = &x[problem->free_at[i]];
        *at += step * (problem->solution[i] - *at);
        if (*at < 0)
            *at = 0;
    }
    if (first == problem->n)
        return true;
    x[first] = 0;
    return false;
}

static void search(struct problem *problem, double *x)
{
    double largest = 0;
    for (size_t i = 0; i < problem->n; i++)
        largest = fmax(largest, fabs(problem->moment[i]));
    size_t changes = MOST_CHANGES * (problem->n + 1), at;
    while ((at = choose(problem, x, NEARLY_ZERO * largest)) < problem->n &&
           changes-- > 0) {
        if (!factor_append(problem, at)) {
            problem->is_dependent[at] = true;
            continue;
        }
        for (solve(problem); !approach(problem, x); solve(problem)) {
            /* Drop the free unknowns whose x is zero, and factor the rest;
               free_at is overwritten after i only. */
            size_t count = problem->free_count;
            problem->free_count = 0;
            for (size_t i = 0; i < count; i++) {
                size_t kept = problem->free_at[i];
                problem->is_free[kept] = false;
                if (x[kept] > 0 && !factor_append(problem, kept))
                    x[kept] = 0;
            }
        }
        /* An unknown that became zero again at once would be chosen again. */
        if (!problem->is_free[at])
            problem->is_dependent[at] = true;
        else
            memset(problem->is_dependent, 0,
                   problem->n * sizeof *problem->is_dependent);
    }
}

/* Make the scaled normal equations of a system. */
static void make_equations(struct problem *problem, const double *matrix,
                           const double *b, size_t rows)
{
    size_t n = problem->n;
    for (size_t at = 0; at < rows; at++) {
        const double *row = matrix + at * n;
        for (size_t i = 0; i < n; i++) {
            if (row[i] == 0) /* as most entries are */
                continue;
            problem->moment[i] += row[i] * b[at];
            for (size_t j = i; j < n; j++)
                problem->gram[i * n + j] += row[i] * row[j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        double square = problem->gram[i * n + i];
        problem->scale[i] = square > 0 ? 1 / sqrt(square) : 0;
    }
    for (size_t i = 0; i < n; i++) {
        problem->moment[i] *= problem->scale[i];
        for (size_t j = i; j < n; j++) {
            problem->gram[i * n + j] *= problem->scale[i] * problem->scale[j];
            problem->gram[j * n + i] = problem->gram[i * n + j];
        }
    }
}

enum margay_status margay_nnls(const double *matrix, const double *b,
                               size_t rows, size_t columns, double *x,
                               struct margay_error *error)
{
    struct problem problem;
    if (!problem_create(&problem, columns)) {
        problem_clear(&problem);
        return margay_fail_memory(error, "a system of equations");
    }
    make_equations(&problem, matrix, b, rows);
    for (size_t i = 0; i < columns; i++) {
        x[i] = 0;
        problem.is_dependent[i] = problem.scale[i] == 0;
    }
    search(&problem, x);
    for (size_t i = 0; i < columns; i++)
        x[i] *= problem.scale[i];
    problem_clear(&problem);
    return MARGAY_OK;
}
