/* decode.c - the words of a recorded thread, as references */
#include "traces/capture/decode.h"

static void append(const struct margay_decoding *decoding, uint8_t kind,
                   uint32_t count, struct margay_references *references)
{
    size_t i = references->count++;
    references->numbers[i] = decoding->address;
    references->kinds[i] = kind;
    references->extents[i] = decoding->extent;
    references->counts[i] = count;
    references->sites[i] = decoding->site;
}

/* Repeats of one kind; those of the reference's own go into its count if it
   is the batch's last. */
static void repeat(const struct margay_decoding *decoding, uint8_t kind,
                   uint32_t count, struct margay_references *references)
{
    size_t last = references->count;
    if (count == 0 || decoding->extent == 0)
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
    for (uint32_t i = decoding->words; i < end; i++) {
        uint64_t word = words[i];
        unsigned kind = (unsigned)(word >> MARGAY_WORD_KIND_SHIFT);
        if (kind == MARGAY_WORD_CONTROL) {
            control(decoding, word, references);
        } else if (word != 0) {
            decoding->address = word & MARGAY_WORD_ADDRESS_MASK;
            decoding->kind = (uint8_t)kind;
            uint32_t bytes = word >> MARGAY_WORD_BYTES_SHIFT & 63;
            decoding->extent = bytes == 0 ? MARGAY_WORD_MAX_BYTES : bytes;
            append(decoding, decoding->kind, 1, references);
        }
    }
    decoding->words = end;
}
