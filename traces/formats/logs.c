/* logs.c - the loop of logs, and the log of Redis: see logs.h */
#include <stdlib.h>
#include <string.h>

#include "traces/base/fnv.h"
#include "traces/formats/logs.h"

const char *margay_log_decode(struct margay_text *text,
                              struct margay_references *references,
                              margay_line_function *parse)
{
    struct margay_log *log = text->state;
    for (; text->cursor < text->end; text->lines++) {
        const char *newline =
            memchr(text->cursor, '\n', (size_t)(text->end - text->cursor));
        size_t bytes = (size_t)(newline - text->cursor);
        const char *line = margay_skip_blanks(text->cursor), *end = newline;
        if (bytes > MARGAY_LINE_BYTES)
            return MARGAY_EXPECTS_SHORT_LINE;
        if (memchr(text->cursor, '\0', bytes) != NULL)
            return MARGAY_EXPECTS_NO_NUL;
        while (end > line && margay_is_blank(end[-1]))
            end--;
        if (log->keeps_blanks && line < end) {
            line = text->cursor;
            end = newline - (newline[-1] == '\r');
        }
        /* All references of the line, or as many as there is room for. */
        for (bool more = line<end; more; more = log->at> 0) {
            struct margay_row_reference row = {.count = 0, .ttl = UINT64_MAX};
            size_t at = log->at;
            if (references->count == references->capacity)
                return NULL;
            log->at = 0;
            const char *expected = parse(log, line, end, at, &row);
            if (expected != NULL)
                return expected;
            if (references->times != NULL && row.time == UINT64_MAX)
                return MARGAY_EXPECTS_TIME;
            if (row.count > 0)
                margay_rows_append(&row, references);
        }
        text->cursor = newline + 1;
    }
    return NULL;
}

/*
 * The output of the command MONITOR of Redis
 *
 *     1339518083.107412 [0 127.0.0.1:60866] "set" "user:7" "text"
 *
 * Time, database, client, command, arguments.  A key that is a decimal number
 * is an id as it stands, any other the FNV-1a hash of its bytes; in a database
 * other than 0, that of the database's number, a NUL byte and the key.  A
 * command with several keys makes a reference to each.  Commands without keys
 * are skipped.  Sizes are unknown, as a get has none.
 */
#define EXPECTS_REDIS \
    "a line of MONITOR: TIME [DATABASE CLIENT] \"COMMAND\" \"KEY\" ..."

/* Classes of commands; the first that lists a command applies.  Any other
   command gets its first argument. */
enum keys { NO_KEYS, ONE_KEY, ALL_KEYS, EACH_SECOND };
static const struct command_class {
    enum keys keys;
    enum margay_op op;
    const char *commands; /* between blanks */
} classes[] = {
    {ALL_KEYS, MARGAY_GET, " mget exists touch "},
    {ALL_KEYS, MARGAY_DELETE, " del unlink "},
    {EACH_SECOND, MARGAY_SET, " mset msetnx "},
    {ONE_KEY, MARGAY_DELETE, " getdel "},
    {ONE_KEY, MARGAY_SET,
     " set setex psetex setnx getset append incr incrby decr decrby "
     "incrbyfloat setrange setbit hset hsetnx hmset hincrby hincrbyfloat hdel "
     "lpush rpush lpushx rpushx lpop rpop lset lrem ltrim linsert sadd srem "
     "spop zadd zrem zincrby zremrangebyrank zremrangebyscore zpopmin zpopmax "
     "pfadd xadd xdel xtrim geoadd restore "},
    {NO_KEYS, MARGAY_GET,
     " ping echo auth hello select quit info config command client monitor "
     "multi exec discard unwatch watch publish subscribe psubscribe "
     "unsubscribe punsubscribe eval evalsha fcall script function flushall "
     "flushdb dbsize keys scan wait cluster role replconf psync sync time "
     "slowlog lastsave save bgsave bgrewriteaof shutdown debug memory latency "
     "acl module object randomkey replicaof slaveof swapdb reset "},
};
#define CLASSES (sizeof classes / sizeof *classes)

/* The longest name of a command that a class lists. */
#define COMMAND_BYTES 24

static struct command_class class_of(const char *command, size_t bytes)
{
    static const struct command_class other = {ONE_KEY, MARGAY_GET, ""};
    char word[COMMAND_BYTES + 3] = " ";
    if (bytes > COMMAND_BYTES)
        return other;
    for (size_t i = 0; i < bytes; i++)
        word[1 + i] = (char)(command[i] >= 'A' && command[i] <= 'Z'
                                 ? command[i] + ('a' - 'A')
                                 : command[i]);
    word[1 + bytes] = ' ';
    for (size_t i = 0; i < CLASSES; i++) {
        if (strstr(classes[i].commands, word) != NULL)
            return classes[i];
    }
    return other;
}

/* The quote that ends the argument that begins after `cursor`, or NULL. */
static const char *closing(const char *cursor, const char *end)
{
    for (cursor++; cursor < end && *cursor != '"'; cursor++)
        cursor += *cursor == '\\' && cursor + 1 < end;
    return cursor < end ? cursor : NULL;
}

static unsigned hex_digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
}

