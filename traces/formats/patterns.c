/*
 * patterns.c - lines that a pattern takes apart: pictures, regular expressions
 *
 * A picture is a line as it looks:
 *
 *     * [<time>] "<http>" <status> <size>
 *
 * <NAME> stands for a field, an asterisk for anything, a blank for blanks, and
 * any other character for itself; the rest of a line is ignored.  A field ends
 * before the first character that equals the next one of the picture, and holds
 * no blanks unless that closes a quotation or brackets, where a backslash
 * escapes a character.  An asterisk ends likewise, a blank before that
 * character included.
 * Cost: a line is read once, unless an asterisk has to try several places.
 *
 * A group of a regular expression that took no part is empty.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/late.h"
#include "traces/formats/logs.h"

#ifdef MARGAY_HAS_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#define PCRE2(name) MARGAY_LATE(&margay_libpcre2, pcre2_##name)
#endif

#define MOST_FIELDS 32 /* of a picture */

struct part {
    const char *name; /* in the picture, which goes on after it with a > */
    size_t name_bytes;
    const char *text; /* in the line */
    size_t bytes;
};

struct margay_pattern {
    const char *picture; /* NULL = a regular expression */
    struct part parts[MOST_FIELDS];
    unsigned count;
    char expected[200];
#ifdef MARGAY_HAS_PCRE2
    pcre2_code *code;
    pcre2_match_data *match;
    const char *line;
    int took; /* groups up to the last that took part */
#endif
};

/* -------------------------------------------------------------- pictures -- */

static enum margay_status read_picture(struct margay_pattern *pattern,
                                       struct margay_error *error)
{
    for (const char *at = pattern->picture; *at != '\0'; at++) {
        struct part part = {.name = at + 1, .name_bytes = strcspn(at + 1, ">")};
        bool is_field = *at == '<';
        if (is_field)
            at += part.name_bytes + 1;
        if (*at == '\0' || pattern->count == MOST_FIELDS ||
            ((is_field || *at == '*') && at[1] != '\0' &&
             strchr("<*", at[1]) != NULL))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "no picture of a line: '%s' (expected at most "
                               "%d times <NAME>, and something between)",
                               pattern->picture, MOST_FIELDS);
        if (is_field)
            pattern->parts[pattern->count++] = part;
    }
    snprintf(pattern->expected, sizeof pattern->expected, "a line like %s",
             pattern->picture);
    return MARGAY_OK;
}

/* The end of a field that this mark follows, NUL = nothing; NULL: there is no
   such mark. */
static const char *field_end(const char *cursor, const char *end, char mark)
{
    const char *found, *escape;
    if (mark == '"' || mark == ']' || mark == ')' || mark == '}') {
        while ((found = memchr(cursor, mark, (size_t)(end - cursor))) != NULL &&
               (escape = memchr(cursor, '\\', (size_t)(found - cursor))) !=
                   NULL)
            cursor = escape + 2;
        return found;
    }
    while (cursor < end && *cursor != mark && !margay_is_blank(*cursor))
        cursor++;
    return mark == ' ' || mark == '\0' || (cursor < end && *cursor == mark)
               ? cursor
               : NULL;
}

/* The end of the text of an asterisk, or NULL.  A character after a blank is
   searched for before the blank, because lines have fewer of these. */
static const char *pass_any(const char *picture, const char *cursor,
                            const char *end)
{
    bool blank = *picture == ' ' && strchr("<*", picture[1]) == NULL;
    const char *found = cursor;
    if (*picture == '\0')
        return end;
    while (found != NULL && (found = memchr(found, picture[blank],
                                            (size_t)(end - found))) != NULL) {
        if (!blank || (found > cursor && found[-1] == ' '))
            return found - blank;
        found++;
    }
    return NULL;
}

static bool match_picture(struct margay_pattern *pattern, const char *cursor,
                          const char *end)
{
    struct part *part = pattern->parts;
    for (const char *picture = pattern->picture; *picture != '\0'; picture++) {
        if (*picture == '<') {
            picture = part->name + part->name_bytes;
            part->text = cursor;
            cursor = field_end(cursor, end, picture[1]);
            if (cursor == NULL)
                return false;
            part->bytes = (size_t)(cursor - part->text);
            part++;
        } else if (*picture == '*') {
            cursor = pass_any(picture + 1, cursor, end);
            if (cursor == NULL)
                return false;
        } else if (cursor == end) {
            return false;
        } else if (*picture != ' ') {
            if (*cursor++ != *picture)
                return false;
        } else if (!margay_is_blank(*cursor)) {
            return false;
        } else {
            while (cursor < end && margay_is_blank(*cursor))
                cursor++;
        }
    }
    return true;
}

