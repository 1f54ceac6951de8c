/*
 * cluster.h - one pass over a trace, on all ranks of a cluster
 *
 * All ranks make the same calls in the same order, apart from feeding.  In each
 * phase every rank is fed a part of the references: the ranks have positions,
 * and the one at position k is fed the k-th part.  The order of positions is
 * reversed from one phase to the next, so that the rank which puts the stack
 * together, at the last position, is at the first position in the next phase,
 * where the stack is needed.
 *
 * The part of a rank is divided among its threads, as a row of parts (row.h).
 *
 * Source: Niu et al., "PARDA", IPDPS 2012, Algorithms 4 to 7 (see
 * part.h).
 */
#ifndef MARGAY_STACKDIST_CLUSTER_H
#define MARGAY_STACKDIST_CLUSTER_H

#include "traces/traces_internal.h"
#include <margay/stackdist.h>

/* How the ranks reach each other: by MPI in a cluster, and by something simpler
   in tests.  A failure of the transport ends all ranks, so its functions have
   no status. */
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

/* ------------------------------------------------------------ the ranks -- */

typedef struct margay_cluster margay_cluster;

/* For engines with MARGAY_CAN_SHARE_RANKS.  The crew is this rank's threads,
   which the caller may use between calls. MARGAY_BAD_ARGUMENT or
   MARGAY_NO_MEMORY, on this rank alone. */
enum margay_status margay_cluster_create(
    const struct margay_transport *transport, const char *spec,
    const struct margay_engine_options *options, margay_crew *crew,
    margay_cluster **cluster, struct margay_error *error);
void margay_cluster_free(margay_cluster *cluster);

/* The position of this rank in the current phase, from 0 on. */
unsigned margay_cluster_position(const margay_cluster *cluster);

/* About `refs` references come to this rank, to be fed in `parts` consecutive
   ones, up to MARGAY_ROW_MAX_PARTS. */
enum margay_status margay_cluster_begin_phase(margay_cluster *cluster,
                                              unsigned parts, uint64_t refs,
                                              struct margay_error *error);
/* Feed a part, each from one thread at a time. */
enum margay_status margay_cluster_feed(margay_cluster *cluster, unsigned part,
                                       const uint64_t *blocks, size_t count,
                                       struct margay_error *error);
/* To be called when all ranks have been fed without failure.  `more`: another
   phase will follow. */
void margay_cluster_end_phase(margay_cluster *cluster, bool more);

/* Between phases, on all ranks: forget all counts. */
void margay_cluster_reset_counts(margay_cluster *cluster);

/* After the last phase: the result, on rank 0 alone, owned by the caller. */
void margay_cluster_finish(margay_cluster *cluster,
                           struct margay_result *result);

#endif
