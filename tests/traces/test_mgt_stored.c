/* test_mgt_stored.c - the compact format where there is no zstd */
#define _GNU_SOURCE
#undef MARGAY_HAS_ZSTD
/* Instead of those of the library. */
#include "traces/formats/mgt_column.c"
#include <stdlib.h>

#include "tests/traces/read_all.h"

/* u64 to bytes in memory. */
struct sink_bytes {
    char data[4096];
    size_t count;
};

static enum margay_status append_bytes(void *context, const void *bytes,
                                       size_t count, struct margay_error *error)
{
    struct sink_bytes *all = context;
    (void)error;
    memcpy(all->data + all->count, bytes, count);
    all->count += count;
    return MARGAY_OK;
}

static void test_stored(void)
{
    static struct sink_bytes bytes;
    const struct margay_sink sink = {&bytes, append_bytes};
    uint64_t numbers[300];
    for (size_t i = 0; i < 300; i++)
        numbers[i] = i * i % 7;
    struct margay_batch batch = {.references = 300, .numbers = numbers};
    margay_writer *writer;
    if (margay_writer_create("mgt", NULL, &sink, &writer, NULL) != MARGAY_OK ||
        margay_writer_put(writer, &batch, NULL) != MARGAY_OK ||
        margay_writer_finish(writer, NULL) != MARGAY_OK)
        abort();
    margay_writer_free(writer);
    struct whole_trace whole =
        read_bytes("x.mgt", NULL, bytes.data, bytes.count);
    CHECK(whole.status == MARGAY_OK && whole.count == 300 &&
              memcmp(whole.numbers, numbers, sizeof numbers) == 0,
          "what is stored comes back");
    drop_trace(&whole);
}

static void test_compressed(void)
{
    char path[512];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/tests/fuzz/seeds/mgt/whole",
             build == NULL ? "build" : build);
    FILE *file = fopen(path, "rb");
    char bytes[8192];
    if (file == NULL || fgetc(file) == EOF) { /* a choice of the fuzzer's */
        CHECK(false, "there is a seed");
        return;
    }
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    struct whole_trace whole = read_bytes("x.mgt", NULL, bytes, count);
    CHECK(whole.status == MARGAY_BAD_INPUT &&
              strstr(whole.error.message, "built without") != NULL,
          "what is compressed cannot be read: %s", whole.error.message);
    drop_trace(&whole);
}

int main(void)
{
    test_stored();
    test_compressed();
    return tap_done();
}
