/*
 * test_split.c - a question asked of each key apart, against filtered traces
 *
 * Random references of a few threads, tenants, sites or operations are fed to a
 * split question, and the references of each key alone to the question itself:
 * both have the same series, at several block sizes, with references that are
 * split among blocks and with a warm-up.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include <margay/questions.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MOST_REFS 60
#define MOST_KEYS 4
/* References are to 4 blocks at most. */
#define MOST_ENTRIES (4 * MOST_REFS)

static const uint64_t block_bytes[] = {64, 128, 256};

/* Block references, column by column. */
struct trace {
    size_t count, warmup;
    uint64_t blocks[MOST_ENTRIES];
    uint8_t kinds[MOST_ENTRIES], ops[MOST_ENTRIES];
    uint32_t threads[MOST_ENTRIES], tenants[MOST_ENTRIES];
    uint64_t sites[MOST_ENTRIES], sizes[MOST_ENTRIES];
    uint64_t requests[MOST_ENTRIES];
};

/* References as they are made, before they are divided into blocks. */
struct reference {
    uint64_t address, extent, size, request;
    uint8_t kind, key, op;
};

static uint64_t key_of(const struct trace *trace, enum margay_attribution by,
                       size_t i)
{
    return by == MARGAY_BY_THREAD ? trace->threads[i]
           : by == MARGAY_BY_SITE ? trace->sites[i]
           : by == MARGAY_BY_OP   ? trace->ops[i]
                                  : trace->tenants[i];
}

static void add_entry(struct trace *trace, const struct reference *reference,
                      uint64_t block)
{
    size_t i = trace->count++;
    trace->blocks[i] = block;
    trace->kinds[i] = reference->kind;
    trace->ops[i] = reference->op;
    trace->threads[i] = reference->key;
    trace->tenants[i] = 7 + 100000u * (MOST_KEYS - reference->key);
    trace->sites[i] = UINT64_MAX - 5 * reference->key;
    trace->sizes[i] = reference->size;
    trace->requests[i] = reference->request;
}

/* The entries of a trace at a block size; one for each block if it splits. */
static void divide(const struct reference *references, size_t count,
                   size_t warmup, uint64_t bytes, bool splits,
                   struct trace *trace)
{
    *trace = (struct trace){.count = 0};
    for (size_t i = 0; i < count; i++) {
        const struct reference *reference = &references[i];
        uint64_t block = reference->address / bytes;
        uint64_t last = (reference->address + reference->extent - 1) / bytes;
        if (i == warmup)
            trace->warmup = trace->count;
        do
            add_entry(trace, reference, block);
        while (splits && block++ < last);
    }
}

static void filter(const struct trace *trace, enum margay_attribution by,
                   uint64_t key, struct trace *filtered)
{
    *filtered = (struct trace){.count = 0};
    for (size_t i = 0; i < trace->count; i++) {
        size_t k = filtered->count;
        if (i == trace->warmup)
            filtered->warmup = k;
        if (key_of(trace, by, i) != key)
            continue;
        filtered->blocks[k] = trace->blocks[i];
        filtered->kinds[k] = trace->kinds[i];
        filtered->sizes[k] = trace->sizes[i];
        filtered->requests[k] = trace->requests[i];
        filtered->ops[k] = trace->ops[i];
        filtered->count++;
    }
}

/* -------------------------------------------------------------- results -- */

struct text {
    FILE *file;
    bool has_key;
    uint64_t key; /* that all are to have, where the series have none */
};

static void write_histogram(FILE *file, const margay_histogram *histogram)
{
    uint64_t distance, count;
    for (uint64_t at = 0;
         histogram != NULL &&
         margay_histogram_next(histogram, at, &distance, &count);
         at = distance + 1)
        fprintf(file, " %" PRIu64 "=%" PRIu64, distance, count);
}

static enum margay_status write_series(void *context,
                                       const struct margay_series *series,
                                       struct margay_error *error)
{
    const struct text *text = context;
    FILE *file = text->file;
    (void)error;
    if (series->references == 0)
        return MARGAY_OK;
    fprintf(file,
            "# %s %d %" PRIu64 " %u %d refs %" PRIu64 " %" PRIu64 " %" PRIu64
            " distinct %" PRIu64 " inf %" PRIu64 " %" PRIu64 " %" PRIu64
            " bound %" PRIu64 " bits %u %u:",
            series->policy == NULL ? "-" : series->policy,
            series->has_key || text->has_key,
            text->has_key ? text->key : series->key, series->counters,
            series->in_bytes, series->references, series->requests,
            series->reference_bytes, series->distinct, series->infinite,
            series->infinite_requests, series->infinite_bytes, series->bound,
            series->fraction_bits, series->byte_fraction_bits);
    write_histogram(file, series->histogram);
    for (size_t i = 0; i < series->count; i++) {
        const struct margay_series_point *point = &series->points[i];
        fprintf(file,
                " %" PRIu64 ":%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%" PRIu64,
                point->size, point->misses, point->writebacks,
                point->shared_misses, point->missed_requests,
                point->missed_bytes);
    }
    fprintf(file, "\n");
    return MARGAY_OK;
}

