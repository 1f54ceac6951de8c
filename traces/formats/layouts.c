/*
 * layouts.c - the layouts of published storage traces, a row each
 *
 * The facts are from the descriptions of the data sets: SNIA's IOTTA repository
 * (msr, tencent, ibm-cos, fiu), alibaba/block-traces, twitter/cache-trace,
 * CacheLib's traces (meta-...), Wikimedia's analytics pages (wiki) and
 * webcachesim.
 */
#include "traces/formats/csv.h"

#define MILLISECONDS UINT64_C(1000)
#define MICROSECONDS UINT64_C(1000000)
#define FILE_TIME    UINT64_C(10000000) /* 100 ns, of Windows */
#define NANOSECONDS  UINT64_C(1000000000)
#define SECTOR_BYTES 512

/* A block of meta-block has at most 40 MB. */
#define META_BLOCK_DEVICE_BITS 38

const struct margay_layout margay_layout_any = {
    .gets = "get gets get_lease read r head hget 0 28 88 08 a8",
    .sets = "set set_lease write w put post add replace cas append prepend "
            "incr decr update 1 2a 8a 0a aa",
    .deletes = "delete del d remove purge unlink",
    .ticks_per_second = 1,
};

/* Variants: by names, by numbers, and by numbers that tell too little. */
#define NAMES(COLUMNS)     \
    {                      \
        .columns = COLUMNS \
    }
#define SHAPE(COLUMNS, SHAPE)              \
    {                                      \
        .columns = COLUMNS, .shape = SHAPE \
    }
#define SHAPE_OF_NAME(COLUMNS, SHAPE)                            \
    {                                                            \
        .columns = COLUMNS, .shape = SHAPE, .by_name_only = true \
    }

/* Objects with names. */
#define OBJECTS(NAME, DESCRIPTION, COLUMNS, ...)                              \
    {                                                                         \
        .info = {.name = NAME,                                                \
                 .description = DESCRIPTION,                                  \
                 .suffixes = "",                                              \
                 .numbers = MARGAY_IDS,                                       \
                 .columns = COLUMNS,                                          \
                 .named_columns = MARGAY_COLUMN_TENANTS,                      \
                 .kinds =                                                     \
                     (COLUMNS)&MARGAY_COLUMN_KINDS ? MARGAY_TABLE_KINDS : 0}, \
        .layout = &(const struct margay_layout){__VA_ARGS__},                 \
        .recognise = margay_table_decode, MARGAY_TABLE_FUNCTIONS,             \
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
                 .numbers = MARGAY_ADDRESSES,                        \
                 .unit_bytes = 1,                                    \
                 .columns = SIZES_TIMES_OPS | MARGAY_COLUMN_EXTENTS, \
                 .named_columns = MARGAY_COLUMN_TENANTS,             \
                 .kinds = MARGAY_TABLE_KINDS,                        \
                 .splits = true,                                     \
                 .empty_extents = true,                              \
                 .usual_block_bytes = 4096},                         \
        .layout = &(const struct margay_layout){__VA_ARGS__},        \
        .recognise = margay_table_decode, MARGAY_TABLE_FUNCTIONS,    \
    }

