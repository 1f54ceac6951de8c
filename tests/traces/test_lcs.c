/* test_lcs.c - libCacheSim's own format, in each of its versions */
#define _GNU_SOURCE
#include "tests/traces/read_all.h"
#include "traces/formats/format.h"

#define MAGIC UINT64_C(0x123456789abcdef0)

enum family { SHORT, LONG, LETTERS };

struct file {
    unsigned char bytes[65536];
    size_t used;
};

static void put(struct file *file, uint64_t value, unsigned bytes)
{
    margay_put_little(file->bytes + file->used, value, bytes);
    file->used += bytes;
}

static void begin_file(struct file *file, enum family family, uint64_t version,
                       uint64_t requests)
{
    size_t header = family == LONG ? 8192 : 1024;
    memset(file, 0, sizeof *file);
    put(file, MAGIC, 8);
    put(file, version, 8);
    margay_put_little(file->bytes + 24, requests, 8);
    margay_put_little(file->bytes + header - 8, MAGIC, 8);
    file->used = header;
}

/* Record i of a version: id i % 5, size 100 + i, time 7 + i, op i % 15, ttl. */
static void put_record(struct file *file, uint64_t version, unsigned i)
{
    static const unsigned features[] = {0, 0, 0, 0, 1, 2, 4, 8, 16};
    put(file, 7 + i, 4);
    put(file, i % 5, 8);
    put(file, 100 + i, version < 3 ? 4 : 8);
    if (version >= 2)
        put(file, i % 15 | 0xabcd00, 4);
    if (version >= 3)
        put(file, i % 2 ? 60 : 0, 4);
    put(file, UINT64_MAX, 8);
    for (unsigned k = 0; k < features[version]; k++)
        put(file, UINT32_MAX, 4);
}

static uint8_t op_of(unsigned number)
{
    static const char ops[] = "gggssssssdssgss";
    return ops[number] == 'g'   ? MARGAY_GET
           : ops[number] == 's' ? MARGAY_SET
                                : MARGAY_DELETE;
}

/* Read all of it; returns how many references are not those of put_record(). */
static unsigned count_wrong(const struct file *file, uint64_t version,
                            unsigned skip, unsigned *references)
{
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct margay_batch batch;
    struct margay_error error;
    margay_trace *trace;
    unsigned wrong = 0, i = skip;
    options.skip_refs = skip;
    write_file(make_path(path, "trace"), file->bytes, file->used);
    if (margay_trace_open(path, &options, &trace, &error) != MARGAY_OK)
        return 1;
    enum margay_status status;
    while ((status = margay_trace_next(trace, -1, &batch, &error)) ==
           MARGAY_OK) {
        for (size_t k = 0; k < batch.references; k++, i++) {
            wrong += batch.numbers[k] != i % 5;
            wrong += batch.sizes == NULL || batch.sizes[k] != 100 + i;
            wrong += batch.times == NULL || batch.times[k] != 7 + i;
            wrong += (batch.ops == NULL) != (version < 2);
            wrong += version >= 2 && batch.ops[k] != op_of(i % 15);
            wrong += (batch.ttls == NULL) != (version < 3);
            wrong += version >= 3 && batch.ttls[k] != (i % 2 ? 60 : UINT64_MAX);
        }
    }
    if (status != MARGAY_END)
        printf("# %s\n", error.message);
    wrong += status != MARGAY_END;
    wrong += strcmp(margay_trace_format(trace)->name, "lcs") != 0;
    margay_trace_free(trace);
    unlink(path);
    *references = i;
    return wrong;
}

static void test_versions(enum family family)
{
    struct file *file = malloc(sizeof *file);
    for (uint64_t version = 1; version <= 8; version++) {
        unsigned references;
        begin_file(file, family, version, 300);
        for (unsigned i = 0; i < 300; i++)
            put_record(file, version, i);
        CHECK_U64(count_wrong(file, version, 0, &references), 0,
                  "version %" PRIu64 "%s", version,
                  family == LONG ? ", a long header" : "");
        CHECK_U64(references, 300, "all of it");
        CHECK_U64(count_wrong(file, version, 123, &references), 0,
                  "and from the middle");
        CHECK_U64(references, 300, "to its end");
    }
    free(file);
}

