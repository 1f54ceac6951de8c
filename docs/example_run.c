/*
 * example_run.c - two traces at four block sizes, on all threads
 *
 *     cc example_run.c -o example_run $(pkg-config --cflags --libs margay)
 *     ./example_run TRACE1 TRACE2 [STATE]
 *
 * prints the window, trace, block size, references and misses of a fully
 * associative LRU cache of 1024 blocks, for each 10,000 references of each
 * trace.  If STATE names what margay curve --save has written for blocks of 64
 * bytes, a last line counts what that run read and then all of TRACE2.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <margay/questions.h>
#include <margay/run.h>

/* A reference hits if its reuse distance is below 1024. */
static enum margay_status print_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    const struct margay_result *result =
        margay_engine_analysis_result(job->analyses[pass->index]);
    uint64_t distance, count, hits = 0;
    (void)context, (void)error;
    for (uint64_t from = 0;
         margay_histogram_next(result->histogram, from, &distance, &count) &&
         distance < 1024;
         from = distance + 1)
        hits += count;
    printf("%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", pass->window,
           pass->trace, pass->block_bytes, result->references,
           result->references - hits);
    return MARGAY_OK;
}

int main(int argument_count, char **arguments)
{
    static const uint64_t block_bytes[] = {32, 64, 128, 256};
    static struct margay_host host; /* zero: what it lacks is not called */
    struct margay_engine_request engine = MARGAY_ENGINE_REQUEST_DEFAULT;
    struct margay_request request = MARGAY_REQUEST_DEFAULT;
    struct margay_outcome outcome;
    margay_question *question;
    struct margay_error error;
    if (argument_count < 3)
        return 2;
    host.ended = print_pass;
    request.traces = (const char *const *)arguments + 1;
    request.trace_count = 2;
    request.block_bytes = block_bytes;
    request.block_count = 4;
    request.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    request.window_refs = 10000;
    enum margay_status status =
        margay_engine_question(&engine, NULL, &question, &error);
    if (status == MARGAY_OK)
        status =
            margay_run_request(&request, question, &host, &outcome, &error);
    if (status == MARGAY_OK && argument_count > 3) {
        request.traces++, request.trace_count = 1;
        request.block_bytes++, request.block_count = 1;
        request.window_refs = 0;
        request.resume_path = arguments[3];
        status =
            margay_run_request(&request, question, &host, &outcome, &error);
    }
    margay_question_free(question);
    if (status != MARGAY_OK)
        fprintf(stderr, "example_run: %s\n", error.message);
    return status == MARGAY_OK ? 0 : 1;
}
