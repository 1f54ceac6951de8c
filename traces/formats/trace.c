/* trace.c - an open trace: its options, its beginning, its batches, its
   facts */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "traces/base/checked.h"
#include "traces/base/crew.h"
#include "traces/base/error.h"
#include "traces/formats/layout.h"
#include "traces/formats/names.h"
#include "traces/formats/trace.h"

/* ------------------------------------------------------------- opening -- */

/* Copy the options of tables, and choose the format of a trace if only they
   decide it: --column, --delimiter and --quote ask for csv, and --pattern for
   regex. */
static enum margay_status take_table_options(
    struct margay_trace *trace, const struct margay_trace_options *given,
    struct margay_error *error)
{
    struct margay_reader *reader = &trace->reader;
    const struct margay_format **format = &reader->detection.format;
    bool of_table = given->delimiter != '\0' || given->quote != 0;
    reader->state_options.given = *given;
    if (given->tenant != NULL) {
        reader->state_options.tenants = margay_names_create();
        if (reader->state_options.tenants == NULL)
            return margay_fail_memory(error, "the names of tenants");
    }
    if (*format != NULL ||
        (given->pattern == NULL && given->column == NULL && !of_table))
        return MARGAY_OK;
    strcpy(reader->detection.evidence,
           given->pattern != NULL ? "the pattern asked for"
                                  : "the column, delimiter or quote asked for");
    reader->may_have_names = given->pattern == NULL && !of_table;
    return margay_format_find(given->pattern != NULL ? "regex" : "csv", false,
                              format, error);
}

/* Do these options go with the format, which may have columns that the user
   names, and with each other? */
static enum margay_status check_table_options(
    struct margay_trace *trace, const struct margay_trace_options *given,
    struct margay_error *error)
{
    struct margay_reader *reader = &trace->reader;
    const struct margay_format *format = reader->detection.format;
    bool of_table = given->delimiter != '\0' || given->quote != 0;
    if (given->pattern != NULL && strcmp(format->info.name, "regex") != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a pattern is for the format regex, not for %s",
                           format->info.name);
    if (!of_table && format != NULL && format->layout != NULL &&
        format->layout->open && format->layout->syntax != MARGAY_SYNTAX_TABLE) {
        reader->state_options.layout = format->layout;
        return margay_named_check(&reader->state_options, error);
    }
    if (given->pattern == NULL && given->column == NULL && !of_table)
        return MARGAY_OK;
    if (format != &margay_format_csv)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "a column, a delimiter and a quote are for the format csv, "
            "not for %s",
            format->info.name);
    if (given->quote == (given->delimiter == '\0' ? ',' : given->delimiter))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "the delimiter and the quote of a table are both "
                           "'%c', expected two characters",
                           given->quote);
    struct margay_choice choice;
    return given->column == NULL
               ? MARGAY_OK
               : margay_choice_parse(given->column, false, given->tenant,
                                     &choice, error);
}

static enum margay_status take_reading(struct margay_trace *trace,
                                       const struct margay_reading *given,
                                       struct margay_error *error)
{
    const struct margay_trace_options *options = &trace->options;
    struct margay_reader *reader = &trace->reader;
    struct margay_reading *reading = &reader->reading;
    *reading = *given;
    /* The size of a delete is no size for a get without one. */
    if (options->ops != MARGAY_ALL_OPS ||
        (reading->unused_columns & MARGAY_COLUMN_SIZES) == 0)
        reading->unused_columns &= ~(unsigned)MARGAY_COLUMN_OPS;
    reading->numbers_only = given->numbers_only && !given->data &&
                            options->kinds == MARGAY_ALL_KINDS &&
                            options->ops == MARGAY_ALL_OPS;
    const char *tenant = given->tenants;
    for (uint32_t i = 0, number;
         i < given->tenant_count && reader->state_options.tenants != NULL;
         i++, tenant += strlen(tenant) + 1) {
        if (!margay_names_number(reader->state_options.tenants, tenant,
                                 strlen(tenant), &number))
            return margay_fail_memory(error, "the names of tenants");
    }
    return given->data ? margay_data_map_create(&reader->data, error)
                       : MARGAY_OK;
}

