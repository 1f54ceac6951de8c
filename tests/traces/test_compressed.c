/* test_compressed.c - compressed traces: whole, joined, cut, corrupt */
#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#ifdef MARGAY_HAS_LZMA
#include <lzma.h>
#endif
#include <pthread.h>
#include <sys/stat.h>
#ifdef MARGAY_HAS_ZSTD
#include <zstd.h>
#endif

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/traces/read_all.h"
#include "traces/formats/reading.h"

static const struct compression {
    const char *name, *suffix;
    int (*add_filter)(struct archive *archive);
    bool checks_content; /* a changed bit cannot go unnoticed */
    unsigned threads;    /* that decompress */
    enum { WHOLE, BLOCKS, FRAMES } pieces;
} compressions[] = {
    {"gzip", "gz", archive_write_add_filter_gzip, true, 1, WHOLE},
    {"xz", "xz", archive_write_add_filter_xz, true, 1, WHOLE},
#ifdef MARGAY_HAS_LZMA
    {"xz", "xz", NULL, true, 3, BLOCKS},
#endif
    {"zstd", "zst", archive_write_add_filter_zstd, false, 1, WHOLE},
#ifdef MARGAY_HAS_ZSTD
    {"zstd", "zst", NULL, true, 1, FRAMES},
#endif
    {"bzip2", "bz2", archive_write_add_filter_bzip2, true, 1, WHOLE},
    {"lz4", "lz4", archive_write_add_filter_lz4, true, 1, WHOLE},
};
#define COMPRESSIONS (sizeof compressions / sizeof *compressions)

/* With which files are read. */
static unsigned threads = 1;

struct bytes {
    char *data;
    size_t count;
};

/* Three blocks and more, as `xz -T` writes longer ones. */
static struct bytes compress_blocks(const char *data, size_t count)
{
    struct bytes out = {malloc(2 * count + 4096), 0};
#ifdef MARGAY_HAS_LZMA
    lzma_stream stream = LZMA_STREAM_INIT;
    const lzma_mt options = {.threads = 1,
                             .block_size = count < 1000 ? count / 3 + 1 : 1000,
                             .preset = 1,
                             .check = LZMA_CHECK_CRC64};
    bool done = lzma_stream_encoder_mt(&stream, &options) == LZMA_OK;
    stream.next_in = (const uint8_t *)data;
    stream.avail_in = count;
    stream.next_out = (uint8_t *)out.data;
    stream.avail_out = 2 * count + 4096;
    done = done && lzma_code(&stream, LZMA_FINISH) == LZMA_STREAM_END;
    out.count = (size_t)stream.total_out;
    lzma_end(&stream);
    if (!done) {
        printf("Bail out! xz in blocks\n");
        exit(1);
    }
#else
    (void)data;
#endif
    return out;
}

/* Frames of 1000 bytes and less, each after its length, as pzstd writes
   them. */
static struct bytes compress_frames(const char *data, size_t count)
{
    struct bytes out = {malloc(2 * count + 4096), 0};
#ifdef MARGAY_HAS_ZSTD
    size_t each = 1000, done = 0;
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_checksumFlag, 1);
    do {
        char *to = out.data + out.count;
        size_t some = count - done < each ? count - done : each;
        uint32_t bytes = (uint32_t)ZSTD_compress2(
            compressor, to + 12, 2 * some + 100, data + done, some);
        memcpy(to, "\x50\x2a\x4d\x18\x04\0\0\0", 8);
        memcpy(to + 8, &bytes, 4);
        out.count += 12 + bytes;
        done += some;
    } while (done < count);
    ZSTD_freeCCtx(compressor);
#else
    (void)data;
#endif
    return out;
}

/* Compress with libarchive; zlib, an independent library, reads gzip. */
static struct bytes compress_bytes(const struct compression *compression,
                                   const char *data, size_t count)
{
    if (compression->pieces == BLOCKS)
        return compress_blocks(data, count);
    if (compression->pieces == FRAMES)
        return compress_frames(data, count);
    struct bytes out = {malloc(count + 4096), 0};
    struct archive *archive = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    archive_write_set_bytes_per_block(archive, 0);
    archive_write_set_format_raw(archive);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_pathname(entry, "trace");
    if (compression->add_filter(archive) != ARCHIVE_OK ||
        archive_write_open_memory(archive, out.data, count + 4096,
                                  &out.count) != ARCHIVE_OK ||
        archive_write_header(archive, entry) != ARCHIVE_OK ||
        archive_write_data(archive, data, count) != (la_ssize_t)count ||
        archive_write_close(archive) != ARCHIVE_OK) {
        printf("Bail out! %s: %s\n", compression->name,
               archive_error_string(archive));
        exit(1);
    }
    archive_entry_free(entry);
    archive_write_free(archive);
    return out;
}

