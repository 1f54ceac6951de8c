/* mpi.h - MPI as a transport */
#ifndef MARGAY_STACKDIST_MPI_H
#define MARGAY_STACKDIST_MPI_H

#include "stackdist/mpi/transport.h"

/* Begin with MPI; the arguments are main's.  Threads that do not communicate
   are allowed. */
void margay_mpi_begin(int *argument_count, char ***arguments,
                      struct margay_transport *transport);

/* Ranks on this machine, at least 1. */
unsigned margay_mpi_local_ranks(void);

/* To be called by all ranks. */
void margay_mpi_end(void);

#endif
