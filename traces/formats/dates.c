/*
 * dates.c - days and times of day, as microseconds since 1970
 *
 *     10/Oct/2000:13:55:36 -0700     of web servers
 *     2000-10-10T13:55:36.25-07:00   ISO 8601, RFC 3339
 *
 * The latter may have a blank instead of the T.  Either may have a fraction, of
 * which six digits count, and no zone, which is then that of Greenwich.  A day
 * or an hour that does not exist counts as one after it.
 */
#include <string.h>

#include "traces/formats/row.h"

/* The numbers of a date, and the letters for them in its picture. */
enum { NONE, YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, NUMBERS };
static const uint8_t letters[128] = {
    ['Y'] = YEAR, ['M'] = MONTH,  ['D'] = DAY,
    ['h'] = HOUR, ['m'] = MINUTE, ['s'] = SECOND};

/* Does the text look like the picture?  Letters as above stand for digits of a
   number, bbb for the English name of a month, T for that or a blank, + for a
   sign, and any other character for itself. */
static bool looks_like(const char *picture, const char *text, int date[NUMBERS])
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (; *picture != '\0'; picture++, text++) {
        unsigned number = letters[(unsigned char)*picture];
        unsigned digit = (unsigned)(unsigned char)*text - '0';
        if (number != NONE && digit < 10) {
            date[number] = date[number] * 10 + (int)digit;
        } else if (number == NONE && *picture == 'b') {
            while (date[MONTH] < 12 &&
                   memcmp(months + 3 * date[MONTH], text, 3) != 0)
                date[MONTH]++;
            if (++date[MONTH] > 12)
                return false;
            picture += 2;
            text += 2;
        } else if (*text != *picture && !(*picture == 'T' && *text == ' ') &&
                   !(*picture == '+' && *text == '-')) {
            return false;
        }
    }
    return true;
}

/* The seconds that a zone is before Greenwich, after blanks. */
static bool read_zone(const char *text, size_t bytes, long *seconds)
{
    int zone[NUMBERS] = {0};
    *seconds = 0;
    for (; bytes > 0 && *text == ' '; bytes--)
        text++;
    if (bytes == 0 || (bytes == 1 && *text == 'Z'))
        return true;
    if (!(bytes == 3 && looks_like("+hh", text, zone)) &&
        !(bytes == 5 && looks_like("+hhmm", text, zone)) &&
        !(bytes == 6 && looks_like("+hh:mm", text, zone)))
        return false;
    *seconds = zone[HOUR] * 3600L + zone[MINUTE] * 60L;
    if (*text == '-')
        *seconds = -*seconds;
    return true;
}

/* Since 1970; years begin in March here, so that leap days end them. */
static long days_of(const int date[NUMBERS])
{
    long year = date[YEAR] - (date[MONTH] <= 2);
    long month = (date[MONTH] + 9) % 12;
    return 365 * year + year / 4 - year / 100 + year / 400 +
           (153 * month + 2) / 5 + date[DAY] - 1 - 719468;
}

bool margay_date_read(const char *text, size_t bytes, uint64_t *time)
{
    static const char web[] = "DD/bbb/YYYY:hh:mm:ss";
    static const char iso[] = "YYYY-MM-DDThh:mm:ss";
    int date[NUMBERS] = {0};
    bool is_web = bytes >= sizeof web - 1 && text[2] == '/';
    size_t at = is_web ? sizeof web - 1 : sizeof iso - 1;
    const char *end = text + bytes;
    uint64_t millionths;
    long zone;
    if (bytes < at || !looks_like(is_web ? web : iso, text, date))
        return false;
    text += at + (at < bytes && text[at] == '.');
    text = margay_scan_millionths(text, end, &millionths);
    if (date[YEAR] < 1970 || date[MONTH] < 1 || date[MONTH] > 12 ||
        !read_zone(text, (size_t)(end - text), &zone))
        return false;
    long local = ((days_of(date) * 24 + date[HOUR]) * 60 + date[MINUTE]) * 60 +
                 date[SECOND];
    *time = local < zone
                ? 0
                : (uint64_t)(local - zone) * MARGAY_SECOND + millionths;
    return true;
}
