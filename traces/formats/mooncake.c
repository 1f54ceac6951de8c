/*
 * mooncake.c - requests to language models, as lists of block hashes
 *
 *     {"timestamp": 27, "input_length": 910, "output_length": 5,
 *      "hash_ids": [46, 47, 2353]}
 *
 * One JSON object after the other, a line each in the traces of Mooncake, of
 * Bailian and others.  "hash_ids" names the blocks of a prompt in their order;
 * each stands for a fixed number of tokens and all before it, so that equal ids
 * mean equal beginnings.  Each is a reference, and those of an object are one
 * request, numbered from 0 on.  A number of 64 bits, with or without a sign, is
 * an id as it stands, any text the FNV-1a hash of its bytes.  The log of
 * look-ups that LMCache writes has other names:
 *
 *     {"timestamp": 1711929600.1, "chunk_size": 256, "seq_len": 8192,
 *      "dtypes": ["bfloat16"], "shapes": [[2, 32, 256, 1024]],
 *      "chunk_hashes": ["0xabcd1234", "0xef567890"]}
 *
 * Objects give the tokens of a block; otherwise it is the power of two that
 * fits the length and number of blocks of the first prompt of several blocks.
 * Both are searched for in the beginning of the trace.  Keys may come in any
 * order, so a request is given when its object has ended.  All other keys are
 * skipped.
 *
 * yajl parses the text as a stream, so that a request may be of any length.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/fnv.h"
#include "traces/base/grow.h"
#include "traces/base/late.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/names.h"
#include "traces/formats/scan.h"

/* Blanks that may stand before the first object. */
static size_t skip_blanks(const char *text, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && strchr(" \t\r\n", text[i]) != NULL && text[i] != '\0')
        i++;
    return i;
}

static bool has_key(const char *text, size_t bytes, const char *key)
{
    return memmem(text, bytes, key, strlen(key)) != NULL;
}

/* An object, and the name of the list within the window. */
static bool is_magic(const void *window, size_t bytes)
{
    const char *text = window;
    size_t mark = margay_order_mark(text, bytes);
    size_t first = mark + skip_blanks(text + mark, bytes - mark);
    return first < bytes && text[first] == '{' &&
           (has_key(text, bytes, "\"hash_ids\"") ||
            has_key(text, bytes, "\"chunk_hashes\""));
}

#ifdef MARGAY_HAS_YAJL

#include <yajl/yajl_parse.h>

#define YAJL(name) MARGAY_LATE(&margay_libyajl, yajl_##name)

#define PIECE_BYTES ((size_t)16384 >> MARGAY_SHRINK)

/* The meaning of a value at the top of an object. */
enum role {
    NOTHING,
    BLOCKS,
    TOKENS,
    BLOCK_TOKENS,
    SHAPES,
    TYPES,
    TENANT,
    CHAT,
    PARENT
};

static const struct {
    const char *key;
    enum role role;
} keys[] = {
    {"hash_ids", BLOCKS},
    {"chunk_hashes", BLOCKS},
    {"input_length", TOKENS},
    {"seq_len", TOKENS},
    {"block_size", BLOCK_TOKENS},
    {"chunk_size", BLOCK_TOKENS},
    {"shapes", SHAPES},
    {"dtypes", TYPES},
    {"chat_id", CHAT},
    {"parent_chat_id", PARENT},
};

/* The tokens of a block in traces of Mooncake, and in those with chats, if the
   first pieces have no request of several blocks. */
#define USUAL_BLOCK_TOKENS 512
#define CHAT_BLOCK_TOKENS  16
#define FIRST_PIECES       16

/* Arrays of numbers that a block has, of groups of layers. */
#define MOST_ARRAYS 16

/* A request whose object has ended. */
struct asked {
    size_t blocks; /* not yet given */
    uint64_t number, tokens;
    uint32_t tenant;
};

