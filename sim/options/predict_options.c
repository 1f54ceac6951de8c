/* predict_options.c - the types of options.def that describe predictions */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/options/option_types.h"
#include "sim/options/option_values.h"
#include "traces/traces_internal.h"

/* The width of linear bins in blocks, and the number of groups of reference
   bins, where the option leaves the number out. */
#define USUAL_LINEAR_WIDTH 2048
#define USUAL_MULTI_GROUPS 200

/* The bins of margay_bins_parse(), whose numbers may be left out. */
OPTION_TYPE(predict_bins)
{
    struct margay_bins *bins = field;
    *bins = (struct margay_bins){MARGAY_BINS_EXACT, 0};
    if (strcmp(text, "reference") == 0)
        bins->kind = MARGAY_BINS_REFERENCE;
    else if (strcmp(text, "linear") == 0)
        bins->kind = MARGAY_BINS_LINEAR;
    if (bins->kind != MARGAY_BINS_EXACT)
        return MARGAY_OK;
    if (margay_bins_parse(text, bins, NULL) == MARGAY_OK &&
        bins->kind != MARGAY_BINS_EXACT)
        return MARGAY_OK;
    return refuse(name, text,
                  "reference, reference:GROUPS, log2, loglinear, linear or "
                  "linear:WIDTH",
                  error);
}

OPTION_TYPE(input_size)
{
    double *size = field;
    if (parse_decimal(name, text, size, error) == MARGAY_OK && *size > 0)
        return MARGAY_OK;
    return refuse(name, text, "a number above 0, such as 4096", error);
}

struct margay_predict_options predict_resolve(
    const struct predict_choices *choices)
{
    struct margay_predict_options options = {
        .bins = choices->bins,
        .pattern = choices->pattern,
        .plain = choices->plain,
    };
    bool distance = options.bins.kind != MARGAY_BINS_EXACT &&
                    options.bins.kind != MARGAY_BINS_REFERENCE;
    bool multi = choices->method == PREDICT_MULTI ||
                 (choices->method == PREDICT_UNSAID && distance);
    options.method = multi ? MARGAY_METHOD_MULTI : MARGAY_METHOD_SINGLE;
    if (options.bins.kind == MARGAY_BINS_EXACT)
        options.bins.kind = multi ? MARGAY_BINS_LOG2 : MARGAY_BINS_REFERENCE;
    if (options.bins.parameter != 0)
        return options;
    if (options.bins.kind == MARGAY_BINS_LINEAR)
        options.bins.parameter = USUAL_LINEAR_WIDTH;
    if (options.bins.kind == MARGAY_BINS_REFERENCE)
        options.bins.parameter =
            multi ? USUAL_MULTI_GROUPS : MARGAY_USUAL_GROUPS;
    return options;
}
