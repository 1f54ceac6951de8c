/* test_layouts.c - the layouts of storage traces, and --column with roles */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/traces/read_all.h"
#include "traces/base/fnv.h"
#include "traces/formats/format.h"

/* ---------------------------------------------------------------- reading --
 */

/* The references as text: operation and number, then +extent, size, @time and
   ~time to live, each if the trace has the column. */
static size_t show_batch(const struct margay_batch *batch, bool first,
                         char *text, size_t bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < batch->references && used + 200 < bytes; i++) {
        char *at = text + used;
        at += sprintf(at, "%s", first && i == 0 ? "" : " ");
        if (batch->ops != NULL)
            *at++ = "gsd"[batch->ops[i]];
        at += sprintf(at, "%" PRIx64, batch->numbers[i]);
        if (batch->extents != NULL)
            at += sprintf(at, "+%" PRIu32, batch->extents[i]);
        if (batch->sizes != NULL)
            at += sprintf(at, "#%" PRIu64, batch->sizes[i]);
        if (batch->times != NULL)
            at += sprintf(at, "@%" PRIu64, batch->times[i]);
        if (batch->ttls != NULL && batch->ttls[i] != UINT64_MAX)
            at += sprintf(at, "~%" PRIu64, batch->ttls[i]);
        used = (size_t)(at - text);
    }
    text[used] = '\0';
    return used;
}

/* Everything that is read, or the message. */
static const char *read_shown(const char *text, size_t bytes,
                              const struct margay_trace_options *options)
{
    static char shown[4096];
    char path[TEST_PATH_BYTES];
    struct margay_error error = {.message = ""};
    struct margay_batch batch;
    margay_trace *trace;
    enum margay_status status;
    size_t used = 0;
    shown[0] = '\0';
    write_file(make_path(path, "table"), text, bytes);
    status = margay_trace_open(path, options, &trace, &error);
    if (status == MARGAY_OK) {
        while ((status = margay_trace_next(trace, -1, &batch, &error)) ==
               MARGAY_OK)
            used += show_batch(&batch, used == 0, shown + used,
                               sizeof shown - used);
        margay_trace_free(trace);
    }
    unlink(path);
    if (status != MARGAY_END)
        snprintf(shown, sizeof shown, "%s", error.message);
    return shown;
}

/* ---------------------------------------------------------------- layouts --
 */