static enum margay_status take_options(struct margay_trace *trace,
                                       const struct margay_trace_options *given,
                                       struct margay_error *error)
{
    trace->options = *given;
    trace->to_skip = trace->reader.skip_refs = given->skip_refs;
    trace->reader.most_bad_lines = given->bad_lines;
    if (!margay_add_u64(given->skip_refs, given->limit_refs,
                        &trace->reader.most_refs))
        trace->reader.most_refs = UINT64_MAX;
    trace->to_read = given->limit_refs;
    trace->most = UINT64_MAX;
    trace->to_warm_up = given->warmup_refs;
    if (given->unit_bytes != 0 && !margay_is_power_of_two(given->unit_bytes))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "unit %llu is not a power of two",
                           (unsigned long long)given->unit_bytes);
    enum margay_status status = MARGAY_OK;
    if (given->layout != NULL) {
        status = margay_layout_load(given->layout, given->format, &trace->own,
                                    error);
        trace->reader.detection.format = trace->own;
        strcpy(trace->reader.detection.evidence, "the layout asked for");
    } else if (given->format != NULL)
        status = margay_format_find(given->format, false,
                                    &trace->reader.detection.format, error);
    if (status == MARGAY_OK)
        status = take_table_options(trace, given, error);
    return status == MARGAY_OK ? check_table_options(trace, given, error)
                               : status;
}

static const char *file_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "/dev/stdin" : path;
}

static enum margay_status open_trace(struct margay_trace *trace,
                                     const char *path,
                                     const struct margay_trace_options *options,
                                     const struct margay_reading *reading,
                                     struct margay_error *error)
{
    struct margay_reader *reader = &trace->reader;
    struct stat file;
    enum margay_status status = take_options(trace, options, error);
    if (status == MARGAY_OK)
        status = take_reading(trace, reading, error);
    if (status == MARGAY_OK && (trace->path = strdup(path)) == NULL)
        return margay_fail_memory(error, "an open trace");
    reader->path = trace->path;
    if (status == MARGAY_OK)
        status = margay_input_open(reader->path, reading->threads,
                                   &reader->input, error);
    trace->is_file = status == MARGAY_OK && stat(file_of(path), &file) == 0 &&
                     S_ISREG(file.st_mode);
    return status;
}

enum margay_status margay_trace_open_for(
    const char *path, const struct margay_trace_options *options,
    const struct margay_reading *reading, margay_trace **trace,
    struct margay_error *error)
{
    *trace = NULL;
    struct margay_trace *opened = calloc(1, sizeof *opened);
    if (opened == NULL ||
        !margay_queue_init(&opened->reader.queue, MARGAY_RING_SLOTS)) {
        free(opened);
        return margay_fail_memory(error, "an open trace");
    }
    enum margay_status status =
        open_trace(opened, path, options, reading, error);
    if (status == MARGAY_OK)
        *trace = opened;
    else
        margay_trace_free(opened);
    return status;
}

enum margay_status margay_trace_open(const char *path,
                                     const struct margay_trace_options *options,
                                     margay_trace **trace,
                                     struct margay_error *error)
{
    const struct margay_reading plain = {.data = false};
    return margay_trace_open_for(path, options, &plain, trace, error);
}

void margay_trace_free(margay_trace *trace)
{
    if (trace == NULL)
        return;
    struct margay_reader *reader = &trace->reader;
    if (trace->running) {
        margay_queue_cancel(&reader->queue);
        margay_input_cancel(reader->input);
        pthread_join(trace->thread, NULL);
    }
    margay_decoding_end(&reader->whole);
    for (size_t i = 0; i < MARGAY_RING_SLOTS; i++)
        margay_references_free(&reader->ring[i]);
    margay_names_free(reader->state_options.tenants);
    margay_modules_clear(&reader->modules);
    margay_data_map_free(reader->data);
    margay_object_sizes_clear(&trace->sizes);
    free(trace->own);
    margay_queue_destroy(&reader->queue);
    margay_input_close(reader->input);
    free(trace->path);
    free(trace);
}

