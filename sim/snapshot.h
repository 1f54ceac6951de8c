/* snapshot.h - a table as it would be if the run ended now */
#ifndef MARGAY_SIM_SNAPSHOT_H
#define MARGAY_SIM_SNAPSHOT_H

#include "sim/csv.h"
#include "sim/options.h"

struct snapshot {
    const struct options *options;
    char *path; /* owned */
    struct output *output;
    struct csv_writer csv;
};

/* Begin a table in FILE.snapshot, beside the FILE of --output.  What fails is
   told by snapshot_end(), which is to be called in any case. */
enum margay_status snapshot_begin(struct snapshot *snapshot,
                                  const struct options *options,
                                  const char *columns,
                                  struct margay_error *error);

/*
 * If `status` is MARGAY_OK, let the table take the place of the one before and
 * say how many references it stands for; otherwise return it.  Releases the
 * snapshot.
 */
enum margay_status snapshot_end(struct snapshot *snapshot,
                                enum margay_status status, uint64_t references,
                                struct margay_error *error);

#endif
