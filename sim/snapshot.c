/* snapshot.c - a table as it would be if the run ended now */
#define _GNU_SOURCE
#include "sim/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/message.h"
#include "traces/traces_internal.h"

enum margay_status snapshot_begin(struct snapshot *snapshot,
                                  const struct options *options,
                                  const char *columns,
                                  struct margay_error *error)
{
    *snapshot = (struct snapshot){.options = options};
    if (asprintf(&snapshot->path, "%s.snapshot", options->output) < 0) {
        snapshot->path = NULL;
        return margay_fail_memory(error, "a snapshot");
    }
    enum margay_status status =
        output_open(snapshot->path, OUTPUT_HELD, &snapshot->output, error);
    if (status == MARGAY_OK)
        csv_begin(&snapshot->csv, snapshot->output, columns);
    return status;
}

enum margay_status snapshot_end(struct snapshot *snapshot,
                                enum margay_status status, uint64_t references,
                                struct margay_error *error)
{
    if (status == MARGAY_OK)
        status = output_finish(snapshot->output, error);
    if (status == MARGAY_OK)
        status = output_publish(snapshot->output, error);
    if (status == MARGAY_OK && !snapshot->options->quiet)
        message_print("%s: the first %" PRIu64 " reference%s", snapshot->path,
                      references, margay_plural(references, "s"));
    csv_end(&snapshot->csv);
    output_free(snapshot->output);
    free(snapshot->path);
    return status;
}
