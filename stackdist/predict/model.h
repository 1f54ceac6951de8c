/*
 * model.h - what is known of a program's locality: pieces that move
 *
 * Whatever the method, a model is a list of pieces.  A piece is a share of
 * the references at finite distances, spread over an interval of distances
 * whose ends follow a pattern; the share may wane as the run gets longer.
 */
#ifndef MARGAY_STACKDIST_PREDICT_MODEL_H
#define MARGAY_STACKDIST_PREDICT_MODEL_H

#include <stddef.h>

#include "stackdist/predict/patterns.h"
#include <margay/stackdist.h>

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
    double share; /* at the size of the largest run */
    double least, least_growth;
    double most, most_growth;
    uint8_t growth; /* enum margay_growth */
    uint8_t mass;   /* enum margay_mass */
};

struct margay_model {
    struct margay_model_info info;
    /* The largest run: its size, and its references at finite distances; these
       are extrapolated as a power of the size, and so are the odds that a
       reference is cold. */
    double size, finite, finite_exponent;
    double cold_odds, cold_exponent;
    struct margay_piece *pieces; /* owned */
    size_t piece_count, piece_room;
    struct margay_piece *unchanged; /* owned: the largest run as it is */
    size_t unchanged_count;
};

/* Does the check of a model confirm it? */
bool margay_model_is_confirmed(const struct margay_model_info *info);

/* A list of pieces that grows.  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_model_add_piece(struct margay_model *model,
                                          const struct margay_piece *piece,
                                          struct margay_error *error);

/* The references at finite distances. */
uint64_t margay_finite_references(const margay_histogram *histogram);

/* How many references of a mass there are at size `to` for each one at `from`,
   divided by how many more references there are at all. */
double margay_mass_ratio(enum margay_mass mass, double size_from,
                         double finite_from, double size_to, double finite_to);

/*
 * Fill in the pieces of a model from the runs, ascending by size, of which
 * there are two or more; model->size and model->finite are known.  `dimension`
 * is that of the patterns, which was chosen beforehand.
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

#define MARGAY_MOST_SIZE_POWER 3

/* size^power, by multiplication. */
double margay_raise(double size, unsigned power);

#endif
