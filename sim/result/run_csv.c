/* run_csv.c - the exact histogram of a run, read from its table */
#define _GNU_SOURCE
#include "sim/result/run_csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/options/option_types.h"
#include "sim/result/histogram_csv.h"
#include "stackdist/stackdist_internal.h"
#include "traces/traces_internal.h"

/* Count a bin, whose distances lie between two powers of two. */
static enum margay_status add_bin(const struct run_csv *run,
                                  const struct margay_bin *bin,
                                  struct margay_error *error)
{
    struct margay_error why;
    uint64_t next_power =
        bin->from == 0 ? 1 : UINT64_C(2) << margay_log2_floor(bin->from);
    if (next_power != 0 && bin->to > next_power)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found a bin from %" PRIu64 " to %" PRIu64
                           ", expected bins that no power of two divides "
                           "(--bins exact, log2 or loglinear)",
                           run->path, bin->from, bin->to);
    if (margay_histogram_add(run->histogram, bin->from, bin->references,
                             &why) != MARGAY_OK)
        return margay_fail(error, MARGAY_BAD_INPUT, "%s: %s", run->path,
                           why.message);
    return MARGAY_OK;
}

static enum margay_status split(struct run_csv *run, bool has_size,
                                struct margay_error *error)
{
    char *equals = has_size ? strrchr(run->path, '=') : NULL;
    if (!has_size)
        return MARGAY_OK;
    if (equals == NULL || equals == run->path)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "'%s' (expected RUN.csv=SIZE, the histogram of a "
                           "run and the size of its input)",
                           run->name);
    *equals = '\0';
    return parse_input_size(run->name, equals + 1, &run->size, error);
}

enum margay_status run_csv_check_finite(const struct run_csv *run,
                                        struct margay_error *error)
{
    uint64_t largest;
    if (!margay_histogram_largest(run->histogram, &largest))
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: no finite distance: no block is used twice, so "
                           "there is nothing to learn from or to compare",
                           run->path);
    return MARGAY_OK;
}

void run_csv_clear(struct run_csv *run)
{
    margay_histogram_free(run->histogram);
    free(run->path);
    free(run->place);
    *run = (struct run_csv){0};
}

/* ---------------------------------------------------------------- places -- */

/* What the table is read into. */
struct reading {
    struct run_places *places;
    struct histogram_place place; /* of the histogram that is taken */
    struct run_csv first;         /* path, name and size of all */
    char *trace;                  /* of all; NULL = none yet */
};

void run_places_clear(struct run_places *places)
{
    for (size_t i = 0; i < places->count; i++)
        run_csv_clear(&places->runs[i]);
    free(places->runs);
    *places = (struct run_places){.runs = NULL};
}

/* Begin a run for the histogram that is taken. */
static enum margay_status add_run(struct reading *reading, const char *trace,
                                  uint64_t block_bytes, struct run_csv **run,
                                  struct margay_error *error)
{
    struct run_places *places = reading->places;
    bool placed = reading->place.column[0] != '\0';
    if (reading->trace != NULL &&
        (!placed || strcmp(reading->trace, trace) != 0 ||
         places->runs[0].block_bytes != block_bytes))
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: a second histogram, of %s, expected one trace "
                           "at one block size",
                           reading->first.path, trace);
    if (reading->trace == NULL)
        reading->trace = strdup(trace);
    struct run_csv *runs = margay_grow(places->runs, places->count,
                                       &places->capacity, sizeof *runs);
    if (reading->trace == NULL || runs == NULL)
        return margay_fail_memory(error, "the histograms of a table");
    places->runs = runs;
    *run = &runs[places->count++];
    **run = (struct run_csv){.path = strdup(reading->first.path),
                             .name = reading->first.name,
                             .block_bytes = block_bytes,
                             .size = reading->first.size};
    if (placed)
        (*run)->place = strdup(reading->place.text);
    return (*run)->path == NULL || (placed && (*run)->place == NULL)
               ? margay_fail_memory(error, "the name of a run")
               : MARGAY_OK;
}

static enum margay_status take_exact(void *context, const char *trace,
                                     uint64_t block_bytes,
                                     const margay_histogram *histogram,
                                     struct margay_error *error)
{
    struct run_csv *run;
    enum margay_status status =
        add_run(context, trace, block_bytes, &run, error);
    return status == MARGAY_OK
               ? margay_histogram_copy(histogram, &run->histogram, error)
               : status;
}

