/* cmd_plot.c - margay plot: from tables to a picture, by gnuplot */
#include <stdlib.h>
#include <string.h>

#include "sim/options/commands.h"
#include "sim/plot/plot.h"
#include "traces/traces_internal.h"

struct plot {
    const struct plot_kind *kind;                      /* of the picture */
    char tables[PICTURE_MOST_TABLES][PLOT_NAME_BYTES]; /* for gnuplot */
    size_t count;
    const char *script;
    struct output *output;
};

/* --------------------------------------------------------- the tables -- */

static const char *const *names_of(const struct options *options)
{
    return options->shown == NULL ? (const char *const *)options->operands
                                  : options->shown;
}

static enum margay_status add_table(struct plot *plot,
                                    const struct options *options,
                                    struct margay_error *error)
{
    const struct plot_kind *kind;
    const char *path = names_of(options)[plot->count];
    enum margay_status status =
        plot_table_read(options->operands[plot->count], path, &kind,
                        plot->tables[plot->count], error);
    if (status != MARGAY_OK)
        return status;
    plot->count++;
    const struct plot_kind *first = plot->kind;
    plot->kind = plot->count == 1 ? kind : plot_kind_join(first, kind);
    if (plot->kind != NULL)
        return MARGAY_OK;
    if (kind == first)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: a picture of this kind shows one table", path);
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: the tables do not go into one picture: %s is "
                       "of another kind",
                       path, names_of(options)[0]);
}

static enum margay_status read_tables(struct plot *plot,
                                      const struct options *options,
                                      struct margay_error *error)
{
    size_t standard_inputs = 0;
    enum margay_status status = MARGAY_OK;
    if (options->operand_count > PICTURE_MOST_TABLES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%zu tables, expected at most %d (one table may "
                           "hold many traces)",
                           options->operand_count, PICTURE_MOST_TABLES);
    for (size_t i = 0; i < options->operand_count; i++)
        standard_inputs += strcmp(options->operands[i], "-") == 0;
    if (standard_inputs > 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "-: standard input can be read only once");
    while (status == MARGAY_OK && plot->count < options->operand_count)
        status = add_table(plot, options, error);
    return status;
}

/* Refuse options that the picture does not take. */
static enum margay_status check_options(const struct plot *plot,
                                        const struct options *options,
                                        struct margay_error *error)
{
    const struct picture_options *picture = &options->picture;
    const struct {
        const char *name;
        bool given;
        unsigned needs;
    } choices[] = {
        {"--labels", picture->labels, PLOT_LABELS},
        {"--hit", picture->hit, PLOT_HIT},
        {"--x", picture->x.scale != NULL, PLOT_X},
        {"--y", picture->y.scale != NULL, PLOT_Y},
        {"--xrange", picture->x.has_from || picture->x.has_to, PLOT_X},
        {"--yrange", picture->y.has_from || picture->y.has_to, PLOT_Y},
    };
    unsigned takes = options->map || options->causes || options->traffic ? 0
                     : options->gain ? plot->kind->takes & ~PLOT_HIT
                                     : plot->kind->takes;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (choices[i].given && !(takes & choices[i].needs))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "%s: there is no such choice in this picture "
                               "of %s",
                               choices[i].name, names_of(options)[0]);
    }
    return MARGAY_OK;
}

/* The script of the picture: another than the usual one, if asked for. */
static enum margay_status choose_script(struct plot *plot,
                                        const struct options *options,
                                        struct margay_error *error)
{
    const struct {
        const char *name;
        bool given;
        const char *script, *needs;
    } others[] = {
        {"--map", options->map, plot->kind->map, "'margay assoc' or 'compare'"},
        {"--gain", options->gain, plot->kind->gain,
         "'margay curve --policy' (without --objects)"},
        {"--causes", options->causes, plot->kind->causes, "'margay compare'"},
        {"--traffic", options->traffic, plot->kind->traffic,
         "'margay simulate'"},
    };
    const size_t count = sizeof others / sizeof others[0];
    size_t chosen = count;
    for (size_t i = 0; i < count; i++) {
        if (others[i].given && chosen < count)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "%s: found %s too, expected one picture",
                               others[i].name, others[chosen].name);
        if (others[i].given)
            chosen = i;
    }
    if (chosen < count && others[chosen].script == NULL)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: %s needs a table of %s", names_of(options)[0],
                           others[chosen].name, others[chosen].needs);
    plot->script = chosen == count ? plot->kind->script : others[chosen].script;
    return MARGAY_OK;
}

/* ------------------------------------------------------------- drawing -- */

static enum margay_status make(struct plot *plot, const struct options *options,
                               struct margay_error *error)
{
    const char *suffix = picture_suffix(options->output);
    enum margay_status status = read_tables(plot, options, error);
    if (status == MARGAY_OK)
        status = check_options(plot, options, error);
    if (status == MARGAY_OK)
        status = choose_script(plot, options, error);
    if (status == MARGAY_OK)
        status =
            output_open(options->output, OUTPUT_HELD, &plot->output, error);
    if (status == MARGAY_OK)
        status = picture_draw(plot->script, &options->picture, suffix,
                              names_of(options), plot->tables, plot->count,
                              plot->output, error);
    return status;
}

int cmd_plot(const struct options *options)
{
    struct plot plot = {.count = 0};
    struct margay_error error;
    enum margay_status status = make(&plot, options, &error);
    return conclude(status, &plot.output, 1, &error);
}
