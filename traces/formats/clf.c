/*
 * clf.c - the Common and the combined log format of web servers
 *
 *     10.0.0.1 - joe [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 23 ...
 *
 * Client, identity, user, time, request, status, bytes; what follows is
 * ignored. The object is the path with its query, and of a request that has
 * none the whole request.  Its size is what was sent, where that is all of it:
 * a hyphen, a HEAD, a part (206) and an object that did not change (304) say no
 * size.
 */
#include "traces/base/fnv.h"
#include "traces/formats/log.h"

#define EXPECTED                                                         \
    "a line of a web server: CLIENT - USER [DAY/MONTH/YEAR:HOUR:MINUTE:" \
    "SECOND ZONE] \"METHOD PATH PROTOCOL\" STATUS BYTES"

static bool take_digits(const char *text, unsigned digits, uint64_t *number)
{
    *number = 0;
    for (unsigned i = 0; i < digits; i++) {
        if ((unsigned)(unsigned char)text[i] - '0' >= 10)
            return false;
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    }
    return true;
}

/* Days from 1 March of the year 0 to a day of the Gregorian calendar; months
   are counted from March on, so that the leap day is the last of a year. */
static uint64_t days_to(uint64_t year, uint64_t month, uint64_t day)
{
    uint64_t past_february = month >= 3 ? month - 3 : month + 9;
    year -= month < 3;
    return year * 365 + year / 4 - year / 100 + year / 400 +
           (past_february * 153 + 2) / 5 + day - 1;
}

/* 10/Oct/2000:13:55:36 -0700, 26 characters, as seconds since 1970. */
static bool take_time(const char *text, uint64_t *seconds)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    uint64_t day, year, hour, minute, second, zone_hour, zone_minute;
    uint64_t month = 0;
    for (uint64_t i = 0; i < 12; i++) {
        if (memcmp(months + 3 * i, text + 3, 3) == 0)
            month = i + 1;
    }
    if (month == 0 || !take_digits(text, 2, &day) ||
        !take_digits(text + 7, 4, &year) || !take_digits(text + 12, 2, &hour) ||
        !take_digits(text + 15, 2, &minute) ||
        !take_digits(text + 18, 2, &second) ||
        !take_digits(text + 22, 2, &zone_hour) ||
        !take_digits(text + 24, 2, &zone_minute) || year < 1970 ||
        (text[21] != '+' && text[21] != '-'))
        return false;
    uint64_t zone = zone_hour * 3600 + zone_minute * 60;
    uint64_t local = (days_to(year, month, day) - days_to(1970, 1, 1)) * 86400 +
                     hour * 3600 + minute * 60 + second;
    if (text[21] == '-')
        *seconds = local + zone;
    else
        *seconds = local < zone ? 0 : local - zone;
    return true;
}

static uint8_t op_of(const char *method, size_t bytes)
{
    static const struct {
        const char *method;
        enum margay_op op;
    } others[] = {
        {"PUT", MARGAY_SET},      {"POST", MARGAY_SET},
        {"PATCH", MARGAY_SET},    {"DELETE", MARGAY_DELETE},
        {"PURGE", MARGAY_DELETE},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strlen(others[i].method) == bytes &&
            memcmp(others[i].method, method, bytes) == 0)
            return (uint8_t)others[i].op;
    }
    return MARGAY_GET;
}

/* The request, up to its closing quote. */
static void take_request(const char *begin, const char *end,
                         struct margay_row_reference *row)
{
    const char *method_end = margay_log_word(begin, end);
    const char *path = margay_log_next(begin, end);
    const char *path_end = margay_log_word(path, end);
    if (path == end) {
        path = begin;
        path_end = end;
    }
    row->number = margay_fnv1a(path, (size_t)(path_end - path));
    row->op = op_of(begin, (size_t)(method_end - begin));
}

/* STATUS BYTES, of a HEAD or another request. */
static bool take_bytes(const char *status, const char *end, bool head,
                       uint64_t *bytes)
{
    uint64_t number;
    const char *sent = margay_log_next(status, end);
    const char *sent_end = margay_log_word(sent, end);
    bool hyphen = sent_end == sent + 1 && *sent == '-';
    if (!margay_log_number(status, margay_log_word(status, end), &number) ||
        !(margay_log_number(sent, sent_end, bytes) || hyphen))
        return false;
    if (hyphen || head || number == 206 || number == 304)
        *bytes = MARGAY_SIZE_UNKNOWN;
    return true;
}

static const char *parse(struct margay_log *log, const char *line,
                         const char *end, struct margay_row_reference *row)
{
    const char *bracket = memchr(line, '[', (size_t)(end - line));
    log->cursor = end;
    if (bracket == NULL || end - bracket < 32 || bracket[27] != ']' ||
        bracket[28] != ' ' || bracket[29] != '"' ||
        !take_time(bracket + 1, &row->time))
        return EXPECTED;
    const char *request = bracket + 30, *quote = request;
    for (; quote < end && *quote != '"'; quote++)
        quote += *quote == '\\' && quote + 1 < end;
    if (quote >= end)
        return EXPECTED;
    take_request(request, quote, row);
    bool head = quote - request > 5 && memcmp(request, "HEAD ", 5) == 0;
    return take_bytes(margay_log_next(quote, end), end, head, &row->size)
               ? NULL
               : EXPECTED;
}

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    return margay_log_decode(text, references, parse);
}

const struct margay_format margay_format_clf = {
    .info = {.name = "clf",
             .description = "the Common or combined log of a web server",
             .suffixes = "clf",
             .numbers = MARGAY_IDS,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_SIZES |
                        MARGAY_COLUMN_TIMES | MARGAY_COLUMN_OPS,
             .kinds =
                 MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_WRITE)},
    .decode = decode,
    .recognise = decode,
    .create_state = margay_log_create,
    .free_state = margay_log_free,
    .cut = margay_log_cut,
};
