/*
 * runs.h - runs of small traces
 *
 * What a run finds is written as text, a line for each pass, window or look.
 */
#ifndef MARGAY_TESTS_SIM_RUNS_H
#define MARGAY_TESTS_SIM_RUNS_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <margay/questions.h>
#include <margay/run.h>

#include "tests/chance.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

/* ------------------------------------------------------------- text -- */

struct text {
    FILE *file;
    char *string;
    size_t bytes;
};

static void text_begin(struct text *text)
{
    text->string = NULL;
    text->file = open_memstream(&text->string, &text->bytes);
    if (text->file == NULL)
        abort();
}

/* The string, which the caller frees. */
static char *text_end(struct text *text)
{
    fclose(text->file);
    return text->string;
}

/* ------------------------------------------------------------ traces -- */

/* A file of 64-bit addresses. */
struct trace {
    char path[64];
    uint64_t *numbers;
    size_t count;
};

static char folder[] = "/tmp/margay-run-XXXXXX";

static void make_folder(void)
{
    if (mkdtemp(folder) == NULL)
        abort();
}

static void write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, count, file) != count ||
        fclose(file) != 0)
        abort();
}

/* `count` references among `blocks` blocks of 64 bytes, near ones mostly. */
static void make_trace(struct trace *trace, const char *name, size_t count,
                       uint64_t blocks, uint64_t seed)
{
    seed_chance(seed);
    snprintf(trace->path, sizeof trace->path, "%s/%s.u64", folder, name);
    trace->count = count;
    trace->numbers = calloc(count, sizeof *trace->numbers);
    if (trace->numbers == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        uint64_t among = below(blocks) + 1;
        trace->numbers[i] = 64 * below(among) + 8;
    }
    write_bytes(trace->path, trace->numbers, count * sizeof *trace->numbers);
}

static void remove_trace(struct trace *trace)
{
    unlink(trace->path);
    free(trace->numbers);
}

/* ------------------------------------------------------ results as text -- */

static void write_result(FILE *file, const struct margay_result *result)
{
    uint64_t distance, count;
    fprintf(file, " inf %" PRIu64, result->infinite);
    for (uint64_t at = 0;
         margay_histogram_next(result->histogram, at, &distance, &count);
         at = distance + 1)
        fprintf(file, " %" PRIu64 ":%" PRIu64, distance, count);
    fprintf(file, "\n");
}

static void write_name(FILE *file, const char *path, uint64_t block_bytes,
                       uint64_t window)
{
    fprintf(file, "%s %" PRIu64 " %" PRIu64, path, block_bytes, window);
}

/* ------------------------------------------------------------ the host -- */

struct seat {
    struct text ended, looked;
    const char *state_path; /* that is written to */
    atomic_uint stop_calls; /* so far */
    unsigned most_calls;    /* of stop(), until it says so; 0 = never */
    uint64_t cut_refs;      /* of MARGAY_CUT_SHORT */
    uint64_t resumed_refs;  /* of MARGAY_RESUMED */
    size_t nothing;         /* how often MARGAY_READ_NOTHING came */
};

/* The distances of the engine exact. */
static margay_question *ask_engine(void)
{
    const struct margay_engine_request engine = MARGAY_ENGINE_REQUEST_DEFAULT;
    margay_question *question;
    if (margay_engine_question(&engine, NULL, &question, NULL) != MARGAY_OK)
        abort();
    return question;
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct seat *seat = context;
    (void)error;
    write_name(seat->ended.file, pass->trace, pass->block_bytes, pass->window);
    write_result(seat->ended.file,
                 margay_engine_analysis_result(job->analyses[pass->index]));
    return MARGAY_OK;
}

static enum margay_status write_look(void *context,
                                     const struct margay_job *job,
                                     uint64_t references,
                                     struct margay_error *error)
{
    struct seat *seat = context;
    (void)error;
    for (size_t i = 0; i < job->pass_count; i++) {
        const struct margay_pass *pass = &job->passes[i];
        write_name(seat->looked.file, pass->trace, pass->block_bytes,
                   references);
        write_result(seat->looked.file,
                     margay_engine_analysis_result(job->analyses[pass->index]));
    }
    return MARGAY_OK;
}

static enum margay_status write_sink(void *context, const void *bytes,
                                     size_t count, struct margay_error *error)
{
    (void)error;
    return fwrite(bytes, 1, count, context) == count ? MARGAY_OK : MARGAY_IO;
}

static enum margay_status save_state(void *context,
                                     const struct margay_job *job,
                                     struct margay_error *error)
{
    FILE *file = fopen(((struct seat *)context)->state_path, "wb");
    const struct margay_sink sink = {file, write_sink};
    if (file == NULL)
        abort();
    enum margay_status status = margay_job_save(job, &sink, error);
    fclose(file);
    return status;
}

static bool stop_in_time(void *context)
{
    struct seat *seat = context;
    return seat->most_calls != 0 &&
           atomic_fetch_add(&seat->stop_calls, 1) >= seat->most_calls;
}

static void note_news(void *context, const struct margay_job *job,
                      const struct margay_notice *notice)
{
    struct seat *seat = context;
    (void)job;
    if (notice->news == MARGAY_RESUMED)
        seat->resumed_refs = notice->references;
    if (notice->news == MARGAY_CUT_SHORT)
        seat->cut_refs = notice->references;
    seat->nothing += notice->news == MARGAY_READ_NOTHING;
}

static struct margay_host host_of(struct seat *seat)
{
    text_begin(&seat->ended);
    text_begin(&seat->looked);
    return (struct margay_host){
        .context = seat,
        .ended = write_pass,
        .look = write_look,
        .save = save_state,
        .stop = stop_in_time,
        .tell = note_news,
    };
}

static void seat_end(struct seat *seat)
{
    free(text_end(&seat->ended));
    free(text_end(&seat->looked));
}

#endif
