/*
 * keep.c - a model as numbers, and back
 *
 * A model is 64-bit words, real numbers being the bits of a double.  Words that
 * are read may come from a file of any origin: each is checked to be one that
 * margay_model_fit() could have produced.
 */
#include <stdlib.h>
#include <string.h>

#include "stackdist/predict/model.h"
#include "traces/traces_internal.h"

#define HEAD_WORDS  15
#define PIECE_WORDS 6

/* An upper limit on the pieces of either method. */
#define MOST_PIECES ((size_t)1 << 22)

/* The largest size, distance or exponent of a model. */
#define LARGEST 1e300

static uint64_t word_of(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static double real_of(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* -------------------------------------------------------------- writing -- */

static uint64_t *put_piece(uint64_t *at, const struct margay_piece *piece)
{
    *at++ = (uint64_t)piece->growth | (uint64_t)piece->mass << 8;
    *at++ = word_of(piece->share);
    *at++ = word_of(piece->least);
    *at++ = word_of(piece->least_growth);
    *at++ = word_of(piece->most);
    *at++ = word_of(piece->most_growth);
    return at;
}

enum margay_status margay_model_export(const margay_model *model,
                                       uint64_t **numbers, size_t *count,
                                       struct margay_error *error)
{
    const struct margay_model_info *info = &model->info;
    const uint64_t head[HEAD_WORDS] = {
        info->runs,
        word_of(info->least_size),
        word_of(info->most_size),
        info->pattern,
        word_of(info->checked_accuracy),
        word_of(info->checked_no_change),
        word_of(info->unexplained),
        word_of(model->size),
        word_of(model->finite),
        word_of(model->finite_exponent),
        word_of(model->cold_odds),
        word_of(model->cold_exponent),
        model->piece_count,
        model->unchanged_count,
        info->size_power | (uint64_t)info->downwards << 8,
    };
    *count = HEAD_WORDS +
             PIECE_WORDS * (model->piece_count + model->unchanged_count);
    *numbers = calloc(*count, sizeof **numbers);
    if (*numbers == NULL)
        return margay_fail_memory(error, "a model");
    memcpy(*numbers, head, sizeof head);
    uint64_t *at = *numbers + HEAD_WORDS;
    for (size_t i = 0; i < model->piece_count; i++)
        at = put_piece(at, &model->pieces[i]);
    for (size_t i = 0; i < model->unchanged_count; i++)
        at = put_piece(at, &model->unchanged[i]);
    return MARGAY_OK;
}

/* -------------------------------------------------------------- reading -- */

static bool is_within(double value, double least, double most)
{
    return value >= least && value <= most;
}

static bool get_head(const uint64_t *head, struct margay_model *model)
{
    struct margay_model_info *info = &model->info;
    *info = (struct margay_model_info){
        .runs = head[0],
        .least_size = real_of(head[1]),
        .most_size = real_of(head[2]),
        .pattern = head[3] <= MARGAY_PATTERN_3D ? (enum margay_pattern)head[3]
                                                : MARGAY_PATTERN_AUTO,
        .checked_accuracy = real_of(head[4]),
        .checked_no_change = real_of(head[5]),
        .unexplained = real_of(head[6]),
        .size_power = (head[14] & 0xff) <= MARGAY_MOST_SIZE_POWER
                          ? (unsigned)(head[14] & 0xff)
                          : 0,
        .downwards = head[14] >> 8 != 0,
    };
    model->size = real_of(head[7]);
    model->finite = real_of(head[8]);
    model->finite_exponent = real_of(head[9]);
    model->cold_odds = real_of(head[10]);
    model->cold_exponent = real_of(head[11]);
    return info->runs >= 2 && info->pattern != MARGAY_PATTERN_AUTO &&
           info->least_size > 0 && info->most_size > info->least_size &&
           info->most_size <= LARGEST && info->size_power > 0 &&
           head[14] >> 8 <= 1 &&
           model->size == margay_raise(info->downwards ? info->least_size
                                                       : info->most_size,
                                       info->size_power) &&
           is_within(info->checked_accuracy, -1, 1.5) &&
           is_within(info->checked_no_change, -1, 1.5) &&
           is_within(info->unexplained, -1, 1) &&
           is_within(model->finite, 1, 0x1p64) &&
           is_within(model->finite_exponent, -LARGEST, LARGEST) &&
           is_within(model->cold_odds, 0, 0x1p64) &&
           is_within(model->cold_exponent, -LARGEST, LARGEST);
}

static enum margay_status get_pieces(const uint64_t *at, size_t count,
                                     struct margay_piece **pieces,
                                     size_t *piece_count,
                                     struct margay_error *error)
{
    *pieces = calloc(count, sizeof **pieces);
    if (*pieces == NULL)
        return margay_fail_memory(error, "a model");
    *piece_count = count;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *from = at + i * PIECE_WORDS;
        struct margay_piece *piece = &(*pieces)[i];
        *piece = (struct margay_piece){
            .growth = (uint8_t)(from[0] & 0xff),
            .mass = (uint8_t)(from[0] >> 8 & 0xff),
            .share = real_of(from[1]),
            .least = real_of(from[2]),
            .least_growth = real_of(from[3]),
            .most = real_of(from[4]),
            .most_growth = real_of(from[5]),
        };
        if (from[0] >> 16 != 0 || piece->growth >= MARGAY_GROWTHS ||
            piece->mass >= MARGAY_MASSES || !is_within(piece->share, 0, 4) ||
            piece->share == 0 || !is_within(piece->least, -LARGEST, LARGEST) ||
            !is_within(piece->least_growth, -LARGEST, LARGEST) ||
            !is_within(piece->most, -LARGEST, LARGEST) ||
            !is_within(piece->most_growth, -LARGEST, LARGEST))
            return margay_fail(error, MARGAY_BAD_INPUT,
                               "piece %zu of %zu is none that a model can have",
                               i, count);
    }
    return MARGAY_OK;
}

size_t margay_model_extent(const uint64_t *numbers, size_t count)
{
    if (count < HEAD_WORDS)
        return HEAD_WORDS;
    if (numbers[12] == 0 || numbers[13] == 0 || numbers[12] > MOST_PIECES ||
        numbers[13] > MOST_PIECES)
        return 0;
    return HEAD_WORDS + PIECE_WORDS * (size_t)(numbers[12] + numbers[13]);
}

enum margay_status margay_model_import(const uint64_t *numbers, size_t count,
                                       margay_model **model,
                                       struct margay_error *error)
{
    *model = NULL;
    if (count != margay_model_extent(numbers, count))
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%zu numbers are not as many as a model has", count);
    struct margay_model *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "a model");
    enum margay_status status = MARGAY_OK;
    const uint64_t *at = numbers + HEAD_WORDS;
    if (!get_head(numbers, made))
        status = margay_fail(error, MARGAY_BAD_INPUT,
                             "its sizes and lengths are none that a model can "
                             "have");
    if (status == MARGAY_OK)
        status = get_pieces(at, numbers[12], &made->pieces, &made->piece_count,
                            error);
    if (status == MARGAY_OK)
        status = get_pieces(at + PIECE_WORDS * numbers[12], numbers[13],
                            &made->unchanged, &made->unchanged_count, error);
    if (status != MARGAY_OK) {
        margay_model_free(made);
        return status;
    }
    made->info.data_blocks = margay_data_blocks(made);
    made->info.trusted = margay_model_is_trusted(&made->info);
    *model = made;
    return MARGAY_OK;
}
