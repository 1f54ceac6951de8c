/* generators.c - the generators of margay generate */
#include "sim/command/generators.h"

#include <stdlib.h>
#include <string.h>

#include "sim/result/run_csv.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

static const struct margay_generator_info of_histogram = {
    .name = "histogram",
    .description = "the reuse distances of a histogram, which --from names",
};

struct generator {
    margay_generator *of_references; /* one of the two is NULL */
    margay_stack_generator *of_distances;
};

/* ----------------------------------------------------------- the table -- */

const struct margay_generator_info *generator_at(size_t index)
{
    return index == margay_generator_count() ? &of_histogram
                                             : margay_generator_at(index);
}

static const char *name_at(size_t index, const void *context)
{
    (void)context;
    const struct margay_generator_info *info = generator_at(index);
    return info == NULL ? NULL : info->name;
}

enum margay_status generator_find(const char *name,
                                  const struct margay_generator_info **info,
                                  struct margay_error *error)
{
    char names[256] = "";
    for (size_t i = 0; (*info = generator_at(i)) != NULL; i++) {
        if (strcmp((*info)->name, name) == 0)
            return MARGAY_OK;
        strcat(names, i == 0 ? "" : ", ");
        strcat(names, (*info)->name);
    }
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "unknown generator '%s'%s; there are %s", name,
                       suggest(name, "", name_at, NULL).text, names);
}

bool generator_finds_blocks(const struct margay_generator_info *info)
{
    return info == &of_histogram;
}

/* --------------------------------------------------------- a histogram -- */

static enum margay_status read_target(const struct options *options,
                                      struct generator *generator,
                                      struct margay_error *error)
{
    const char *path = options->results.from;
    struct run_places table;
    struct margay_error why;
    if (path == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "histogram: --from HIST.csv is needed");
    enum margay_status status = run_table_read(&table, path, RUN_ANY, error);
    const struct run_csv *run = table.runs;
    if (status == MARGAY_OK && table.count == 0)
        status = margay_fail(error, MARGAY_BAD_INPUT,
                             "%s: found a table without rows, expected a "
                             "histogram",
                             path);
    else if (status == MARGAY_OK && table.count > 1)
        status = margay_fail(error, MARGAY_BAD_INPUT,
                             "%s: found a second histogram, of %s at a block "
                             "size of %llu, expected one",
                             path, run[1].trace,
                             (unsigned long long)run[1].block_bytes);
    else if (status == MARGAY_OK) {
        status = margay_stack_generator_create(run->bins, run->bin_count,
                                               run->infinite, options->seed,
                                               &generator->of_distances, &why);
        if (status != MARGAY_OK)
            margay_fail(error, status, "%s: %s", path, why.message);
    }
    run_places_clear(&table);
    return status;
}

/* ----------------------------------------------------------------- any -- */

enum margay_status generator_create(const struct margay_generator_info *info,
                                    const struct options *options,
                                    struct generator **generator,
                                    struct margay_error *error)
{
    struct margay_generator_options generator_options = {
        .blocks = options->generate.blocks,
        .seed = options->seed,
        .exponent = options->generate.exponent,
    };
    struct generator *made = calloc(1, sizeof *made);
    enum margay_status status;
    *generator = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "a generator");
    if (info == &of_histogram)
        status = read_target(options, made, error);
    else if (options->results.from != NULL)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--from: %s takes no histogram", info->name);
    else
        status = margay_generator_create(info->name, &generator_options,
                                         &made->of_references, error);
    if (status == MARGAY_OK)
        *generator = made;
    else
        generator_free(made);
    return status;
}

enum margay_status generator_next(struct generator *generator, uint64_t *blocks,
                                  size_t count, struct margay_error *error)
{
    if (generator->of_distances != NULL)
        return margay_stack_generator_next(generator->of_distances, blocks,
                                           count, error);
    margay_generator_next(generator->of_references, blocks, count);
    return MARGAY_OK;
}

void generator_free(struct generator *generator)
{
    if (generator == NULL)
        return;
    margay_generator_free(generator->of_references);
    margay_stack_generator_free(generator->of_distances);
    free(generator);
}