static const struct sample {
    const char *format;
    uint64_t unit_bytes;
    const char *text;
    const char *outcome; /* references; or with a colon, part of a message */
} samples[] = {
    /* The device stands above 48 bits: a number as it is, a name hashed. */
    {"alibaba", 0,
     "419,W,8792731648,16384,1577808000000046\n"
     "725,R,4096,512,1577808001999999\n",
     "s1a300020c167000+16384#16384@1577808000 "
     "g2d5000000001000+512#512@1577808001"},
    {"tencent", 0, "1538323200,16,8,0,3\n1538323201,17,1,1,3\n",
     "g3000000002000+4096#4096@1538323200 "
     "s3000000002200+512#512@1538323201"},
    {"tencent", 1, "1538323200,8192,4096,0,3\n",
     "g3000000002000+4096#4096@1538323200"},
    {"tencent", 0, "Timestamp,Offset,Size,IOType,VolumeID\n1,0,0,1,0\n",
     "s0+0#0@1"},
    {"meta-block", 0,
     "# block_id io_offset io_size op_time op_name user op_count\n"
     "28 65536 4096 1570.99 1 3 2\n29  0 8 1571 putChunk.temp 3 1\n",
     "g70010000+4096#4096@1570 g70010000+4096#4096@1570 s74000000+8#8@1571"},
    {"meta-block", 0,
     "op_time,block_id,block_id_size,io_size,io_offset,op_name\n"
     "7,1,4,16,32,getChunkData.permanent\n",
     "g4000020+16#16@7"},
    {"fiu", 0, "1000000000 4892 kjournald 16 8 W 6 0 3a1f\n", ""},
    {"twitter", 0,
     "0,12,2,213,4,get,0\n1,12,2,0,4,set,60\n2,12,2,0,4,delete,0\n"
     "3,12,2,7,4,prepend,1\n",
     "gc#215@0 sc#2@1~60 dc#2@2 sc#9@3~1"},
    {"meta-kv", 0,
     "key,op,size,op_count,key_size\n7,GET,5,3,2\n8,DELETE,0,1,2\n"
     "9,SET_LEASE,1,0,2\n7,get_lease,5,1,2\n",
     "g7#7 g7#7 g7#7 d8#2 g7#7"},
    {"meta-kv", 0,
     "op_time,key,key_size,op,op_count,size,cache_hits,ttl\n"
     "10,7,1,SET,1,5,0,30\n11,7,1,GET,1,5,1,-1\n12,7,1,GET,1,5,1,\n",
     "s7#6@10~30 g7#6@11 g7#6@12"},
    {"meta-cdn", 0,
     "timestamp,cacheKey,OpType,objectSize,responseSize,TTL\n"
     "1678800000,5,1,100,10,60\n1678800001999,6,1,7,7,0\n",
     "g5#100@1678800000~60 g6#7@1678800001"},
    {"wiki", 0,
     "relative_unix\thashed_path_query\timage_type\tresponse_size\tfirst\n"
     "5\t83\tjpeg\t9665\t1.8E-4\n",
     "53#9665@5"},
    {"wiki", 0, "5\t83\t9665\t1.8E-4\n", "53#9665@5"},
    {"wiki", 0, "12\t\ttext\t99\t0.1\n", ": found"},
    {"webcachesim", 0, "1 0 68\n 2\t1   7454 \r\n3 0 68 9 9\n",
     "0#68@1 1#7454@2 0#68@3"},
    {"ibm-cos", 0,
     "1999 REST.PUT.OBJECT 12 1056\n2000 REST.GET.OBJECT 12 1056 0 1055\n"
     "3000 REST.DELETE.OBJECT 12\n",
     "sc#1056@1 gc#1056@2 dc#0@3"},

    /* Logs. */
    {"blkparse", 0,
     "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n"
     "  8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]\n"
     "  8,16   0        1     1.999999999   12  Q  RA 0 + 16 [cat x]\n"
     "  8,0    0        3     2.0     0  m   N cfq697 insert\n"
     "  8,0 0 4 2.5 1 Q FN [sync]\n"
     "CPU0 (8,0):\n"
     " Reads Queued:           1,        8KiB\n"
     "",
     "s4753000006d20400+4096#4096@0 g3de2000000000000+8192#8192@1"},
    {"redis", 0,
     "OK\n"
     "1339518083.107412 [0 127.0.0.1:60866] \"keys\" \"*\"\n"
     "1339518084.5 [0 127.0.0.1:60866] \"SET\" \"42\" \"a \\\"b\\\"\"\n"
     "1339518085.0 [1 lua] \"get\" \"k\\x41\"\n"
     "1339518086.0 [0 unix:/s] \"mget\" \"42\" \"7\" \"a\"\n"
     "1339518086.1 [0 unix:/s] \"mset\" \"42\" \"x\" \"7\" \"y\"\n"
     "1339518087.1 [0 unix:/s] \"unlink\" \"7\"\n"
     "",
     "s2a@1339518084 gae11eaf1e4b847c4@1339518085 g2a@1339518086 g7@1339518086 "
     "gaf63dc4c8601ec8c@1339518086 s2a@1339518086 s7@1339518086 d7@1339518087"},
    {"clf", 0,
     "10.0.0.1 - joe [10/Oct/2000:13:55:36 -0700] \"GET /a?b=1 HTTP/1.0\" 200 "
     "2326\n"
     "::1 - - [01/Jan/1970:00:00:00 +0000] \"DELETE /a\\\"c HTTP/1.1\" 204 - "
     "\"-\" \"x \\\" y\"\n"
     "1 - - [29/Feb/2024:23:59:60 +0100] \"-\" 408 0\n"
     "",
     "g2dfe30f746383746#2326@971211336 d7daf80473dd19950#0@0 "
     "gaf63a04c86018698#0@1709247600"},
    {"blkparse", 0, "CPU0 (8,0):\n",
     ":1: found 'CPU0 (8,0):', expected a line of"},
    {"blkparse", 0, "8,0 3 1 0.0 697 Q W 223490 x 8\n",
     "expected a line of blk"},
    {"blkparse", 0, "8,0 3 1 0.0 697 Q W 0 + 8388608\n", "expected a request"},
    {"blkparse", 0, "8,0 3 1 0.0 697 Q W 549755813888 + 1\n",
     "an offset below 2^48"},
    {"redis", 0, "1.0 [0 a] get \"k\"\n", ":1: found '1.0 [0 a] get"},
    {"redis", 0, "1.0 [0 a] \"get\" \"k\n", "expected a line of MONITOR"},
    {"redis", 0, "1.0 [0 a] \"get\" \"k\" x\n", "expected a line of MONITOR"},
    {"clf", 0, "1 - - [29/Feb/2024:23:59:60 +0100] \"-\" 408 x\n",
     "a size in decimal in 'size'"},
    {"clf", 0, "1 - - [29/Fez/2024:23:59:60 +0100] \"-\" 408 1\n",
     ":1: found '1 - -"},
    {"clf", 0, "1 - - [29/Feb/2024:23:59:60 +0100] - 408 1\n",
     "expected a line like * [<time>] \"<http>\" <status> <size> (read"},
    {"clf", 0, "1 - - [29/Feb/2024:23:59:60 +0100] \"-\" x 1\n",
     "expected a status of HTTP in 'status'"},
    /* A request without a text is one, too. */
    {"clf", 0,
     "h - - [01/Jan/1970:00:00:00 +0000] \"\" 400 0\n"
     "h:80 c - - [01/Jan/1970:00:00:01 +0000] \"PROPFIND  /a\" 207 7\n"
     "h - - [01/Jan/1970:00:00:02 +0000] \"HEAD /a HTTP/1.0\" 200 9\n"
     "h - - [01/Jan/1970:00:00:03 +0000] \"GET /a HTTP/1.0\" 206 9\n"
     "h - - [01/Jan/1970:00:00:04 +0000] \"PURGE /a HTTP/1.0\" 200 9\n",
     "gcbf29ce484222325#0@0 g7d66707b49cd92d#7@1 g7d66707b49cd92d#7@2 "
     "g7d66707b49cd92d#7@3 d7d66707b49cd92d#7@4"},
    {"s3", 0,
     "o b [01/Jan/1970:00:00:07 +0000] i q r REST.PUT.OBJECT k \"PUT /b/k\" "
     "200 - - 9 8\n"
     "o b [01/Jan/1970:00:00:08 +0000] i q r REST.GET.ACL - \"GET /b\" 200 - "
     "5 - 8\n"
     "o b [01/Jan/1970:00:00:09 +0000] i q r BATCH.DELETE.OBJECT k \"-\" 204 "
     "- - 9 -\n",
     "sffcf3d1912deb95c#9@7 dffcf3d1912deb95c#9@9"},

    /* What is wrong. */
    {"msr", 0, "1,hm,1,Scan,2,3,4\n",
     ":1: found '1,hm,1,Scan,2,3,4', expected an operation (read write) in "
     "column 4"},
    {"msr", 0, "1,hm,1,Read,2,3,4\n1,hm,1,Read,x,3,4\n1,hm,1,Read,2\n",
     ":2: found '1,hm,1,Read,x,3,4', expected an offset in decimal in column "
     "5"},
    {"msr", 0, "1,hm,1,Read,2,3,4\n1,hm,1,Read,2\n",
     ":2: found '1,hm,1,Read,2', expected a size in decimal in column 6 (the "
     "row has 5 columns)"},
    {"msr", 0, "1,hm,1,Read,2,3\n",
     ":1: found '1,hm,1,Read,2,3', expected 7 c"},
    {"msr", 0, "1,hm,1,Read,2,3,4\n1,hm,,Read,2,3,4\n",
     ":2: found '1,hm,,Read,2,3,4', expected a device in column 3 (the row has "
     "7 columns)"},
    {"alibaba", 0, "1,R,0,1,2\n,R,0,1,2\n",
     ":2: found ',R,0,1,2', expected a device in column 1"},
    {"alibaba", 0, "1,R,281474976710656,1,2\n",
     "expected an id below 2^48, as the device stands above it"},
    {"alibaba", 0, "1,R,281474976710655,2,2\n", "expected an id below 2^48"},
    {"alibaba", 0, "1,R,0,4294967296,2\n", "a length below 4294967296 bytes"},
    {"tencent", 0, "1,36028797018963968,1,0,0\n", "an offset below 2^64"},
    {"twitter", 0, "0,k,1,2,3,get,0\n0,k,18446744073709551615,2,3,get,0\n",
     ":2: found"},
    {"twitter", 0, "0,k,1,2,3,get,x\n", "expected a time to live in decimal"},
    {"twitter", 0, "zero,k,1,2,3,get,0\n", "expected a time in decimal in col"},
    {"webcachesim", 0, "1 2\n",
     ":1: found '1 2', expected 3 columns or more (read as"},
    {"wiki", 0, "host\tquery\ttype\tbytes\tcache\n5\t83\tjpeg\t9665\t1\n",
     "expected names of columns that are known, or none, as those of 5 columns "
     "may mean id=2,size=4,time=1 or id=1+2,size=4 (read as"},
    {"wiki", 0, "1\t2\n", ", or 5 columns, or 4 columns (read as"},
    {"meta-kv", 0, "key,op,size\n",
     ":1: found 'key,op,size', expected a header"
     " with the columns of id=key,"},
    {"meta-kv", 0, "key,op,size,op_count,key_size\n7,GET,5,65536,2\n",
     ":2: found '7,GET,5,65536,2', expected a count of at most 65535"},
};

