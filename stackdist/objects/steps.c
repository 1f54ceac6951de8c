/* steps.c - the hits at each cache size; see objects.h */
#include "stackdist/objects/objects.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

#define USUAL_PER_OCTAVE 16
#define OCTAVES          64

/* ---------------------------------------------------------------- memory -- */

static bool is_sparse(const struct margay_steps *steps)
{
    return steps->sizes.kind == MARGAY_SIZES_ALL;
}

enum margay_status margay_steps_create(struct margay_steps *steps,
                                       const struct margay_sizes *sizes,
                                       struct margay_error *error)
{
    *steps = (struct margay_steps){.sizes = *sizes};
    if (sizes->kind == MARGAY_SIZES_USUAL)
        steps->sizes.per_octave = USUAL_PER_OCTAVE;
    if (sizes->kind == MARGAY_SIZES_POW2)
        steps->sizes.per_octave = 1;
    if (is_sparse(steps))
        return margay_hash_create(&steps->hash, 1024, error);
    steps->count = steps->sizes.kind == MARGAY_SIZES_LIST
                       ? steps->sizes.list_count + 1
                       : OCTAVES * (size_t)steps->sizes.per_octave + 1;
    steps->steps = margay_map(steps->count * sizeof *steps->steps);
    return steps->steps == NULL ? margay_fail_memory(error, "a curve's sizes")
                                : MARGAY_OK;
}

void margay_steps_destroy(struct margay_steps *steps)
{
    if (is_sparse(steps))
        free(steps->steps);
    else if (steps->steps != NULL)
        margay_unmap(steps->steps, steps->count * sizeof *steps->steps);
    free(steps->positions);
    margay_hash_destroy(&steps->hash);
    *steps = (struct margay_steps){.count = 0};
}

void margay_steps_clear(struct margay_steps *steps)
{
    if (steps->count > 0)
        memset(steps->steps, 0, steps->count * sizeof *steps->steps);
}

enum margay_status margay_steps_grow(struct margay_steps *steps, size_t more,
                                     struct margay_error *error)
{
    if (steps->count + more >= UINT32_MAX)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "more than 4 billion different distances (choose "
                           "sizes or bins)");
    enum margay_status status = margay_hash_reserve(&steps->hash, more, error);
    size_t least = steps->count + more;
    if (status != MARGAY_OK || least <= steps->capacity)
        return status;
    size_t capacity =
        margay_maximum(least, steps->capacity + steps->capacity / 2);
    struct margay_step *grown = realloc(steps->steps, capacity * sizeof *grown);
    if (grown != NULL)
        steps->steps = grown;
    uint64_t *positions =
        realloc(steps->positions, capacity * sizeof *positions);
    if (positions != NULL)
        steps->positions = positions;
    if (grown == NULL || positions == NULL)
        return margay_fail_memory(error, "the distances of objects");
    steps->capacity = capacity;
    return MARGAY_OK;
}

/* -------------------------------------------------------------- counting -- */

struct margay_step *margay_steps_sparse(struct margay_steps *steps,
                                        uint64_t position)
{
    uint32_t *value = margay_hash_insert(&steps->hash, position);
    if (*value == 0) {
        steps->positions[steps->count] = position;
        steps->steps[steps->count] = (struct margay_step){0, 0};
        *value = (uint32_t)++steps->count;
    }
    return &steps->steps[*value - 1];
}

struct margay_step *margay_steps_listed(struct margay_steps *steps,
                                        uint64_t position)
{
    return &steps->steps[MARGAY_BISECT(i, steps->sizes.list_count,
                                       steps->sizes.list_blocks[i] < position)];
}

/* ------------------------------------------------------------------ rows -- */

static void add(struct margay_step *sum, const struct margay_step *step)
{
    sum->refs += step->refs;
    sum->bytes += step->bytes;
}

static int compare_rows(const void *left, const void *right)
{
    const struct margay_step_row *a = left, *b = right;
    return (a->cache_bytes > b->cache_bytes) -
           (a->cache_bytes < b->cache_bytes);
}

