/* files.c - all files that a command reads and writes, and their formats */
#define _GNU_SOURCE
#include "sim/options/files.h"
#include "sim/terminal/find_file.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/options/commands.h"
#include "traces/traces_internal.h"

/* The file of a name, if an output could replace it: a regular file or, for
   an output, a free name in a directory. */
struct identity {
    bool known;
    bool standard; /* the file is standard output */
    dev_t device;
    ino_t inode;
    char *free_name; /* owned; NULL: the inode is the file's, not that of the
                        directory */
};

struct file {
    const struct option *option; /* NULL: an operand, or derived */
    char prefix[40];             /* of messages about an output: "--save" */
    char what[64];               /* of messages about others: "the trace" */
    char *name;                  /* owned */
    struct identity identity;
};

/* In the order in which they are found. */
struct files {
    struct file *inputs, *outputs; /* owned */
    size_t input_count, output_count;
    bool out_of_memory;
};

/* ------------------------------------------------------------ identities -- */

static void identify_by(const struct stat *status, struct identity *identity)
{
    identity->known = true;
    identity->device = status->st_dev;
    identity->inode = status->st_ino;
}

/* A file that does not exist yet is known by its directory and its name. */
static void identify_absent(const char *name, struct identity *identity)
{
    struct stat status;
    char *path = output_resolve_absent(name);
    char *copy = path == NULL ? NULL : strdup(path);
    if (copy != NULL && stat(dirname(copy), &status) == 0) {
        const char *slash = strrchr(path, '/');
        identity->free_name = strdup(slash == NULL ? path : slash + 1);
        if (identity->free_name != NULL)
            identify_by(&status, identity);
    }
    free(copy);
    free(path);
}

/* A pipe or a device is not replaced, and may be both input and output. */
static struct identity identify(const char *name, bool writes)
{
    struct identity identity = {.known = false};
    struct stat status;
    bool is_standard = strcmp(name, "-") == 0;
    bool found =
        (is_standard ? fstat(writes ? STDOUT_FILENO : STDIN_FILENO, &status)
                     : stat(name, &status)) == 0;
    if (found && S_ISREG(status.st_mode))
        identify_by(&status, &identity);
    if (writes && !found && !is_standard)
        identify_absent(name, &identity);
    else if (writes)
        identity.standard =
            is_standard || (found && output_is_standard(&status));
    return identity;
}

static bool are_same(const struct identity *a, const struct identity *b)
{
    if (a->standard && b->standard)
        return true;
    if (!a->known || !b->known || a->device != b->device ||
        a->inode != b->inode)
        return false;
    return a->free_name == NULL || b->free_name == NULL
               ? a->free_name == b->free_name
               : strcmp(a->free_name, b->free_name) == 0;
}

/* ------------------------------------------------------------- gathering -- */

/* Add a file and own its name, which is NULL if there was no memory for it. The
   prefix is that of an output. */
static struct file *add(struct files *files, bool writes, const char *prefix,
                        const char *what, char *name)
{
    struct file **list = writes ? &files->outputs : &files->inputs;
    size_t *count = writes ? &files->output_count : &files->input_count;
    struct file *grown =
        name == NULL ? NULL : reallocarray(*list, *count + 1, sizeof **list);
    if (grown == NULL) {
        files->out_of_memory = true;
        free(name);
        return NULL;
    }
    *list = grown;
    struct file *file = &grown[(*count)++];
    *file = (struct file){.name = name, .identity = identify(name, writes)};
    snprintf(file->prefix, sizeof file->prefix, "%s", prefix);
    snprintf(file->what, sizeof file->what, "%s", what);
    return file;
}

static void add_operand(struct files *files, unsigned command, size_t index,
                        const char *operand)
{
    const char *what = command & (ON_PREDICT | ON_SHARE | ON_OVERLAP) ? "a run"
                       : command & (ON_DIFF | ON_PLOT) ? "a table"
                                                       : "the trace";
    const char *equals = strrchr(operand, '=');
    if (command & (ON_GENERATE | ON_HELP))
        return;
    /* The operands after the program are its own.  cmd_record.c refuses a
       program that does not exist. */
    if (command == ON_RECORD) {
        char *path = index == 0 ? search_path(operand) : NULL;
        if (path != NULL)
            add(files, false, "", "the program", path);
        return;
    }
    add(files, command == ON_CONVERT && index == 1, "OUT", what,
        strdup(operand));
    /* "RUN.csv=SIZE", which may also be the name of a file as it stands. */
    if (command & (ON_PREDICT | ON_SHARE) && equals != NULL)
        add(files, false, "", what,
            strndup(operand, (size_t)(equals - operand)));
}

/* Commands with optional operands read standard input if there are none. */
static bool reads_standard_input(const struct options *options)
{
    const struct command *command = options->command;
    return options->operand_count == 0 && command->least_operands == 0 &&
           command->most_operands > 0 && options->results.from == NULL &&
           options->predict.load_model == NULL && command->bit != ON_HELP &&
           command->bit != ON_RECORD;
}

static void add_option(struct files *files, const struct options *options,
                       const struct option *option)
{
    const char *value =
        *(const char *const *)(const void *)((const char *)options +
                                             option->field);
    char prefix[40], what[64];
    if (value == NULL || option->field == offsetof(struct options, output))
        return;
    bool reads = option->parse == parse_input;
    snprintf(prefix, sizeof prefix, "--%s", option->name);
    snprintf(what, sizeof what, "what %s %s", prefix,
             reads ? "reads" : "writes");
    struct file *file = add(files, !reads, prefix, what, strdup(value));
    if (file != NULL)
        file->option = option;
}

