/*
 * named.c - lines whose fields have names: in JSON, logfmt, w3c, by patterns
 *
 *     {"ts": 1646861401.5, "request": {"uri": "/a"}, "size": 10900}   jsonl
 *     ts=2022-03-09T21:30:01Z uri=/a msg="not modified" size=10900    logfmt
 *     #Fields: date time cs-uri-stem sc-bytes                         w3c
 *     2022-03-09 21:30:01 /a 10900
 *
 * A syntax cuts a line into fields, and puts those that --column or a layout
 * names where row.c makes a reference of them.  A line that lacks a name is
 * refused, unless a question mark follows the name: without an id it then
 * stands for nothing, without an operation it is a get, without a time it has
 * that of the line before.
 *
 * In JSON, dots lead into objects.  An id that is a list in the first line
 * makes each line a request of the references in its list.  Patterns take lines
 * apart in patterns.c.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/grow.h"
#include "traces/base/late.h"
#include "traces/formats/logs.h"

#ifdef MARGAY_HAS_YAJL
#include <yajl/yajl_parse.h>
#define YAJL(name) MARGAY_LATE(&margay_libyajl, yajl_##name)
#endif

/* How deeply nested objects are read, the longest path of a name, and the most
   bytes of the names in a message. */
#define DEPTH       32
#define PATH_BYTES  512
#define NAMES_BYTES 160

struct named {
    struct margay_log log;
    struct margay_state_options options;
    const struct margay_layout *layout;
    struct margay_choice choices[MARGAY_VARIANTS];
    unsigned variant; /* whose names are looked for */
    bool chosen;      /* it is that of the trace */
    struct margay_rows rows;
    struct margay_field fields[MARGAY_TAKES]; /* of the choice */
    char names[NAMES_BYTES]; /* that the line had, for a message */
    char message[2 * NAMES_BYTES + 160];

    /* The ids that a line lists, which become numbers once the line is known to
       be right, and the reference of each but for its number. */
    struct margay_field *list;
    size_t listed, list_capacity;
    struct margay_row_reference row;
    bool is_list, lists; /* this line's id is one; so was the first line's */
    uint64_t requests;

    char *heads; /* of w3c: the names, with blanks between them */
    size_t heads_bytes;
    size_t texts_bytes; /* of `texts`, in use */

#ifdef MARGAY_HAS_YAJL
    yajl_handle json;
    const char *wrong; /* why a callback has given up */
    bool ended;        /* the line's object has */
    unsigned depth;    /* open objects, */
    unsigned passing;  /* and skipped objects and lists in these */
    bool listing;      /* the list of ids is open */
    size_t ends[DEPTH], path_bytes;
    char path[PATH_BYTES];
#endif
    struct margay_pattern *pattern;
    char roles[MARGAY_ROLES_BYTES]; /* the columns that it names itself */
    char *texts; /* unescaped, as long as a line; NULL = not yet needed */
};

/* --------------------------------------------------------------- fields -- */

static bool is_name(const struct margay_named_column *column, const char *name,
                    size_t bytes)
{
    return column->name_bytes == bytes &&
           memcmp(column->name, name, bytes) == 0;
}

/* A field of the line. */
static void put(struct named *named, const char *name, size_t name_bytes,
                const char *text, size_t bytes)
{
    const struct margay_choice *choice = &named->choices[named->variant];
    for (unsigned i = 0; i < choice->count; i++) {
        if (is_name(&choice->columns[i], name, name_bytes))
            named->fields[i] = margay_field_of(text, bytes);
    }
    size_t used = strlen(named->names);
    if (!named->log.begun && used < sizeof named->names)
        snprintf(named->names + used, sizeof named->names - used, "%s%.*s",
                 used == 0 ? "" : ", ",
                 (int)(name_bytes < 80 ? name_bytes : 80), name);
}

/* Room for the texts of a line; scanners load some bytes more than there are.
   False: there is no memory. */
static bool has_texts(struct named *named)
{
    if (named->texts == NULL)
        named->texts = calloc(1, MARGAY_LINE_BYTES + MARGAY_TEXT_PADDING);
    return named->texts != NULL;
}

/* ----------------------------------------------------------------- json -- */

