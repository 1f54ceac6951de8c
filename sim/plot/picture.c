/* picture.c - pictures of tables that were checked, drawn by gnuplot */
#define _GNU_SOURCE
#include "sim/plot/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/result/json.h"
#include "sim/terminal/message.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/* --------------------------------------------- TikZ, as LaTeX takes it -- */

/* What a character, or its first bytes in UTF-8, becomes. */
static const struct replacement {
    const char *text, *with;
} replacements[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"#", "\\#"},
    {"$", "\\$"},
    {"%", "\\%"},
    {"&", "\\&"},
    {"_", "\\_"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    /* The usual font of LaTeX has other characters in these places. */
    {"<", "$<$"},
    {">", "$>$"},
    {"|", "$|$"},
    {"\xe2\x89\xa5", "$\\geq$"},
};

static void write_text(struct output *output, const char *text, const char *end)
{
    const size_t count = sizeof replacements / sizeof replacements[0];
    while (text < end) {
        const struct replacement *found = replacements;
        while (found < replacements + count &&
               strncmp(text, found->text, strlen(found->text)) != 0)
            found++;
        if (found == replacements + count) {
            output_bytes(output, text++, 1);
            continue;
        }
        output_bytes(output, found->with, strlen(found->with));
        text += strlen(found->text);
    }
}

/* gnuplot writes each text in a line: \node[...] at (X,Y) {TEXT}; and may have
   written a path before it. */
static void write_line(struct output *output, const char *line)
{
    const char *node = strstr(line, "\\node[");
    const char *place = node == NULL ? NULL : strstr(node, "] at (");
    const char *text = place == NULL ? NULL : strstr(place, ") {");
    const char *end =
        text == NULL ? NULL : text + strlen(text) - strlen("};\n");
    if (text == NULL || end < text || strcmp(end, "};\n") != 0) {
        output_bytes(output, line, strlen(line));
        return;
    }
    text += strlen(") {");
    output_bytes(output, line, (size_t)(text - line));
    write_text(output, text, end);
    output_bytes(output, end, strlen(end));
}

/* Write what gnuplot drew without comments, which hold the date, and each text
   so that TeX shows it: gnuplot writes them as they stand. */
static enum margay_status tikz_write(const char *picture, struct output *output,
                                     struct margay_error *error)
{
    char *line = NULL;
    size_t room = 0;
    FILE *stream = fopen(picture, "re");
    if (stream == NULL)
        return margay_fail(error, MARGAY_IO,
                           "cannot read what gnuplot drew: %s",
                           strerror(errno));
    while (getline(&line, &room, stream) > 0) {
        if (strncmp(line, "%% ", 3) != 0)
            write_line(output, line);
    }
    /* Without an end of the file it was an error, or memory was short. */
    bool failed = !feof(stream);
    int reason = errno;
    free(line);
    fclose(stream);
    return failed ? margay_fail(error, MARGAY_IO,
                                "cannot read what gnuplot drew: %s",
                                strerror(reason))
                  : MARGAY_OK;
}

/* ------------------------------------------------ formats and settings -- */

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
        if (bytes >= 4 && strcasecmp(name + bytes - 4, kinds[i].suffix) == 0)
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

