/* sums.c - sums over an array: memory, and computing them anew */
#include "stackdist/reference/sums.h"

#include "traces/traces_internal.h"

#define FOUR(x)    x, x, x, x
#define SIXTEEN(x) FOUR(x), FOUR(x), FOUR(x), FOUR(x)

const uint32_t margay_sums_behind[32] = {SIXTEEN(0), SIXTEEN(UINT32_MAX)};

static uint64_t parents(uint64_t length, unsigned shift)
{
    return ((length - 1) >> shift) + 1;
}

enum margay_status margay_sums_create(struct margay_sums *sums, uint32_t length,
                                      unsigned shift,
                                      struct margay_error *error)
{
    *sums = (struct margay_sums){.length = length};
    size_t offsets[MARGAY_SUMS_LEVELS], numbers = 0;
    /* Whole groups and whole vectors. */
    uint64_t unit = UINT64_C(1) << (shift < 4 ? 4 : shift);
    for (uint64_t n = length;; n = parents(n, shift)) {
        offsets[sums->level_count++] = numbers;
        numbers += (size_t)((n + unit - 1) / unit * unit);
        if (n <= UINT64_C(1) << shift)
            break;
    }
    sums->bytes = numbers * sizeof(uint32_t);
    sums->memory = margay_map(sums->bytes);
    if (sums->memory == NULL)
        return margay_fail_memory(error, "sums over a time axis");
    for (unsigned level = 0; level < sums->level_count; level++)
        sums->levels[level] = (uint32_t *)sums->memory + offsets[level];
    return MARGAY_OK;
}

void margay_sums_destroy(struct margay_sums *sums)
{
    margay_unmap(sums->memory, sums->bytes);
    *sums = (struct margay_sums){0};
}

void margay_sums_rebuild(struct margay_sums *sums, unsigned shift)
{
    uint64_t length = sums->length;
    for (unsigned level = 1; level < sums->level_count; level++) {
        const uint32_t *row = sums->levels[level - 1];
        uint32_t *above = sums->levels[level];
        memset(above, 0, parents(length, shift) * sizeof *above);
        for (uint64_t i = 0; i < length; i++)
            above[i >> shift] += row[i];
        length = parents(length, shift);
    }
}
