/*
 * test_texts.c - texts in each format: the references that they hold, or what
 * is said to be wrong; and which format each is taken for
 */
#define _GNU_SOURCE
#include <ctype.h>

#include "tests/traces/read_all.h"

/* Forty times the same. */
#define TEN(text)  text text text text text text text text text text
#define DEEP(text) TEN(text) TEN(text) TEN(text) TEN(text)

/* Few of them need all that may be said. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
static const struct sample {
    const char *format, *text;
    /* The references, as show_bytes() has them, and where a line is wrong
       ":LINE: EXPECTED"; or a part of a message that names no line. */
    const char *outcome;
    const char *column;
    char delimiter;
    int quote;
    uint64_t unit_bytes;
    const char *pattern;
    bool told; /* the format: the text could be of another */
} samples[] = {
    /* Text, a record a line. */
    {"din", "0 10\n1 20\n2 3f\n", "r10 w20 f3f"},
    {"din", "0 0x10\n1 0XaB\n", "r10 wab"},
    {"din", "0 10 4 x y\n1 20\t8\n", "r10 w20"},
    {"din", "0 10\n1 20", "r10 w20"},
    {"din", "0 10 4", "r10", .told = true},
    {"din", "0 10\r\n1 20 4\r\n", "r10 w20"},
    {"din", "\n  0\t10  \n\n \t\n1   20\n\n", "r10 w20"},
    {"din", "0 0\n0 ffffffffffffffff\n", "r0 rffffffffffffffff"},
    {"din", "0 00000000000000000000000000000010\n", "r10"},
    {"lackey", "I  0400d7d4,8\n L 1ffeffe7e,4\n S 1ffeffe80,2\n M 0421c7cc,4\n",
     "f400d7d4+8 r1ffeffe7e+4 w1ffeffe80+2 r421c7cc+4 w421c7cc+4"},
    {"lackey", "==12== Lackey\n==12== \n\n L 10,1\n==12==\nI  20,3\n==12== end",
     "r10 f20+3"},
    {"lackey", "L 10,1\n  S\t 20,2 \nI 30,16\nI\t40,1\n",
     "r10 w20+2 f30+16 f40"},
    {"lackey", " L 10,4 \r\n S 18,4\r\n", "r10+4 w18+4"},
    {"lackey", " L 1,1\n L 2,9\n L 3,10\n L 4,064\n L 5,4294967295\n",
     "r1 r2+9 r3+10 r4+64 r5+4294967295"},
    {"ls", "s 0x1fffff50 1\nl 0x1fffff58 12\n", "w1fffff50 r1fffff58"},
    {"ls", " s  0xA\t1 \r\nl 0xb 0", "wa rb"},
    {"ramulator", "ST 0x1fffff40\n LD  26\r\n", "w1fffff40 r1a"},
    {"id", "0x77ad0 I\n0xff D\n", "f77ad0 rff"},
    {"id", " 0x1\tI \r\n0x2 D", "f1 r2"},
    {"hex", "0x7fffc923c998\n0X1\n", "7fffc923c998 1"},
    {"hex", "ff\n10\n7fffc923c998", "ff 10 7fffc923c998", .told = true},
    {"hex", " 0x1 \r\n\r\n\t0x2\r\n", "1 2"},
    {"lines", "0\n10\n18446744073709551615\n", "0 a ffffffffffffffff"},
    {"lines", "1\n*\n\n* 2\n3\n*", "1 3"},
    {"lines", " 1 \r\n2\r\n\t3", "1 2 3"},
    {"csv", "0\n10\n18446744073709551615\n", "0 a ffffffffffffffff"},
    {"csv", "id\n1\n2\n", "1 2"},
    {"csv", "a\nb\na", "af63dc4c8601ec8c af63df4c8601f1a5 af63dc4c8601ec8c"},
    {"csv", "1\na\n", "1 af63dc4c8601ec8c"},
    {"csv", "7", "7"},
    {"csv", "a", "af63dc4c8601ec8c"},
    {"csv", "1\n18446744073709551616\n", "1 edf2aa6b38fc416d"},
    {"csv", "id\r\n\r\n 1 \r\n\n2", "1 2"},
    {"csv", "id\r1\r2\r\n3\r4", "1 2 3 4"},
    {"csv", "\xef\xbb\xbfid\n1\n", "1"},
    {"csv", "\"id\"\n\"1\"\n\"a\"\n", "1 af63dc4c8601ec8c"},
    {"csv", "1\n\"\n\"\n", "1 af63c74c8601c8dd"},
    {"arc", "1 1 0 0\n100 8 50 7\n", "1 64+8"},
    {"arc", " 1  2\t0 0 \r\n5 1 0 1", "1+2 5"},
    {"arc", "18446744073709551615 1 0 0\n18446744073709551611 5 0 0\n7 0 0 0\n",
     "ffffffffffffffff fffffffffffffffb+5 7+0"},
    {"din", "0 10\n3 20\n", "r10 :2: a label (0 read"},
    {"din", "0 10\n\n9 20\n", "r10 :3: a label (0 read"},
    {"din", "0 1g\n", ":1: a blank or the end of the line"},
    {"din", "0 xyz\n", ":1: a hexadecimal address"},
    {"din", "0\n", ":1: a label (0 read"},
    {"din", "0 ", ":1: a hexadecimal address"},
    {"din", "0 \n10\n", ":1: a hexadecimal address"},
    {"din", "0 0x\n", ":1: a hexadecimal address"},
    {"din", "0 10\n1 10000000000000000\n", "r10 :2: at most 64 bits"},
    {"din", "0 -1\n", ":1: a hexadecimal address"},
    {"din", "00 1\n", ":1: a label (0 read"},
    {"lackey", " L 10,1\n L 10\n", "r10 :2: a comma and a size"},
    {"lackey", " L 10,\n", ":1: a comma and a size of 1"},
    {"lackey", " L 10,0\n", ":1: a comma and a size of 1"},
    {"lackey", " L 10,4294967296\n", ":1: a size of 1 to 4294967295"},
    {"lackey", " L 10,4x\n", ":1: the end of the line"},
    {"lackey", " L ,4\n", ":1: a hexadecimal address"},
    {"lackey", " X 10,4\n", ":1: I, L, S or M"},
    {"lackey", "LL 10,4\n", ":1: I, L, S or M"},
    {"lackey", " L\n", ":1: I, L, S or M"},
    {"lackey", "=12= x\n", ":1: I, L, S or M"},
    {"ls", "l 0x10\n", ":1: a decimal number after"},
    {"ls", "l 10 1\n", ":1: begins with 0x"},
    {"ramulator", "LDX 2\n", ":1: LD or ST, a blank"},
    {"ramulator", "ST 1a\n", ":1: the end of the line"},
    {"ls", "m 0x10 1\n", ":1: l or s"},
    {"ls", "l 0x10 x\n", ":1: a decimal number after"},
    {"ls", "l 0x10 1 2\n", ":1: the end of the line"},
    {"id", "0x10 X\n", ":1: I or D"},
    {"id", "0x10\n", ":1: I or D"},
    {"id", "0x10 IX\n", ":1: the end of the line"},
    {"id", "10 I\n", ":1: begins with 0x"},
    {"hex", "0x10 1\n", ":1: the end of the line"},
    {"hex", "0x\n", ":1: a hexadecimal address"},
    {"hex", "0x1ffffffffffffffff\n", ":1: at most 64 bits"},
    {"lines", "1\n2\nx\n", "1 2 :3: a decimal number"},
    {"lines", "1\r\n2 3\r\n", "1 :2: the end of the line"},
    {"lines", "18446744073709551616\n", ":1: at most 64 bits"},
    {"lines", "-1\n", ":1: a decimal number"},
    {"csv", "1\n\"2\n3\n", ":3: begins in line 2 to be closed"},
    {"csv", "1\n2\"3\n", ":2: quotes around a whole field"},
    {"csv", "id\n1,2\n,3\n", "1 :3: an id in column 1"},
    {"csv", "7,8\n", ":1: --column NAME or N to choose one"},
    {"csv", "a,b\n1,2\n", ":1: of the columns a, b"},
    {"arc", "1 1 0\n", ":1: four decimal numbers"},
    {"arc", "1 1 0 0 0\n", ":1: the end of the line"},
    {"arc", "1 4294967296 0 0\n", ":1: a count of"},
    {"arc", "18446744073709551615 2 0 0\n", ":1: within 64 bits"},
    {"lackey", " L fffffffffffffffe,2\n S fffffffffffffffe,3\n",
     "rfffffffffffffffe+2 :2: ends within 64 bits"},
    {"xdin", "r fffffffffffffffe 2\nr ffffffffffffffff 2\n",
     "rfffffffffffffffe+2 :2: ends within 64 bits"},
    {"hex", "0x1\n\x01\x7f\xff\n", "1 :2: a hexadecimal address"},
    {"lines",
     "1\nxaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
     "1 :2: a decimal number"},

    /* Of processors' simulators. */
    {"pinatrace", "0x401136: R 0x10\n0x40113a: W 0xFF\n#eof\n",
     "r10@401136 wff@40113a"},
    {"pinatrace",
     "#\n# Memory Access Trace\n#\r\n 0x1: R  0x2  8  0x3\r\n0x4:\tW 0x5",
     "r2@1 w5@4"},
    {"pinatrace", "0x1: R 0x2\n0x1: X 0x2\n",
     "r2@1 :2: 0xADDR of an instruction,"},
    {"pinatrace", "0x1: R 2\n", ":1: an address"},
    {"pinatrace", "1: R 0x2\n", ":1: 0xADDR of"},
    {"pinatrace", "0x1 R 0x2\n", ":1: 0xADDR of an instruction,"},
    {"pinatrace", "0x1: R\n0x2\n", ":1: 0xADDR of an instruction,"},
    {"pinatrace", "0x1: R 0x2x\n", ":1: a blank or the end of the"},
    {"pinatrace", "0x11112222333344445: R 0x2\n",
     ":1: 0xADDR of an instruction,"},
    {"xdin", "r 10 4\nw 0x20 0X8\ni 30 10\nm 40 1\nc 0 0\n",
     "r10+4 w20+8 f30+16 r40 :5: a blank and a size"},
    {"xdin", "r 10 4\nw 0x20 0X8\ni 30 10\nm 40 1\nc 0 1\nv 50 1 x\n",
     "r10+4 w20+8 f30+16 r40"},
    {"xdin", " r\t10  ffffffff  a comment\r\n\nr 1 1", "r10+4294967295 r1"},
    {"xdin", "r 10\n", ":1: a blank and a size"},
    {"xdin", "r 10\n4\n", ":1: a blank and a size"},
    {"xdin", "r 10 100000000\n", ":1: a blank and a size of 1 to"},
    {"xdin", "r 10 0\n", ":1: a blank and a size of 1 to"},
    {"xdin", "r 10 4x\n", ":1: a blank or the end of the"},
    {"xdin", "r x 4\n", ":1: a hexadecimal"},
    {"xdin", "R 10 4\n", ":1: r, w, i, m, c or v"},
    {"xdin", "0 10 4\n", ":1: r, w, i, m, c or v, an"},
    {"perf-script",
     "prog  12 [001] 7.5:  1 cpu/mem-loads,ldlat=30/P:  7ffe10 "
     "401136 main+0x6 (/bin/prog)\n",
     "r7ffe10@401136"},
    {"perf-script", "a b 12/13 7.5: mem-stores: 7ffe10 401136 f (/bin/prog)\n",
     "w7ffe10@401136"},
    {"perf-script", "# captured on: today\n  7ffe10 401136 add (/p)\n\n20 30\n",
     "r7ffe10@401136 r20@30", .told = true},
    {"perf-script",
     "p 1 7.5: 1 mem:P: 10 68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 "
     "hit|LCK No|BLK  N/A  7  401136 main+0x6 (/p)\n"
     "p 1 7.5: 1 mem:P: 18 68100142 |OP STORE|LVL L1 hit|LCK No 401140 f (/p)\n"
     "p 1 7.5: 1 mem:P: 20 1 |OP EXEC|LVL N/A 20 f (/p)\n",
     "r10@401136 w18@401140 f20@20"},
    {"perf-script", "p 1 7.5: e: 0 401136 f\np 1 7.6: e: 8 40113a f\n",
     "r8@40113a"},
    {"perf-script", "p 1 7.5: e: 401136\n", ":1: a sample of perf script"},
    {"perf-script", "p 1 7.5: e: 401136 main\n", ":1: a sample of perf script"},
    {"perf-script", "p 1 7.5: e: 10 1 |OP LOAD|LCK No\n",
     ":1: a sample of perf script"},
    {"perf-script", "p 1 7.5: e:\n10 20\n", ":1: a sample of perf script"},
    {"perf-script", "p 1 7.5: 1 cycles:u:  401136 main+0x6 (/p)\n",
     ":1: a sample of perf script"},

    /* Tables, and logs. */
    /* The device stands above 48 bits: a number as it is, a name hashed. */
    {"alibaba",
     "419,W,8792731648,16384,1577808000000046\n"
     "725,R,4096,512,1577808001999999\n",
     "s1a300020c167000+16384#16384@1577808000.000046 "
     "g2d5000000001000+512#512@1577808001.999999"},
    {"tencent", "1538323200,16,8,0,3\n1538323201,17,1,1,3\n",
     "g3000000002000+4096#4096@1538323200 s3000000002200+512#512@1538323201"},
    {"tencent", "1538323200,8192,4096,0,3\n",
     "g3000000002000+4096#4096@1538323200", .unit_bytes = 1},
    {"tencent", "Timestamp,Offset,Size,IOType,VolumeID\n1,0,0,1,0\n",
     "s0+0#0@1", .told = true},
    {"meta-block",
     "# block_id io_offset io_size op_time op_name user op_count\n"
     "28 65536 4096 1570.99 1 3 2\n29  0 8 1571 putChunk.temp 3 1\n",
     "g70010000+4096#4096@1570.99 g70010000+4096#4096@1570.99 "
     "s74000000+8#8@1571"},
    {"meta-block",
     "op_time,block_id,block_id_size,io_size,io_offset,op_name\n"
     "7,1,4,16,32,getChunkData.permanent\n",
     "g4000020+16#16@7"},
    {"fiu", "1000000000 4892 kjournald 16 8 W 6 0 3a1f\n",
     "s9941000000002000+4096#4096@1"},
    {"biosnoop",
     "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n"
     "0.2 sh 7 8 W 16 4096 0.7\n12.5 a b 7 8 RA 17 512 0.7\n"
     "13 7 8 W 18446744073709551615 0 0.7\n14 7 8 FF 1 0 .7\n"
     "15 sh 7 R 16 512 .7 .1\n16 a b 7 R 16 512 .7\n",
     "s8000000002000+4096#4096@0.2 g8000000002200+512#512@12.5 "
     "g2325000000002000+512#512@15 g2325000000002000+512#512@16"},
    {"twitter",
     "0,12,2,213,4,get,0\n1,12,2,0,4,set,60\n2,12,2,0,4,delete,0\n"
     "3,12,2,7,4,prepend,1\n",
     "gc#215@0 sc#2@1~60 dc#2@2 sc#9@3~1"},
    {"meta-kv",
     "key,op,size,op_count,key_size\n7,GET,5,3,2\n8,DELETE,0,1,2\n"
     "9,SET_LEASE,1,0,2\n7,get_lease,5,1,2\n",
     "g7#7 g7#7 g7#7 d8#2 g7#7"},
    {"meta-kv",
     "op_time,key,key_size,op,op_count,size,cache_hits,ttl\n"
     "10,7,1,SET,1,5,0,30\n11,7,1,GET,1,5,1,-1\n12,7,1,GET,1,5,1,\n",
     "s7#6@10~30 g7#6@11 g7#6@12"},
    {"meta-cdn",
     "timestamp,cacheKey,OpType,objectSize,responseSize,TTL\n"
     "1678800000,5,1,100,10,60\n1678800001999,6,1,7,7,0\n",
     "g5#100@1678800000~60 g6#7@1678800001.999"},
    {"wiki",
     "relative_unix\thashed_path_query\timage_type\tresponse_size\tfirst\n"
     "5\t83\tjpeg\t9665\t1.8E-4\n",
     "53#9665@5"},
    {"wiki", "5\t83\t9665\t1.8E-4\n", "53#9665@5"},
    {"wiki", "12\t\ttext\t99\t0.1\n", ":1: an id in column 2 of the"},
    {"webcachesim", "1 0 68\n 2\t1   7454 \r\n3 0 68 9 9\n",
     "0#68@1 1#7454@2 0#68@3", .told = true},
    {"ibm-cos",
     "1999 REST.PUT.OBJECT 12 1056\n2000 REST.GET.OBJECT 12 1056 0 1055\n"
     "3000 REST.DELETE.OBJECT 12\n",
     "sc#1056@1.999 gc#1056@2 dc#0@3"},
    {"blkparse",
     "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n"
     "  8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]\n"
     "  8,16   0        1     1.999999999   12  Q  RA 0 + 16 [cat x]\n"
     "  8,0    0        3     2.0     0  m   N cfq697 insert\n"
     "  8,0 0 4 2.5 1 Q FN [sync]\n"
     "CPU0 (8,0):\n"
     " Reads Queued:           1,        8KiB\n",
     "s4753000006d20400+4096#4096@0 g3de2000000000000+8192#8192@1.999999"},
    {"redis",
     "OK\n"
     "1339518083.107412 [0 127.0.0.1:60866] \"keys\" \"*\"\n"
     "1339518084.5 [0 127.0.0.1:60866] \"SET\" \"42\" \"a \\\"b\\\"\"\n"
     "1339518085.0 [1 lua] \"get\" \"k\\x41\"\n"
     "1339518086.0 [0 unix:/s] \"mget\" \"42\" \"7\" \"a\"\n"
     "1339518086.1 [0 unix:/s] \"mset\" \"42\" \"x\" \"7\" \"y\"\n"
     "1339518087.1 [0 unix:/s] \"unlink\" \"7\"\n",
     "s2a@1339518084.5 gae11eaf1e4b847c4@1339518085 g2a@1339518086 "
     "g7@1339518086 "
     "gaf63dc4c8601ec8c@1339518086 s2a@1339518086.1 s7@1339518086.1 "
     "d7@1339518087.1"},
    {"clf",
     "10.0.0.1 - joe [10/Oct/2000:13:55:36 -0700] \"GET /a?b=1 HTTP/1.0\" 200 "
     "2326\n"
     "::1 - - [01/Jan/1970:00:00:00 +0000] \"DELETE /a\\\"c HTTP/1.1\" 204 - "
     "\"-\" \"x \\\" y\"\n"
     "1 - - [29/Feb/2024:23:59:60 +0100] \"-\" 408 0\n",
     "g2dfe30f746383746#2326@971211336 d7daf80473dd19950#0@0 "
     "gaf63a04c86018698#0@1709247600"},
    {"blkparse", "CPU0 (8,0):\n", ":1: a line of"},
    {"blkparse", "8,0 3 1 0.0 697 Q W 223490 x 8\n", ":1: a line of blk"},
    {"blkparse", "8,0 3 1 0.0 697 Q W 0 + 8388608\n", ":1: a request"},
    {"blkparse", "8,0 3 1 0.0 697 Q W 549755813888 + 1\n",
     ":1: an offset below 2^48"},
    {"redis", "18446744073710.0 [0 a] \"get\" \"k\"\n",
     ":1: a time of at most"},
    {"redis", "1.0 [0 a] get \"k\"\n", ":1: a line of MONITOR: TIME"},
    {"redis", "1.0 [0 a] \"get\" \"k\n", ":1: a line of MONITOR"},
    {"redis", "1.0 [0 a] \"get\" \"k\" x\n", ":1: a line of MONITOR"},
    {"clf", "1 - - [29/Feb/2024:23:59:60 +0100] \"-\" 408 x\n",
     ":1: a size in decimal in 'size'"},
    {"clf", "1 - - [29/Fez/2024:23:59:60 +0100] \"-\" 408 1\n",
     ":1: a time in decimal in"},
    {"clf", "1 - - [29/Feb/2024:23:59:60 +0100] - 408 1\n",
     ":1: a line like * [<time>] \"<http>\" <status> <size>"},
    {"clf", "1 - - [29/Feb/2024:23:59:60 +0100] \"-\" x 1\n",
     ":1: a status of HTTP in 'status'"},
    /* A request without a text is one, too. */
    {"clf",
     "h - - [01/Jan/1970:00:00:00 +0000] \"\" 400 0\n"
     "h:80 c - - [01/Jan/1970:00:00:01 +0000] \"PROPFIND  /a\" 207 7\n"
     "h - - [01/Jan/1970:00:00:02 +0000] \"HEAD /a HTTP/1.0\" 200 9\n"
     "h - - [01/Jan/1970:00:00:03 +0000] \"GET /a HTTP/1.0\" 206 9\n"
     "h - - [01/Jan/1970:00:00:04 +0000] \"PURGE /a HTTP/1.0\" 200 9\n",
     "gcbf29ce484222325#0@0 g7d66707b49cd92d#7@1 g7d66707b49cd92d#7@2 "
     "g7d66707b49cd92d#7@3 d7d66707b49cd92d#9@4"},
    {"s3",
     "o b [01/Jan/1970:00:00:07 +0000] i q r REST.PUT.OBJECT k \"PUT /b/k\" "
     "200 - - 9 8\n"
     "o b [01/Jan/1970:00:00:08 +0000] i q r REST.GET.ACL - \"GET /b\" 200 - "
     "5 - 8\n"
     "o b [01/Jan/1970:00:00:09 +0000] i q r BATCH.DELETE.OBJECT k \"-\" 204 "
     "- - 9 -\n",
     "sffcf3d1912deb95c#9@7 dffcf3d1912deb95c#9@9"},
    {"msr", "128166372003061629,hm,1,Read,2,3,4\n",
     "g481000000000002+3#3@12816637200.306162"},
    {"msr", "1,hm,1,Scan,2,3,4\n", ":1: an operation (read write) in column 4"},
    {"msr", "1,hm,1,Read,2,3,4\n1,hm,1,Read,x,3,4\n1,hm,1,Read,2\n",
     "g481000000000002+3#3@0 :2: an offset in decimal in column 5"},
    {"msr", "1,hm,1,Read,2,3,4\n1,hm,1,Read,2\n",
     "g481000000000002+3#3@0 :2: a size in decimal in column 6 (the row has 5 "
     "columns)"},
    {"msr", "1,hm,1,Read,2,3\n", ":1: 7 c"},
    {"msr", "1,hm,1,Read,2,3,4\n1,hm,,Read,2,3,4\n",
     "g481000000000002+3#3@0 :2: a device in column 3 (the row has 7 columns)"},
    {"alibaba", "1,R,0,1,2\n,R,0,1,2\n",
     "g1000000000000#1@2e-06 :2: a device in column 1"},
    {"alibaba", "1,R,281474976710656,1,2\n",
     ":1: an id below 2^48, as the device stands above it"},
    {"alibaba", "1,R,281474976710655,2,2\n", ":1: an id below 2^48"},
    {"alibaba", "1,R,0,4294967296,2\n", ":1: a length below 4294967296 bytes"},
    {"tencent", "1,36028797018963968,1,0,0\n", ":1: an offset below 2^64"},
    {"twitter", "0,k,1,2,3,get,0\n0,k,18446744073709551615,2,3,get,0\n",
     "gaf63e64c8601fd8a#3@0 :2: sizes that are below 2^64"},
    {"twitter", "0,k,1,2,3,get,x\n", ":1: a time to live in decimal"},
    {"twitter", "zero,k,1,2,3,get,0\n", ":1: a time in decimal in col"},
    {"webcachesim", "1 2\n", ":1: 3 columns or more"},
    {"wiki", "host\tquery\ttype\tbytes\tcache\n5\t83\tjpeg\t9665\t1\n",
     ":1: names of columns that are known, or none, as those of 5 columns may "
     "mean id=2,size=4,time=1 or id=1+2,size=4"},
    {"wiki", "1\t2\n", ":1: or 5 columns, or 4 columns"},
    {"meta-kv", "key,op,size\n", ":1: a header with the columns of id=key,"},
    {"meta-kv", "key,op,size,op_count,key_size\n7,GET,5,65536,2\n",
     ":2: a count of at most 65535"},

    /* --column. */
    {NULL, "1,7,5\n2,8,0\n", "7#5 8#0", "id=2,size=3"},
    {NULL, "a,b,c\n1,7,5\n", "7#5", "id=b,size=c"},
    {NULL, "a,b,c\n1,7,5\n", "7#5", "id=2,size=3"},
    {NULL, "1,7,5\n", "7#6", "id=2,size=1+3"},
    {NULL, "a,b,c\n1,7,5\n", "7#10", "size=c+c,id=b"},
    {NULL, "7,GET\n8,set\n7,Delete\n9,2a\n9,R\n", "g7 s8 d7 s9 g9",
     "id=1,op=2"},
    {NULL, "7,get,12.75,\n8,set,13,60\n", "g7@12.75 s8@13~60",
     "id=1,op=2,time=3,ttl=4"},
    {NULL, "7,3\n8,0\n9,1\n", "7 7 7 9", "id=1,count=2"},
    {NULL, "7,0\n8,512\n9,513\n", "7#0 8#512 9+2#513", "id=1,size=2",
     .unit_bytes = 512},
    {NULL, "0,7\n3,7\nhm,7\n", "7 3000000000007 bd0e000000000007",
     "id=2,device=1"},
    {NULL, "  7\t 5\n8  6  9\n", "7#5 8#6", "id=1,size=2", .delimiter = '\2'},
    {NULL, "7,1099511627776\n", "7#1099511627776", "id=1,size=2"},
    {NULL, "7,5\n8,\n9,-\n8,3\n", "7#5 8#3 9#0 8#3", "id=1,size=2"},
    {NULL, "7,5\n8\n",
     "7#5 :2: a size in decimal in column 2 (the row has 1 column)",
     "id=1,size=2"},
    {NULL, "18446744073709551615,1\n", ":1: below 2^64 - 1 tog",
     "id=1,size=1+2"},
    {NULL, "7,get\n8,zap\n", "g7 :2: an oper", "id=1,op=2"},
    {NULL, "7,1\n8,1.x\n", "7@1 :2: a time in decimal, or a date, in column 2",
     "id=1,time=2"},
    {NULL, "7,0.0000019\n8,99999999999\n9,100000000000\n",
     "7@1e-06 8@99999999999 9@100000000", "id=1,time=2"},
    {NULL, "a,b\n7,5\n", ":1: a column named 'x' among a, b", "id=x,size=b"},
    {NULL, "1,281474976710656\n", ":1: an id below 2^48", "id=2,device=1"},
    {NULL, "7,4294967296\n", ":1: at most 4294967295 units", "id=1,size=2",
     .unit_bytes = 1},
    {NULL, "", "--column: 'siz=2' (expected id=", "id=1,siz=2"},
    {NULL, "", "--column: 'id=' without a column", "id="},
    {NULL, "", "--column: no id=", "size=1"},
    {NULL, "", "--column: id= twice", "id=1,id=2"},
    {NULL, "", "--column: op= of several columns", "id=1,op=2+3"},
    {NULL, "", "too many columns", "id=1+2+3+4+5+6+7+8+9+10+11+12+13"},
    /* One column: ids, headers, and quotes. */
    {NULL, "a,b,c\n1,2,3\n4,5,6\n", "2 5", "b"},
    {NULL, "a,\"b c\"\n1,2\n", "2", "b c"},
    {NULL, "a,b,c\n1,2,3\n4,5,6\n", "3 6", "3"},
    {NULL, "1,2\n4,5\n", "1 4", "1"},
    {NULL, "a,a\n1,2\n", ":1: one column named 'a', not 1 and 2", "a"},
    {NULL, "2,a,2\n5,6,7\n", "af63dc4c8601ec8c 6", "2"}, /* by its number */
    {NULL, "a,b\nx,y\n", "af63f54c86021707", "a"}, /* a name means a header */
    {NULL, "a,b\nx,y\n", "af63dc4c8601ec8c af63f54c86021707", "1"},
    {NULL, "a,b\nx,7\n", "af63f54c86021707", "1"},
    {NULL, "1,2\n3,4,5\n6,7\n", "2 4 7", "2"}, /* rows of other lengths */
    {NULL, ",b\n7,8\n", "7", "1"},             /* a header that lacks a name */
    {NULL, "a;b\n1;2\n", "2", "2", .delimiter = ';'},
    {NULL, "1\t2\n", "2", "2", .delimiter = '\t'},
    {NULL, "1 2\n3 4\n", "2 4", "2", .delimiter = ' '},
    {NULL, "1\n2\n", "1 2", .delimiter = ';'},
    {NULL, "", "", "a"},
    {NULL, "a,b\n", "", "a"},
    {NULL, "id\n", "", "1"}, /* an empty trace as it is written */
    {NULL, "ab\n", "89c4407b545986a", "1"}, /* any other key alone */
    {NULL, "a,b\n1,2\n", ":1: a col", "d"},
    {NULL, "1,2\n3,4\n", ":1: an id in column 3 of the first row", "3"},
    {NULL, "\na,b\nc,d\n", ":2: an id in column 3 of the first row", "3"},
    {NULL, "1,2\n3\n", "2 :2: an id in column 2 (the row has 1 column)", "2"},
    {NULL, "1", ":1: an id", "2"},
    {NULL, "1,2\n", ":1: a column named '0'", "0"}, /* column 0 is a name */
    {NULL, "\"1,2\",3\n", "3", "2"},
    {NULL, "\"1,2,3\n", "2", "2", .quote = MARGAY_NO_QUOTE},
    {NULL, "\"GET 7\" a\"b\n\" 9\" \"\n", "7f21407b4b4c6dc 8141407b4d1ad42",
     "2", .delimiter = ' ', .quote = MARGAY_NO_QUOTE},
    {NULL, "1\n2\n", "1 2", .quote = MARGAY_NO_QUOTE},
    {NULL, "'1,2',3\n", "3", "2", .quote = '\''},
    {NULL, "'1'',2',3\n'4',5\n", "8f6344f1421b12df 4", "1", .quote = '\''},
    {NULL, "4,5\n\"6,7\n", "4 7cc8207b494b289", "1", .quote = '\''},
    {NULL, "1,2\n\"3,4\n", ":2: to be closed", "1"},
    {NULL, "1,2\n3\"3,4\n", ":2: --quote none takes", "1"},
    {NULL, "1;2\n", "are both ';'", "1", .delimiter = ';', .quote = ';'},
    {NULL, "1,2\n", "are both ','", "1", .quote = ','},

/* Lines by names. */
#ifdef MARGAY_HAS_YAJL
    {"jsonl", "{\"a\":{\"b\":1},\"n\":2}\n{\"a\":{\"c\":1},\"n\":2}\n",
     "1#2 :2: an id in 'a.b', which the line lacks", "id=a.b,size=n"},
    {"jsonl", "{\"a\":1,\"n\":\"x\"}\n", ":1: a size in decimal in 'n'",
     "id=a,size=n"},
    {"jsonl", "{\"a\":1,\"n\":2}\n{\"b\":1}\n{\"a\":3}\n", "1#2 3#0",
     "id=a?,size=n?"},
    {"jsonl", "{\"a\":1,\"b\":{\"c\":2}}\n",
     ":1: --column id=NAME,... to choose among the names a, b.c"},
    {"jsonl", "{\"a\":1\n}\n", ":1: an object in JSON, whole", "id=a"},
    {"jsonl", "{\"a\":1}{\"a\":2}\n", ":1: whole on its line", "id=a"},
    {"jsonl", "[1]\n", ":1: whole on its line", "id=a"},
    {"jsonl", "1\n", ":1: whole on its line", "id=a"},
    {"jsonl", "{\"a\":{\"b\":1}}\n",
     ":1: an id in 'a', which the line lacks; its names are a.b", "id=a"},
    {"jsonl", "{\"a\":1}\n{\"a\":[1,2]}\n", "1 :2: one id, and no list",
     "id=a"},
    {"jsonl", "{\"a\":[1,2]}\n{\"a\":3}\n", "0:1 0:2 1:3", "id=a"},
    {"jsonl", "{\"a\":[[1]]}\n", ":1: numbers or texts in the list", "id=a"},
    {"jsonl", "{\"a\":[1,2],\"n\":3}\n", "0:1 0:1 0:1 0:2 0:2 0:2",
     "id=a,count=n"},
    {"jsonl", "{\"a.b\":4}\n", "4", "id=a.b"},
    {"jsonl", "{\"x\":" DEEP("{\"x\":") "1" DEEP("}") ",\"a\":5}\n", "5",
     "id=a"},
#else
    {"jsonl", "{\"a\":1}\n", ":1: a Margay that was built with yajl", "id=a"},
#endif
    {"logfmt",
     "\xef\xbb\xbf"
     "a=1\na=2\n",
     "1 2", "id=a"},
    {"logfmt", "\xef\xbb", ":1: an id in 'a'", "id=a"},
    {"logfmt", "r=\"GET 7 H\" n=1 s=200 t=1\nr=\"PUT 8\" n=1 s=x t=1\n",
     "g7#1@1 :2: a status of HTTP", "http=r,size=n,status=s,time=t"},
    {"logfmt", "", "both op= and http=", "http=r,op=s"},
    {"logfmt", "", "http= and id= or", "http=r,id=s"},
    {"logfmt", "a=\"1\n", ":1: a quotation mark that ends", "id=a"},
    {"logfmt", "a=1 b=2\nb=2\n", "1 :2: an id in 'a', which the line lacks",
     "id=a"},
    {"logfmt", "a=1 o=fly\n", ":1: an operation (get gets", "id=a,op=o"},
    {"w3c", "1 2\n", ":1: a line '#Fields: NAME ...'", "id=a"},
    {"w3c", "#Fields: a b\n1\n", ":2: as many fields as", "id=a"},
    {"w3c", "#Fields: a b\n1 2 3\n", ":2: as many fields as", "id=a"},
    {"w3c", "#Fields: a b\n1 2\n", ":2: an id in 'c', which the line lacks",
     "id=c"},
    {"w3c", "#Fields: a b\n1 2\n1 3\n", "2000000000001 3000000000001",
     "id=a,device=b"},
    {"w3c", "", "no id=", "size=a"},
#ifdef MARGAY_HAS_PCRE2
    {"regex", "1\nx\n", "1 :2: a line that matches the pattern",
     .pattern = "^(?<id>\\d+)$"},
    {"regex", "\t\t4 \r\n  \n\t3\t5 ", "4 5",
     .pattern = "^\t\\d?\t(?<id>\\d+) $"},
    {"regex", "1\n", "takes --pattern", "id=a"},
    {"regex", "1\n", "missing closing parenthesis, after 6 bytes",
     .pattern = "(?<id>"},
    {"regex", "1\n", "no id=", .pattern = "(?<size>.)"},
    {"regex", "1\n", "no group 'q'", "id=q", .pattern = "(?<id>.)"},
    {"regex", "1\n", "no group '2'", "id=2", .pattern = "(?<id>.)"},
    {"csv", "1\n", "for the format regex, not for csv", .pattern = "(?<id>.)"},
    {"regex", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\n",
     ":1: takes less trying to match", .pattern = "^(?<id>(?:a+)+)+$"},
#else
    {"regex", "1\n", "built with PCRE2", .pattern = "(?<id>.)"},
#endif

    /* Of systems. */
    {"fio", "fio version 3 iolog\n1999999 /a read 0 1\n",
     "gcd92d00000000000#1@1.999999"},
    {"fio", "fio version 1 iolog\n", ":1: 'fio version 2 iolog' or"},
    {"fio", "fio version 2 iolog\n/a read 0\n",
     ":2: [MICROSECONDS] FILE ACTION"},
    {"fio", "fio version 3 iolog\n/a read 0 1\n",
     ":2: [MICROSECONDS] FILE ACTION"},
    {"fio", "fio version 2 iolog\n/a eat 0 1\n", ":2: an action of fio: read"},
    {"fio", "fio version 2 iolog\n/a read 17592186044416 1\n",
     ":2: below 2^44"},
    {"fio", "fio version 2 iolog\n/a read 0 4294967296\n",
     ":2: a request below"},
    {"filemap", "a-1 [0] 72.531607: mm_filemap_fault: dev=8:1 ino=5 ofs=0-8\n",
     "gebfe900000000000+9#9@72.531607"},
    {"filemap", "x: mm_filemap_fault: dev=8:1 ino=5\n", ":1: dev MAJOR:MINOR"},
    {"filemap", "x: mm_filemap_fault: dev=8:1 ino=5 ofs=9-8\n",
     ":1: dev MAJOR"},
    {"filemap", "x: mm_filemap_fault: dev=8:1 ino=5 ofs=0 order=60\n",
     ":1: dev M"},
    {"strace", "read(3, \"\", 4) = 4\n", ":1: of strace -y"},
    {"strace", "read(3</a>, \"\", 4\n", ":1: of strace -y"},
    {"strace", "pread64(3</a>, \"\", x) = 4\n", ":1: an offset in the end"},
    {"memcached",
     "OK\nts=1.2 gid=1 type=item_get key=a status=not_found clsid=0 cfd=3 "
     "size=0\nts=1.9 gid=2 type=item_store key=7 status=stored cmd=set ttl=5 "
     "clsid=1 cfd=3 size=2\nts=2.0 gid=3 type=conn_close rip=1\n",
     "gaf63dc4c8601ec8c#0@1.2 s7#2@1.9~5"},
    {"memcached", "ts=x gid=1 type=item_get key=a size=1\n", ":1: in 'ts'"},
    {"rocksdb",
     "9000000,1,9,4096,0,default,2,7,1,0,5\n"
     "9000001,2,7,100,0,default,2,7,1,0,5\n",
     "1#4096@9 2#100@9.000001"},

#ifdef MARGAY_HAS_YAJL
    /* Requests to language models. */
    {"mooncake",
     "{\"timestamp\": 0, \"input_length\": 9, \"output_length\": 5, "
     "\"hash_ids\": [46, 47]}\n"
     "{\"timestamp\": 7, \"hash_ids\": [46, 2353], \"x\": 1}\n",
     "0:2e 0:2f 1:2e 1:931"},
    {"mooncake", "{\"hash_ids\":[]}{\"hash_ids\":[7]}", "1:7"},
    {"mooncake", "\n {\"hash_ids\":\r\n [1,\n2] }\n\n", "0:1 0:2"},
    {"mooncake",
     "{\"hash_ids\":[18446744073709551615,-1,-9223372036854775808,0]}",
     "0:ffffffffffffffff 0:ffffffffffffffff 0:8000000000000000 0:0"},
    {"mooncake", "{\"hash_ids\":[\"a\"]}", "0:af63dc4c8601ec8c"},
    {"mooncake",
     "{\"a\":{\"hash_ids\":[1],\"b\":[[2]]},\"c\":[3,{\"d\":null}],"
     "\"e\":true,\"f\":\"g\",\"hash_ids\":[4]}",
     "0:4"},
    {"mooncake", "", ""},
    {"mooncake", "{\"hash_ids\":[1],\"input_length\":\"5\"}",
     ":1: a whole number of tokens"},
    {"mooncake", "{\"hash_ids\":[1],\"input_length\":-1}",
     ":1: a whole number of tokens"},
    {"mooncake",
     "{\"hash_ids\":[1],\"block_size\":16}"
     "{\"hash_ids\":[1],\"block_size\":32}",
     "0:1 :1: as many tokens in a block as before"},
    {"mooncake", "{\"hash_ids\":[1]}\n{\"hash_ids\":[2,3.5]}",
     "0:1 :2: a whole number of 64 bits"},
    {"mooncake", "{\"hash_ids\":[18446744073709551616]}",
     ":1: a whole number of 64 bits"},
    {"mooncake", "{\"hash_ids\":[-9223372036854775809]}",
     ":1: a whole number of 64 bits"},
    {"mooncake", "{\"hash_ids\":[1,[2]]}", ":1: a whole number"},
    {"mooncake", "{\"hash_ids\":[1,{\"a\":2}]}", ":1: a whole number"},
    {"mooncake", "{\"hash_ids\":[null]}", ":1: a whole number"},
    {"mooncake", "{\"hash_ids\":7}", ":1: a list of block ids"},
    {"mooncake", "{\"hash_ids\":{\"a\":[1]}}", ":1: a list of block ids"},
    {"mooncake", "{\"hash_ids\":[1],\"hash_ids\":[2]}",
     ":1: one list of block ids in an object"},
    {"mooncake", "{\"hash_ids\":[1]}\n\n{\"ids\":[2]}",
     "0:1 :3: an object with \"hash_ids\""},
    {"mooncake", "[{\"hash_ids\":[1]}]", ":1: an object with \"hash_ids\""},
    {"mooncake", "7\n", ":1: an object with \"hash_ids\""},
    {"mooncake", "{\"hash_ids\":[1]}\n{\"hash_ids\":[2}",
     "0:1 :2: objects in JSON"},
    {"mooncake", "{\"hash_ids\":[1,2", ":1: objects in JSON"},
#endif
};

