/*
 * perf_script.c - samples of memory accesses, as perf script prints them
 *
 *     prog 12 [001] 7.5: 1 cpu/mem-loads/P: 7ffe10 401136 main+0x6 (/bin/prog)
 *     7ffe10 401136 main+0x6 (/bin/prog)
 *
 * Source: the order in which perf script prints its fields, which -F does not
 *   change: program, process, processor, time, period and event, the last of
 *   which ends with a colon; then the address, where the sample says where the
 *   data came from a number and a text in bars, the weight, and the address of
 *   the instruction.  What is behind that is for people.
 * Guarantee: a sample that names no address, which perf prints as 0, is no
 *   reference.
 */
#define _GNU_SOURCE
#include "traces/formats/text.h"

#define EXPECTED                                                            \
    "a sample of perf script with the address and that of the instruction " \
    "(-F +addr,+ip)"

static bool ends_line(char c)
{
    return c == '\n' || c == '\0';
}

static const char *word_end(const char *cursor)
{
    while (!margay_is_blank(*cursor) && !ends_line(*cursor))
        cursor++;
    return cursor;
}

/* A word that is a hexadecimal number, or NULL. */
static const char *take_hex(const char *word, uint64_t *value)
{
    const char *end = margay_scan_hex(word, value);
    return end != NULL && end == word_end(end) ? end : NULL;
}

/* Where the address stands: behind the last word that ends with a colon, which
   names the event.  *event: it does; *stores: an event of stores. */
static const char *find_address(const char *line, bool *event, bool *stores)
{
    const char *address = line, *end;
    *event = *stores = false;
    for (const char *word = line;
         !ends_line(*word) && *word != '|' && *word != '(';
         word = margay_skip_blanks(end)) {
        end = word_end(word);
        if (end[-1] != ':')
            continue;
        address = margay_skip_blanks(end);
        *event = true;
        *stores = memmem(word, (size_t)(end - word), "store", 5) != NULL;
    }
    return address;
}

/* Behind "|OP LOAD|LVL L1 hit|...": where the bars end, and what was done. */
static const char *pass_bars(const char *bar, uint8_t *kind)
{
    const char *last = bar;
    if (strncmp(bar, "|OP STORE", 9) == 0)
        *kind = MARGAY_WRITE;
    else if (strncmp(bar, "|OP EXEC", 8) == 0)
        *kind = MARGAY_FETCH;
    else
        *kind = MARGAY_READ;
    for (; !ends_line(*bar); bar++) {
        if (*bar == '|')
            last = bar;
    }
    return last;
}

/* The address of the instruction, or NULL. */
static const char *take_site(const char *cursor, uint64_t *site, uint8_t *kind)
{
    uint64_t number;
    const char *end = take_hex(cursor, site);
    if (end == NULL || *margay_skip_blanks(end) != '|')
        return end;
    cursor = pass_bars(margay_skip_blanks(end), kind);
    while ((end = take_hex(cursor, site)) == NULL && !ends_line(*cursor))
        cursor = margay_skip_blanks(word_end(cursor));
    if (end == NULL)
        return NULL;
    /* The first of two numbers is the weight, unless the second can be no more
       than a name, as an object in brackets follows. */
    const char *next = take_hex(margay_skip_blanks(end), &number);
    if (next == NULL || *margay_skip_blanks(next) == '(')
        return end;
    *site = number;
    return next;
}

static inline const char *parse_sample(const char *line,
                                       struct margay_references *references,
                                       bool needs_event, const char **expected)
{
    bool event, stores;
    uint64_t address, site;
    const char *cursor =
        find_address(margay_skip_blanks(line), &event, &stores);
    uint8_t kind = stores ? MARGAY_WRITE : MARGAY_READ;
    *expected = EXPECTED;
    if ((needs_event && !event) ||
        (cursor = take_hex(cursor, &address)) == NULL)
        return NULL;
    cursor = take_site(margay_skip_blanks(cursor), &site, &kind);
    if (cursor == NULL)
        return NULL;
    size_t i = references->count;
    references->numbers[i] = address;
    references->kinds[i] = kind;
    if (references->sites != NULL)
        references->sites[i] = site;
    references->count += address != 0;
    return cursor;
}

static const char *parse(const char *cursor,
                         struct margay_references *references,
                         const char **expected)
{
    return parse_sample(cursor, references, false, expected);
}

static const char *parse_certain(const char *cursor,
                                 struct margay_references *references,
                                 const char **expected)
{
    return parse_sample(cursor, references, true, expected);
}

static const struct margay_line_rules rules = {.comment = "#",
                                               .rest_ignored = true};

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    return margay_decode_lines(text, references, parse, &rules);
}

/* Two numbers alone are no sign of perf. */
static const char *recognise(struct margay_text *text,
                             struct margay_references *references)
{
    return margay_decode_lines(text, references, parse_certain, &rules);
}

const struct margay_format margay_format_perf_script = {
    .info = {.name = "perf-script",
             .description = "perf script of memory samples, with addr and ip",
             .suffixes = "perf perf-script",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_SITES,
             .kinds = MARGAY_ALL_KINDS,
             .sampled = true},
    .decode = decode,
    .lines_stand_alone = true,
    .recognise = recognise,
};
