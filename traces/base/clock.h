/* clock.h - the system's clocks in seconds */
#ifndef MARGAY_TRACES_BASE_CLOCK_H
#define MARGAY_TRACES_BASE_CLOCK_H

/* Seconds by a clock of clock_gettime(), such as CLOCK_MONOTONIC. */
double margay_clock_seconds(int clock);

#endif
