/* byte_source.h - where compressed bytes come from */
#ifndef MARGAY_TRACES_FORMATS_BYTE_SOURCE_H
#define MARGAY_TRACES_FORMATS_BYTE_SOURCE_H

#include <stddef.h>

#include <margay/status.h>

/* Up to `bytes` bytes are read to `buffer`.  *got = 0 is the end. */
struct margay_byte_source {
    void *context;
    enum margay_status (*read)(void *context, void *buffer, size_t bytes,
                               size_t *got, struct margay_error *error);
};

#endif
