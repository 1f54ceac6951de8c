/* embed.h - a table as JSON within a page */
#ifndef MARGAY_SIM_REPORT_EMBED_H
#define MARGAY_SIM_REPORT_EMBED_H

#include "sim/report/table.h"
#include "sim/terminal/output.h"

/*
 * Write the rows as a list of objects: numbers as the table has them, an empty
 * field as null, all else as text.  No text has a "<", so that none ends the
 * element of the page that it stands in.
 */
void embed_rows(struct output *output, const struct cells *table);

#endif
