/* facts.c - what is known of an open trace */
#include "traces/formats/names.h"
#include "traces/formats/trace.h"

const struct margay_format_info *margay_trace_format(const margay_trace *trace)
{
    return &trace->reader.detection.format->info;
}

const char *margay_trace_evidence(const margay_trace *trace)
{
    return trace->reader.detection.evidence;
}

const char *margay_trace_guess(const margay_trace *trace)
{
    const char *guess = trace->reader.facts.guess;
    return *guess == '\0' ? NULL : guess;
}

enum margay_numbers margay_trace_numbers(const margay_trace *trace)
{
    return trace->options.ids ? MARGAY_IDS : trace->reader.facts.numbers;
}

uint64_t margay_trace_unit_bytes(const margay_trace *trace)
{
    const struct margay_trace_facts *facts = &trace->reader.facts;
    if (margay_trace_numbers(trace) == MARGAY_ADDRESSES)
        return 1;
    if (trace->options.unit_bytes != 0)
        return trace->options.unit_bytes;
    return facts->numbers == MARGAY_IDS ? facts->unit_bytes : 0;
}

bool margay_trace_known_references(const margay_trace *trace,
                                   uint64_t *references)
{
    *references = trace->reader.refs;
    return trace->reader.refs_known;
}

unsigned margay_trace_columns(const margay_trace *trace)
{
    unsigned lost =
        margay_trace_loses_extents(trace) ? MARGAY_COLUMN_EXTENTS : 0;
    return trace->reader.facts.columns & ~lost;
}

unsigned margay_trace_kinds(const margay_trace *trace)
{
    return trace->reader.facts.kinds;
}

bool margay_trace_splits(const margay_trace *trace)
{
    return trace->reader.facts.splits;
}

uint64_t margay_trace_unknown_sizes(const margay_trace *trace, uint64_t *never)
{
    *never = trace->sizes.never;
    return trace->sizes.unknown;
}

unsigned margay_trace_shift(const margay_trace *trace)
{
    return trace->reader.facts.shift;
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

uint64_t margay_trace_collapsed_bytes(const margay_trace *trace)
{
    return trace->reader.facts.collapsed_bytes;
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
