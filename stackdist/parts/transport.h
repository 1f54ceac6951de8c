/*
 * transport.h - how the ranks of a cluster reach each other
 *
 * This is MPI in a cluster, and something simpler in tests.  A failure of the
 * transport ends all ranks, so its functions have no status.
 */
#ifndef MARGAY_STACKDIST_TRANSPORT_H
#define MARGAY_STACKDIST_TRANSPORT_H

#include <stddef.h>

struct margay_transport {
    unsigned rank, ranks;
    void *context;
    /* Send any number of bytes; the other rank receives as many. */
    void (*send)(void *context, unsigned to, const void *bytes, size_t count);
    void (*receive)(void *context, unsigned from, void *bytes, size_t count);
    /* From rank 0 to all others. */
    void (*broadcast)(void *context, void *bytes, size_t count);
    /* End all ranks, where memory has run out while others wait for an answer.
       Does not return. */
    void (*give_up)(void *context);
};

/* ------------------------------------------------------- MPI, in mpi.c -- */

/* Begin with MPI; the arguments are main's.  Threads that do not communicate
   are allowed. */
void margay_mpi_begin(int *argument_count, char ***arguments,
                      struct margay_transport *transport);

/* Ranks on this machine, at least 1. */
unsigned margay_mpi_local_ranks(void);

/* To be called by all ranks. */
void margay_mpi_end(void);

#endif
