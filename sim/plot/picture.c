/* picture.c - pictures of tables that were checked, drawn by gnuplot */
#define _GNU_SOURCE
#include "sim/plot/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/result/json.h"
#include "sim/terminal/find_file.h"
#include "sim/terminal/message.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/* --------------------------------------------- TikZ, as LaTeX takes it -- */

static const struct escapes tex = {
    .list = {{"\\", "\\textbackslash{}"},
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
             {"\xe2\x89\xa5", "$\\geq$"}},
};

/* gnuplot writes each text in a line: \node[...] at (X,Y) {TEXT}; and may have
   written a path before it. */
static void write_line(struct output *output, const char *line)
{
    const char *node = strstr(line, "\\node[");
    const char *place = node == NULL ? NULL : strstr(node, "] at (");
    const char *text = place == NULL ? NULL : strstr(place, ") {");
    const char *end = text == NULL ? NULL : text + strlen(text) - strlen("};");
    if (text == NULL || end < text || strcmp(end, "};") != 0) {
        output_bytes(output, line, strlen(line));
    } else {
        text += strlen(") {");
        output_bytes(output, line, (size_t)(text - line));
        escaped_text(output, text, (size_t)(end - text), &tex);
        output_bytes(output, end, strlen(end));
    }
    output_bytes(output, "\n", 1);
}

/* The next line of a text, which becomes a string; NULL after the last. */
static char *next_line(char **text)
{
    return *text == NULL || **text == '\0' ? NULL : strsep(text, "\n");
}

/* Write gnuplot's picture without comments, which hold the date, and with each
   text escaped for TeX, as gnuplot does not. */
static void write_tikz(struct output *output, char *picture)
{
    for (const char *line; (line = next_line(&picture)) != NULL;) {
        if (strncmp(line, "%% ", 3) != 0)
            write_line(output, line);
    }
}

/* ------------------------------------------------ formats and settings -- */

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
    if (axis->scale != NULL)
        fprintf(stream, "%c_SCALE = '%s'; ", name, axis->scale);
    if (axis->has_from)
        fprintf(stream, "%c_FROM = %.17g; ", name, axis->from);
    if (axis->has_to)
        fprintf(stream, "%c_TO = %.17g; ", name, axis->to);
}

static enum margay_status picture_settings(
    const struct picture_options *options, const char *kind, const char *suffix,
    const char *const *names, size_t count, char **settings,
    struct margay_error *error)
{
    char shown[PLOT_NAME_BYTES];
    size_t bytes;
    *settings = NULL;
    FILE *stream = open_memstream(settings, &bytes);
    if (stream == NULL)
        return margay_fail_memory(error, "gnuplot's arguments");
    put_setting(stream, "FORMAT", suffix);
    put_setting(stream, "KIND", kind);
    if (options->title != NULL)
        put_setting(stream, "TITLE",
                    strcmp(options->title, "none") == 0 ? "" : options->title);
    if (options->legend != NULL)
        put_setting(stream, "LEGEND", options->legend);
    if (options->paper != NULL)
        put_setting(stream, "PAPER", options->paper);
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
    fprintf(stream, "array SHOWN[%zu]; ", count);
    for (size_t i = 0; i < count; i++) {
        snprintf(shown, sizeof shown, "SHOWN[%zu]", i + 1);
        put_setting(stream, shown, names[i]);
    }
    bool written = !ferror(stream);
    if (fclose(stream) == 0 && written)
        return MARGAY_OK;
    free(*settings);
    *settings = NULL;
    return margay_fail_memory(error, "gnuplot's arguments");
}

static bool picture_is_whole(const char *picture, size_t bytes,
                             const char *suffix)
{
    const struct kind *kind = find_kind(suffix);
    while (bytes > 0 &&
           (picture[bytes - 1] == '\n' || picture[bytes - 1] == ' '))
        bytes--;
    return bytes >= kind->begin.count + kind->end.count &&
           memcmp(picture, kind->begin.bytes, kind->begin.count) == 0 &&
           memcmp(picture + bytes - kind->end.count, kind->end.bytes,
                  kind->end.count) == 0;
}

