/* allocations.h - memory that the program allocates, and variables of files */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_ALLOCATIONS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_ALLOCATIONS_H

/* Record which files of code are loaded where, with their variables. */
void margay_allocations_tell_files(void);

#endif
