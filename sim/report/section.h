/*
 * section.h - the sections of a report: tables, and where each is from
 *
 * A report of a trace is made of the tables that other commands write of it; a
 * report of tables is made of those.  Pictures and words follow from the
 * columns alone.
 */
#ifndef MARGAY_SIM_REPORT_SECTION_H
#define MARGAY_SIM_REPORT_SECTION_H

#include <stdbool.h>

#include <margay/status.h>

#include "sim/options/options.h"
#include "sim/report/table.h"
#include "sim/terminal/output.h"

struct section {
    struct cells table;
    char *source;        /* the trace or the file; owned */
    const char *command; /* that wrote the table; NULL: it was a file */
};

struct sections {
    struct section *list; /* owned */
    size_t count;
};

/*
 * Add the sections of an operand of the command: a table as one, anything else
 * as a trace, which several commands read, one after the other.  MARGAY_IO,
 * MARGAY_BAD_INPUT, MARGAY_NO_MEMORY, and MARGAY_END where a command has failed
 * and has said why; *exit_status is its status then.
 */
enum margay_status sections_add(struct sections *sections,
                                const struct options *options,
                                const char *operand, int *exit_status,
                                struct margay_error *error);

void sections_clear(struct sections *sections);

/* A section without rows, for the caller to fill; NULL: no memory. */
struct section *sections_new(struct sections *sections, const char *source,
                             const char *command);

/* Does a header, its names joined with commas, begin with the columns of a
   table that a section may show? */
bool section_is_known(const char *header);

/* What stands above a section: "Miss curve". */
const char *section_title(const struct section *section);

/* Write the pictures and the words of a section.  *charts numbers the charts of
   the page.  MARGAY_NO_MEMORY. */
enum margay_status section_draw(struct output *output,
                                const struct section *section, const char *id,
                                unsigned *charts, struct margay_error *error);

#endif
