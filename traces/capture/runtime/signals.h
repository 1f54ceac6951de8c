/* signals.h - faults that are ours, and those that are the program's */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_SIGNALS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_SIGNALS_H

#include <stdbool.h>

/* From now on each fault is shown to `is_ours` first, which returns true if
   the instruction can be tried again.  Does nothing from the second call on. */
void margay_signals_take_faults(bool (*is_ours)(const void *address));

#endif
