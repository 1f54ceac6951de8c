/* state.c - the file that a run is continued from */
#define _DEFAULT_SOURCE
#include "sim/run/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/stackdist_internal.h"
#include "traces/traces_internal.h"

#define MAGIC    UINT64_C(0x732079616772616d) /* "margay s" */
#define VERSION  4
#define NAMES_AT 11 /* the letters of names */
#define HEADER_WORDS \
    13 /* with the magic number and the version, without them */
#define PASS_WORDS 6

/* In the place of a bound, where all that was fed is kept. */
#define KEPT UINT64_MAX

/* The passes come one after the other; the first `count` words are known. */
static uint64_t extent(const uint64_t *words, uint64_t count)
{
    uint64_t at = HEADER_WORDS;
    if (count <= NAMES_AT)
        return NAMES_AT + 1;
    if (!margay_add_u64(at, words[NAMES_AT], &at))
        return MARGAY_WORDS_IMPOSSIBLE;
    if (count < at)
        return at;
    uint64_t passes = words[at - 1];
    if (passes < 1 || passes > MARGAY_MOST_BLOCK_SIZES)
        return MARGAY_WORDS_IMPOSSIBLE;
    for (uint64_t i = 0; i < passes && at <= count; i++) {
        uint64_t end = 0;
        if (count < at + PASS_WORDS)
            return at + PASS_WORDS;
        uint64_t bound = words[at + 1], blocks = words[at + 5];
        if ((bound != 0 && blocks > bound) ||
            !margay_multiply_u64(words[at + 4], 2, &end) ||
            !margay_add_u64(end, blocks, &end) ||
            !margay_add_u64(end, at + PASS_WORDS, &end))
            return MARGAY_WORDS_IMPOSSIBLE;
        at = end;
    }
    return at;
}

static const struct margay_word_kind kind = {MAGIC,   VERSION,  VERSION,
                                             "state", "--save", extent};

/* -------------------------------------------------------------- writing -- */

static enum margay_status put_pass(struct margay_word_writer *writer,
                                   margay_analysis *analysis,
                                   const struct margay_pass *pass,
                                   struct margay_error *error)
{
    struct margay_engine_state state;
    uint64_t rows = 0;
    enum margay_status status =
        analysis->functions->save(analysis, &state, error);
    if (status != MARGAY_OK)
        return status;
    MARGAY_EACH_COUNT (state.counts, distance, count)
        rows++;
    margay_words_put(writer, pass->block_bytes);
    margay_words_put(writer, state.bound_blocks);
    margay_words_put(writer,
                     margay_histogram_exceeded_bound(state.counts) != 0);
    margay_words_put(writer, margay_histogram_infinite(state.counts));
    margay_words_put(writer, rows);
    margay_words_put(writer, state.block_count);
    MARGAY_EACH_COUNT (state.counts, distance, count) {
        margay_words_put(writer, distance);
        margay_words_put(writer, count);
    }
    for (uint64_t i = 0; i < state.block_count; i++)
        margay_words_put(writer, state.blocks[i]);
    margay_engine_state_clear(&state);
    return writer->status;
}

/* Each letter is a word, for simplicity: there are few. */
static void put_tenants(struct margay_word_writer *writer, const char *column,
                        const struct margay_job *job)
{
    const char *name = column;
    uint64_t letters = 0;
    for (uint32_t i = 0; name != NULL; i++) {
        letters += strlen(name) + 1;
        name = margay_trace_tenant(job->reader, i);
    }
    margay_words_put(writer, letters);
    name = column;
    for (uint32_t i = 0; name != NULL; i++) {
        size_t bytes = strlen(name) + 1;
        for (size_t k = 0; k < bytes; k++)
            margay_words_put(writer, (unsigned char)name[k]);
        name = margay_trace_tenant(job->reader, i);
    }
}

enum margay_status margay_state_write(const struct margay_sink *sink,
                                      const struct margay_state_head *head,
                                      const char *column,
                                      const struct margay_job *job,
                                      const struct margay_fed *fed,
                                      struct margay_error *error)
{
    struct margay_word_writer *writer = malloc(sizeof *writer);
    uint64_t words[NAMES_AT - MARGAY_WORDS_AHEAD];
    enum margay_status status = MARGAY_OK;
    if (writer == NULL)
        return margay_fail_memory(error, "a state");
    memcpy(words, head, sizeof words);
    margay_words_begin(writer, sink, &kind);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        margay_words_put(writer, words[i]);
    put_tenants(writer, column, job);
    margay_words_put(writer, job->pass_count);
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++) {
        margay_analysis *analysis = job->analyses[i];
        const struct margay_pass *pass = &job->passes[i];
        const uint64_t kept[] = {pass->block_bytes, KEPT,
                                 analysis->question->can.references,
                                 pass->block_tokens, 0};
        for (size_t k = 0; k < PASS_WORDS - 1 && fed[i].keeps; k++)
            margay_words_put(writer, kept[k]);
        status = fed[i].keeps ? margay_fed_write(&fed[i], writer, error)
                              : put_pass(writer, analysis, pass, error);
    }
    /* A failure of the sink is reported last. */
    if (status == MARGAY_OK || writer->status != MARGAY_OK)
        status = margay_words_end(writer, error);
    free(writer);
    return status;
}