/* --------------------------------------------------------- its beginning -- */

/* Once the format is known, check the options that depend on it. */
static enum margay_status check_options(const struct margay_trace *trace,
                                        struct margay_error *error)
{
    const struct margay_format *format = trace->reader.detection.format;
    /* Do offsets count units, which --unit may say? */
    bool counts_units =
        format->layout != NULL && format->layout->offset_bytes > 1;
    if (trace->options.unit_bytes != 0 && !counts_units &&
        trace->facts.numbers != MARGAY_IDS)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "%s: a unit says what an id stands for, but %s holds addresses",
            trace->reader.path, format->info.name);
    /* Records of other formats have no ends, so none can be skipped. */
    if (trace->options.bad_lines != 0 &&
        (format->decode == NULL || format->record_bytes > 0))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: bad lines are passed over in formats that are "
                           "read by the line, but this is %s",
                           trace->reader.path, format->info.name);
    return MARGAY_OK;
}

/* A thread reads if the input may have to be waited for, or is long enough to
   be worth its start: of a plain file, from the first batch on. */
static bool needs_thread(const struct margay_trace *trace)
{
    struct margay_input *input = trace->reader.input;
    uint64_t done, total;
    margay_input_progress(input, &done, &total);
    return total == 0 ||
           (total > MARGAY_SHORT_BYTES &&
            (trace->ready || margay_input_plain_bytes(input) == 0));
}

/* Wait for the next slot of the reader, or have it made. */
static enum margay_status wait_for_slot(struct margay_trace *trace, int wait_ms,
                                        size_t *slot,
                                        struct margay_error *error)
{
    struct margay_reader *reader = &trace->reader;
    if (!trace->running && !reader->queue.closed) {
        int reason = 0;
        reader->steps = !needs_thread(trace);
        if (reader->steps)
            margay_reader_run(reader);
        else
            reason =
                margay_thread_start(&trace->thread, margay_reader_run, reader);
        if (reason != 0)
            return margay_fail(error, MARGAY_NO_MEMORY,
                               "%s: cannot start a reading thread: %s",
                               reader->path, strerror(reason));
        trace->running = !reader->steps;
    }
    enum margay_status status =
        margay_queue_wait(&reader->queue, wait_ms, slot);
    if (status != MARGAY_END)
        return status;
    if (reader->status != MARGAY_END && error != NULL)
        *error = reader->whole.error;
    return reader->status;
}

/* The extents of a format of addresses are bytes, which do not apply to ids. */
static unsigned lost_columns(const struct margay_trace *trace)
{
    return trace->options.ids && trace->reader.facts.numbers != MARGAY_IDS
               ? MARGAY_COLUMN_EXTENTS
               : 0;
}

/* The facts that the reader has found, with the options applied. */
static void settle_facts(struct margay_trace *trace)
{
    struct margay_trace_facts *facts = &trace->facts;
    *facts = trace->reader.facts;
    facts->knows_references = trace->reader.skipped.known;
    facts->references = trace->reader.skipped.refs;
    facts->columns &= ~lost_columns(trace);
    if (trace->options.ids && facts->numbers == MARGAY_ADDRESSES) {
        facts->numbers = MARGAY_IDS;
        facts->unit_bytes = 0;
    }
    if (facts->numbers == MARGAY_IDS && trace->options.unit_bytes != 0)
        facts->unit_bytes = trace->options.unit_bytes;
}

enum margay_status margay_trace_ready(margay_trace *trace, int wait_ms,
                                      struct margay_error *error)
{
    if (!trace->ready) {
        size_t slot;
        enum margay_status status = wait_for_slot(trace, wait_ms, &slot, error);
        if (status != MARGAY_OK)
            return status;
        margay_queue_release(&trace->reader.queue);
        trace->ready = true;
        settle_facts(trace);
        trace->to_skip -= trace->reader.skipped.skipped;
        trace->sizes.given = trace->reader.skipped.skipped;
    }
    return check_options(trace, error);
}