static struct bytes join(struct bytes a, struct bytes b)
{
    struct bytes both = {malloc(a.count + b.count), a.count + b.count};
    memcpy(both.data, a.data, a.count);
    memcpy(both.data + a.count, b.data, b.count);
    return both;
}

/* A din trace of `lines` lines that does not compress too well. */
static struct bytes make_trace(size_t lines)
{
    struct bytes text = {malloc(lines * 24), 0};
    seed_chance(4);
    for (size_t i = 0; i < lines; i++)
        text.count +=
            (size_t)sprintf(text.data + text.count, "%u %" PRIx64 "\n",
                            (unsigned)(i % 3), any_u64() >> (i % 50));
    return text;
}

static struct whole_trace read_packed_trace(const char *name,
                                            struct bytes packed)
{
    char path[TEST_PATH_BYTES];
    const struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    const struct margay_reading reading = {.threads = threads};
    struct whole_trace whole = {0};
    margay_trace *trace;
    write_file(make_path(path, name), packed.data, packed.count);
    whole.status =
        margay_trace_open_for(path, &options, &reading, &trace, &whole.error);
    if (whole.status == MARGAY_OK)
        whole = read_open(trace);
    unlink(path);
    return whole;
}

/* Read the bytes, and release them: they hold what is expected. */
static void check_packed(const char *compression, const char *name,
                         struct bytes packed,
                         const struct whole_trace *expected, const char *what)
{
    struct whole_trace got = read_packed_trace(name, packed);
    CHECK(got.status == MARGAY_OK && same_trace(&got, expected) &&
              strstr(got.evidence, compression) != NULL,
          "%s: %s, %zu bytes, are the same, and named: %s%s", compression, what,
          packed.count, got.evidence, got.error.message);
    drop_trace(&got);
    free(packed.data);
}

/* Concatenated streams are one trace; a line may cross from one to the next. */
static void test_joined(const struct compression *compression,
                        struct bytes plain, const struct whole_trace *expected)
{
    size_t half = plain.count / 2;
    struct bytes a = compress_bytes(compression, plain.data, half);
    struct bytes b =
        compress_bytes(compression, plain.data + half, plain.count - half);
    check_packed(compression->name, "trace", join(a, b), expected,
                 "two streams joined");
    free(a.data);
    free(b.data);
}

/* libarchive 3.6 crashes when it writes nothing as lz4. */
static struct bytes compress_nothing(const struct compression *compression)
{
    static const char lz4[] = "\x04\x22\x4d\x18\x64\x40\xa7\0\0\0\0"
                              "\x05\x5d\xcc\x02";
    if (strcmp(compression->name, "lz4") != 0)
        return compress_bytes(compression, "", 0);
    struct bytes packed = {malloc(15), 15};
    memcpy(packed.data, lz4, packed.count);
    return packed;
}

/* Empty streams among others, in any order of up to four. */
static void test_some_empty(const struct compression *compression)
{
    struct bytes streams[] = {compress_nothing(compression),
                              compress_bytes(compression, "5\n7\n", 4)};
    for (unsigned count = 1; count <= 4; count++) {
        for (unsigned order = 0; order < 1u << count; order++) {
            struct bytes all = {malloc(1), 0};
            for (unsigned i = 0; i < count; i++) {
                struct bytes more = join(all, streams[order >> i & 1]);
                free(all.data);
                all = more;
            }
            struct whole_trace got = read_packed_trace("trace.lines", all);
            CHECK(got.status == MARGAY_OK &&
                      got.count == 2 * (size_t)__builtin_popcount(order),
                  "%s: %u streams, full are those of %x%s", compression->name,
                  count, order, got.error.message);
            drop_trace(&got);
            free(all.data);
        }
    }
    free(streams[0].data);
    free(streams[1].data);
}

