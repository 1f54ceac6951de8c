/* page.h - a report as one page of HTML that needs no other file */
#ifndef MARGAY_SIM_REPORT_PAGE_H
#define MARGAY_SIM_REPORT_PAGE_H

#include "sim/report/section.h"

/* Write the page.  The output keeps failures to write; MARGAY_NO_MEMORY. */
enum margay_status page_write(struct output *output,
                              const struct options *options,
                              const struct sections *sections,
                              struct margay_error *error);

#endif
