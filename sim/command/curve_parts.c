/* curve_parts.c - what all kinds of curve have in common */
#include "sim/command/curve_parts.h"

#include "sim/options/commands.h"
#include "sim/tables/tables.h"
#include "sim/terminal/message.h"

enum margay_status curve_tables_open(struct curve_tables *tables,
                                     const struct options *options,
                                     const char *columns,
                                     const char *histogram_columns,
                                     struct margay_error *error)
{
    const char *place = options->output == NULL ? "-" : options->output;
    enum margay_status status =
        output_open(place, OUTPUT_HELD, &tables->outputs[CURVE_TABLE], error);
    if (status != MARGAY_OK)
        return status;
    csv_begin(&tables->csv, tables->outputs[CURVE_TABLE], options->json,
              columns);
    if (options->results.prometheus != NULL)
        status = output_open(options->results.prometheus, OUTPUT_HELD,
                             &tables->outputs[CURVE_PROMETHEUS], error);
    if (status != MARGAY_OK || options->results.histogram == NULL)
        return status;
    status = output_open(options->results.histogram, OUTPUT_HELD,
                         &tables->outputs[CURVE_HISTOGRAM], error);
    if (status == MARGAY_OK)
        csv_begin(&tables->histogram_csv, tables->outputs[CURVE_HISTOGRAM],
                  options->json, histogram_columns);
    return status;
}

int curve_tables_end(struct curve_tables *tables, enum margay_status status,
                     struct margay_error *error)
{
    csv_end(&tables->csv);
    csv_end(&tables->histogram_csv);
    int exit_status = conclude(status, tables->outputs, CURVE_OUTPUTS, error);
    return exit_status == EXIT_DONE && tables->unreached ? EXIT_DENIED
                                                         : exit_status;
}

const char *curve_find_plain(const struct options *options)
{
    return options->results.policies.count > 0           ? "--policy"
           : options->engine.measure == MARGAY_FOOTPRINT ? "--model footprint"
           : options->results.from != NULL               ? "--from"
           : options->results.sample_rate != 0           ? "--sample"
           : options->results.ttl.given                  ? "--ttl"
           : options->results.at_most_bytes >= 0         ? "--at-most-bytes"
           : options->results.writebacks                 ? "--writebacks"
           : options->run.window_refs != 0               ? "--window"
           : options->run.every.refs != 0                ? "--every"
           : options->run.every.seconds != 0             ? "--every"
           : options->run.save != NULL                   ? "--save"
           : options->run.resume != NULL                 ? "--resume"
           : options->engine.half_life_refs != 0         ? "--half-life"
           : options->results.prometheus != NULL         ? "--prometheus"
                                                         : NULL;
}

enum margay_status curve_check_sizes(const struct options *options,
                                     const struct margay_job *job,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++)
        status = cache_sizes_check(&options->results.sizes,
                                   job->passes[i].block_bytes, error);
    return status;
}
