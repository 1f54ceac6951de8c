/* sink.c - an output as the place where a writer's bytes go */
#include "sim/sink.h"

enum margay_status sink_write(void *context, const void *bytes, size_t count,
                              struct margay_error *error)
{
    struct output *output = *(struct output **)context;
    output_bytes(output, bytes, count);
    return output_status(output, error);
}
