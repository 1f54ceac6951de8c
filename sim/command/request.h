/* request.h - the request of a run that the options make */
#ifndef MARGAY_SIM_COMMAND_REQUEST_H
#define MARGAY_SIM_COMMAND_REQUEST_H

#include "sim/options/options.h"
#include <margay/run.h>

/* The number of options that ask for a column which not every trace has. */
#define REQUEST_NEEDS 18

/* What these options ask for; the need of an option that is not given is
   empty. */
void request_needs(const struct options *options,
                   struct margay_need needs[REQUEST_NEEDS]);

/*
 * The request of a command that reads traces, without needs; without operands
 * the trace is standard input.  The options must outlive the request.
 */
struct margay_request request_of(const struct options *options);

/* The engine that the options ask for; `needs` is a set of enum
   margay_engine_ability. */
struct margay_engine_request request_engine(const struct options *options,
                                            unsigned needs);

/* Are all traces read as one (--join, --mix)?  Their threads are then the
   traces. */
bool request_joins(const struct options *options);

/* Does --tenant ask for threads, not for a column of a table? */
bool request_tenants_are_threads(const struct options *options);

/* MARGAY_BAD_ARGUMENT for options of a run that contradict each other. */
enum margay_status request_check(const struct options *options,
                                 struct margay_error *error);

/* Once the command has succeeded, say what was guessed of a trace, which has
   been read, and which lines of it were passed over. */
void request_tell_reading(const struct options *options, const char *name,
                          const margay_trace *trace);

#endif
