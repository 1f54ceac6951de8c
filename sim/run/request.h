/* request.h - what can be known to be wrong with a request */
#ifndef MARGAY_SIM_RUN_REQUEST_H
#define MARGAY_SIM_RUN_REQUEST_H

#include <margay/run.h>

/* Before any consumer is made.  MARGAY_BAD_ARGUMENT, or MARGAY_IO for a trace
   that cannot be read. */
enum margay_status margay_request_check(const struct margay_request *request,
                                        struct margay_error *error);

/* MARGAY_BAD_ARGUMENT: the request asks a consumer for what it cannot do. */
enum margay_status margay_request_check_consumer(
    const struct margay_request *request, const margay_consumer *consumer,
    struct margay_error *error);

#endif
