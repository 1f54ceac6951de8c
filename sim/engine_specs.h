/* engine_specs.h - which engines are on trial */
#ifndef MARGAY_SIM_ENGINE_SPECS_H
#define MARGAY_SIM_ENGINE_SPECS_H

#include <stdbool.h>
#include <stddef.h>

#include <margay/stackdist.h>

struct engine_specs {
    char *text; /* of a list */
    const char **list;
    size_t count;
};

/*
 * Those of a list joined by commas, or of NULL all engines as they are by
 * default.  Fails with MARGAY_BAD_ARGUMENT if one cannot be made, and with
 * MARGAY_NO_MEMORY; engine_specs_free() releases what there is either way.
 */
enum margay_status engine_specs_list(const char *only,
                                     struct engine_specs *specs,
                                     struct margay_error *error);
void engine_specs_free(struct engine_specs *specs);

/* Is `spec` one of the engine `name`? */
bool engine_spec_is(const char *spec, const char *name);

#endif
