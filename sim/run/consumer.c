/* consumer.c - what any consumer is asked for */
#include "sim/run/consumer.h"

void margay_consumer_free(margay_consumer *consumer)
{
    if (consumer != NULL)
        consumer->functions->free(consumer);
}