/* ------------------------------------------------------------- batches -- */

/* Keep the references whose label is in the set `wanted`, in place.  Without
   labels all have the first one, reads or gets. */
static void select_labels(const struct margay_references *references,
                          const uint8_t *labels, unsigned wanted, unsigned all,
                          size_t from, struct margay_batch *batch)
{
    if (wanted == all)
        return;
    if (labels == NULL) {
        if ((wanted & 1) == 0)
            batch->references = 0;
        return;
    }
    unsigned columns = margay_references_columns(references);
    size_t kept = from;
    for (size_t i = from; i < from + batch->references; i++) {
        uint8_t label = labels[i];
#define MARGAY_COLUMN(name, NAME, bit, type, words) \
    if (columns & 1u << (bit))                      \
        references->name[kept] = references->name[i];
#include <margay/columns.def>
        kept += wanted >> label & 1;
    }
    batch->references = kept - from;
}

void margay_trace_select(const struct margay_trace *trace,
                         const struct margay_references *references,
                         size_t from, size_t count, struct margay_batch *batch)
{
    unsigned columns =
        margay_references_columns(references) & ~lost_columns(trace);
    *batch = (struct margay_batch){.references = count};
#define MARGAY_COLUMN(name, NAME, bit, type, words) \
    if (columns & 1u << (bit))                      \
        batch->name = references->name + from;
#include <margay/columns.def>
    select_labels(references, references->kinds, trace->options.kinds,
                  MARGAY_ALL_KINDS, from, batch);
    select_labels(references, batch->ops == NULL ? NULL : references->ops,
                  trace->options.ops, MARGAY_ALL_OPS, from, batch);
}

/* How many of `left` references of a slot are given next: those up to the end
   of the warm-up or of the wanted references, after *dropped. */
static uint64_t count_given(struct margay_trace *trace, uint64_t left,
                            uint64_t *dropped)
{
    bool warmup = trace->to_warm_up > 0;
    *dropped = margay_minimum(left, trace->to_skip);
    uint64_t refs = margay_minimum(left - *dropped,
                                   margay_minimum(trace->to_read, trace->most));
    if (warmup)
        refs = margay_minimum(refs, trace->to_warm_up);
    trace->to_skip -= *dropped;
    trace->to_read -= refs;
    if (warmup)
        trace->to_warm_up -= refs;
    return refs;
}

void margay_trace_set_most(margay_trace *trace, uint64_t references)
{
    trace->most = references;
}

uint64_t margay_trace_given(const margay_trace *trace)
{
    return trace->options.limit_refs - trace->to_read;
}

double margay_trace_reading_seconds(const margay_trace *trace)
{
    return 1e-9 * (double)atomic_load(&trace->reader.spent_ns);
}

/* --------------------------------------------------------------- sizes -- */

/* Read the trace once more, as far as its references are wanted. */
static enum margay_status look_ahead(struct margay_trace *trace,
                                     struct margay_error *error)
{
    struct margay_trace_options options = trace->options;
    const struct margay_reading reading = {
        .unused_columns = MARGAY_STORAGE_COLUMNS &
                          ~(unsigned)(MARGAY_COLUMN_SIZES | MARGAY_COLUMN_OPS |
                                      MARGAY_COLUMN_TENANTS),
        .raw_sizes = true,
    };
    struct margay_batch batch;
    margay_trace *again;
    uint64_t done = 0;
    options.format = trace->facts.format->name;
    options.kinds = MARGAY_ALL_KINDS;
    options.ops = MARGAY_ALL_OPS;
    options.warmup_refs = 0;
    if (trace->sizes.from == MARGAY_SIZES_REQUEST) {
        options.skip_refs = 0;
        options.limit_refs = trace->sizes.end;
    }
    enum margay_status status = margay_trace_open_for(
        file_of(trace->path), &options, &reading, &again, error);
    if (status != MARGAY_OK)
        return status;
    while ((status = margay_trace_next(again, -1, &batch, error)) ==
           MARGAY_OK) {
        uint64_t before =
            trace->sizes.given > done ? trace->sizes.given - done : 0;
        status = margay_object_sizes_look(&trace->sizes, &batch, before, error);
        done += batch.references;
        if (status != MARGAY_OK)
            break;
    }
    margay_trace_free(again);
    return status == MARGAY_END ? MARGAY_OK : status;
}

