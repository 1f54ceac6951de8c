/*
 * model.h - a model of a program's locality
 *
 * With either method a model is a list of pieces.  A piece is a share of the
 * references at finite distances, spread over an interval of distances whose
 * ends follow a pattern; the share may become smaller in longer runs.
 */
#ifndef MARGAY_STACKDIST_PREDICT_MODEL_H
#define MARGAY_STACKDIST_PREDICT_MODEL_H

#include <margay/prediction.h>

/* ------------------------------------------------------------ patterns -- */

/*
 * A distance is d(s) = base + growth f(s), for one of these f.  The data of a
 * program is of one, two or three dimensions, whose patterns are not mixed:
 * rows of a matrix of s elements have about s^1/2, planes of a cube s^2/3.
 *
 * Source: Zhong, Shen, Ding, ACM TOPLAS 31(6), 2009, section 3.2.  Their
 * patterns grow; `settling` is ours, for distances that approach a constant.
 */
enum margay_growth {
    MARGAY_CONSTANT,
    MARGAY_CUBE_ROOT,   /* s^1/3 */
    MARGAY_SQUARE_ROOT, /* s^1/2 */
    MARGAY_TWO_THIRDS,  /* s^2/3 */
    MARGAY_LINEAR,      /* s */
    MARGAY_SETTLING,    /* 1/s */
    MARGAY_GROWTHS,
};

#define MARGAY_MOST_PATTERNS 4

/* The patterns of one dimension, the constant one first. */
struct margay_patterns {
    enum margay_growth growths[MARGAY_MOST_PATTERNS];
    size_t count;
};

/* f(s), for s > 0; 0 for the constant pattern. */
double margay_growth_at(enum margay_growth growth, double size);

/* The factor by which a distance that is proportional to f grows from one size
   to the other. */
double margay_growth_ratio(enum margay_growth growth, double from, double to);

/* `dimension` is not MARGAY_PATTERN_AUTO. */
const struct margay_patterns *margay_patterns_of(enum margay_pattern dimension);

/* -------------------------------------------------------------- pieces -- */

/* The quantity that a piece's number of references is proportional to. */
enum margay_mass {
    MARGAY_STEADY,      /* all references: its share stays */
    MARGAY_PER_ELEMENT, /* the size of the input */
    MARGAY_FIXED,       /* nothing: beginning and end of a run */
    MARGAY_MASSES,
};

/* At size s: distances from least + least_growth f(s) to most + most_growth
   f(s), both included. */
struct margay_piece {
    double share; /* at the size of the last run */
    double least, least_growth;
    double most, most_growth;
    uint8_t growth; /* enum margay_growth */
    uint8_t mass;   /* enum margay_mass */
};

struct margay_model {
    struct margay_model_info info;
    /* The last run: its size and its references at finite distances.  These,
       and the odds that a reference is a first one, are extrapolated as powers
       of the size. */
    double size, finite, finite_exponent;
    double cold_odds, cold_exponent;
    struct margay_piece *pieces; /* owned */
    size_t piece_count, piece_capacity;
    struct margay_piece *unchanged; /* owned: the last run as it is */
    size_t unchanged_count;
};

/* The blocks of the last run, or as many as its distances show. */
double margay_data_blocks(const struct margay_model *model);

/* Whether the properties of a model make it trusted. */
bool margay_model_is_trusted(const struct margay_model_info *info);

/* Append a piece.  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_model_add_piece(struct margay_model *model,
                                          const struct margay_piece *piece,
                                          struct margay_error *error);

/* The factor by which the share of such a mass changes from one run to another,
   given the sizes and the finite references of both. */
double margay_mass_ratio(enum margay_mass mass, double size_from,
                         double finite_from, double size_to, double finite_to);

/* Fill in the pieces of a model from the runs, in the order of their sizes, of
   which there are two or more; model->size and model->finite are known.
   `dimension` is that of the patterns, which was chosen beforehand. */
enum margay_status margay_single_fit(
    struct margay_model *model, const struct margay_run *runs, size_t count,
    const struct margay_predict_options *options, enum margay_pattern dimension,
    struct margay_error *error);
enum margay_status margay_multi_fit(
    struct margay_model *model, const struct margay_run *runs, size_t count,
    const struct margay_predict_options *options, enum margay_pattern dimension,
    struct margay_error *error);

/* The dimension whose patterns fit the runs' reference histograms best. */
enum margay_status margay_choose_dimension(
    const struct margay_run *runs, size_t count,
    const struct margay_predict_options *options,
    enum margay_pattern *dimension, struct margay_error *error);

/* The part of the change of distances between two runs that no pattern of a
   dimension explains. */
enum margay_status margay_find_unexplained(const struct margay_run runs[2],
                                           enum margay_pattern dimension,
                                           double *part,
                                           struct margay_error *error);

#define MARGAY_MOST_SIZE_POWER 3

/* size^power, by multiplication. */
double margay_raise(double size, unsigned power);

/* ------------------------------------------------------- forms, forms.c -- */