static void test_samples(void)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *sample = &samples[i];
        struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
        options.format = sample->format;
        options.unit_bytes = sample->unit_bytes;
        const char *shown =
            read_shown(sample->text, strlen(sample->text), &options);
        bool right = strstr(shown, sample->outcome) != NULL;
        if (!CHECK(right, "%s: sample %zu", sample->format, i))
            printf("#   %s\n#   expected %s\n", shown, sample->outcome);
    }
}

/* --------------------------------------------------------------- --column --
 */

static const struct choice {
    const char *column;
    char delimiter;
    int quote;
    uint64_t unit_bytes;
    const char *text, *outcome;
} choices[] = {
    {"id=2,size=3", 0, 0, 0, "1,7,5\n2,8,0\n", "7#5 8#0"},
    {"id=b,size=c", 0, 0, 0, "a,b,c\n1,7,5\n", "7#5"},
    {"id=2,size=3", 0, 0, 0, "a,b,c\n1,7,5\n", "7#5"},
    {"id=2,size=1+3", 0, 0, 0, "1,7,5\n", "7#6"},
    {"size=c+c,id=b", 0, 0, 0, "a,b,c\n1,7,5\n", "7#10"},
    {"id=1,op=2", 0, 0, 0, "7,GET\n8,set\n7,Delete\n9,2a\n9,R\n",
     "g7 s8 d7 s9 g9"},
    {"id=1,op=2,time=3,ttl=4", 0, 0, 0, "7,get,12.75,\n8,set,13,60\n",
     "g7@12 s8@13~60"},
    {"id=1,count=2", 0, 0, 0, "7,3\n8,0\n9,1\n", "7 7 7 9"},
    {"id=1,size=2", 0, 0, 512, "7,0\n8,512\n9,513\n", "7+1#0 8+1#512 9+2#513"},
    {"id=2,device=1", 0, 0, 0, "0,7\n3,7\nhm,7\n",
     "7 3000000000007 bd0e000000000007"},
    {"id=1,size=2", '\2', 0, 0, "  7\t 5\n8  6  9\n", "7#5 8#6"},
    {"id=1,size=2", 0, 0, 0, "7,1099511627776\n", "7#1099511627776"},
    {"id=1,size=2", 0, 0, 0, "7,5\n8,\n9,-\n8,3\n", "7#5 8#3 9#0 8#3"},
    {"id=1,size=2", 0, 0, 0, "7,5\n8\n",
     "a size in decimal in column 2 (the row has 1 column)"},
    {"id=1,size=1+2", 0, 0, 0, "18446744073709551615,1\n",
     "below 2^64 - 1 tog"},
    {"id=1,op=2", 0, 0, 0, "7,get\n8,zap\n",
     ":2: found '8,zap', expected an oper"},
    {"id=1,time=2", 0, 0, 0, "7,1\n8,1.x\n",
     "a time in decimal, or a date, in column 2"},
    {"id=x,size=b", 0, 0, 0, "a,b\n7,5\n", "a column named 'x' among a, b"},
    {"id=2,device=1", 0, 0, 0, "1,281474976710656\n", "an id below 2^48"},
    {"id=1,size=2", 0, 0, 1, "7,4294967296\n", "at most 4294967295 units"},
    {"id=1,siz=2", 0, 0, 0, "", "--column: 'siz=2' (expected id="},
    {"id=", 0, 0, 0, "", "--column: 'id=' without a column"},
    {"size=1", 0, 0, 0, "", "--column: no id="},
    {"id=1,id=2", 0, 0, 0, "", "--column: id= twice"},
    {"id=1,op=2+3", 0, 0, 0, "", "--column: op= of several columns"},
    {"id=1+2+3+4+5+6+7+8+9+10+11+12+13", 0, 0, 0, "", "too many columns"},
    /* One column: ids, headers, and quotes. */
    {"b", 0, 0, 0, "a,b,c\n1,2,3\n4,5,6\n", "2 5"}, /* by name */
    {"b c", 0, 0, 0, "a,\"b c\"\n1,2\n", "2"},      /* by a quoted name */
    {"3", 0, 0, 0, "a,b,c\n1,2,3\n4,5,6\n", "3 6"}, /* by number */
    {"1", 0, 0, 0, "1,2\n4,5\n", "1 4"},            /* by number, no header */
    {"a", 0, 0, 0, "a,a\n1,2\n", "1"}, /* a name that is there twice */
    {"a", 0, 0, 0, "a,b\nx,y\n",
     "af63f54c86021707"}, /* a name means a header */
    {"1", 0, 0, 0, "a,b\nx,y\n", "af63dc4c8601ec8c af63f54c86021707"},
    {"1", 0, 0, 0, "a,b\nx,7\n", "af63f54c86021707"},
    {"2", 0, 0, 0, "1,2\n3,4,5\n6,7\n", "2 4 7"}, /* rows of other lengths */
    {"1", 0, 0, 0, ",b\n7,8\n", "7"},      /* a header that lacks a name */
    {"2", ';', 0, 0, "a;b\n1;2\n", "2"},   /* semicolons */
    {"2", '\t', 0, 0, "1\t2\n", "2"},      /* tabs */
    {"2", ' ', 0, 0, "1 2\n3 4\n", "2 4"}, /* spaces, one at a time */
    {NULL, ';', 0, 0, "1\n2\n", "1 2"},    /* a delimiter alone */
    {"a", 0, 0, 0, "", ""},                /* nothing */
    {"a", 0, 0, 0, "a,b\n", ""},           /* a header alone */
    {"1", 0, 0, 0, "id\n", ""},            /* an empty trace as it is written */
    {"1", 0, 0, 0, "ab\n", "89c4407b545986a"}, /* any other key alone */
    {"d", 0, 0, 0, "a,b\n1,2\n", ":1: found 'a,b', expected a col"},
    {"3", 0, 0, 0, "1,2\n3,4\n",
     ":2: found '3,4', expected an id in column 3 of the first row"},
    {"2", 0, 0, 0, "1,2\n3\n",
     ":2: found '3', expected an id in column 2 (the row has 1 column)"},
    {"2", 0, 0, 0, "1", ":1: found the end, expected an id"},
    {"0", 0, 0, 0, "1,2\n", "a column named '0'"}, /* column 0 is a name */
    {"2", 0, 0, 0, "\"1,2\",3\n", "3"}, /* a quote holds a delimiter */
    {"2", 0, MARGAY_NO_QUOTE, 0, "\"1,2,3\n", "2"},
    {"2", ' ', MARGAY_NO_QUOTE, 0, "\"GET 7\" a\"b\n\" 9\" \"\n",
     "7f21407b4b4c6dc 8141407b4d1ad42"},
    {NULL, 0, MARGAY_NO_QUOTE, 0, "1\n2\n", "1 2"},
    {"2", 0, '\'', 0, "'1,2',3\n", "3"}, /* another quote */
    {"1", 0, '\'', 0, "'1'',2',3\n'4',5\n", "8f6344f1421b12df 4"},
    {"1", 0, '\'', 0, "4,5\n\"6,7\n", "4 7cc8207b494b289"},
    {"1", 0, 0, 0, "1,2\n\"3,4\n", "to be closed"}, /* a quote not closed */
    {"1", 0, 0, 0, "1,2\n3\"3,4\n", "--quote none takes"},
    {"1", ';', ';', 0, "1;2\n", "are both ';'"}, /* a quote is the delimiter */
    {"1", 0, ',', 0, "1,2\n", "are both ','"},   /* or a comma */
};

