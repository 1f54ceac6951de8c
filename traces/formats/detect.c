/*
 * detect.c - which format a trace is in, from its first bytes and its name
 *
 * Algorithm: a trace that begins with the magic of a format has that format.
 * Otherwise every format of text tries to decode the window with its own
 * decoder; a format that finds no fault with any line is a candidate. The first
 * of these rules that applies decides:
 *
 *   1. a candidate that the suffix of the file's name names (it need not show
 *      evidence of it: hex without 0x), unless that is csv and a layout of a
 *      table is a candidate, too;
 *   2. the first candidate in the table that has records; but two of which one
 *      is a layout, and neither csv, are alike, and the user decides; and csv
 *      gives way to a layout whose names the header has and whose rows are
 *      damaged further on, because its reader reports the line;
 *   3. without records, the first candidate if the content rules out others
 *      (lines of valgrind only: lackey);
 *   4. the format that the suffix names: packed numbers have no marks, and a
 *      damaged text deserves the message of its own reader;
 *   5. for an empty trace: `lines`;
 *   6. the format that decodes most lines before it finds a fault;
 *   7. a format of records that no other format would hold.
 * Guarantee: more of a trace can only remove candidates; a format that is ruled
 *   out by a part of the window stays ruled out.
 */
#define _GNU_SOURCE
#include "traces/formats/detect.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "traces/base/error.h"
#include "traces/base/late.h"
#include "traces/formats/decompress.h"
#include "traces/formats/layout.h"
#include "traces/formats/scan.h"

#define TRIAL_REFERENCES 1024

/* How far a format has decoded the window. */
struct trial {
    uint64_t records;
    uint64_t lines; /* before the first fault */
    bool faultless;
};

static struct trial try_decoder(margay_decode_function *decode, void *state,
                                const char *window, const char *end)
{
    uint64_t numbers[TRIAL_REFERENCES];
    uint8_t kinds[TRIAL_REFERENCES];
    uint32_t extents[TRIAL_REFERENCES];
    struct margay_references references = {.numbers = numbers,
                                           .kinds = kinds,
                                           .extents = extents,
                                           .capacity = TRIAL_REFERENCES};
    struct margay_text text = {.cursor = window, .end = end, .state = state};
    struct trial trial = {0};
    const char *expected = NULL;
    while (text.cursor < text.end && expected == NULL) {
        references.count = 0;
        expected = decode(&text, &references);
        trial.records += references.count;
    }
    trial.lines = text.lines;
    trial.faultless = expected == NULL;
    return trial;
}

/* A format that the suffix names needs no evidence in the content. */
static struct trial try_format(const struct margay_format *format, bool named,
                               const char *window, const char *end)
{
    margay_decode_function *decode = named ? format->decode : format->recognise;
    if (format->create_state == NULL)
        return try_decoder(decode, NULL, window, end);
    struct margay_state_options options = {
        .layout = format->layout, .trial = true, .by_content = !named};
    void *state = format->create_state(&options);
    if (state == NULL) /* the reader will report that there is no memory */
        return (struct trial){0};
    struct trial trial = try_decoder(decode, state, window, end);
    format->free_state(state);
    return trial;
}

/* The end of the last complete line.  At the end of a trace it may lack its
   newline. */
static const char *complete_lines(const char *window, size_t bytes, bool whole)
{
    if (whole && bytes > 0 && window[bytes - 1] != '\n')
        return window + bytes + 1;
    const char *newline = memrchr(window, '\n', bytes);
    return newline == NULL ? window : newline + 1;
}

/* Is this part of a file's name a suffix of the format? */
static bool has_suffix(const char *path, const struct margay_format *format)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *end = name + strlen(name);
    const struct margay_compression *compression;
    while ((compression = margay_compression_named(name, end)) != NULL)
        end -= strlen(compression->suffix);
    /* This one says no more than "binary". */
    if (end - name > 4 && strncasecmp(end - 4, ".bin", 4) == 0)
        end -= 4;
    const char *dot = memrchr(name, '.', (size_t)(end - name));
    size_t length = dot == NULL ? 0 : (size_t)(end - dot - 1);
    for (const char *known = format->info.suffixes; *known != '\0';) {
        size_t bytes = strcspn(known, " ");
        if (bytes == length && strncasecmp(known, dot + 1, length) == 0)
            return true;
        known += bytes + (known[bytes] == ' ');
    }
    return false;
}

/* The results of all trials. */
struct survey {
    const struct margay_format *candidate; /* the first with records */
    uint64_t candidate_lines;
    const struct margay_format *rival;   /* another as good; NULL = none */
    const struct margay_format *empty;   /* the first without a fault */
    const struct margay_format *passing; /* the first that passes over all */
    const struct margay_format *named;   /* by the suffix */
    bool named_is_candidate;
    const struct margay_format *header; /* a damaged layout of these names */
    uint64_t header_lines;
    const struct margay_format *furthest; /* decodes most lines, 1 or more */
    uint64_t furthest_lines;
    unsigned texts, faultless, with_records;
};

