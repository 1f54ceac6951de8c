/* curve_words.c - a curve in words */
#include "sim/command/curve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/result/knees.h"
#include "sim/result/text.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

#define SIZE_TEXT  80
#define NAME_TEXT  MARGAY_MESSAGE_BYTES
#define PARTS_TEXT 320

/* The series asked about, of misses or of missed bytes. */
struct curve {
    char name[NAME_TEXT]; /* "a.din, tenant web" */
    const char *ratio;    /* "miss ratio" */
    uint64_t block_bytes; /* 0 = unknown */
    const struct margay_series *series;
    bool bytes;
    uint64_t all;  /* the references or bytes that the misses are of */
    uint64_t cold; /* the misses of every cache, however large */
};

static uint64_t misses_at(const struct curve *curve, size_t i)
{
    const struct margay_series_point *point = &curve->series->points[i];
    return curve->bytes ? point->missed_bytes : point->misses;
}

static uint64_t size_at(const struct curve *curve, size_t i)
{
    return curve->series->points[i].size;
}

/* "6 blocks (384 bytes)" */
static const char *name_size(const struct curve *curve, uint64_t size,
                             char text[SIZE_TEXT])
{
    const bool in_bytes = curve->series->in_bytes;
    char number[WORDS_BYTES];
    uint64_t bytes;
    int used = snprintf(text, SIZE_TEXT, "%s",
                        words_of(size, in_bytes ? "byte" : "block", number));
    if (!in_bytes && curve->block_bytes != 0 &&
        margay_multiply_u64(size, curve->block_bytes, &bytes))
        snprintf(text + used, SIZE_TEXT - (size_t)used, " (%s)",
                 words_of(bytes, "byte", number));
    return text;
}

static double ratio_of(const struct curve *curve, uint64_t misses)
{
    return (double)misses / (double)curve->all;
}

static void say_unreached(const struct curve *curve, double most)
{
    char text[SIZE_TEXT];
    size_t last = curve->series->count - 1;
    double lowest = ratio_of(curve, misses_at(curve, last));
    unsigned bits = curve->bytes ? curve->series->byte_fraction_bits
                                 : curve->series->fraction_bits;
    uint64_t cold = margay_round_count(curve->cold, bits);
    name_size(curve, size_at(curve, last), text);
    if (curve->series->bound != 0)
        message_keep("%s: no cache of up to %s has a %s of at most %g: there "
                     "it is %.6g, and nothing is known beyond",
                     curve->name, text, curve->ratio, most, lowest);
    else if (margay_round_count(misses_at(curve, last), bits) == cold)
        message_keep("%s: no cache has a %s of at most %g: the cold misses "
                     "alone are %.6g (%" PRIu64 " of %" PRIu64 ")",
                     curve->name, curve->ratio, most, lowest, cold,
                     margay_round_count(curve->all, bits));
    else
        message_keep("%s: no cache has a %s of at most %g: the lowest is %.6g, "
                     "of %s",
                     curve->name, curve->ratio, most, lowest, text);
}

static bool answer_at_most(const struct curve *curve, double most)
{
    char text[SIZE_TEXT];
    if (curve->series->count == 0 || curve->all == 0) {
        message_keep("%s: there are no %s, and so no %s", curve->name,
                     curve->all > 0 ? "sizes for which the sample is a guide"
                                    : "references",
                     curve->ratio);
        return false;
    }
    /* Simulated caches are those of a grid alone. */
    bool is_grid =
        curve->series->policy != NULL &&
        (curve->series->in_bytes || curve->series->histogram == NULL);
    for (size_t i = 0; i < curve->series->count; i++) {
        if (ratio_of(curve, misses_at(curve, i)) > most)
            continue;
        message_keep("%s: %sthe smallest cache with a %s of at most %g has "
                     "%s: %.6g",
                     curve->name,
                     curve->series->unsure_below > 0
                         ? "of the sizes for which the sample is a guide, "
                     : is_grid ? "of the sizes that were simulated, "
                               : "",
                     curve->ratio, most,
                     name_size(curve, size_at(curve, i), text),
                     ratio_of(curve, misses_at(curve, i)));
        return true;
    }
    say_unreached(curve, most);
    return false;
}

/* --------------------------------------------------------------- knees -- */

static void say_knee(const struct curve *curve, size_t number, size_t knee)
{
    char text[SIZE_TEXT];
    uint64_t size = size_at(curve, knee);
    size_t half = 0;
    while (size_at(curve, half) <= size / 2)
        half++;
    message_keep(
        "%s: knee %zu at %s: the %s falls from %.6g at half of that to %.6g",
        curve->name, number, name_size(curve, size, text), curve->ratio,
        ratio_of(curve, half == 0 ? curve->all : misses_at(curve, half - 1)),
        ratio_of(curve, misses_at(curve, knee)));
}