struct reader {
    struct margay_block_source source;
    yajl_handle parser;
    uint64_t lines;        /* that ended before the piece */
    uint64_t requests;     /* objects that have begun */
    uint64_t block_tokens; /* of all requests; 0 = not known */
    uint64_t usual_tokens; /* if it stays unknown; 0 = no prompt of a block */
    bool knows_block;      /* block_tokens is final */
    unsigned depth;        /* objects and lists that are open */
    bool begun;            /* something other than blanks has come */
    bool ended;
    const char *expected;        /* why a callback has given up */
    struct margay_error failure; /* reported after all that was read */

    /* The open object: its values, and where its blocks begin. */
    enum role role; /* of the last key */
    bool has_ids, has_chat, has_tenant;
    size_t first;
    uint64_t tokens, said_tokens; /* of its prompt, and of a block */
    uint32_t chat, parent, tenant;

    /* The arrays of a block, by the first object that has some: how many
       numbers each has, and the bits of one.  0 = unknown. */
    size_t shape_count, type_count;
    uint64_t shapes[MOST_ARRAYS], types[MOST_ARRAYS];
    uint64_t block_bytes;

    /* The blocks of those that have ended and of the open one, and which are
       next. */
    uint64_t *ids;
    size_t id_count, id_room, given;
    struct asked *asked;
    size_t asked_count, asked_room, asked_given;

    /* Numbers of chats, and the session of each, which is a tenant. */
    struct margay_names *chats;
    uint32_t *sessions;
    size_t session_count, session_room;
};

/* ------------------------------------------------------------ callbacks -- */

/* Give up, because something else was expected. */
static int expect(struct reader *reader, const char *what)
{
    reader->expected = what;
    return 0;
}

#define EXPECTS_ID     "a whole number of 64 bits, or a text, as a block id"
#define EXPECTS_LIST   "a list of block ids"
#define EXPECTS_OBJECT "an object with \"hash_ids\" or \"chunk_hashes\": [...]"
#define EXPECTS_TOKENS "a whole number of tokens"
#define EXPECTS_MEMORY "a request that there is memory for"
#define EXPECTS_TENANT "a number or a text that says the tenant"

static int append(struct reader *reader, uint64_t id)
{
    if (!MARGAY_MAKE_ROOM(reader->ids, reader->id_count, 1, reader->id_room))
        return expect(reader, EXPECTS_MEMORY);
    reader->ids[reader->id_count++] = id;
    return 1;
}

/* Is the parser within the list of ids itself? */
static bool at_id(const struct reader *reader)
{
    return reader->role == BLOCKS && reader->depth == 2;
}

/* A value that is neither an id nor a list of them, nor a number or a text. */
static int pass_over(void *context)
{
    struct reader *reader = context;
    return reader->depth == 0       ? expect(reader, EXPECTS_OBJECT)
           : reader->role != BLOCKS ? 1
           : at_id(reader)          ? expect(reader, EXPECTS_ID)
                                    : expect(reader, EXPECTS_LIST);
}

static int take_boolean(void *context, int value)
{
    (void)value;
    return pass_over(context);
}

/* The name of a tenant or a chat. */
static int take_name(struct reader *reader, const char *text, size_t bytes)
{
    struct margay_names *names =
        reader->role == TENANT ? reader->source.tenants : reader->chats;
    uint32_t *number = reader->role == TENANT ? &reader->tenant
                       : reader->role == CHAT ? &reader->chat
                                              : &reader->parent;
    if (names == NULL || reader->role == NOTHING)
        return 1;
    if (!margay_names_number(names, text, bytes, number))
        return expect(reader, EXPECTS_TENANT);
    reader->has_tenant |= reader->role == TENANT;
    return 1;
}

/* Whole numbers up to 2^64 - 1. */
static bool read_digits(const char *text, size_t bytes, uint64_t *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        /* 19 digits are below 2^64. */
        if (digit > 9 || (i >= 19 && (UINT64_MAX - digit) / 10 < sum))
            return false;
        sum = 10 * sum + digit;
    }
    *value = sum;
    return bytes > 0;
}

