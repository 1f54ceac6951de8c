/* functions.h - entries and returns of functions */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_FUNCTIONS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_FUNCTIONS_H

#include <stdint.h>

/* The function with the code at this site begins, or returns.  Where no
   function is waited for, the calling thread's margay_recorder.watches is 0
   afterwards. */
void margay_functions_enter(uint64_t site);
void margay_functions_leave(uint64_t site);

#endif