/* The sizes below the last one, and that one. */
static size_t octave_rows(const struct margay_steps *steps, uint64_t all_bytes,
                          struct margay_step_row *rows)
{
    uint64_t per_octave = steps->sizes.per_octave, last = all_bytes;
    struct margay_step sum = {0, 0};
    size_t count = 0;
    if (steps->sizes.kind == MARGAY_SIZES_POW2 && !margay_is_power_of_two(last))
        last = last >> 63 != 0 ? UINT64_MAX
                               : UINT64_C(2) << margay_log2_floor(last);
    for (size_t i = 0; i < steps->count; i++) {
        unsigned k = (unsigned)(i / per_octave);
        margay_u128 octave = (margay_u128)1 << k;
        margay_u128 size =
            octave + (((margay_u128)(i % per_octave) << k) / per_octave);
        add(&sum, &steps->steps[i]);
        if (size >= last)
            size = last;
        if (count > 0 && rows[count - 1].cache_bytes == size)
            count--;
        rows[count++] = (struct margay_step_row){(uint64_t)size, sum};
    }
    return count;
}

enum margay_status margay_steps_rows(const struct margay_steps *steps,
                                     uint64_t all_bytes,
                                     struct margay_step_row **rows,
                                     size_t *count, struct margay_error *error)
{
    uint64_t last = all_bytes == 0 ? 1 : all_bytes;
    struct margay_step_row *made = calloc(steps->count + 1, sizeof *made);
    *rows = made;
    *count = 0;
    if (made == NULL)
        return margay_fail_memory(error, "the rows of a curve");
    struct margay_step sum = {0, 0};
    if (steps->sizes.kind == MARGAY_SIZES_LIST) {
        for (; *count < steps->sizes.list_count; ++*count) {
            add(&sum, &steps->steps[*count]);
            made[*count] =
                (struct margay_step_row){steps->sizes.list_blocks[*count], sum};
        }
    } else if (is_sparse(steps)) {
        for (size_t i = 0; i < steps->count; i++)
            made[i] =
                (struct margay_step_row){steps->positions[i], steps->steps[i]};
        qsort(made, steps->count, sizeof *made, compare_rows);
        /* Sums up to each row, without rows that change nothing. */
        for (size_t i = 0; i < steps->count; i++) {
            if (made[i].hits.refs == 0 && made[i].hits.bytes == 0)
                continue;
            add(&sum, &made[i].hits);
            made[(*count)++] =
                (struct margay_step_row){made[i].cache_bytes, sum};
        }
    } else {
        *count = octave_rows(steps, last, made);
    }
    return MARGAY_OK;
}

enum margay_status margay_steps_rows_at(const struct margay_steps *steps,
                                        const struct margay_sizes *sizes,
                                        uint64_t all_bytes,
                                        struct margay_step_row **rows,
                                        size_t *count,
                                        struct margay_error *error)
{
    struct margay_steps grid;
    enum margay_status status;
    if (sizes == NULL || !is_sparse(steps) || sizes->kind == MARGAY_SIZES_ALL) {
        status = margay_steps_rows(steps, all_bytes, rows, count, error);
        /* The smallest cache has a row of its own, whether anything hits there
           or not; there is room for one more. */
        if (status == MARGAY_OK && is_sparse(steps) &&
            (*count == 0 || (*rows)[0].cache_bytes > 1)) {
            memmove(*rows + 1, *rows, (*count)++ * sizeof **rows);
            (*rows)[0] = (struct margay_step_row){1, {0, 0}};
        }
        return status;
    }
    *rows = NULL;
    *count = 0;
    status = margay_steps_create(&grid, sizes, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < steps->count; i++)
        add(margay_steps_at(&grid, steps->positions[i]), &steps->steps[i]);
    status = margay_steps_rows(&grid, all_bytes, rows, count, error);
    margay_steps_destroy(&grid);
    return status;
}