static int take_number(void *context, const char *text, size_t bytes)
{
    struct reader *reader = context;
    bool negative = *text == '-';
    uint64_t value;
    if (at_id(reader)) {
        if (!read_digits(text + negative, bytes - negative, &value) ||
            (negative && value > UINT64_C(1) << 63))
            return expect(reader, EXPECTS_ID);
        return append(reader, negative ? -value : value);
    }
    /* There may be an object before the first list. */
    if (reader->role == SHAPES && reader->depth == 3 &&
        reader->shape_count - 1 < MOST_ARRAYS) {
        uint64_t *shape = &reader->shapes[reader->shape_count - 1];
        if (!read_digits(text, bytes, &value) ||
            __builtin_mul_overflow(*shape, value, shape))
            *shape = 0;
        return 1;
    }
    bool counts = reader->role == TOKENS || reader->role == BLOCK_TOKENS;
    if (reader->depth != 1 || (!counts && reader->role < TENANT))
        return pass_over(reader);
    if (reader->role == PARENT && negative) /* it is the first of its session */
        return 1;
    if (!counts)
        return take_name(reader, text, bytes);
    if (!read_digits(text, bytes, &value) || value >= MARGAY_TOKENS_UNKNOWN)
        return expect(reader, EXPECTS_TOKENS);
    if (reader->role == TOKENS)
        reader->tokens = value;
    else
        reader->said_tokens = value;
    return 1;
}

static int take_text(void *context, const unsigned char *text, size_t bytes)
{
    struct reader *reader = context;
    if (at_id(reader))
        return append(reader, margay_fnv1a(text, bytes));
    if (reader->role == TYPES && reader->depth == 2 &&
        reader->type_count < MOST_ARRAYS) {
        /* Their names say the bits first, as "bfloat16" and "float8_e5m2". */
        uint64_t bits = 0;
        for (size_t i = 0; i < bytes && (bits == 0 || isdigit(text[i])); i++)
            bits = isdigit(text[i]) && bits < 1000 ? 10 * bits + text[i] - '0'
                                                   : bits;
        reader->types[reader->type_count++] = bits;
        return 1;
    }
    if (reader->depth == 1 &&
        (reader->role == TOKENS || reader->role == BLOCK_TOKENS))
        return expect(reader, EXPECTS_TOKENS);
    bool names = reader->depth == 1 && reader->role >= TENANT;
    return names ? take_name(reader, (const char *)text, bytes)
                 : pass_over(reader);
}

static int begin_map(void *context)
{
    struct reader *reader = context;
    if (reader->depth > 0 && !pass_over(reader))
        return 0;
    if (reader->depth++ == 0) {
        reader->requests++;
        reader->has_ids = reader->has_chat = reader->has_tenant = false;
        reader->first = reader->id_count;
        reader->tokens = MARGAY_TOKENS_UNKNOWN;
        reader->said_tokens = reader->shape_count = reader->type_count = 0;
        reader->chat = reader->parent = UINT32_MAX;
    }
    return 1;
}

static int take_key(void *context, const unsigned char *key, size_t bytes)
{
    struct reader *reader = context;
    const char *tenant = reader->source.tenant;
    if (reader->depth != 1)
        return 1;
    reader->role = NOTHING;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strlen(keys[i].key) == bytes && !memcmp(key, keys[i].key, bytes))
            reader->role = keys[i].role;
    }
    if (reader->role != BLOCKS && tenant != NULL && strlen(tenant) == bytes &&
        memcmp(key, tenant, bytes) == 0)
        reader->role = TENANT;
    if (reader->role == BLOCKS && reader->has_ids)
        return expect(reader, "one list of block ids in an object");
    reader->has_ids |= reader->role == BLOCKS;
    reader->has_chat |= reader->role == CHAT;
    return 1;
}

/* Find the size of a block by a request: its last block may be short or, if no
   size fits, the tokens after its blocks fill none. */
static uint64_t guess_block(uint64_t tokens, uint64_t blocks)
{
    for (unsigned full = 0; full < 2; full++) {
        for (uint64_t block = UINT64_C(1) << 40; block > 0; block /= 2) {
            uint64_t fit = tokens / block + (!full && tokens % block != 0);
            if (fit == blocks)
                return block;
        }
    }
    return 0;
}

