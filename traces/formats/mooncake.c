/*
 * mooncake.c - requests to language models, as lists of block hashes
 *
 *     {"timestamp": 27, "input_length": 910, "output_length": 5,
 *      "hash_ids": [46, 47, 2353]}
 *
 * One JSON object after the other, a line each in the traces of Mooncake and of
 * others who write the same.  "hash_ids" names the blocks of a prompt in their
 * order; each stands for a fixed number of tokens and all before it, so that
 * equal ids mean equal beginnings.  Each is a reference, and those of an object
 * are one request, numbered from 0 on.  A number of 64 bits, with or without a
 * sign, is an id as it stands, any text the FNV-1a hash of its bytes.  All else
 * in an object is passed over.
 *
 * yajl parses the text as a stream, so that a request may be of any length.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/fnv.h"
#include "traces/formats/blocks_format.h"

#define KEY "hash_ids"

/* Blanks that may stand before the first object. */
static size_t skip_blanks(const char *text, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && strchr(" \t\r\n", text[i]) != NULL && text[i] != '\0')
        i++;
    return i;
}

/* An object, and the name of the list within the window. */
static bool is_magic(const void *window, size_t bytes)
{
    const char *text = window;
    size_t first = skip_blanks(text, bytes);
    return first < bytes && text[first] == '{' &&
           memmem(text, bytes, "\"" KEY "\"", sizeof KEY + 1) != NULL;
}

#ifdef MARGAY_HAS_YAJL

#include <yajl/yajl_parse.h>

/* As many as a batch has room for: a reference takes two bytes at least, a
   digit and a comma. */
#define PIECE_BYTES ((size_t)16384 >> MARGAY_SHRINK)

struct reader {
    struct margay_block_source source;
    yajl_handle parser;
    uint64_t lines;    /* that ended before the piece */
    uint64_t requests; /* objects that have begun */
    unsigned depth;    /* objects and lists that are open */
    bool in_ids;       /* the list of ids is open, or its name has come */
    bool has_ids;      /* the object has had one */
    bool begun;        /* something else than blanks has come */
    bool ended;
    const char *expected; /* why a callback has given up */
    struct margay_references *batch;
    unsigned char piece[PIECE_BYTES];
};

/* ------------------------------------------------------------ callbacks -- */

/* Give up: what stands there is none of this. */
static int expect(struct reader *reader, const char *what)
{
    reader->expected = what;
    return 0;
}

#define EXPECTS_ID     "a whole number of 64 bits, or a text, in " KEY
#define EXPECTS_LIST   "a list of block ids after \"" KEY "\""
#define EXPECTS_OBJECT "an object with \"" KEY "\": [...]"

/* Is the parser within the list of ids itself? */
static bool at_id(const struct reader *reader)
{
    return reader->in_ids && reader->depth == 2;
}

static int append(struct reader *reader, uint64_t id)
{
    struct margay_references *batch = reader->batch;
    size_t i = batch->count++;
    batch->numbers[i] = id;
    if (batch->requests != NULL)
        batch->requests[i] = reader->requests - 1;
    return 1;
}

/* A value that is neither an id nor a list of them. */
static int pass_over(void *context)
{
    struct reader *reader = context;
    return reader->depth == 0 ? expect(reader, EXPECTS_OBJECT)
           : !reader->in_ids  ? 1
           : at_id(reader)    ? expect(reader, EXPECTS_ID)
                              : expect(reader, EXPECTS_LIST);
}

static int take_boolean(void *context, int value)
{
    (void)value;
    return pass_over(context);
}

static int take_number(void *context, const char *text, size_t bytes)
{
    struct reader *reader = context;
    if (!at_id(reader))
        return pass_over(reader);
    bool negative = *text == '-';
    uint64_t id = 0;
    for (size_t i = negative; i < bytes; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(id, 10, &id) ||
            __builtin_add_overflow(id, digit, &id))
            return expect(reader, EXPECTS_ID);
    }
    if (negative && id > UINT64_C(1) << 63)
        return expect(reader, EXPECTS_ID);
    return append(reader, negative ? -id : id);
}

static int take_text(void *context, const unsigned char *text, size_t bytes)
{
    struct reader *reader = context;
    return at_id(reader) ? append(reader, margay_fnv1a(text, bytes))
                         : pass_over(reader);
}

static int begin_map(void *context)
{
    struct reader *reader = context;
    if (reader->depth > 0 && !pass_over(reader))
        return 0;
    if (reader->depth++ == 0) {
        reader->requests++;
        reader->has_ids = false;
    }
    return 1;
}

static int take_key(void *context, const unsigned char *key, size_t bytes)
{
    struct reader *reader = context;
    if (reader->depth != 1)
        return 1;
    reader->in_ids =
        bytes == sizeof KEY - 1 && memcmp(key, KEY, sizeof KEY - 1) == 0;
    if (reader->in_ids && reader->has_ids)
        return expect(reader, "\"" KEY "\" once in an object");
    reader->has_ids |= reader->in_ids;
    return 1;
}

static int end_map(void *context)
{
    struct reader *reader = context;
    return --reader->depth > 0 || reader->has_ids
               ? 1
               : expect(reader, EXPECTS_OBJECT);
}