static enum margay_status answer_knees(const struct curve *curve,
                                       uint64_t wanted,
                                       struct margay_error *error)
{
    size_t count = curve->series->count, said = 0;
    struct knee_point *points = calloc(count + 1, sizeof *points);
    const struct knee_curve line = {points, count, curve->all, true};
    struct knees knees;
    if (points == NULL)
        return margay_fail_memory(error, "knees");
    for (size_t i = 0; i < count; i++)
        points[i] = (struct knee_point){size_at(curve, i), misses_at(curve, i)};
    enum margay_status status = knees_find(&line, wanted, &knees, error);
    /* Those of which the half is known. */
    for (size_t i = 0; i < knees.count; i++) {
        if (points[knees.list[i]].size / 2 >= curve->series->unsure_below)
            say_knee(curve, ++said, knees.list[i]);
    }
    if (status == MARGAY_OK && said == 0)
        message_keep("%s: the curve has no knee", curve->name);
    free(points);
    return status;
}

/* -------------------------------------------------------------- series -- */

bool answers_are_asked(const struct options *options)
{
    return options->results.at_most >= 0 ||
           options->results.at_most_bytes >= 0 || options->results.knees != 0;
}

/* The trace, and what labels the series, but block sizes only where there are
   several. */
static void name_series(const struct options *options,
                        const struct series_labels *labels,
                        const struct margay_series *series,
                        char text[NAME_TEXT])
{
    char window[40] = "", blocks[48] = "";
    if (options->run.blocks.count > 1)
        snprintf(blocks, sizeof blocks, ", blocks of %" PRIu64 " bytes",
                 labels->block_bytes);
    if (labels->window != NULL)
        snprintf(window, sizeof window, ", window %" PRIu64, *labels->window);
    snprintf(text, NAME_TEXT, "%s%s%s%s%s%s%s", labels->trace, blocks, window,
             labels->tenant == NULL ? "" : ", tenant ",
             labels->tenant == NULL ? "" : labels->tenant,
             series->policy == NULL ? "" : ", policy ",
             series->policy == NULL ? "" : series->policy);
}

enum margay_status answer_series(const struct options *options,
                                 const struct series_labels *labels,
                                 const struct margay_series *series,
                                 bool *unreached, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    struct margay_series guide = *series;
    while (guide.count > 0 && guide.points->size < guide.unsure_below) {
        guide.points++;
        guide.count--;
    }
    struct curve curve = {
        .ratio = "miss ratio",
        .block_bytes = labels->block_bytes,
        .series = &guide,
        .all = series->references,
        .cold = series->infinite,
    };
    name_series(options, labels, series, curve.name);
    if (options->results.at_most >= 0)
        *unreached |= !answer_at_most(&curve, options->results.at_most);
    if (options->results.knees > 0)
        status = answer_knees(&curve, options->results.knees, error);
    if (options->results.at_most_bytes < 0)
        return status;
    curve.ratio = "byte miss ratio";
    curve.bytes = true;
    curve.all = series->reference_bytes;
    curve.cold = series->infinite_bytes;
    *unreached |= !answer_at_most(&curve, options->results.at_most_bytes);
    return status;
}

/* ------------------------------------------------------------- requests -- */

static void summarise_requests(const struct margay_pass *pass,
                               const struct margay_series *series)
{
    unsigned bits = series->fraction_bits;
    uint64_t bound = series->bound;
    char text[5][WORDS_BYTES];
    message_tell(
        "%s: %s of %s, distinct%s %s, %s and %s miss in every cache%s, "
        "%.1f M refs/s",
        pass->trace,
        words_of(margay_round_count(series->references, bits), "reference",
                 text[0]),
        words_of(margay_round_count(series->requests, bits), "request",
                 text[1]),
        bound == 0 ? "" : " >",
        words_of(bound == 0 ? series->distinct : bound, "block", text[2]),
        words_of(margay_round_count(series->infinite, bits), "reference",
                 text[3]),
        words_of(margay_round_count(series->infinite_requests, bits), "request",
                 text[4]),
        bound == 0 ? "" : " up to the bound", pass_rate(pass));
}

/* -------------------------------------------------------------- objects -- */

static bool is_more_than_a_hundredth(uint64_t part, uint64_t all)
{
    return part > all / 100;
}

/* The words before numbers of objects that a sample estimates. */
static const char *about_of(const struct options *options)
{
    struct margay_objects_options asked;
    (void)objects_options(options, &asked, NULL);
    return asked.rate < 1 ? "about " : "";
}

