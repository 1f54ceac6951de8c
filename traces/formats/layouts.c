/*
 * layouts.c - which columns of a table are read, and for what
 *
 * The language of layout.h is read here, and the table of published layouts is
 * written in it.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/formats/layout.h"

const char *const margay_role_names[MARGAY_ROLES] = {
    [MARGAY_ROLE_ID] = "id",         [MARGAY_ROLE_SIZE] = "size",
    [MARGAY_ROLE_OP] = "op",         [MARGAY_ROLE_TIME] = "time",
    [MARGAY_ROLE_TTL] = "ttl",       [MARGAY_ROLE_DEVICE] = "device",
    [MARGAY_ROLE_COUNT] = "count",   [MARGAY_ROLE_REQUEST] = "request",
    [MARGAY_ROLE_THREAD] = "thread", [MARGAY_ROLE_SITE] = "site",
    [MARGAY_ROLE_KIND] = "kind",     [MARGAY_ROLE_ADDRESS] = "address",
    [MARGAY_ROLE_TENANT] = "tenant",
};

/* -------------------------------------------------------------- choices -- */

/* The role whose name and an equals sign begin the text; *after stands after
   the sign.  MARGAY_ROLES: none.  --tenant names the tenants. */
static unsigned role_of(const char *text, const char **after)
{
    for (unsigned role = 0; role < MARGAY_ROLE_TENANT; role++) {
        size_t length = strlen(margay_role_names[role]);
        if (strncmp(text, margay_role_names[role], length) == 0 &&
            text[length] == '=') {
            *after = text + length + 1;
            return role;
        }
    }
    return MARGAY_ROLES;
}

/* A column that is named by nothing but digits, of which the first is not 0, is
   a number. */
static uint64_t number_of(const char *name, size_t bytes)
{
    uint64_t number = 0;
    if (bytes == 0 || bytes > 18 || name[0] == '0')
        return 0;
    for (size_t i = 0; i < bytes; i++) {
        if (name[i] < '0' || name[i] > '9')
            return 0;
        number = number * 10 + (uint64_t)(name[i] - '0');
    }
    return number;
}

static enum margay_status fail_count(struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "--column: too many columns (expected at most %d)",
                       MARGAY_TAKES);
}

