/* test_mgt_modules.c - the files of code that the sites of a trace are in */
#define _GNU_SOURCE
#include "tests/traces/mgt_files.h"
#include "traces/formats/modules.h"

#define REFS 1000

/* A trace that names modules, of `count` references. */
static struct bytes write_named(const char *const paths[MARGAY_MOST_MODULES])
{
    struct bytes bytes = {0};
    struct columns columns = make_columns(REFS);
    margay_writer *writer = make_writer(&bytes);
    const struct margay_batch batch = batch_of(&columns, SITES, 0, REFS);
    bool set = true;
    for (unsigned i = 0; i < MARGAY_MOST_MODULES; i++)
        set = set &&
              (paths[i] == NULL || margay_writer_set_module(writer, i, paths[i],
                                                            NULL) == MARGAY_OK);
    margay_writer_put(writer, &batch, NULL);
    end_writer(writer);
    CHECK(set, "modules are named");
    free_columns(&columns);
    return bytes;
}

static size_t count_wrong(const margay_trace *trace,
                          const char *const paths[MARGAY_MOST_MODULES])
{
    size_t wrong = margay_trace_module(trace, MARGAY_MOST_MODULES) != NULL;
    for (unsigned i = 0; i < MARGAY_MOST_MODULES; i++) {
        const char *path = margay_trace_module(trace, i);
        wrong += paths[i] == NULL || path == NULL ? paths[i] != path
                                                  : strcmp(path, paths[i]) != 0;
    }
    return wrong;
}

/* How many modules are wrong once the trace is ready, or at its end. */
static size_t read_modules(const char *path, bool to_end, uint64_t limit_refs,
                           const char *const paths[MARGAY_MOST_MODULES])
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct margay_batch batch;
    margay_trace *trace;
    options.limit_refs = limit_refs;
    enum margay_status status = margay_trace_open(path, &options, &trace, NULL);
    if (status == MARGAY_OK)
        status = margay_trace_ready(trace, -1, NULL);
    while (status == MARGAY_OK && to_end)
        status = margay_trace_next(trace, -1, &batch, NULL);
    size_t wrong = status == (to_end ? MARGAY_END : MARGAY_OK)
                       ? count_wrong(trace, paths)
                       : SIZE_MAX;
    margay_trace_free(trace);
    return wrong;
}

static void test_files(void)
{
    static char text[MARGAY_MODULE_PATH_BYTES];
    const char *paths[MARGAY_MOST_MODULES] = {0};
    char path[TEST_PATH_BYTES], command[5 * TEST_PATH_BYTES];
    memset(text, 'x', sizeof text - 1);
    paths[0] = "/usr/bin/prog";
    paths[3] = text;
    paths[MARGAY_MOST_MODULES - 1] = "lib\n.so";
    struct bytes bytes = write_named(paths);
    write_file(make_path(path, "t.mgt"), bytes.data, bytes.count);
    CHECK_U64(read_modules(path, false, UINT64_MAX, paths), 0,
              "a plain file: from the beginning");
    CHECK_U64(read_modules(path, true, 10, paths), 0, "with a limit");
    CHECK_U64(read_modules(path, true, UINT64_MAX, paths), 0, "in the end");
    snprintf(command, sizeof command, "gzip -c %s >%s.gz && mv %s.gz %s", path,
             path, path, path);
    if (system(command) == 0)
        CHECK_U64(read_modules(path, true, UINT64_MAX, paths), 0,
                  "compressed: in the end");
    else
        tap_skip("compressed: in the end", "no gzip");
    unlink(path);
    free(bytes.data);
}

static void test_refusals(void)
{
    static char text[MARGAY_MODULE_PATH_BYTES + 1];
    static const struct {
        const char *what, *bytes;
        size_t count;
    } lists[] = {
        {"half a head", "\0\1", 2},
        {"no path", "\0\0\0", 3},
        {"a path beyond the end", "\0\2\0a", 4},
        {"a NUL in a path", "\0\2\0a\0", 5},
        {"the same number twice", "\1\1\0a\1\1\0b", 8},
        {"a number too high", "\377\1\0a", 4},
    };
    struct margay_modules modules = {.whole = false};
    bool no_memory = false;
    memset(text, 'x', sizeof text - 1);
    CHECK(margay_modules_set(&modules, 0, "", NULL) == MARGAY_BAD_ARGUMENT &&
              margay_modules_set(&modules, 0, text, NULL) ==
                  MARGAY_BAD_ARGUMENT &&
              margay_modules_set(&modules, MARGAY_MOST_MODULES, "a", NULL) ==
                  MARGAY_BAD_ARGUMENT,
          "no path, one too long, a number too high");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        CHECK(!margay_modules_take(&modules, (const uint8_t *)lists[i].bytes,
                                   lists[i].count, &no_memory) &&
                  margay_modules_path(&modules, 0) == NULL,
              "%s", lists[i].what);
    margay_modules_clear(&modules);
}

int main(void)
{
    test_files();
    test_refusals();
    return tap_done();
}