static int begin_list(void *context)
{
    struct reader *reader = context;
    bool is_list_of_ids = reader->in_ids && reader->depth == 1;
    if (!is_list_of_ids && !pass_over(reader))
        return 0;
    reader->depth++;
    return 1;
}

static int end_list(void *context)
{
    struct reader *reader = context;
    reader->in_ids &= --reader->depth != 1;
    return 1;
}

/* -------------------------------------------------------------- reading -- */

static void clear(void *state)
{
    struct reader *reader = state;
    if (reader->parser != NULL)
        yajl_free(reader->parser);
}

static enum margay_status open_reader(void *state,
                                      struct margay_trace_facts *facts,
                                      struct margay_error *error)
{
    static const yajl_callbacks callbacks = {
        .yajl_null = pass_over,
        .yajl_boolean = take_boolean,
        .yajl_number = take_number,
        .yajl_string = take_text,
        .yajl_start_map = begin_map,
        .yajl_map_key = take_key,
        .yajl_end_map = end_map,
        .yajl_start_array = begin_list,
        .yajl_end_array = end_list,
    };
    struct reader *reader = state;
    (void)facts;
    reader->parser = yajl_alloc(&callbacks, NULL, reader);
    return reader->parser != NULL &&
                   yajl_config(reader->parser, yajl_allow_multiple_values, 1) &&
                   yajl_config(reader->parser, yajl_dont_validate_strings, 1)
               ? MARGAY_OK
               : margay_fail_memory(error, "a parser of JSON");
}

static uint64_t count_lines(const unsigned char *text, size_t bytes)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    return lines;
}

/* The parser has stopped at some byte of the piece. */
static enum margay_status fail_piece(struct reader *reader, yajl_status status,
                                     size_t bytes, struct margay_error *error)
{
    size_t at = yajl_get_bytes_consumed(reader->parser);
    uint64_t line =
        reader->lines + count_lines(reader->piece, at < bytes ? at : bytes);
    if (status == yajl_status_client_canceled)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:%llu: found another value, expected %s (read as "
                           "mooncake; %s)",
                           reader->source.name, (unsigned long long)line + 1,
                           reader->expected, reader->source.evidence);
    unsigned char *said = yajl_get_error(reader->parser, 0, NULL, 0);
    margay_fail(error, MARGAY_BAD_INPUT,
                "%s:%llu: found %.*s, expected objects in JSON (read as "
                "mooncake; %s)",
                reader->source.name, (unsigned long long)line + 1,
                said == NULL ? 0 : (int)strcspn((const char *)said, "\n"),
                said == NULL ? "" : (const char *)said,
                reader->source.evidence);
    if (said != NULL)
        yajl_free_error(reader->parser, said);
    return MARGAY_BAD_INPUT;
}

static enum margay_status parse(struct reader *reader,
                                struct margay_error *error)
{
    size_t bytes;
    enum margay_status status =
        reader->source.read(reader->source.context, reader->piece,
                            sizeof reader->piece, &bytes, error);
    if (status != MARGAY_OK)
        return status;
    reader->ended = bytes == 0;
    reader->begun |= skip_blanks((const char *)reader->piece, bytes) < bytes;
    if (!reader->begun)
        return MARGAY_OK;
    size_t before = reader->batch->count;
    yajl_status parsed = reader->ended
                             ? yajl_complete_parse(reader->parser)
                             : yajl_parse(reader->parser, reader->piece, bytes);
    if (parsed != yajl_status_ok && reader->ended)
        reader->batch->count = before; /* the last number may be half of one */
    if (parsed != yajl_status_ok)
        return fail_piece(reader, parsed, bytes, error);
    reader->lines += count_lines(reader->piece, bytes);
    return MARGAY_OK;
}

static enum margay_status fill(void *state, struct margay_references *batch,
                               struct margay_error *error)
{
    struct reader *reader = state;
    enum margay_status status = MARGAY_OK;
    reader->batch = batch;
    while (batch->count == 0 && !reader->ended && status == MARGAY_OK)
        status = parse(reader, error);
    return status == MARGAY_OK && batch->count == 0 ? MARGAY_END : status;
}

static const struct margay_blocks_reading reading = {
    .is_magic = is_magic,
    .state_bytes = sizeof(struct reader),
    .open = open_reader,
    .clear = clear,
    .fill = fill,
};

#else

static enum margay_status open_reader(void *state,
                                      struct margay_trace_facts *facts,
                                      struct margay_error *error)
{
    (void)facts;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: the format mooncake takes a Margay that was built "
                       "with yajl (Debian: libyajl-dev)",
                       ((struct margay_block_source *)state)->name);
}

static const struct margay_blocks_reading reading = {
    .is_magic = is_magic,
    .state_bytes = sizeof(struct margay_block_source),
    .open = open_reader,
};

#endif

const struct margay_format margay_format_mooncake = {
    .info = {.name = "mooncake",
             .description = "requests to language models, in JSON (Mooncake)",
             .suffixes = "",
             .numbers = MARGAY_IDS,
             .columns = MARGAY_COLUMN_REQUESTS},
    .reading = &reading,
};
