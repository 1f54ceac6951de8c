/* mpi.c - MPI as a transport */
#include "stackdist/parts/cluster.h"

#include <mpi.h>

/* MPI counts in int. */
#define PIECE_BYTES ((size_t)1 << 30)

/* The exit status of all ranks when they cannot go on together. */
#define EXIT_GIVEN_UP 2

static void send_bytes(void *context, unsigned to, const void *bytes,
                       size_t count)
{
    (void)context;
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < PIECE_BYTES ? count - done : PIECE_BYTES;
        MPI_Send((const char *)bytes + done, (int)some, MPI_BYTE, (int)to, 0,
                 MPI_COMM_WORLD);
    }
}

static void receive_bytes(void *context, unsigned from, void *bytes,
                          size_t count)
{
    (void)context;
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < PIECE_BYTES ? count - done : PIECE_BYTES;
        MPI_Recv((char *)bytes + done, (int)some, MPI_BYTE, (int)from, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void broadcast_bytes(void *context, void *bytes, size_t count)
{
    (void)context;
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < PIECE_BYTES ? count - done : PIECE_BYTES;
        MPI_Bcast((char *)bytes + done, (int)some, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
}

__attribute__((noreturn)) static void give_up(void *context)
{
    (void)context;
    MPI_Abort(MPI_COMM_WORLD, EXIT_GIVEN_UP);
    for (;;)
        ; /* it does not return */
}

void margay_mpi_begin(int *argument_count, char ***arguments,
                      struct margay_transport *transport)
{
    int provided, rank, ranks;
    MPI_Init_thread(argument_count, arguments, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    *transport = (struct margay_transport){
        .rank = (unsigned)rank,
        .ranks = (unsigned)ranks,
        .send = send_bytes,
        .receive = receive_bytes,
        .broadcast = broadcast_bytes,
        .give_up = give_up,
    };
}

unsigned margay_mpi_local_ranks(void)
{
    MPI_Comm local;
    int ranks;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &local);
    MPI_Comm_size(local, &ranks);
    MPI_Comm_free(&local);
    return (unsigned)ranks;
}

void margay_mpi_end(void)
{
    MPI_Finalize();
}
