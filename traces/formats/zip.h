/* zip.h - what the end of a zip says of its members */
#ifndef MARGAY_TRACES_FORMATS_ZIP_H
#define MARGAY_TRACES_FORMATS_ZIP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Hold the table of contents of a zip, of which `tail` has the last `held`
 * bytes, against what was read: the members, and the bytes of all together.
 * Returns NULL, or what is wrong.  Where a table is longer than the tail, only
 * the number of members is compared.
 */
const char *margay_zip_check_end(const unsigned char *tail, size_t held,
                                 uint64_t members, uint64_t member_bytes);

#endif
