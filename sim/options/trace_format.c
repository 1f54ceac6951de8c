/* trace_format.c - the format that a trace is written in */
#include "sim/options/trace_format.h"

#include <string.h>

#include "traces/traces_internal.h"

/* The format of that name; NULL = there is none to write. */
static const char *format_named(const char *name, size_t bytes)
{
    const struct margay_format_info *format;
    for (size_t i = 0; (format = margay_format_at(i)) != NULL; i++) {
        if (format->writable && strlen(format->name) == bytes &&
            strncmp(format->name, name, bytes) == 0)
            return format->name;
    }
    return NULL;
}

const char *trace_format(const struct options *options, const char *path)
{
    const char *found = NULL;
    if (options->to != NULL || path == NULL)
        return options->to;
    const char *slash = strrchr(path, '/');
    const char *dot = strchr(slash == NULL ? path : slash, '.');
    for (; dot != NULL; dot = strchr(dot + 1, '.')) {
        const char *format = format_named(dot + 1, strcspn(dot + 1, "."));
        if (format != NULL)
            found = format;
    }
    return found;
}

enum margay_status trace_format_needed(const struct options *options,
                                       const char *path, const char **format,
                                       struct margay_error *error)
{
    *format = trace_format(options, path);
    return *format != NULL ? MARGAY_OK
                           : margay_fail(error, MARGAY_BAD_ARGUMENT,
                                         "--to FORMAT is needed");
}
