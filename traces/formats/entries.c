/*
 * entries.c - writing tables and records
 *
 * Tables get a line for each reference, most formats of records a record of
 * their encoders for each one, and champsim a record for each instruction:
 * consecutive references of one call site.  Records of oracle hold the index,
 * from 1 on, of the next record of the same id, so all are kept until the trace
 * ends, 32 bytes each and 8 more in the end.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"
#include "traces/base/grow.h"
#include "traces/formats/layout.h"
#include "traces/formats/scan.h"

/* Stays in the cache. */
#define PIECE_BYTES  ((size_t)64 << 10)
#define MOST_BYTES   512 /* of a line, or a record */
#define MOST_COLUMNS 16
#define INSTRUCTION  64 /* bytes, see programs.c */

struct oracle_record {
    uint64_t id, time, size, next;
};

struct entries {
    struct margay_block_target target;
    char piece[PIECE_BYTES];
    size_t used;
    unsigned roles[MOST_COLUMNS], column_count; /* of a table, */
    char separator;                             /* and their separator */
    bool begun;                                 /* the names are written */
    /* Of champsim, an instruction with its address and accesses. */
    unsigned char instruction[INSTRUCTION];
    unsigned reads, writes;
    struct oracle_record *kept; /* owned */
    size_t kept_count, kept_capacity;
};

static enum margay_status flush(void *state, struct margay_error *error)
{
    struct entries *entries = state;
    const struct margay_sink *sink = &entries->target.sink;
    size_t used = entries->used;
    entries->used = 0;
    return used == 0 ? MARGAY_OK
                     : sink->write(sink->context, entries->piece, used, error);
}

/* Where the next record goes, of at most MOST_BYTES. */
static enum margay_status make_room(struct entries *entries, char **to,
                                    struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (PIECE_BYTES - entries->used < MOST_BYTES)
        status = flush(entries, error);
    *to = entries->piece + entries->used;
    return status;
}

/* -------------------------------------------------------------- records -- */

static enum margay_status put_encoded(void *state,
                                      const struct margay_batch *batch,
                                      struct margay_error *error)
{
    struct entries *entries = state;
    const struct margay_format *format = entries->target.format;
    const struct margay_sink *sink = &entries->target.sink;
    enum margay_status status = MARGAY_OK;
    if (format->stands_in_memory)
        return sink->write(sink->context, batch->numbers,
                           batch->references * sizeof *batch->numbers, error);
    for (size_t i = 0; i < batch->references && status == MARGAY_OK; i++) {
        char *to;
        size_t bytes = 0;
        status = make_room(entries, &to, error);
        if (status == MARGAY_OK)
            status = margay_record_encode(
                format, batch->numbers[i],
                batch->kinds == NULL ? MARGAY_READ : batch->kinds[i],
                batch->extents == NULL ? 1 : batch->extents[i], to, &bytes,
                error);
        entries->used += bytes;
    }
    return status;
}

const struct margay_blocks_writing margay_record_writing = {
    .state_bytes = sizeof(struct entries),
    .put = put_encoded,
    .flush = flush,
    .finish = flush,
};

/* --------------------------------------------------------------- tables -- */

/* The column of a trace for each role.  A column of zeros has none, and that of
   purposes is in no table that is read. */
#define ZEROS   MARGAY_ROLES
#define PURPOSE (MARGAY_ROLES + 1)
static const struct {
    bool is_written;
    unsigned column;
} roles[MARGAY_ROLES + 2] = {
    [MARGAY_ROLE_ID] = {true, 0},
    [MARGAY_ROLE_ADDRESS] = {true, 0},
    [MARGAY_ROLE_SIZE] = {true, MARGAY_COLUMN_SIZES},
    [MARGAY_ROLE_TIME] = {true, MARGAY_COLUMN_TIMES},
    [MARGAY_ROLE_TTL] = {true, MARGAY_COLUMN_TTLS},
    [MARGAY_ROLE_OP] = {true, MARGAY_COLUMN_OPS},
    [MARGAY_ROLE_KIND] = {true, MARGAY_COLUMN_KINDS},
    [MARGAY_ROLE_THREAD] = {true, MARGAY_COLUMN_THREADS},
    [MARGAY_ROLE_SITE] = {true, MARGAY_COLUMN_SITES},
    [MARGAY_ROLE_COST] = {true, MARGAY_COLUMN_COSTS},
    [PURPOSE] = {true, MARGAY_COLUMN_PURPOSES},
};

/* The role of the column at *columns, which goes on to the next; false: there
   is no such. */
static bool next_role(const char **columns, unsigned *role)
{
    const char *name = *columns;
    size_t bytes = strcspn(name, ", ");
    *role = bytes == 7 && memcmp(name, "purpose", bytes) == 0
                ? PURPOSE
                : margay_role_named(name, bytes);
    *columns += bytes + (name[bytes] != '\0');
    return *role == ZEROS ? bytes == 1 && *name == '0'
                          : roles[*role].is_written;
}

