/* batch_part.c - some of the entries of a batch */
#include "sim/run/batch_part.h"

struct margay_batch margay_batch_part(const struct margay_batch *batch,
                                      size_t from, size_t entries)
{
    struct margay_batch part = *batch;
    part.references = entries;
#define MARGAY_COLUMN(name, NAME, bit, type, words) \
    if (part.name != NULL)                          \
        part.name += from;
#include <margay/columns.def>
    return part;
}