static enum margay_status add_column(struct margay_choice *choice,
                                     unsigned role, const char *name,
                                     size_t bytes, struct margay_error *error)
{
    if (bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: '%s=' without a column (expected its "
                           "name or its number, from 1 on)",
                           margay_role_names[role]);
    if (choice->count == MARGAY_TAKES)
        return fail_count(error);
    struct margay_named_column *column = &choice->columns[choice->count++];
    choice->addresses |= role == MARGAY_ROLE_ADDRESS;
    column->role =
        (uint8_t)(role == MARGAY_ROLE_ADDRESS ? MARGAY_ROLE_ID : role);
    column->optional = choice->of_layout && bytes > 1 && name[bytes - 1] == '?';
    column->name = name;
    column->name_bytes = bytes - column->optional;
    column->number = number_of(name, column->name_bytes);
    choice->by_name |= column->number == 0;
    return MARGAY_OK;
}

/* ROLE=COLUMN[+COLUMN]...; *text ends after it. */
static enum margay_status add_role(struct margay_choice *choice,
                                   unsigned *roles, const char **text,
                                   struct margay_error *error)
{
    const char *name;
    unsigned role = role_of(*text, &name);
    if (role == MARGAY_ROLES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: '%s' (expected id=, size=, op=, time=, "
                           "ttl=, device=, count=, request=, thread=, site=, "
                           "kind= or address= and a column)",
                           *text);
    if (*roles & 1u << role)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: %s= twice (expected the columns of one "
                           "%s joined by +)",
                           margay_role_names[role], margay_role_names[role]);
    *roles |= 1u << role;
    enum margay_status status = MARGAY_OK;
    for (unsigned count = 0; status == MARGAY_OK; count++) {
        size_t bytes = strcspn(name, ",+");
        if (count > 0 &&
            (role == MARGAY_ROLE_OP || role == MARGAY_ROLE_TTL ||
             role == MARGAY_ROLE_COUNT || role >= MARGAY_ROLE_THREAD))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--column: %s= of several columns (expected "
                               "one)",
                               margay_role_names[role]);
        status = add_column(choice, role, name, bytes, error);
        *text = name + bytes;
        if (**text != '+')
            break;
        name = *text + 1;
    }
    return status;
}

static enum margay_status parse_roles(const char *text,
                                      struct margay_choice *choice,
                                      struct margay_error *error)
{
    const char *after;
    unsigned roles = 0;
    enum margay_status status = MARGAY_OK;
    if (role_of(text, &after) == MARGAY_ROLES)
        return add_column(choice, MARGAY_ROLE_ID, text, strlen(text), error);
    for (;;) {
        status = add_role(choice, &roles, &text, error);
        if (status != MARGAY_OK || *text == '\0')
            break;
        text++;
    }
    roles &= 1u << MARGAY_ROLE_ID | 1u << MARGAY_ROLE_ADDRESS;
    if (status == MARGAY_OK && roles == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: no id= (expected the column that names "
                           "the object, or address=)");
    if (status == MARGAY_OK && (roles & (roles - 1)) != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--column: both id= and address= (expected one of "
                           "them)");
    return status;
}

/* The columns of devices are those of tenants, too, if these are named so.  A
   layout need not have another column of tenants to be known by its first
   row. */
static enum margay_status add_tenant(struct margay_choice *choice,
                                     const char *tenant,
                                     struct margay_error *error)
{
    bool by_name = choice->by_name;
    unsigned count = choice->count;
    for (unsigned i = 0; strcmp(tenant, "device") == 0 && i < count; i++) {
        struct margay_named_column column = choice->columns[i];
        if (column.role != MARGAY_ROLE_DEVICE)
            continue;
        if (choice->count == MARGAY_TAKES)
            return fail_count(error);
        column.role = MARGAY_ROLE_TENANT;
        choice->columns[choice->count++] = column;
    }
    if (choice->count > count)
        return MARGAY_OK;
    enum margay_status status =
        add_column(choice, MARGAY_ROLE_TENANT, tenant, strlen(tenant), error);
    if (status == MARGAY_OK && choice->of_layout) {
        choice->by_name = by_name;
        choice->columns[count].optional = true;
    }
    return status;
}

enum margay_status margay_choice_parse(const char *text, bool of_layout,
                                       const char *tenant,
                                       struct margay_choice *choice,
                                       struct margay_error *error)
{
    *choice = (struct margay_choice){.of_layout = of_layout};
    enum margay_status status = parse_roles(text, choice, error);
    return status == MARGAY_OK && tenant != NULL
               ? add_tenant(choice, tenant, error)
               : status;
}

/* ---------------------------------------------------------------- plans -- */

static int by_column(const void *a, const void *b)
{
    uint64_t first = ((const struct margay_take *)a)->column;
    uint64_t second = ((const struct margay_take *)b)->column;
    return (first > second) - (first < second);
}

static uint64_t column_of(const struct margay_choice *choice,
                          const uint64_t *numbers, unsigned i)
{
    return choice->columns[i].number != 0 ? choice->columns[i].number
                                          : numbers[i];
}

void margay_plan_columns(const struct margay_choice *choice,
                         const uint64_t *numbers, struct margay_plan *plan)
{
    *plan = (struct margay_plan){.addresses = choice->addresses};
    for (unsigned i = 0; i < choice->count; i++) {
        uint64_t column = column_of(choice, numbers, i);
        if (column != 0)
            plan->takes[plan->count++] = (struct margay_take){
                column, choice->columns[i].role, choice->columns[i].optional};
    }
    qsort(plan->takes, plan->count, sizeof *plan->takes, by_column);
    for (unsigned i = 0; i < choice->count; i++) {
        unsigned role = choice->columns[i].role;
        uint64_t column = column_of(choice, numbers, i);
        for (uint8_t t = 0; column != 0 && t < plan->count; t++) {
            if (plan->takes[t].role == role &&
                plan->takes[t].column == column) {
                plan->of_role[role][plan->role_counts[role]++] = t;
                break;
            }
        }
    }
}

void margay_plan_facts(const struct margay_plan *plan,
                       const struct margay_layout *layout, uint64_t unit_bytes,
                       struct margay_trace_facts *facts)
{
    static const unsigned gives[MARGAY_ROLES] = {
        [MARGAY_ROLE_SIZE] = MARGAY_COLUMN_SIZES,
        [MARGAY_ROLE_OP] = MARGAY_COLUMN_KINDS | (unsigned)MARGAY_COLUMN_OPS,
        [MARGAY_ROLE_TIME] = MARGAY_COLUMN_TIMES,
        [MARGAY_ROLE_TTL] = MARGAY_COLUMN_TTLS,
        [MARGAY_ROLE_REQUEST] = MARGAY_COLUMN_REQUESTS,
        [MARGAY_ROLE_THREAD] = MARGAY_COLUMN_THREADS,
        [MARGAY_ROLE_SITE] = MARGAY_COLUMN_SITES,
        [MARGAY_ROLE_KIND] = MARGAY_COLUMN_KINDS,
        [MARGAY_ROLE_TENANT] = MARGAY_COLUMN_TENANTS,
    };
    unsigned columns = 0;
    for (unsigned role = 0; role < MARGAY_ROLES; role++)
        columns |= plan->role_counts[role] > 0 ? gives[role] : 0;
    if ((columns & MARGAY_COLUMN_SIZES) != 0 &&
        (layout->offset_bytes != 0 || unit_bytes != 0 || plan->addresses))
        columns |= MARGAY_COLUMN_EXTENTS;
    facts->columns &= columns;
    facts->kinds = (columns & MARGAY_COLUMN_KINDS) == 0 ? 0
                   : plan->role_counts[MARGAY_ROLE_KIND] > 0
                       ? MARGAY_ALL_KINDS
                       : MARGAY_READS_AND_WRITES;
    if (plan->addresses) {
        facts->numbers = MARGAY_ADDRESSES;
        facts->unit_bytes = 1;
    }
}

/* --------------------------------------------------------------- layouts -- */

/*
 * The layouts of published storage traces, a row each
 *
 * The facts are from the descriptions of the data sets: SNIA's IOTTA repository
 * (msr, tencent, ibm-cos, fiu), alibaba/block-traces, twitter/cache-trace,
 * CacheLib's traces (meta-...), Wikimedia's analytics pages (wiki) and
 * webcachesim.
 */
#define MILLISECONDS UINT64_C(1000)
#define MICROSECONDS UINT64_C(1000000)
#define FILE_TIME    UINT64_C(10000000) /* 100 ns, of Windows */
#define NANOSECONDS  UINT64_C(1000000000)
#define SECTOR_BYTES 512

/* A block of meta-block has at most 40 MB. */
#define META_BLOCK_DEVICE_BITS 38

const struct margay_layout margay_layout_any = {
    MARGAY_USUAL_WORDS,
    .ticks_per_second = 1,
    .open = true,
};

/* Objects with names. */
#define OBJECTS(NAME, DESCRIPTION, COLUMNS, ...)                  \
    {                                                             \
        .info = {.name = NAME,                                    \
                 .description = DESCRIPTION,                      \
                 .suffixes = "",                                  \
                 .numbers = MARGAY_IDS,                           \
                 .columns = COLUMNS,                              \
                 .named_columns = MARGAY_COLUMN_TENANTS,          \
                 .kinds = (COLUMNS)&MARGAY_COLUMN_KINDS           \
                              ? MARGAY_READS_AND_WRITES           \
                              : 0},                               \
        .layout = &(const struct margay_layout){__VA_ARGS__},     \
        .recognise = margay_table_decode, MARGAY_TABLE_FUNCTIONS, \
    }

#define SIZES_TIMES (MARGAY_COLUMN_SIZES | (unsigned)MARGAY_COLUMN_TIMES)
#define SIZES_TIMES_OPS \
    (SIZES_TIMES | (unsigned)MARGAY_COLUMN_KINDS | (unsigned)MARGAY_COLUMN_OPS)

/* Requests to offsets on devices, which are split into blocks of 4 KiB. */
#define REQUESTS(NAME, DESCRIPTION, ...)                             \
    {                                                                \
        .info = {.name = NAME,                                       \
                 .description = DESCRIPTION,                         \
                 .suffixes = "",                                     \
                 MARGAY_BYTE_ADDRESSES,                              \
                 .columns = SIZES_TIMES_OPS | MARGAY_COLUMN_EXTENTS, \
                 .named_columns = MARGAY_COLUMN_TENANTS,             \
                 .kinds = MARGAY_READS_AND_WRITES,                   \
                 .splits = true,                                     \
                 .empty_extents = true,                              \
                 .usual_block_bytes = 4096},                         \
        .layout = &(const struct margay_layout){__VA_ARGS__},        \
        .recognise = margay_table_decode, MARGAY_TABLE_FUNCTIONS,    \
    }

static const struct margay_format layouts[] = {
    REQUESTS("msr", "MSR Cambridge: requests to volumes, csv",
             .variants = {{.columns = "time=1,device=2+3,op=4,id=5,size=6",
                           .shape = "dtdoddd"}},
             .gets = "read", .sets = "write", .offset_bytes = 1,
             .ticks_per_second = FILE_TIME),
    REQUESTS("alibaba", "Alibaba Cloud: requests to volumes, csv",
             .variants = {{.columns = "device=1,op=2,id=3,size=4,time=5",
                           .shape = "doddd"}},
             .gets = "r", .sets = "w", .offset_bytes = 1,
             .ticks_per_second = MICROSECONDS),
    REQUESTS("tencent", "Tencent Cloud: requests to volumes, csv, in sectors",
             .variants = {{.columns = "time=1,id=2,size=3,op=4,device=5",
                           .shape = "ddddd"}},
             .gets = "0", .sets = "1", .offset_bytes = SECTOR_BYTES,
             .ascends = true, .least_time = 1000000000),
    REQUESTS(
        "meta-block", "Meta's Tectonic: requests to parts of blocks",
        .variants = {{.columns =
                          "id=io_offset,size=io_size,op=op_name,"
                          "device=block_id,time=op_time?,count=op_count?"}},
        .delimiter = MARGAY_ANY_DELIMITER, .gets = "getchunkdata* 1 2 5",
        .sets = "putchunk* 3 4 6", .offset_bytes = 1,
        .device_bits = META_BLOCK_DEVICE_BITS),
    REQUESTS("fiu", "FIU: requests of processes to devices, in sectors",
             .variants = {{.columns = "time=1,id=4,size=5,op=6,device=7+8",
                           .shape = "ddtddodd*"}},
             .delimiter = MARGAY_BLANKS, .gets = "r", .sets = "w",
             .offset_bytes = SECTOR_BYTES, .ticks_per_second = NANOSECONDS),
    OBJECTS(
        "rocksdb", "RocksDB: block_cache_trace_analyzer's readable trace",
        SIZES_TIMES,
        .variants = {{.columns = "time=1,id=2,size=4", .shape = "dddddtdddd*"}},
        .ticks_per_second = MICROSECONDS),
    OBJECTS("twitter", "Twitter's clusters of memcached, csv",
            SIZES_TIMES_OPS | MARGAY_COLUMN_TTLS,
            .variants = {{.columns = "time=1,id=2,size=3+4,op=6,ttl=7",
                          .shape = "dtdddod"}},
            .gets = "get gets",
            .sets = "set add replace cas append prepend incr decr",
            .deletes = "delete", .empty_gets_missed = true),
    OBJECTS("meta-kv", "Meta's key-value caches, csv with a header",
            SIZES_TIMES_OPS | MARGAY_COLUMN_TTLS,
            .variants = {{.columns =
                              "id=key,size=key_size+size,op=op,count=op_count,"
                              "time=op_time?,ttl=ttl?"}},
            .gets = "get get_lease", .sets = "set set_lease",
            .deletes = "delete", .empty_gets_missed = true),
    OBJECTS("meta-cdn", "Meta's CDN, csv with a header",
            SIZES_TIMES_OPS | MARGAY_COLUMN_TTLS,
            .variants = {{.columns = "id=cacheKey,size=objectSize,op=OpType,"
                                     "time=timestamp,ttl=TTL?"}},
            .gets = "1 get", .ticks_per_second = MARGAY_EPOCH_TICKS),
    OBJECTS(
        "wiki", "Wikimedia's CDN of 2016 and 2019, tabs", SIZES_TIMES,
        .variants = {{.columns = "id=hashed_path_query,size=response_size,"
                                 "time=relative_unix"},
                     {.columns = "id=hashed_host_path_query,size=response_size,"
                                 "time=relative_unix"},
                     {.columns = "id=2,size=4,time=1", .shape = "dtndt"},
                     {.columns = "id=2,size=3,time=1", .shape = "dtdn"},
                     {.columns = "id=1+2,size=4",
                      .shape = "tttdt",
                      .by_name_only = true}},
        .delimiter = '\t', .quote = MARGAY_NO_QUOTE),
    OBJECTS("webcachesim", "time, id and size between blanks", SIZES_TIMES,
            .variants = {{.columns = "time=1,id=2,size=3", .shape = "ddd"},
                         {.columns = "time=1,id=2,size=3",
                          .shape = "ddd*",
                          .by_name_only = true}},
            .delimiter = MARGAY_BLANKS, .ascends = true),
    OBJECTS(
        "ibm-cos", "IBM Cloud Object Storage: REST operations", SIZES_TIMES_OPS,
        .variants = {{.columns = "time=1,op=2,id=3,size=4?", .shape = "dot*"}},
        .delimiter = MARGAY_BLANKS, .gets = "rest.get.object rest.head.object",
        .sets = "rest.put.object rest.copy.object",
        .deletes = "rest.delete.object", .ticks_per_second = MILLISECONDS),
};

const struct margay_format *margay_layout_row(size_t index)
{
    return index < sizeof layouts / sizeof *layouts ? &layouts[index] : NULL;
}
