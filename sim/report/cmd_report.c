/* cmd_report.c - margay report: traces and tables as a page for people */
#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/report/page.h"
#include "sim/report/section.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

static enum margay_status gather(struct sections *sections,
                                 const struct options *options,
                                 int *exit_status, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < options->operand_count && status == MARGAY_OK; i++)
        status = sections_add(sections, options, options->operands[i],
                              exit_status, error);
    return status;
}

int cmd_report(const struct options *options)
{
    struct sections sections = {0};
    struct output *output = NULL;
    struct margay_error error;
    int failed = EXIT_DONE;
    enum margay_status status =
        output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK)
        status = gather(&sections, options, &failed, &error);
    if (status == MARGAY_OK)
        status = page_write(output, options, &sections, &error);
    sections_clear(&sections);
    if (status != MARGAY_END)
        return conclude(status, &output, 1, &error);
    output_free(output);
    return failed;
}