/* --------------------------------------------------- an SVG's own title -- */

/* An SVG has a title, of which gnuplot knows nothing, and is UTF-8, though
   gnuplot copies names as they are. */
static void write_svg(struct output *output, const char *picture, size_t bytes,
                      const char *title)
{
    static const char before[] = "<title>", usual[] = "<title>Gnuplot";
    static const struct escapes utf8 = {.invalid = JSON_NO_CHARACTER};
    static const struct escapes xml = {
        .invalid = JSON_NO_CHARACTER,
        .list = {{"&", "&amp;"}, {"<", "&lt;"}},
    };
    const char *place = memmem(picture, bytes, usual, strlen(usual));
    const char *rest = picture;
    if (place != NULL) {
        output_bytes(output, picture, (size_t)(place - picture));
        output_bytes(output, before, strlen(before));
        escaped_text(output, title, strlen(title), &xml);
        rest = place + strlen(usual);
    }
    escaped_text(output, rest, bytes - (size_t)(rest - picture), &utf8);
}

/* ------------------------------------------------------------- gnuplot -- */

#define SCRIPT "picture.gp"

static const struct data_place scripts = {"MARGAY_PLOTS",
                                          {"/../plots", "/../share/margay"}};

static char *gnuplot, *script; /* their paths, once they were looked for */

enum margay_status picture_check(struct margay_error *error)
{
    static const char *const programs[][2] = {{"gnuplot", "gnuplot-nox"},
                                              {"awk", "mawk"}};
    if (script != NULL)
        return MARGAY_OK;
    for (size_t i = 0; i < 2; i++) {
        char *path = search_path(programs[i][0]);
        if (path == NULL && errno == ENOMEM)
            return margay_fail_memory(error, "the path of a program");
        bool runs = path != NULL && search_can_run(path);
        free(i == 0 ? gnuplot : path);
        gnuplot = i == 0 ? path : gnuplot;
        if (!runs)
            return margay_fail(error, MARGAY_IO,
                               "%s was not found: install it (on Debian: "
                               "apt-get install %s)",
                               programs[i][0], programs[i][1]);
    }
    return data_file_find(&scripts, SCRIPT, &script, error);
}

#define EXIT_NOT_RUN 127