static enum margay_status picture_settings(
    const struct picture_options *options, const char *suffix, char **settings,
    struct margay_error *error)
{
    static const char *const papers[] = {
        [PAPER_COLUMN] = "column",
        [PAPER_PAGE] = "page",
        [PAPER_SLIDE] = "slide",
    };
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
    if (options->legend != LEGEND_USUAL)
        put_setting(stream, "LEGEND", legends[options->legend]);
    if (options->paper != PAPER_UNSAID)
        put_setting(stream, "PAPER", papers[options->paper]);
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

static bool picture_is_whole(int descriptor, const char *suffix)
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

/* --------------------------------------------------- a file's own title -- */

/* At the end of a PDF stand the numbers of objects and the place of their
   table. */
#define PDF_END_BYTES 512

/* The part of gnuplot's messages that is read. */
#define SAID_BYTES 4096

/* A text of less than SAID_BYTES in hexadecimal digits of UTF-16, as a PDF has
   it. */
#define DIGITS_BYTES (4 * SAID_BYTES + 5)

static void to_utf16(const char *text, char digits[DIGITS_BYTES])
{
    digits += sprintf(digits, "FEFF");
    while (*text != '\0') {
        size_t bytes = json_character_bytes(text, strlen(text));
        unsigned code = (unsigned char)*text++;
        code = bytes == 0 ? 0xfffd : bytes > 1 ? code & 0x7fU >> bytes : code;
        for (size_t i = 1; i < bytes; i++)
            code = code << 6 | ((unsigned char)*text++ & 0x3f);
        if (code >= 0x10000)
            digits += sprintf(digits, "%04X", 0xd7c0 + (code >> 10));
        digits += sprintf(digits, "%04X",
                          code >= 0x10000 ? 0xdc00 | (code & 0x3ff) : code);
    }
}

/* After the end of a PDF, another version of the object about it.  One that
   does not end as gnuplot's do has no title.  Returns whether its end could be
   read. */
static bool put_pdf_title(int picture, const char *title, struct output *output)
{
    char end[PDF_END_BYTES + 1] = "", digits[DIGITS_BYTES];
    char object[DIGITS_BYTES + END_BYTES];
    long long size, root, about, table, bytes = lseek(picture, 0, SEEK_END);
    if (pread(picture, end, PDF_END_BYTES, bytes - PDF_END_BYTES) < 0)
        return false;
    const char *trailer = memmem(end, PDF_END_BYTES, "trailer", 7);
    if (trailer == NULL ||
        sscanf(trailer,
               "trailer << /Size %lld /Root %lld 0 R /Info %lld 0 R >> "
               "startxref %lld",
               &size, &root, &about, &table) != 4)
        return true;
    to_utf16(title, digits);
    int length = sprintf(object, "%lld 0 obj\n<< /Title <%s> >>\nendobj\n",
                         about, digits);
    output_text(
        output,
        "%sxref\n%lld 1\n%010lld 00000 n \ntrailer\n<< /Size %lld /Root %lld "
        "0 R /Info %lld 0 R /Prev %lld >>\nstartxref\n%lld\n%%%%EOF\n",
        object, about, bytes, size, root, about, table, bytes + length);
    return true;
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

/* Write the beginning of an SVG with its title, up to where the rest goes on;
   returns where, -1 if nothing can be read. */
static off_t put_svg_title(int picture, const char *title,
                           struct output *output)
{
    static const char usual[] = "<title>Gnuplot";
    char start[1024];
    ssize_t got = pread(picture, start, sizeof start, 0);
    if (got < 0)
        return -1;
    const char *place = memmem(start, (size_t)got, usual, sizeof usual - 1);
    if (place == NULL)
        return 0;
    size_t before = (size_t)(place - start) + strlen("<title>");
    output_bytes(output, start, before);
    while (*title != '\0') {
        size_t plain = strcspn(title, "&<");
        if (plain == 0)
            output_text(output, *title == '&' ? "&amp;" : "&lt;");
        title += plain == 0 ? 1 : put_characters(output, title, plain);
    }
    return (off_t)(before + strlen("Gnuplot"));
}

static enum margay_status picture_write(int descriptor, const char *suffix,
                                        const char *title,
                                        struct output *output,
                                        struct margay_error *error)
{
    bool is_svg = strcmp(suffix, ".svg") == 0;
    char piece[PIECE_BYTES];
    off_t at = is_svg ? put_svg_title(descriptor, title, output) : 0;
    ssize_t got = at < 0 ? -1 : 0;
    for (; at >= 0 && (got = pread(descriptor, piece, sizeof piece, at)) > 0;
         at += got) {
        if (is_svg)
            got = (ssize_t)put_characters(output, piece, (size_t)got);
        else
            output_bytes(output, piece, (size_t)got);
    }
    if (got == 0 && strcmp(suffix, ".pdf") == 0 &&
        !put_pdf_title(descriptor, title, output))
        got = -1;
    return got == 0 ? MARGAY_OK
                    : margay_fail(error, MARGAY_IO,
                                  "cannot read what gnuplot drew: %s",
                                  strerror(errno));
}

/* ------------------------------------------------------------- gnuplot -- */

#define EXIT_NOT_RUN 127

struct run {
    /* gnuplot -d -e SETTINGS -c SCRIPT PICTURE TABLE... */
    const char *arguments[7 + PICTURE_MOST_TABLES + 1];
    char picture_name[32];
    int picture, said; /* files in memory: the picture, and the messages */
    int state;         /* of waitpid() */
};

/* In the child.  The locale makes names UTF-8 and numbers have points. Standard
   input is closed to gnuplot, because it may be a table. */
static void become_gnuplot(const struct run *run)
{
    signals_reset();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nothing = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    signals_release();
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(run->said, STDOUT_FILENO) >= 0 &&
        dup2(run->said, STDERR_FILENO) >= 0 &&
        setenv("LC_ALL", "C.UTF-8", 1) == 0)
        execvp(run->arguments[0], (char *const *)run->arguments);
    _exit(EXIT_NOT_RUN);
}

/* Wait for the end of the child, and then reap it with signals held: a signal
   in between would kill another process that got the same number. */
static enum margay_status run_gnuplot(struct run *run,
                                      struct margay_error *error)
{
    siginfo_t how;
    int result;
    signals_hold();
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(run);
    if (child > 0) {
        setpgid(child, child);
        signals_own_group(child);
        signals_release();
        do {
            result = waitid(P_PID, (id_t)child, &how, WEXITED | WNOWAIT);
        } while (result != 0 && errno == EINTR);
        signals_hold();
        signals_own_group(0);
    }
    bool reaped = child > 0 && waitpid(child, &run->state, 0) == child;
    signals_release();
    return reaped ? MARGAY_OK
                  : margay_fail(error, MARGAY_IO, "cannot run gnuplot: %s",
                                strerror(errno));
}

/* The first line of gnuplot's messages that begins with `word`, without that;
   empty if there is none, NULL if they cannot be read. */
static const char *line_of(int said, const char *word, char text[SAID_BYTES])
{
    ssize_t got = pread(said, text, SAID_BYTES - 1, 0);
    if (got < 0)
        return NULL;
    text[got] = '\0';
    for (char *line = text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (strncmp(line, word, strlen(word)) == 0)
            return line + strlen(word);
    }
    return "";
}

/* The last line of gnuplot's messages, which begin with the command that
   failed; empty if there is none. */
static const char *last_line(int said, char text[SAID_BYTES])
{
    off_t bytes = lseek(said, 0, SEEK_END);
    off_t from = bytes > SAID_BYTES - 1 ? bytes - (SAID_BYTES - 1) : 0;
    ssize_t got = bytes < 0 ? 0 : pread(said, text, SAID_BYTES - 1, from);
    text[got < 0 ? 0 : got] = '\0';
    size_t end = strlen(text);
    while (end > 0 && strchr(" \t\r\n", text[end - 1]) != NULL)
        text[--end] = '\0';
    const char *newline = strrchr(text, '\n');
    const char *line = newline == NULL ? text : newline + 1;
    return line + strspn(line, " \t");
}

/* A script that refuses a table prints why and ends with this status. */
#define EXIT_SCRIPT 2

static enum margay_status explain_end(const struct run *run, const char *suffix,
                                      const char *name,
                                      struct margay_error *error)
{
    char text[SAID_BYTES];
    const char *said = last_line(run->said, text);
    const char *colon = *said == '\0' ? "" : ": ";
    int status = WEXITSTATUS(run->state);
    if (WIFSIGNALED(run->state))
        return margay_fail(error, MARGAY_IO, "gnuplot died of signal %d",
                           WTERMSIG(run->state));
    if (status == EXIT_NOT_RUN)
        return margay_fail(error, MARGAY_IO,
                           "gnuplot was not found: install it (on Debian: "
                           "apt-get install gnuplot-nox)");
    if (status == EXIT_SCRIPT && *said != '\0')
        return margay_fail(error, MARGAY_BAD_INPUT, "%s: %.400s", name, said);
    if (status != 0)
        return margay_fail(error, MARGAY_IO,
                           "gnuplot failed with status %d%s%.300s", status,
                           colon, said);
    if (!picture_is_whole(run->picture, suffix))
        return margay_fail(error, MARGAY_IO,
                           "gnuplot ended with status 0, but what it drew is "
                           "no whole %s file%s%.300s",
                           suffix + 1, colon, said);
    return MARGAY_OK;
}

static enum margay_status begin(struct run *run, const char *path,
                                const char *settings, char *const *tables,
                                size_t count, struct margay_error *error)
{
    run->picture = memfd_create("margay-picture", 0);
    run->said = memfd_create("margay-gnuplot", MFD_CLOEXEC);
    if (run->picture < 0 || run->said < 0)
        return margay_fail(error, MARGAY_IO, "cannot run gnuplot: %s",
                           strerror(errno));
    snprintf(run->picture_name, sizeof run->picture_name, "/proc/self/fd/%d",
             run->picture);
    const char *first[] = {"gnuplot",        "-d", "-e", settings, "-c", path,
                           run->picture_name};
    size_t used = sizeof first / sizeof first[0];
    memcpy(run->arguments, first, sizeof first);
    for (size_t i = 0; i < count && i < PICTURE_MOST_TABLES; i++)
        run->arguments[used + i] = tables[i];
    return MARGAY_OK;
}

enum margay_status picture_draw(const char *script,
                                const struct picture_options *options,
                                const char *suffix, const char *name,
                                char *const *tables, size_t count,
                                struct output *output,
                                struct margay_error *error)
{
    struct run run = {.picture = -1, .said = -1};
    char *settings, text[SAID_BYTES];
    enum margay_status status =
        picture_settings(options, suffix, &settings, error);
    if (status == MARGAY_OK)
        status = begin(&run, script, settings, tables, count, error);
    if (status == MARGAY_OK)
        status = run_gnuplot(&run, error);
    if (status == MARGAY_OK)
        status = explain_end(&run, suffix, name, error);
    free(settings);
    const char *line =
        status == MARGAY_OK ? line_of(run.said, "note: ", text) : "";
    if (line != NULL && *line != '\0')
        message_print("%s: %s", name, line);
    if (line != NULL && status == MARGAY_OK)
        line = line_of(run.said, "title: ", text);
    if (line == NULL)
        status =
            margay_fail(error, MARGAY_IO, "cannot read what gnuplot says: %s",
                        strerror(errno));
    if (status == MARGAY_OK)
        status = strcmp(suffix, ".tex") == 0
                     ? tikz_write(run.picture_name, output, error)
                     : picture_write(run.picture, suffix, line, output, error);
    if (run.said >= 0)
        close(run.said);
    if (run.picture >= 0)
        close(run.picture);
    return status;
}