/* ----------------------------------------------------------- the feeding -- */

static struct margay_span span_of(const struct trace *trace, size_t from,
                                  size_t count)
{
    return (struct margay_span){
        .count = count,
        .blocks = trace->blocks + from,
        .kinds = trace->kinds + from,
        .threads = trace->threads + from,
        .tenants = trace->tenants + from,
        .sites = trace->sites + from,
        .ops = trace->ops + from,
        .sizes = trace->sizes + from,
        .requests = trace->requests + from,
        .first_index = from,
        .warmup = from < trace->warmup,
    };
}

/* Feed a trace in spans of any length, and write the series; false where
   anything fails. */
static bool analyse(const margay_question *question, const struct trace *trace,
                    const struct margay_pass *pass,
                    const struct margay_sizes *sizes, struct text *text)
{
    const struct margay_share share = {.threads = 1, .pass_count = 1};
    margay_analysis *analysis;
    enum margay_status status =
        margay_question_begin(question, pass, 1, &share, &analysis, NULL);
    for (size_t done = 0; done < trace->count && status == MARGAY_OK;) {
        size_t end = done < trace->warmup ? trace->warmup : trace->count;
        size_t some = 1 + below(end - done);
        const struct margay_span span = span_of(trace, done, some);
        if (done > 0 && done == trace->warmup)
            status = margay_analysis_reset(analysis, NULL);
        if (status == MARGAY_OK)
            status = margay_analysis_feed(analysis, &span, NULL);
        done += some;
    }
    if (status == MARGAY_OK && trace->warmup == trace->count)
        status = margay_analysis_reset(analysis, NULL);
    if (status == MARGAY_OK)
        status = margay_analysis_finish(analysis, NULL);
    if (status == MARGAY_OK)
        status =
            margay_analysis_series(analysis, sizes, write_series, text, NULL);
    margay_analysis_free(analysis);
    return status == MARGAY_OK;
}

/* --------------------------------------------------------- the questions -- */

enum asked { ENGINE, WRITEBACKS, REQUESTS, POLICIES, OBJECTS, OBJECT_POLICIES };
static const char *const asked_names[] = {"an engine", "write-backs",
                                          "requests",  "policies",
                                          "objects",   "policies of objects"};

/* What is random about a question; both that are compared have the same. */
struct choice {
    enum asked asked;
    uint64_t bound;
    unsigned touch, first_policy;
    struct margay_sizes sizes;
    struct margay_cache_sizes cache_sizes; /* the same */
};

static margay_question *ask_objects(const struct choice *choice)
{
    static const char *const policies[] = {"lru", "fifo", "sieve"};
    const struct margay_object_policies_request request = {
        .policies = policies + choice->first_policy % 2,
        .policy_count = 2,
        .directory = "/tmp"};
    struct margay_objects_options options = MARGAY_OBJECTS_OPTIONS_DEFAULT;
    margay_question *question;
    options.curve = &choice->sizes;
    if (choice->asked == OBJECTS)
        margay_objects_question(&options, NULL, &question, NULL);
    else
        margay_object_policies_question(&options, &request, &question, NULL);
    return question;
}

static margay_question *ask(const struct choice *choice)
{
    static const char *const policies[] = {"lru", "fifo", "opt", "sieve"};
    const struct margay_engine_request engine = {
        .seed = 1,
        .bound = {.value = choice->bound},
        .writebacks = choice->asked == WRITEBACKS};
    const struct margay_policies_request request = {
        .policies = policies + choice->first_policy,
        .policy_count = 2,
        .sizes = &choice->cache_sizes,
        .directory = "/tmp"};
    margay_question *question;
    if (choice->asked == OBJECTS || choice->asked == OBJECT_POLICIES)
        question = ask_objects(choice);
    else if (choice->asked == POLICIES)
        margay_policies_question(&request, &question, NULL);
    else if (choice->asked == REQUESTS)
        margay_prefixes_question(
            &(struct margay_prefixes_request){
                .engine = engine, .touch = (enum margay_touch)choice->touch},
            &question, NULL);
    else
        margay_engine_question(&engine, NULL, &question, NULL);
    return question;
}

