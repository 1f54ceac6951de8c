/* fuzz_compressed.c - compressed bytes, true or not to what they claim to be */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "traces/formats/decompress.h"

/* Enough to pass a frame; bombs are for the reader's bounded buffers. */
#define MOST_BYTES ((size_t)4 << 20)

struct memory {
    const uint8_t *data;
    size_t bytes, given;
};

static enum margay_status read_memory(void *context, void *buffer, size_t bytes,
                                      size_t *got, struct margay_error *error)
{
    struct memory *memory = context;
    size_t left = memory->bytes - memory->given;
    (void)error;
    *got = left < bytes ? left : bytes;
    if (*got > 0)
        memcpy(buffer, memory->data + memory->given, *got);
    memory->given += *got;
    return MARGAY_OK;
}

static void read_out(struct margay_decompressor *decompressor)
{
    static char buffer[1 << 16];
    struct margay_error error = {.message = ""};
    enum margay_status status = MARGAY_OK;
    size_t got = 1;
    for (size_t all = 0; status == MARGAY_OK && got > 0 && all < MOST_BYTES;
         all += got) {
        status = margay_decompressor_read(decompressor, buffer, sizeof buffer,
                                          &got, &error);
        if (status == MARGAY_OK && got > sizeof buffer)
            fuzz_fail("%zu bytes of %zu", got, sizeof buffer);
    }
    if (status != MARGAY_OK && status != MARGAY_BAD_INPUT)
        fuzz_fail("status %d: %s", status, error.message);
    if (status != MARGAY_OK && strncmp(error.message, "trace: byte ", 12) != 0)
        fuzz_fail("no place: %s", error.message);
}

void fuzz_compressed(const char *name, const uint8_t *data, size_t bytes)
{
    struct memory memory = {data, bytes, 0};
    struct margay_byte_source source = {&memory, read_memory};
    struct margay_decompressor *decompressor;
    (void)name;
    unsigned threads = 1 + (bytes & 1);
    if (margay_decompressor_create("trace", data, bytes, source, threads,
                                   &decompressor, NULL) != MARGAY_OK)
        fuzz_fail("not even created");
    if (decompressor != NULL)
        read_out(decompressor);
    margay_decompressor_free(decompressor);
}