unsigned margay_table_needs(const char *columns, bool *addresses)
{
    unsigned needs = 0, role;
    *addresses = false;
    while (*columns != '\0' && next_role(&columns, &role)) {
        needs |= role == ZEROS ? 0 : roles[role].column;
        *addresses |= role == MARGAY_ROLE_ADDRESS;
    }
    return needs;
}

/* Without columns, a table is one of numbers. */
static enum margay_status open_table(void *state, struct margay_error *error)
{
    struct entries *entries = state;
    const char *columns = entries->target.columns;
    unsigned seen = 0;
    if (columns == NULL)
        columns = "id";
    entries->separator = columns[strcspn(columns, ", ")];
    do { /* nothing, as after a last comma, is no name */
        const char *name = columns;
        unsigned role;
        if (!next_role(&columns, &role) ||
            entries->column_count == MOST_COLUMNS ||
            (entries->target.named && (seen >> role & 1) != 0))
            return margay_fail(
                error, MARGAY_BAD_ARGUMENT,
                "csv:... has '%.*s' (expected up to %d of " MARGAY_TABLE_NAMES
                ", each once)",
                (int)strcspn(name, ","), name, MOST_COLUMNS);
        entries->roles[entries->column_count++] = role;
        seen |= 1u << role;
    } while (*columns != '\0' || columns[-1] == ',');
    return MARGAY_OK;
}

/* csv alone has a line of names, before its first line. */
static void put_names(struct entries *entries)
{
    const struct margay_block_target *target = &entries->target;
    const char *names = target->columns != NULL ? target->columns
                        : target->facts->numbers == MARGAY_ADDRESSES ? "address"
                                                                     : "id";
    if (target->named && !entries->begun)
        entries->used = (size_t)snprintf(entries->piece, MOST_BYTES, "%.*s\n",
                                         MOST_BYTES - 2, names);
    entries->begun = true;
}

/* Seconds, with as many digits after a point as there are, or without. */
static int put_time(char *to, uint64_t time, bool whole)
{
    int bytes = sprintf(to, "%" PRIu64, time / MARGAY_SECOND);
    if (whole || time % MARGAY_SECOND == 0)
        return bytes;
    bytes += sprintf(to + bytes, ".%06" PRIu64, time % MARGAY_SECOND);
    while (to[bytes - 1] == '0')
        bytes--;
    return bytes;
}

/* An object that stays valid has a time to live of 0.  csv alone has parts of
   seconds. */
static int put_field(char *to, const struct margay_batch *batch, size_t i,
                     unsigned role, bool whole_seconds)
{
    static const char *const operations[] = {"get", "set", "delete"};
    static const char *const kinds[] = {"read", "write", "fetch"};
    static const char *const purposes[MARGAY_PURPOSES] = {
        [MARGAY_FOR_CORE] = "demand",
        [MARGAY_FOR_STORE] = "demand",
        [MARGAY_FOR_WRITING] = "writeback",
        [MARGAY_FOR_PREFETCH] = "prefetch",
    };
    if (role == PURPOSE)
        return sprintf(to, "%s", purposes[batch->purposes[i]]);
    if (role == MARGAY_ROLE_OP || role == MARGAY_ROLE_KIND)
        return sprintf(to, "%s",
                       role == MARGAY_ROLE_OP ? operations[batch->ops[i]]
                                              : kinds[batch->kinds[i]]);
    if (role == MARGAY_ROLE_TIME)
        return put_time(to, batch->times[i], whole_seconds);
    uint64_t ttl = role == MARGAY_ROLE_TTL ? batch->ttls[i] : 0;
    const char *end = margay_emit_decimal(
        to, role == ZEROS                ? 0
            : role == MARGAY_ROLE_SIZE   ? batch->sizes[i]
            : role == MARGAY_ROLE_THREAD ? batch->threads[i]
            : role == MARGAY_ROLE_SITE   ? batch->sites[i]
            : role == MARGAY_ROLE_COST   ? batch->costs[i]
            : role == MARGAY_ROLE_TTL    ? ttl != UINT64_MAX ? ttl : 0
                                         : batch->numbers[i]);
    return (int)(end - to);
}

static enum margay_status put_lines(void *state,
                                    const struct margay_batch *batch,
                                    struct margay_error *error)
{
    struct entries *entries = state;
    enum margay_status status = MARGAY_OK;
    put_names(entries);
    for (size_t i = 0; i < batch->references && status == MARGAY_OK; i++) {
        char *line, *to;
        status = make_room(entries, &line, error);
        to = line;
        for (unsigned c = 0; c < entries->column_count; c++) {
            if (entries->roles[c] == MARGAY_ROLE_TIME &&
                batch->times[i] / MARGAY_SECOND >= MARGAY_EPOCH_MILLISECONDS)
                return margay_fail(error, MARGAY_BAD_ARGUMENT,
                                   "a table has times below 10^11 seconds");
            to += put_field(to, batch, i, entries->roles[c],
                            !entries->target.named);
            *to++ = c + 1 == entries->column_count ? '\n' : entries->separator;
        }
        entries->used += (size_t)(to - line);
    }
    return status;
}

static enum margay_status flush_table(void *state, struct margay_error *error)
{
    put_names(state);
    return flush(state, error);
}

