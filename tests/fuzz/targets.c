/* targets.c - the table of targets */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static const struct fuzz_target targets[] = {
    {"din", fuzz_trace},
    {"lackey", fuzz_trace},
    {"ls", fuzz_trace},
    {"id", fuzz_trace},
    {"hex", fuzz_trace},
    {"u32", fuzz_trace},
    {"u64", fuzz_trace},
    {"u32be", fuzz_trace},
    {"u64be", fuzz_trace},
    {"lines", fuzz_trace},
    {"arc", fuzz_trace},
    {"csv", fuzz_trace},
    {"oracle", fuzz_trace},
    {"vscsi", fuzz_trace},
    {"mgt", fuzz_trace},
    {"lcs", fuzz_trace},
#ifdef MARGAY_HAS_YAJL
    {"mooncake", fuzz_trace},
    {"jsonl", fuzz_trace},
#endif
    {"logfmt", fuzz_trace},
    {"memcached", fuzz_trace},
    {"fio", fuzz_trace},
    {"strace", fuzz_trace},
    {"filemap", fuzz_trace},
    {"rocksdb", fuzz_trace},
    {"w3c", fuzz_trace},
#ifdef MARGAY_HAS_PCRE2
    {"regex", fuzz_trace},
#endif
    {"pinatrace", fuzz_trace},
    {"xdin", fuzz_trace},
    {"perf-script", fuzz_trace},
    {"champsim", fuzz_trace},
    {"drmemtrace", fuzz_trace},
    {"gem5", fuzz_trace},
    {"blkparse", fuzz_trace},
    {"redis", fuzz_trace},
    {"clf", fuzz_trace},
    {"s3", fuzz_trace},
    {"msr", fuzz_trace},
    {"alibaba", fuzz_trace},
    {"tencent", fuzz_trace},
    {"meta-block", fuzz_trace},
    {"fiu", fuzz_trace},
    {"twitter", fuzz_trace},
    {"meta-kv", fuzz_trace},
    {"meta-cdn", fuzz_trace},
    {"wiki", fuzz_trace},
    {"webcachesim", fuzz_trace},
    {"ibm-cos", fuzz_trace},
    {"detect", fuzz_trace},
    {"compressed", fuzz_compressed},
    {"options", fuzz_options},
    {"specs", fuzz_specs},
    {"histogram", fuzz_histogram},
    {"regions", fuzz_regions},
    {"report", fuzz_report},
    {"model", fuzz_model},
    {"words", fuzz_trace},
    {"receiver", fuzz_capture},
    {"optimum", fuzz_optimum},
};

const struct fuzz_target *fuzz_at(size_t index)
{
    return index < sizeof targets / sizeof *targets ? &targets[index] : NULL;
}

const struct fuzz_target *fuzz_find(const char *name)
{
    const struct fuzz_target *target;
    for (size_t i = 0; (target = fuzz_at(i)) != NULL; i++) {
        if (strcmp(target->name, name) == 0)
            return target;
    }
    return NULL;
}

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}
