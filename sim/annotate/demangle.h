/*
 * demangle.h - names of C++ as they stand in the source
 *
 * Compilers give a function or a variable of C++ a name that tells its types as
 * well, `_ZN4grid4fillEi` for `grid::fill(int)`.  The library of C++ knows how
 * to read such a name; it is opened when it is first needed, and without it
 * names stay as they are.
 *
 * Thread safety: one thread at a time.
 */
#ifndef MARGAY_SIM_ANNOTATE_DEMANGLE_H
#define MARGAY_SIM_ANNOTATE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Write the name in the source to `text`, cut to `bytes` bytes; false, and
   nothing is written, if the name is none of C++ or cannot be read. */
bool demangle(const char *name, char *text, size_t bytes);

#endif
