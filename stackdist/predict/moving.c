/* moving.c - bins whose contents move */
#include "stackdist/predict/moving.h"

#include <math.h>
#include <stdlib.h>

#include "stackdist/predict/model.h"
#include "stackdist/predict/room.h"
#include "traces/traces_internal.h"

#define HALF_OCTAVE 1.4142135623730951

double margay_overlap(struct margay_interval moved, struct margay_interval bin)
{
    double from = fmax(moved.from, bin.from), to = fmin(moved.to, bin.to);
    if (to <= from)
        return 0;
    return (to - from) / (moved.to - moved.from);
}

/* Where the bin that begins at `from` ends. */
static double bin_end(const struct margay_bins *kind,
                      const struct margay_form *form, size_t *bar, double from)
{
    double next = floor(from * HALF_OCTAVE);
    if (kind == NULL || kind->kind == MARGAY_BINS_REFERENCE) {
        if (kind != NULL) {
            while (*bar < form->count && (double)form->bars[*bar].from <= from)
                ++*bar;
            if (*bar < form->count)
                return (double)form->bars[*bar].from;
        }
        return next > from ? next : from + 1;
    }
    if (kind->kind == MARGAY_BINS_LINEAR)
        return from + (double)kind->parameter;
    if (kind->kind == MARGAY_BINS_LOGLINEAR && from >= 2048)
        return from + 2048;
    return from == 0 ? 1 : 2 * from;
}

enum margay_status margay_edges_make(const struct margay_bins *kind,
                                     const struct margay_form *form,
                                     uint64_t farthest,
                                     struct margay_edges *edges,
                                     struct margay_error *error)
{
    size_t room = 0, bar = 0;
    double at = 0;
    *edges = (struct margay_edges){NULL, 0};
    for (size_t count = 0;; count++) {
        double *more =
            margay_make_room(edges->edges, count, &room, sizeof *more);
        if (more == NULL)
            return margay_fail_memory(error, "bins of distances");
        edges->edges = more;
        edges->edges[count] = at;
        edges->count = count;
        if (at > (double)farthest)
            return MARGAY_OK;
        at = bin_end(kind, form, &bar, at);
    }
}

void margay_edges_clear(struct margay_edges *edges)
{
    free(edges->edges);
    *edges = (struct margay_edges){NULL, 0};
}

/* The bin that holds a distance; the number of bins beyond the last. */
static size_t find_bin(const struct margay_edges *edges, double distance)
{
    size_t low = 0, high = edges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edges->edges[middle + 1] <= distance)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void margay_edges_add(const struct margay_edges *edges,
                      struct margay_interval moved, double share, double *bins,
                      size_t stride)
{
    for (size_t i = find_bin(edges, moved.from);
         i < edges->count && edges->edges[i] < moved.to; i++) {
        struct margay_interval bin = {edges->edges[i], edges->edges[i + 1]};
        bins[i * stride] += share * margay_overlap(moved, bin);
    }
}

void margay_edges_count(const struct margay_edges *edges,
                        const margay_histogram *histogram, double *bins)
{
    double finite = (double)margay_finite_references(histogram);
    uint64_t distance, count;
    size_t bin = 0;
    for (uint64_t from = 0;
         margay_histogram_next(histogram, from, &distance, &count);
         from = distance + 1) {
        while (bin + 1 < edges->count &&
               edges->edges[bin + 1] <= (double)distance)
            bin++;
        bins[bin] += (double)count / finite;
    }
}
