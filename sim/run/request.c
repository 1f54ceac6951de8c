/* request.c - what can be known to be wrong with a request */
#include "sim/run/request.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "traces/traces_internal.h"

/* What can be known to fail should not fail after hours. */
static enum margay_status check_names(const struct margay_request *request,
                                      struct margay_error *error)
{
    unsigned standard_inputs = 0;
    for (size_t i = 0; i < request->trace_count; i++) {
        const char *name = request->traces[i];
        if (strcmp(name, "-") == 0)
            standard_inputs++;
        else if (access(name, R_OK) != 0)
            return margay_fail(error, MARGAY_IO, "%s: %s",
                               *name == '\0' ? "''" : name, strerror(errno));
    }
    if (standard_inputs > 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "-: standard input can be read only once");
    return MARGAY_OK;
}

/* Passes are numbered in arrays of a fixed length, and a batch is cut by the
   smallest and the largest block. */
static enum margay_status check_blocks(const struct margay_request *request,
                                       struct margay_error *error)
{
    const uint64_t *bytes = request->block_bytes;
    if (request->block_count > MARGAY_MOST_BLOCK_SIZES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%zu block sizes (expected at most %d)",
                           request->block_count, MARGAY_MOST_BLOCK_SIZES);
    for (size_t i = 0; i < request->block_count; i++) {
        if (!margay_is_power_of_two(bytes[i]))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "a block of %" PRIu64 " bytes (expected a power "
                               "of two)",
                               bytes[i]);
        if (i > 0 && bytes[i] <= bytes[i - 1])
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "a block of %" PRIu64 " bytes after one of "
                               "%" PRIu64 " (expected a larger one)",
                               bytes[i], bytes[i - 1]);
    }
    return MARGAY_OK;
}

static bool has_looks(const struct margay_request *request)
{
    return request->every_refs != 0 || request->every_seconds != 0;
}

static bool has_states(const struct margay_request *request)
{
    return has_looks(request) || request->saves || request->resume_path != NULL;
}

static enum margay_status check_looks(const struct margay_request *request,
                                      struct margay_error *error)
{
    if (!has_states(request))
        return MARGAY_OK;
    if (request->window_refs != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--window does not go with --every, --save and "
                           "--resume: a state has no windows");
    if (request->trace_count > 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every, --save and --resume are for one trace at "
                           "a time, not %zu",
                           request->trace_count);
    return MARGAY_OK;
}

enum margay_status margay_request_check(const struct margay_request *request,
                                        struct margay_error *error)
{
    enum margay_status status = check_names(request, error);
    if (status == MARGAY_OK)
        status = check_blocks(request, error);
    return status == MARGAY_OK ? check_looks(request, error) : status;
}

enum margay_status margay_request_check_question(
    const struct margay_request *request, const margay_question *question,
    struct margay_error *error)
{
    if (!question->can.looks &&
        (request->window_refs != 0 || has_looks(request)))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s cannot be looked into before its end, as "
                           "--window and --every need",
                           question->name);
    if (!question->can.saves &&
        (request->saves || request->resume_path != NULL))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s has no state that --save and --resume could "
                           "keep",
                           question->name);
    return MARGAY_OK;
}
