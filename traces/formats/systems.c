/*
 * systems.c - logs of devices and files: blkparse, fio, strace, filemap
 *
 * Requests are to offsets on devices, or in files, which are kept apart like
 * devices: the hash of its name gives a device the upper 16 bits of a number,
 * and a file the upper 20.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "traces/base/fnv.h"
#include "traces/base/grow.h"
#include "traces/formats/logs.h"
#include "traces/formats/names.h"

#define DEVICE_BITS 16
#define FILE_BITS   20

/* Of strace: the position of a descriptor of a process, or the unfinished call
   of a process, and its offset, if that was printed. */
struct place {
    uint64_t offset;
    const struct call *call; /* of the process; NULL = none */
    uint64_t descriptor, file;
};

struct system {
    struct margay_log log;
    unsigned version;           /* of fio; 0 = not known yet */
    bool strict;                /* other lines speak against the format */
    struct margay_names *names; /* of places, by process and descriptor */
    struct place *places;
    size_t place_count, place_capacity;
};

static void *create_system(const struct margay_state_options *options)
{
    struct system *system = calloc(1, sizeof *system);
    if (system == NULL || (system->names = margay_names_create()) == NULL) {
        free(system);
        return NULL;
    }
    system->strict = options->trial && options->by_content;
    return system;
}

static void free_system(void *state)
{
    struct system *system = state;
    margay_names_free(system->names);
    free(system->places);
    free(system->log.devices);
    free(system);
}

/* A request of `bytes` bytes at row->number, on the device or in the file, as
   the bits say, of that hash. */
static const char *take_request(struct margay_log *log, unsigned bits,
                                uint64_t hash, uint64_t bytes,
                                enum margay_op op,
                                struct margay_row_reference *row)
{
    const uint64_t room = UINT64_C(1) << (64 - bits);
    uint64_t number = hash & ((UINT64_C(1) << bits) - 1);
    if (bytes > UINT32_MAX)
        return "a request below 4294967296 bytes";
    if (row->number >= room || room - row->number < bytes)
        return bits == FILE_BITS
                   ? "an offset below 2^44, as the file stands above it"
                   : "an offset below 2^48, as the device stands above it";
    const char *expected = margay_device_claim(
        &log->devices, bits, MARGAY_NAMED_DEVICE(hash), &number);
    row->number |= number << (64 - bits);
    row->size = bytes;
    row->extent = (uint32_t)bytes;
    row->op = (uint8_t)op;
    row->count = 1;
    return expected;
}

static bool is_word(const char *word, const char *end, const char *text)
{
    return (size_t)(end - word) == strlen(text) &&
           memcmp(word, text, (size_t)(end - word)) == 0;
}

/* -------------------------------------------------------------- blkparse -- */

/*
 * The output of blkparse: requests to block devices
 *
 *     8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]
 *
 * Device, processor, number, seconds, process, action, what is done, first
 * sector, sectors, program.  A request passes through several actions; it
 * counts where it is queued, Q, and nowhere else.  One that neither reads nor
 * writes, or discards, is no reference.  Lines after the first record that
 * begin with no device are the summary.
 */
#define SECTOR_BYTES UINT64_C(512)
#define EXPECTS_BLKPARSE                                                     \
    "a line of blkparse: device, processor, number, time, process, action, " \
    "what is done, sector + sectors"

static const char *parse_blkparse(struct margay_log *log, const char *line,
                                  const char *end, size_t at,
                                  struct margay_row_reference *row)
{
    const char *words[10], *ends[10];
    uint64_t major, minor, sectors;
    (void)at;
    for (unsigned i = 0; i < 10; i++) {
        words[i] = i == 0 ? line : margay_next_word(words[i - 1], end);
        ends[i] = margay_word_end(words[i], end);
    }
    const char *comma = memchr(line, ',', (size_t)(ends[0] - line));
    if (comma == NULL || !margay_take_number(line, comma, &major) ||
        !margay_take_number(comma + 1, ends[0], &minor))
        return log->begun ? NULL : EXPECTS_BLKPARSE;
    if (!margay_take_seconds(words[3], ends[3], &row->time) || words[6] == end)
        return EXPECTS_BLKPARSE;
    log->begun = true;
    size_t bytes = (size_t)(ends[6] - words[6]);
    bool reads = memchr(words[6], 'R', bytes) != NULL;
    bool writes = memchr(words[6], 'W', bytes) != NULL;
    if (!is_word(words[5], ends[5], "Q") || (!reads && !writes) ||
        memchr(words[6], 'D', bytes) != NULL)
        return NULL;
    if (!margay_take_number(words[7], ends[7], &row->number) ||
        words[8] == end || *words[8] != '+' ||
        !margay_take_number(words[9], ends[9], &sectors))
        return EXPECTS_BLKPARSE;
    if (!margay_multiply_u64(row->number, SECTOR_BYTES, &row->number))
        row->number = UINT64_MAX;
    if (!margay_multiply_u64(sectors, SECTOR_BYTES, &sectors))
        sectors = UINT64_MAX;
    return take_request(log, DEVICE_BITS,
                        margay_fnv1a(line, (size_t)(ends[0] - line)), sectors,
                        writes ? MARGAY_SET : MARGAY_GET, row);
}

