/* targets.c - the targets: each format, and all other input */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <margay/traces.h>

#include "tests/fuzz/fuzz.h"

/* Behind all formats. */
static const struct fuzz_target others[] = {
    {"detect", fuzz_trace},        {"compressed", fuzz_compressed},
    {"options", fuzz_options},     {"specs", fuzz_specs},
    {"histogram", fuzz_histogram}, {"regions", fuzz_regions},
    {"report", fuzz_report},       {"model", fuzz_model},
    {"receiver", fuzz_capture},    {"optimum", fuzz_optimum},
    {"state", fuzz_state},
};

const struct fuzz_target *fuzz_at(size_t index)
{
    static struct fuzz_target format = {.run = fuzz_trace};
    const size_t formats = margay_format_count();
    if (index >= formats)
        return index - formats < sizeof others / sizeof *others
                   ? &others[index - formats]
                   : NULL;
    format.name = margay_format_at(index)->name;
    return &format;
}

const struct fuzz_target *fuzz_find(const char *name)
{
    const struct fuzz_target *target;
    for (size_t i = 0; (target = fuzz_at(i)) != NULL; i++) {
        if (strcmp(target->name, name) == 0)
            return target;
    }
    return NULL;
}

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}
