/*
 * deliver.c - what it costs to have the references of a program
 *
 *     deliver [--drop] PROGRAM ARGUMENT...
 *
 * Runs a program that is built for the recorder, reads every word that it
 * sends, or with --drop none, and prints a line: the words, and the processor
 * seconds, user and system, of the program and of the reader.  The program's
 * output is thrown away.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traces/capture/receiver.h"

static volatile uint64_t sum; /* so that words are read */

static double seconds(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static pid_t start(margay_receiver *receiver, char **command)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    char *variable = strdup(margay_receiver_environment(receiver));
    int null = open("/dev/null", O_WRONLY);
    margay_receiver_pass_on(receiver);
    if (variable != NULL && putenv(variable) == 0 &&
        dup2(null, STDOUT_FILENO) >= 0)
        execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

static uint64_t add_up(const struct margay_words *words)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < words->count; i++)
        all ^= words->words[i];
    return all;
}

/* Take all words of the program, and return how many there were. */
static uint64_t take(margay_receiver *receiver, pid_t child, bool drop)
{
    struct margay_words words;
    struct margay_error error;
    enum margay_status status;
    uint64_t count = 0;
    bool ended = false;
    do {
        status = margay_receiver_next(receiver, 100, &words, &error);
        count += words.count;
        sum ^= drop ? 0 : add_up(&words);
        if (!ended && waitpid(child, NULL, WNOHANG) == child) {
            ended = true;
            margay_receiver_finish(receiver, true);
        }
    } while (status == MARGAY_OK || status == MARGAY_AGAIN);
    if (!ended)
        waitpid(child, NULL, 0);
    return count;
}

int main(int argc, char **argv)
{
    const struct margay_receiver_options options = {.sites = false};
    bool drop = argc > 1 && strcmp(argv[1], "--drop") == 0;
    margay_receiver *receiver;
    struct margay_error error;
    if (argc < 2 + drop) {
        fprintf(stderr, "usage: deliver [--drop] PROGRAM ARGUMENT...\n");
        return 2;
    }
    if (margay_receiver_create(&options, &receiver, &error) != MARGAY_OK) {
        fprintf(stderr, "deliver: %s\n", error.message);
        return 2;
    }
    pid_t child = start(receiver, argv + 1 + drop);
    margay_receiver_started(receiver);
    uint64_t words = take(receiver, child, drop);
    margay_receiver_free(receiver);
    printf("%" PRIu64 " %.3f %.3f\n", words, seconds(RUSAGE_CHILDREN),
           seconds(RUSAGE_SELF));
    return 0;
}