static void test_choices(void)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const struct choice *choice = &choices[i];
        struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
        options.column = choice->column;
        options.delimiter = choice->delimiter;
        options.unit_bytes = choice->unit_bytes;
        options.quote = choice->quote;
        const char *shown =
            read_shown(choice->text, strlen(choice->text), &options);
        bool message = strstr(shown, "table:") != NULL ||
                       strstr(shown, "expected") != NULL ||
                       strstr(shown, "--") != NULL;
        bool right = message ? strstr(shown, choice->outcome) != NULL
                             : strcmp(shown, choice->outcome) == 0;
        if (!CHECK(right, "--column %s: choice %zu", choice->column, i))
            printf("#   %s\n#   expected %s\n", shown, choice->outcome);
    }
}

/* A composite id is the hash of its fields with a NUL byte between two. */
static void test_composite(void)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    char expected[128];
    options.column = "id=2+1";
    snprintf(expected, sizeof expected, "%" PRIx64 " %" PRIx64,
             margay_fnv1a("b\0"
                          "17",
                          4),
             margay_fnv1a("\0", 1));
    CHECK_TEXT(read_shown("17,b\n,\n", 7, &options), expected,
               "in the order of --column");
    options.column = "id=1+2";
    snprintf(expected, sizeof expected, "%" PRIx64 " %" PRIx64,
             margay_fnv1a("1\0"
                          "12",
                          4),
             margay_fnv1a("11\0"
                          "2",
                          4));
    CHECK_TEXT(read_shown("1,12\n11,2\n", 10, &options), expected,
               "and no two alike");
}