static void gather(struct files *files, const struct options *options)
{
    const struct option *option;
    unsigned bit = options->command->bit;
    const char *what = bit == ON_CURVE ? "the curve" : "the output";
    char *snapshot = NULL;
    /* The table or trace that most commands write, by default to standard
       output. */
    if (options->output != NULL)
        add(files, true, "--output", what, strdup(options->output));
    else if (!(bit & (ON_HELP | ON_VERSION | ON_CONVERT | ON_PLOT)))
        add(files, true, "standard output", what, strdup("-"));
    if (options->output != NULL && interval_is_given(&options->run.every)) {
        if (asprintf(&snapshot, "%s.snapshot", options->output) < 0)
            snapshot = NULL;
        add(files, true, "--every", "a snapshot", snapshot);
    }
    /* What is joined is all read. */
    for (size_t i = 0; i < options->operand_count; i++)
        add_operand(files, bit, options->run.join ? 0 : i,
                    options->operands[i]);
    if (reads_standard_input(options))
        add(files, false, "", "the trace", strdup("-"));
    if (options->results.by.map != NULL)
        add(files, false, "", "what --by reads",
            strdup(options->results.by.map));
    for (size_t i = 0; (option = option_at(options->command, i)) != NULL; i++) {
        if (option->parse == parse_input || option->parse == parse_output)
            add_option(files, options, option);
    }
}

/* -------------------------------------------------------------- checking -- */

static bool is_option(const struct file *file, size_t field)
{
    return file->option != NULL && file->option->field == field;
}

static enum margay_status check_input(const struct file *output,
                                      const struct file *input,
                                      struct margay_error *error)
{
    /* A state is read as a whole before another replaces it. */
    if (!are_same(&output->identity, &input->identity) ||
        (is_option(output, offsetof(struct options, run.save)) &&
         is_option(input, offsetof(struct options, run.resume))))
        return MARGAY_OK;
    if (strcmp(output->name, "-") == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "standard output is %s '%s'", input->what,
                           input->name);
    return margay_fail(error, MARGAY_BAD_ARGUMENT, "%s: '%s' is %s",
                       output->prefix, output->name, input->what);
}

/* A state or a model is written after all tables. */
static enum margay_status check_other(const struct file *output,
                                      const struct file *before,
                                      struct margay_error *error)
{
    bool is_table =
        output->option == NULL ||
        is_option(output, offsetof(struct options, results.histogram));
    if (!are_same(&output->identity, &before->identity))
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT, "%s: '%s' is where %s goes",
                       output->prefix, output->name,
                       is_table ? before->what : "a table");
}

/* Compare the outputs from `first` on with all inputs and with the outputs
   before each; release the files gathered. */
static enum margay_status check_from(struct files *files, size_t first,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (files->out_of_memory)
        status = margay_fail_memory(error, "the names of files");
    for (size_t i = first; i < files->output_count; i++) {
        const struct file *output = &files->outputs[i];
        for (size_t k = 0; k < files->input_count && status == MARGAY_OK; k++)
            status = check_input(output, &files->inputs[k], error);
        for (size_t k = 0; k < i && status == MARGAY_OK; k++)
            status = check_other(output, &files->outputs[k], error);
    }
    for (size_t i = 0; i < files->input_count; i++)
        free(files->inputs[i].name);
    for (size_t i = 0; i < files->output_count; i++) {
        free(files->outputs[i].name);
        free(files->outputs[i].identity.free_name);
    }
    free(files->inputs);
    free(files->outputs);
    return status;
}

enum margay_status files_check(const struct options *options,
                               struct margay_error *error)
{
    struct files files = {.inputs = NULL};
    gather(&files, options);
    return check_from(&files, 0, error);
}

enum margay_status files_check_output(const struct options *options,
                                      const char *option, const char *path,
                                      struct margay_error *error)
{
    struct files files = {.inputs = NULL};
    gather(&files, options);
    size_t first = files.output_count;
    add(&files, true, option, "", strdup(path));
    return check_from(&files, first, error);
}

/* -------------------------------------------------------------- formats -- */

const char *trace_format(const struct options *options, const char *path)
{
    const struct margay_format_info *format;
    const char *found = NULL;
    if (options->to != NULL || path == NULL)
        return options->to;
    const char *slash = strrchr(path, '/');
    const char *dot = strchr(slash == NULL ? path : slash, '.');
    for (; dot != NULL; dot = strchr(dot + 1, '.')) {
        size_t bytes = strcspn(dot + 1, ".");
        for (size_t i = 0; (format = margay_format_at(i)) != NULL; i++) {
            if (format->writable && strlen(format->name) == bytes &&
                strncmp(format->name, dot + 1, bytes) == 0)
                found = format->name;
        }
    }
    return found;
}

enum margay_status trace_writer_create(const struct options *options,
                                       const char *path, struct output **output,
                                       margay_writer **writer,
                                       struct margay_error *error)
{
    const struct margay_sink sink = {output, sink_write};
    const char *format = trace_format(options, path);
    const char *dot = path == NULL ? NULL : strrchr(path, '.');
    struct margay_error why = {.message = ""};
    if (format != NULL)
        return margay_writer_create(format, path, &sink, writer, error);
    if (dot != NULL && strchr(dot, ':') == NULL)
        margay_writer_create(dot + 1, path, &sink, writer, &why);
    return margay_fail(error, MARGAY_BAD_ARGUMENT, "--to FORMAT is needed%s%s",
                       *why.message == '\0' ? "" : ": ", why.message);
}

uint64_t bytes_of_id(const struct margay_format_info *format)
{
    return format->any_numbers || format->numbers == MARGAY_ADDRESSES ||
                   format->unit_bytes == 0
               ? 1
               : format->unit_bytes;
}