#define NO_YAJL "a Margay that was built with yajl (Debian: libyajl-dev)"
#ifdef MARGAY_HAS_YAJL
static int give_up(struct named *named, const char *expected)
{
    named->wrong = expected;
    return 0;
}

#define EXPECTS_OBJECT "an object in JSON, whole on its line"
#define EXPECTS_LIST   "numbers or texts in the list of ids"
/* The text of a value that is no object and no list. */
static int take_value(void *context, const char *text, size_t bytes)
{
    struct named *named = context;
    if (named->depth == 0)
        return give_up(named, EXPECTS_OBJECT);
    if (named->passing > 0)
        return 1;
    if (named->listing && bytes == 0)
        return give_up(named, EXPECTS_LIST);
    /* The texts of a line are no longer than the line. */
    char *copy = named->texts + named->texts_bytes;
    memcpy(copy, text, bytes);
    named->texts_bytes += bytes;
    if (!named->listing) {
        put(named, named->path, named->path_bytes, copy, bytes);
        return 1;
    }
    if (!MARGAY_MAKE_ROOM(named->list, named->listed, 1, named->list_capacity))
        return give_up(named, "a list for which there is memory");
    named->list[named->listed++] = margay_field_of(copy, bytes);
    return 1;
}

static int take_text(void *context, const unsigned char *text, size_t bytes)
{
    return take_value(context, (const char *)text, bytes);
}

static int take_null(void *context)
{
    return take_value(context, "", 0);
}

static int take_boolean(void *context, int value)
{
    return take_value(context, value ? "true" : "false", value ? 4 : 5);
}

static int begin_map(void *context)
{
    struct named *named = context;
    if (named->listing || named->ended)
        return give_up(named, named->ended ? EXPECTS_OBJECT : EXPECTS_LIST);
    if (named->passing > 0 || named->depth == DEPTH)
        named->passing++;
    else
        named->ends[named->depth++] = named->path_bytes;
    return 1;
}

static int take_key(void *context, const unsigned char *key, size_t bytes)
{
    struct named *named = context;
    if (named->passing > 0)
        return 1;
    size_t at = named->ends[named->depth - 1];
    if (at > 0 && at < PATH_BYTES)
        named->path[at++] = '.';
    bool fits = bytes <= PATH_BYTES - at;
    if (fits)
        memcpy(named->path + at, key, bytes);
    /* A longer path is cut where no path of an object ends. */
    named->path_bytes = fits ? at + bytes : PATH_BYTES;
    return 1;
}

static int end_map(void *context)
{
    struct named *named = context;
    if (named->passing > 0)
        named->passing--;
    else
        named->path_bytes = named->ends[--named->depth];
    named->ended = named->depth == 0;
    return 1;
}

static int begin_list(void *context)
{
    struct named *named = context;
    const struct margay_choice *choice = &named->choices[named->variant];
    if (named->depth == 0)
        return give_up(named, EXPECTS_OBJECT);
    if (named->listing)
        return give_up(named, EXPECTS_LIST);
    for (unsigned i = 0; i < choice->count && named->passing == 0; i++)
        named->listing |=
            choice->columns[i].role == MARGAY_ROLE_ID &&
            is_name(&choice->columns[i], named->path, named->path_bytes);
    named->passing += !named->listing;
    if (named->listing) {
        put(named, named->path, named->path_bytes, "", 0);
        named->is_list = true;
        named->listed = 0;
    }
    return 1;
}

static int end_list(void *context)
{
    struct named *named = context;
    named->passing -= !named->listing;
    named->listing = false;
    return 1;
}

static bool make_json(struct named *named)
{
    static const yajl_callbacks callbacks = {
        .yajl_null = take_null,
        .yajl_boolean = take_boolean,
        .yajl_number = take_value,
        .yajl_string = take_text,
        .yajl_start_map = begin_map,
        .yajl_map_key = take_key,
        .yajl_end_map = end_map,
        .yajl_start_array = begin_list,
        .yajl_end_array = end_list,
    };
    if (named->json != NULL)
        YAJL(free)(named->json);
    named->json = YAJL(alloc)(&callbacks, NULL, named);
    named->depth = named->passing = 0;
    named->listing = false;
    named->path_bytes = 0;
    return named->json != NULL &&
           YAJL(config)(named->json, yajl_allow_multiple_values, 1) &&
           YAJL(config)(named->json, yajl_dont_validate_strings, 1);
}