/* Devices whose numbers collide are told apart. */
static void test_devices(void)
{
    enum { DEVICES = 3000 };
    char *text = malloc(DEVICES * 32), path[TEST_PATH_BYTES];
    size_t used = 0, wrong = 0;
    for (unsigned i = 0; i < DEVICES; i++)
        used += (size_t)sprintf(text + used, "1,host%u,%u,Read,0,1,1\n", i / 7,
                                i % 7);
    struct whole_trace whole = read_bytes("devices", "msr", text, used);
    CHECK_U64(whole.count, DEVICES, "%d devices", DEVICES);
    for (size_t i = 0; i < whole.count; i++) {
        for (size_t k = 0; k < i; k++)
            wrong += whole.numbers[i] == whole.numbers[k];
    }
    CHECK_U64(wrong, 0, "no two have the same number");
    drop_trace(&whole);
    free(text);
    (void)path;
}

/* ------------------------------------------------------ plain and quoted -- */

static size_t random_field(char *text, bool *quoted)
{
    static const char *const fields[] = {"7",
                                         "12345678",
                                         "0",
                                         "",
                                         "key",
                                         "a b",
                                         " 5",
                                         "6 ",
                                         "-1",
                                         "007",
                                         "1.5",
                                         "12a",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "get",
                                         "1234567890123456"};
    const char *field = fields[below(sizeof fields / sizeof *fields)];
    *quoted = one_in(8) && field[0] != ' ' && strchr(field, ' ') == NULL;
    return (size_t)sprintf(text, *quoted ? "\"%s\"" : "%s", field);
}

