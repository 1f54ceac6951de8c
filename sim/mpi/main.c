/* main.c - margay-mpi: the same command, on all ranks of a cluster */
#include <unistd.h>

#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "stackdist/stackdist_internal.h"

/* The cores of a machine are shared by the ranks on it. */
static unsigned cores_for_each(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned ranks = margay_mpi_local_ranks();
    return cores <= (long)ranks ? 1 : (unsigned)cores / ranks;
}

int main(int argument_count, char **arguments)
{
    struct margay_transport transport;
    margay_mpi_begin(&argument_count, &arguments, &transport);
    options_set_usual_threads(cores_for_each());
    drive_set_ranks(&transport);
    if (drive_is_helper())
        message_be_silent();
    int exit_status = program_run(argument_count, arguments);
    margay_mpi_end();
    return exit_status;
}