/* Give the references of the slot the sizes that count. */
static enum margay_status settle_sizes(struct margay_trace *trace,
                                       struct margay_references *slot,
                                       struct margay_error *error)
{
    struct margay_object_sizes *rule = &trace->sizes;
    enum margay_status status = MARGAY_OK;
    rule->from = trace->options.sizes_from;
    rule->first = trace->options.skip_refs;
    if (!margay_add_u64(rule->first, trace->options.limit_refs, &rule->end))
        rule->end = UINT64_MAX;
    rule->fills |= rule->from == MARGAY_SIZES_FIRST || !trace->is_file;
    if (!margay_object_sizes_needs_look(rule, slot))
        return margay_object_sizes_apply(rule, slot, error);
    if (trace->is_file)
        status = look_ahead(trace, error);
    else if (rule->from >= MARGAY_SIZES_LAST)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "%s: the last or the largest size of an object is "
                             "found by reading the trace twice: expected a "
                             "file, not a pipe; keep what comes in one first",
                             trace->reader.path);
    return status == MARGAY_OK ? margay_object_sizes_apply(rule, slot, error)
                               : status;
}

enum margay_status margay_trace_next(margay_trace *trace, int wait_ms,
                                     struct margay_batch *batch,
                                     struct margay_error *error)
{
    enum margay_status status = margay_trace_ready(trace, wait_ms, error);
    if (status != MARGAY_OK)
        return status;
    if (trace->to_read == 0)
        return MARGAY_END;
    struct margay_references *slot = &trace->reader.ring[trace->slot];
    if (trace->holds_slot && trace->given == slot->count) {
        margay_queue_release(&trace->reader.queue);
        trace->holds_slot = false;
    }
    if (!trace->holds_slot) {
        status = wait_for_slot(trace, wait_ms, &trace->slot, error);
        if (status != MARGAY_OK)
            return status;
        slot = &trace->reader.ring[trace->slot];
        trace->holds_slot = true;
        trace->given = 0;
        if (slot->sizes != NULL && !trace->reader.reading.raw_sizes)
            status = settle_sizes(trace, slot, error);
        if (status != MARGAY_OK)
            return status;
    }
    bool warmup = trace->to_warm_up > 0;
    uint64_t dropped;
    uint64_t refs = count_given(trace, slot->count - trace->given, &dropped);
    margay_trace_select(trace, slot, trace->given + dropped, refs, batch);
    batch->warmup = warmup;
    trace->given += dropped + refs;
    return MARGAY_OK;
}

/* ---------------------------------------------------------------- facts -- */

const struct margay_trace_facts *margay_trace_facts(const margay_trace *trace)
{
    return &trace->facts;
}

uint64_t margay_trace_unknown_sizes(const margay_trace *trace, uint64_t *never)
{
    *never = trace->sizes.never;
    return trace->sizes.unknown;
}

void margay_trace_progress(const margay_trace *trace, uint64_t *bytes_read,
                           uint64_t *bytes_total)
{
    margay_input_progress(trace->reader.input, bytes_read, bytes_total);
}

uint64_t margay_trace_bad_lines(const margay_trace *trace, const char **first)
{
    *first = trace->reader.first_bad.message;
    return atomic_load(&trace->reader.bad_lines);
}

const char *margay_trace_module(const margay_trace *trace, unsigned number)
{
    return margay_modules_path(&trace->reader.modules, number);
}

const char *margay_trace_tenant(const margay_trace *trace, uint32_t number)
{
    struct margay_names *names = trace->reader.state_options.tenants;
    return names == NULL ? NULL : margay_names_text(names, number);
}

bool margay_trace_tells_data(const margay_trace *trace)
{
    return trace->reader.data != NULL &&
           margay_data_map_has_events(trace->reader.data);
}
