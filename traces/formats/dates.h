/*
 * dates.h - days and times of day, as seconds since 1970
 *
 *     10/Oct/2000:13:55:36 -0700     of web servers
 *     2000-10-10T13:55:36.25-07:00   ISO 8601, RFC 3339
 *
 * The latter may have a blank instead of the T.  Either may have a fraction,
 * which is dropped, and no zone, which is then that of Greenwich.  A day or an
 * hour that there is not is one of those that follow.
 */
#ifndef MARGAY_TRACES_FORMATS_DATES_H
#define MARGAY_TRACES_FORMATS_DATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the whole text, of `bytes` bytes, a date from 1970 on? */
bool margay_date_read(const char *text, size_t bytes, uint64_t *seconds);

#endif