/*
 * A distance histogram has a bar for each bin of distances, in which the share
 * of references varies from run to run; a reference histogram has a bar for
 * each of P groups of equal mass, in which the distance does.
 *
 * Source: Zhong, Shen, Ding, ACM TOPLAS 31(6), 2009, section 3.1.
 */

/* The most grains of a bar. */
#define MARGAY_MOST_GRAINS 32

/* References at neighbouring distances. */
struct margay_grain {
    double share; /* of all references at finite distances */
    double least, most;
};

struct margay_bar {
    uint64_t from, to;        /* the bin: distances in [from, to) */
    double share;             /* of the references at finite distances */
    double mean, least, most; /* of the distances that occur */
    size_t first_grain, grain_count;
};

struct margay_form {
    struct margay_bar *bars; /* owned; empty bins have none */
    size_t count;
    struct margay_grain *grains; /* owned; those of a bar in a row */
    size_t grain_count;
};

/* The number of references at finite distances. */
uint64_t margay_finite_references(const margay_histogram *histogram);

/* The bars of a histogram that has finite distances, neighbours joined two by
   two until there are at most `most_bars`, unless that is 0.  The grains of a
   bar are its distances, or groups of equal mass where these are too many.
   MARGAY_NO_MEMORY on failure, with nothing to release. */
enum margay_status margay_form_make(const margay_histogram *histogram,
                                    const struct margay_bins *bins,
                                    size_t most_bars, struct margay_form *form,
                                    struct margay_error *error);

/* Release what a form owns; a zeroed or cleared form owns nothing. */
void margay_form_clear(struct margay_form *form);

/* Real distances in [from, to). */
struct margay_interval {
    double from, to;
};

/* Neighbouring bins from 0 on: bin i is [edges[i], edges[i + 1]). */
struct margay_edges {
    double *edges; /* owned; count + 1 of them */
    size_t count;
};

/* Bins of the kind given through `farthest`; without a kind (NULL), half
   octaves.  Reference bins begin where the bars of `form` do, and are half
   octaves beyond them.  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_edges_make(const struct margay_bins *kind,
                                     const struct margay_form *form,
                                     uint64_t farthest,
                                     struct margay_edges *edges,
                                     struct margay_error *error);
void margay_edges_clear(struct margay_edges *edges);

/* Add `share`, spread evenly over the interval, to bins at a stride. */
void margay_edges_add(const struct margay_edges *edges,
                      struct margay_interval moved, double share, double *bins,
                      size_t stride);

/* The shares of a histogram's finite references, which there are. */
void margay_edges_count(const struct margay_edges *edges,
                        const margay_histogram *histogram, double *bins);

/* --------------------------------------------------------- laws, laws.c -- */

/*
 * The references of each run, in the order of their distances, are cut into P
 * groups of equal mass.  Group g of one run is taken to be group g of every
 * other, so its mean distance is a function of the size, of which each run
 * gives a point.
 *
 * Source: Zhong, Shen, Ding, ACM TOPLAS 31(6), 2009, sections 3.2, 3.3.
 */

/* A distance as a function of the size: base + slope f(s). */
struct margay_law {
    enum margay_growth growth;
    double base, slope;
    double error; /* by which it was chosen */
};

/* The means of one group in all runs, in the order of their sizes. */
struct margay_points {
    const double *sizes;
    const double *distances;
    size_t count;
};

/* The reference histograms of all runs, and room for a group's points. */
struct margay_groups {
    struct margay_form *forms;
    size_t run_count, count;
    double *sizes, *distances;
};

/* Cut the runs into `most` groups, or fewer where a run has fewer references.
   MARGAY_NO_MEMORY on failure, with nothing to release. */
enum margay_status margay_groups_make(struct margay_groups *groups,
                                      const struct margay_run *runs,
                                      size_t count, uint64_t most,
                                      struct margay_error *error);
void margay_groups_clear(struct margay_groups *groups);

/* The points of one group, valid until the next call. */
struct margay_points margay_points_of(const struct margay_groups *groups,
                                      size_t group);

/* Choose the law of a group.  *fit_error, unless NULL, receives the error of
   the pattern that fits best, even if it is not taken because none fits well.
   `plain`: as published. */
struct margay_law margay_law_choose(const struct margay_points *points,
                                    const struct margay_patterns *patterns,
                                    bool plain, double *fit_error);

/* ------------------------------------------------ least squares, nnls.c -- */

/*
 * Find x >= 0 with the least |A x - b|, for a matrix of `rows` rows and
 * `columns` columns, row after row in `matrix`; all numbers are finite.  x has
 * room for `columns` numbers.
 *
 * Where many x do equally well (columns that depend on each other), the one
 * found depends on nothing but the numbers given.  MARGAY_NO_MEMORY on
 * failure.
 */
enum margay_status margay_nnls(const double *matrix, const double *b,
                               size_t rows, size_t columns, double *x,
                               struct margay_error *error);

/* ---------------------------------------------------- as numbers, keep.c -- */

/* The number of numbers of an exported model, of which the first `count` are
   given; with too few of them, a lower limit.  0 if no model begins like
   this. */
size_t margay_model_extent(const uint64_t *numbers, size_t count);

#endif