/* ------------------------------------------------------------------ fio -- */

/*
 * The log of fio, --write_iolog, in version 2 or 3
 *
 *     fio version 3 iolog
 *     137 /data/file read 8192 4096
 *
 * In version 3 microseconds, a file, an action, an offset and a length.  Reads
 * and writes are references.
 */
#define EXPECTS_FIO "[MICROSECONDS] FILE ACTION [OFFSET LENGTH] of fio"

/* The word that ends at or before *end, which goes to its beginning. */
static const char *last_word(const char *line, const char **end)
{
    const char *after = *end;
    while (after > line && margay_is_blank(after[-1]))
        after--;
    *end = after;
    while (*end > line && !margay_is_blank((*end)[-1]))
        --*end;
    return after;
}

/* Read the first line, which has the version, 2 or 3. */
static const char *read_fio_head(struct system *system, const char *line,
                                 const char *end)
{
    system->version = is_word(line, end, "fio version 2 iolog")   ? 2
                      : is_word(line, end, "fio version 3 iolog") ? 3
                                                                  : 0;
    return system->version == 0
               ? "'fio version 2 iolog' or 'fio version 3 iolog'"
               : NULL;
}

struct word {
    const char *begin, *end;
};

/* The last words of a line, from its end on; missing ones are empty. */
static void last_words(const char *line, const char *end, struct word *words,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        words[i].begin = i == 0 ? end : words[i - 1].begin;
        words[i].end = last_word(line, &words[i].begin);
    }
}

/* Is the word one of these, which NULL ends? */
static bool is_among(const struct word *word, const char *const *words)
{
    while (*words != NULL && !is_word(word->begin, word->end, *words))
        words++;
    return *words != NULL;
}

static const char *parse_fio(struct margay_log *log, const char *line,
                             const char *end, size_t at,
                             struct margay_row_reference *row)
{
    static const char *const alone[] = {"add", "open", "close", NULL};
    static const char *const passed[] = {"wait", "sync", "datasync", "trim",
                                         NULL};
    struct system *system = (struct system *)log;
    uint64_t bytes;
    (void)at;
    if (system->version == 0)
        return read_fio_head(system, line, end);
    if (system->version == 3) {
        const char *time_end = margay_word_end(line, end);
        if (!margay_take_number(line, time_end, &row->time))
            return EXPECTS_FIO;
        line = margay_next_word(line, end);
    }
    struct word words[4]; /* length, offset, action, and the end of a name */
    last_words(line, end, words, 4);
    if (words[0].begin == line)
        return EXPECTS_FIO;
    if (is_among(&words[0], alone))
        return NULL;
    if (words[3].begin == words[3].end ||
        !margay_take_number(words[1].begin, words[1].end, &row->number) ||
        !margay_take_number(words[0].begin, words[0].end, &bytes))
        return EXPECTS_FIO;
    if (is_among(&words[2], passed))
        return NULL;
    bool reads = is_word(words[2].begin, words[2].end, "read");
    if (!reads && !is_word(words[2].begin, words[2].end, "write"))
        return "an action of fio: read write add open close wait sync "
               "datasync trim";
    return take_request(log, FILE_BITS,
                        margay_fnv1a(line, (size_t)(words[3].end - line)),
                        bytes, reads ? MARGAY_GET : MARGAY_SET, row);
}

/* -------------------------------------------------------------- filemap -- */

/*
 * Events of Linux's page cache, as ftrace, trace-cmd and perf print them
 *
 *     less-901 [005] ..... 72.531607: mm_filemap_add_to_page_cache: dev 253:3
 *         ino 13f730 pfn=0x113bad ofs=4096 order=0
 *     less-901 [005] ..... 72.531611: mm_filemap_get_pages: dev=253:3
 *         ino=13f730 ofs=0-8191
 *
 * Pages that are added, looked up, mapped or faulted in are references; those
 * that are deleted, and other events, are none.
 */