/* A parser serves for all lines, up to one that is wrong. */
static const char *cut_json(struct named *named, const char *line,
                            const char *end)
{
    if (*margay_skip_blanks(line) != '{') /* whatever else it is */
        return EXPECTS_OBJECT;
    named->wrong = NULL;
    named->ended = false;
    if (named->json == NULL && !margay_late_open(&margay_libyajl))
        return NO_YAJL;
    if (!has_texts(named) || (named->json == NULL && !make_json(named)))
        return "a parser of JSON for which there is memory";
    /* A blank or newline at `end` shows that a number has ended. */
    yajl_status status = YAJL(parse)(named->json, (const unsigned char *)line,
                                     (size_t)(end - line) + 1);
    if (status == yajl_status_ok && named->ended)
        return NULL;
    YAJL(free)(named->json);
    named->json = NULL;
    return named->wrong != NULL ? named->wrong : EXPECTS_OBJECT;
}

#else

static const char *cut_json(struct named *named, const char *line,
                            const char *end)
{
    (void)named, (void)line, (void)end;
    return NO_YAJL;
}

#endif

/* --------------------------------------------------------------- logfmt -- */

/* Copy a quoted text without its escapes, from `text` up to the closing quote,
   which is returned; NULL = there is none. */
static const char *unescape(struct named *named, const char *text,
                            const char *end, size_t *bytes)
{
    static const char from[] = "nrt", to[] = "\n\r\t";
    char *copy = named->texts + named->texts_bytes, *first = copy;
    for (; text < end && *text != '"'; text++) {
        const char *letter = NULL;
        if (*text == '\\' && text + 1 < end)
            letter = strchr(from, *++text);
        *copy++ = letter != NULL && *letter != '\0' ? to[letter - from] : *text;
    }
    *bytes = (size_t)(copy - first);
    named->texts_bytes += *bytes;
    return text < end ? text : NULL;
}

static const char *cut_logfmt(struct named *named, const char *line,
                              const char *end)
{
    const char *cursor = line;
    while (cursor < end) {
        const char *name = cursor, *text;
        while (cursor < end && !margay_is_blank(*cursor) && *cursor != '=')
            cursor++;
        size_t name_bytes = (size_t)(cursor - name), bytes;
        if (cursor < end && *cursor == '=' && cursor + 1 < end &&
            cursor[1] == '"') {
            if (!has_texts(named))
                return "a text for which there is memory";
            text = named->texts + named->texts_bytes;
            cursor = unescape(named, cursor + 2, end, &bytes);
            if (cursor == NULL)
                return "a quotation mark that ends a value";
            put(named, name, name_bytes, text, bytes);
        } else if (cursor < end && *cursor == '=') {
            text = cursor + 1;
            cursor = margay_word_end(text, end);
            put(named, name, name_bytes, text, (size_t)(cursor - text));
        }
        cursor = margay_next_word(cursor, end);
    }
    return NULL;
}

/* ------------------------------------------------------------------ w3c -- */

/* The end of a field: of a word, or where tabs separate, at the next one. */
static const char *field_end(const char *cursor, const char *end, bool tabs)
{
    if (!tabs)
        return margay_word_end(cursor, end);
    const char *tab = memchr(cursor, '\t', (size_t)(end - cursor));
    return tab == NULL ? end : tab;
}

/* A line that begins with a hash: it may name the fields. */
static const char *take_heads(struct named *named, const char *line,
                              const char *end)
{
    static const char begins[] = "#Fields:";
    const size_t length = sizeof begins - 1;
    const char *colon = memchr(line, ':', (size_t)(end - line));
    if (colon == NULL || memchr(line, ' ', (size_t)(colon - line)) != NULL)
        return "'#Fields: ' and names, or another word and a colon";
    if ((size_t)(end - line) < length || memcmp(line, begins, length) != 0)
        return NULL;
    named->heads_bytes = (size_t)(end - line) - length;
    free(named->heads);
    named->heads = strndup(line + length, named->heads_bytes);
    named->chosen = named->chosen && named->options.given.column != NULL;
    return named->heads == NULL ? "names for which there is memory" : NULL;
}