/* A header with letters: time h, id Q, size i, and a field that is not read. */
static void begin_letters(struct file *file, const char *letters,
                          const char *numbers, unsigned record_bytes)
{
    begin_file(file, LETTERS, 0, 0);
    memset(file->bytes + 8, 0, 240);
    memcpy(file->bytes + 8, letters, strlen(letters));
    memcpy(file->bytes + 248, numbers, 9);
    margay_put_little(file->bytes + 1004, record_bytes, 4);
    margay_put_little(file->bytes + 1008, 1, 8);
}

static void test_letters(void)
{
    struct file *file = malloc(sizeof *file);
    begin_letters(file, "<HQid", "\2\3\1\0\0\0\0\0\0", 22);
    for (unsigned i = 0; i < 100; i++) {
        put(file, 7 + i, 2);
        put(file, i % 5, 8);
        put(file, 100 + i, 4);
        put(file, 0, 8);
    }
    unsigned references;
    CHECK_U64(count_wrong(file, 1, 0, &references), 0, "fields by letters");
    CHECK_U64(references, 100, "all of it");
    free(file);
}

static void check_message(const struct file *file, const char *message)
{
    struct whole_trace whole =
        read_bytes("trace", NULL, file->bytes, file->used);
    CHECK(whole.status == MARGAY_BAD_INPUT &&
              strstr(whole.error.message, message) != NULL,
          "%s: %s", message, whole.error.message);
    drop_trace(&whole);
}

static void test_damage(void)
{
    struct file *file = malloc(sizeof *file);
    begin_file(file, SHORT, 1, 3);
    put_record(file, 1, 0);
    check_message(file, "byte 1048: found the end after 1 record, expected the "
                        "3 that the header tells");
    put_record(file, 1, 1);
    file->used -= 5;
    check_message(file, "byte 1048: found half a record of 19 bytes, expected "
                        "24 bytes");
    begin_file(file, SHORT, 9, 0);
    check_message(file, "byte 8: found another header, expected version 1 to "
                        "8");
    begin_file(file, LONG, 1, 0);
    file->used = 2000;
    check_message(file, "byte 8184: found another header");
    begin_file(file, SHORT, 2, 0);
    put_record(file, 2, 0);
    file->bytes[1024 + 16] = 15;
    check_message(file, "byte 1024: found another record, expected an operation"
                        " from 0 to 14");
    begin_file(file, SHORT, 2, 0);
    for (unsigned i = 0; i < 10; i++)
        put_record(file, 2, i);
    file->bytes[1024 + 6 * 28 + 16] = 15;
    check_message(file, "byte 1192: found another record");
    struct whole_trace whole =
        read_bytes("trace", NULL, file->bytes, file->used);
    CHECK_U64(whole.count, 6, "the records before are right");
    drop_trace(&whole);
    begin_file(file, SHORT, 3, 0);
    put_record(file, 3, 0);
    file->bytes[1024 + 19] = 0x80;
    check_message(file, "expected a size of 0 or more");
    begin_letters(file, "<HQx", "\2\0\1\0\0\0\0\0\0", 11);
    check_message(file, "expected fields of the letters");
    begin_letters(file, "<HQ", "\2\0\1\0\0\0\0\0\0", 11);
    check_message(file, "expected records as long as their fields");
    begin_letters(file, "<Hd", "\2\0\1\0\0\0\0\0\0", 10);
    check_message(file, "expected whole numbers");
    begin_letters(file, "<HQ", "\0\0\1\0\0\0\0\0\0", 10);
    check_message(file, "expected the number of the field of ids");
    free(file);
}

int main(void)
{
    test_versions(SHORT);
    test_versions(LONG);
    test_letters();
    test_damage();
    return tap_done();
}
