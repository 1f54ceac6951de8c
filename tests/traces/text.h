/* text.h - a text that a test makes piece by piece */
#ifndef MARGAY_TESTS_TRACES_TEXT_H
#define MARGAY_TESTS_TRACES_TEXT_H

#include <stdarg.h>
#include <stdio.h>

#define TEXT_BYTES 65536

static char text[TEXT_BYTES];
static size_t used;

static __attribute__((format(printf, 1, 2))) void add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    used +=
        (size_t)vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
}

#endif
