/* completion.c - completion scripts for shells */
#define _GNU_SOURCE
#include <string.h>

#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/terminal/asset.h"
#include "traces/traces_internal.h"
#include <margay/assoc.h>

/* A script that is being written. */
struct script {
    FILE *text;
    const char *escaped; /* characters that need a backslash */
};

static void put_part(const struct script *script, const char *part,
                     size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (strchr(script->escaped, part[i]) != NULL)
            putc('\\', script->text);
        /* All words stand between single quotes. */
        if (part[i] == '\'')
            fputs("'\\'", script->text);
        putc(part[i], script->text);
    }
}

static void put_word(const struct script *script, const char *word)
{
    fprintf(script->text, " ");
    put_part(script, word, strlen(word));
}

/* -------------------------------------------------------------- values -- */

/* "olken olken:tree=splay", for each choice of each parameter; of a range, the
   name alone. */
static void put_spec(const struct script *script, const char *name,
                     const char *parameters)
{
    const char *key = parameters;
    put_word(script, name);
    while (*key != '\0') {
        size_t key_bytes = strcspn(key, "=") + 1;
        size_t bytes = strcspn(key, ",");
        const char *value = key + key_bytes, *end = key + bytes;
        bool is_range = memmem(key, bytes, "..", 2) != NULL;
        do {
            size_t value_bytes = strcspn(value, "|,");
            put_word(script, name);
            put_part(script, ":", 1);
            put_part(script, key, key_bytes);
            if (!is_range)
                put_part(script, value, value_bytes);
            value += value_bytes + 1;
        } while (!is_range && value < end);
        key = *end == ',' ? end + 1 : end;
    }
}

static bool takes_files(const struct option *option)
{
    return option->parse == parse_input || option->parse == parse_output;
}

/* The policies of an option, but those that its caches cannot have. */
static void put_policies(const struct script *script,
                         const struct option *option)
{
    const struct margay_policy_info *policy;
    const size_t of_sets = offsetof(struct options, caches.policies);
    unsigned barred =
        option->parse == parse_policy
            ? MARGAY_POLICY_ONLY_OBJECTS | MARGAY_POLICY_NEEDS_FUTURE
        : option->field == of_sets ? MARGAY_POLICY_ONLY_OBJECTS
                                   : MARGAY_POLICY_FOR_SETS;
    for (size_t i = 0; (policy = margay_policy_at(i)) != NULL; i++) {
        if ((policy->abilities & barred) == 0)
            put_spec(script, policy->name,
                     margay_spec_brief(policy->parameters).line);
    }
}

/* The known values of an option. */
static void put_values(const struct script *script, const struct option *option)
{
    const struct margay_format_info *format;
    const struct margay_engine_info *engine;
    const char *name = option->name;
    bool reads = strcmp(name, "format") == 0, writes = strcmp(name, "to") == 0;
    bool measures = strcmp(name, "engine") == 0 || strcmp(name, "only") == 0;
    for (size_t i = 0; (format = margay_format_at(i)) != NULL; i++) {
        if (reads || (writes && format->writable))
            put_word(script, format->name);
    }
    for (size_t i = 0; measures && (engine = margay_engine_at(i)) != NULL; i++)
        put_spec(script, engine->name, engine->parameters);
    if (option->parse == parse_policy || option->parse == parse_policy_list)
        put_policies(script, option);
    for (const struct word *word = option->values;
         word != NULL && word->text != NULL; word++)
        put_word(script, word->text);
    if (option->words != NULL)
        put_word(script, option->words);
}

/* ------------------------------------------------------------ operands -- */

static bool operands_are_files(const struct command *command)
{
    return *command->operands != '\0' && command->bit != ON_HELP &&
           command->bit != ON_GENERATE;
}

static void put_operands(const struct script *script,
                         const struct command *command)
{
    const struct command *other;
    const struct margay_generator_info *generator;
    for (size_t i = 0;
         command->bit == ON_HELP && (other = command_at(i)) != NULL; i++)
        put_word(script, other->name);
    for (size_t i = 0;
         command->bit == ON_GENERATE && (generator = generator_at(i)) != NULL;
         i++)
        put_word(script, generator->name);
}

/* ---------------------------------------------------------------- bash -- */

/* bash splits words at '=' and ':' as well, and replaces only the last piece.
   So the function reads the whole line, makes whole words of it, and removes
   the part before that piece from each completion. */
ASSET(completion_bash, "sim/command/completion.bash");

