/* fuzz_command.c - what people type: command lines, specs; and their tables */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/result/regions.h"
#include "sim/result/run_csv.h"
#include "tests/fuzz/fuzz.h"
#include "traces/traces_internal.h"

#define MOST_ARGUMENTS 32

static char *copy_text(const uint8_t *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    if (bytes > 0)
        memcpy(text, data, bytes);
    text[bytes] = '\0';
    return text;
}

/* A refusal says something, in one line. */
static void check_message(const struct margay_error *error)
{
    if (error->message[0] == '\0' || strchr(error->message, '\n') != NULL)
        fuzz_fail("no message, or of two lines: '%s'", error->message);
}

/* -------------------------------------------------------------- options -- */

static const struct command *choose_command(uint8_t choice)
{
    size_t count = 0;
    while (command_at(count) != NULL)
        count++;
    return command_at(choice % count);
}

static void resolve_sizes(const struct options *options)
{
    struct margay_sizes sizes;
    struct margay_error error = {.message = ""};
    if (margay_cache_sizes_resolve(&options->results.sizes, 64, &sizes,
                                   &error) == MARGAY_OK)
        free((void *)sizes.list_blocks);
    else
        check_message(&error);
}

/* The first byte chooses the command; each line is an argument. */
void fuzz_options(const char *name, const uint8_t *data, size_t bytes)
{
    char *arguments[MOST_ARGUMENTS + 1] = {NULL};
    struct options options;
    struct margay_error error = {.message = ""};
    (void)name;
    if (bytes == 0)
        return;
    char *text = copy_text(data + 1, bytes - 1), *rest = text;
    for (size_t i = 0; i < MOST_ARGUMENTS && rest != NULL; i++)
        arguments[i] = strsep(&rest, "\n");
    if (options_parse(&options, choose_command(data[0]), arguments, &error) !=
        MARGAY_OK)
        check_message(&error);
    else
        resolve_sizes(&options);
    options_free(&options);
    free(text);
}

/* ---------------------------------------------------------------- specs -- */

static void try_engine(const char *spec, uint64_t bound_blocks)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_error error = {.message = ""};
    struct margay_result result;
    static const uint64_t blocks[] = {1, 2, 3, 1, 2, 4, 1, UINT64_MAX, 0, 3};
    size_t count = sizeof blocks / sizeof *blocks;
    margay_engine *engine;
    options.bound_blocks = bound_blocks;
    if (margay_engine_create(spec, &options, &engine, &error) != MARGAY_OK) {
        check_message(&error);
        return;
    }
    /* What runs on a device has to do without one here. */
    if (strstr(spec, "backend=") != NULL) {
        margay_engine_free(engine);
        return;
    }
    if (margay_engine_feed(engine, blocks, count, NULL, &error) != MARGAY_OK ||
        margay_engine_finish(engine, &result, &error) != MARGAY_OK)
        fuzz_fail("%s: %s", spec, error.message);
    if (result.references != count)
        fuzz_fail("%s: %zu references", spec, (size_t)result.references);
    margay_result_clear(&result);
    margay_engine_free(engine);
}

/* A cache of few ways of the policy, if there is one, is used. */
static void try_policy(const char *text)
{
    const struct margay_cache_options options = {.ways = 5, .policy = text};
    struct margay_error error = {.message = ""};
    uint64_t blocks[64];
    margay_cache *cache;
    if (margay_cache_create(&options, &cache, &error) != MARGAY_OK) {
        check_message(&error);
        return;
    }
    for (uint64_t i = 0; i < 64; i++)
        blocks[i] = i * i % 23;
    margay_cache_feed(cache, blocks, NULL, 64);
    margay_cache_free(cache);
}

/* An engine's spec, a policy, bins and a size at the same time. */
void fuzz_specs(const char *name, const uint8_t *data, size_t bytes)
{
    char *text = copy_text(data, bytes);
    struct margay_bins bins;
    struct margay_error error = {.message = ""};
    uint64_t value;
    bool suffixed;
    (void)name;
    try_engine(text, 0);
    try_engine(text, 3);
    try_policy(text);
    if (margay_bins_parse(text, &bins, &error) != MARGAY_OK)
        check_message(&error);
    if (margay_parse_size(text, "size", &value, &suffixed, &error) != MARGAY_OK)
        check_message(&error);
    free(text);
}

/* --------------------------------------------------------------- tables -- */

