/* forms.c - a histogram of finite distances as bars that are learnt from */
#include "stackdist/predict/model.h"

#include <math.h>
#include <stdlib.h>

#include "stackdist/histogram.h"
#include "traces/traces_internal.h"

uint64_t margay_finite_references(const margay_histogram *histogram)
{
    return margay_histogram_references(histogram) -
           margay_histogram_infinite(histogram);
}

#define HALF_OCTAVE 1.4142135623730951

/* Log-linear bins below this are not joined. */
#define LOGARITHMIC_END 2048

/* The references of a histogram's rows, taken one bar after the other. */
struct rows {
    const margay_histogram *histogram;
    uint64_t distance, left; /* of the row in hand */
};

/* Take the next references, `wanted` at most, that are at the same distance.
   The histogram must have some left. */
static uint64_t take(struct rows *rows, uint64_t wanted)
{
    if (rows->left == 0)
        margay_histogram_next(rows->histogram, rows->distance + 1,
                              &rows->distance, &rows->left);
    uint64_t taken = wanted < rows->left ? wanted : rows->left;
    rows->left -= taken;
    return taken;
}

/* Find the mean, the least and the largest distance of the next references;
   returns the number of different distances. */
static size_t survey(struct rows rows, uint64_t references,
                     struct margay_bar *bar)
{
    double sum = 0;
    size_t distances = 0;
    for (uint64_t left = references, taken; left > 0; left -= taken) {
        taken = take(&rows, left);
        if (distances++ == 0)
            bar->least = (double)rows.distance;
        bar->most = (double)rows.distance;
        sum += (double)rows.distance * (double)taken;
    }
    bar->mean = sum / (double)references;
    return distances;
}

/* ------------------------------------------------------------- building -- */

struct builder {
    struct margay_form *form;
    struct rows rows;
    double finite;
    size_t bar_capacity, grain_capacity;
    struct margay_error *error;
};

static enum margay_status add_bar(struct builder *builder,
                                  const struct margay_bin *bin)
{
    struct margay_form *form = builder->form;
    struct margay_bar bar = {.from = bin->from, .to = bin->to};
    if (!MARGAY_MAKE_ROOM(form->bars, form->count, 1, builder->bar_capacity))
        return margay_fail_memory(builder->error, "the bars of a histogram");
    size_t distances = survey(builder->rows, bin->references, &bar);
    bar.share = (double)bin->references / builder->finite;
    bar.first_grain = form->grain_count;
    /* A grain for each distance, or MARGAY_MOST_GRAINS of equal mass. */
    bool each = distances <= MARGAY_MOST_GRAINS;
    uint64_t done = 0;
    for (size_t i = 0; done < bin->references; i++) {
        struct margay_grain grain;
        /* Whole groups first, to keep the product within 64 bits. */
        uint64_t end = each ? bin->references
                            : bin->references / MARGAY_MOST_GRAINS * (i + 1) +
                                  bin->references % MARGAY_MOST_GRAINS *
                                      (i + 1) / MARGAY_MOST_GRAINS;
        uint64_t taken = take(&builder->rows, end - done), all = taken;
        grain.least = (double)builder->rows.distance;
        for (; !each && all < end - done; all += taken)
            taken = take(&builder->rows, end - done - all);
        grain.most = (double)builder->rows.distance;
        grain.share = (double)all / builder->finite;
        done += all;
        if (!MARGAY_MAKE_ROOM(form->grains, form->grain_count, 1,
                              builder->grain_capacity))
            return margay_fail_memory(builder->error,
                                      "the bars of a histogram");
        form->grains[form->grain_count++] = grain;
    }
    bar.grain_count = form->grain_count - bar.first_grain;
    form->bars[form->count++] = bar;
    return MARGAY_OK;
}

/* ----------------------------------------------------------------- bins -- */

static bool may_be_joined(const struct margay_bins *bins,
                          const struct margay_bin *bin)
{
    return bins->kind != MARGAY_BINS_LOGLINEAR || bin->from >= LOGARITHMIC_END;
}

/* The next bar's bin: `joint` bins in one. */
static bool next_bin(const margay_histogram *histogram,
                     const struct margay_bins *bins, size_t joint,
                     struct margay_bin_cursor *cursor, struct margay_bin *bin)
{
    struct margay_bin more;
    if (!margay_histogram_next_bin(histogram, bins, cursor, bin))
        return false;
    if (!may_be_joined(bins, bin))
        return true;
    for (size_t i = 1;
         i < joint && margay_histogram_next_bin(histogram, bins, cursor, &more);
         i++) {
        bin->to = more.to;
        bin->references += more.references;
    }
    return true;
}

enum margay_status margay_form_make(const margay_histogram *histogram,
                                    const struct margay_bins *bins,
                                    size_t most_bars, struct margay_form *form,
                                    struct margay_error *error)
{
    struct margay_bin_cursor cursor = {0, 0, 0};
    struct margay_bin bin;
    struct builder builder = {
        .form = form,
        .rows = {.histogram = histogram, .distance = UINT64_MAX},
        .finite = (double)margay_finite_references(histogram),
        .error = error,
    };
    /* The number of bins to join to a bar. */
    size_t count = 0, joint = 1;
    while (most_bars != 0 &&
           margay_histogram_next_bin(histogram, bins, &cursor, &bin))
        count += may_be_joined(bins, &bin);
    while (most_bars != 0 && count / joint >= most_bars)
        joint *= 2;
    enum margay_status status = MARGAY_OK;
    cursor = (struct margay_bin_cursor){0, 0, 0};
    *form = (struct margay_form){0};
    while (status == MARGAY_OK &&
           next_bin(histogram, bins, joint, &cursor, &bin)) {
        if (bin.references > 0)
            status = add_bar(&builder, &bin);
    }
    if (status != MARGAY_OK)
        margay_form_clear(form);
    return status;
}

void margay_form_clear(struct margay_form *form)
{
    free(form->bars);
    free(form->grains);
    *form = (struct margay_form){0};
}

/* --------------------------------------------- bins whose contents move -- */

/* The share of `moved`, evenly spread, that is in `bin`. */
static double overlap(struct margay_interval moved, struct margay_interval bin)
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
    size_t capacity = 0, bar = 0;
    double at = 0;
    *edges = (struct margay_edges){NULL, 0};
    for (size_t count = 0;; count++) {
        if (!MARGAY_MAKE_ROOM(edges->edges, count, 1, capacity))
            return margay_fail_memory(error, "bins of distances");
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

void margay_edges_add(const struct margay_edges *edges,
                      struct margay_interval moved, double share, double *bins,
                      size_t stride)
{
    /* The bin that holds the beginning. */
    size_t i =
        MARGAY_BISECT(bin, edges->count, edges->edges[bin + 1] <= moved.from);
    for (; i < edges->count && edges->edges[i] < moved.to; i++) {
        struct margay_interval bin = {edges->edges[i], edges->edges[i + 1]};
        bins[i * stride] += share * overlap(moved, bin);
    }
}

void margay_edges_count(const struct margay_edges *edges,
                        const margay_histogram *histogram, double *bins)
{
    double finite = (double)margay_finite_references(histogram);
    size_t bin = 0;
    MARGAY_EACH_COUNT (histogram, distance, count) {
        while (bin + 1 < edges->count &&
               edges->edges[bin + 1] <= (double)distance)
            bin++;
        bins[bin] += (double)count / finite;
    }
}
