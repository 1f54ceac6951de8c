/* sites.c - from a site of a trace to the line of its source */
#include "sim/annotate/sites.h"

#include <stddef.h>

const char *places_path(const margay_trace *trace, const char *program,
                        uint64_t module)
{
    if (module == 0 && program != NULL)
        return program;
    return module < MARGAY_MOST_MODULES
               ? margay_trace_module(trace, (unsigned)module)
               : NULL;
}

/* Of a trace that names no modules, as the formats of other tools, a site may
   be any address in memory. */
void places_find_site(struct places *places, const margay_trace *trace,
                      const char *program, uint64_t site, struct place *place)
{
    const uint64_t number = site >> MARGAY_SITE_MODULE_SHIFT;
    const char *path = places_path(trace, program, number);
    if (path != NULL || number == MARGAY_MOST_MODULES)
        site -= number << MARGAY_SITE_MODULE_SHIFT;
    places_find(places, path, site, place);
}
