/* predict_model.c - the files of --save-model and --load-model */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/options/commands.h"
#include "sim/run/words.h"
#include "sim/terminal/output.h"
#include "stackdist/stackdist_internal.h"

#define MAGIC UINT64_C(0x6d2079616772616d) /* "margay m" */

/* The two words of every file of words, and the block size. */
#define HEADER_WORDS 3

static uint64_t extent(const uint64_t *words, uint64_t count)
{
    if (count < HEADER_WORDS)
        return HEADER_WORDS;
    size_t numbers =
        margay_model_extent(words + HEADER_WORDS, count - HEADER_WORDS);
    return numbers == 0 ? MARGAY_WORDS_IMPOSSIBLE : HEADER_WORDS + numbers;
}

static const struct margay_word_kind model_kind = {
    MAGIC, 1, 1, "model", "--save-model", extent};

enum margay_status predict_write_model(struct output *output,
                                       const margay_model *model,
                                       uint64_t block_bytes,
                                       struct margay_error *error)
{
    const struct margay_sink sink = {&output, sink_write};
    struct margay_word_writer writer;
    uint64_t *numbers;
    size_t count;
    enum margay_status status =
        margay_model_export(model, &numbers, &count, error);
    if (status != MARGAY_OK)
        return status;
    margay_words_begin(&writer, &sink, &model_kind);
    margay_words_put(&writer, block_bytes);
    for (size_t i = 0; i < count; i++)
        margay_words_put(&writer, numbers[i]);
    free(numbers);
    return margay_words_end(&writer, error);
}

/* Make a model of words that are known to be whole and of this kind. */
static enum margay_status unpack(const char *name, const uint64_t *words,
                                 size_t count, margay_model **model,
                                 uint64_t *block_bytes,
                                 struct margay_error *error)
{
    struct margay_error why;
    *block_bytes = words[2];
    if (*block_bytes != 0 && !margay_is_power_of_two(*block_bytes))
        return margay_words_fail(name, &model_kind, 2, error,
                                 "found blocks of %" PRIu64
                                 " bytes, expected a power of two",
                                 *block_bytes);
    enum margay_status status = margay_model_import(
        words + HEADER_WORDS, count - HEADER_WORDS, model, &why);
    if (status == MARGAY_BAD_INPUT)
        return margay_words_fail(name, &model_kind, HEADER_WORDS, error, "%s",
                                 why.message);
    return status == MARGAY_OK ? status
                               : margay_fail(error, status, "%s", why.message);
}

enum margay_status predict_read_model(const char *path, margay_model **model,
                                      uint64_t *block_bytes,
                                      struct margay_error *error)
{
    uint64_t *words;
    size_t count;
    enum margay_status status =
        margay_words_read(path, &model_kind, &words, &count, error);
    if (status == MARGAY_OK)
        status = unpack(path, words, count, model, block_bytes, error);
    free(words);
    return status;
}
