/* bins.c - the bins of a histogram's finite distances */
#include <string.h>

#include "stackdist/histogram.h"
#include "traces/traces_internal.h"

/* Log-linear bins double up to here and have this width from here on. */
#define LOGLINEAR_WIDTH 2048

#define KNOWN_BINS "exact, log2, loglinear, linear:WIDTH or reference:GROUPS"

__extension__ typedef unsigned __int128 u128;

static const struct {
    const char *name;
    enum margay_bins_kind kind;
    bool has_parameter;
} kinds[] = {
    {"exact", MARGAY_BINS_EXACT, false},
    {"log2", MARGAY_BINS_LOG2, false},
    {"loglinear", MARGAY_BINS_LOGLINEAR, false},
    {"linear", MARGAY_BINS_LINEAR, true},
    {"reference", MARGAY_BINS_REFERENCE, true},
};

enum margay_status margay_bins_parse(const char *text, struct margay_bins *bins,
                                     struct margay_error *error)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strncmp(text, kinds[i].name, length) != 0 ||
            kinds[i].name[length] != '\0' ||
            (colon != NULL) != kinds[i].has_parameter)
            continue;
        bins->kind = kinds[i].kind;
        bins->parameter = 0;
        if (colon == NULL || (margay_parse_u64(colon + 1, &bins->parameter) &&
                              bins->parameter >= 1))
            return MARGAY_OK;
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "bins '%s': '%s' is not a number from 1 up", text,
                           colon + 1);
    }
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "unknown bins '%s' (expected %s)", text, KNOWN_BINS);
}

static bool next_interval(const margay_histogram *histogram,
                          const struct margay_bins *bins,
                          struct margay_bin_cursor *cursor,
                          struct margay_bin *bin)
{
    uint64_t largest;
    uint64_t bound = margay_histogram_exceeded_bound(histogram);
    if (bound == 0)
        bound = UINT64_MAX;
    bin->from = cursor->next_distance;
    if (!margay_histogram_largest(histogram, &largest) || bin->from > largest ||
        bin->from >= bound)
        return false;
    uint64_t width = bins->parameter;
    if (bins->kind == MARGAY_BINS_LOG2 ||
        (bins->kind == MARGAY_BINS_LOGLINEAR && bin->from < LOGLINEAR_WIDTH))
        width = bin->from == 0 ? 1 : bin->from;
    else if (bins->kind == MARGAY_BINS_LOGLINEAR)
        width = LOGLINEAR_WIDTH;
    uint64_t end;
    bin->to = margay_add_u64(bin->from, width, &end) ? end : UINT64_MAX;
    if (bin->to > bound)
        bin->to = bound;
    bin->references = margay_histogram_between(histogram, bin->from, bin->to);
    cursor->next_distance = bin->to;
    return true;
}

/* Group g takes the references floor(g F / P) .. floor((g + 1) F / P) - 1 of
   the F finite ones in the order of distance.  Where there are more groups than
   references most are empty: go straight to the one that takes the next
   reference. */
static bool next_group(const margay_histogram *histogram, uint64_t groups,
                       struct margay_bin_cursor *cursor, struct margay_bin *bin)
{
    u128 finite = margay_histogram_references(histogram) -
                  margay_histogram_infinite(histogram);
    u128 first = cursor->group * finite / groups;
    if (first == finite)
        return false;
    u128 group = ((first + 1) * groups + finite - 1) / finite - 1;
    u128 end = (group + 1) * finite / groups;
    cursor->group = (uint64_t)group + 1;
    bin->references = (uint64_t)(end - first);
    uint64_t wanted = bin->references, distance = 0, count = 0;
    while (wanted != 0) {
        margay_histogram_next(histogram, cursor->next_distance, &distance,
                              &count);
        if (wanted == bin->references)
            bin->from = distance;
        bin->to = distance + 1;
        uint64_t left = count - cursor->left_of_row;
        if (wanted < left) {
            cursor->next_distance = distance;
            cursor->left_of_row += wanted;
            return true;
        }
        wanted -= left;
        cursor->next_distance = distance + 1;
        cursor->left_of_row = 0;
    }
    return true;
}

bool margay_histogram_next_bin(const margay_histogram *histogram,
                               const struct margay_bins *bins,
                               struct margay_bin_cursor *cursor,
                               struct margay_bin *bin)
{
    switch (bins->kind) {
    case MARGAY_BINS_EXACT:
        if (!margay_histogram_next(histogram, cursor->next_distance, &bin->from,
                                   &bin->references))
            return false;
        cursor->next_distance = bin->to = bin->from + 1;
        return true;
    case MARGAY_BINS_REFERENCE:
        return next_group(histogram, bins->parameter, cursor, bin);
    default:
        return next_interval(histogram, bins, cursor, bin);
    }
}