/* The option's names as a pattern: "curve,-f|curve,--format". */
static void put_bash_option(const struct script *script,
                            const struct command *command,
                            const struct option *option)
{
    fprintf(script->text, "    ");
    if (option->letter != 0)
        fprintf(script->text, "%s,-%c|", command->name, option->letter);
    fprintf(script->text, "%s,--%s) echo '", command->name, option->name);
    if (takes_files(option))
        fprintf(script->text, "FILES");
    else
        put_values(script, option);
    if (takes_files(option) && option->words != NULL)
        put_word(script, option->words);
    fprintf(script->text, "' ;;\n");
}

static void put_bash_command(const struct script *script,
                             const struct command *command)
{
    const struct option *option;
    fprintf(script->text, "    %s,options) echo '", command->name);
    for (size_t i = 0; (option = option_at(command, i)) != NULL; i++) {
        if (option->letter != 0)
            fprintf(script->text, " -%c", option->letter);
        fprintf(script->text, " --%s", option->name);
    }
    fprintf(script->text, "' ;;\n    %s,operands) echo '", command->name);
    if (operands_are_files(command))
        fprintf(script->text, "FILES");
    else
        put_operands(script, command);
    fprintf(script->text, "' ;;\n");
    for (size_t i = 0; (option = option_at(command, i)) != NULL; i++) {
        if (option->argument != NULL)
            put_bash_option(script, command, option);
    }
}

static void write_bash(FILE *text)
{
    const struct script script = {text, ""};
    const struct command *command;
    fprintf(text,
            "# Completion of margay(1) for bash, made by\n"
            "# 'margay help --completion bash'\n\n"
            "# What may stand in a place: words, FILES, or nothing known; "
            "fails where\n# there is no such place.\n"
            "_margay_takes() {\n    case $1 in\n    commands) echo '");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        put_word(&script, command->name);
    fprintf(text, "' ;;\n");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        put_bash_command(&script, command);
    fprintf(text, "    *) return 1 ;;\n    esac\n}\n\n%s", completion_bash);
}

/* ----------------------------------------------------------------- zsh -- */

static void put_zsh_option(const struct script *script,
                           const struct option *option)
{
    const char *value = option->argument == NULL ? "" : "=";
    fprintf(script->text, "            ");
    if (option->letter != 0)
        fprintf(script->text, "'(-%c --%s)'{-%c%s,--%s%s}", option->letter,
                option->name, option->letter,
                option->argument == NULL ? "" : "+", option->name, value);
    else
        fprintf(script->text, "--%s%s", option->name, value);
    fprintf(script->text, "'[");
    put_part(script, option->help, strlen(option->help));
    fprintf(script->text, "]");
    if (option->argument != NULL) {
        fprintf(script->text, ":");
        put_part(script, option->argument, strlen(option->argument));
        bool files = takes_files(option), words = option->words != NULL;
        fprintf(script->text, !files ? ":(" : words ? ":{compadd" : ":_files");
        if (!files)
            put_values(script, option);
        else if (words)
            put_word(script, option->words);
        fprintf(script->text, !files ? ")" : words ? "; _files}" : "");
    }
    fprintf(script->text, "' \\\n");
}

static void put_zsh_command(const struct script *script,
                            const struct command *command)
{
    const struct option *option;
    fprintf(script->text, "    %s)\n        _arguments -s -S \\\n",
            command->name);
    for (size_t i = 0; (option = option_at(command, i)) != NULL; i++)
        put_zsh_option(script, option);
    fprintf(script->text, "            '*:");
    put_part(script, command->operands, strlen(command->operands));
    fprintf(script->text, ":%s", operands_are_files(command) ? "_files" : "(");
    put_operands(script, command);
    fprintf(script->text, "%s' ;;\n", operands_are_files(command) ? "" : ")");
}

static void write_zsh(FILE *text)
{
    const struct script script = {text, "[]:\\"};
    const struct command *command;
    fprintf(text, "#compdef margay\n"
                  "# Completion of margay(1) for zsh, made by\n"
                  "# 'margay help --completion zsh'\n\n"
                  "_margay() {\n    local -a commands=(\n");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
        fprintf(text, "        '%s:", command->name);
        put_part(&script, command->summary, strlen(command->summary));
        fprintf(text, "'\n");
    }
    fprintf(text,
            "    )\n    if ((CURRENT == 2)); then\n"
            "        _describe -t commands 'margay command' commands\n"
            "        return\n    fi\n"
            "    shift words\n    ((CURRENT--))\n    case $words[1] in\n");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        put_zsh_command(&script, command);
    /* zsh runs a file in fpath as the body of the function, and sources any
       other. */
    fprintf(text, "    esac\n}\n\n"
                  "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
                  "    _margay \"$@\"\nelse\n"
                  "    compdef _margay margay\nfi\n");
}

void put_completion(FILE *text, const void *shell)
{
    (strcmp(shell, "bash") == 0 ? write_bash : write_zsh)(text);
}
