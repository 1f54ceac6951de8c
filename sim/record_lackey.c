/*
 * record_lackey.c - recording a program with valgrind's lackey
 *
 * It writes its trace where valgrind logs, which is a descriptor of its own,
 * so that it never mixes with what the program prints.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/record.h"

#define STRING_OF(number) #number
#define NUMBER(number)    STRING_OF(number)

static bool suits(const struct options *options, const char *program, char *why,
                  size_t why_bytes)
{
    (void)options;
    (void)program;
    char *valgrind = launch_find("valgrind");
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
        /* Two processes would write into each other's lines. */
        "--child-silent-after-fork=yes",
    };
    launch->text_format = "lackey";
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        launch_put_before(launch, before[i]);
    return MARGAY_OK;
}

const struct record_method record_lackey = {
    .name = "lackey",
    .slowdown = "5000 times",
    .suits = suits,
    .prepare = prepare,
    .knows_fetches = true,
};