static struct choice choose(enum asked asked)
{
    static uint64_t list[] = {1, 2, 3, 5, 8, 500};
    static struct margay_cache_size cache_list[] = {{1, false}, {2, false},
                                                    {3, false}, {5, false},
                                                    {8, false}, {500, false}};
    static const enum margay_sizes_kind kinds[] = {
        MARGAY_SIZES_LIST, MARGAY_SIZES_ALL, MARGAY_SIZES_POW2,
        MARGAY_SIZES_USUAL};
    struct choice choice = {.asked = asked};
    choice.sizes.kind = choice.cache_sizes.kind = kinds[below(4)];
    if (choice.sizes.kind == MARGAY_SIZES_LIST) {
        choice.sizes.list_blocks = list;
        choice.cache_sizes.list = cache_list;
        choice.sizes.list_count = choice.cache_sizes.count = 6;
    }
    if (asked == ENGINE && one_in(3) && choice.sizes.kind != MARGAY_SIZES_LIST)
        choice.bound = 1 + below(10);
    choice.touch = (unsigned)below(2);
    choice.first_policy = (unsigned)below(3);
    return choice;
}

/* --------------------------------------------------------------- a round -- */

static size_t make_references(struct reference *references)
{
    size_t count = 1 + below(MOST_REFS);
    uint64_t places = 1 + below(40);
    uint64_t keys = 1 + below(MOST_KEYS);
    uint64_t request = 1;
    for (size_t i = 0; i < count; i++) {
        request += one_in(3);
        references[i] = (struct reference){
            .address = 32 * below(places) + 5,
            .extent = 1 + below(190),
            .size = 1 + below(9),
            .request = request,
            .kind = (uint8_t)below(3),
            .key = (uint8_t)below(keys),
            .op = (uint8_t)below(MARGAY_OPS),
        };
    }
    return count;
}

/* The keys of a trace, ascending. */
static size_t list_keys(const struct trace *trace, enum margay_attribution by,
                        uint64_t *keys)
{
    for (size_t i = 0; i < trace->count; i++)
        keys[i] = key_of(trace, by, i);
    return margay_sort_unique(keys, trace->count);
}

/* Do both say the same of one block size? */
static bool compare(const struct choice *choice, enum margay_attribution by,
                    const struct trace *trace, const struct margay_pass *pass)
{
    const struct margay_sizes *sizes =
        choice->asked == POLICIES ? NULL : &choice->sizes;
    static struct trace filtered;
    uint64_t keys[MOST_ENTRIES];
    char *strings[2];
    size_t bytes[2], count = list_keys(trace, by, keys);
    struct text split = {.file = open_memstream(&strings[0], &bytes[0])};
    struct text apart = {.file = open_memstream(&strings[1], &bytes[1]),
                         .has_key = true};
    margay_question *inner = ask(choice), *question;
    bool right =
        margay_split_question(by, ask(choice), &question, NULL) == MARGAY_OK &&
        analyse(question, trace, pass, sizes, &split);
    for (size_t i = 0; i < count; i++) {
        apart.key = keys[i];
        filter(trace, by, keys[i], &filtered);
        right &= analyse(inner, &filtered, pass, sizes, &apart);
    }
    margay_question_free(inner);
    margay_question_free(question);
    fclose(split.file);
    fclose(apart.file);
    right &= strcmp(strings[0], strings[1]) == 0;
    if (!right)
        printf("# split:\n%s# apart:\n%s", strings[0], strings[1]);
    free(strings[0]);
    free(strings[1]);
    return right;
}

/* The number of block sizes that come out wrong. */
static unsigned run_round(enum asked asked)
{
    static const enum margay_attribution all[] = {
        MARGAY_BY_THREAD, MARGAY_BY_SITE, MARGAY_BY_TENANT, MARGAY_BY_OP};
    static struct trace trace;
    struct reference references[MOST_REFS];
    size_t count = make_references(references), warmup = 0;
    const struct choice choice = choose(asked);
    enum margay_attribution by = all[below(4)];
    bool of_objects = asked == OBJECTS || asked == OBJECT_POLICIES;
    bool splits = !of_objects && one_in(2);
    unsigned wrong = 0;
    if (one_in(3))
        warmup = below(count);
    for (size_t k = 0; k < (of_objects ? 1 : 3); k++) {
        const struct margay_pass pass = {.trace = "random",
                                         .splits = splits,
                                         .index = k,
                                         .block_bytes = block_bytes[k]};
        divide(references, count, warmup, block_bytes[k], splits, &trace);
        wrong += !compare(&choice, by, &trace, &pass);
    }
    return wrong;
}

int main(void)
{
    seed_chance(21);
    for (enum asked asked = ENGINE; asked <= OBJECT_POLICIES; asked++) {
        unsigned count = (unsigned)rounds(400), wrong = 0;
        for (unsigned i = 0; i < count && wrong == 0; i++)
            wrong += run_round(asked);
        CHECK_U64(wrong, 0, "%u traces: %s of each key", count,
                  asked_names[asked]);
    }
    return tap_done();
}