static const struct margay_format layouts[] = {
    REQUESTS(
        "msr", "MSR Cambridge: requests to volumes, csv",
        .variants = {SHAPE("time=1,device=2+3,op=4,id=5,size=6", "dtdoddd")},
        .gets = "read", .sets = "write", .offset_bytes = 1,
        .ticks_per_second = FILE_TIME),
    REQUESTS("alibaba", "Alibaba Cloud: requests to volumes, csv",
             .variants = {SHAPE("device=1,op=2,id=3,size=4,time=5", "doddd")},
             .gets = "r", .sets = "w", .offset_bytes = 1,
             .ticks_per_second = MICROSECONDS),
    REQUESTS("tencent", "Tencent Cloud: requests to volumes, csv, in sectors",
             .variants = {SHAPE("time=1,id=2,size=3,op=4,device=5", "ddddd")},
             .gets = "0", .sets = "1", .offset_bytes = SECTOR_BYTES,
             .ascends = true, .least_time = 1000000000),
    REQUESTS(
        "meta-block", "Meta's Tectonic: requests to parts of blocks",
        .variants = {NAMES("id=io_offset,size=io_size,op=op_name,"
                           "device=block_id,time=op_time?,count=op_count?")},
        .delimiter = MARGAY_ANY_DELIMITER, .gets = "getchunkdata* 1 2 5",
        .sets = "putchunk* 3 4 6", .offset_bytes = 1,
        .device_bits = META_BLOCK_DEVICE_BITS),
    REQUESTS(
        "fiu", "FIU: requests of processes to devices, in sectors",
        .variants = {SHAPE("time=1,id=4,size=5,op=6,device=7+8", "ddtddodd*")},
        .delimiter = MARGAY_BLANKS, .gets = "r", .sets = "w",
        .offset_bytes = SECTOR_BYTES, .ticks_per_second = NANOSECONDS),
    OBJECTS("twitter", "Twitter's clusters of memcached, csv",
            SIZES_TIMES_OPS | MARGAY_COLUMN_TTLS,
            .variants = {SHAPE("time=1,id=2,size=3+4,op=6,ttl=7", "dtdddod")},
            .gets = "get gets",
            .sets = "set add replace cas append prepend incr decr",
            .deletes = "delete", .empty_gets_missed = true),
    OBJECTS("meta-kv", "Meta's key-value caches, csv with a header",
            SIZES_TIMES_OPS | MARGAY_COLUMN_TTLS,
            .variants = {NAMES("id=key,size=key_size+size,op=op,count=op_count,"
                               "time=op_time?,ttl=ttl?")},
            .gets = "get get_lease", .sets = "set set_lease",
            .deletes = "delete", .empty_gets_missed = true),
    OBJECTS("meta-cdn", "Meta's CDN, csv with a header",
            SIZES_TIMES_OPS | MARGAY_COLUMN_TTLS,
            .variants = {NAMES("id=cacheKey,size=objectSize,op=OpType,"
                               "time=timestamp,ttl=TTL?")},
            .gets = "1 get", .ticks_per_second = MARGAY_EPOCH_TICKS),
    OBJECTS("wiki", "Wikimedia's CDN of 2016 and 2019, tabs", SIZES_TIMES,
            .variants = {NAMES("id=hashed_path_query,size=response_size,"
                               "time=relative_unix"),
                         NAMES("id=hashed_host_path_query,size=response_size,"
                               "time=relative_unix"),
                         SHAPE("id=2,size=4,time=1", "dtndt"),
                         SHAPE("id=2,size=3,time=1", "dtdn"),
                         SHAPE_OF_NAME("id=1+2,size=4", "tttdt")},
            .delimiter = '\t', .quote = MARGAY_NO_QUOTE),
    OBJECTS("webcachesim", "time, id and size between blanks", SIZES_TIMES,
            .variants = {SHAPE("time=1,id=2,size=3", "ddd"),
                         SHAPE_OF_NAME("time=1,id=2,size=3", "ddd*")},
            .delimiter = MARGAY_BLANKS, .ascends = true),
    OBJECTS(
        "ibm-cos", "IBM Cloud Object Storage: REST operations", SIZES_TIMES_OPS,
        .variants = {SHAPE("time=1,op=2,id=3,size=4?", "dot*")},
        .delimiter = MARGAY_BLANKS, .gets = "rest.get.object rest.head.object",
        .sets = "rest.put.object rest.copy.object",
        .deletes = "rest.delete.object", .ticks_per_second = MILLISECONDS),
};

const struct margay_format *margay_layout_row(size_t index)
{
    return index < sizeof layouts / sizeof *layouts ? &layouts[index] : NULL;
}
