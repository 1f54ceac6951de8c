/* options.c - the parser of the command line */
#define _GNU_SOURCE
#include "sim/options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

#define ROW(name, letter, argument, parse, field, commands, values, words, \
            help)                                                          \
    {name,                                                                 \
     letter,                                                               \
     argument,                                                             \
     parse,                                                                \
     offsetof(struct options, field),                                      \
     sizeof((struct options *)0)->field,                                   \
     commands,                                                             \
     values,                                                               \
     words,                                                                \
     help},
#define CHOICE(name, letter, argument, type, field, commands, words, help)  \
    ROW(name, letter, argument, parse_##type, field, commands, NULL, words, \
        help)
#define OPTION(name, letter, argument, type, field, commands, help) \
    CHOICE(name, letter, argument, type, field, commands, NULL, help)
#define WORDS(name, letter, argument, field, commands, help, ...) \
    ROW(name, letter, argument, NULL, field, commands,            \
        ((const struct word[]){__VA_ARGS__, {NULL, 0}}), NULL, help)
static const struct option table[] = {
#include "sim/options/options.def"
};

_Static_assert(sizeof table / sizeof table[0] <= 64 * OPTION_WORDS,
               "options.given has a bit for each row");

static unsigned usual_threads; /* 0 = the number of cores, not yet asked for */

void options_set_usual_threads(unsigned threads)
{
    usual_threads = threads;
}

static void set_defaults(struct options *options)
{
    if (usual_threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        usual_threads = cores < 1 ? 1 : (unsigned)cores;
    }
    *options = (struct options){
        .seed = 1,
        .reading = MARGAY_TRACE_OPTIONS_DEFAULT,
        .run.threads = usual_threads,
        .engine.spec = "exact",
        .results.sizes.kind = MARGAY_SIZES_USUAL,
        .results.bins.kind = MARGAY_BINS_EXACT,
        .results.tiers.inclusion = MARGAY_EXCLUSIVE,
        .caches = {.policy = {.spec = "lru", .info = margay_policy_at(0)},
                   .tolerance = -1},
        .predict = {.references = 1000000, .samples = 16, .peaks = 8},
        .generate = {.exponent = 1},
        .results.at_most = -1,
        .results.at_most_bytes = -1,
        .record.method = "auto",
    };
}

void options_set_sentence_sizes(struct options *options)
{
    if (options->results.sizes.kind == MARGAY_SIZES_USUAL &&
        options->results.policies.count == 0)
        options->results.sizes = (struct margay_cache_sizes){
            .kind = MARGAY_SIZES_OCTAVE, .per_octave = 64};
}

const struct option *option_in_table(size_t index)
{
    return index < sizeof table / sizeof table[0] ? &table[index] : NULL;
}

const struct option *option_at(const struct command *command, size_t index)
{
    const struct option *option;
    for (size_t i = 0; (option = option_in_table(i)) != NULL; i++) {
        if ((option->commands & command->bit) != 0 && index-- == 0)
            return option;
    }
    return NULL;
}

static const char *option_name(size_t index, const void *context)
{
    const struct option *option = option_at(context, index);
    return option == NULL ? NULL : option->name;
}

/* The option of that name or, if `name` is NULL, of that letter.  Commands that
   write a table may draw it, and take the options of pictures after their
   own. */
static const struct option *find(const struct command *command,
                                 const char *name, size_t bytes, char letter)
{
    const struct option *option;
    const unsigned sets[] = {command->bit,
                             (command->bit & ON_TABLES) != 0 ? PICTURE : 0};
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; (option = option_in_table(k)) != NULL; k++) {
            if ((option->commands & sets[i]) != 0 &&
                (name == NULL ? option->letter == letter
                              : strlen(option->name) == bytes &&
                                    strncmp(option->name, name, bytes) == 0))
                return option;
        }
    }
    return NULL;
}

