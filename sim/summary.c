/* summary.c - what a measurement found, in a line for people */
#define _GNU_SOURCE
#include "sim/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/message.h"
#include "traces/traces_internal.h"

/* "1409 distinct blocks, 1409 cold misses" */
static void format_misses(char *text, size_t bytes,
                          const struct margay_result *result)
{
    uint64_t infinite = result->infinite, bound = 0;
    if (result->histogram != NULL)
        bound = margay_histogram_exceeded_bound(result->histogram);
    if (bound != 0)
        snprintf(text, bytes,
                 "distinct > %" PRIu64 " block%s, %" PRIu64 " infinite", bound,
                 margay_plural(bound, "s"), infinite);
    else
        snprintf(text, bytes,
                 "%" PRIu64 " distinct block%s, %" PRIu64 " cold miss%s",
                 result->distinct_blocks,
                 margay_plural(result->distinct_blocks, "s"), infinite,
                 margay_plural(infinite, "es"));
}

static char *format_line(const struct analysis_pass *pass)
{
    char block[64] = "", misses[128], *line;
    if (pass->block_bytes != 0)
        snprintf(block, sizeof block, " in blocks of %" PRIu64 " byte%s",
                 pass->block_bytes, margay_plural(pass->block_bytes, "s"));
    format_misses(misses, sizeof misses, &pass->result);
    double rate =
        pass->seconds > 0 ? (double)pass->fed_refs / pass->seconds * 1e-6 : 0;
    if (asprintf(&line, "%s: %" PRIu64 " reference%s%s, %s, %.1f M refs/s",
                 pass->trace, pass->result.references,
                 margay_plural(pass->result.references, "s"), block, misses,
                 rate) < 0)
        return NULL;
    return line;
}

enum margay_status summary_add(struct summary *summary,
                               const struct analysis_pass *pass,
                               struct margay_error *error)
{
    char *line = format_line(pass);
    char **lines = reallocarray(summary->lines, summary->count + 1,
                                sizeof *summary->lines);
    if (lines != NULL)
        summary->lines = lines;
    if (lines == NULL || line == NULL) {
        free(line);
        return margay_fail_memory(error, "the summary");
    }
    lines[summary->count++] = line;
    return MARGAY_OK;
}

void summary_end(struct summary *summary, bool quiet)
{
    for (size_t i = 0; i < summary->count; i++) {
        if (!quiet)
            message_print("%s", summary->lines[i]);
        free(summary->lines[i]);
    }
    free(summary->lines);
}
