/* objects_answers.c - questions about the curve of objects, in words */
#include <stdlib.h>

#include "sim/command/answers.h"
#include "sim/command/objects_parts.h"
#include "traces/traces_internal.h"

/* Answer about requests, or about their bytes, from the curve at every size. */
static enum margay_status answer_about(
    struct objects *objects, const struct margay_pass *pass,
    const struct margay_objects_counts *counts,
    const struct margay_objects_point *every, size_t count, bool bytes,
    struct margay_error *error)
{
    const struct options *options = objects->options;
    double most =
        bytes ? options->results.at_most_bytes : options->results.at_most;
    struct margay_point *points = calloc(count + 1, sizeof *points);
    if (points == NULL)
        return margay_fail_memory(error, "the points of a curve");
    for (size_t i = 0; i < count; i++)
        points[i] = (struct margay_point){every[i].cache_bytes,
                                          bytes ? every[i].missed_bytes
                                                : every[i].misses};
    const struct answer_curve curve = {
        .trace = pass->trace,
        .ratio = bytes ? "byte miss ratio" : "miss ratio",
        .in_bytes = true,
        .points = points,
        .count = count,
        .bound = counts->exceeded_bound,
        .all = bytes ? counts->reference_bytes : counts->references,
        .cold = bytes ? counts->cold_bytes + counts->expired_bytes
                      : counts->cold + counts->expired,
        .fraction_bits =
            bytes ? counts->byte_fraction_bits : counts->fraction_bits,
    };
    if (most >= 0)
        objects->tables.unreached |= !answer_at_most(&curve, most);
    if (!bytes && options->results.knees > 0)
        answer_knees(&curve, options->results.knees);
    free(points);
    return MARGAY_OK;
}

enum margay_status objects_answer(struct objects *objects,
                                  const struct margay_pass *pass,
                                  const margay_objects *engine,
                                  struct margay_error *error)
{
    const struct margay_objects_counts counts = margay_objects_counted(engine);
    struct margay_objects_point *every;
    size_t count;
    enum margay_status status =
        margay_objects_curve(engine, NULL, &every, &count, error);
    for (int bytes = 0; bytes <= 1 && status == MARGAY_OK; bytes++)
        status = answer_about(objects, pass, &counts, every, count, bytes != 0,
                              error);
    free(every);
    return status;
}
