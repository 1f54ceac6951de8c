/* predict_options.h - what the command line says about predictions */
#ifndef MARGAY_SIM_PREDICT_OPTIONS_H
#define MARGAY_SIM_PREDICT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <margay/stackdist.h>

enum predict_method {
    PREDICT_UNSAID, /* as the bins suggest */
    PREDICT_SINGLE,
    PREDICT_MULTI,
};

struct predict_choices {
    enum predict_method method;
    /* MARGAY_BINS_EXACT: as the method suggests; parameter 0: as usual. */
    struct margay_bins bins;
    enum margay_pattern pattern;
    bool plain, curve, with_runs;
    double size; /* 0 = not given */
    uint64_t references;
    bool sample;
    uint64_t qualification_blocks, temporal_blocks, spatial_blocks; /* 0 =
                                                                   automatic */
    uint64_t samples, peaks; /* at most so many; peaks of each sample */
    const char *truth, *save_model, *load_model; /* NULL = not given */
};

#define PREDICT_CHOICES_DEFAULT                          \
    {                                                    \
        .references = 1000000, .samples = 16, .peaks = 8 \
    }

/* Of linear bins, and groups of reference bins, in blocks. */
#define USUAL_LINEAR_WIDTH 2048
#define USUAL_MULTI_GROUPS 200

/*
 * The library's options for what was chosen.  What does not go together is
 * found by margay_model_fit().
 */
struct margay_predict_options predict_resolve(
    const struct predict_choices *choices);

#endif