/* The object has ended: find the tokens of a block, unless it lacks the length
   of its prompt. */
static int learn_block(struct reader *reader)
{
    uint64_t blocks = reader->id_count - reader->first;
    uint64_t said = reader->said_tokens;
    if (reader->knows_block)
        return said == 0 || said == reader->block_tokens
                   ? 1
                   : expect(reader, "as many tokens in a block as before");
    if (blocks == 1 && reader->usual_tokens == 0)
        reader->usual_tokens =
            reader->has_chat ? CHAT_BLOCK_TOKENS : USUAL_BLOCK_TOKENS;
    if (said != 0)
        reader->block_tokens = said;
    else if (blocks > 1 && reader->tokens != MARGAY_TOKENS_UNKNOWN)
        reader->block_tokens = guess_block(reader->tokens, blocks);
    reader->knows_block =
        said != 0 || blocks > 1 ||
        (blocks == 1 && reader->tokens == MARGAY_TOKENS_UNKNOWN);
    return 1;
}

/* A block takes all of its arrays, which have types of their own or one. */
static void learn_bytes(struct reader *reader)
{
    uint64_t bytes = 0, array;
    size_t count = reader->shape_count, types = reader->type_count;
    if (reader->block_bytes != 0 || count > MOST_ARRAYS ||
        (types != count && types != 1))
        return;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = reader->types[types == 1 ? 0 : i];
        if (reader->shapes[i] == 0 || bits % 8 != 0 || bits == 0 ||
            __builtin_mul_overflow(reader->shapes[i], bits / 8, &array) ||
            __builtin_add_overflow(bytes, array, &bytes))
            return;
    }
    reader->block_bytes = bytes;
}

/* The session of a chat is that of the chat before it. */
static int find_session(struct reader *reader)
{
    uint32_t chats[] = {reader->parent, reader->chat};
    const char *root = NULL;
    for (size_t i = 0; i < 2; i++) {
        if (chats[i] == UINT32_MAX)
            continue;
        while (reader->session_count <= chats[i]) {
            if (!MARGAY_MAKE_ROOM(reader->sessions, reader->session_count, 1,
                                  reader->session_room))
                return expect(reader, EXPECTS_MEMORY);
            reader->sessions[reader->session_count++] = UINT32_MAX;
        }
        uint32_t *session = &reader->sessions[chats[i]];
        if (root == NULL)
            root = margay_names_text(reader->chats, chats[i]);
        if (reader->has_tenant || *session != UINT32_MAX)
            reader->tenant = reader->has_tenant ? reader->tenant : *session;
        else if (!margay_names_number(reader->source.tenants, root,
                                      strlen(root), &reader->tenant))
            return expect(reader, EXPECTS_TENANT);
        reader->has_tenant = true;
        *session = reader->tenant;
    }
    return 1;
}

static int end_map(void *context)
{
    struct reader *reader = context;
    if (--reader->depth > 0)
        return 1;
    if (!reader->has_ids)
        return expect(reader, EXPECTS_OBJECT);
    learn_bytes(reader);
    if (!learn_block(reader) ||
        (reader->chats != NULL && !find_session(reader)))
        return 0;
    if (reader->source.tenants != NULL && !reader->has_tenant)
        return expect(reader, EXPECTS_TENANT);
    size_t blocks = reader->id_count - reader->first;
    if (blocks == 0 && (!reader->source.empty_requests || reader->tokens == 0 ||
                        reader->tokens == MARGAY_TOKENS_UNKNOWN))
        return 1;
    if (!MARGAY_MAKE_ROOM(reader->asked, reader->asked_count, 1,
                          reader->asked_room))
        return expect(reader, EXPECTS_MEMORY);
    reader->asked[reader->asked_count++] = (struct asked){
        blocks, reader->requests - 1, reader->tokens, reader->tenant};
    return 1;
}

static int begin_list(void *context)
{
    struct reader *reader = context;
    bool is_list_of_ids = reader->role == BLOCKS && reader->depth == 1;
    if (!is_list_of_ids && !pass_over(reader))
        return 0;
    reader->depth++;
    if (reader->role == SHAPES && reader->depth == 3 &&
        reader->shape_count++ < MOST_ARRAYS)
        reader->shapes[reader->shape_count - 1] = 1;
    return 1;
}

