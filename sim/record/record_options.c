/* record_options.c - the types of options.def that only record uses */
#include <string.h>

#include "sim/options/option_types.h"
#include "sim/options/options.h"
#include "traces/traces_internal.h"

OPTION_TYPE(record_point)
{
    struct record_point *point = field;
    *point = (struct record_point){NULL, 0};
    if (margay_parse_count(text, &point->refs) && point->refs > 0)
        return MARGAY_OK;
    if (*text == '\0' || (*text >= '0' && *text <= '9'))
        return refuse(name, text,
                      "the name of a function, or a number of references from "
                      "1 to 2^64 - 1, such as 250000, 250K, 3M or 1G",
                      error);
    point->function = text;
    return MARGAY_OK;
}