/*
 * A plain row comes to what libcsv makes of it: the same rows once as they are,
 * and once with a quoted field in front of each, which no plain row has.
 */
static void test_plain(void)
{
    seed_chance(11);
    uint64_t tries = rounds(3000);
    unsigned different = 0;
    for (uint64_t t = 0; t < tries; t++) {
        char plain[1024] = "x,0,0\nx,0,0\n", quoted[1024] = "x,0,0\nx,0,0\n";
        size_t p = strlen(plain), q = p, start;
        for (unsigned row = 0; row < 4; row++) {
            p += (size_t)sprintf(plain + p, "x");
            q += (size_t)sprintf(quoted + q, "\"x\"");
            for (unsigned i = one_in(8); i < 3; i++) {
                bool is_quoted;
                plain[p++] = quoted[q++] = ',';
                start = p;
                p += random_field(plain + p, &is_quoted);
                memcpy(quoted + q, plain + start, p - start);
                q += p - start;
            }
            bool carriage = one_in(4);
            p += (size_t)sprintf(plain + p, carriage ? "\r\n" : "\n");
            q += (size_t)sprintf(quoted + q, carriage ? "\r\n" : "\n");
        }
        struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
        options.column = t % 4 == 0   ? "id=2"
                         : t % 4 == 1 ? "id=2+4,size=3"
                         : t % 4 == 2 ? "id=3,size=4,time=2"
                                      : "id=2,ttl=3";
        char *one = strdup(read_shown(plain, p, &options));
        const char *two = read_shown(quoted, q, &options);
        const char *one_line = strstr(one, "table:");
        const char *two_line = strstr(two, "table:");
        bool same = one_line == NULL ? strcmp(one, two) == 0
                                     : two_line != NULL &&
                                           strncmp(one_line, two_line, 8) == 0;
        if (!same && different++ == 0)
            printf("# %s\n# %s\n# %s\n", plain, one, two);
        free(one);
    }
    CHECK_U64(different, 0, "plain and quoted, %" PRIu64 " times", tries);
}

