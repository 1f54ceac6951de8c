/* state.c - the file that a run is continued from */
#define _DEFAULT_SOURCE
#include "sim/run/state.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/run/words.h"
#include "traces/traces_internal.h"

#define MAGIC        UINT64_C(0x732079616772616d) /* "margay s" */
#define VERSION      2
#define HEADER_WORDS 9 /* with the magic number and the version */
#define PASS_WORDS   6

/* The first version knew of no warm-up. */
static uint64_t header_words(const uint64_t *words)
{
    return words[1] == 1 ? HEADER_WORDS - 1 : HEADER_WORDS;
}

/* The passes come one after the other; the first `count` words are known. */
static uint64_t extent(const uint64_t *words, uint64_t count)
{
    uint64_t at = header_words(words);
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

static const struct margay_word_kind kind = {MAGIC,   VERSION,  1,
                                             "state", "--save", extent};

/* -------------------------------------------------------------- writing -- */

static enum margay_status put_pass(struct margay_word_writer *writer,
                                   margay_analysis *analysis,
                                   const struct margay_pass *pass,
                                   struct margay_error *error)
{
    struct margay_engine_state state;
    uint64_t distance, count, rows = 0;
    enum margay_status status =
        analysis->functions->save(analysis, &state, error);
    if (status != MARGAY_OK)
        return status;
    for (uint64_t at = 0;
         margay_histogram_next(state.counts, at, &distance, &count);
         at = distance + 1)
        rows++;
    margay_words_put(writer, pass->block_bytes);
    margay_words_put(writer, state.bound_blocks);
    margay_words_put(writer,
                     margay_histogram_exceeded_bound(state.counts) != 0);
    margay_words_put(writer, margay_histogram_infinite(state.counts));
    margay_words_put(writer, rows);
    margay_words_put(writer, state.block_count);
    for (uint64_t at = 0;
         margay_histogram_next(state.counts, at, &distance, &count);
         at = distance + 1) {
        margay_words_put(writer, distance);
        margay_words_put(writer, count);
    }
    for (uint64_t i = 0; i < state.block_count; i++)
        margay_words_put(writer, state.blocks[i]);
    margay_engine_state_clear(&state);
    return writer->status;
}

enum margay_status margay_state_write(
    const struct margay_sink *sink, const struct margay_state_reading *reading,
    const struct margay_state_place *place, margay_analysis *const *analyses,
    const struct margay_pass *passes, size_t count, struct margay_error *error)
{
    struct margay_word_writer *writer = malloc(sizeof *writer);
    const uint64_t header[] = {
        reading->numbers,  reading->unit_bytes, reading->kinds, reading->split,
        place->references, place->warmup_refs,  count,
    };
    enum margay_status status = MARGAY_OK;
    if (writer == NULL)
        return margay_fail_memory(error, "a state");
    margay_words_begin(writer, sink, &kind);
    for (size_t i = 0; i < sizeof header / sizeof header[0]; i++)
        margay_words_put(writer, header[i]);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = put_pass(writer, analyses[i], &passes[i], error);
    /* What went wrong with the sink is told last. */
    if (status == MARGAY_OK || writer->status != MARGAY_OK)
        status = margay_words_end(writer, error);
    free(writer);
    return status;
}

/* -------------------------------------------------------------- reading -- */

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
    state->at = (size_t)header_words(words);
    state->reading = (struct margay_state_reading){
        .numbers = words[2],
        .unit_bytes = words[3],
        .kinds = words[4],
        .split = words[5],
    };
    state->place = (struct margay_state_place){
        .references = words[6],
        .warmup_refs = words[1] == 1 ? 0 : words[7],
    };
    state->pass_count = (size_t)words[state->at - 1];
    return MARGAY_OK;
}

void margay_state_blocks(const struct margay_state *state,
                         uint64_t block_bytes[MARGAY_MOST_BLOCK_SIZES])
{
    const uint64_t *words = state->words + state->at;
    for (size_t i = 0; i < state->pass_count; i++) {
        block_bytes[i] = words[0];
        words += PASS_WORDS + 2 * words[4] + words[5];
    }
}

void margay_state_clear(struct margay_state *state)
{
    free(state->words);
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

static enum margay_status check_reading(
    const struct margay_state *state, const struct margay_state_reading *wanted,
    size_t passes, struct margay_error *error)
{
    const struct margay_state_reading *saved = &state->reading;
    const struct {
        const char *what;
        uint64_t saved, wanted;
    } fields[] = {
        {"kind of numbers (0 addresses, 1 ids)", saved->numbers,
         wanted->numbers},
        {"unit in bytes", saved->unit_bytes, wanted->unit_bytes},
        {"set of kinds (1 read, 2 write, 4 fetch)", saved->kinds,
         wanted->kinds},
        {"splitting of references (0 no, 1 yes)", saved->split, wanted->split},
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

static enum margay_status restore_pass(const struct margay_state *state,
                                       size_t *at, margay_analysis *analysis,
                                       const struct margay_pass *pass,
                                       struct margay_error *error)
{
    const uint64_t *words = state->words + *at;
    size_t rows_at = *at + PASS_WORDS;
    uint64_t rows = words[4];
    struct margay_engine_state kept = {
        .blocks = state->words + rows_at + 2 * rows,
        .block_count = words[5],
        .bound_blocks = words[1],
    };
    if (words[0] != pass->block_bytes)
        return fail_other(state, "block size in bytes", words[0],
                          pass->block_bytes, error);
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
    *at = rows_at + 2 * rows + kept.block_count;
    return status;
}

enum margay_status margay_state_restore(
    const struct margay_state *state,
    const struct margay_state_reading *reading,
    margay_analysis *const *analyses, const struct margay_pass *passes,
    size_t count, struct margay_error *error)
{
    size_t at = state->at;
    enum margay_status status = check_reading(state, reading, count, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = restore_pass(state, &at, analyses[i], &passes[i], error);
    return status;
}
