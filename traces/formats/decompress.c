/* decompress.c - compressed bytes in, plain bytes out: see decompress.h */
#include "traces/formats/decompress.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#ifdef MARGAY_HAS_LZMA
#include <lzma.h>
#endif

#include "traces/base/error.h"
#include "traces/base/late.h"
#include "traces/formats/format.h"

#define ARCHIVE(name) MARGAY_LATE(&margay_libarchive, archive_##name)

#define SOURCE_BYTES ((size_t)64 << 10)

/* A way to read a compression; several may begin with bytes of their own. */
struct compression {
    const struct margay_compression *info;
    const char *magic; /* '?' stands for any byte */
    size_t magic_bytes;
    bool members;      /* a zip, whose members are one trace */
    bool blocks;       /* liblzma gives its blocks to several threads */
    unsigned any_bits; /* of the first byte of the magic, from the lowest on */
};

static const struct margay_compression
    gzip = {"gzip", ".gz", ARCHIVE_FILTER_GZIP},
    xz = {"xz", ".xz", ARCHIVE_FILTER_XZ},
    zstd = {"zstd", ".zst", ARCHIVE_FILTER_ZSTD},
    bzip2 = {"bzip2", ".bz2", ARCHIVE_FILTER_BZIP2},
    lz4 = {"lz4", ".lz4", ARCHIVE_FILTER_LZ4},
    zip = {"zip", ".zip", ARCHIVE_FILTER_NONE};

static const struct compression compressions[] = {
    {&gzip, "\x1f\x8b\x08", 3, .members = false},
    {&xz, "\3757zXZ\0", 6, .blocks = true},
    {&zstd, "\x28\xb5\x2f\xfd", 4, .members = false},
    /* A frame to be skipped: pzstd writes the length of each frame into one
       before it, and libarchive does not recognise zstd by these. */
    {&zstd, "\x50\x2a\x4d\x18", 4, .any_bits = 4},
    {&bzip2, "BZh?1AY&SY", 10, .members = false},
    {&bzip2, "BZh?\x17rE8P\x90", 10, .members = false},
    {&lz4, "\x04\x22\x4d\x18", 4, .members = false},
    {&zip, "PK\x03\x04", 4, .members = true},
};

#define COMPRESSIONS (sizeof compressions / sizeof *compressions)

struct margay_decompressor {
    const struct compression *compression;
    const char *name;
    struct margay_byte_source source;
    /* The bytes that the source gave last and, before these, those that an
       archive has not used. */
    unsigned char *buffer;
    size_t capacity, held;       /* of the buffer, and in use */
    uint64_t source_bytes;       /* given by the source so far */
    struct margay_error failure; /* of the source; status OK if none */
    struct archive *archive;
    uint64_t begin; /* offset at which the archive begins */
    bool opened;    /* the header of the archive has been read */
    bool again; /* a new archive gets the held bytes from `begin` on first */
    uint64_t members, member_bytes; /* of a zip, so far */
    bool ended;
    z_stream zlib;
#ifdef MARGAY_HAS_LZMA
    bool threaded; /* liblzma reads it, and not the archive */
    bool source_ended;
    lzma_stream lzma;
#endif
};

const struct margay_compression *margay_compression_named(const char *name,
                                                          const char *end)
{
    for (size_t i = 0; i < COMPRESSIONS; i++) {
        const struct margay_compression *known = compressions[i].info;
        size_t bytes = strlen(known->suffix);
        if ((size_t)(end - name) > bytes &&
            strncasecmp(end - bytes, known->suffix, bytes) == 0)
            return known;
    }
    return NULL;
}

static bool begins_like(const struct compression *compression,
                        const unsigned char *head, size_t bytes)
{
    for (size_t i = 0; i < compression->magic_bytes && i < bytes; i++) {
        unsigned any_bits = i == 0 ? compression->any_bits : 0;
        unsigned char magic = (unsigned char)compression->magic[i];
        if (magic != '?' && (magic ^ head[i]) >> any_bits != 0)
            return false;
    }
    return true;
}

bool margay_may_be_compressed(const void *head, size_t bytes)
{
    for (size_t i = 0; i < COMPRESSIONS; i++) {
        if (bytes < compressions[i].magic_bytes &&
            begins_like(&compressions[i], head, bytes))
            return true;
    }
    return false;
}

/* Append the next bytes of the source to the buffer.  A failure is kept in
   this->failure. */
static bool refill(struct margay_decompressor *this, size_t *got)
{
    if (this->source.read(this->source.context, this->buffer + this->held,
                          SOURCE_BYTES, got, &this->failure) != MARGAY_OK)
        return false;
    this->source_bytes += *got;
    return true;
}

