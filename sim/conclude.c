/* conclude.c - how every command that writes ends */
#include "sim/conclude.h"

#include "sim/message.h"
#include "sim/signals.h"

/* Nothing is to be on standard output if a device fails, and there is to be no
   file if standard output does. */
static enum margay_status publish(struct output **outputs, size_t count,
                                  struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (int turn = 0; turn < OUTPUT_TURNS; turn++) {
        for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
            if (outputs[i] != NULL && (int)output_turn(outputs[i]) == turn)
                status = output_publish(outputs[i], error);
        }
    }
    return status;
}

int conclude(enum margay_status status, struct output **outputs, size_t count,
             struct margay_error *error)
{
    message_wipe_status();
    /* All that can fail comes before the first thing that can be seen. */
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (outputs[i] != NULL)
            status = output_finish(outputs[i], error);
    }
    if (status == MARGAY_OK)
        status = publish(outputs, count, error);
    for (size_t i = 0; i < count; i++)
        output_free(outputs[i]);
    if (status != MARGAY_OK)
        return message_error(error);
    return signals_interrupted() ? 128 + signals_interrupted() : EXIT_DONE;
}
