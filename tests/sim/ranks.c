/*
 * ranks.c - margay-mpi without MPI: ranks are processes of this machine
 *
 *     ranks N ARGUMENT...
 *
 * What ranks say to each other goes through sockets, and a send waits for its
 * receiver as soon as a socket is full.  That is all that MPI promises, starts
 * a hundred times as fast as mpirun, and runs under the sanitizers.  As under
 * mpirun, standard input is for rank 0 alone, and the exit status the first
 * that is not 0.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "stackdist/stackdist_internal.h"

#define MOST_RANKS 16

/* sockets[i][k]: of rank i, to rank k. */
static int sockets[MOST_RANKS][MOST_RANKS];
static unsigned ranks;

/* A rank that is left alone cannot go on. */
__attribute__((noreturn)) static void give_up(void *context)
{
    (void)context;
    _exit(2);
}

static void send_bytes(void *context, unsigned to, const void *bytes,
                       size_t count)
{
    const struct margay_transport *self = context;
    const char *at = bytes;
    while (count > 0) {
        ssize_t sent = send(sockets[self->rank][to], at, count, MSG_NOSIGNAL);
        if (sent <= 0)
            give_up(NULL);
        at += sent;
        count -= (size_t)sent;
    }
}

static void receive_bytes(void *context, unsigned from, void *bytes,
                          size_t count)
{
    const struct margay_transport *self = context;
    char *at = bytes;
    while (count > 0) {
        ssize_t received = recv(sockets[self->rank][from], at, count, 0);
        if (received <= 0)
            give_up(NULL);
        at += received;
        count -= (size_t)received;
    }
}

static void broadcast_bytes(void *context, void *bytes, size_t count)
{
    const struct margay_transport *self = context;
    for (unsigned i = 1; self->rank == 0 && i < ranks; i++)
        send_bytes(context, i, bytes, count);
    if (self->rank != 0)
        receive_bytes(context, 0, bytes, count);
}

static void connect_all(void)
{
    for (unsigned i = 0; i < ranks; i++) {
        for (unsigned k = 0; k < i; k++) {
            int pair[2];
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
                exit(3);
            sockets[i][k] = pair[0];
            sockets[k][i] = pair[1];
        }
    }
}

/* Sockets of others would stay open when these have gone. */
static void keep_own(unsigned rank)
{
    for (unsigned i = 0; i < ranks; i++) {
        for (unsigned k = 0; k < ranks; k++) {
            if (i != k && i != rank)
                close(sockets[i][k]);
        }
    }
}

static int be_rank(unsigned rank, int argument_count, char **arguments)
{
    struct margay_transport transport = {
        .rank = rank,
        .ranks = ranks,
        .context = &transport,
        .send = send_bytes,
        .receive = receive_bytes,
        .broadcast = broadcast_bytes,
        .give_up = give_up,
    };
    keep_own(rank);
    drive_set_ranks(&transport);
    if (rank != 0) {
        int nothing = open("/dev/null", O_RDONLY);
        dup2(nothing, STDIN_FILENO);
        close(nothing);
        message_be_silent();
    }
    return program_run(argument_count, arguments);
}

static int await_all(const pid_t *children)
{
    int first = 0;
    for (unsigned i = 0; i < ranks; i++) {
        int status = 0;
        pid_t child = wait(&status);
        int exit_status =
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        first = first == 0 ? exit_status : first;
        /* One that crashes takes the others with it. */
        for (unsigned k = 0; WIFSIGNALED(status) && k < ranks; k++) {
            if (children[k] != child && children[k] > 0)
                kill(children[k], SIGTERM);
        }
    }
    return first;
}

int main(int argument_count, char **arguments)
{
    pid_t children[MOST_RANKS];
    long wanted = argument_count < 3 ? 0 : strtol(arguments[1], NULL, 10);
    if (wanted < 1 || wanted > MOST_RANKS) {
        fprintf(stderr, "usage: ranks N ARGUMENT...\n");
        return 3;
    }
    ranks = (unsigned)wanted;
    connect_all();
    for (unsigned i = 0; i < ranks; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            arguments[1] = arguments[0];
            return be_rank(i, argument_count - 1, arguments + 1);
        }
    }
    keep_own(ranks);
    return await_all(children);
}