/* The arguments not yet read, and where their values go. */
struct reader {
    struct options *options;
    char *const *next;
    struct margay_error *error;
};

/* Apply an option; `value` is the text attached to it, or NULL.  The next
   argument that is a value which the option may lack has to be a number. */
static enum margay_status apply(struct reader *reader,
                                const struct option *option, const char *value)
{
    char name[40] = "--";
    const char *next = *reader->next;
    uint64_t number;
    bool needs_value = option->argument != NULL && option->argument[0] != '[';
    strncat(name, option->name, sizeof name - 3);
    if (option->argument == NULL && value != NULL)
        return margay_fail(reader->error, MARGAY_BAD_ARGUMENT,
                           "%s takes no value, but '%s' was given", name,
                           value);
    if (option->argument != NULL && value == NULL && next != NULL &&
        (needs_value || margay_parse_u64(next, &number)))
        value = *reader->next++;
    if (needs_value && value == NULL)
        return margay_fail(reader->error, MARGAY_BAD_ARGUMENT,
                           "%s needs a value: %s %s", name, name,
                           option->argument);
    size_t row = (size_t)(option - table);
    uint64_t *given = &reader->options->given[row / 64];
    if (option->parse == parse_output && *given >> row % 64 & 1)
        return margay_fail(reader->error, MARGAY_BAD_ARGUMENT,
                           "%s: found '%s' as well, expected one file", name,
                           value);
    *given |= UINT64_C(1) << row % 64;
    char *field = (char *)reader->options + option->field;
    return option->parse == NULL
               ? option_parse_words(option, name, value, field, reader->error)
               : option->parse(name, value, field, reader->error);
}

/* Is the option of that name given with another value than the usual one, or
   with a text that it is `typed` with? */
static bool is_given(const struct options *options, const char *name,
                     const char *typed)
{
    struct options usual;
    set_defaults(&usual);
    for (size_t row = 0; row < sizeof table / sizeof table[0]; row++) {
        const struct option *option = &table[row];
        if ((options->given[row / 64] >> row % 64 & 1) == 0 ||
            strcmp(option->name, name) != 0)
            continue;
        const char *value = (const char *)options + option->field;
        const char *before = (const char *)&usual + option->field;
        const char *const *text = (const void *)value;
        const char *const *usual_text = (const void *)before;
        return memcmp(value, before, option->field_bytes) != 0 &&
               !(option->parse == parse_text && *usual_text != NULL &&
                 strcmp(*text, *usual_text) == 0 && strchr(typed, ' ') == NULL);
    }
    return false;
}

const char *options_of_picture(const struct options *options)
{
    for (size_t row = 0; row < sizeof table / sizeof table[0]; row++) {
        if ((table[row].commands & PICTURE) != 0 &&
            options->given[row / 64] >> row % 64 & 1)
            return table[row].name;
    }
    return NULL;
}

/* " (it is for 'margay curve')" for the first command in the table that takes
   the option of that name or, if `name` is NULL, of that letter; empty if no
   command does. */
static struct suggestion suggest_command(const char *name, char letter)
{
    struct suggestion suggestion = {""};
    const struct command *command;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        if (find(command, name, name == NULL ? 0 : strlen(name), letter) ==
            NULL)
            continue;
        snprintf(suggestion.text, sizeof suggestion.text,
                 " (it is for 'margay %s')", command->name);
        break;
    }
    return suggestion;
}

