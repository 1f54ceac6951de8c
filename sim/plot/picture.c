/* picture.c - a picture that gnuplot drew, and whether it is whole */
#define _GNU_SOURCE
#include "sim/plot/picture.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "traces/traces_internal.h"

/* The bytes compared at each end of a picture; more than any text below has. */
#define END_BYTES   64
#define PIECE_BYTES ((size_t)64 << 10)

struct text {
    const char *bytes;
    size_t count;
};
#define TEXT(literal)                \
    {                                \
        literal, sizeof(literal) - 1 \
    }

static const struct kind {
    const char *suffix;
    struct text begin, end; /* blanks may follow */
} kinds[] = {
    /* The last chunk of a PNG is empty, and has its checksum. */
    {".png", TEXT("\x89PNG\r\n\x1a\n"), TEXT("\0\0\0\0IEND\xae\x42\x60\x82")},
    {".svg", TEXT("<?xml"), TEXT("</svg>")},
    {".pdf", TEXT("%PDF-"), TEXT("%%EOF")},
};

static const struct kind *find_kind(const char *name)
{
    size_t bytes = strlen(name);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (bytes >= 4 && strcmp(name + bytes - 4, kinds[i].suffix) == 0)
            return &kinds[i];
    }
    return NULL;
}

const char *picture_suffix(const char *name)
{
    const struct kind *kind = find_kind(name);
    return kind == NULL || strlen(name) == 4 ? NULL : kind->suffix;
}

bool picture_is_whole(int descriptor, const char *suffix)
{
    const struct kind *kind = find_kind(suffix);
    char text[END_BYTES];
    off_t bytes = lseek(descriptor, 0, SEEK_END);
    ssize_t got =
        bytes < END_BYTES ? -1 : pread(descriptor, text, END_BYTES, 0);
    if (got != END_BYTES || memcmp(text, kind->begin.bytes, kind->begin.count))
        return false;
    got = pread(descriptor, text, END_BYTES, bytes - END_BYTES);
    while (got > 0 && (text[got - 1] == '\n' || text[got - 1] == ' '))
        got--;
    return got >= (ssize_t)kind->end.count &&
           memcmp(text + got - kind->end.count, kind->end.bytes,
                  kind->end.count) == 0;
}

enum margay_status picture_write(int descriptor, struct output *output,
                                 struct margay_error *error)
{
    char piece[PIECE_BYTES];
    ssize_t got = 0;
    for (off_t at = 0; (got = pread(descriptor, piece, sizeof piece, at)) > 0;
         at += got)
        output_bytes(output, piece, (size_t)got);
    return got == 0 ? MARGAY_OK
                    : margay_fail(error, MARGAY_IO,
                                  "cannot read what gnuplot drew: %s",
                                  strerror(errno));
}