/* Report the failure of the source or, if there is none, `reason`. */
static enum margay_status fail(struct margay_decompressor *this,
                               uint64_t position, const char *reason,
                               struct margay_error *error)
{
    if (this->failure.status != MARGAY_OK)
        return margay_fail_again(error, &this->failure);
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: byte %llu: %s data is cut short or corrupt (%s)",
                       this->name, (unsigned long long)position,
                       this->compression->info->name,
                       reason == NULL ? "not recognised" : reason);
}

/* ---------------------------------------------------------------- gzip -- */

static bool is_gzip(const struct margay_decompressor *this)
{
    return this->compression->info == &gzip;
}

static enum margay_status fail_gzip(struct margay_decompressor *this,
                                    const char *reason,
                                    struct margay_error *error)
{
    return fail(this, this->source_bytes - this->zlib.avail_in, reason, error);
}

static enum margay_status read_gzip(struct margay_decompressor *this,
                                    void *buffer, size_t bytes, size_t *got,
                                    struct margay_error *error)
{
    z_stream *zlib = &this->zlib;
    zlib->next_out = buffer;
    zlib->avail_out = (uInt)(bytes < UINT32_MAX ? bytes : UINT32_MAX);
    size_t wanted = zlib->avail_out;
    while (zlib->avail_out == wanted) {
        size_t given = zlib->avail_in;
        if (given == 0) {
            if (!refill(this, &given))
                return fail_gzip(this, NULL, error);
            zlib->next_in = this->buffer;
            zlib->avail_in = (uInt)given;
        }
        if (given == 0 && this->ended)
            break;
        if (given == 0)
            return fail_gzip(this, "unexpected end", error);
        /* After the end of a member another one begins. */
        if (this->ended)
            inflateReset(zlib);
        int result = inflate(zlib, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return fail_gzip(this, zlib->msg, error);
        this->ended = result == Z_STREAM_END;
    }
    *got = wanted - zlib->avail_out;
    return MARGAY_OK;
}

/* ---------------------------------------------------------- libarchive -- */

/* The offset up to which the archive has used the source. */
static uint64_t consumed_bytes(const struct margay_decompressor *this)
{
    return this->begin + (uint64_t)ARCHIVE(filter_bytes)(this->archive, -1);
}

/* Make room for the next bytes of the source. */
static bool make_room(struct margay_decompressor *this)
{
    if (this->capacity - this->held >= SOURCE_BYTES)
        return true;
    size_t capacity = 2 * this->capacity;
    unsigned char *moved = realloc(this->buffer, capacity);
    if (moved == NULL) {
        margay_fail_memory(&this->failure, "decompression");
        return false;
    }
    this->buffer = moved;
    this->capacity = capacity;
    return true;
}

/* Make space for more bytes.  Used bytes are dropped once they are the larger
   half, so that each byte is moved a bounded number of times. */
static bool make_space(struct margay_decompressor *this)
{
    size_t unused = (size_t)(this->source_bytes - consumed_bytes(this));
    if (unused <= this->held / 2) {
        memmove(this->buffer, this->buffer + this->held - unused, unused);
        this->held = unused;
    }
    return make_room(this);
}

/* An archive that asks for more no longer uses the bytes given before. */
static la_ssize_t archive_source(struct archive *archive, void *context,
                                 const void **buffer)
{
    struct margay_decompressor *this = context;
    size_t got = (size_t)(this->source_bytes - this->begin);
    if (!this->again && (!make_space(this) || !refill(this, &got))) {
        ARCHIVE(set_error)(archive, EIO, "read error");
        return -1;
    }
    this->held += this->again ? 0 : got;
    this->again = false;
    *buffer = this->buffer + this->held - got;
    return (la_ssize_t)got;
}

static enum margay_status fail_archive(struct margay_decompressor *this,
                                       struct margay_error *error)
{
    return fail(this, this->source_bytes, ARCHIVE(error_string)(this->archive),
                error);
}

/* A kind of archive; or one filter, and the formats that pass its output on
   unchanged. */
static enum margay_status create_archive(struct margay_decompressor *this,
                                         struct margay_error *error)
{
    const struct compression *compression = this->compression;
    struct archive *archive = this->archive = ARCHIVE(read_new)();
    bool made = archive != NULL;
    if (made && compression->members)
        made = ARCHIVE(read_support_format_zip_streamable)(archive) >=
               ARCHIVE_WARN;
    else if (made)
        made = ARCHIVE(read_support_filter_by_code)(
                   archive, compression->info->filter) >= ARCHIVE_WARN &&
               ARCHIVE(read_support_format_raw)(archive) == ARCHIVE_OK &&
               ARCHIVE(read_support_format_empty)(archive) == ARCHIVE_OK;
    return made ? MARGAY_OK : margay_fail_memory(error, "decompression");
}

/* Does another stream of the same compression begin at `consumed`?  Reads as
   many bytes as that takes. */
static bool goes_on(struct margay_decompressor *this, uint64_t consumed)
{
    size_t got = 1, left;
    while ((left = (size_t)(this->source_bytes - consumed)) <
               this->compression->magic_bytes &&
           got > 0) {
        if (!make_space(this) || !refill(this, &got))
            return false;
        this->held += got;
    }
    return left >= this->compression->magic_bytes &&
           begins_like(this->compression, this->buffer + this->held - left,
                       left);
}

/* Some filters end without an error at unknown bytes, and that of lz4 also
   after an empty stream: a new archive reads the stream that follows. */
static enum margay_status end_archive(struct margay_decompressor *this,
                                      struct margay_error *error)
{
    uint64_t consumed = consumed_bytes(this);
    bool more = goes_on(this, consumed);
    if (this->failure.status != MARGAY_OK)
        return fail_archive(this, error);
    if (more && consumed > this->begin) {
        ARCHIVE(read_free)(this->archive);
        this->begin = consumed;
        this->again = true;
        this->opened = false;
        return create_archive(this, error);
    }
    if (consumed < this->source_bytes)
        return fail(this, consumed, "unknown bytes after its end", error);
    this->ended = true;
    return MARGAY_OK;
}

/*
 * Source: PKWARE's APPNOTE.  libarchive, which reads the members of a zip in
 * their order, skips one whose header is damaged; the table of contents after
 * the members still lists it.
 */

/* The magic of the record that ends a zip, its length, and that of an entry of
   the table of contents without its names. */
#define ZIP_END         0x06054b50
#define ZIP_END_BYTES   22
#define ZIP_ENTRY_BYTES 46

/* Do the entries of the table, of `bytes` bytes, sum up to this many? Entries
   with lengths of 64 bits keep these elsewhere. */
static bool sums_up(const unsigned char *entry, size_t bytes,
                    uint64_t member_bytes)
{
    uint64_t sum = 0;
    while (bytes >= ZIP_ENTRY_BYTES) {
        uint64_t taken = ZIP_ENTRY_BYTES + margay_get_little(entry + 28, 2) +
                         margay_get_little(entry + 30, 2) +
                         margay_get_little(entry + 32, 2);
        if (margay_get_little(entry + 24, 4) == UINT32_MAX)
            return true;
        if (taken > bytes)
            return false;
        sum += margay_get_little(entry + 24, 4);
        entry += taken;
        bytes -= taken;
    }
    return sum == member_bytes;
}

/* Compare the table of contents of a zip, of which `tail` has the last `held`
   bytes, with the members that were read, and their total of bytes.  Returns
   NULL, or the fault.  Where a table is longer than the tail, only the number
   of members is compared. */
static const char *check_end(const unsigned char *tail, size_t held,
                             uint64_t members, uint64_t member_bytes)
{
    const unsigned char *record = NULL;
    for (size_t left = ZIP_END_BYTES; left <= held && record == NULL; left++)
        record = margay_get_little(tail + held - left, 4) == ZIP_END
                     ? tail + held - left
                     : NULL;
    if (record == NULL)
        return "unexpected end";
    uint64_t named = margay_get_little(record + 10, 2),
             bytes = margay_get_little(record + 12, 4);
    bool right = named == UINT16_MAX || named == (members & UINT16_MAX);
    if (right && bytes <= (size_t)(record - tail))
        right = sums_up(record - bytes, bytes, member_bytes);
    return right ? NULL : "other members than its table of contents names";
}

/* Have the last bytes of the source in the buffer, `held` of them: the table of
   contents follows the members of a zip. */
static bool keep_tail(struct margay_decompressor *this)
{
    size_t got = 1;
    while (got > 0) {
        if (this->held > SOURCE_BYTES) {
            memmove(this->buffer, this->buffer + this->held - SOURCE_BYTES,
                    SOURCE_BYTES);
            this->held = SOURCE_BYTES;
        }
        if (!make_room(this) || !refill(this, &got))
            return false;
        this->held += got;
    }
    return true;
}

/* Go to the next member, the first one included.  When all have been read, the
   table of contents has to agree. */
static enum margay_status begin_member(struct margay_decompressor *this,
                                       struct margay_error *error)
{
    struct archive_entry *entry;
    int result = ARCHIVE(read_next_header)(this->archive, &entry);
    this->members += result == ARCHIVE_OK;
    if (result == ARCHIVE_OK)
        return MARGAY_OK;
    if (result != ARCHIVE_EOF || !keep_tail(this))
        return fail_archive(this, error);
    const char *reason =
        check_end(this->buffer, this->held, this->members, this->member_bytes);
    this->ended = true;
    return reason == NULL ? MARGAY_OK
                          : fail(this, this->source_bytes, reason, error);
}

static enum margay_status begin_archive(struct margay_decompressor *this,
                                        struct margay_error *error)
{
    struct archive_entry *entry;
    if (ARCHIVE(read_open)(this->archive, this, NULL, archive_source, NULL) !=
        ARCHIVE_OK)
        return fail_archive(this, error);
    if (this->compression->members) {
        this->opened = true;
        return begin_member(this, error);
    }
    int result = ARCHIVE(read_next_header)(this->archive, &entry);
    if (result != ARCHIVE_OK && result != ARCHIVE_EOF)
        return fail_archive(this, error);
    /* A filter that does not recognise its bytes passes them on unchanged. */
    if (ARCHIVE(filter_code)(this->archive, 0) == ARCHIVE_FILTER_NONE)
        return fail_archive(this, error);
    this->opened = true;
    return result == ARCHIVE_EOF ? end_archive(this, error) : MARGAY_OK;
}

static enum margay_status read_archive(struct margay_decompressor *this,
                                       void *buffer, size_t bytes, size_t *got,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *got = 0;
    while (*got == 0 && !this->ended && status == MARGAY_OK) {
        if (!this->opened) {
            status = begin_archive(this, error);
            continue;
        }
        la_ssize_t result = ARCHIVE(read_data)(this->archive, buffer, bytes);
        if (result < 0)
            return fail_archive(this, error);
        *got = (size_t)result;
        this->member_bytes += *got;
        if (result == 0)
            status = this->compression->members ? begin_member(this, error)
                                                : end_archive(this, error);
    }
    return status;
}

/* ------------------------------------------------------------------ xz -- */

#ifdef MARGAY_HAS_LZMA

#define LZMA(name) MARGAY_LATE(&margay_liblzma, lzma_##name)

/* A thread holds a block, compressed and plain.  Where they would take more,
   there are fewer threads. */
#define MOST_BYTES ((uint64_t)1 << 30)

/* A file that `xz -T` writes, or `xz --block-size`, is made of blocks whose
   headers have their lengths; liblzma gives each to a thread.  A file of one
   block, or of blocks without lengths, takes one thread. */
static enum margay_status create_xz(struct margay_decompressor *this,
                                    unsigned threads,
                                    struct margay_error *error)
{
    const lzma_mt options = {
        .flags = LZMA_CONCATENATED,
        .threads = threads,
        .memlimit_threading = MOST_BYTES,
        .memlimit_stop = UINT64_MAX,
    };
    this->lzma = (lzma_stream)LZMA_STREAM_INIT;
    this->threaded = LZMA(stream_decoder_mt)(&this->lzma, &options) == LZMA_OK;
    return this->threaded ? MARGAY_OK
                          : margay_fail_memory(error, "decompression");
}

static enum margay_status read_xz(struct margay_decompressor *this,
                                  void *buffer, size_t bytes, size_t *got,
                                  struct margay_error *error)
{
    lzma_stream *lzma = &this->lzma;
    lzma->next_out = buffer;
    lzma->avail_out = bytes;
    while (lzma->avail_out == bytes && !this->ended) {
        if (lzma->avail_in == 0 && !this->source_ended) {
            if (!refill(this, &lzma->avail_in))
                return fail(this, lzma->total_in, NULL, error);
            lzma->next_in = this->buffer;
            this->source_ended = lzma->avail_in == 0;
        }
        lzma_ret result =
            LZMA(code)(lzma, this->source_ended ? LZMA_FINISH : LZMA_RUN);
        this->ended = result == LZMA_STREAM_END;
        if (result == LZMA_MEM_ERROR)
            return margay_fail_memory(error, "decompression");
        if (result != LZMA_OK && !this->ended)
            return fail(this, lzma->total_in,
                        result == LZMA_FORMAT_ERROR    ? "not recognised"
                        : result == LZMA_OPTIONS_ERROR ? "unknown options"
                        : result == LZMA_BUF_ERROR     ? "unexpected end"
                                                       : "wrong bytes",
                        error);
    }
    *got = bytes - lzma->avail_out;
    return MARGAY_OK;
}

#endif

/* -------------------------------------------------------------- either -- */

/* Read `bytes` bytes of the source into the empty buffer; fewer at its end. */
static enum margay_status hold(struct margay_decompressor *this, size_t bytes,
                               struct margay_error *error)
{
    size_t got = 1;
    this->held = 0;
    while (this->held < bytes && got > 0) {
        enum margay_status status =
            this->source.read(this->source.context, this->buffer + this->held,
                              bytes - this->held, &got, error);
        if (status != MARGAY_OK)
            return status;
        this->held += got;
    }
    this->source_bytes += this->held;
    return MARGAY_OK;
}

/* Skip the frames to be skipped that begin a stream: the magic, a length in 32
   bits, and as many bytes.  The bytes after them stay in the buffer. */
static enum margay_status pass_skipped(struct margay_decompressor *this,
                                       struct margay_error *error)
{
    enum margay_status status = hold(this, 8, error);
    while (status == MARGAY_OK && this->held == 8 &&
           begins_like(this->compression, this->buffer, 8)) {
        size_t bytes = (size_t)margay_get_little(this->buffer + 4, 4);
        for (; status == MARGAY_OK && bytes > 0 && this->held > 0;
             bytes -= this->held)
            status =
                hold(this, bytes < SOURCE_BYTES ? bytes : SOURCE_BYTES, error);
        if (status == MARGAY_OK)
            status = hold(this, 8, error);
    }
    this->begin = this->source_bytes - this->held;
    this->again = this->held > 0;
    return status;
}

static enum margay_status create_any(struct margay_decompressor *this,
                                     unsigned threads,
                                     struct margay_error *error)
{
    (void)threads;
    if (this->buffer == NULL)
        return margay_fail_memory(error, "decompression");
    /* 16: expect the header of gzip, and check its trailer. */
    if (is_gzip(this))
        return inflateInit2(&this->zlib, MAX_WBITS + 16) == Z_OK
                   ? MARGAY_OK
                   : margay_fail_memory(error, "decompression");
#ifdef MARGAY_HAS_LZMA
    if (this->compression->blocks && threads > 1 &&
        margay_late_open(&margay_liblzma))
        return create_xz(this, threads, error);
#endif
    if (!margay_late_open(&margay_libarchive))
        return margay_late_fail(&margay_libarchive, this->name, "reads",
                                this->compression->info->name, error);
    enum margay_status status =
        this->compression->any_bits > 0 ? pass_skipped(this, error) : MARGAY_OK;
    return status == MARGAY_OK ? create_archive(this, error) : status;
}

enum margay_status margay_decompressor_create(
    const char *name, const void *head, size_t bytes,
    struct margay_byte_source source, unsigned threads,
    struct margay_decompressor **decompressor, struct margay_error *error)
{
    size_t row = 0;
    *decompressor = NULL;
    /* A file of three bytes or more that is the beginning of a magic has been
       cut; two bytes may be anything. */
    while (row < COMPRESSIONS && !begins_like(&compressions[row], head, bytes))
        row++;
    if (row == COMPRESSIONS || bytes <= 2)
        return MARGAY_OK;
    struct margay_decompressor *this = calloc(1, sizeof *this);
    if (this == NULL)
        return margay_fail_memory(error, "decompression");
    this->compression = &compressions[row];
    this->name = name;
    this->source = source;
    this->capacity = SOURCE_BYTES;
    this->buffer = malloc(this->capacity);
    enum margay_status status = create_any(this, threads, error);
    if (status == MARGAY_OK)
        *decompressor = this;
    else
        margay_decompressor_free(this);
    return status;
}

enum margay_status margay_decompressor_read(struct margay_decompressor *this,
                                            void *buffer, size_t bytes,
                                            size_t *got,
                                            struct margay_error *error)
{
#ifdef MARGAY_HAS_LZMA
    if (this->threaded)
        return read_xz(this, buffer, bytes, got, error);
#endif
    return is_gzip(this) ? read_gzip(this, buffer, bytes, got, error)
                         : read_archive(this, buffer, bytes, got, error);
}

const char *margay_libarchive_version(void)
{
    return margay_late_open(&margay_libarchive) ? ARCHIVE(version_details)()
                                                : "no libarchive";
}

const char *margay_decompressor_name(const struct margay_decompressor *this)
{
    return this->compression->info->name;
}

void margay_decompressor_free(struct margay_decompressor *this)
{
    if (this == NULL)
        return;
    if (is_gzip(this))
        inflateEnd(&this->zlib);
    if (this->archive != NULL)
        ARCHIVE(read_free)(this->archive);
#ifdef MARGAY_HAS_LZMA
    if (this->threaded)
        LZMA(end)(&this->lzma);
#endif
    free(this->buffer);
    free(this);
}