static void test_empty(const struct compression *compression)
{
    struct bytes packed = compress_nothing(compression);
    char name[32];
    sprintf(name, "trace.u64.%s", compression->suffix);
    struct whole_trace got = read_packed_trace(name, packed);
    CHECK(got.status == MARGAY_OK && got.count == 0,
          "%s: an empty trace in %zu bytes%s", compression->name, packed.count,
          got.error.message);
    CHECK_TEXT(got.format, "u64", "by the suffix inside");
    drop_trace(&got);
    free(packed.data);
}

static void test_followed_by_garbage(const struct compression *compression,
                                     struct bytes plain)
{
    struct bytes packed = compress_bytes(compression, plain.data, plain.count);
    struct bytes more = join(packed, (struct bytes){(char *)"garbage 123", 11});
    struct whole_trace got = read_packed_trace("trace", more);
    CHECK(got.status == MARGAY_BAD_INPUT &&
              strstr(got.error.message, ": byte ") != NULL,
          "%s: bytes behind the end: %s", compression->name, got.error.message);
    drop_trace(&got);
    free(packed.data);
    free(more.data);
}

/* zstd may begin with frames to be skipped, of 16 kinds and any length. */
static void test_skipped(struct bytes plain, const struct whole_trace *expected)
{
    static const uint32_t lengths[] = {0, 1, 4, 8, 100, 70000};
    const struct compression zstd = {
        .name = "zstd", .add_filter = archive_write_add_filter_zstd};
    struct bytes packed = compress_bytes(&zstd, plain.data, plain.count);
    size_t wrong = 0;
    for (size_t i = 0; i < 16 * sizeof lengths / sizeof *lengths; i++) {
        uint32_t length = lengths[i / 16];
        struct bytes frame = {calloc(1, 8 + length), 8 + length};
        memcpy(frame.data, "\x50\x2a\x4d\x18", 4);
        frame.data[0] += (char)(i % 16);
        memcpy(frame.data + 4, &length, 4);
        struct bytes one = join(frame, packed), two = join(frame, one);
        struct whole_trace got = read_packed_trace("a.din", one);
        struct whole_trace again = read_packed_trace("a.din", two);
        wrong += got.status != MARGAY_OK || !same_trace(&got, expected);
        wrong += again.status != MARGAY_OK || !same_trace(&again, expected);
        drop_trace(&got);
        drop_trace(&again);
        free(frame.data);
        free(one.data);
        free(two.data);
    }
    CHECK_U64(wrong, 0, "zstd: frames to be skipped before it");
    free(packed.data);
}

/* A cut before `end` is an error, except the cut to nothing. */
static void check_cuts(const char *compression, struct bytes packed, size_t end)
{
    size_t status_other = 0, no_place = 0;
    for (size_t length = 1; length < end; length++) {
        struct whole_trace got =
            read_packed_trace("trace", (struct bytes){packed.data, length});
        status_other += got.status != MARGAY_BAD_INPUT;
        no_place += length >= 3 && strstr(got.error.message, ": byte ") == NULL;
        drop_trace(&got);
    }
    CHECK_U64(status_other, 0, "%s: cut at each of %zu bytes: refused",
              compression, end);
    CHECK_U64(no_place, 0, "%s: always with a byte offset", compression);
}

