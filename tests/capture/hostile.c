/*
 * hostile.c - a program that does its recorder all the harm it can
 *
 * usage: hostile HOW [FILE]
 *
 * truncate: cuts every file that it did not open to nothing, and goes on.
 * scrawl: overwrites the state of its recorder's buffers.
 * close: closes them; lose: closes them, and may open none.
 * confine: may have no more memory.
 * forever: goes on.
 * wait: makes FILE to say that it waits, waits for any signal, and ends by it;
 * deaf: the same, but it goes on after the signal, and ends with status 3.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "traces/capture/slots.h"

#define ELEMENTS    4096
#define DESCRIPTORS 4096

static volatile uint64_t array[ELEMENTS];
static volatile sig_atomic_t asked;

static void on_signal(int number)
{
    asked = number;
}

static void write_some(long references)
{
    for (long i = 0; i < references; i++)
        array[i % ELEMENTS] = 1;
}

static void wait_for_signal(const char *file)
{
    int made = open(file, O_WRONLY | O_CREAT, 0600);
    if (made >= 0)
        close(made);
    while (!asked)
        usleep(1000);
}

/* Free the buffers of the recorder while they are full. */
static void scrawl(void)
{
    struct margay_capture *capture = MAP_FAILED;
    const char *variable = getenv(MARGAY_CAPTURE_VARIABLE);
    int file = variable == NULL ? -1 : atoi(variable);
    capture = mmap(NULL, sizeof *capture, PROT_READ | PROT_WRITE, MAP_SHARED,
                   file, 0);
    if (capture == MAP_FAILED)
        return;
    for (uint32_t sent = 0; sent < 1000; sent++) {
        write_some(8192);
        for (uint32_t i = 0; i < MARGAY_MAX_BUFFERS; i++) {
            uint64_t state = atomic_load(&capture->slots[i].state);
            if (margay_slot_stage(state) == MARGAY_SLOT_FULL)
                atomic_compare_exchange_strong(&capture->slots[i].state, &state,
                                               0);
        }
    }
}

int main(int argument_count, char **arguments)
{
    const char *how = argument_count > 1 ? arguments[1] : "";
    if (strcmp(how, "confine") == 0)
        setrlimit(RLIMIT_AS, &(struct rlimit){1, 1});
    write_some(100000);
    if (strcmp(how, "truncate") == 0) {
        for (int i = 3; i < DESCRIPTORS; i++)
            (void)!ftruncate(i, 0);
    } else if (strcmp(how, "close") == 0 || strcmp(how, "lose") == 0) {
        const struct rlimit none = {0, 0};
        if (strcmp(how, "lose") == 0)
            setrlimit(RLIMIT_NOFILE, &none);
        for (int i = 3; i < DESCRIPTORS; i++)
            close(i);
        usleep(300000); /* the recorder sleeps, and must be woken */
    } else if (strcmp(how, "scrawl") == 0) {
        scrawl();
    } else if (strcmp(how, "forever") == 0) {
        for (;;)
            write_some(100000);
    } else if (argument_count > 2) {
        signal(SIGHUP, on_signal);
        signal(SIGTERM, on_signal);
        wait_for_signal(arguments[2]);
        if (strcmp(how, "wait") == 0) {
            signal(asked, SIG_DFL);
            raise(asked);
        }
    }
    write_some(200000);
    return 3;
}
