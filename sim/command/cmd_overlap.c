/* cmd_overlap.c - margay overlap: how alike two histograms are */
#include <math.h>

#include "sim/command/request.h"
#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/tables/run_csv.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"
#include <margay/prediction.h>

static enum margay_status read_both(const struct options *options,
                                    struct run_csv runs[2],
                                    struct margay_error *error)
{
    enum margay_status status =
        run_csv_read_binned(&runs[0], options->operands[0], error);
    if (status == MARGAY_OK)
        status = run_csv_read_binned(&runs[1], options->operands[1], error);
    if (status == MARGAY_OK)
        status = run_csv_check_blocks(&runs[1], runs[0].path,
                                      runs[0].block_bytes, error);
    return status;
}

int cmd_overlap(const struct options *options)
{
    struct run_csv runs[2] = {{.path = NULL}, {.path = NULL}};
    struct output *output = NULL;
    struct margay_error error;
    enum margay_status status = read_both(options, runs, &error);
    if (status == MARGAY_OK)
        status = output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK) {
        /* Of two that share nothing, rounding may leave less than 0. */
        double overlap =
            margay_signature_accuracy(runs[0].histogram, runs[1].histogram);
        output_text(output, "%.12g\n", fmax(overlap, 0));
    }
    run_csv_clear(&runs[0]);
    run_csv_clear(&runs[1]);
    return conclude(status, &output, 1, &error);
}