/* Repeats of a row fill batch after batch, and the last row's too. */
static void test_counts(void)
{
    enum { ROWS = 40 };
    char text[ROWS * 32];
    size_t used = 0, wrong = 0, k = 0;
    used += (size_t)sprintf(text, "key,op,size,op_count,key_size\n");
    for (unsigned i = 0; i < ROWS; i++)
        used +=
            (size_t)sprintf(text + used, "%u,GET,0,%u,0\n", i, i * 1600 + 1);
    struct whole_trace whole = read_bytes("counts", "meta-kv", text, used);
    CHECK_U64(whole.count, ROWS + 1600 * ROWS * (ROWS - 1) / 2, "all repeats");
    for (unsigned i = 0; i < ROWS; i++) {
        for (unsigned c = 0; c <= i * 1600; c++, k++)
            wrong += k >= whole.count || whole.numbers[k] != i;
    }
    CHECK_U64(wrong, 0, "each in its place");
    drop_trace(&whole);
}

static void test_unit(void)
{
    struct whole_trace whole =
        read_text("unit", "tencent", "1538323200,16,8,0,3\n");
    CHECK_TEXT(whole.evidence, "the format asked for, offsets in 512 bytes",
               "the unit that was assumed is told");
    drop_trace(&whole);
}

/* ------------------------------------------------------------- long tables --
 */

