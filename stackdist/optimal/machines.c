/* machines.c - the machines of Belady's optimum, in the order of time */
#include "stackdist/optimal/machines.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

void margay_machines_create(struct margay_machines *machines, uint64_t most)
{
    *machines = (struct margay_machines){.most = most};
}

void margay_machines_destroy(struct margay_machines *machines)
{
    free(machines->moments);
    free(machines->numbers);
    *machines = (struct margay_machines){0};
}

static bool resize(uint32_t **array, uint64_t count)
{
    size_t bytes;
    if (!margay_multiply_size(count, sizeof **array, &bytes))
        return false;
    uint32_t *resized = realloc(*array, bytes);
    if (resized != NULL)
        *array = resized;
    return resized != NULL;
}

enum margay_status margay_machines_reserve(struct margay_machines *machines,
                                           uint64_t more,
                                           struct margay_error *error)
{
    uint64_t wanted = machines->count + more;
    if (wanted <= machines->capacity)
        return MARGAY_OK;
    if (wanted < 2 * machines->capacity)
        wanted = 2 * machines->capacity;
    if (!resize(&machines->moments, wanted) ||
        !resize(&machines->numbers, wanted))
        return margay_fail_memory(error, "the machines of the optimum");
    machines->capacity = wanted;
    return MARGAY_OK;
}

/* The number of moments up to `from`. */
static uint64_t moments_until(const struct margay_machines *machines,
                              uint32_t from)
{
    uint64_t low = 0, high = machines->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (machines->moments[middle] <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void append(struct margay_machines *machines, uint32_t number,
                   uint32_t moment)
{
    machines->numbers[machines->count] = number;
    machines->moments[machines->count++] = moment;
}

uint64_t margay_machines_give(struct margay_machines *machines, uint32_t from,
                              uint32_t moment)
{
    uint64_t free = moments_until(machines, from);
    if (free == 0) {
        if (machines->count == machines->most)
            return 0;
        append(machines, (uint32_t)machines->count + 1, moment);
        return machines->count;
    }
    uint32_t *numbers = machines->numbers, carried = numbers[free - 1];
    for (uint64_t i = free - 1; i-- > 0;) {
        uint32_t number = numbers[i];
        numbers[i] = number < carried ? carried : number;
        carried = number < carried ? number : carried;
    }
    uint64_t later = --machines->count + 1 - free;
    memmove(numbers + free - 1, numbers + free, later * sizeof *numbers);
    memmove(machines->moments + free - 1, machines->moments + free,
            later * sizeof *numbers);
    append(machines, carried, moment);
    return carried;
}

void margay_machines_renumber(struct margay_machines *machines,
                              uint32_t (*renumber)(const void *context,
                                                   uint32_t moment),
                              const void *context)
{
    for (uint64_t i = 0; i < machines->count; i++)
        machines->moments[i] = renumber(context, machines->moments[i]);
}
