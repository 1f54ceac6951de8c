/* reader.c - bytes become batches of references */
#define _GNU_SOURCE
#include "traces/formats/reader.h"
#include "traces/formats/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/crew.h"
#include "traces/base/error.h"
#include "traces/formats/layout.h"

/* ------------------------------------------------------------- opening -- */

static enum margay_status read_on(struct margay_reader *reader)
{
    return margay_input_read(&reader->whole.intake, MARGAY_HELD_BYTES,
                             &reader->whole.error);
}

/* Fill the window, unless the bytes of a slow writer decide the format. */
static enum margay_status read_window(struct margay_reader *reader)
{
    const struct margay_intake *intake = &reader->whole.intake;
    while (!intake->ended && intake->end < MARGAY_WINDOW_BYTES) {
        if (intake->end > 0 && margay_input_would_wait(reader->input) &&
            margay_detect_is_certain(reader->path, intake->held, intake->end))
            break;
        enum margay_status status = read_on(reader);
        if (status != MARGAY_OK)
            return status;
    }
    return MARGAY_OK;
}

/* The format that fits the window from a later line on, after as many bad lines
   as may be skipped.  Where there is none, reader->whole.error stays as it
   is. */
static enum margay_status detect_further(struct margay_reader *reader,
                                         size_t bytes, bool whole)
{
    struct margay_error error;
    const char *line = reader->whole.intake.held, *end = line + bytes, *newline;
    for (uint64_t bad = 0; bad < reader->most_bad_lines; bad++) {
        newline = memchr(line, '\n', (size_t)(end - line));
        if (newline == NULL || newline + 1 == end)
            break;
        line = newline + 1;
        enum margay_status status =
            margay_detect(reader->path, line, (size_t)(end - line), whole,
                          &reader->detection, &error);
        if (status == MARGAY_OK && !reader->detection.nothing)
            return MARGAY_OK;
        if (status != MARGAY_OK && reader->detection.format != NULL) {
            reader->whole.error = error; /* two fit */
            return status;
        }
    }
    return MARGAY_BAD_INPUT;
}

/* The beginning of a trace shows formats with named columns. */
static enum margay_status find_names(struct margay_reader *reader)
{
    static const char w3c[] = "#Software: #Version: #Fields:";
    const struct margay_intake *intake = &reader->whole.intake;
    enum margay_status status = MARGAY_OK;
    const char *first = intake->held, *end = first, *name = NULL;
    /* Empty lines may stand before the first. */
    while (end - first < 16 && !intake->ended && status == MARGAY_OK &&
           intake->end < MARGAY_HELD_BYTES) {
        status = read_on(reader);
        end = intake->held + intake->end;
        first = intake->held + margay_order_mark(intake->held, intake->end);
        while (first < end && (margay_is_blank(*first) || *first == '\n'))
            first++;
    }
    const char *colon = memchr(first, ':', (size_t)(end - first));
    if (first < end && *first == '{')
        name = "jsonl";
    else if (colon != NULL && *first == '#' &&
             memmem(w3c, sizeof w3c - 1, first, (size_t)(colon + 1 - first)) !=
                 NULL)
        name = "w3c";
    return status != MARGAY_OK || name == NULL
               ? status
               : margay_format_find(name, false, &reader->detection.format,
                                    &reader->whole.error);
}

static enum margay_status find_format(struct margay_reader *reader)
{
    const struct margay_intake *intake = &reader->whole.intake;
    if (reader->may_have_names)
        return find_names(reader);
    if (reader->detection.format != NULL) {
        if (reader->detection.evidence[0] == '\0')
            strcpy(reader->detection.evidence, "the format asked for");
        return MARGAY_OK;
    }
    enum margay_status status = read_window(reader);
    if (status != MARGAY_OK)
        return status;
    size_t bytes = margay_minimum(intake->end, MARGAY_WINDOW_BYTES);
    bool whole = intake->ended && bytes == intake->end;
    status = margay_detect(reader->path, intake->held, bytes, whole,
                           &reader->detection, &reader->whole.error);
    if (status != MARGAY_OK && reader->detection.format == NULL)
        status = detect_further(reader, bytes, whole);
    const char *compression = margay_input_compression(reader->input);
    char *evidence = reader->detection.evidence;
    size_t length = strlen(evidence);
    if (compression != NULL)
        snprintf(evidence + length, MARGAY_EVIDENCE_BYTES - length, ", in %s",
                 compression);
    return status;
}

enum margay_status margay_batch_allocate(struct margay_references *batch,
                                         unsigned columns,
                                         struct margay_error *error)
{
    batch->capacity = MARGAY_BATCH_BYTES / sizeof *batch->numbers;
    batch->numbers = malloc(MARGAY_BATCH_BYTES);
    if (batch->numbers == NULL || !margay_references_allocate(batch, columns))
        return margay_fail_memory(error, "a batch of references");
    return MARGAY_OK;
}

unsigned margay_reader_columns(const struct margay_reader *reader)
{
    const struct margay_format *format = reader->detection.format;
    unsigned named = reader->facts.columns & format->info.named_columns;
    unsigned columns = format->describe != NULL ? reader->facts.columns
                                                : format->info.columns | named;
    /* A format may have columns that this trace lacks. */
    columns &= (reader->facts.columns | ~MARGAY_STORAGE_COLUMNS) &
               ~reader->reading.unused_columns;
    return reader->reading.times_for_ttls && !(columns & MARGAY_COLUMN_TTLS)
               ? columns & ~(unsigned)MARGAY_COLUMN_TIMES
               : columns;
}

