/* completion.h - completion of command lines by shells */
#ifndef MARGAY_SIM_COMPLETION_H
#define MARGAY_SIM_COMPLETION_H

#include <margay/status.h>

struct output;

/*
 * Write a script that teaches `shell`, "bash" or "zsh", the commands, their
 * options and the values of these, all from the program's own tables.
 * MARGAY_BAD_ARGUMENT for any other shell.
 */
enum margay_status completion_write(const char *shell, struct output *output,
                                    struct margay_error *error);

#endif
