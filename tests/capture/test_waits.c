/*
 * test_waits.c - how long a receiver sleeps once no program has its pipe
 *
 * The test asks for how long it is to sleep, and measures no time: poll() is
 * the one here.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* with it, headers define a poll() of their own */
#include <poll.h>

#include "tests/capture/program.h"
#include "tests/tap.h"

static int sleeps[64];
static size_t sleep_count;

int poll(struct pollfd *files, nfds_t count, int wait_ms)
{
    if (count > 0)
        return ppoll(files, count, &(struct timespec){0, 0}, NULL);
    if (sleep_count < sizeof sleeps / sizeof *sleeps)
        sleeps[sleep_count++] = wait_ms;
    return 0;
}

static void look(margay_receiver *receiver, int times)
{
    struct margay_words words;
    struct margay_error error;
    sleep_count = 0;
    for (int i = 0; i < times; i++)
        margay_receiver_next(receiver, 100, &words, &error);
}

int main(void)
{
    static const int longer[] = {1, 2, 4, 8, 16, 32, 64, 100, 100};
    const size_t count = sizeof longer / sizeof *longer;
    struct margay_receiver_options options = {.sites = false};
    struct margay_error error;
    struct program program;
    margay_receiver *receiver;
    if (margay_receiver_create(&options, &receiver, &error) != MARGAY_OK ||
        !program_attach(&program, receiver)) {
        printf("Bail out! no receiver: %s\n", error.message);
        return 1;
    }
    margay_receiver_started(receiver);
    program_own(&program, 0, (uint32_t)getpid(), 0);
    program.buffers[0][0] = margay_word(8, MARGAY_WRITE, 4);
    program_fill(&program, 0, 1, (uint32_t)getpid());
    look(receiver, 5);
    CHECK_U64(sleep_count, 0, "it waits at a pipe that a program has");
    program_close(&program);
    look(receiver, (int)count);
    CHECK(sleep_count == count && memcmp(sleeps, longer, sizeof longer) == 0,
          "a program that closes it ends at once, most likely");
    look(receiver, 1);
    CHECK(sleep_count == 1 && sleeps[0] == 100, "or will not soon");
    program_release(&program);
    margay_receiver_free(receiver);
    return tap_done();
}
