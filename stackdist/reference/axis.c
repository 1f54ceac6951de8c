/* axis.c - which node was renewed when */
#include "stackdist/reference/axis.h"

#include <stdlib.h>

#include "traces/traces_internal.h"

#define FIRST_CAPACITY 1024
#define LAST_CAPACITY  (UINT32_C(1) << 31)

enum margay_status margay_axis_create(struct margay_axis *axis,
                                      struct margay_error *error)
{
    *axis = (struct margay_axis){
        .time_of = calloc(FIRST_CAPACITY / 2, sizeof *axis->time_of),
        .node_at = calloc(FIRST_CAPACITY, sizeof *axis->node_at),
        .capacity = FIRST_CAPACITY,
    };
    if (axis->time_of != NULL && axis->node_at != NULL)
        return MARGAY_OK;
    margay_axis_destroy(axis);
    return margay_fail_memory(error, "a time axis");
}

void margay_axis_destroy(struct margay_axis *axis)
{
    free(axis->time_of);
    free(axis->node_at);
    *axis = (struct margay_axis){0};
}

enum margay_status margay_axis_grow(struct margay_axis *axis,
                                    struct margay_error *error)
{
    if (axis->capacity == LAST_CAPACITY)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "more than 2^30 blocks on a time axis");
    size_t capacity = 2 * (size_t)axis->capacity;
    uint32_t *time_of = realloc(axis->time_of, capacity / 2 * sizeof *time_of);
    if (time_of != NULL)
        axis->time_of = time_of;
    uint32_t *node_at = realloc(axis->node_at, capacity * sizeof *node_at);
    if (node_at != NULL)
        axis->node_at = node_at;
    if (time_of == NULL || node_at == NULL)
        return margay_fail_memory(error, "a time axis");
    axis->capacity = (uint32_t)capacity;
    return MARGAY_OK;
}

static bool is_latest(const struct margay_axis *axis, uint32_t time)
{
    return axis->time_of[axis->node_at[time]] == time;
}

void margay_axis_compact(struct margay_axis *axis)
{
    uint32_t live = 0;
    for (uint32_t time = 0; time < axis->next; time++) {
        if (is_latest(axis, time)) {
            uint32_t node = axis->node_at[time];
            axis->time_of[node] = live;
            axis->node_at[live++] = node;
        }
    }
    axis->next = live;
    axis->oldest = 0;
}

uint32_t margay_axis_oldest(void *order)
{
    struct margay_axis *axis = order;
    while (!is_latest(axis, axis->oldest))
        axis->oldest++;
    return axis->node_at[axis->oldest];
}