/* -------------------------------------------------------------- reading -- */

static enum margay_status read_tenants(struct margay_state *state,
                                       struct margay_error *error)
{
    const uint64_t *words = state->words + NAMES_AT + 1;
    uint64_t letters = state->words[NAMES_AT];
    char *names = malloc((size_t)letters + 1);
    if (names == NULL)
        return margay_fail_memory(error, "the names of tenants");
    state->column = names;
    for (uint64_t i = 0; i < letters; i++) {
        names[i] = (char)words[i];
        state->tenant_count += names[i] == '\0';
    }
    if (letters > 0 && names[letters - 1] != '\0')
        return margay_words_fail(state->path, &kind, NAMES_AT + letters, error,
                                 "a name of a tenant does not end");
    names[letters] = '\0';
    state->tenants = names + strlen(names) + (letters > 0);
    state->tenant_count -= letters > 0;
    return MARGAY_OK;
}

enum margay_status margay_state_read(const char *path,
                                     struct margay_state *state,
                                     struct margay_error *error)
{
    uint64_t *words;
    size_t count;
    *state = (struct margay_state){.path = path};
    enum margay_status status =
        margay_words_read(path, &kind, &words, &count, error);
    if (status != MARGAY_OK)
        return status;
    state->words = words;
    state->at = (size_t)(HEADER_WORDS + words[NAMES_AT]);
    memcpy(&state->head, words + MARGAY_WORDS_AHEAD, sizeof state->head);
    state->pass_count = (size_t)words[state->at - 1];
    return read_tenants(state, error);
}

struct margay_state_pass margay_state_pass(const struct margay_state *state,
                                           size_t pass)
{
    const uint64_t *words = state->words;
    if (pass >= state->pass_count)
        return (struct margay_state_pass){0, 0};
    for (words += state->at; pass > 0; pass--)
        words += PASS_WORDS + 2 * words[4] + words[5];
    return (struct margay_state_pass){words[0],
                                      words[1] == KEPT ? words[3] : 0};
}

void margay_state_clear(struct margay_state *state)
{
    free(state->words);
    free((char *)state->column);
    *state = (struct margay_state){.words = NULL};
}

/* ------------------------------------------------------------ restoring -- */

static enum margay_status fail_other(const struct margay_state *state,
                                     const char *what, uint64_t saved,
                                     uint64_t wanted,
                                     struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: a state of other options: its %s is %" PRIu64
                       ", and here it is %" PRIu64,
                       state->path, what, saved, wanted);
}

static enum margay_status check_head(const struct margay_state *state,
                                     const struct margay_state_head *wanted,
                                     size_t passes, struct margay_error *error)
{
    const struct margay_state_head *saved = &state->head;
    const struct {
        const char *what;
        uint64_t saved, wanted;
    } fields[] = {
        {"kind of numbers (0 addresses, 1 ids)", saved->numbers,
         wanted->numbers},
        {"unit in bytes", saved->unit_bytes, wanted->unit_bytes},
        {"set of kinds (1 read, 2 write, 4 fetch)", saved->kinds,
         wanted->kinds},
        {"set of operations (1 get, 2 set, 4 delete)", saved->ops, wanted->ops},
        {"splitting of references (0 no, 1 yes)", saved->split, wanted->split},
        {"window in references (0 none)", saved->window_refs,
         wanted->window_refs},
        {"number of block sizes", state->pass_count, passes},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (fields[i].saved != fields[i].wanted)
            return fail_other(state, fields[i].what, fields[i].saved,
                              fields[i].wanted, error);
    }
    return MARGAY_OK;
}

