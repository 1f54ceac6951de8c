/* test_corrupt.c - traces cut anywhere, with any bit flipped, and noise */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/traces/read_all.h"

static const struct sample {
    const char *format, *text;
    size_t bytes;
} samples[] = {
#define SAMPLE(format, text)           \
    {                                  \
        format, text, sizeof(text) - 1 \
    }
    SAMPLE("din", "0 10\n1 7fffc923c998 4\r\n2 0xab\n\n"),
    SAMPLE("lackey", "==1== x\nI  0400d7d4,8\n M 1ffeffe7e,16\n L 10,4 \n"),
    SAMPLE("ls", "s 0x1fffff50 1\nl 0x1fffff58 12\n"),
    SAMPLE("id", "0x77ad0 I\n0x77ad4 D\n"),
    SAMPLE("hex", "0x7fffc923c998\n0x10\n"),
    SAMPLE("lines", "2819\n*\n85\n18446744073709551615\n"),
    SAMPLE("arc", "230027 8 0 0\n184 64 0 1\n"),
    SAMPLE("csv", "time,\"key\"\n1,\"a \"\"b\"\"\"\r\n\n2, 77\n3,x"),
    SAMPLE("pinatrace", "#\n0x401136: R 0x7ffe10\n0x1: W 0x2 8\n#eof\n"),
    SAMPLE("xdin", "r 7ffe10 8\nw 0x10 4 x\nv 10 4\ni 20 4\n"),
    SAMPLE("perf-script",
           "p 1 [001] 7.5: 1 mem:P: 10 6 |OP LOAD|LCK No 7 40 f+0x1 (/p)\n"
           "10 20 f (/p)\n"),
    SAMPLE("u32", "\1\2\3\4\5\6\7\10\n0 1"),
    SAMPLE("u64", "\1\2\3\4\5\6\7\10\n0 1\n0 1"),
    SAMPLE("u32be", "\1\2\3\4\5\6\7\10\n0 1"),
    SAMPLE("u64be", "\1\2\3\4\5\6\7\10\n0 1\n0 1"),
};

/* Only MARGAY_OK and MARGAY_BAD_INPUT may come, the latter with a message of
   one line. */
static bool ends_well(const struct whole_trace *whole)
{
    if (whole->status == MARGAY_OK)
        return true;
    return whole->status == MARGAY_BAD_INPUT &&
           strncmp(whole->error.message, "/tmp/", 5) == 0 &&
           strstr(whole->error.message, "expected") != NULL &&
           strchr(whole->error.message, '\n') == NULL;
}

/* With the format given and with the format detected, in turn. */
static unsigned try_bytes(const char *format, const char *bytes, size_t count)
{
    static unsigned turn;
    struct whole_trace whole =
        read_bytes("trace", turn++ % 3 == 0 ? NULL : format, bytes, count);
    unsigned wrong = !ends_well(&whole);
    drop_trace(&whole);
    return wrong;
}

static void test_cut(const struct sample *sample)
{
    unsigned wrong = 0;
    for (size_t length = 0; length < sample->bytes; length++)
        wrong += try_bytes(sample->format, sample->text, length);
    CHECK_U64(wrong, 0, "%s cut at each of %zu bytes", sample->format,
              sample->bytes);
}

static void test_flipped(const struct sample *sample)
{
    unsigned wrong = 0;
    char bytes[128];
    memcpy(bytes, sample->text, sample->bytes);
    size_t step = 100 / (size_t)rounds(100);
    for (size_t bit = 0; bit < sample->bytes * 8; bit += step) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        wrong += try_bytes(sample->format, bytes, sample->bytes);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    CHECK_U64(wrong, 0, "%s with every bit flipped", sample->format);
}

/* The characters of all formats, in any order. */
static void test_noise(void)
{
    static const char alphabet[] = "0123456789abcdefxX ,\n\r\tILSMDls*=\0\xff";
    seed_chance(5);
    unsigned wrong = 0;
    uint64_t tries = rounds(2000);
    for (uint64_t i = 0; i < tries; i++) {
        char bytes[96];
        size_t count = below(sizeof bytes);
        for (size_t c = 0; c < count; c++)
            bytes[c] = alphabet[below(sizeof alphabet - 1)];
        const char *format = margay_format_at(i % margay_format_count())->name;
        /* Without a pattern it reads nothing. */
        if (strcmp(format, "regex") != 0)
            wrong += try_bytes(format, bytes, count);
    }
    CHECK_U64(wrong, 0, "noise, %" PRIu64 " times", tries);
}

int main(void)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        test_cut(&samples[i]);
        test_flipped(&samples[i]);
    }
    test_noise();
    return tap_done();
}
