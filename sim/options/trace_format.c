/* trace_format.c - the format that a trace is written in */
#include "sim/options/trace_format.h"

#include <string.h>

#include "traces/traces_internal.h"

const char *trace_format(const struct options *options, const char *path)
{
    const struct margay_format_info *format;
    const char *found = NULL;
    if (options->to != NULL || path == NULL)
        return options->to;
    const char *slash = strrchr(path, '/');
    const char *dot = strchr(slash == NULL ? path : slash, '.');
    for (; dot != NULL; dot = strchr(dot + 1, '.')) {
        size_t bytes = strcspn(dot + 1, ".");
        for (size_t i = 0; (format = margay_format_at(i)) != NULL; i++) {
            if (format->writable && strlen(format->name) == bytes &&
                strncmp(format->name, dot + 1, bytes) == 0)
                found = format->name;
        }
    }
    return found;
}

enum margay_status trace_writer_create(const struct options *options,
                                       const char *path, struct output **output,
                                       margay_writer **writer,
                                       struct margay_error *error)
{
    const struct margay_sink sink = {output, sink_write};
    const char *format = trace_format(options, path);
    return format == NULL
               ? margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--to FORMAT is needed")
               : margay_writer_create(format, path, &sink, writer, error);
}

uint64_t bytes_of_id(const struct margay_format_info *format)
{
    return format->any_numbers || format->numbers == MARGAY_ADDRESSES ||
                   format->unit_bytes == 0
               ? 1
               : format->unit_bytes;
}
