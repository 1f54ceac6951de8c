/*
 * multi.c - each bin holds references that follow different patterns
 *
 * Algorithm: the bars of one run, the standard, are taken for sums of unknown
 * parts phi(m, bar) >= 0, one for each pattern m.  At another size the part of
 * pattern m lies f(s)/f(s0) times as far.  So every bin of every run is an
 * equation, and the parts are their solution with the least squares.  A
 * prediction moves the parts to its size.
 *
 * The paper's own form ("plain") takes the smallest run for the standard, and a
 * bar for spread evenly over its bin.  Otherwise the standard is the last run,
 * which is the largest unless smaller sizes are to be predicted; the distances
 * that occurred in the bar (its grains) move, a little spread, as c + e f(s) is
 * not quite proportional to f; the equations are those of half octaves, for
 * bars of any width; a row for each bar says that its parts sum up to it
 * (conservation); and parts may also be proportional to the input, or always
 * the same, instead of a share of all references, as those of the beginning and
 * the end of a run are.
 *
 * Source: Zhong, Shen, Ding, ACM TOPLAS 31(6), 2009, section 3.4.
 *
 * Cost: O(u^2 e) for u unknowns and e equations: bars times patterns times
 * three, and runs times the half octaves of their distances.
 */
#include <stdlib.h>

#include "stackdist/predict/model.h"
#include "traces/traces_internal.h"

/* More bars than this are joined. */
#define MOST_BARS 128

/* The share of itself by which a moved distance is spread to either side. */
#define SPREAD 0.05

/* The weight of the rows of conservation. */
#define CONSERVATION 3.0

/* The growth of a distance: a part of it, the base, is the same at all sizes,
   and the rest grows by the pattern. */
struct way {
    enum margay_growth growth;
    double base; /* as a share of the distance in the standard run */
};

/* One system of equations. */
struct system {
    const struct margay_run *runs;
    size_t run_count;
    const struct margay_run *standard;
    double finite; /* references of the standard */
    bool plain;
    struct margay_form form;  /* of the standard */
    struct way *laws;         /* of its grains, by their groups; owned */
    struct margay_edges bins; /* of the equations */
    struct {                  /* the unknowns: bars of each of these */
        enum margay_growth growth;
        enum margay_mass mass;
        bool by_law; /* each grain follows its own law */
    } kinds[MARGAY_MOST_PATTERNS * MARGAY_MASSES + 1];
    size_t kind_count;
    size_t rows, columns;
    double *matrix, *right, *parts;
};

/* ----------------------------------------------------------- equations -- */

static double ratio_of(struct way way, double from, double to)
{
    return way.base +
           (1 - way.base) * margay_growth_ratio(way.growth, from, to);
}

static struct way way_of(const struct system *system, size_t kind, size_t grain)
{
    if (system->kinds[kind].by_law)
        return system->laws[grain];
    return (struct way){system->kinds[kind].growth, 0};
}

/* The column of one bar's part of a kind, in the rows of a run of this size. */
static void fill_column(const struct system *system, size_t kind,
                        const struct margay_bar *bar, double size, double mass,
                        double *column)
{
    double from = system->standard->size;
    if (system->plain) { /* as published: spread evenly over its bin */
        double ratio = ratio_of(way_of(system, kind, 0), from, size);
        struct margay_interval moved = {(double)bar->from * ratio,
                                        (double)bar->to * ratio};
        margay_edges_add(&system->bins, moved, mass, column, system->columns);
        return;
    }
    for (size_t i = 0; i < bar->grain_count; i++) {
        size_t at = bar->first_grain + i;
        const struct margay_grain *grain = &system->form.grains[at];
        double ratio = ratio_of(way_of(system, kind, at), from, size);
        bool is_exact = ratio == 1 || system->kinds[kind].by_law;
        double spread = is_exact ? 0 : SPREAD; /* to either side */
        struct margay_interval moved = {grain->least * ratio * (1 - spread),
                                        grain->most * ratio * (1 + spread) +
                                            (ratio > 1 ? ratio : 1)};
        margay_edges_add(&system->bins, moved, mass * grain->share / bar->share,
                         column, system->columns);
    }
}

