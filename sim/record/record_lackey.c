/*
 * record_lackey.c - recording a program with valgrind's lackey
 *
 * lackey writes its trace to valgrind's log, which has a descriptor of its own,
 * so that the trace never mixes with the program's output.  Each line is one
 * write that is shorter than PIPE_BUF, so that the lines of several processes
 * never mix, either.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/record/record.h"
#include "sim/terminal/search_path.h"

#define STRING_OF(number) #number
#define NUMBER(number)    STRING_OF(number)

static bool suits(const struct options *options, const char *program, char *why,
                  size_t why_bytes)
{
    (void)options;
    (void)program;
    char *valgrind = search_path("valgrind");
    bool found = valgrind != NULL;
    if (!found)
        snprintf(why, why_bytes, "valgrind is not installed");
    free(valgrind);
    return found;
}

static enum margay_status prepare(struct launch *launch,
                                  struct margay_error *error)
{
    (void)error;
    static const char *const before[] = {
        "valgrind",
        "--tool=lackey",
        "--trace-mem=yes",
        "--basic-counts=no",
        ("--log-fd=" NUMBER(LAUNCH_TEXT_DESCRIPTOR)),
        "--trace-children=yes",
    };
    launch->text_format = "lackey";
    launch_put_all_before(launch, before, sizeof before / sizeof before[0]);
    return MARGAY_OK;
}

const struct record_method record_lackey = {
    .name = "lackey",
    .slowdown = "5000 times",
    .suits = suits,
    .prepare = prepare,
    .knows_fetches = true,
};
