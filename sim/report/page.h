/* page.h - a report as one page of HTML that needs no other file */
#ifndef MARGAY_SIM_REPORT_PAGE_H
#define MARGAY_SIM_REPORT_PAGE_H

#include "sim/options/options.h"
#include "sim/result/csv_read.h"
#include "sim/terminal/output.h"

/* A table and its origin. */
struct section {
    struct cells table;
    char *source;        /* the trace or the file; owned */
    const char *command; /* that wrote the table; NULL: it was a file */
    bool is_whole;       /* its curves are known to their end */
};

struct sections {
    struct section *list; /* owned */
    size_t count;
};

/* A section without rows, for the caller to fill; NULL: no memory. */
struct section *sections_new(struct sections *sections, const char *source,
                             const char *command);

void sections_clear(struct sections *sections);

/* Does a header, its names joined with commas, begin with the columns of a
   table that margay writes? */
bool page_knows(const char *header);

/* Write the page.  The output keeps failures to write.  MARGAY_NO_MEMORY. */
enum margay_status page_write(struct output *output,
                              const struct options *options,
                              const struct sections *sections,
                              struct margay_error *error);

#endif
