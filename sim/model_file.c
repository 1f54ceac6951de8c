/* model_file.c - models that are kept: --save-model, --load-model */
#include "sim/model_file.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/words.h"
#include "traces/traces_internal.h"

#define MAGIC UINT64_C(0x6d2079616772616d) /* "margay m" */

/* 2 words of every such file, and the block size. */
#define HEADER_WORDS 3

static const struct word_kind kind = {MAGIC, 1, "model", "--save-model"};

enum margay_status model_file_write(struct output *output,
                                    const margay_model *model,
                                    uint64_t block_bytes,
                                    struct margay_error *error)
{
    struct word_writer writer;
    uint64_t *numbers;
    size_t count;
    enum margay_status status =
        margay_model_export(model, &numbers, &count, error);
    if (status != MARGAY_OK)
        return status;
    words_begin(&writer, output, &kind);
    words_put(&writer, block_bytes);
    for (size_t i = 0; i < count; i++)
        words_put(&writer, numbers[i]);
    words_end(&writer);
    free(numbers);
    return MARGAY_OK;
}

/* The words, which are whole and of this kind, as a model. */
static enum margay_status unpack(const char *name, const uint64_t *words,
                                 size_t count, margay_model **model,
                                 uint64_t *block_bytes,
                                 struct margay_error *error)
{
    struct margay_error why;
    if (count < HEADER_WORDS)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: the model is damaged: it ends too early", name);
    *block_bytes = words[2];
    if (*block_bytes != 0 && !margay_is_power_of_two(*block_bytes))
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: the model is damaged: blocks of %" PRIu64
                           " bytes, expected a power of two",
                           name, *block_bytes);
    enum margay_status status = margay_model_import(
        words + HEADER_WORDS, count - HEADER_WORDS, model, &why);
    if (status == MARGAY_BAD_INPUT)
        return margay_fail(error, status, "%s: the model is damaged: %s", name,
                           why.message);
    if (status != MARGAY_OK)
        return margay_fail(error, status, "%s", why.message);
    return MARGAY_OK;
}

enum margay_status model_file_read_stream(FILE *file, const char *name,
                                          margay_model **model,
                                          uint64_t *block_bytes,
                                          struct margay_error *error)
{
    uint64_t *words;
    size_t count;
    enum margay_status status =
        words_read_stream(file, name, &kind, &words, &count, error);
    if (status == MARGAY_OK)
        status = unpack(name, words, count, model, block_bytes, error);
    free(words);
    return status;
}

enum margay_status model_file_read(const char *path, margay_model **model,
                                   uint64_t *block_bytes,
                                   struct margay_error *error)
{
    uint64_t *words;
    size_t count;
    enum margay_status status = words_read(path, &kind, &words, &count, error);
    if (status == MARGAY_OK)
        status = unpack(path, words, count, model, block_bytes, error);
    free(words);
    return status;
}
