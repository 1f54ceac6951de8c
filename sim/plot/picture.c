/* picture.c - a picture that gnuplot drew, and whether it is whole */
#define _GNU_SOURCE
#include "sim/plot/picture.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/plot/tikz.h"
#include "sim/tables/json.h"
#include "traces/traces_internal.h"

/* The bytes compared at each end of a picture; more than any text below has. */
#define END_BYTES   64
#define PIECE_BYTES ((size_t)64 << 10)

struct text {
    const char *bytes;
    size_t count;
};
#define TEXT(literal)                \
    {                                \
        literal, sizeof(literal) - 1 \
    }

static const struct kind {
    const char *suffix;
    struct text begin, end; /* blanks may follow */
} kinds[] = {
    /* The last chunk of a PNG is empty, and has its checksum. */
    {".png", TEXT("\x89PNG\r\n\x1a\n"), TEXT("\0\0\0\0IEND\xae\x42\x60\x82")},
    {".svg", TEXT("<?xml"), TEXT("</svg>")},
    {".pdf", TEXT("%PDF-"), TEXT("%%EOF")},
    {".eps", TEXT("%!PS-Adobe-"), TEXT("%%EOF")},
    {".tex", TEXT("\\begin{tikzpicture}"),
     TEXT("\\end{tikzpicture}\n%% gnuplot variables")},
};

static const struct kind *find_kind(const char *name)
{
    size_t bytes = strlen(name);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (bytes >= 4 && strcmp(name + bytes - 4, kinds[i].suffix) == 0)
            return &kinds[i];
    }
    return NULL;
}

const char *picture_suffix(const char *name)
{
    const struct kind *kind = find_kind(name);
    return kind == NULL || strlen(name) == 4 ? NULL : kind->suffix;
}

/* A text between single quotes, in which gnuplot knows no escape but two quotes
   for one. */
static void put_setting(FILE *stream, const char *name, const char *text)
{
    fprintf(stream, "%s = '", name);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            putc('\'', stream);
        putc(margay_is_control(*text) ? '?' : *text, stream);
    }
    fputs("'; ", stream);
}

static void put_axis(FILE *stream, char name, const struct picture_axis *axis)
{
    if (axis->scale != AXIS_USUAL)
        fprintf(stream, "%c_SCALE = '%s'; ", name,
                axis->scale == AXIS_LOG ? "log" : "linear");
    if (axis->has_from)
        fprintf(stream, "%c_FROM = %.17g; ", name, axis->from);
    if (axis->has_to)
        fprintf(stream, "%c_TO = %.17g; ", name, axis->to);
}

enum margay_status picture_settings(const struct picture_options *options,
                                    const char *suffix, char **settings,
                                    struct margay_error *error)
{
    static const char *const legends[] = {
        [LEGEND_RIGHT] = "right",
        [LEGEND_BELOW] = "below",
        [LEGEND_INSIDE] = "inside",
        [LEGEND_NONE] = "none",
    };
    size_t bytes;
    *settings = NULL;
    FILE *stream = open_memstream(settings, &bytes);
    if (stream == NULL)
        return margay_fail_memory(error, "gnuplot's arguments");
    put_setting(stream, "FORMAT", suffix);
    if (options->title != NULL)
        put_setting(stream, "TITLE",
                    strcmp(options->title, "none") == 0 ? "" : options->title);
    put_setting(stream, "LEGEND", legends[options->legend]);
    if (options->font.name[0] != '\0')
        put_setting(stream, "FONT", options->font.name);
    if (options->font.points > 0)
        fprintf(stream, "POINTS = %.12g; ", options->font.points);
    if (options->size.width > 0)
        fprintf(stream, "WIDTH = %u; HEIGHT = %u; ", options->size.width,
                options->size.height);
    if (options->labels)
        fputs("LABELS = 1; ", stream);
    if (options->hit)
        fputs("HIT = 1; ", stream);
    put_axis(stream, 'X', &options->x);
    put_axis(stream, 'Y', &options->y);
    bool written = !ferror(stream);
    if (fclose(stream) == 0 && written)
        return MARGAY_OK;
    free(*settings);
    *settings = NULL;
    return margay_fail_memory(error, "gnuplot's arguments");
}

bool picture_is_whole(int descriptor, const char *suffix)
{
    const struct kind *kind = find_kind(suffix);
    char text[END_BYTES];
    off_t bytes = lseek(descriptor, 0, SEEK_END);
    ssize_t got =
        bytes < END_BYTES ? -1 : pread(descriptor, text, END_BYTES, 0);
    if (got != END_BYTES || memcmp(text, kind->begin.bytes, kind->begin.count))
        return false;
    got = pread(descriptor, text, END_BYTES, bytes - END_BYTES);
    while (got > 0 && (text[got - 1] == '\n' || text[got - 1] == ' '))
        got--;
    return got >= (ssize_t)kind->end.count &&
           memcmp(text + got - kind->end.count, kind->end.bytes,
                  kind->end.count) == 0;
}

/* Write text as UTF-8, and U+FFFD for what is none: gnuplot copies names as
   they are.  Returns how many bytes were written; a few at the end may be a
   part of a character. */
static size_t put_characters(struct output *output, const char *text,
                             size_t count)
{
    size_t at = 0;
    while (at < count) {
        size_t length = json_character_bytes(text + at, count - at);
        if (length == 0 && at > 0 && count - at < 4)
            break;
        if (length == 0)
            output_text(output, JSON_NO_CHARACTER);
        output_bytes(output, text + at, length);
        at += length + (length == 0);
    }
    return at;
}

enum margay_status picture_write(int descriptor, const char *suffix,
                                 struct output *output,
                                 struct margay_error *error)
{
    if (strcmp(suffix, ".tex") == 0)
        return tikz_write(descriptor, output, error);
    bool is_text = strcmp(suffix, ".svg") == 0;
    char piece[PIECE_BYTES];
    ssize_t got = 0;
    for (off_t at = 0; (got = pread(descriptor, piece, sizeof piece, at)) > 0;
         at += got) {
        if (is_text)
            got = (ssize_t)put_characters(output, piece, (size_t)got);
        else
            output_bytes(output, piece, (size_t)got);
    }
    return got == 0 ? MARGAY_OK
                    : margay_fail(error, MARGAY_IO,
                                  "cannot read what gnuplot drew: %s",
                                  strerror(errno));
}
