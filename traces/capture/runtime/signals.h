/* signals.h - faults of the recorder, and faults of the program */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_SIGNALS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_SIGNALS_H

#include <stdbool.h>

/* From now on each fault goes to `is_ours` first, which returns true if the
   instruction can be repeated.  Further calls do nothing. */
void margay_signals_take_faults(bool (*is_ours)(const void *address));

#endif