#define PAGE_BYTES      4096
#define EXPECTS_FILEMAP "dev MAJOR:MINOR ino HEX ofs=OFFSET of mm_filemap_..."

/* The text after the name and a blank or an equals sign, up to a blank, or
   NULL. */
static const char *value_of(const char *text, const char *end, const char *name,
                            const char **value_end)
{
    size_t length = strlen(name);
    for (; text < end; text = margay_next_word(text, end)) {
        if ((size_t)(end - text) > length && memcmp(text, name, length) == 0 &&
            (text[length] == '=' || text[length] == ' '))
            break;
    }
    if (text >= end)
        return NULL;
    *value_end = margay_word_end(text + length + 1, end);
    return text + length + 1;
}

/* The seconds that stand before the word of the event. */
static void take_seconds(const char *line, const char *event,
                         struct margay_row_reference *row)
{
    while (event > line && !margay_is_blank(event[-1]))
        event--;
    const char *word = event;
    const char *word_end = last_word(line, &word);
    word_end -= word_end > word && word_end[-1] == ':';
    if (!margay_take_seconds(word, word_end, &row->time))
        row->time = 0;
}

/* Other events, which have a colon after their names, and lines between events:
   cpus=2, CPU:1 [LOST 7 EVENTS] */
static bool is_remark(const char *line, const char *end)
{
    static const char *const begins[] = {"#", "cpus=", "CPU", "version = "};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        size_t length = strlen(begins[i]);
        if ((size_t)(end - line) >= length &&
            memcmp(line, begins[i], length) == 0)
            return true;
    }
    return memmem(line, (size_t)(end - line), ": ", 2) != NULL;
}

static const char *parse_filemap(struct margay_log *log, const char *line,
                                 const char *end, size_t at,
                                 struct margay_row_reference *row)
{
    static const char begins[] = "mm_filemap_";
    const char *device_end, *inode_end, *offset_end, *order_end;
    uint64_t order = 0, last;
    (void)at;
    const char *event =
        memmem(line, (size_t)(end - line), begins, sizeof begins - 1);
    if (event == NULL)
        return ((struct system *)log)->strict && !is_remark(line, end)
                   ? EXPECTS_FILEMAP
                   : NULL;
    const char *device = value_of(event, end, "dev", &device_end);
    const char *inode = value_of(event, end, "ino", &inode_end);
    const char *offset = value_of(event, end, "ofs", &offset_end);
    const char *pages = value_of(event, end, "order", &order_end);
    if (device == NULL || inode == NULL || offset == NULL ||
        (pages != NULL &&
         (!margay_take_number(pages, order_end, &order) || order > 18)))
        return EXPECTS_FILEMAP;
    const char *dash = memchr(offset, '-', (size_t)(offset_end - offset));
    const char *first_end = dash == NULL ? offset_end : dash;
    if (!margay_take_number(offset, first_end, &row->number) ||
        (dash != NULL && (!margay_take_number(dash + 1, offset_end, &last) ||
                          last < row->number)))
        return EXPECTS_FILEMAP;
    if (strncmp(event + sizeof begins - 1, "delete", 6) == 0)
        return NULL;
    take_seconds(line, event, row);
    uint64_t file = margay_fnv1a(device, (size_t)(device_end - device));
    inode += inode_end - inode > 2 && inode[1] == 'x' ? 2 : 0;
    file = margay_fnv1a_on(margay_fnv1a_on(file, "", 1), inode,
                           (size_t)(inode_end - inode));
    last =
        dash != NULL ? last - row->number : ((uint64_t)PAGE_BYTES << order) - 1;
    return last >= UINT32_MAX
               ? "fewer than 4294967296 bytes"
               : take_request(log, FILE_BITS, file, last + 1, MARGAY_GET, row);
}

/* --------------------------------------------------------------- strace -- */

/*
 * The output of strace -y: calls that read and write files
 *
 *     1234 openat(AT_FDCWD</tmp>, "f", O_RDONLY) = 3</tmp/f>
 *     1234 read(3</tmp/f>, "..."..., 4096) = 4096
 *     1234 pread64(3</tmp/f>, "..."..., 4096, 8192) = 4096
 *
 * A reference covers the bytes that a call returns to have read or written, at
 * its own offset or at the position of its descriptor: 0 once it is opened, or
 * first seen, then after the bytes of each call, or at the result of lseek.
 * Calls on other things than files, failed calls, and all other lines are no
 * references.  An unfinished call counts where it is resumed.
 */
