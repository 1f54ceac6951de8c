/* analysis.c - what any question and any analysis is asked for */
#include <margay/analysis.h>

#include <inttypes.h>
#include <stdlib.h>

#include "traces/traces_internal.h"

enum margay_status margay_question_begin(const margay_question *question,
                                         const struct margay_pass *passes,
                                         size_t count,
                                         const struct margay_share *share,
                                         margay_analysis **analysis,
                                         struct margay_error *error)
{
    const struct margay_analysis_class *functions = question->functions;
    margay_analysis *made = calloc(1, functions->bytes);
    *analysis = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the analysis");
    *made = (margay_analysis){functions, question, passes, count};
    enum margay_status status = functions->begin == NULL
                                    ? MARGAY_OK
                                    : functions->begin(made, share, error);
    if (status == MARGAY_OK)
        *analysis = made;
    else
        margay_analysis_free(made);
    return status;
}

void margay_question_free(margay_question *question)
{
    if (question != NULL && question->free != NULL)
        question->free(question);
    else
        free(question);
}

enum margay_status margay_analysis_feed(margay_analysis *analysis,
                                        const struct margay_span *span,
                                        struct margay_error *error)
{
    return analysis->functions->feed(analysis, span, error);
}

enum margay_status margay_analysis_reset(margay_analysis *analysis,
                                         struct margay_error *error)
{
    return analysis->functions->reset == NULL
               ? MARGAY_OK
               : analysis->functions->reset(analysis, error);
}

enum margay_status margay_analysis_look(margay_analysis *analysis,
                                        struct margay_error *error)
{
    return analysis->functions->look == NULL
               ? MARGAY_OK
               : analysis->functions->look(analysis, error);
}

enum margay_status margay_analysis_finish(margay_analysis *analysis,
                                          struct margay_error *error)
{
    return analysis->functions->finish == NULL
               ? MARGAY_OK
               : analysis->functions->finish(analysis, error);
}

enum margay_status margay_analysis_series(margay_analysis *analysis,
                                          const struct margay_sizes *sizes,
                                          margay_series_take *take,
                                          void *context,
                                          struct margay_error *error)
{
    return analysis->functions->series(analysis, sizes, take, context, error);
}

void margay_analysis_free(margay_analysis *analysis)
{
    if (analysis != NULL && analysis->functions->free != NULL)
        analysis->functions->free(analysis);
    else
        free(analysis);
}

/* ---------------------------------------------------------------- sizes -- */

enum margay_status margay_cache_size_blocks(
    const struct margay_cache_size *size, const char *what,
    uint64_t block_bytes, uint64_t *blocks, struct margay_error *error)
{
    uint64_t bytes;
    *blocks = size->value;
    if (size->in_bytes && block_bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu64 " byte%s, but nothing says what a "
                           "block id of this trace stands for (expected a "
                           "number of blocks, or --unit BYTES)",
                           what, size->value, margay_plural(size->value, "s"));
    /* Where a block is of some tokens, no round size is a multiple of it. */
    bool rounds = !margay_is_power_of_two(block_bytes);
    if (size->in_bytes &&
        (rounds ? size->value < block_bytes : size->value % block_bytes != 0))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu64 " byte%s is not a multiple of the "
                           "block of %" PRIu64 " bytes",
                           what, size->value, margay_plural(size->value, "s"),
                           block_bytes);
    if (size->in_bytes)
        *blocks = size->value / block_bytes;
    else if (!margay_multiply_u64(size->value, block_bytes, &bytes))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu64 " blocks of %" PRIu64
                           " bytes are over 64 bits",
                           what, size->value, block_bytes);
    return MARGAY_OK;
}

enum margay_status margay_cache_sizes_resolve(
    const struct margay_cache_sizes *sizes, uint64_t block_bytes,
    struct margay_sizes *resolved, struct margay_error *error)
{
    static const struct margay_cache_sizes usual = {.kind = MARGAY_SIZES_USUAL};
    if (sizes == NULL)
        sizes = &usual;
    *resolved = (struct margay_sizes){.kind = sizes->kind,
                                      .per_octave = sizes->per_octave};
    if (sizes->kind != MARGAY_SIZES_LIST)
        return MARGAY_OK;
    uint64_t *list = calloc(sizes->count, sizeof *list);
    if (list == NULL)
        return margay_fail_memory(error, "the cache sizes");
    for (size_t i = 0; i < sizes->count; i++) {
        enum margay_status status = margay_cache_size_blocks(
            &sizes->list[i], "--sizes", block_bytes, &list[i], error);
        if (status != MARGAY_OK) {
            free(list);
            return status;
        }
    }
    resolved->list_blocks = list;
    resolved->list_count = margay_sort_unique(list, sizes->count);
    return MARGAY_OK;
}

enum margay_status margay_cache_sizes_check(
    const struct margay_cache_sizes *sizes, uint64_t block_bytes,
    struct margay_error *error)
{
    struct margay_sizes resolved;
    enum margay_status status =
        margay_cache_sizes_resolve(sizes, block_bytes, &resolved, error);
    if (status == MARGAY_OK)
        free((void *)resolved.list_blocks);
    return status;
}
