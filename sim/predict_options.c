/* predict_options.c - the types of options.def that describe predictions */
#include "sim/predict_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/option_types.h"
#include "sim/refuse.h"
#include "traces/traces_internal.h"

OPTION_TYPE(predict_method)
{
    static const char *const words[] = {"single", "multi", NULL};
    size_t index = 0;
    enum margay_status status = find_word(name, text, words, &index, error);
    *(enum predict_method *)field = index == 0 ? PREDICT_SINGLE : PREDICT_MULTI;
    return status;
}

/* As margay_bins_parse() has them, but numbers may be left out. */
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

OPTION_TYPE(predict_pattern)
{
    static const char *const words[] = {"auto", "1d", "2d", "3d", NULL};
    size_t index = 0;
    enum margay_status status = find_word(name, text, words, &index, error);
    *(enum margay_pattern *)field = (enum margay_pattern)index;
    return status;
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