const struct margay_blocks_writing margay_table_writing = {
    .state_bytes = sizeof(struct entries),
    .open = open_table,
    .put = put_lines,
    .flush = flush_table,
    .finish = flush_table,
};

/* ------------------------------------------------------------- champsim -- */

/* Write the instruction, if there is one, and begin that of an address. */
static enum margay_status begin_instruction(struct entries *entries,
                                            uint64_t address,
                                            struct margay_error *error)
{
    char *to;
    enum margay_status status = make_room(entries, &to, error);
    memcpy(to, entries->instruction, INSTRUCTION);
    if (margay_get_little(to, 8) != 0)
        entries->used += INSTRUCTION;
    memset(entries->instruction, 0, INSTRUCTION);
    margay_put_little(entries->instruction, address, 8);
    entries->reads = entries->writes = 0;
    return status;
}

/* An instruction has a fetch, then up to 4 reads, then up to 2 writes. */
static enum margay_status put_accesses(void *state,
                                       const struct margay_batch *batch,
                                       struct margay_error *error)
{
    struct entries *entries = state;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < batch->references && status == MARGAY_OK; i++) {
        uint64_t address = batch->numbers[i];
        bool writes = batch->kinds[i] == MARGAY_WRITE;
        bool fetches = batch->kinds[i] == MARGAY_FETCH;
        uint64_t site = fetches ? address : batch->sites[i];
        if (address == 0 || site == 0)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "an address of 0 does not fit a record of "
                               "champsim");
        if (fetches || entries->writes == 2 ||
            margay_get_little(entries->instruction, 8) != site ||
            (!writes && (entries->reads == 4 || entries->writes > 0)))
            status = begin_instruction(entries, site, error);
        if (!fetches)
            margay_put_little(entries->instruction +
                                  (writes ? 16 + 8 * entries->writes++
                                          : 32 + 8 * entries->reads++),
                              address, 8);
    }
    return status;
}

static enum margay_status end_instructions(void *state,
                                           struct margay_error *error)
{
    enum margay_status status = begin_instruction(state, 0, error);
    return status == MARGAY_OK ? flush(state, error) : status;
}

const struct margay_blocks_writing margay_champsim_writing = {
    .state_bytes = sizeof(struct entries),
    .needs = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_SITES,
    .put = put_accesses,
    .flush = flush,
    .finish = end_instructions,
};

/* --------------------------------------------------------------- oracle -- */

static void free_records(void *state)
{
    free(((struct entries *)state)->kept);
}

static enum margay_status keep_records(void *state,
                                       const struct margay_batch *batch,
                                       struct margay_error *error)
{
    struct entries *entries = state;
    for (size_t i = 0; i < batch->references; i++) {
        const struct oracle_record record = {batch->numbers[i],
                                             batch->times[i] / MARGAY_SECOND,
                                             batch->sizes[i], UINT64_MAX};
        if (!MARGAY_MAKE_ROOM(entries->kept, entries->kept_count, 1,
                              entries->kept_capacity))
            return margay_fail_memory(error, "the records of a trace");
        if (record.time > UINT32_MAX || record.size > UINT32_MAX)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "a time of %" PRIu64 " or a size of %" PRIu64
                               " does not fit the 4 bytes of oracle",
                               record.time, record.size);
        entries->kept[entries->kept_count++] = record;
    }
    return MARGAY_OK;
}

/* Records of one id stand in their order. */
static int by_id(const void *a, const void *b)
{
    const struct oracle_record *x = *(struct oracle_record *const *)a,
                               *y = *(struct oracle_record *const *)b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id)
                          : (x > y) - (x < y);
}

static enum margay_status put_records(void *state, struct margay_error *error)
{
    struct entries *entries = state;
    struct oracle_record *kept = entries->kept;
    size_t count = entries->kept_count;
    struct oracle_record **order = calloc(count + 1, sizeof *order);
    enum margay_status status = MARGAY_OK;
    if (order == NULL)
        return margay_fail_memory(error, "the records of a trace");
    for (size_t i = 0; i < count; i++)
        order[i] = &kept[i];
    qsort(order, count, sizeof *order, by_id);
    for (size_t i = 0; i + 1 < count; i++) {
        if (order[i]->id == order[i + 1]->id)
            order[i]->next = (uint64_t)(order[i + 1] - kept) + 1;
    }
    free(order);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        char *to;
        status = make_room(entries, &to, error);
        margay_put_little(to, kept[i].time, 4);
        margay_put_little(to + 4, kept[i].id, 8);
        margay_put_little(to + 12, kept[i].size, 4);
        margay_put_little(to + 16, kept[i].next, 8);
        entries->used += 24;
    }
    return status == MARGAY_OK ? flush(entries, error) : status;
}

const struct margay_blocks_writing margay_oracle_writing = {
    .state_bytes = sizeof(struct entries),
    .needs = MARGAY_COLUMN_SIZES | MARGAY_COLUMN_TIMES,
    .clear = free_records,
    .put = keep_records,
    .flush = flush,
    .finish = put_records,
};