static const char *cut_w3c(struct named *named, const char *line,
                           const char *end)
{
    if (named->heads == NULL)
        return "a line '#Fields: NAME ...' before the first one";
    bool tabs = memchr(line, '\t', (size_t)(end - line)) != NULL;
    const char *names_end = named->heads + named->heads_bytes;
    const char *name = margay_next_word(named->heads, names_end);
    const char *cursor = line;
    while (name < names_end && cursor < end) {
        const char *name_end = margay_word_end(name, names_end);
        const char *text = cursor, *after = field_end(cursor, end, tabs);
        size_t bytes = (size_t)(after - text);
        /* A text in quotes may hold blanks. */
        if (!tabs && *text == '"') {
            const char *quote = memchr(text + 1, '"', (size_t)(end - text - 1));
            if (quote != NULL &&
                (quote + 1 == end || margay_is_blank(quote[1]))) {
                after = quote + 1;
                bytes = (size_t)(quote - ++text);
            }
        }
        bool nothing = bytes == 1 && *text == '-';
        put(named, name, (size_t)(name_end - name), text, nothing ? 0 : bytes);
        name = margay_next_word(name, names_end);
        cursor = tabs ? after + (after < end) : margay_next_word(after, end);
    }
    return name < names_end || cursor < end
               ? "as many fields as the line '#Fields:' names"
               : NULL;
}

/* ------------------------------------------------------------- patterns -- */

/* Without --column, each field whose name is a role has that role. */
static enum margay_status make_pattern(struct named *named,
                                       struct margay_error *error)
{
    struct margay_choice *choice = &named->choices[0];
    bool is_picture = named->layout->syntax == MARGAY_SYNTAX_PICTURE;
    const char *text = named->layout->pattern != NULL
                           ? named->layout->pattern
                           : named->options.given.pattern;
    const char *columns = named->options.given.column != NULL
                              ? named->options.given.column
                              : named->layout->variants[0].columns;
    if (text == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "the format regex takes --pattern, whose groups "
                           "(?<id>...), (?<size>...) name the fields");
    if (columns == NULL) {
        margay_choice_of_pattern(text, is_picture, named->roles);
        columns = named->roles;
    }
    enum margay_status status =
        margay_pattern_create(text, is_picture, &named->pattern, error);
    if (status == MARGAY_OK)
        status = margay_choice_parse(columns, true, named->options.given.tenant,
                                     choice, error);
    for (unsigned i = 0; i < choice->count && status == MARGAY_OK; i++) {
        struct margay_named_column *column = &choice->columns[i];
        int group = margay_pattern_field(named->pattern, column->name,
                                         column->name_bytes);
        column->number = (uint64_t)group;
        if (group < 0)
            status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                                 "--column: the pattern has no group '%.*s'",
                                 (int)column->name_bytes, column->name);
    }
    return status;
}

static const char *cut_by_pattern(struct named *named, const char *line,
                                  const char *end)
{
    const char *expected = margay_pattern_take(named->pattern, line, end);
    const struct margay_choice *choice = &named->rows.choice;
    for (unsigned i = 0; i < choice->count && expected == NULL; i++)
        named->fields[i] = margay_pattern_taken(
            named->pattern, (unsigned)choice->columns[i].number);
    return expected;
}

/* ---------------------------------------------------------------- lines -- */

/* Does the line have all required names? */
static bool has_names(const struct named *named)
{
    const struct margay_choice *choice = &named->choices[named->variant];
    for (unsigned i = 0; i < choice->count; i++) {
        if (named->fields[i].text == NULL && !choice->columns[i].optional)
            return false;
    }
    return choice->count > 0;
}

/* From here on, the variant is that of the trace. */
static void choose(struct named *named, unsigned variant)
{
    named->variant = variant;
    named->chosen = true;
    named->rows.choice = named->choices[variant];
}

