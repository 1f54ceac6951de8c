/* error.c - the texts of statuses, and messages: see error.h */
#include "traces/base/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *margay_status_text(enum margay_status status)
{
    static const char *const texts[] = {
        [MARGAY_OK] = "success",
        [MARGAY_END] = "end of trace",
        [MARGAY_AGAIN] = "nothing ready yet",
        [MARGAY_BAD_ARGUMENT] = "bad argument",
        [MARGAY_BAD_INPUT] = "malformed input",
        [MARGAY_IO] = "input or output error",
        [MARGAY_NO_MEMORY] = "out of memory",
    };
    return (size_t)status < sizeof texts / sizeof *texts ? texts[status]
                                                         : "unknown status";
}

void margay_make_printable(char *text)
{
    for (; *text != '\0'; text++) {
        if (margay_is_control(*text))
            *text = '?';
    }
}

enum margay_status margay_fail(struct margay_error *error,
                               enum margay_status status, const char *format,
                               ...)
{
    if (error == NULL)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    margay_make_printable(error->message);
    error->status = status;
    return status;
}

enum margay_status margay_fail_memory(struct margay_error *error,
                                      const char *what)
{
    return margay_fail(error, MARGAY_NO_MEMORY, "out of memory: no room for %s",
                       what);
}