struct run {
    /* gnuplot -d -e SETTINGS -c SCRIPT PICTURE TABLE... */
    const char *arguments[7 + PICTURE_MOST_TABLES + 1];
    char picture_name[PLOT_NAME_BYTES];
    int picture, said;      /* files in memory: the picture, and the messages */
    int state;              /* of waitpid() */
    char *drawn, *messages; /* what they hold; owned */
    size_t drawn_bytes;
    /* Of the messages: the first that begin so, and the last, which may begin
       with the command that failed; "" = there is none. */
    const char *note, *title, *last;
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
        execv(gnuplot, (char *const *)run->arguments);
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

/* All of a file in memory, and a NUL; NULL: it cannot be read. */
static char *contents(int descriptor, size_t *count)
{
    off_t bytes = lseek(descriptor, 0, SEEK_END);
    char *text = bytes < 0 ? NULL : malloc((size_t)bytes + 1);
    if (text == NULL || pread(descriptor, text, (size_t)bytes, 0) != bytes) {
        free(text);
        return NULL;
    }
    text[bytes] = '\0';
    *count = (size_t)bytes;
    return text;
}

static enum margay_status read_results(struct run *run,
                                       struct margay_error *error)
{
    size_t bytes;
    run->note = run->title = run->last = "";
    run->drawn = contents(run->picture, &run->drawn_bytes);
    char *rest = run->messages = contents(run->said, &bytes);
    if (run->drawn == NULL || run->messages == NULL)
        return margay_fail(error, MARGAY_IO, "cannot read what gnuplot %s: %s",
                           run->drawn == NULL ? "drew" : "says",
                           strerror(errno));
    for (char *line; (line = next_line(&rest)) != NULL;) {
        size_t end = strlen(line);
        while (end > 0 && strchr(" \t\r", line[end - 1]) != NULL)
            line[--end] = '\0';
        if (strncmp(line, "note: ", 6) == 0 && *run->note == '\0')
            run->note = line + 6;
        if (strncmp(line, "title: ", 7) == 0 && *run->title == '\0')
            run->title = line + 7;
        if (end > 0)
            run->last = line + strspn(line, " \t");
    }
    return MARGAY_OK;
}

/* A script that refuses a table prints why and ends with this status. */
#define EXIT_SCRIPT 2

static enum margay_status explain_end(const struct run *run, const char *suffix,
                                      const char *name,
                                      struct margay_error *error)
{
    const char *said = run->last, *colon = *said == '\0' ? "" : ": ";
    int status = WEXITSTATUS(run->state);
    if (WIFSIGNALED(run->state))
        return margay_fail(error, MARGAY_IO, "gnuplot died of signal %d",
                           WTERMSIG(run->state));
    if (status == EXIT_NOT_RUN)
        return margay_fail(error, MARGAY_IO, "%s: cannot be run", gnuplot);
    if (status == EXIT_SCRIPT && *said != '\0')
        return margay_fail(error, MARGAY_BAD_INPUT, "%s: %.400s", name, said);
    if (status != 0)
        return margay_fail(error, MARGAY_IO,
                           "gnuplot failed with status %d%s%.300s", status,
                           colon, said);
    if (!picture_is_whole(run->drawn, run->drawn_bytes, suffix))
        return margay_fail(error, MARGAY_IO,
                           "gnuplot ended with status 0, but what it drew is "
                           "no whole %s file%s%.300s",
                           suffix + 1, colon, said);
    return MARGAY_OK;
}

static enum margay_status begin(struct run *run, const char *settings,
                                char (*tables)[PLOT_NAME_BYTES], size_t count,
                                struct margay_error *error)
{
    run->picture = memfd_create("margay-picture", 0);
    run->said = memfd_create("margay-gnuplot", MFD_CLOEXEC);
    if (run->picture < 0 || run->said < 0)
        return margay_fail(error, MARGAY_IO, "cannot run gnuplot: %s",
                           strerror(errno));
    snprintf(run->picture_name, sizeof run->picture_name, "/proc/self/fd/%d",
             run->picture);
    const char *first[] = {"gnuplot",        "-d", "-e", settings, "-c", script,
                           run->picture_name};
    size_t used = sizeof first / sizeof first[0];
    memcpy(run->arguments, first, sizeof first);
    for (size_t i = 0; i < count && i < PICTURE_MOST_TABLES; i++)
        run->arguments[used + i] = tables[i];
    return MARGAY_OK;
}

enum margay_status picture_draw(const char *kind,
                                const struct picture_options *options,
                                const char *suffix, const char *const *names,
                                char (*tables)[PLOT_NAME_BYTES], size_t count,
                                struct output *output,
                                struct margay_error *error)
{
    struct run run = {.picture = -1, .said = -1};
    char *settings;
    enum margay_status status =
        picture_settings(options, kind, suffix, names, count, &settings, error);
    if (status == MARGAY_OK)
        status = picture_check(error);
    if (status == MARGAY_OK)
        status = begin(&run, settings, tables, count, error);
    if (status == MARGAY_OK)
        status = run_gnuplot(&run, error);
    if (status == MARGAY_OK)
        status = read_results(&run, error);
    if (status == MARGAY_OK)
        status = explain_end(&run, suffix, names[0], error);
    if (status == MARGAY_OK && *run.note != '\0')
        message_print("%s: %s", names[0], run.note);
    if (status == MARGAY_OK && strcmp(suffix, ".tex") == 0)
        write_tikz(output, run.drawn);
    else if (status == MARGAY_OK && strcmp(suffix, ".svg") == 0)
        write_svg(output, run.drawn, run.drawn_bytes, run.title);
    else if (status == MARGAY_OK)
        output_bytes(output, run.drawn, run.drawn_bytes);
    free(settings);
    free(run.drawn);
    free(run.messages);
    if (run.said >= 0)
        close(run.said);
    if (run.picture >= 0)
        close(run.picture);
    return status;
}