static enum margay_status read_long(struct reader *reader, const char *argument)
{
    const struct command *command = reader->options->command;
    size_t bytes = strcspn(argument, "=");
    const struct option *option = find(command, argument, bytes, 0);
    char name[64] = "";
    strncat(name, argument, bytes < sizeof name ? bytes : sizeof name - 1);
    /* The command's own option comes first if the word lacks a letter
       of its end; those of other commands come before one that is merely like
       it. */
    const char *own = margay_nearest(name, option_name, command);
    bool is_own = own != NULL && strncmp(own, name, strlen(name)) == 0 &&
                  strlen(own) <= strlen(name) + 1;
    if (option != NULL) {
        enum margay_status status =
            apply(reader, option,
                  argument[bytes] == '=' ? argument + bytes + 1 : NULL);
        /* --size may be one of a picture, or of --sizes. */
        if (status == MARGAY_OK || !is_own ||
            (option->commands & command->bit) != 0)
            return status;
    }
    struct suggestion nearest = {""};
    if (!is_own)
        nearest = suggest_command(name, 0);
    if (*nearest.text == '\0')
        nearest = suggest(name, "--", option_name, command);
    return margay_fail(reader->error, MARGAY_BAD_ARGUMENT,
                       "unknown option '--%s'%s; 'margay help %s' lists them",
                       name, nearest.text, command->name);
}

/* One argument of letters: flags, and at most one option with its value.
   -output would be -o with the value utput; an argument that spells a long
   option is refused instead. */
static enum margay_status read_letters(struct reader *reader,
                                       const char *letters)
{
    const struct command *command = reader->options->command;
    size_t bytes = strcspn(letters, "=");
    if (bytes > 1 && find(command, letters, bytes, 0) != NULL)
        return margay_fail(
            reader->error, MARGAY_BAD_ARGUMENT,
            "'-%s' begins with one hyphen (did you mean '--%s'?)", letters,
            letters);
    for (; *letters != '\0'; letters++) {
        const struct option *option = find(command, NULL, 0, *letters);
        if (option == NULL)
            return margay_fail(
                reader->error, MARGAY_BAD_ARGUMENT,
                "unknown option '-%c'%s; 'margay help %s' lists them", *letters,
                suggest_command(NULL, *letters).text, command->name);
        bool attached = option->argument != NULL && letters[1] != '\0';
        enum margay_status status =
            apply(reader, option, attached ? letters + 1 : NULL);
        if (status != MARGAY_OK || attached)
            return status;
    }
    return MARGAY_OK;
}

/* --------------------------------- options that have no meaning together -- */

/* A row of the table. */
struct conflict {
    bool needs;          /* a row NEEDS */
    const char *options; /* names, separated by blanks */
    const char *others;
    unsigned commands;
    const char *message;
};

static const struct conflict conflicts[] = {
#define CONFLICT(options, others, commands, message) \
    {false, options, others, commands, message},
#define NEEDS(options, other, commands, message) \
    {true, options, other, commands, message},
#include "sim/options/conflicts.def"
};

/* The next name of a list, and its option as it is typed; false at the end. */
struct name {
    char text[40], typed[48];
};

static bool next_name(const char **list, struct name *name)
{
    *list += strspn(*list, " ");
    size_t bytes = strcspn(*list, " "), name_bytes = strcspn(*list, " =");
    if (bytes == 0)
        return false;
    snprintf(name->text, sizeof name->text, "%.*s", (int)name_bytes, *list);
    snprintf(name->typed, sizeof name->typed, "--%.*s", (int)bytes, *list);
    if (name_bytes < bytes)
        name->typed[2 + name_bytes] = ' ';
    *list += bytes;
    return true;
}

/* The first option of a list that is given; or the first that is not. */
static bool find_in_list(const struct options *options, const char *list,
                         bool given, struct name *found)
{
    while (next_name(&list, found)) {
        if (is_given(options, found->text, found->typed) == given)
            return true;
    }
    return false;
}

enum margay_status refuse_first(const struct refusal *refusals, size_t count,
                                struct margay_error *error)
{
    for (; count > 0; refusals++, count--) {
        if (refusals->applies)
            return margay_fail(error, MARGAY_BAD_ARGUMENT, refusals->message,
                               refusals->found);
    }
    return MARGAY_OK;
}

