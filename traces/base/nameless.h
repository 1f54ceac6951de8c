/* nameless.h - temporary files without a name */
#ifndef MARGAY_TRACES_BASE_NAMELESS_H
#define MARGAY_TRACES_BASE_NAMELESS_H

/* Open a new file in `directory` for reading and writing, and remove its name.
   Returns the descriptor, which exec closes, or -1 and errno. */
int margay_nameless_file(const char *directory);

#endif