/* -------------------------------------------------------------- solving -- */

/* A grain follows the law of the group that has its middle. */
static enum margay_status find_laws(struct system *system,
                                    const struct margay_patterns *patterns,
                                    struct margay_error *error)
{
    struct margay_groups groups;
    double before = 0;
    system->laws = calloc(system->form.grain_count, sizeof *system->laws);
    if (system->laws == NULL)
        return margay_fail_memory(error, "the laws of a model");
    enum margay_status status = margay_groups_make(
        &groups, system->runs, system->run_count, MARGAY_USUAL_GROUPS, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < system->form.grain_count; i++) {
        double share = system->form.grains[i].share;
        size_t group = (size_t)((before + share / 2) * (double)groups.count);
        if (group >= groups.count)
            group = groups.count - 1;
        struct margay_points points = margay_points_of(&groups, group);
        struct margay_law law =
            margay_law_choose(&points, patterns, false, NULL);
        /* The growth of a distance in the standard run. */
        double at =
            law.base +
            law.slope * margay_growth_at(law.growth, system->standard->size);
        system->laws[i] = law.growth == MARGAY_CONSTANT || !(at > 0)
                              ? (struct way){MARGAY_CONSTANT, 0}
                              : (struct way){law.growth, law.base / at};
        before += share;
    }
    margay_groups_clear(&groups);
    return MARGAY_OK;
}

/* Groups at the same distances are one bar. */
static void join_equals(struct margay_form *form)
{
    size_t count = 0;
    for (size_t i = 0; i < form->count; i++) {
        struct margay_bar *bar = &form->bars[i];
        struct margay_bar *last = count == 0 ? NULL : &form->bars[count - 1];
        if (last == NULL || last->least != bar->least ||
            last->most != bar->most) {
            form->bars[count++] = *bar;
            continue;
        }
        last->share += bar->share;
        last->grain_count += bar->grain_count;
    }
    form->count = count;
}

static enum margay_status prepare(struct system *system,
                                  const struct margay_predict_options *options,
                                  struct margay_error *error)
{
    uint64_t farthest = 0, distance;
    const struct margay_bins *of_equations =
        system->plain ? &options->bins : NULL;
    size_t most_bars =
        options->bins.kind == MARGAY_BINS_REFERENCE ? 2 * MOST_BARS : MOST_BARS;
    enum margay_status status =
        margay_form_make(system->standard->histogram, &options->bins, most_bars,
                         &system->form, error);
    if (status != MARGAY_OK)
        return status;
    join_equals(&system->form);
    for (size_t i = 0; i < system->run_count; i++) {
        margay_histogram_largest(system->runs[i].histogram, &distance);
        farthest = margay_maximum(farthest, distance);
    }
    status = margay_edges_make(of_equations, &system->form, farthest,
                               &system->bins, error);
    if (status != MARGAY_OK)
        return status;
    system->columns = system->kind_count * system->form.count;
    system->rows = system->run_count * system->bins.count;
    if (!system->plain)
        system->rows += system->form.count;
    system->matrix =
        calloc(system->rows * system->columns, sizeof *system->matrix);
    system->right = calloc(system->rows, sizeof *system->right);
    system->parts = calloc(system->columns, sizeof *system->parts);
    if (system->matrix == NULL || system->right == NULL ||
        system->parts == NULL)
        return margay_fail_memory(error, "a system of equations");
    return MARGAY_OK;
}

static enum margay_status find_parts(struct system *system,
                                     struct margay_error *error)
{
    size_t bins = system->bins.count, run;
    for (run = 0; run < system->run_count; run++) {
        const struct margay_run *at = &system->runs[run];
        double finite = (double)margay_finite_references(at->histogram);
        margay_edges_count(&system->bins, at->histogram,
                           system->right + run * bins);
        for (size_t k = 0; k < system->kind_count; k++) {
            double mass =
                margay_mass_ratio(system->kinds[k].mass, system->standard->size,
                                  system->finite, at->size, finite);
            for (size_t i = 0; i < system->form.count; i++)
                fill_column(system, k, &system->form.bars[i], at->size, mass,
                            (system->matrix + run * bins * system->columns) +
                                k * system->form.count + i);
        }
    }
    if (!system->plain) {
        /* The parts of a bar sum up to it. */
        double *matrix = system->matrix + run * bins * system->columns;
        double *right = system->right + run * bins;
        size_t bars = system->form.count;
        for (size_t i = 0; i < bars; i++) {
            right[i] = CONSERVATION * system->form.bars[i].share;
            for (size_t k = 0; k < system->kind_count; k++)
                matrix[i * system->columns + k * bars + i] = CONSERVATION;
        }
    }
    return margay_nnls(system->matrix, system->right, system->rows,
                       system->columns, system->parts, error);
}