/* MARGAY_BAD_ARGUMENT for the first row that the options are in. */
static enum margay_status check_conflicts(const struct options *options,
                                          struct margay_error *error)
{
    struct name found, other;
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
        const struct conflict *row = &conflicts[i];
        if ((row->commands & options->command->bit) != 0 &&
            (row->needs ? find_in_list(options, row->options, true, &found) &&
                              !find_in_list(options, row->others, true, &other)
                        : !find_in_list(options, row->options, false, &other) &&
                              find_in_list(options, row->others, true, &found)))
            return margay_fail(error, MARGAY_BAD_ARGUMENT, row->message,
                               found.typed);
    }
    return MARGAY_OK;
}

/* --------------------------------------------------------------- reading -- */

/* How traces are read as one, and the name of all: their names. */
static enum margay_status join_operands(struct options *options,
                                        struct margay_error *error)
{
    struct margay_mix_options *mixing = &options->run.mixing;
    size_t bytes, count = options->operand_count;
    FILE *names = open_memstream(&options->all_names, &bytes);
    mixing->turn_refs += mixing->turn_refs == 0;
    mixing->by_time |= options->run.join;
    mixing->apart |= options->machine.mix;
    for (size_t i = 0; i < count && names != NULL; i++)
        fprintf(names, "%s%s", i == 0 ? "" : "+", options->operands[i]);
    if (names == NULL || fclose(names) != 0)
        return margay_fail_memory(error, "the names of traces");
    mixing->name = count == 0 ? "-" : options->all_names;
    return MARGAY_OK;
}

static enum margay_status check_operands(const struct options *options,
                                         struct margay_error *error)
{
    const struct command *command = options->command;
    if (options->operand_count < command->least_operands)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "missing operand: expected %s ('margay help %s' has more)",
            command->operands, command->name);
    if (options->operand_count > command->most_operands)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT, "unexpected operand '%s': expected %s",
            options->operands[command->most_operands],
            *command->operands == '\0' ? "none" : command->operands);
    return MARGAY_OK;
}

/* The option of another command is a topic of help. */
static bool is_topic(const struct command *command, const char *argument)
{
    const char *name = argument[1] == '-' ? argument + 2 : NULL;
    size_t bytes = name == NULL ? 0 : strlen(name);
    return (name != NULL || argument[2] == '\0') &&
           find(command, name, bytes, argument[1]) == NULL &&
           *suggest_command(name, argument[1]).text != '\0';
}

enum margay_status options_parse(struct options *options,
                                 const struct command *command,
                                 char *const *arguments,
                                 struct margay_error *error)
{
    struct reader reader = {options, arguments, error};
    enum margay_status status = MARGAY_OK;
    bool options_ended = false;
    size_t count = 0;
    set_defaults(options);
    options->command = command;
    options->arguments = arguments;
    while (arguments[count] != NULL)
        count++;
    options->operands = calloc(count + 1, sizeof *options->operands);
    if (options->operands == NULL)
        return margay_fail_memory(error, "the operands");
    while (status == MARGAY_OK && *reader.next != NULL && !options->help) {
        const char *argument = *reader.next++;
        if (options_ended || argument[0] != '-' || argument[1] == '\0' ||
            (command->bit == ON_HELP && is_topic(command, argument))) {
            options->operands[options->operand_count++] = argument;
            options_ended |= command->runs_operands;
        } else if (strcmp(argument, "--") == 0) {
            options_ended = true;
        } else {
            status = argument[1] == '-' ? read_long(&reader, argument + 2)
                                        : read_letters(&reader, argument + 1);
        }
    }
    if (status == MARGAY_OK && !options->help)
        status = check_operands(options, error);
    if (status == MARGAY_OK && !options->help)
        status = check_conflicts(options, error);
    return status == MARGAY_OK ? join_operands(options, error) : status;
}

void options_free(struct options *options)
{
    free(options->operands);
    free(options->all_names);
    free(options->results.sizes.list);
    policy_list_clear(&options->results.policies);
    policy_list_clear(&options->caches.policies);
    policy_list_clear(&options->trials.only);
}
