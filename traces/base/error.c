/* error.c - messages: see error.h */
#include "traces/base/error.h"

#include <stdarg.h>
#include <stdio.h>

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