/* --------------------------------------------------- regular expressions -- */

static enum margay_status compile(struct margay_pattern *pattern,
                                  const char *text, struct margay_error *error)
{
#ifdef MARGAY_HAS_PCRE2
    if (margay_late_open(&margay_libpcre2)) {
        int code;
        PCRE2_SIZE at;
        unsigned char said[160];
        uint32_t groups;
        pattern->code = PCRE2(compile)((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
                                       0, &code, &at, NULL);
        if (pattern->code == NULL) {
            PCRE2(get_error_message)(code, said, sizeof said);
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--pattern: %s, after %zu bytes of it", said,
                               at);
        }
        PCRE2(jit_compile)(pattern->code, PCRE2_JIT_COMPLETE);
        PCRE2(pattern_info)(pattern->code, PCRE2_INFO_CAPTURECOUNT, &groups);
        pattern->count = groups;
        pattern->match =
            PCRE2(match_data_create_from_pattern)(pattern->code, NULL);
        return pattern->match == NULL ? margay_fail_memory(error, "a pattern")
                                      : MARGAY_OK;
    }
    return margay_late_fail(&margay_libpcre2, NULL, "reads", "regex", error);
#else
    (void)pattern, (void)text;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "the format regex takes a Margay that was built with "
                       "PCRE2 (Debian: libpcre2-dev)");
#endif
}

/* -------------------------------------------------------------- patterns -- */

enum margay_status margay_pattern_create(const char *text, bool is_picture,
                                         struct margay_pattern **pattern,
                                         struct margay_error *error)
{
    *pattern = calloc(1, sizeof **pattern);
    if (*pattern == NULL)
        return margay_fail_memory(error, "a pattern");
    if (!is_picture)
        return compile(*pattern, text, error);
    (*pattern)->picture = text;
    return read_picture(*pattern, error);
}

void margay_pattern_free(struct margay_pattern *pattern)
{
#ifdef MARGAY_HAS_PCRE2
    if (pattern != NULL && pattern->code != NULL) {
        PCRE2(match_data_free)(pattern->match);
        PCRE2(code_free)(pattern->code);
    }
#endif
    free(pattern);
}

int margay_pattern_field(const struct margay_pattern *pattern,
                         const char *given, size_t bytes)
{
    char name[64 + MARGAY_TEXT_PADDING] = "";
    uint64_t number;
    snprintf(name, 64, "%.*s", (int)bytes, given);
    if (margay_take_number(name, name + strlen(name), &number))
        return number <= pattern->count && number >= (pattern->picture != NULL)
                   ? (int)number
                   : -1;
    for (unsigned i = 0; pattern->picture != NULL && i < pattern->count; i++) {
        if (pattern->parts[i].name_bytes == bytes &&
            memcmp(pattern->parts[i].name, given, bytes) == 0)
            return (int)i + 1;
    }
#ifdef MARGAY_HAS_PCRE2
    if (pattern->picture == NULL)
        return PCRE2(substring_number_from_name)(pattern->code,
                                                 (PCRE2_SPTR)name);
#endif
    return -1;
}

const char *margay_pattern_take(struct margay_pattern *pattern,
                                const char *line, const char *end)
{
    if (pattern->picture != NULL)
        return match_picture(pattern, line, end) ? NULL : pattern->expected;
#ifdef MARGAY_HAS_PCRE2
    int groups = PCRE2(match)(pattern->code, (PCRE2_SPTR)line,
                              (size_t)(end - line), 0, 0, pattern->match, NULL);
    if (groups < 0)
        return groups == PCRE2_ERROR_NOMATCH
                   ? "a line that matches the pattern"
                   : "a line that takes less trying to match the pattern";
    pattern->line = line;
    pattern->took = groups;
#endif
    return NULL;
}

struct margay_field margay_pattern_taken(const struct margay_pattern *pattern,
                                         unsigned field)
{
    if (pattern->picture != NULL)
        return margay_field_of(pattern->parts[field - 1].text,
                               pattern->parts[field - 1].bytes);
#ifdef MARGAY_HAS_PCRE2
    const PCRE2_SIZE *ends = PCRE2(get_ovector_pointer)(pattern->match);
    if ((int)field < pattern->took && ends[2 * field] != PCRE2_UNSET)
        return margay_field_of(pattern->line + ends[2 * field],
                               ends[2 * field + 1] - ends[2 * field]);
#endif
    return margay_field_of("", 0);
}