static void warn_of_resized(const struct options *options, const char *name,
                            uint64_t resized, uint64_t all)
{
    char text[WORDS_BYTES];
    if (is_more_than_a_hundredth(resized, all))
        message_keep(
            "%s: %s%s (%.3g%%) %s another size than %s object had "
            "before; each size counts from its request on "
            "(--sizes-from takes one for all)",
            name, about_of(options), words_of(resized, "request", text),
            100 * (double)resized / (double)all, resized == 1 ? "has" : "have",
            resized == 1 ? "its" : "their");
}

void warn_of_part(const struct options *options,
                  const struct series_labels *labels,
                  const struct margay_series *series)
{
    char text[WORDS_BYTES], name[NAME_TEXT];
    unsigned bits = series->fraction_bits;
    struct margay_series all = *series;
    /* All policies have the same requests. */
    if ((labels->tenant == NULL && labels->window == NULL) ||
        (options->results.policies.count > 0 &&
         series->policy != options->results.policies.specs[0]))
        return;
    all.policy = NULL;
    name_series(options, labels, &all, name);
    warn_of_resized(options, name, margay_round_count(all.resized, bits),
                    margay_round_count(all.references, bits));
    if (all.doubtful > 0)
        message_keep(
            "%s: in caches smaller than the largest object at most "
            "%s more",
            name,
            words_of(margay_round_count(all.doubtful, bits), "miss", text));
}

static void warn_of_sizes(const struct options *options,
                          const struct margay_job *job,
                          const struct margay_objects_counts *counts)
{
    uint64_t never;
    (void)margay_trace_unknown_sizes(job->reader, &never);
    warn_of_resized(options, job->trace, counts->resized, counts->references);
    if (is_more_than_a_hundredth(never, counts->references))
        message_keep("%s: %" PRIu64 " request%s 0 bytes, as the size of "
                     "their object is never said%s",
                     job->trace, never, never == 1 ? " counts" : "s count",
                     strcmp(job->trace, "-") == 0 ? " before them" : "");
}

/* ", about 12 expired", where there are any. */
static void add_part(char text[PARTS_TEXT], const char *about, uint64_t count,
                     const char *what)
{
    char number[WORDS_BYTES];
    size_t used = strlen(text);
    if (count > 0)
        snprintf(text + used, PARTS_TEXT - used, ", %s%s %s", about,
                 words_number(count, number), what);
}

/* The numbers of references of each kind, but 0; `about` are the words before
   those that a sample estimates, and `doubts` those about doubtful ones. */
static void name_parts(const struct margay_objects_counts *counts,
                       const char *about, const char *doubts,
                       const margay_trace *trace, char text[PARTS_TEXT])
{
    uint64_t never, unknown = margay_trace_unknown_sizes(trace, &never);
    *text = '\0';
    add_part(text, about, counts->expired, "expired");
    add_part(text, "", counts->deletes, "deleted");
    add_part(text, about, counts->resized, "with another size");
    strcat(text, doubts);
    add_part(text, "", counts->merged,
             *about == '\0' ? "with an approximate time to live"
                            : "of the sample with an approximate time to live");
    add_part(text, "", unknown, "without a size of their own");
    add_part(text, "", never, "of these 0 bytes, as no size was known");
}

static void summarise_objects(const struct options *options,
                              const struct margay_job *job,
                              const struct margay_pass *pass)
{
    const margay_analysis *analysis = job->analyses[pass->index];
    /* With policies, the objects are the next question. */
    struct margay_objects_counts counts =
        margay_objects_counted(margay_objects_analysis_engine(
            options->results.policies.count > 0 ? analysis->next : analysis));
    struct margay_objects_options asked;
    char objects[160], doubts[160] = "", parts[PARTS_TEXT];
    char text[2][WORDS_BYTES];
    margay_objects_round(&counts);
    (void)objects_options(options, &asked, NULL);
    uint64_t bound = counts.exceeded_bound;
    const char *about = about_of(options);
    /* Ages leave nothing in doubt that could be counted, and a sample does not
       say how much there is of all. */
    if (*about == '\0' &&
        (counts.doubtful > 0 || (counts.shrunk > 0 && !asked.ages)))
        snprintf(doubts, sizeof doubts,
                 ", in caches smaller than the largest object %s %s (%.2g%% "
                 "of references) more",
                 asked.ages || counts.expired > 0 ? "about" : "at most",
                 words_of(counts.doubtful, "miss", text[0]),
                 100 * (double)counts.doubtful / (double)counts.references);
    name_parts(&counts, about, doubts, job->reader, parts);
    if (bound != 0)
        snprintf(objects, sizeof objects, "objects of more than %s",
                 words_of(bound, "byte", text[0]));
    else
        snprintf(objects, sizeof objects, "%s of %s",
                 words_of(counts.objects, "object", text[0]),
                 words_of(counts.object_bytes, "byte", text[1]));
    message_tell("%s: %s, %s%s in all, %s%s%s%s, %.1f M refs/s", pass->trace,
                 words_of(counts.references, "reference", text[0]), about,
                 objects, about,
                 bound != 0 ? words_number(counts.cold, text[1])
                            : words_of(counts.cold, "cold miss", text[1]),
                 bound != 0 ? " hit in no cache up to there" : "", parts,
                 pass_rate(pass));
    warn_of_sizes(options, job, &counts);
}

