/* cmd_info.c - margay info: the contents of a trace; --profile, --heatmap */
#include <math.h>
#include <stdlib.h>

#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/run/uses.h"

struct information {
    struct drive drive;
    const struct margay_pass *pass; /* whose rows are written */
};

static void put_number(struct information *information, uint64_t number)
{
    struct csv_writer *csv = information->drive.csvs;
    if (information->pass->numbers == MARGAY_ADDRESSES)
        csv_hexadecimal(csv, number);
    else
        csv_u64(csv, number);
}

static void put_survey(struct information *information,
                       const struct margay_uses *survey)
{
    const struct margay_pass *pass = information->pass;
    struct csv_writer *csv = information->drive.csvs;
    if (csv->columns[0] == 't') /* the trace */
        csv_text(csv, pass->trace);
    csv_text(csv, pass->format->name);
    csv_u64(csv, survey->refs);
    csv_u64(csv, survey->of_kind[MARGAY_READ]);
    csv_u64(csv, survey->of_kind[MARGAY_WRITE]);
    csv_u64(csv, survey->of_kind[MARGAY_FETCH]);
    csv_u64(csv, margay_uses_count(survey));
    for (size_t i = 0; i < 2; i++) {
        if (survey->lowest > survey->highest)
            csv_nothing(csv);
        else
            put_number(information, i == 0 ? survey->lowest : survey->highest);
    }
    csv_bytes(csv, 1, pass->block_bytes);
    csv_end_row(csv);
}

static void put_property(void *context, const struct margay_profile_row *row)
{
    struct csv_writer *csv = ((struct information *)context)->drive.csvs;
    csv_key(csv);
    csv_text(csv, row->property);
    csv_text(csv, row->at);
    if (row->value == floor(row->value) && row->value < 0x1p63)
        csv_u64(csv, (uint64_t)row->value);
    else
        csv_decimal(csv, round(1e4 * row->value) / 1e4);
    csv_decimal(csv, row->share < 0 ? NAN : row->share);
    csv_end_row(csv);
}

static void put_cell(void *context, const struct margay_heatmap_cell *cell)
{
    struct csv_writer *csv = ((struct information *)context)->drive.csvs;
    csv_key(csv);
    csv_u64(csv, cell->place);
    put_number(context, cell->low);
    put_number(context, cell->high);
    csv_u64(csv, cell->from);
    csv_u64(csv, cell->to);
    csv_u64(csv, cell->references);
    csv_end_row(csv);
}

static enum margay_status write_pass(struct drive *drive,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct information *information = (struct information *)drive;
    const struct options *options = &drive->options;
    margay_analysis *analysis = job->analyses[0];
    enum margay_status status = MARGAY_OK;
    information->pass = pass;
    if (options->profile || options->heatmap)
        status =
            csv_set_key(drive->csvs, pass->trace, pass->block_bytes, error);
    if (status == MARGAY_OK && options->profile)
        margay_profile_visit(analysis, put_property, information);
    else if (status == MARGAY_OK && options->heatmap)
        margay_heatmap_visit(analysis, put_cell, information);
    else if (status == MARGAY_OK)
        put_survey(information, (struct margay_uses *)analysis);
    return status;
}

static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    static const struct margay_uses_asked asked = {.columns = 0};
    static const margay_question kind = {
        .functions = &margay_uses_functions,
        .can = {.uses = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS,
                .references = true},
        .name = "the survey",
    };
    return drive->options.profile ? margay_profile_question(question, error)
           : drive->options.heatmap
               ? margay_heatmap_question(question, error)
               : margay_question_create(&kind, &asked, 0, question, error);
}

int cmd_info(const struct options *options)
{
    bool one = options->operand_count <= 1 || options->run.join;
    struct information information = {
        .drive = {
            .options = *options,
            .files = {{.columns = options->profile   ? PROFILE_COLUMNS
                                  : options->heatmap ? HEATMAP_COLUMNS
                                  : options->json || !one
                                      ? "trace," INFO_COLUMNS
                                      : INFO_COLUMNS,
                       .form = options->profile || options->heatmap
                                   ? CSV_ROWS
                                   : CSV_UPRIGHT}},
            .ask = ask,
            .ended = write_pass,
        }};
    return drive_command(&information.drive);
}
