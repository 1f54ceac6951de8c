/*
 * images.h - from the address of code to the file that the code is in
 *
 * A call site is recorded by its address in the file of a program or a library,
 * which is what debuggers use, and by the number of that file among the modules
 * of the recording (stream.h), so that a site is the same in every process and
 * at each place where a file was loaded.
 *
 * Thread safety: all functions may be called from all threads at a time, and
 * from handlers of signals; none takes a lock.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_IMAGES_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_IMAGES_H

#include "traces/capture/stream.h"

/* Code in memory, at [from, to): a site in it is recorded as site + shift,
   modulo 2^56. */
struct margay_image {
    uint64_t from, to, shift;
};

/* Begin with the table of modules, and the program of this process as the first
   one of these that the process uses; NULL = unknown. */
void margay_images_begin(struct margay_module *modules, const char *program);

/* Find the stack, [*from, *to), that an address is on; false: no memory of the
   process has that address. */
bool margay_images_stack(uint64_t address, uint64_t *from, uint64_t *to);

/* The image of a site, which stays as it is.  Code in no file is an image, too;
   all code is in an image without addresses before margay_images_begin(), and
   where there are too many images. */
const struct margay_image *margay_images_find(uint64_t site);

#endif
