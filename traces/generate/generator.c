/* generator.c - the table of generators, and the functions that call them */
#include "traces/generate/generator.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/nearest.h"

#define GREATEST_EXPONENT 8.0

static const struct margay_generator_class *const classes[] = {
    &margay_generator_zipf,      &margay_generator_uniform,
    &margay_generator_loop,      &margay_generator_scan,
    &margay_generator_phases,    &margay_generator_stencil,
    &margay_generator_stencil3d, &margay_generator_matmul,
    &margay_generator_fft,
};
#define CLASSES (sizeof classes / sizeof classes[0])

size_t margay_generator_count(void)
{
    return CLASSES;
}

const struct margay_generator_info *margay_generator_at(size_t index)
{
    return index < CLASSES ? &classes[index]->info : NULL;
}

static const char *name_at(size_t index, const void *context)
{
    (void)context;
    return index < CLASSES ? classes[index]->info.name : NULL;
}

static enum margay_status fail_unknown(const char *name,
                                       struct margay_error *error)
{
    char names[256] = "";
    for (size_t i = 0; i < CLASSES; i++) {
        strcat(names, i == 0 ? "" : ", ");
        strcat(names, classes[i]->info.name);
    }
    const char *nearest = margay_nearest(name, name_at, NULL);
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "unknown generator '%s'%s%s%s; there are %s", name,
                       nearest == NULL ? "" : ", did you mean '",
                       nearest == NULL ? "" : nearest,
                       nearest == NULL ? "" : "'?", names);
}

enum margay_status margay_generator_create(
    const char *name, const struct margay_generator_options *options,
    margay_generator **generator, struct margay_error *error)
{
    size_t row = 0;
    *generator = NULL;
    while (row < CLASSES && strcmp(name, classes[row]->info.name) != 0)
        row++;
    if (row == CLASSES)
        return fail_unknown(name, error);
    const struct margay_generator_class *class = classes[row];
    if (options->blocks == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: 0 blocks, expected at least 1", name);
    if (class->info.addresses && options->blocks >> 61 != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: 2^61 elements or more of 8 bytes are over 64 "
                           "bits",
                           name);
    /* Written so that a NaN fails. */
    if (!(options->exponent >= 0 && options->exponent <= GREATEST_EXPONENT))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: exponent %g, expected 0 to %g", name,
                           options->exponent, GREATEST_EXPONENT);

    margay_generator *made = calloc(1, sizeof *made + class->state_bytes);
    if (made == NULL)
        return margay_fail_memory(error, "a generator");
    made->class = class;
    made->options = *options;
    margay_random_seed(&made->random, options->seed);
    enum margay_status status =
        class->begin == NULL ? MARGAY_OK : class->begin(made, error);
    if (status == MARGAY_OK)
        *generator = made;
    else
        free(made);
    return status;
}

void margay_generator_next(margay_generator *generator, uint64_t *blocks,
                           size_t count)
{
    generator->class->next(generator, blocks, count);
}

void margay_generator_free(margay_generator *generator)
{
    if (generator != NULL && generator->class->clear != NULL)
        generator->class->clear(generator);
    free(generator);
}