static int end_list(void *context)
{
    struct reader *reader = context;
    if (--reader->depth == 1)
        reader->role = NOTHING;
    return 1;
}

/* -------------------------------------------------------------- reading -- */

static uint64_t count_lines(const unsigned char *text, size_t bytes)
{
    const unsigned char *end = text + bytes;
    uint64_t lines = 0;
    while ((text = memchr(text, '\n', (size_t)(end - text))) != NULL)
        text++, lines++;
    return lines;
}

/* The parser has stopped at some byte of the piece. */
static enum margay_status fail_piece(struct reader *reader, yajl_status status,
                                     const unsigned char *piece, size_t bytes,
                                     struct margay_error *error)
{
    size_t at = YAJL(get_bytes_consumed)(reader->parser);
    uint64_t line = reader->lines + count_lines(piece, at < bytes ? at : bytes);
    if (status == yajl_status_client_canceled)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s:%llu: found another value, expected %s (read as "
                           "mooncake; %s)",
                           reader->source.name, (unsigned long long)line + 1,
                           reader->expected, reader->source.evidence);
    unsigned char *said = YAJL(get_error)(reader->parser, 0, NULL, 0);
    margay_fail(error, MARGAY_BAD_INPUT,
                "%s:%llu: found %.*s, expected objects in JSON (read as "
                "mooncake; %s)",
                reader->source.name, (unsigned long long)line + 1,
                said == NULL ? 0 : (int)strcspn((const char *)said, "\n"),
                said == NULL ? "" : (const char *)said,
                reader->source.evidence);
    if (said != NULL)
        YAJL(free_error)(reader->parser, said);
    return MARGAY_BAD_INPUT;
}

static enum margay_status parse(struct reader *reader,
                                struct margay_error *error)
{
    struct margay_intake *intake = reader->source.intake;
    enum margay_status status =
        margay_intake_hold(intake, reader->begun ? 1 : 3, error);
    if (status != MARGAY_OK)
        return status;
    if (!reader->begun)
        intake->begin += margay_order_mark(intake->held + intake->begin,
                                           margay_intake_left(intake));
    const unsigned char *piece =
        (const unsigned char *)intake->held + intake->begin;
    size_t bytes = margay_intake_left(intake);
    bytes = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    intake->begin += bytes;
    reader->ended = bytes == 0;
    reader->begun |= skip_blanks((const char *)piece, bytes) < bytes;
    if (!reader->begun)
        return MARGAY_OK;
    yajl_status parsed = reader->ended
                             ? YAJL(complete_parse)(reader->parser)
                             : YAJL(parse)(reader->parser, piece, bytes);
    if (parsed != yajl_status_ok)
        return fail_piece(reader, parsed, piece, bytes, error);
    reader->lines += count_lines(piece, bytes);
    return MARGAY_OK;
}

/* Parse the next piece, and return whether there was one.  A failure is
   reported after the requests before it. */
static bool parse_more(struct reader *reader)
{
    if (reader->ended || reader->failure.status != MARGAY_OK)
        return false;
    reader->failure.status = parse(reader, &reader->failure);
    return true;
}

/* Parse until a request has ended. */
static void find_request(struct reader *reader)
{
    while (reader->asked_given == reader->asked_count && parse_more(reader))
        ;
}

/* Give blocks of a request, as far as the batch has room, or the one reference
   of a request without blocks. */
static void give(struct reader *reader, struct asked *asked,
                 struct margay_references *batch)
{
    size_t from = batch->count, room = batch->capacity - from;
    size_t count = asked->blocks < room ? asked->blocks : room;
    if (asked->blocks == 0)
        batch->numbers[from] = 0;
    else
        memcpy(batch->numbers + from, reader->ids + reader->given,
               count * sizeof *reader->ids);
    reader->given += count;
    reader->asked_given += asked->blocks == count;
    batch->count += asked->blocks == 0 ? 1 : count;
    for (size_t i = from; i < batch->count; i++) {
        if (batch->requests != NULL)
            batch->requests[i] = asked->number;
        if (batch->tokens != NULL)
            batch->tokens[i] =
                asked->tokens | (asked->blocks == 0 ? MARGAY_NO_BLOCK : 0);
        if (batch->tenants != NULL)
            batch->tenants[i] = asked->tenant;
    }
    asked->blocks -= count;
}

