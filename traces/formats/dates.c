/* dates.c - days and times of day, as seconds since 1970: see dates.h */
#include "traces/formats/dates.h"

#include <string.h>

/* The numbers of a date, by the letters of its picture. */
struct date {
    int year, month, day, hour, minute, second;
};

/*
 * Does the text look like the picture?  Y M D h m s stand for digits of a
 * number, bbb for the English name of a month, T for that or a blank, + for a
 * sign, and any other character for itself.
 */
static bool looks_like(const char *picture, const char *text, struct date *date)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (; *picture != '\0'; picture++, text++) {
        int *number = *picture == 'Y'   ? &date->year
                      : *picture == 'M' ? &date->month
                      : *picture == 'D' ? &date->day
                      : *picture == 'h' ? &date->hour
                      : *picture == 'm' ? &date->minute
                      : *picture == 's' ? &date->second
                                        : NULL;
        if (number != NULL) {
            if (*text < '0' || *text > '9')
                return false;
            *number = *number * 10 + *text - '0';
        } else if (*picture == 'b') {
            while (date->month < 12 &&
                   memcmp(months + 3 * date->month, text, 3) != 0)
                date->month++;
            if (++date->month > 12)
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
    struct date zone = {0};
    *seconds = 0;
    for (; bytes > 0 && *text == ' '; bytes--)
        text++;
    if (bytes == 0 || (bytes == 1 && *text == 'Z'))
        return true;
    if (!(bytes == 3 && looks_like("+hh", text, &zone)) &&
        !(bytes == 5 && looks_like("+hhmm", text, &zone)) &&
        !(bytes == 6 && looks_like("+hh:mm", text, &zone)))
        return false;
    *seconds = zone.hour * 3600L + zone.minute * 60L;
    if (*text == '-')
        *seconds = -*seconds;
    return true;
}

/* Since 1970; years begin in March here, so that leap days end them. */
static long days_of(const struct date *date)
{
    long year = date->year - (date->month <= 2);
    long month = (date->month + 9) % 12;
    return 365 * year + year / 4 - year / 100 + year / 400 +
           (153 * month + 2) / 5 + date->day - 1 - 719468;
}

bool margay_date_read(const char *text, size_t bytes, uint64_t *seconds)
{
    static const char web[] = "DD/bbb/YYYY:hh:mm:ss";
    static const char iso[] = "YYYY-MM-DDThh:mm:ss";
    struct date date = {0};
    bool is_web = bytes >= sizeof web - 1 && text[2] == '/';
    size_t at = is_web ? sizeof web - 1 : sizeof iso - 1;
    long zone;
    if (bytes < at || !looks_like(is_web ? web : iso, text, &date))
        return false;
    at += at < bytes && text[at] == '.';
    while (at < bytes && text[at] >= '0' && text[at] <= '9')
        at++;
    if (date.year < 1970 || date.month < 1 || date.month > 12 ||
        !read_zone(text + at, bytes - at, &zone))
        return false;
    long local = ((days_of(&date) * 24 + date.hour) * 60 + date.minute) * 60 +
                 date.second;
    *seconds = local < zone ? 0 : (uint64_t)(local - zone);
    return true;
}