/* The format csv knows nothing of the columns, so it gives way to a layout. */
static bool gives_way(const struct margay_format *format)
{
    return format->layout == &margay_layout_any;
}

static bool is_layout(const struct margay_format *format)
{
    return format->layout != NULL && !gives_way(format);
}

/* Do only the names in the header show the layout? */
static bool goes_by_names(const struct margay_format *format)
{
    if (!is_layout(format))
        return false;
    for (unsigned v = 0; v < MARGAY_VARIANTS; v++) {
        if (format->layout->variants[v].shape != NULL)
            return false;
    }
    return true;
}

static void survey_format(const struct margay_format *format,
                          const struct trial *trial, struct survey *survey)
{
    bool candidate = trial->faultless && trial->records > 0;
    bool named = format == survey->named;
    survey->texts++;
    survey->faultless += trial->faultless;
    survey->with_records += candidate;
    if (candidate &&
        (survey->candidate == NULL || (named && !survey->named_is_candidate) ||
         (is_layout(format) && gives_way(survey->candidate)))) {
        survey->candidate = format;
        survey->candidate_lines = trial->lines;
        survey->named_is_candidate = named;
        survey->rival = NULL;
    } else if (candidate && is_layout(format) && !survey->named_is_candidate) {
        survey->rival = format;
    }
    /* A row of words alone may be the header of any layout. */
    if (trial->faultless && survey->empty == NULL && !is_layout(format) &&
        !format->told_by_records)
        survey->empty = format;
    if (trial->faultless && survey->passing == NULL && format->told_by_records)
        survey->passing = format;
    if (trial->records > 0 && !candidate && goes_by_names(format)) {
        survey->header = format;
        survey->header_lines = trial->lines;
    }
    if (trial->records > 0 && trial->lines > survey->furthest_lines) {
        survey->furthest = format;
        survey->furthest_lines = trial->lines;
    }
}

static struct survey survey_formats(const char *path, const char *window,
                                    const char *end)
{
    struct survey survey = {0};
    const struct margay_format *format;
    for (size_t i = 0; (format = margay_format_row(i)) != NULL; i++) {
        bool named = has_suffix(path, format);
        if (named)
            survey.named = format;
        if (format->recognise == NULL)
            continue;
        struct trial trial = try_format(format, named, window, end);
        survey_format(format, &trial, &survey);
    }
    return survey;
}

const char *margay_quote(char quoted[MARGAY_QUOTE_BYTES], const char *text,
                         const char *end)
{
    const size_t longest = MARGAY_QUOTE_BYTES - sizeof "...";
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    if (newline != NULL)
        end = newline;
    if (end > text && end[-1] == '\r')
        end--;
    size_t length = 0;
    for (; text < end && length < longest; text++)
        quoted[length++] = *text >= 0x20 && *text < 0x7f ? *text : '?';
    strcpy(quoted + length, text < end ? "..." : "");
    return quoted;
}

static enum margay_status fail_unknown(const char *path, const char *window,
                                       size_t bytes,
                                       const struct margay_format *passing,
                                       struct margay_error *error)
{
    char quoted[MARGAY_QUOTE_BYTES];
    if (memchr(window, '\0', bytes) != NULL)
        return margay_fail(
            error, MARGAY_BAD_INPUT,
            "%s: byte 0: found binary data that tells no "
            "format, expected one named with -f (" MARGAY_LISTS_FORMATS ")",
            path);
#ifdef MARGAY_HAS_YAJL
    if (bytes > 0 && window[0] == '{' && !margay_late_open(&margay_libyajl))
        return margay_late_fail(&margay_libyajl, path, "reads", "JSON", error);
#endif
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s:1: found '%s', expected a record of a known "
                       "format, or one named with -f (" MARGAY_LISTS_FORMATS
                       "%s%s%s)",
                       path, margay_quote(quoted, window, window + bytes),
                       passing == NULL ? "" : "; -f ",
                       passing == NULL ? "" : passing->info.name,
                       passing == NULL ? "" : " passes over these lines");
}

static enum margay_status fail_alike(const char *path,
                                     const struct survey *survey,
                                     const char *window, const char *end,
                                     struct margay_error *error)
{
    char quoted[MARGAY_QUOTE_BYTES];
    const char *one = survey->candidate->info.name;
    const char *other = survey->rival->info.name;
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s:1: found '%s', which is both %s and %s, expected "
                       "-f %s or -f %s to say which",
                       path, margay_quote(quoted, window, end), one, other, one,
                       other);
}

