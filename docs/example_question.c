/*
 * example_question.c - a question of a program's own: how far references jump
 *
 *     cc example_question.c -o example_question \
 *         $(pkg-config --cflags --libs margay)
 *     ./example_question TRACE...
 *
 * prints the trace, its references to blocks of 64 bytes, and their mean stride
 * in blocks: how far each is from the one before it, up or down.
 */
#include <inttypes.h>
#include <stdio.h>

#include <margay/run.h>

/* What is known of a pass, all 0 at first.  It begins with a margay_analysis.
 */
struct strides {
    margay_analysis analysis;
    uint64_t references, last;
    double sum;
};

static enum margay_status feed(margay_analysis *analysis,
                               const struct margay_span *span,
                               struct margay_error *error)
{
    struct strides *strides = (struct strides *)analysis;
    (void)error;
    for (size_t i = 0; i < span->count; i++) {
        uint64_t block = span->blocks[i], last = strides->last;
        if (strides->references++ > 0)
            strides->sum +=
                (double)(block > last ? block - last : last - block);
        strides->last = block;
    }
    return MARGAY_OK;
}

static enum margay_status print(void *context, const struct margay_job *job,
                                const struct margay_pass *pass,
                                struct margay_error *error)
{
    const struct strides *strides =
        (const struct strides *)job->analyses[pass->index];
    (void)context, (void)error;
    if (strides->references > 1)
        printf("%s,%" PRIu64 ",%.3f\n", pass->trace, strides->references,
               strides->sum / (double)(strides->references - 1));
    return MARGAY_OK;
}

int main(int argument_count, char **arguments)
{
    /* Block sizes, and traces, may be analysed at the same time. */
    const struct margay_analysis_class functions = {
        .bytes = sizeof(struct strides), .feed = feed};
    const margay_question question = {.functions = &functions,
                                      .can = {.passes = true, .traces = true},
                                      .name = "strides"};
    const struct margay_host host = {.ended = print};
    struct margay_request request = MARGAY_REQUEST_DEFAULT;
    struct margay_outcome outcome;
    struct margay_error error;
    if (argument_count < 2)
        return 2;
    request.traces = (const char *const *)arguments + 1;
    request.trace_count = (size_t)argument_count - 1;
    request.threads = 4;
    enum margay_status status =
        margay_run_request(&request, &question, &host, &outcome, &error);
    if (status != MARGAY_OK)
        fprintf(stderr, "example_question: %s\n", error.message);
    return status == MARGAY_OK ? 0 : 1;
}