static enum margay_status fill(void *state, struct margay_references *batch,
                               struct margay_error *error)
{
    struct reader *reader = state;
    find_request(reader);
    while (batch->count < batch->capacity &&
           reader->asked_given < reader->asked_count)
        give(reader, &reader->asked[reader->asked_given], batch);
    if (reader->asked_given == reader->asked_count) {
        /* The rest are blocks of the open object. */
        reader->id_count -= reader->given;
        reader->first -= reader->given;
        if (reader->id_count > 0)
            memmove(reader->ids, reader->ids + reader->given,
                    reader->id_count * sizeof *reader->ids);
        reader->given = reader->asked_given = reader->asked_count = 0;
    }
    if (batch->count > 0)
        return MARGAY_OK;
    enum margay_status status = margay_fail_again(error, &reader->failure);
    return status == MARGAY_OK ? MARGAY_END : status;
}

/* --------------------------------------------------------- begin and end -- */

static void clear(void *state)
{
    struct reader *reader = state;
    if (reader->parser != NULL)
        YAJL(free)(reader->parser);
    margay_names_free(reader->chats);
    free(reader->sessions);
    free(reader->asked);
    free(reader->ids);
}

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

static enum margay_status open_reader(void *state,
                                      struct margay_trace_facts *facts,
                                      struct margay_error *error)
{
    struct reader *reader = state;
    if (reader->source.tenants == NULL)
        facts->columns &= ~(unsigned)MARGAY_COLUMN_TENANTS;
    else if (strcmp(reader->source.tenant, "session") == 0 &&
             (reader->chats = margay_names_create()) == NULL)
        return margay_fail_memory(error, "the names of chats");
    if (!margay_late_open(&margay_libyajl))
        return margay_late_fail(&margay_libyajl, reader->source.name, "reads",
                                "mooncake", error);
    reader->parser = YAJL(alloc)(&callbacks, NULL, reader);
    if (reader->parser == NULL ||
        !YAJL(config)(reader->parser, yajl_allow_multiple_values, 1) ||
        !YAJL(config)(reader->parser, yajl_dont_validate_strings, 1))
        return margay_fail_memory(error, "a parser of JSON");
    find_request(reader);
    /* Until the tokens of a block are known, if that comes soon. */
    for (unsigned i = 1; !reader->knows_block && i < FIRST_PIECES; i++) {
        if (!parse_more(reader))
            break;
    }
    if (!reader->knows_block && reader->usual_tokens != 0) {
        reader->block_tokens = reader->usual_tokens;
        reader->knows_block = true;
    }
    facts->counts_requests = true;
    facts->block_tokens = reader->block_tokens;
    facts->block_bytes = reader->block_bytes;
    return MARGAY_OK;
}

static const struct margay_blocks_reading reading = {
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
    const struct margay_block_source *source = state;
    facts->columns &= ~(unsigned)MARGAY_COLUMN_TENANTS;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: the format mooncake takes a Margay that was built "
                       "with yajl (Debian: libyajl-dev)",
                       source->name);
}

static const struct margay_blocks_reading reading = {
    .state_bytes = sizeof(struct margay_block_source),
    .open = open_reader,
};

#endif

const struct margay_format margay_format_mooncake = {
    .info = {.name = "mooncake",
             .description =
                 "requests to language models, in JSON (Mooncake, LMCache)",
             .suffixes = "",
             .numbers = MARGAY_IDS,
             .columns = MARGAY_COLUMN_REQUESTS | MARGAY_COLUMN_TOKENS,
             .named_columns = MARGAY_COLUMN_TENANTS},
    .is_magic = is_magic,
    .reading = &reading,
};