/* The format of records that no other format could hold, or NULL. */
static const struct margay_format *certain_packed(const char *window,
                                                  size_t bytes, size_t *records)
{
    const struct margay_format *format;
    for (size_t i = 0; (format = margay_format_row(i)) != NULL; i++) {
        bool certain = false;
        if (format->is_plausible == NULL)
            continue;
        *records = bytes / format->record_bytes;
        if (format->is_plausible(window, *records, &certain) && certain)
            return format;
    }
    return NULL;
}

static void note(struct margay_detection *found, const char *evidence)
{
    snprintf(found->evidence, sizeof found->evidence, "%s", evidence);
}

static void note_count(struct margay_detection *found, const char *what,
                       uint64_t count, const char *thing)
{
    snprintf(found->evidence, sizeof found->evidence, "content: %s%llu %s%s",
             what, (unsigned long long)count, thing, margay_plural(count, "s"));
}

/* The evidence of a suffix, and whether the records agree with it. */
static void note_suffix(struct margay_detection *found,
                        const struct margay_format *named, const char *window,
                        size_t bytes)
{
    bool certain;
    note(found, "the suffix of the file's name");
    if (named->is_plausible == NULL)
        return;
    bool plausible =
        named->is_plausible(window, bytes / named->record_bytes, &certain);
    note(found, plausible ? "the suffix of the file's name, and its records"
                          : "the suffix of the file's name, against its "
                            "records");
}

/* The format whose magic begins the window, or NULL. */
static const struct margay_format *format_by_magic(const char *window,
                                                   size_t bytes)
{
    const struct margay_format *format;
    for (size_t i = 0; (format = margay_format_row(i)) != NULL; i++) {
        if (format->is_magic != NULL && format->is_magic(window, bytes))
            return format;
    }
    return NULL;
}

/* The first rule that applies, by trials of the lines up to `end`; NULL = no
   format fits. */
static const struct margay_format *choose(const struct survey *survey,
                                          const char *window, size_t bytes,
                                          const char *end, bool whole,
                                          struct margay_detection *found)
{
    const struct margay_format *chosen = survey->candidate;
    size_t records;
    /* A packed number may begin with the first byte of a comment. */
    bool named_packed =
        survey->named != NULL && survey->named->record_bytes != 0;
    if (chosen != NULL && gives_way(chosen) && survey->header != NULL) {
        chosen = survey->header;
        note_count(found, "the first ", survey->header_lines, "line");
    } else if (chosen != NULL) {
        note_count(found, "", survey->candidate_lines, "line");
    } else if (survey->empty != NULL && survey->faultless < survey->texts &&
               !named_packed) {
        chosen = survey->empty;
        note(found, "content: comments and nothing else");
    } else if (survey->named != NULL) {
        chosen = survey->named;
        note_suffix(found, chosen, window, bytes);
    } else if (end >= window + bytes && survey->empty != NULL) {
        chosen = &margay_format_lines;
        found->nothing = whole;
        note(found, "nothing, as it is empty");
    } else if (survey->furthest != NULL) {
        chosen = survey->furthest;
        if (gives_way(chosen) && survey->header != NULL)
            chosen = survey->header;
        note_count(found, "the first ",
                   chosen == survey->header ? survey->header_lines
                                            : survey->furthest_lines,
                   "line");
    } else if ((chosen = certain_packed(window, bytes, &records)) != NULL) {
        note_count(found, "", records, "record");
    }
    return chosen;
}

enum margay_status margay_detect(const char *path, const char *window,
                                 size_t bytes, bool whole,
                                 struct margay_detection *found,
                                 struct margay_error *error)
{
    found->format = format_by_magic(window, bytes);
    if (found->format != NULL) {
        note(found, "content: its first 8 bytes");
        return MARGAY_OK;
    }
    const char *text = window + margay_order_mark(window, bytes);
    const char *end = complete_lines(window, bytes, whole);
    const struct survey survey = survey_formats(path, text, end);
    if (survey.rival != NULL) {
        found->format = survey.candidate;
        return fail_alike(path, &survey, text, end, error);
    }
    found->format = choose(&survey, window, bytes, end, whole, found);
    return found->format != NULL
               ? MARGAY_OK
               : fail_unknown(path, window, bytes, survey.passing, error);
}

bool margay_detect_is_certain(const char *path, const char *window,
                              size_t bytes)
{
    /* A magic holds newlines, so shorter windows are not taken for lines. */
    if (bytes < MARGAY_MAGIC_WINDOW)
        return false;
    const char *end = complete_lines(window, bytes, false);
    if (format_by_magic(window, bytes) != NULL)
        return true;
    struct survey survey = survey_formats(path, window, end);
    return survey.with_records == 1 &&
           (survey.named == NULL || survey.named_is_candidate);
}