/* -------------------------------------------------------------- samples -- */

/* A few hundred blocks err by much more than some thousand do. */
#define TOO_FEW_BLOCKS 500

/* The series has unsure_below where there are rows of such caches, and the
   sample has so many blocks. */
static void summarise_sample(const struct margay_pass *pass,
                             const struct margay_series *series,
                             const char *sample, uint64_t count)
{
    const bool in_bytes = series->in_bytes;
    char text[WORDS_BYTES];
    if (*sample == '\0')
        return;
    message_tell("%s: a sample of %s", pass->trace, sample);
    if (series->unsure_below > 0)
        message_tell(
            "%s: the rows of caches smaller than %s are no guide in a sample",
            pass->trace,
            words_of(series->unsure_below, in_bytes ? "byte" : "block", text));
    if (count == 0)
        message_keep("%s: the sample is empty: take a larger share",
                     pass->trace);
    else if (count < TOO_FEW_BLOCKS)
        message_tell("%s: a sample of %s errs much, and one of some thousand "
                     "less: take a larger share",
                     pass->trace,
                     words_of(count, in_bytes ? "object" : "block", text));
}

/* -------------------------------------------------------------- the pass -- */

void summary_add(struct margay_series *all, const struct margay_series *series)
{
    uint64_t before = all->unsure_below, below = series->unsure_below;
    bool unsure = series->count > 0 && series->points[0].size < below;
    if (all->references == 0)
        *all = *series;
    else if (series->has_key && series->policy == all->policy) {
        all->references += series->references;
        all->distinct += series->distinct;
        all->infinite += series->infinite;
        all->requests += series->requests;
        all->request_tokens += series->request_tokens;
        all->infinite_requests += series->infinite_requests;
    }
    all->unsure_below = unsure && below > before ? below : before;
}

void summarise_pass(const struct options *options, const struct margay_job *job,
                    const struct margay_pass *pass,
                    const struct margay_series *series)
{
    struct margay_series measured = *series;
    char sample[CURVE_SAMPLE_TEXT];
    uint64_t count = curve_sample(options, &measured, sample);
    if (options->results.objects && options->reading.tenant == NULL)
        summarise_objects(options, job, pass);
    else if (options->results.requests)
        summarise_requests(pass, series);
    else
        table_summarise(pass, series, *sample != '\0');
    summarise_sample(pass, series, sample, count);
    /* Warn of missing counts that another curve has. */
    if (options->reading.tenant != NULL || options->results.objects ||
        options->results.requests || options->results.policies.count > 0 ||
        options->command->bit != ON_CURVE || pass->index != 0 ||
        pass->fed_refs == 0)
        return;
    unsigned columns = margay_trace_facts(job->reader)->columns;
    /* References with extents may overlap, and would count several times. */
    if ((columns & MARGAY_COLUMN_SIZES) && !(columns & MARGAY_COLUMN_EXTENTS))
        message_tell("%s: the trace has sizes: --objects counts bytes",
                     job->trace);
    if (columns & MARGAY_COLUMN_REQUESTS)
        message_tell("%s: the trace has requests: --requests counts them",
                     job->trace);
}

void warn_of_ages(const struct options *options, const struct margay_job *job)
{
    unsigned columns = margay_trace_facts(job->reader)->columns;
    /* The summary of a whole trace says how many there are. */
    if (options->results.objects && options->results.policies.count == 0 &&
        (options->results.ttl.given || (columns & MARGAY_COLUMN_TTLS) != 0) &&
        (options->reading.tenant != NULL || options->run.window_refs != 0))
        message_tell("%s: times to live may be approximate here; --policy lru "
                     "counts them exactly",
                     job->trace);
}

void curve_warn(const struct options *options)
{
    if (options->results.prometheus != NULL &&
        !interval_is_given(&options->run.every))
        message_tell("%s: written once, in the end; --every N writes it as the "
                     "trace goes on",
                     options->results.prometheus);
}