/* Offsets may count units that --unit sets: name them for people. */
static void note_unit(struct margay_reader *reader)
{
    const struct margay_layout *layout = reader->detection.format->layout;
    char *evidence = reader->detection.evidence;
    size_t length = strlen(evidence);
    uint64_t unit = reader->state_options.given.unit_bytes;
    if (layout != NULL && layout->offset_bytes > 1)
        snprintf(evidence + length, MARGAY_EVIDENCE_BYTES - length,
                 ", offsets in %llu byte%s",
                 (unsigned long long)(unit == 0 ? layout->offset_bytes : unit),
                 margay_plural(unit == 0 ? layout->offset_bytes : unit, "s"));
}

/* The facts by the first line of a table. */
static enum margay_status describe(struct margay_reader *reader)
{
    const struct margay_format *format = reader->detection.format;
    const struct margay_intake *intake = &reader->whole.intake;
    reader->state_options.layout = format->layout;
    note_unit(reader);
    if (format->describe == NULL)
        return MARGAY_OK;
    const char *newline = NULL;
    while ((newline = memchr(intake->held, '\n', intake->end)) == NULL &&
           !intake->ended && intake->end < MARGAY_HELD_BYTES) {
        enum margay_status status = read_on(reader);
        if (status != MARGAY_OK)
            return status;
    }
    if (newline == NULL && intake->end < MARGAY_HELD_BYTES)
        newline = intake->held + intake->end; /* read_on() has set it */
    const char *first =
        intake->held + margay_order_mark(intake->held, intake->end);
    bool whole = newline != NULL && newline > first;
    format->describe(&reader->state_options, first, whole ? newline + 1 : first,
                     &reader->facts);
    if (reader->facts.guess[0] != '\0')
        reader->state_options.given.column = reader->facts.guess;
    return MARGAY_OK;
}

/* The facts of the format and of the trace. */
static enum margay_status open_decoding(struct margay_reader *reader)
{
    const struct margay_format *format = reader->detection.format;
    bool nothing = reader->detection.nothing;
    reader->facts = (struct margay_trace_facts){
        .format = &format->info,
        .evidence = reader->detection.evidence,
        .has_records =
            format->record_bytes != 0 && format->record_references == 0,
        .numbers = format->info.numbers,
        .unit_bytes = format->info.unit_bytes,
        .columns = nothing ? MARGAY_ALL_COLUMNS
                           : format->info.columns | format->info.named_columns,
        .kinds = nothing ? MARGAY_ALL_KINDS : format->info.kinds,
        .splits = format->info.splits,
    };
    return margay_decoding_open(&reader->whole, &reader->facts,
                                reader->skip_refs, &reader->skipped);
}

/* Records of fixed length in a plain file are counted and skipped without being
   read.  Half a record at the end does not count.  Of lines that stand alone,
   or may do so, only the bytes are known. */
static void skip_records(struct margay_reader *reader)
{
    const struct margay_format *format = reader->detection.format;
    size_t record_bytes = format->record_bytes;
    uint64_t bytes = reader->whole.source.plain_bytes;
    /* Of bad lines, the first ones count, so that nothing is cut. */
    if (format->decode != NULL && record_bytes == 0 &&
        (format->create_state == NULL || format->cut != NULL) &&
        reader->most_bad_lines == 0)
        reader->line_bytes = bytes;
    if (record_bytes == 0 || bytes == 0 || format->record_references > 0)
        return;
    uint64_t refs = bytes / record_bytes;
    uint64_t skipped = reader->skip_refs < refs ? reader->skip_refs : refs;
    reader->skipped = (struct margay_skipped){true, refs, skipped};
    margay_decoding_go_to_records(&reader->whole, skipped, UINT64_MAX);
}

/* Find the format and the facts of the trace. */
static enum margay_status begin(struct margay_reader *reader)
{
    enum margay_status status = margay_decoding_begin(&reader->whole, reader);
    if (status == MARGAY_OK)
        status = find_format(reader);
    if (status == MARGAY_OK)
        status = open_decoding(reader);
    if (status == MARGAY_OK)
        status = describe(reader);
    if (status == MARGAY_OK)
        status = margay_decoding_make_state(&reader->whole);
    if (status == MARGAY_OK)
        skip_records(reader);
    return status;
}

/* ------------------------------------------------------------- batches -- */

/* Fill a batch of the columns that the caller uses and those that the format
   cannot do without. */
static enum margay_status fill_batch(struct margay_reader *reader,
                                     struct margay_references *batch)
{
    unsigned columns = margay_reader_columns(reader);
    enum margay_status status = MARGAY_OK;
    if (reader->reading.numbers_only && reader->detection.format->leaves_out &&
        !reader->facts.splits)
        columns = 0;
    if (batch->numbers == NULL)
        status = margay_batch_allocate(batch, columns, &reader->whole.error);
    return status == MARGAY_OK ? margay_decoding_fill(&reader->whole, batch)
                               : status;
}

void *margay_reader_run(void *argument)
{
    struct margay_reader *reader = argument;
    enum margay_status status;
    size_t slot;
    do {
        /* A trace that is being freed takes no more. */
        if (!margay_queue_reserve(&reader->queue, &slot)) {
            status = MARGAY_IO;
            break;
        }
        struct margay_references *batch = &reader->ring[slot];
        batch->count = 0;
        status = reader->begun ? fill_batch(reader, batch) : begin(reader);
        reader->begun = true;
        reader->published_refs += batch->count;
        if (status == MARGAY_OK || batch->count > 0)
            margay_queue_publish(&reader->queue);
    } while (status == MARGAY_OK && !reader->steps);
    if (!reader->steps)
        atomic_store(&reader->spent_ns,
                     (uint64_t)(1e9 * margay_thread_seconds()));
    if (status != MARGAY_OK) {
        reader->status = status;
        margay_decoding_end(&reader->whole);
        margay_queue_close(&reader->queue);
    }
    return NULL;
}
