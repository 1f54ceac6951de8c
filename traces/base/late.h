/*
 * late.h - libraries that are opened when they are first needed
 *
 * A library takes time to load, with its own dependencies, and may not be
 * installed: programs that read plain files do without.  It is never closed.
 */
#ifndef MARGAY_TRACES_BASE_LATE_H
#define MARGAY_TRACES_BASE_LATE_H

#include "traces/base/error.h"

struct margay_late {
    const char *file;    /* which names its interface, too: "libyajl.so.2" */
    const char *newest;  /* the newest function in use */
    const char *package; /* the package of Debian that has it */
    void *handle;        /* NULL = not yet open */
    char why[200];       /* it could not be opened, the last time */
};

extern struct margay_late margay_libarchive, margay_liblzma, margay_libpcre2,
    margay_libyajl;

/* Is the library there?  Any thread may ask. */
bool margay_late_open(struct margay_late *library);

/* Report that it is not, and why; `does` is its purpose: "reads xz". */
enum margay_status margay_late_fail(struct margay_late *library,
                                    const char *name, const char *does,
                                    const char *object,
                                    struct margay_error *error);

/* A function of an opened library, by the name in its header.  Each place in
   the source looks it up once. */
#define MARGAY_LATE(library, name) MARGAY_LATE_FUNCTION(library, name)
#define MARGAY_LATE_FUNCTION(library, name)                                 \
    __extension__({                                                         \
        static void *late_found;                                            \
        (__typeof__(&(name)))margay_late_find(&late_found, library, #name); \
    })
void *margay_late_look_up(void **found, const struct margay_late *library,
                          const char *name);
static inline void *margay_late_find(void **found,
                                     const struct margay_late *library,
                                     const char *name)
{
    void *function = __atomic_load_n(found, __ATOMIC_RELAXED);
    return function != NULL ? function
                            : margay_late_look_up(found, library, name);
}

#endif
