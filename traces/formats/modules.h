/*
 * modules.h - the files of code that the sites of a trace are in
 *
 * A module is a program or a library.  The bits of a site from
 * MARGAY_SITE_MODULE_SHIFT on are the number of its module, and the bits below
 * an address as it stands in that file.
 *
 * In a trace of the format mgt the modules stand as bytes: for each one, in the
 * order of their numbers, the number (1 byte), the length of the path (2
 * bytes), and the path.
 */
#ifndef MARGAY_TRACES_FORMATS_MODULES_H
#define MARGAY_TRACES_FORMATS_MODULES_H

#include <stdatomic.h>

#include <margay/traces.h>

#define MARGAY_MODULE_HEAD_BYTES 3
/* The most bytes of all modules. */
#define MARGAY_MODULES_BYTES \
    (MARGAY_MOST_MODULES *   \
     (size_t)(MARGAY_MODULE_HEAD_BYTES + MARGAY_MODULE_PATH_BYTES))

/* Zeroed: no modules.  One thread writes; others may read once it is whole. */
struct margay_modules {
    char *paths[MARGAY_MOST_MODULES]; /* NULL = unknown; owned */
    _Atomic bool whole;
};

/* Name a module; the first name stays.  Fails with MARGAY_NO_MEMORY, and with
   MARGAY_BAD_ARGUMENT for a number or a length that cannot be. */
enum margay_status margay_modules_set(struct margay_modules *modules,
                                      unsigned number, const char *path,
                                      struct margay_error *error);

/* The path of a module; NULL = unknown, or not yet. */
const char *margay_modules_path(const struct margay_modules *modules,
                                unsigned number);

/* Write the modules as bytes, unless `bytes` is NULL.  Returns how many. */
size_t margay_modules_put(const struct margay_modules *modules, uint8_t *bytes);

/* Read bytes into modules that have none; then they are whole.  False: the
   bytes are no modules, or *no_memory. */
bool margay_modules_take(struct margay_modules *modules, const uint8_t *bytes,
                         size_t count, bool *no_memory);

void margay_modules_clear(struct margay_modules *modules);

#endif
