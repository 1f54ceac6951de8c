/* decode.c - the words of a recorded thread, as references */
#include "traces/capture/decode.h"

static void append(const struct margay_decoding *decoding, uint8_t kind,
                   uint32_t count, struct margay_references *references)
{
    size_t i = references->count++;
    references->numbers[i] = decoding->address;
    references->kinds[i] = kind;
    references->extents[i] = decoding->extent;
    if (references->counts != NULL)
        references->counts[i] = count;
    if (references->sites != NULL)
        references->sites[i] = decoding->site;
}

static unsigned kind_of(uint64_t word)
{
    return (unsigned)(word >> MARGAY_WORD_KIND_SHIFT);
}

static uint32_t extent_of(uint64_t word)
{
    uint32_t bytes = word >> MARGAY_WORD_BYTES_SHIFT & 63;
    return (bytes + MARGAY_WORD_MAX_BYTES - 1) % MARGAY_WORD_MAX_BYTES + 1;
}

/* Words from `from` on that are references, before any that is not. */
static uint32_t plain_words(const uint64_t *words, uint32_t from, uint32_t end)
{
    uint32_t i = from;
    while (i < end && words[i] != 0 && kind_of(words[i]) != MARGAY_WORD_CONTROL)
        i++;
    return i - from;
}

/* So many are worth a loop for each array. */
#define MANY_WORDS 16

static void append_few(struct margay_decoding *decoding, const uint64_t *words,
                       uint32_t count, struct margay_references *references)
{
    for (uint32_t i = 0; i < count; i++) {
        decoding->address = words[i] & MARGAY_WORD_ADDRESS_MASK;
        decoding->extent = extent_of(words[i]);
        decoding->kind = (uint8_t)kind_of(words[i]);
        append(decoding, decoding->kind, 1, references);
    }
}

static void append_many(struct margay_decoding *decoding, const uint64_t *words,
                        uint32_t count, struct margay_references *references)
{
    size_t first = references->count;
    uint64_t *numbers = references->numbers + first;
    uint32_t *extents = references->extents + first;
    uint8_t *kinds = references->kinds + first;
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = words[i] & MARGAY_WORD_ADDRESS_MASK;
    for (uint32_t i = 0; i < count; i++)
        extents[i] = extent_of(words[i]);
    for (uint32_t i = 0; i < count; i++)
        kinds[i] = (uint8_t)kind_of(words[i]);
    for (uint32_t i = 0; references->counts != NULL && i < count; i++)
        references->counts[first + i] = 1;
    for (uint32_t i = 0; references->sites != NULL && i < count; i++)
        references->sites[first + i] = decoding->site;
    references->count += count;
    decoding->address = numbers[count - 1];
    decoding->extent = extents[count - 1];
    decoding->kind = kinds[count - 1];
}

/* Repeats of one kind; those of the reference's own go into its count if it
   is the batch's last. */
static void repeat(const struct margay_decoding *decoding, uint8_t kind,
                   uint32_t count, struct margay_references *references)
{
    size_t last = references->count;
    if (count == 0 || decoding->extent == 0 || references->counts == NULL)
        return;
    if (last > 0 && references->kinds[last - 1] == kind &&
        references->counts[last - 1] <= UINT32_MAX - count &&
        references->numbers[last - 1] == decoding->address)
        references->counts[last - 1] += count;
    else
        append(decoding, kind, count, references);
}

static void control(struct margay_decoding *decoding, uint64_t word,
                    struct margay_references *references)
{
    uint64_t payload = word & MARGAY_WORD_ADDRESS_MASK;
    switch (word >> MARGAY_WORD_BYTES_SHIFT & 63) {
    case MARGAY_CONTROL_REPEATS: {
        uint8_t own = decoding->kind == MARGAY_WRITE;
        for (unsigned i = 0; i < 2; i++) {
            uint8_t kind = i == 0 ? own : !own;
            repeat(decoding, kind,
                   (uint32_t)(payload >> (kind * MARGAY_REPEATS_BITS) &
                              MARGAY_REPEATS_MASK),
                   references);
        }
        return;
    }
    case MARGAY_CONTROL_SITE:
        decoding->site = payload;
        return;
    default:
        return;
    }
}

void margay_decode_words(struct margay_decoding *decoding,
                         const uint64_t *words, uint32_t end,
                         struct margay_references *references)
{
    for (uint32_t i = decoding->words; i < end;) {
        uint32_t plain = plain_words(words, i, end);
        if (plain >= MANY_WORDS)
            append_many(decoding, words + i, plain, references);
        else
            append_few(decoding, words + i, plain, references);
        i += plain;
        if (i < end)
            control(decoding, words[i++], references);
    }
    decoding->words = end;
}
