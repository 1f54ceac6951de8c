/*
 * model.h - a model of a program's locality
 *
 * With either method a model is a list of pieces.  A piece is a share of the
 * references at finite distances, spread over an interval of distances whose
 * ends follow a pattern; the share may become smaller in longer runs.
 */
#ifndef MARGAY_STACKDIST_PREDICT_MODEL_H
#define MARGAY_STACKDIST_PREDICT_MODEL_H

#include <stddef.h>

#include <margay/prediction.h>

/* ------------------------------------------------------------ patterns -- */

/*
 * A distance is d(s) = base + growth f(s), for one of these f.  The data of a
 * program is of one, two or three dimensions, whose patterns are not mixed:
 * rows of a matrix of s elements have about s^1/2, planes of a cube s^2/3.
 *
 * Source: Zhong, Shen, Ding, ACM TOPLAS 31(6), 2009, section 3.2.  Their
 * patterns grow; `settling` is ours, of what approaches a constant.
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

/* What a piece's number of references is proportional to. */
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

/* Whether what is known of a model makes it one to be trusted. */
bool margay_model_is_trusted(const struct margay_model_info *info);

/* Append a piece.  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_model_add_piece(struct margay_model *model,
                                          const struct margay_piece *piece,
                                          struct margay_error *error);

/* The factor by which the share of such a mass changes from one run to another,
   given the sizes and the finite references of both. */
double margay_mass_ratio(enum margay_mass mass, double size_from,
                         double finite_from, double size_to, double finite_to);

/*
 * Fill in the pieces of a model from the runs, in the order of their sizes, of
 * which there are two or more; model->size and model->finite are known.
 * `dimension` is that of the patterns, which was chosen beforehand.
 */
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

/* ---------------------------------------------------- as numbers, keep.c -- */

/*
 * The number of numbers of an exported model, of which the first `count` are
 * given; with too few of them, a lower limit.  0 if no model begins like this.
 */
size_t margay_model_extent(const uint64_t *numbers, size_t count);

#endif