#define EXPECTS_STRACE "CALL(DESCRIPTOR<PATH>, ...) = RESULT of strace -y"

enum moves { READS, WRITES, SEEKS, OPENS };
static const struct call {
    const char *name;
    enum moves moves;
    bool has_offset;
} calls[] = {
    {"read", READS, false},     {"readv", READS, false},
    {"write", WRITES, false},   {"writev", WRITES, false},
    {"pread64", READS, true},   {"preadv", READS, true},
    {"pwrite64", WRITES, true}, {"pwritev", WRITES, true},
    {"lseek", SEEKS, false},    {"openat", OPENS, false},
    {"open", OPENS, false},     {"creat", OPENS, false},
};

static const struct call *call_named(const char *name, const char *end)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (is_word(name, end, calls[i].name))
            return &calls[i];
    }
    return NULL;
}

/* The position of a descriptor of a process; NULL: no memory. */
static struct place *place_of(struct system *system, uint64_t process,
                              uint64_t descriptor)
{
    const uint64_t key[] = {process, descriptor};
    uint32_t number;
    if (!margay_names_number(system->names, (const char *)key, sizeof key,
                             &number))
        return NULL;
    if (number == system->place_count) {
        if (!MARGAY_MAKE_ROOM(system->places, number, 1,
                              system->place_capacity))
            return NULL;
        system->places[system->place_count++] = (struct place){.offset = 0};
    }
    return &system->places[number];
}

/* DESCRIPTOR<PATH>: true if the path is one of a file. */
static bool take_descriptor(const char *text, const char *end,
                            uint64_t *descriptor, uint64_t *file)
{
    const char *open = memchr(text, '<', (size_t)(end - text));
    const char *close =
        open == NULL ? NULL : memchr(open, '>', (size_t)(end - open));
    if (close == NULL || !margay_take_number(text, open, descriptor))
        return false;
    *file = margay_fnv1a(open + 1, (size_t)(close - open - 1));
    return open[1] == '/';
}

/* The result, after the last parenthesis that an equals sign follows; NULL:
   there is none. */
static const char *result_of(const char *line, const char *end,
                             const char **arguments_end)
{
    for (const char *at = end; at > line; at--) {
        const char *equals = at;
        if (at[-1] != ')')
            continue;
        while (equals < end && margay_is_blank(*equals))
            equals++;
        if (equals > at && end - equals > 2 && equals[0] == '=' &&
            equals[1] == ' ') {
            *arguments_end = at - 1;
            return equals + 2;
        }
    }
    return NULL;
}

/* Does the call go on in a later line?  Its arguments up to there are kept: the
   offset of a write, but not of a read. */
static bool is_unfinished(struct place *made, const char *arguments,
                          const char *end)
{
    static const char mark[] = "<unfinished ...>";
    if ((size_t)(end - arguments) <= sizeof mark - 1 ||
        memcmp(end - sizeof mark + 1, mark, sizeof mark - 1) != 0)
        return false;
    const char *offset = end - sizeof mark + 1;
    const char *offset_end = last_word(arguments, &offset);
    if (made->call->moves != WRITES ||
        !margay_take_number(offset, offset_end, &made->offset))
        made->offset = UINT64_MAX;
    return true;
}

/* Make a reference of a call that has returned. */
static const char *take_call(struct system *system, uint64_t process,
                             const struct place *made, const char *arguments,
                             const char *end, struct margay_row_reference *row)
{
    const char *arguments_end;
    const char *result = result_of(arguments, end, &arguments_end);
    uint64_t value, file;
    if (result == NULL)
        return EXPECTS_STRACE;
    bool opens = made->call->moves == OPENS;
    if (!(opens ? take_descriptor(result, end, &value, &file)
                : margay_take_number(result, margay_word_end(result, end),
                                     &value)))
        return NULL; /* it failed */
    struct place *place =
        place_of(system, process, opens ? value : made->descriptor);
    if (place == NULL)
        return "descriptors for which there is memory";
    row->number = place->offset;
    if (opens || made->call->moves == SEEKS) {
        place->offset = opens ? 0 : value;
        return NULL;
    }
    if (made->call->has_offset) {
        const char *offset = arguments_end;
        last_word(arguments, &offset);
        if (!margay_take_number(offset, arguments_end, &row->number))
            row->number = made->offset;
        if (row->number == UINT64_MAX)
            return "an offset in the end of the arguments";
    } else {
        place->offset += value;
    }
    enum margay_op op = made->call->moves == READS ? MARGAY_GET : MARGAY_SET;
    return value == 0 ? NULL
                      : take_request(&system->log, FILE_BITS, made->file, value,
                                     op, row);
}

