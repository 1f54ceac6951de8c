/*
 * late.c - handlers of signals while their threads end
 *
 *     late THREADS
 *
 * A thread raises a signal in a destructor, each time that destructors run, as
 * often as they do; the handler writes a word of 8 bytes.  Prints how many.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The compilers leave it as it is. */
#ifdef __clang__
#define UNRECORDED __attribute__((disable_sanitizer_instrumentation))
#else
#define UNRECORDED __attribute__((no_sanitize_thread))
#endif

static volatile uint64_t word;
static volatile unsigned handled;
static pthread_key_t key;

static void on_signal(int number)
{
    word = (uint64_t)number;
    handled++;
}

UNRECORDED static void at_end(void *argument)
{
    raise(SIGUSR1);
    pthread_setspecific(key, argument);
}

static void *begin(void *argument)
{
    pthread_setspecific(key, &key);
    return argument;
}

int main(int count, char **arguments)
{
    pthread_t thread;
    signal(SIGUSR1, on_signal);
    if (pthread_key_create(&key, at_end) != 0)
        return 2;
    for (long i = count > 1 ? atol(arguments[1]) : 1; i > 0; i--) {
        if (pthread_create(&thread, NULL, begin, NULL) != 0 ||
            pthread_join(thread, NULL) != 0)
            return 2;
    }
    printf("%u\n", handled);
    return 0;
}
