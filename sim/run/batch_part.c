/* batch_part.c - some of the entries of a batch */
#include "sim/run/batch_part.h"

struct margay_batch margay_batch_part(const struct margay_batch *batch,
                                      size_t from, size_t entries)
{
    struct margay_batch part = *batch;
    part.references = entries;
    part.numbers += from;
    if (part.kinds != NULL)
        part.kinds += from;
    if (part.extents != NULL)
        part.extents += from;
    if (part.counts != NULL)
        part.counts += from;
    if (part.threads != NULL)
        part.threads += from;
    if (part.sites != NULL)
        part.sites += from;
    if (part.sizes != NULL)
        part.sizes += from;
    if (part.times != NULL)
        part.times += from;
    if (part.ttls != NULL)
        part.ttls += from;
    if (part.ops != NULL)
        part.ops += from;
    if (part.requests != NULL)
        part.requests += from;
    if (part.tenants != NULL)
        part.tenants += from;
    return part;
}