/* Where ":LINE:" stands; NULL = nowhere. */
static const char *find_place(const char *text)
{
    for (const char *at = text; (at = strchr(at, ':')) != NULL; at++) {
        if ((at == text || at[-1] == ' ') && isdigit((unsigned char)at[1]))
            return at;
    }
    return NULL;
}

/* Is `found`, "'LINE', expected ...", a line of the text?  The line may be cut,
   and unprintable characters are question marks; where something else was found
   than a line, it is. */
static bool is_line(const char *found, const char *text, unsigned long number)
{
    if (*found++ != '\'')
        return true;
    for (; number > 1 && strchr(text, '\n') != NULL; number--)
        text = strchr(text, '\n') + 1;
    if (*found != ' ')
        text += strspn(text, " \t");
    while (strncmp(found, "',", 2) != 0 && strncmp(found, "...'", 4) != 0) {
        if (*text == '\0' || (*found != '?' && *found != *text))
            return false;
        found++, text++;
    }
    return true;
}

/* Are the references and the place those of the outcome, and is what it expects
   expected? */
static bool is_outcome(const struct sample *sample, const char *shown)
{
    const char *place = find_place(sample->outcome);
    const char *got = find_place(shown);
    if (strcmp(shown, sample->outcome) == 0)
        return true;
    if (place == NULL || got == NULL)
        return place == got && sample->outcome[0] != '\0' &&
               strstr(shown, sample->outcome) != NULL;
    const char *wanted = strchr(place + 1, ':') + 2;
    const char *found = strstr(got, ": found ");
    const char *expected = strstr(got, ", expected ");
    return strncmp(shown, sample->outcome,
                   (size_t)(wanted - 1 - sample->outcome)) == 0 &&
           found != NULL && expected != NULL && strchr(got, '\n') == NULL &&
           strstr(expected, wanted) != NULL &&
           is_line(found + 8, sample->text, strtoul(got + 1, NULL, 10));
}

/* The references are the same without -f, except for csv, which needs the name
   of a file. */
static void check_detected(const struct sample *sample)
{
    const struct margay_trace_options usual = MARGAY_TRACE_OPTIONS_DEFAULT;
    if (sample->format != NULL && strcmp(sample->format, "csv") != 0 &&
        !sample->told && sample->column == NULL && sample->unit_bytes == 0 &&
        sample->pattern == NULL && find_place(sample->outcome) == NULL)
        CHECK_TEXT(
            show_bytes("trace", &usual, sample->text, strlen(sample->text)),
            sample->outcome, "it is %s", sample->format);
}

int main(void)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *sample = &samples[i];
        struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
        options.format = sample->format;
        options.column = sample->column;
        options.delimiter = sample->delimiter;
        options.quote = sample->quote;
        options.unit_bytes = sample->unit_bytes;
        options.pattern = sample->pattern;
        const char *shown =
            show_bytes("trace", &options, sample->text, strlen(sample->text));
        if (!CHECK(is_outcome(sample, shown), "%s, text %zu",
                   sample->format == NULL ? "any" : sample->format, i))
            printf("#   %s\n#   expected %s\n", shown, sample->outcome);
        check_detected(sample);
    }
    return tap_done();
}