/* A changed bit is bad input or, where no check sum covers it, other text. */
static void check_flips(const char *compression, struct bytes packed,
                        size_t step, bool checks_content,
                        const struct whole_trace *expected)
{
    size_t wrong = 0, unnoticed = 0;
    for (size_t bit = 0; bit < packed.count * 8; bit += step) {
        packed.data[bit / 8] ^= (char)(1 << bit % 8);
        struct whole_trace got = read_packed_trace("trace", packed);
        wrong += got.status != MARGAY_OK && got.status != MARGAY_BAD_INPUT;
        unnoticed += got.status == MARGAY_OK && !same_trace(&got, expected);
        drop_trace(&got);
        packed.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    CHECK_U64(wrong, 0, "%s: every bit flipped: good or bad input",
              compression);
    if (checks_content)
        CHECK_U64(unnoticed, 0, "%s: never another trace", compression);
}

static void test_damaged(const struct compression *compression,
                         struct bytes plain, const struct whole_trace *expected)
{
    struct bytes packed = compress_bytes(compression, plain.data, plain.count);
    check_cuts(compression->name, packed, packed.count);
    check_flips(compression->name, packed, 100 / (size_t)rounds(100),
                compression->checks_content, expected);
    free(packed.data);
}

/* -------------------------------------------------------------- a pipe -- */

struct writer {
    const char *path;
    struct bytes bytes;
};

/* In small pieces, so that no read is ever full. */
static void *write_slowly(void *argument)
{
    const struct writer *writer = argument;
    int fd = open(writer->path, O_WRONLY);
    for (size_t done = 0, piece; done < writer->bytes.count; done += piece) {
        piece = writer->bytes.count - done;
        piece = piece < 777 ? piece : 777;
        if (write(fd, writer->bytes.data + done, piece) != (ssize_t)piece)
            break;
    }
    close(fd);
    return NULL;
}

static void test_through_pipe(const struct compression *compression,
                              struct bytes plain,
                              const struct whole_trace *expected)
{
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct writer writer = {
        make_path(path, "fifo"),
        compression == NULL
            ? plain
            : compress_bytes(compression, plain.data, plain.count)};
    pthread_t thread;
    if (mkfifo(path, 0600) != 0 ||
        pthread_create(&thread, NULL, write_slowly, &writer) != 0) {
        printf("Bail out! no pipe\n");
        exit(1);
    }
    struct whole_trace got = read_path(path, &options);
    pthread_join(thread, NULL);
    CHECK(got.status == MARGAY_OK && same_trace(&got, expected),
          "%s through a pipe: the same%s",
          compression == NULL ? "plain" : compression->name, got.error.message);
    drop_trace(&got);
    unlink(path);
    if (compression != NULL)
        free(writer.bytes.data);
}

/* ----------------------------------------------------------------- zip -- */

/* An archive with two members, the first of `first` bytes. */
static struct bytes make_zip(struct bytes plain, size_t first)
{
    struct bytes out = {malloc(plain.count + 4096), 0};
    struct archive *archive = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    archive_write_set_bytes_per_block(archive, 0);
    archive_write_set_format_zip(archive);
    archive_write_open_memory(archive, out.data, plain.count + 4096,
                              &out.count);
    for (unsigned i = 0; i < 2; i++) {
        size_t count = i == 0 ? first : plain.count - first;
        archive_entry_clear(entry);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_pathname(entry, i == 0 ? "0" : "1");
        archive_entry_set_size(entry, (la_int64_t)count);
        if (archive_write_header(archive, entry) != ARCHIVE_OK ||
            archive_write_data(archive, plain.data + i * first, count) !=
                (la_ssize_t)count) {
            printf("Bail out! zip: %s\n", archive_error_string(archive));
            exit(1);
        }
    }
    archive_write_close(archive);
    archive_entry_free(entry);
    archive_write_free(archive);
    return out;
}

static void test_zip(struct bytes plain, const struct whole_trace *expected)
{
    for (size_t first = 0; first <= plain.count; first += plain.count / 2)
        check_packed("zip", "trace.zip", make_zip(plain, first), expected,
                     "two members");
}

/* Cut in the members or with any bit flipped: never another trace. */
static void test_damaged_zip(struct bytes plain,
                             const struct whole_trace *expected)
{
    struct bytes packed = make_zip(plain, plain.count / 2);
    const char *contents = memmem(packed.data, packed.count, "PK\1\2", 4);
    check_cuts("zip", packed, (size_t)(contents - packed.data));
    check_flips("zip", packed, 1, true, expected);
    free(packed.data);
}

int main(void)
{
    struct bytes large = make_trace(50000), small = make_trace(12);
    struct whole_trace expected =
        read_bytes("trace", NULL, large.data, large.count);
    struct whole_trace expected_small =
        read_bytes("trace", NULL, small.data, small.count);
    CHECK_U64(expected.count, 50000, "the plain trace");
    test_through_pipe(NULL, large, &expected);
    for (size_t i = 0; i < COMPRESSIONS; i++) {
        threads = compressions[i].threads;
        check_packed(compressions[i].name, "trace",
                     compress_bytes(&compressions[i], large.data, large.count),
                     &expected, "a stream");
        test_joined(&compressions[i], large, &expected);
        test_through_pipe(&compressions[i], large, &expected);
        test_empty(&compressions[i]);
        test_some_empty(&compressions[i]);
        test_followed_by_garbage(&compressions[i], small);
        test_damaged(&compressions[i], small, &expected_small);
    }
    test_skipped(small, &expected_small);
    test_zip(large, &expected);
    test_damaged_zip(small, &expected_small);
    drop_trace(&expected);
    drop_trace(&expected_small);
    free(large.data);
    free(small.data);
    return tap_done();
}
