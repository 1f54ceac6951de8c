/* record_lackey.c - recording a program with valgrind's lackey */
#include <stdio.h>

#include "sim/record.h"

static bool suits(const struct options *options, const char *program, char *why,
                  size_t why_bytes)
{
    (void)options;
    (void)program;
    snprintf(why, why_bytes, "it is not built in");
    return false;
}

const struct record_method record_lackey = {
    .name = "lackey",
    .slowdown = "5000 times",
    .suits = suits,
};
