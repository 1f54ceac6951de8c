/* request.h - what can be known to be wrong with a request */
#ifndef MARGAY_SIM_RUN_REQUEST_H
#define MARGAY_SIM_RUN_REQUEST_H

#include <margay/run.h>

/* Before anything is asked of a question.  MARGAY_BAD_ARGUMENT, or MARGAY_IO
   for a trace that cannot be read. */
enum margay_status margay_request_check(const struct margay_request *request,
                                        struct margay_error *error);

/* MARGAY_BAD_ARGUMENT: the request wants of a question what it cannot do. */
enum margay_status margay_request_check_question(
    const struct margay_request *request, const margay_question *question,
    struct margay_error *error);

#endif
