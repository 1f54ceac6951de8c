/* clock.c - the system's clocks in seconds */
#define _POSIX_C_SOURCE 200809L
#include "traces/base/clock.h"

#include <time.h>

double margay_clock_seconds(int clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
