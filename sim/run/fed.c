/* fed.c - the spans that an analysis was fed: see state.h */
#include <stdlib.h>

#include "sim/run/spans.h"
#include "sim/run/state.h"
#include "traces/traces_internal.h"

/* A span has its number of references, the set of its columns, and these. */
#define SPAN_WORDS 2
#define WARMUP     (UINT64_C(1) << 32) /* among the columns */

/* Numbers of a history in a word.  It has nothing but words, so that each is
   aligned. */
#define WORD_NUMBERS 2

/* All columns. */
#define COLUMNS (MARGAY_ALL_COLUMNS | (unsigned)MARGAY_COLUMN_NUMBERS)

/* -------------------------------------------------------------- keeping -- */

enum margay_status margay_fed_add(struct margay_fed *fed,
                                  const struct margay_span *span,
                                  struct margay_error *error)
{
    uint64_t columns = 0;
    uint32_t *room;
    if (!fed->keeps)
        return MARGAY_OK;
#define MARGAY_COLUMN(name, NAME, bit, type, text) \
    if (span->name != NULL)                        \
        columns |= 1u << (bit);
#include <margay/columns.def>
    columns &= fed->columns;
    size_t words = 1 + (size_t)__builtin_popcountll(columns);
    size_t numbers = WORD_NUMBERS * (SPAN_WORDS + span->count * words);
    enum margay_status status =
        margay_history_reserve(&fed->history, numbers, &room, error);
    if (status != MARGAY_OK)
        return status;
    uint64_t *place = (void *)room;
    *place++ = span->count;
    *place++ = columns | (span->warmup ? WARMUP : 0);
    for (size_t i = 0; i < span->count; i++)
        *place++ = span->blocks[i];
#define MARGAY_COLUMN(name, NAME, bit, type, text)                      \
    for (size_t i = 0; (columns & 1u << (bit)) && i < span->count; i++) \
        *place++ = span->name[i];
#include <margay/columns.def>
    margay_history_add(&fed->history, numbers);
    return MARGAY_OK;
}

/* -------------------------------------------------------------- writing -- */

enum margay_status margay_fed_write(const struct margay_fed *fed,
                                    struct margay_word_writer *writer,
                                    struct margay_error *error)
{
    const uint64_t all = margay_history_count(&fed->history);
    uint64_t buffer[512];
    size_t count;
    margay_words_put(writer, all / WORD_NUMBERS);
    for (uint64_t from = 0; from < all; from += count) {
        const uint32_t *numbers;
        enum margay_status status =
            margay_history_read(&fed->history, from,
                                WORD_NUMBERS * (sizeof buffer / sizeof *buffer),
                                (void *)buffer, &numbers, &count, error);
        if (status != MARGAY_OK)
            return status;
        const uint64_t *words = (const void *)numbers;
        for (size_t i = 0; i < count / WORD_NUMBERS; i++)
            margay_words_put(writer, words[i]);
    }
    return MARGAY_OK;
}

/* -------------------------------------------------------------- feeding -- */

struct columns {
#define MARGAY_COLUMN(name, NAME, bit, type, text) type name[MARGAY_SPAN_REFS];
#include <margay/columns.def>
};

/* The span that the first of these words are, or 0 if they are none that has
   the columns `needs`; returns how many they are. */
static uint64_t take(const uint64_t *words, uint64_t count, unsigned needs,
                     struct columns *columns, struct margay_span *span)
{
    if (count < SPAN_WORDS || words[0] > MARGAY_SPAN_REFS)
        return 0;
    uint64_t has = words[1] & ~WARMUP;
    *span = (struct margay_span){.count = (size_t)words[0],
                                 .warmup = words[1] & WARMUP,
                                 .blocks = words + SPAN_WORDS};
    uint64_t each = 1 + (uint64_t)__builtin_popcountll(has);
    uint64_t all = SPAN_WORDS + each * span->count;
    if (all > count || (has & ~(uint64_t)COLUMNS) != 0 ||
        (span->count > 0 && (needs & ~has) != 0))
        return 0;
    const uint64_t *from = span->blocks + span->count;
#define MARGAY_COLUMN(name, NAME, bit, type, text) \
    if (has & 1u << (bit)) {                       \
        for (size_t i = 0; i < span->count; i++)   \
            columns->name[i] = (type)from[i];      \
        from += span->count;                       \
        span->name = columns->name;                \
    }
#include <margay/columns.def>
    for (size_t i = 0; i < span->count; i++) {
        if ((span->kinds != NULL && span->kinds[i] >= MARGAY_KINDS) ||
            (span->ops != NULL && span->ops[i] >= MARGAY_OPS))
            return 0;
    }
    return all;
}

enum margay_status margay_fed_again(const uint64_t *words, uint64_t count,
                                    margay_analysis *analysis,
                                    struct margay_pass *pass,
                                    struct margay_fed *fed, uint64_t *taken,
                                    struct margay_error *error)
{
    unsigned needs =
        analysis->question->can.needs & ~(unsigned)MARGAY_COLUMN_DISTANCES;
    struct columns *columns = malloc(sizeof *columns);
    enum margay_status status = MARGAY_OK;
    *taken = 0;
    if (columns == NULL)
        return margay_fail_memory(error, "what a state has");
    while (*taken < count && status == MARGAY_OK) {
        struct margay_span span;
        uint64_t some =
            take(words + *taken, count - *taken, needs, columns, &span);
        if (some == 0)
            break;
        *taken += some;
        for (size_t i = 0;
             fed->is_apart && span.requests != NULL && i < span.count; i++)
            columns->requests[i] = ~columns->requests[i];
        span.first_index = pass->fed_refs;
        pass->fed_refs += span.count;
        status = margay_fed_add(fed, &span, error);
        if (status == MARGAY_OK)
            status = span.count == 0
                         ? margay_analysis_reset(analysis, error)
                         : margay_analysis_feed(analysis, &span, error);
    }
    free(columns);
    return status;
}
