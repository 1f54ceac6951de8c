/*
 * transport.h - how the ranks of a cluster reach each other
 *
 * MPI in a cluster, something simpler in tests.  What goes wrong on the way
 * ends all ranks, so nothing here fails.
 */
#ifndef MARGAY_STACKDIST_TRANSPORT_H
#define MARGAY_STACKDIST_TRANSPORT_H

#include <stddef.h>

struct margay_transport {
    unsigned rank, ranks;
    void *context;
    /* Any number of bytes; the other side receives as many. */
    void (*send)(void *context, unsigned to, const void *bytes, size_t count);
    void (*receive)(void *context, unsigned from, void *bytes, size_t count);
    /* From rank 0 to all others. */
    void (*broadcast)(void *context, void *bytes, size_t count);
    /* Memory has run out where others wait for an answer: end all ranks.  It
       does not return. */
    void (*give_up)(void *context);
};

#endif