/* --------------------------------------------------------------- pieces -- */

/* Add a piece that is at distances in [from, to) in the standard run. */
static enum margay_status add_piece(const struct system *system, size_t kind,
                                    struct way way, double share, double from,
                                    double to, struct margay_model *model,
                                    struct margay_error *error)
{
    double at = margay_growth_at(way.growth, system->standard->size);
    struct margay_piece piece = {.share = share,
                                 .growth = (uint8_t)way.growth,
                                 .mass = (uint8_t)system->kinds[kind].mass};
    if (way.growth == MARGAY_CONSTANT) {
        piece.least = from;
        piece.most = to - 1;
    } else if (system->plain) {
        piece.least_growth = from / at;
        piece.most_growth = to / at;
        piece.most = -1;
    } else {
        piece.least = way.base * from;
        piece.least_growth = (1 - way.base) * from / at;
        piece.most = way.base * (to - 1);
        piece.most_growth = (1 - way.base) * (to - 1) / at;
    }
    return margay_model_add_piece(model, &piece, error);
}

static enum margay_status add_pieces(const struct system *system,
                                     struct margay_model *model,
                                     struct margay_error *error)
{
    const struct margay_form *form = &system->form;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < system->columns && status == MARGAY_OK; i++) {
        size_t kind = i / form->count;
        const struct margay_bar *bar = &form->bars[i % form->count];
        double part = system->parts[i];
        if (part > 0 && system->plain)
            status =
                add_piece(system, kind, way_of(system, kind, 0), part,
                          (double)bar->from, (double)bar->to, model, error);
        for (size_t j = 0; part > 0 && !system->plain && j < bar->grain_count &&
                           status == MARGAY_OK;
             j++) {
            const struct margay_grain *grain =
                &form->grains[bar->first_grain + j];
            status = add_piece(system, kind,
                               way_of(system, kind, bar->first_grain + j),
                               part * grain->share / bar->share, grain->least,
                               grain->most + 1, model, error);
        }
    }
    return status;
}

enum margay_status margay_multi_fit(
    struct margay_model *model, const struct margay_run *runs, size_t count,
    const struct margay_predict_options *options, enum margay_pattern dimension,
    struct margay_error *error)
{
    struct system system = {
        .runs = runs,
        .run_count = count,
        .standard =
            options->plain && !options->downwards ? &runs[0] : &runs[count - 1],
        .plain = options->plain,
    };
    system.finite =
        (double)margay_finite_references(system.standard->histogram);
    const struct margay_patterns *patterns = margay_patterns_of(dimension);
    unsigned masses = system.plain ? 1 : MARGAY_MASSES;
    for (size_t i = 0; i < patterns->count; i++) {
        for (unsigned mass = 0; mass < masses; mass++) {
            system.kinds[system.kind_count].growth = patterns->growths[i];
            system.kinds[system.kind_count++].mass = mass;
        }
    }
    if (!system.plain)
        system.kinds[system.kind_count++].by_law = true;
    enum margay_status status = prepare(&system, options, error);
    if (status == MARGAY_OK && !options->plain)
        status = find_laws(&system, margay_patterns_of(dimension), error);
    if (status == MARGAY_OK)
        status = find_parts(&system, error);
    if (status == MARGAY_OK)
        status = add_pieces(&system, model, error);
    margay_form_clear(&system.form);
    margay_edges_clear(&system.bins);
    free(system.laws);
    free(system.matrix);
    free(system.right);
    free(system.parts);
    return status;
}
