/* cache_options.h - what the command line says about caches */
#ifndef MARGAY_SIM_CACHE_OPTIONS_H
#define MARGAY_SIM_CACHE_OPTIONS_H

#include <stdbool.h>

#include <margay/assoc.h>

/* --policy: a name, and for opt whether blocks may bypass the cache. */
struct cache_policy {
    enum margay_policy policy;
    bool bypass;
};

/* What happens to writes, where it is said. */
enum write_rule {
    WRITE_UNSAID,
    WRITE_BACK,
    WRITE_THROUGH,
    WRITE_ALLOCATES,
    WRITE_AROUND, /* the cache: a write that misses allocates nothing */
};

#endif
