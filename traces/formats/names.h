/*
 * names.h - numbers for texts, from 0 on in the order of their first use
 *
 * One thread gives numbers; any thread may ask for the text of one.
 */
#ifndef MARGAY_TRACES_FORMATS_NAMES_H
#define MARGAY_TRACES_FORMATS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct margay_names;

/* NULL: no memory. */
struct margay_names *margay_names_create(void);
void margay_names_free(struct margay_names *names);

/* The number of a text, which need not end with a NUL.  False: no memory, or
   2^31 texts have a number. */
bool margay_names_number(struct margay_names *names, const char *text,
                         size_t bytes, uint32_t *number);

/* The text of a number, with a NUL after it, for as long as the names live;
   NULL if no text has that number. */
const char *margay_names_text(struct margay_names *names, uint32_t number);

#endif
