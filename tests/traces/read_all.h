/*
 * read_all.h - traces made of bytes in memory, read to their end
 *
 * A file of tests works in one temporary file after another and removes each;
 * a trace that is read becomes one set of arrays, however its batches were
 * cut.
 */
#ifndef MARGAY_TESTS_TRACES_READ_ALL_H
#define MARGAY_TESTS_TRACES_READ_ALL_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

#include <margay/traces.h>

#define TEST_PATH_BYTES 128

/* A folder of this process's own, removed in the end. */
static char test_folder[64];

static inline void remove_folder(void)
{
    rmdir(test_folder);
}

static inline const char *make_path(char path[TEST_PATH_BYTES],
                                    const char *name)
{
    if (test_folder[0] == '\0') {
        strcpy(test_folder, "/tmp/margay-test-XXXXXX");
        if (mkdtemp(test_folder) == NULL || atexit(remove_folder) != 0) {
            printf("Bail out! no temporary folder\n");
            exit(1);
        }
    }
    snprintf(path, TEST_PATH_BYTES, "%s/%s", test_folder, name);
    return path;
}

static inline void write_file(const char *path, const void *bytes, size_t count)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count || close(fd) != 0) {
        printf("Bail out! cannot write %s\n", path);
        exit(1);
    }
}

/* A whole trace, and how it ended. */
struct whole_trace {
    size_t count, warmup; /* references; of those, marked as warm-up */
    uint64_t *numbers;
    uint8_t *kinds;
    uint32_t *extents;
    char format[16]; /* "" if it was never known */
    char evidence[96];
    enum margay_status status; /* MARGAY_OK, or why reading failed */
    struct margay_error error;
};

static inline void drop_trace(struct whole_trace *whole)
{
    free(whole->numbers);
    free(whole->kinds);
    free(whole->extents);
}

static void append_batch(struct whole_trace *whole,
                         const struct margay_batch *batch)
{
    size_t count = whole->count + batch->references;
    if (batch->references == 0)
        return;
    whole->numbers = realloc(whole->numbers, count * sizeof *whole->numbers);
    whole->kinds = realloc(whole->kinds, count);
    whole->extents = realloc(whole->extents, count * sizeof *whole->extents);
    for (size_t i = 0; i < batch->references; i++) {
        size_t to = whole->count + i;
        whole->numbers[to] = batch->numbers[i];
        whole->kinds[to] = batch->kinds == NULL ? 0 : batch->kinds[i];
        whole->extents[to] = batch->extents == NULL ? 1 : batch->extents[i];
    }
    whole->count = count;
    if (batch->warmup)
        whole->warmup += batch->references;
}

/* Read what is open already, and free it. */
static inline struct whole_trace read_open(margay_trace *trace)
{
    struct whole_trace whole = {0};
    struct margay_batch batch;
    enum margay_status status;
    while ((status = margay_trace_next(trace, -1, &batch, &whole.error)) ==
           MARGAY_OK)
        append_batch(&whole, &batch);
    whole.status = status == MARGAY_END ? MARGAY_OK : status;
    if (margay_trace_ready(trace, 0, NULL) == MARGAY_OK) {
        strcpy(whole.format, margay_trace_facts(trace)->format->name);
        strcpy(whole.evidence, margay_trace_facts(trace)->evidence);
    }
    margay_trace_free(trace);
    return whole;
}

static inline struct whole_trace read_path(
    const char *path, const struct margay_trace_options *options)
{
    struct whole_trace whole = {0};
    margay_trace *trace;
    whole.status = margay_trace_open(path, options, &trace, &whole.error);
    return whole.status == MARGAY_OK ? read_open(trace) : whole;
}

/* Write the bytes to a file called `name` and read it; `format` may be NULL. */
static inline struct whole_trace read_bytes(const char *name,
                                            const char *format,
                                            const void *bytes, size_t count)
{
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.format = format;
    write_file(make_path(path, name), bytes, count);
    struct whole_trace whole = read_path(path, &options);
    unlink(path);
    return whole;
}

static inline struct whole_trace read_text(const char *name, const char *format,
                                           const char *text)
{
    return read_bytes(name, format, text, strlen(text));
}

/* Of all columns: an operation, or else a kind, the number in hex, the extent
   unless that is 1, the size, the time and the time to live, or the site and
   the thread: "s1000+8#4096@7~60", "r10@401136#0".  A request stands in front:
   "3:46". */
static inline size_t show_columns(const struct margay_batch *batch, size_t i,
                                  char *text)
{
    char *at = text;
    if (batch->requests != NULL)
        at += sprintf(at, "%" PRIu64 ":", batch->requests[i]);
    if (batch->ops != NULL)
        *at++ = "gsd"[batch->ops[i]];
    else if (batch->kinds != NULL)
        *at++ = "rwf"[batch->kinds[i]];
    at += sprintf(at, "%" PRIx64, batch->numbers[i]);
    if (batch->extents != NULL && batch->extents[i] != 1)
        at += sprintf(at, "+%" PRIu32, batch->extents[i]);
    if (batch->sizes != NULL)
        at += sprintf(at, "#%" PRIu64, batch->sizes[i]);
    if (batch->times != NULL)
        at += sprintf(at, "@%.18Lg", (long double)batch->times[i] / 1e6L);
    if (batch->ttls != NULL && batch->ttls[i] != UINT64_MAX)
        at += sprintf(at, "~%" PRIu64, batch->ttls[i]);
    if (batch->sites != NULL)
        at += sprintf(at, "@%" PRIx64, batch->sites[i]);
    if (batch->threads != NULL)
        at += sprintf(at, "#%" PRIu32, batch->threads[i]);
    return (size_t)(at - text);
}

/* A file with all columns, or what is shown and then the message without the
   file's name, as far as there is room; `options` may be NULL. */
static inline const char *show_bytes(const char *name,
                                     const struct margay_trace_options *options,
                                     const void *bytes, size_t count)
{
    static char shown[8192];
    const struct margay_trace_options usual = MARGAY_TRACE_OPTIONS_DEFAULT;
    char path[TEST_PATH_BYTES];
    struct margay_error error = {.message = ""};
    struct margay_batch batch;
    margay_trace *trace;
    size_t used = 0;
    write_file(make_path(path, name), bytes, count);
    enum margay_status status = margay_trace_open(
        path, options == NULL ? &usual : options, &trace, &error);
    while (status == MARGAY_OK) {
        status = margay_trace_next(trace, -1, &batch, &error);
        for (size_t i = 0; status == MARGAY_OK && i < batch.references &&
                           used + 400 < sizeof shown;
             i++) {
            if (used > 0)
                shown[used++] = ' ';
            used += show_columns(&batch, i, shown + used);
        }
    }
    shown[used] = '\0';
    bool named = strncmp(error.message, path, strlen(path)) == 0;
    if (status != MARGAY_END)
        snprintf(shown + used, sizeof shown - used, "%s%s", used > 0 ? " " : "",
                 error.message + (named ? strlen(path) : 0));
    margay_trace_free(trace);
    unlink(path);
    return shown;
}

/* True if both hold the same references. */
static inline bool same_trace(const struct whole_trace *a,
                              const struct whole_trace *b)
{
    return a->count == b->count &&
           (a->count == 0 ||
            (memcmp(a->numbers, b->numbers, a->count * 8) == 0 &&
             memcmp(a->kinds, b->kinds, a->count) == 0 &&
             memcmp(a->extents, b->extents, a->count * 4) == 0));
}

#endif