/* The counts sum up. */
static void check_counts(const margay_histogram *histogram)
{
    uint64_t sum = margay_histogram_infinite(histogram), distance, count;
    for (uint64_t from = 0;
         margay_histogram_next(histogram, from, &distance, &count);
         from = distance + 1)
        sum += count;
    if (sum != margay_histogram_references(histogram))
        fuzz_fail("the counts do not sum up");
}

/* A bin holds a distance; a generator takes it all, or says why not. */
static void check_bins(const struct run_csv *run)
{
    struct margay_error error;
    margay_stack_generator *generator;
    uint64_t blocks[100];
    for (size_t i = 0; i < run->bin_count; i++) {
        if (run->bins[i].to <= run->bins[i].from)
            fuzz_fail("an empty bin");
    }
    if (margay_stack_generator_create(run->bins, run->bin_count, run->infinite,
                                      1, &generator, &error) != MARGAY_OK) {
        check_message(&error);
        return;
    }
    if (margay_stack_generator_next(generator, blocks, 100, &error) !=
        MARGAY_OK)
        fuzz_fail("%s", error.message);
    margay_stack_generator_free(generator);
}

/* The name of a file with this data, until the next call. */
static const char *put_file(const uint8_t *data, size_t bytes)
{
    static char name[32];
    static int file = -1;
    if (file >= 0)
        close(file);
    file = memfd_create("table", 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    if (file < 0 || write(file, data, bytes) != (ssize_t)bytes)
        fuzz_fail("no file in memory");
    return name;
}

void fuzz_histogram(const char *name, const uint8_t *data, size_t bytes)
{
    struct run_places table;
    struct margay_error error = {.message = ""};
    (void)name;
    if (bytes == 0)
        return;
    const char *path = put_file(data, bytes);
    for (enum run_bins bins = RUN_EXACT; bins <= RUN_ANY; bins++) {
        if (run_table_read(&table, path, bins, false, &error) != MARGAY_OK)
            check_message(&error);
        else if (bins == RUN_ANY)
            for (size_t i = 0; i < table.count; i++)
                check_bins(&table.runs[i]);
        else
            for (size_t i = 0; i < table.count; i++)
                check_counts(table.runs[i].histogram);
        run_places_clear(&table);
    }
}

/* --------------------------------------------------------------- models -- */

static void try_model(margay_model *model)
{
    struct margay_error error = {.message = ""};
    margay_histogram *histogram;
    if (margay_model_predict(model, 1000, 100, &histogram, &error) !=
        MARGAY_OK) {
        check_message(&error);
    } else {
        if (margay_histogram_references(histogram) != 100)
            fuzz_fail("not as many references as were asked for");
        margay_histogram_free(histogram);
    }
    if (margay_model_no_change(model, 100, &histogram, &error) == MARGAY_OK)
        margay_histogram_free(histogram);
    margay_model_free(model);
}

/* A file, and its contents as if the checksum were right. */
void fuzz_model(const char *name, const uint8_t *data, size_t bytes)
{
    struct margay_error error = {.message = ""};
    margay_model *model;
    uint64_t block_bytes;
    (void)name;
    if (bytes == 0)
        return;
    const char *path = put_file(data, bytes);
    if (predict_read_model(path, &model, &block_bytes, &error) == MARGAY_OK)
        try_model(model);
    else
        check_message(&error);

    size_t count = bytes / sizeof(uint64_t);
    uint64_t *words = malloc(bytes + sizeof *words);
    memcpy(words, data, bytes);
    /* Behind what every file begins with, in front of the checksum. */
    if (count > 4 &&
        margay_model_import(words + 3, count - 4, &model, &error) == MARGAY_OK)
        try_model(model);
    free(words);
}

/* Every address is somewhere. */
void fuzz_regions(const char *name, const uint8_t *data, size_t bytes)
{
    static const uint64_t addresses[] = {0, 1, 0x1000, 0x1fff, UINT64_MAX};
    struct margay_error error = {.message = ""};
    struct regions *regions;
    (void)name;
    if (bytes == 0)
        return;
    const char *path = put_file(data, bytes);
    if (regions_read(path, &regions, &error) != MARGAY_OK)
        check_message(&error);
    for (size_t i = 0; regions != NULL && i < 5; i++) {
        if (regions_name(regions, regions_find(regions, addresses[i])) == NULL)
            fuzz_fail("address %zu is nowhere", i);
    }
    regions_free(regions);
}