/* The byte that stands at *cursor, which goes past it. */
static char take_byte(const char **cursor, const char *end)
{
    static const char from[] = "nrtab", to[] = "\n\r\t\a\b";
    const char *at = *cursor;
    *cursor = at + 1;
    if (*at != '\\' || at + 1 >= end)
        return *at;
    *cursor = at + 2;
    if (at[1] == 'x' && end - at >= 4) {
        *cursor = at + 4;
        return (char)(hex_digit(at[2]) << 4 | (hex_digit(at[3]) & 15));
    }
    const char *special = strchr(from, at[1]);
    return special == NULL ? at[1] : to[special - from];
}

/* The id of the key between two quotes. */
static uint64_t key_id(const char *begin, const char *end, const char *database,
                       size_t database_bytes)
{
    uint64_t id, hash = MARGAY_FNV1A_BEGIN;
    bool first = database_bytes == 1 && *database == '0';
    if (first && margay_take_number(begin, end, &id))
        return id;
    if (!first) {
        hash = margay_fnv1a_on(hash, database, database_bytes);
        hash = margay_fnv1a_on(hash, "", 1);
    }
    while (begin < end) {
        char byte = take_byte(&begin, end);
        hash = margay_fnv1a_on(hash, &byte, 1);
    }
    return hash;
}

/* The parts before the arguments. */
struct head {
    const char *database, *command; /* the latter's opening quote */
    uint64_t time;
};

static bool take_head(const char *line, const char *end, struct head *head)
{
    uint64_t number;
    const char *bracket = margay_next_word(line, end);
    const char *close = NULL;
    if (bracket < end && *bracket == '[')
        close = memchr(bracket, ']', (size_t)(end - bracket));
    if (close == NULL ||
        !margay_take_seconds(line, margay_word_end(line, end), &head->time))
        return false;
    head->database = bracket + 1;
    head->command = margay_next_word(close, end);
    return margay_take_number(head->database,
                              margay_word_end(head->database, close),
                              &number) &&
           head->command < end && *head->command == '"';
}

/* The next argument after the one that ends here; NULL = the line is no line
   of MONITOR, `end` = there is none. */
static const char *next_argument(const char *quote, const char *end)
{
    if (quote == NULL)
        return NULL;
    const char *cursor = quote + 1;
    while (cursor < end && margay_is_blank(*cursor))
        cursor++;
    return cursor == end || *cursor == '"' ? cursor : NULL;
}

/* Are there only arguments after the command, which ends with this quote? */
static bool are_arguments(const char *quote, const char *end)
{
    const char *cursor = next_argument(quote, end);
    while (cursor != NULL && cursor < end)
        cursor = next_argument(closing(cursor, end), end);
    return cursor != NULL;
}

static const char *parse_redis(struct margay_log *log, const char *line,
                               const char *end, size_t from,
                               struct margay_row_reference *row)
{
    struct head head;
    const char *at = line + from;
    /* The server sends this line when MONITOR begins, perhaps again later. */
    if (end - line == 2 && memcmp(line, "OK", 2) == 0)
        return NULL;
    if (!take_head(line, end, &head))
        return EXPECTS_REDIS;
    const char *quote = closing(head.command, end);
    if (quote == NULL)
        return EXPECTS_REDIS;
    struct command_class class =
        class_of(head.command + 1, (size_t)(quote - head.command - 1));
    /* A line is right or wrong before the first of its references is made. */
    bool several = class.keys == ALL_KEYS || class.keys == EACH_SECOND;
    if (at == line && several && !are_arguments(quote, end))
        return EXPECTS_REDIS;
    if (at == line)
        at = next_argument(quote, end);
    if (at == end || class.keys == NO_KEYS)
        return NULL;
    const char *after = at == NULL ? NULL : closing(at, end);
    const char *more = next_argument(after, end);
    if (more == NULL)
        return EXPECTS_REDIS;
    if (class.keys == EACH_SECOND && more < end &&
        (more = next_argument(closing(more, end), end)) == NULL)
        return EXPECTS_REDIS;
    size_t database =
        (size_t)(margay_word_end(head.database, end) - head.database);
    row->number = key_id(at + 1, after, head.database, database);
    row->time = head.time;
    row->op = (uint8_t) class.op;
    row->count = 1;
    if (class.keys != ONE_KEY && more < end)
        log->at = (size_t)(more - line);
    return NULL;
}

static void *create_log(const struct margay_state_options *options)
{
    (void)options;
    return calloc(1, sizeof(struct margay_log));
}

static int cut_anywhere(const void *log)
{
    (void)log;
    return '\0';
}

MARGAY_LOG_DECODER(decode_redis, parse_redis)

const struct margay_format margay_format_redis = {
    .info = {.name = "redis",
             .description = "what MONITOR of Redis prints",
             .suffixes = "monitor",
             .numbers = MARGAY_IDS,
             .columns =
                 MARGAY_COLUMN_KINDS | MARGAY_COLUMN_TIMES | MARGAY_COLUMN_OPS,
             .kinds = MARGAY_READS_AND_WRITES},
    .decode = decode_redis,
    .recognise = decode_redis,
    .create_state = create_log,
    .free_state = free,
    .cut = cut_anywhere,
};
