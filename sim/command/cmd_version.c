/* cmd_version.c - margay version */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>

#include "sim/annotate/annotate.h"
#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/record/record.h"
#include "sim/result/csv.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "stackdist/stackdist_internal.h"

/* The values of backend=B,device=N, or why there are none. */
static void put_devices(struct output *output)
{
    const char *name;
    for (unsigned backend = 0;; backend++) {
        enum margay_status status = MARGAY_OK;
        for (unsigned i = 0; status == MARGAY_OK; i++) {
            struct margay_gpu_info info;
            struct margay_error error = {.message = "no device"};
            status = margay_gpu_list(backend, i, &name, &info, &error);
            if (name == NULL)
                return;
            if (status != MARGAY_OK && i == 0)
                output_text(output, "devices:   %s: %s\n", name, error.message);
            if (status != MARGAY_OK)
                break;
            output_text(output, "devices:   %s %u: %s", name, i, info.name);
            if (info.memory_bytes != 0)
                output_text(output, ", %.1f GiB",
                            (double)info.memory_bytes / (1 << 30));
            output_text(output, "%s\n",
                        info.is_processor ? " (this machine's processor)" : "");
        }
    }
}

/* clang names itself. */
#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Is there a plugin for some version of clang? */
static enum margay_status find_plugin(struct margay_error *error)
{
    char directory[PATH_MAX];
    const struct dirent *entry;
    bool found = false;
    enum margay_status status = record_find("calls.h", directory, error);
    if (status != MARGAY_OK)
        return status;
    DIR *files = opendir(directory);
    if (files == NULL)
        return errno == ENOMEM ? margay_fail_memory(error, "the names of files")
                               : MARGAY_IO;
    while (!found && (entry = readdir(files)) != NULL)
        found = fnmatch("margay_llvm*.so", entry->d_name, 0) == 0;
    closedir(files);
    return found ? MARGAY_OK : MARGAY_IO;
}

/* Libraries that were not there when this was built, or are not now, and the
   features that do not work without them. */
static enum margay_status put_left_out(struct output *output,
                                       struct margay_error *error)
{
    char directory[PATH_MAX];
    const char *gap = "";
    enum margay_status valgrind =
        record_find(RECORD_VALGRIND, directory, error);
    enum margay_status plugin =
        valgrind == MARGAY_NO_MEMORY ? valgrind : find_plugin(error);
    bool lzma = false, pcre2 = false, yajl = false;
#ifdef MARGAY_HAS_LZMA
    lzma = margay_late_open(&margay_liblzma);
#endif
#ifdef MARGAY_HAS_PCRE2
    pcre2 = margay_late_open(&margay_libpcre2);
#endif
#ifdef MARGAY_HAS_YAJL
    yajl = margay_late_open(&margay_libyajl);
#endif
    const char *const left_out[] = {
        places_library_version() != NULL
            ? NULL
            : "libdw (annotate, lines and variables)",
        margay_late_open(&margay_libarchive)
            ? NULL
            : "libarchive (compressions other than gzip)",
        lzma ? NULL : "liblzma (xz by several threads)",
        pcre2 ? NULL : "PCRE2 (the format regex)",
        yajl ? NULL : "yajl (the formats mooncake and jsonl)",
        valgrind == MARGAY_OK ? NULL : "Valgrind (record --method valgrind)",
        plugin == MARGAY_OK ? NULL : "the plugin for clang (record --cflags)",
    };
    if (plugin == MARGAY_NO_MEMORY)
        return plugin;
    output_text(output, "left out:  ");
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (left_out[i] == NULL)
            continue;
        output_text(output, "%s%s", gap, left_out[i]);
        gap = ", ";
    }
    output_text(output, "%s\n", *gap == '\0' ? "nothing" : "");
    return MARGAY_OK;
}

int cmd_version(const struct options *options)
{
    static const enum margay_target targets[] = {
        MARGAY_TARGET_PORTABLE, MARGAY_TARGET_V3, MARGAY_TARGET_V4};
    const struct margay_format_info *format;
    struct output *output;
    struct margay_error error;
    enum margay_status status = output_open(NULL, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK) {
        output_text(output, "margay %s\n", MARGAY_VERSION);
        output_text(output, "compiler:  " COMPILER "\n");
        const char *libdw = places_library_version();
        output_text(output, "libraries: %s, libcsv %s%s%s\n",
                    margay_libarchive_version(), csv_library_version(),
                    libdw == NULL ? "" : ", libdw ",
                    libdw == NULL ? "" : libdw);
        status = put_left_out(output, &error);
        output_text(output, "runs here:");
        for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
            if (margay_target_available(targets[i]))
                output_text(output, " %s", margay_target_name(targets[i]));
        }
        output_text(output, " (best: %s)\n",
                    margay_target_name(margay_target_best()));
        output_text(output, "formats:  ");
        for (size_t i = 0; (format = margay_format_at(i)) != NULL; i++)
            output_text(output, " %s", format->name);
        output_text(output, "\n");
        if (options->verbose)
            put_devices(output);
    }
    return conclude(status, &output, 1, &error);
}
