/* fuzz_state.c - states that runs go on from, as if their checksum were
   right */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/run/running.h"
#include "tests/fuzz/fuzz.h"
#include <margay/questions.h>

static enum margay_status put_bytes(void *context, const void *data,
                                    size_t bytes, struct margay_error *error)
{
    (void)error;
    if (write(*(int *)context, data, bytes) != (ssize_t)bytes)
        fuzz_fail("no file in memory");
    return MARGAY_OK;
}

static enum margay_status take(void *context,
                               const struct margay_series *series,
                               struct margay_error *error)
{
    (void)context, (void)series, (void)error;
    return MARGAY_OK;
}

/* Blocks, objects, requests, policies, times; by tenants or not. */
static margay_question *ask(unsigned which)
{
    static const struct margay_sizes all = {.kind = MARGAY_SIZES_ALL};
    static const char *const policies[] = {"opt", "fifo"};
    struct margay_engine_request engine = {.seed = 1};
    struct margay_objects_options objects = MARGAY_OBJECTS_OPTIONS_DEFAULT;
    const struct margay_prefixes_request requests = {.engine = engine,
                                                     .directory = "/tmp"};
    const struct margay_policies_request replay = {
        .policies = policies, .policy_count = 2, .directory = "/tmp"};
    margay_question *question, *apart;
    enum margay_status status;
    objects.curve = &all;
    objects.ages = which & 8;
    engine.measure =
        which % 5 == 4 ? MARGAY_REUSE_TIMES : MARGAY_REUSE_DISTANCES;
    status = which % 5 == 1
                 ? margay_objects_question(&objects, NULL, &question, NULL)
             : which % 5 == 2
                 ? margay_prefixes_question(&requests, &question, NULL)
             : which % 5 == 3
                 ? margay_policies_question(&replay, &question, NULL)
                 : margay_engine_question(&engine, NULL, &question, NULL);
    if (status == MARGAY_OK && which >= 16) {
        status =
            margay_split_question(MARGAY_BY_TENANT, question, &apart, NULL);
        question = apart;
    }
    if (status != MARGAY_OK)
        fuzz_fail("the question fails");
    return question;
}

/* What goes on from a state can be seen. */
static void go_on(struct margay_running *running, margay_question *question)
{
    static const struct margay_share share = {.threads = 1, .pass_count = 1};
    struct margay_pass *pass = &running->passes[0];
    margay_analysis **analysis = &running->analyses[0];
    struct margay_error error = {.message = ""};
    *pass = (struct margay_pass){.trace = "trace", .numbers = MARGAY_IDS};
    running->job = (struct margay_job){.trace = "trace",
                                       .passes = pass,
                                       .analyses = running->analyses,
                                       .pass_count = 1};
    running->fed[0] = (struct margay_fed){
        .keeps = !question->can.saves,
        .columns = question->can.needs | question->can.uses,
    };
    margay_history_begin(&running->fed[0].history, "/tmp", MARGAY_HISTORY_HELD);
    if (margay_question_begin(question, pass, 1, &share, analysis, NULL) !=
        MARGAY_OK)
        fuzz_fail("the analysis fails");
    if (margay_state_restore(&running->state, &running->state.head,
                             &running->job, pass, running->fed,
                             &error) == MARGAY_OK &&
        (margay_analysis_finish(*analysis, NULL) != MARGAY_OK ||
         margay_analysis_series(*analysis, NULL, take, NULL, NULL) !=
             MARGAY_OK))
        fuzz_fail("what goes on fails");
    margay_analysis_free(*analysis);
    margay_history_end(&running->fed[0].history);
}

/* The first byte chooses the question; the rest is what comes after the
   version. */
void fuzz_state(const char *name, const uint8_t *data, size_t bytes)
{
    static const struct margay_word_kind kind = {
        .magic = UINT64_C(0x732079616772616d), .version = 4};
    static struct margay_word_writer writer;
    struct margay_running running = {.index = 0};
    struct margay_error error = {.message = ""};
    char path[32];
    int file = memfd_create("state", 0);
    const struct margay_sink sink = {&file, put_bytes};
    (void)name;
    if (bytes == 0 || file < 0)
        return;
    margay_words_begin(&writer, &sink, &kind);
    for (size_t i = 1; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, data + i, sizeof word);
        margay_words_put(&writer, word);
    }
    margay_words_end(&writer, &error);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (margay_state_read(path, &running.state, &error) == MARGAY_OK) {
        margay_question *question = ask(data[0] % 32);
        go_on(&running, question);
        margay_question_free(question);
    } else if (error.message[0] == '\0') {
        fuzz_fail("no message");
    }
    margay_state_clear(&running.state);
    close(file);
}
