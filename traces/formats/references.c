/* references.c - the arrays of a batch */
#include <stdlib.h>

#include "traces/formats/format.h"

bool margay_references_allocate(struct margay_references *references,
                                unsigned columns)
{
    bool lacks = false;
#define MARGAY_COLUMN(name, NAME, bit, type, words)                     \
    if (columns & 1u << (bit)) {                                        \
        references->name = malloc(references->capacity * sizeof(type)); \
        lacks = lacks || references->name == NULL;                      \
    }
#include <margay/columns.def>
    return !lacks;
}

void margay_references_free(struct margay_references *references)
{
#define MARGAY_COLUMN(name, NAME, bit, type, words) free(references->name);
#include <margay/columns.def>
    *references = (struct margay_references){0};
}