static struct whole_trace read_ids(const char *text, const char *column)
{
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.column = column;
    write_file(make_path(path, "table"), text, strlen(text));
    struct whole_trace whole = read_path(path, &options);
    unlink(path);
    return whole;
}

static void test_other_formats(void)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.format = "din";
    options.column = "a";
    struct whole_trace whole = read_path("/dev/null", &options);
    CHECK(whole.status == MARGAY_BAD_ARGUMENT &&
              strstr(whole.error.message, "for the format csv, not for din"),
          "a column of another format: %s", whole.error.message);
}

/* Many batches and buffers, so that their ends fall anywhere in a row. */
static void test_long_table(void)
{
    size_t rows = 100000, used = 0;
    char *text = malloc(rows * 32);
    used += (size_t)sprintf(text, "key,\"the id\"\r\n");
    for (size_t i = 0; i < rows; i++)
        used += (size_t)sprintf(text + used, "\"k%zu\r\n\",%zu%s", i % 977, i,
                                i % 3 ? "\n" : "\r\n");
    struct whole_trace whole = read_ids(text, "the id");
    unsigned wrong = whole.count != rows;
    for (size_t i = 0; i < whole.count; i++)
        wrong += whole.numbers[i] != i;
    CHECK_U64(wrong, 0, "%zu rows of two lines each", rows);
    CHECK_TEXT(whole.error.message, "", "no complaint");
    drop_trace(&whole);
    text[used - 3] = 'x';
    memcpy(text + used - 2, "\"\n", 2);
    whole = read_ids(text, "the id");
    CHECK(strstr(whole.error.message, ":200001: found '\",99") != NULL,
          "the last line is wrong: %s", whole.error.message);
    CHECK_U64(whole.count, rows - 1, "the rows before are there");
    drop_trace(&whole);
    free(text);
}

/* Memory stays bounded where a quote is never closed. */
static void test_open_quote(void)
{
    size_t bytes = 1000000;
    char *text = malloc(bytes + 1);
    memcpy(text, "1\n\"", 3);
    for (size_t i = 3; i < bytes; i++)
        text[i] = i % 80 == 0 ? '\n' : 'x';
    text[bytes] = '\0';
    struct whole_trace whole = read_bytes("open", "csv", text, bytes);
    CHECK(whole.status == MARGAY_BAD_INPUT &&
              strstr(whole.error.message, "a row of at most 65536 bytes"),
          "an open quote: %s", whole.error.message);
    drop_trace(&whole);
    memset(text, '\n', bytes);
    memcpy(text + bytes - 2, "7\n", 2);
    whole = read_bytes("empty", "csv", text, bytes);
    CHECK_U64(whole.count, 1, "empty lines make no long row");
    drop_trace(&whole);
    free(text);
}

int main(void)
{
    test_unit();
    test_other_formats();
    test_long_table();
    test_open_quote();
    test_samples();
    test_choices();
    test_composite();
    test_devices();
    test_plain();
    test_counts();
    return tap_done();
}