/* "[pid N] " or "N "; returns what follows. */
static const char *take_process(const char *line, const char *end,
                                uint64_t *process)
{
    const char *word = line, *after = margay_word_end(word, end);
    *process = 0;
    if (is_word(word, after, "[pid")) {
        word = margay_next_word(word, end);
        after = memchr(word, ']', (size_t)(end - word));
        if (after == NULL)
            return line;
    }
    return margay_take_number(word, after, process)
               ? margay_next_word(word, end)
               : line;
}

static const char *parse_strace(struct margay_log *log, const char *line,
                                const char *end, size_t at,
                                struct margay_row_reference *row)
{
    static const char resumed[] = "<... ";
    struct system *system = (struct system *)log;
    uint64_t process;
    (void)at;
    const char *name = take_process(line, end, &process);
    /* A time may stand before the call. */
    if (name < end && *name >= '0' && *name <= '9')
        name = margay_next_word(name, end);
    struct place *waiting = place_of(system, process, UINT64_MAX);
    if (waiting == NULL)
        return "processes for which there is memory";
    if ((size_t)(end - name) > sizeof resumed &&
        memcmp(name, resumed, sizeof resumed - 1) == 0) {
        const struct place made = *waiting;
        waiting->call = NULL;
        return made.call == NULL
                   ? NULL
                   : take_call(system, process, &made, name, end, row);
    }
    const char *open = memchr(name, '(', (size_t)(end - name));
    struct place made = {.call = open == NULL ? NULL : call_named(name, open),
                         .offset = UINT64_MAX};
    bool known = name < end && (*name == '+' || *name == '-' || open != NULL);
    if (made.call == NULL)
        return system->strict && !known ? EXPECTS_STRACE : NULL;
    system->log.begun = true;
    if (made.call->moves != OPENS &&
        !take_descriptor(open + 1, end, &made.descriptor, &made.file))
        return memchr(open, '<', (size_t)(end - open)) == NULL ? EXPECTS_STRACE
                                                               : NULL;
    if (!is_unfinished(&made, open, end))
        return take_call(system, process, &made, open, end, row);
    *waiting = made;
    return NULL;
}

/* ------------------------------------------------------------------ rows -- */

MARGAY_LOG_DECODER(decode_blkparse, parse_blkparse)
MARGAY_LOG_DECODER(decode_fio, parse_fio)
MARGAY_LOG_DECODER(decode_filemap, parse_filemap)
MARGAY_LOG_DECODER(decode_strace, parse_strace)

#define FILE_COLUMNS                                                     \
    (MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS | MARGAY_COLUMN_SIZES | \
     MARGAY_COLUMN_OPS)

#define SYSTEM(NAME, DESCRIPTION, SUFFIXES, MORE, DECODER, ...)               \
    {                                                                         \
        .info = {.name = NAME,                                                \
                 .description = DESCRIPTION,                                  \
                 .suffixes = SUFFIXES,                                        \
                 MARGAY_BYTE_ADDRESSES,                                       \
                 .columns = FILE_COLUMNS | (MORE),                            \
                 .kinds = MARGAY_READS_AND_WRITES,                            \
                 .splits = true,                                              \
                 .empty_extents = true,                                       \
                 .usual_block_bytes = 4096},                                  \
        .decode = DECODER, .recognise = DECODER,                              \
        .create_state = create_system, .free_state = free_system, __VA_ARGS__ \
    }

const struct margay_format margay_format_blkparse = SYSTEM(
    "blkparse", "blkparse: requests to devices, where queued", "blkparse",
    MARGAY_COLUMN_TIMES, decode_blkparse, .told_by_records = false);

const struct margay_format margay_format_fio =
    SYSTEM("fio", "fio's --write_iolog: requests to files", "iolog",
           MARGAY_COLUMN_TIMES, decode_fio, .told_by_records = false);

const struct margay_format margay_format_filemap =
    SYSTEM("filemap", "Linux's page cache: mm_filemap events of ftrace", "",
           MARGAY_COLUMN_TIMES, decode_filemap, .told_by_records = true);

const struct margay_format margay_format_strace =
    SYSTEM("strace", "strace -y: reads and writes of files", "strace", 0,
           decode_strace, .told_by_records = true);