static enum margay_status take_bins(void *context, const char *trace,
                                    uint64_t block_bytes,
                                    const struct margay_bin *bins, size_t count,
                                    uint64_t infinite,
                                    struct margay_error *error)
{
    const struct margay_bin cold = {MARGAY_INFINITE, MARGAY_INFINITE, infinite};
    struct run_csv *run;
    enum margay_status status =
        add_run(context, trace, block_bytes, &run, error);
    if (status == MARGAY_OK)
        status = margay_histogram_create(&run->histogram, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = add_bin(run, &bins[i], error);
    return status == MARGAY_OK ? add_bin(run, &cold, error) : status;
}

static int by_place(const void *a, const void *b)
{
    const struct run_csv *const *x = a, *const *y = b;
    return strcmp((*x)->place, (*y)->place);
}

static enum margay_status check_places(const struct run_places *places,
                                       struct margay_error *error)
{
    const struct run_csv **order = calloc(places->count, sizeof *order);
    if (order == NULL)
        return margay_fail_memory(error, "the histograms of a table");
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < places->count; i++)
        order[i] = &places->runs[i];
    qsort(order, places->count, sizeof *order, by_place);
    for (size_t i = 1; i < places->count && status == MARGAY_OK; i++) {
        if (by_place(&order[i - 1], &order[i]) == 0)
            status = margay_fail(
                error, MARGAY_BAD_INPUT, "%s: a second histogram of %s %s",
                order[i]->path, places->column, order[i]->place);
    }
    free(order);
    return status;
}

static enum margay_status read_places(struct run_places *places,
                                      const char *text, bool has_size,
                                      bool binned, bool may_have_places,
                                      struct margay_error *error)
{
    *places = (struct run_places){.runs = NULL};
    struct reading reading = {.places = places,
                              .first = {.path = strdup(text), .name = text}};
    const struct histogram_reading as = {
        .take = take_exact,
        .take_bins = binned ? take_bins : NULL,
        .context = &reading,
        .place = may_have_places ? &reading.place : NULL,
    };
    struct run_csv *first = &reading.first;
    if (first->path == NULL)
        return margay_fail_memory(error, "the name of a run");
    enum margay_status status = split(first, has_size, error);
    if (status == MARGAY_OK)
        status = histogram_csv_read_as(first->path, &as, error);
    memcpy(places->column, reading.place.column, sizeof places->column);
    if (status == MARGAY_OK && places->count == 0)
        status = margay_fail(error, MARGAY_BAD_INPUT,
                             "%s: found no rows, expected the histogram of a "
                             "run",
                             first->path);
    if (status == MARGAY_OK && places->column[0] != '\0')
        status = check_places(places, error);
    free(reading.trace);
    run_csv_clear(first);
    return status;
}

enum margay_status run_places_read(struct run_places *places, const char *text,
                                   bool has_size, bool binned,
                                   struct margay_error *error)
{
    return read_places(places, text, has_size, binned, true, error);
}

enum margay_status run_csv_read(struct run_csv *run, const char *text,
                                bool has_size, struct margay_error *error)
{
    struct run_places places;
    enum margay_status status =
        read_places(&places, text, has_size, false, false, error);
    *run = (struct run_csv){0};
    if (places.count > 0)
        *run = places.runs[0];
    free(places.runs);
    return status == MARGAY_OK ? run_csv_check_finite(run, error) : status;
}

/* ---------------------------------------------------------------- blocks -- */

enum margay_status run_csv_check_blocks(const struct run_csv *run,
                                        const char *other_name,
                                        uint64_t other_bytes,
                                        struct margay_error *error)
{
    const uint64_t bytes[2] = {run->block_bytes, other_bytes};
    char names[2][48];
    if (run->block_bytes == other_bytes)
        return MARGAY_OK;
    for (size_t i = 0; i < 2; i++) {
        snprintf(names[i], 48, "blocks of %" PRIu64 " byte%s", bytes[i],
                 margay_plural(bytes[i], "s"));
        if (bytes[i] == 0)
            strcpy(names[i], "blocks of unknown size");
    }
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: found %s, expected %s as in %s", run->path,
                       names[0], names[1], other_name);
}