static enum margay_status read_counts(const struct margay_state *state,
                                      size_t at, uint64_t rows,
                                      margay_histogram *counts,
                                      struct margay_error *error)
{
    const uint64_t *row = state->words + at;
    enum margay_status status = MARGAY_OK;
    struct margay_error why;
    for (uint64_t i = 0; i < rows && status == MARGAY_OK; i++, row += 2) {
        if (row[0] == MARGAY_INFINITE || row[1] == 0 ||
            (i > 0 && row[0] <= row[-2]))
            return margay_words_fail(state->path, &kind, at + 2 * i, error,
                                     "found %" PRIu64 " references at distance "
                                     "%" PRIu64
                                     ", expected some at a larger one than "
                                     "before",
                                     row[1], row[0]);
        status = margay_histogram_add(counts, row[0], row[1], &why);
        if (status == MARGAY_NO_MEMORY)
            *error = why;
        else if (status != MARGAY_OK)
            status = margay_words_fail(state->path, &kind, at + 2 * i, error,
                                       "%s", why.message);
    }
    return status;
}

/* A stack of blocks, and counts. */
static enum margay_status restore_stack(const struct margay_state *state,
                                        const uint64_t *words,
                                        margay_analysis *analysis,
                                        struct margay_error *error)
{
    size_t rows_at = (size_t)(words - state->words) + PASS_WORDS;
    uint64_t rows = words[4];
    struct margay_engine_state kept = {
        .blocks = state->words + rows_at + 2 * rows,
        .block_count = words[5],
        .bound_blocks = words[1],
    };
    enum margay_status status = margay_histogram_create(&kept.counts, error);
    if (status == MARGAY_OK)
        status =
            margay_histogram_add(kept.counts, MARGAY_INFINITE, words[3], error);
    if (status == MARGAY_OK)
        status = read_counts(state, rows_at, rows, kept.counts, error);
    if (status == MARGAY_OK && words[2] != 0)
        margay_histogram_set_exceeded_bound(kept.counts, words[1]);
    if (status == MARGAY_OK)
        status = analysis->functions->load(analysis, &kept, error);
    if (status == MARGAY_BAD_ARGUMENT) {
        const struct margay_error why = *error;
        margay_fail(error, status, "%s: a state of other options: %s",
                    state->path, why.message);
    }
    margay_histogram_free(kept.counts);
    return status;
}

/* All that was fed. */
static enum margay_status restore_fed(const struct margay_state *state,
                                      const uint64_t *words,
                                      margay_analysis *analysis,
                                      struct margay_pass *pass,
                                      struct margay_fed *fed,
                                      struct margay_error *error)
{
    uint64_t whole = analysis->question->can.references, taken;
    if (words[2] != whole)
        return fail_other(state, "kind of references (0 blocks, 1 objects)",
                          words[2], whole, error);
    if (words[3] != pass->block_tokens)
        return fail_other(state, "number of tokens of a block (0 unknown)",
                          words[3], pass->block_tokens, error);
    enum margay_status status = margay_fed_again(
        words + PASS_WORDS, words[5], analysis, pass, fed, &taken, error);
    if (status != MARGAY_OK || taken == words[5])
        return status;
    const uint64_t *span = words + PASS_WORDS + taken;
    unsigned lacks = analysis->question->can.needs &
                     ~((unsigned)MARGAY_COLUMN_DISTANCES | (unsigned)span[1]);
    if (taken + 1 < words[5] && lacks != 0)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "%s: a state of other options: it was saved without %s, which %s "
            "need here",
            state->path,
            margay_column_name((enum margay_column)(lacks & -lacks)),
            analysis->question->name);
    return margay_words_fail(
        state->path, &kind, (uint64_t)(span - state->words), error,
        "found no references that are for %s", analysis->question->name);
}

static enum margay_status restore_pass(const struct margay_state *state,
                                       const uint64_t *words,
                                       margay_analysis *analysis,
                                       struct margay_pass *pass,
                                       struct margay_fed *fed,
                                       struct margay_error *error)
{
    if (words[0] != pass->block_bytes)
        return fail_other(state, "block size in bytes", words[0],
                          pass->block_bytes, error);
    if (words[1] == KEPT)
        return restore_fed(state, words, analysis, pass, fed, error);
    return analysis->question->can.saves
               ? restore_stack(state, words, analysis, error)
               : margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "%s: a state of other options: it has an LRU "
                             "stack, and here all references are needed",
                             state->path);
}

enum margay_status margay_state_restore(const struct margay_state *state,
                                        const struct margay_state_head *wanted,
                                        const struct margay_job *job,
                                        struct margay_pass *passes,
                                        struct margay_fed *fed,
                                        struct margay_error *error)
{
    const uint64_t *words = state->words + state->at;
    enum margay_status status =
        check_head(state, wanted, job->pass_count, error);
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++) {
        status = restore_pass(state, words, job->analyses[i], &passes[i],
                              &fed[i], error);
        words += PASS_WORDS + 2 * words[4] + words[5];
    }
    return status;
}
