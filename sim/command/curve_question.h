/* curve_question.h - what curve, histogram and distances ask of traces */
#ifndef MARGAY_SIM_COMMAND_CURVE_QUESTION_H
#define MARGAY_SIM_COMMAND_CURVE_QUESTION_H

#include "sim/options/options.h"
#include <margay/questions.h>

/* The options of a question of objects: what of it is wanted. */
struct objects_wanted {
    bool curve, histogram;
    bool distances;        /* of each reference, for a further question */
    margay_question *next; /* that question; NULL = none */
};

/*
 * The question of byte distances that the options ask.  `sizes`, which the
 * caller frees with free(sizes->list_blocks), outlives the question.
 * MARGAY_BAD_ARGUMENT, MARGAY_NO_MEMORY.
 */
enum margay_status objects_question(const struct options *options,
                                    const struct objects_wanted *wanted,
                                    struct margay_sizes *sizes,
                                    margay_question **question,
                                    struct margay_error *error);

/* The question of a curve: distances, policies, requests, objects or tenants.
   `sizes` is as above. */
enum margay_status curve_question(const struct options *options,
                                  struct margay_sizes *sizes,
                                  margay_question **question,
                                  struct margay_error *error);

/* Is the question of tenants one of the cache that they share, too?  It is
   where a reference has one distance that does not fade. */
bool curve_shares(const struct options *options);

/* The engine of objects that answers such a question, with policies or not. */
const margay_objects *objects_engine(const struct options *options,
                                     const margay_analysis *analysis);

#endif
