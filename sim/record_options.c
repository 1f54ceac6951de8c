/* record_options.c - the types of options that only record has */
#include <string.h>

#include "sim/option_types.h"
#include "sim/options.h"
#include "sim/refuse.h"
#include "traces/traces_internal.h"

OPTION_TYPE(thread_traces)
{
    bool separate = strcmp(text, "separate") == 0;
    if (!separate && strcmp(text, "merge") != 0)
        return refuse(name, text, "merge or separate", error);
    *(bool *)field = separate;
    return MARGAY_OK;
}

OPTION_TYPE(record_point)
{
    struct record_point *point = field;
    *point = (struct record_point){NULL, 0};
    if (margay_parse_u64(text, &point->refs) && point->refs > 0)
        return MARGAY_OK;
    if (*text == '\0' || (*text >= '0' && *text <= '9'))
        return refuse(name, text,
                      "the name of a function, or a number of references from "
                      "1 to 2^64 - 1",
                      error);
    point->function = text;
    return MARGAY_OK;
}
