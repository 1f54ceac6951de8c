/*
 * heatmap.c - the question of the use of blocks over time
 *
 * Places are the rows of the map, and columns of references (uses.h) its time.
 *
 * Cost: 12 MiB at most.
 */
#include <stdlib.h>

#include "sim/run/uses.h"
#include <margay/questions.h>

#define MOST_BLOCKS (1 << 14)
#define PLACES      32
#define COLUMNS     64

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A place is of blocks next to each other, of those that have a size, or else
   of some in the order of their first uses. */
void margay_heatmap_visit(margay_analysis *analysis, margay_heatmap_take *take,
                          void *context)
{
    const struct margay_pass *pass = analysis->pass;
    const struct margay_uses *uses = (struct margay_uses *)analysis;
    const size_t count = margay_uses_count(uses);
    const size_t places = count < PLACES ? count : PLACES;
    const bool sorted = pass->block_bytes != 0;
    if (sorted)
        qsort(uses->records, count, (1 + COLUMNS) * sizeof *uses->records,
              by_number);
    for (size_t i = 0; i < places * COLUMNS; i++) {
        const size_t first = i / COLUMNS * count / places;
        const size_t end = (i / COLUMNS + 1) * count / places;
        const uint64_t from = (uint64_t)(i % COLUMNS) << uses->step;
        const uint64_t to = from + (UINT64_C(1) << uses->step);
        struct margay_heatmap_cell cell = {
            .place = i / COLUMNS,
            .low = (uint64_t)first << uses->halvings,
            .high = ((uint64_t)end << uses->halvings) - 1,
            .from = from,
            .to = to < uses->refs ? to : uses->refs,
        };
        for (size_t k = first; k < end; k++)
            cell.references += margay_uses_record(uses, k)[1 + i % COLUMNS];
        if (cell.references == 0)
            continue;
        cell.references <<= uses->halvings;
        if (sorted) {
            cell.low = *margay_uses_record(uses, first) << pass->shift;
            cell.high = *margay_uses_record(uses, end - 1) << pass->shift |
                        ~(UINT64_MAX << pass->shift);
        }
        take(context, &cell);
    }
}

enum margay_status margay_heatmap_question(margay_question **question,
                                           struct margay_error *error)
{
    static const struct margay_uses_asked asked = {MOST_BLOCKS, COLUMNS};
    static const margay_question kind = {
        .functions = &margay_uses_functions,
        .can = {.uses = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS,
                .references = true},
        .name = "the heat map",
    };
    return margay_question_create(&kind, &asked, 0, question, error);
}
