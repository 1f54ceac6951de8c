/* main.c - margay */
#include "sim/command/program.h"

int main(int argument_count, char **arguments)
{
    return program_run(argument_count, arguments);
}
