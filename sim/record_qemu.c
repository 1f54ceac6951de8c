/* record_qemu.c - recording a program in QEMU's user mode, by a plugin */
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

const struct record_method record_qemu = {
    .name = "qemu",
    .slowdown = "20 to 30 times",
    .suits = suits,
    .knows_sites = true,
    .collapses = true,
};
