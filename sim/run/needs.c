/* needs.c - the columns that a trace needs */
#include "sim/run/running.h"

#include <stdio.h>
#include <string.h>

static void add_word(char *text, size_t bytes, const char *between,
                     const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, bytes - used, "%s%s", used == 0 ? "" : between, word);
}

/* "extents", "kinds"; "writes" of a format that has other kinds. */
static void name_what(const struct margay_need *need, bool has_column,
                      char *text, size_t bytes)
{
    static const char *const words[MARGAY_KINDS] = {
        [MARGAY_READ] = "reads",
        [MARGAY_WRITE] = "writes",
        [MARGAY_FETCH] = "fetches",
    };
    *text = '\0';
    if (!has_column)
        add_word(text, bytes, "", margay_column_name(need->column));
    for (unsigned i = 0; i < MARGAY_KINDS && has_column; i++) {
        if (need->kinds & MARGAY_KIND_BIT(i))
            add_word(text, bytes, " or ", words[i]);
    }
}

static bool has(unsigned columns, unsigned kinds,
                const struct margay_need *need)
{
    return need->column == 0 ||
           ((columns & need->column) == need->column &&
            (need->kinds == 0 || (kinds & need->kinds) != 0));
}

/* The formats that say what this one does not. */
static const char *format_that_says(size_t index, const void *context)
{
    const struct margay_need *need = context;
    const struct margay_format_info *info;
    for (size_t i = 0; (info = margay_format_at(i)) != NULL; i++) {
        unsigned columns = info->columns | info->named_columns;
        unsigned kinds =
            info->named_columns & MARGAY_COLUMN_KINDS
                ? MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_WRITE)
                : info->kinds;
        if (has(columns, kinds, need) && index-- == 0)
            return info->name;
    }
    return NULL;
}

static enum margay_status refuse_need(const struct margay_need *need,
                                      const char *name,
                                      const struct margay_trace_facts *facts,
                                      struct margay_error *error)
{
    const struct margay_format_info *format = facts->format;
    char what[64], formats[128];
    bool has_column = (facts->columns & need->column) == need->column;
    name_what(need, has_column, what, sizeof what);
    margay_list_names(format_that_says, need, formats, sizeof formats);
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: %s: the trace does not say the %s of its "
                       "references (it is read as %s; %s %s%s)",
                       name, need->asked_by, what, format->name,
                       need->source == NULL ? "these may:" : "one that does:",
                       need->source == NULL ? formats : need->source,
                       (format->named_columns & need->column) != 0
                           ? "; --column names a table's columns"
                           : "");
}

enum margay_status margay_needs_check(const struct margay_need *needs,
                                      size_t count, const char *name,
                                      const margay_trace *trace,
                                      struct margay_error *error)
{
    const struct margay_trace_facts *facts = margay_trace_facts(trace);
    for (size_t i = 0; i < count; i++) {
        if (!has(facts->columns, facts->kinds, &needs[i]))
            return refuse_need(&needs[i], name, facts, error);
    }
    return MARGAY_OK;
}