/* Cut a line into the fields of the choice; the first one chooses. */
static const char *cut_line(struct named *named, const char *line,
                            const char *end)
{
    static const char *(*const cut[])(struct named *, const char *,
                                      const char *) = {
        [MARGAY_SYNTAX_JSON] = cut_json,
        [MARGAY_SYNTAX_LOGFMT] = cut_logfmt,
        [MARGAY_SYNTAX_W3C] = cut_w3c,
        [MARGAY_SYNTAX_REGEX] = cut_by_pattern,
        [MARGAY_SYNTAX_PICTURE] = cut_by_pattern,
    };
    if (!named->chosen)
        named->variant = 0;
    for (;; named->variant++) {
        memset(named->fields, 0,
               named->choices[named->variant].count * sizeof *named->fields);
        named->texts_bytes = 0;
        named->is_list = false;
        named->names[0] = '\0';
        const char *expected = cut[named->layout->syntax](named, line, end);
        if (expected != NULL || named->chosen)
            return expected;
        if (has_names(named)) {
            choose(named, named->variant);
            return NULL;
        }
        if (named->variant + 1 == MARGAY_VARIANTS)
            break;
    }
    snprintf(named->message, sizeof named->message,
             "--column id=NAME,... to choose among the names %s", named->names);
    return named->message;
}

/* Read all fields of a line, once for each id that it lists, before its first
   reference is made. */
static const char *read_line(struct named *named)
{
    uint8_t id = named->rows.choice.firsts[MARGAY_ROLE_ID];
    const char *expected = NULL;
    bool first = !named->log.begun;
    if (first)
        named->lists = named->is_list;
    named->log.begun = true;
    if (!named->is_list) {
        expected =
            margay_rows_read(&named->rows, named->fields, 0, &named->row);
        if (!first || expected == NULL || *named->names == '\0' ||
            has_names(named))
            return expected;
        snprintf(named->message, sizeof named->message, "%s; its names are %s",
                 expected, named->names);
        return named->message;
    }
    named->row.count = 0;
    if (!named->lists)
        return "one id, and no list of them, as in the first line";
    if (named->rows.choice.counts[MARGAY_ROLE_ID] > 1)
        return "a list where nothing else belongs to the id";
    for (size_t i = 0; i < named->listed && expected == NULL; i++) {
        named->fields[id] = named->list[i];
        expected =
            margay_rows_read(&named->rows, named->fields, 0, &named->row);
        named->list[i].value = named->row.number;
    }
    return expected;
}

static const char *parse_named(struct margay_log *log, const char *line,
                               const char *end, size_t at,
                               struct margay_row_reference *row)
{
    struct named *named = (struct named *)log;
    const char *expected = NULL;
    bool is_answer = named->layout->syntax == MARGAY_SYNTAX_LOGFMT &&
                     named->layout->passes != NULL &&
                     memchr(line, '=', (size_t)(end - line)) == NULL;
    if (at == 0 && (is_answer || (named->layout->syntax == MARGAY_SYNTAX_W3C &&
                                  *line == '#')))
        return is_answer ? NULL : take_heads(named, line, end);
    if (at == 0 && named->layout->syntax == MARGAY_SYNTAX_LOGFMT &&
        named->layout->passes != NULL && end - line > 8 &&
        memcmp(line, "skipped=", 8) == 0)
        return "a log without a gap, as memcached left out so many lines "
               "(--bad-lines all goes on after it)";
    if (at == 0 && ((expected = cut_line(named, line, end)) != NULL ||
                    (expected = read_line(named)) != NULL))
        return expected;
    size_t repeats = named->row.count;
    size_t more = (named->is_list ? named->listed : 1) * repeats;
    if (more > 0) {
        *row = named->row;
        row->count = 1;
        if (named->is_list)
            row->number = named->list[at / repeats].value;
        if (named->lists && named->rows.choice.counts[MARGAY_ROLE_REQUEST] == 0)
            row->request = named->requests;
    }
    log->at = at + 1 < more ? at + 1 : 0;
    named->requests += log->at == 0;
    return NULL;
}

MARGAY_LOG_DECODER(decode_named, parse_named)

/* ---------------------------------------------------------------- state -- */

