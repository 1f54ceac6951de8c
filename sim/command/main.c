/* main.c - margay */
#include <malloc.h>

#include "sim/options/commands.h"

int main(int argument_count, char **arguments)
{
    /* Buffers for pieces of a trace come and go: the system gives their pages
       once, and no more than is used. */
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 2 << 20);
    mallopt(M_TOP_PAD, 16 << 10);
    return program_run(argument_count, arguments);
}
