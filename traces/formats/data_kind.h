/* data_kind.h - the kinds of data that a reference may be to */
#ifndef MARGAY_TRACES_FORMATS_DATA_KIND_H
#define MARGAY_TRACES_FORMATS_DATA_KIND_H

/* Traces have these numbers. */
enum margay_data {
    MARGAY_DATA_UNKNOWN,
    MARGAY_DATA_ALLOCATED,
    MARGAY_DATA_VARIABLE, /* of a file of code, also a constant */
    MARGAY_DATA_STACK,
};
#define MARGAY_DATA_KINDS 4

#endif