static void free_named(void *state)
{
    struct named *named = state;
    if (named == NULL)
        return;
#ifdef MARGAY_HAS_YAJL
    if (named->json != NULL)
        YAJL(free)(named->json);
#endif
    margay_pattern_free(named->pattern);
    free(named->rows.devices);
    free(named->list);
    free(named->heads);
    free(named->texts);
    free(named);
}

/* The columns of the pattern, of --column or, until the first line chooses, of
   each variant of the layout. */
static enum margay_status set_up(struct named *named,
                                 struct margay_error *error)
{
    bool by_pattern = named->layout->syntax >= MARGAY_SYNTAX_REGEX;
    enum margay_status status =
        by_pattern
            ? make_pattern(named, error)
            : margay_choices_parse(&named->options, named->choices, error);
    if (status == MARGAY_OK &&
        (by_pattern || named->options.given.column != NULL))
        choose(named, 0);
    return status;
}

static enum margay_status make_named(const struct margay_state_options *options,
                                     void **state, struct margay_error *error)
{
    struct named *named = *state = calloc(1, sizeof *named);
    if (named == NULL)
        return margay_fail_memory(error, "the fields of lines");
    named->options = *options;
    named->layout = named->rows.layout = options->layout;
    named->log.keeps_blanks = options->layout->syntax == MARGAY_SYNTAX_REGEX;
    named->rows.unit_bytes = options->given.unit_bytes != 0
                                 ? options->given.unit_bytes
                                 : options->layout->offset_bytes;
    named->rows.tenants = options->trial ? NULL : options->tenants;
    enum margay_status status = set_up(named, error);
    if (status != MARGAY_OK) {
        free_named(named);
        *state = NULL;
    }
    return status;
}

static void *create_named(const struct margay_state_options *options)
{
    void *state;
    make_named(options, &state, NULL);
    return state;
}

enum margay_status margay_named_check(
    const struct margay_state_options *options, struct margay_error *error)
{
    void *state;
    enum margay_status status = make_named(options, &state, error);
    free_named(state);
    return status;
}

/* Devices, tenants and requests get numbers in their order, a time that a line
   lacks is that of the line before, and a line of w3c names the fields of those
   that follow. */
static int cut_named(const void *state)
{
    const struct named *named = state;
    const struct margay_choice *choice = &named->rows.choice;
    bool never = named->layout->syntax == MARGAY_SYNTAX_W3C || named->lists;
    for (unsigned i = 0; i < choice->count; i++) {
        const struct margay_named_column *column = &choice->columns[i];
        never |= column->role == MARGAY_ROLE_DEVICE ||
                 column->role == MARGAY_ROLE_TENANT ||
                 (column->role == MARGAY_ROLE_TIME && column->optional);
    }
    return !named->chosen || !named->log.begun ? MARGAY_CUT_LATER
           : never                             ? MARGAY_CUT_NEVER
                                               : '\0';
}

/* Columns that the first line does not show are assumed to exist. */
static void describe_named(const struct margay_state_options *options,
                           const char *line, const char *end,
                           struct margay_trace_facts *facts)
{
    struct margay_row_reference row;
    struct named *named = create_named(options);
    if (named == NULL)
        return;
    named->rows.tenants = NULL;
    const char *first = line < end ? margay_skip_blanks(line) : end;
    while (end > first && (margay_is_blank(end[-1]) || end[-1] == '\n'))
        end--;
    size_t bytes = (size_t)(end - first);
    if (bytes > 0 && bytes <= MARGAY_LINE_BYTES &&
        memchr(first, '\0', bytes) == NULL)
        parse_named(&named->log, first, end, 0, &row);
    if (!named->chosen)
        choose(named, 0);
    unsigned requests =
        named->lists ? facts->columns & MARGAY_COLUMN_REQUESTS : 0;
    margay_choice_facts(&named->rows.choice, named->layout,
                        options->given.unit_bytes, facts);
    facts->columns |= requests;
    facts->counts_requests = requests != 0;
    free_named(named);
}

const struct margay_format margay_format_named = {
    .decode = decode_named,
    .recognise = decode_named,
    .create_state = create_named,
    .free_state = free_named,
    .cut = cut_named,
    .describe = describe_named,
};
