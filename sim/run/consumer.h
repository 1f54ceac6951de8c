/* consumer.h - the calls of a consumer, with what it may leave out */
#ifndef MARGAY_SIM_RUN_CONSUMER_H
#define MARGAY_SIM_RUN_CONSUMER_H

#include <margay/run.h>

static inline enum margay_status margay_consumer_begin(
    margay_consumer *consumer, const struct margay_pass *passes, size_t count,
    const struct margay_share *share, struct margay_error *error)
{
    return consumer->functions->begin == NULL
               ? MARGAY_OK
               : consumer->functions->begin(consumer, passes, count, share,
                                            error);
}

static inline enum margay_status margay_consumer_feed(
    margay_consumer *consumer, const struct margay_pass *pass,
    const struct margay_span *span, struct margay_error *error)
{
    return consumer->functions->feed(consumer, pass, span, error);
}

static inline enum margay_status margay_consumer_reset(
    margay_consumer *consumer, const struct margay_pass *pass,
    struct margay_error *error)
{
    return consumer->functions->reset == NULL
               ? MARGAY_OK
               : consumer->functions->reset(consumer, pass, error);
}

static inline enum margay_status margay_consumer_finish(
    margay_consumer *consumer, const struct margay_pass *pass,
    struct margay_error *error)
{
    return consumer->functions->finish == NULL
               ? MARGAY_OK
               : consumer->functions->finish(consumer, pass, error);
}

#endif
