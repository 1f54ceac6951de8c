/*
 * mgt_files.h - files in the compact format, written and read back
 *
 * The includer defines _GNU_SOURCE.
 */
#ifndef MARGAY_TESTS_TRACES_MGT_FILES_H
#define MARGAY_TESTS_TRACES_MGT_FILES_H

#include "tests/chance.h"
#include "tests/traces/read_all.h"
#include "traces/base/extent.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/mgt.h"
#include "traces/formats/reading.h"

struct bytes {
    uint8_t *data;
    size_t count;
};

static inline enum margay_status append_bytes(void *context, const void *bytes,
                                              size_t count,
                                              struct margay_error *error)
{
    struct bytes *all = context;
    (void)error;
    all->data = realloc(all->data, all->count + count);
    if (all->data == NULL)
        abort();
    memcpy(all->data + all->count, bytes, count);
    all->count += count;
    return MARGAY_OK;
}

/* A trace with every column, of which a batch may show some. */
struct columns {
    size_t count;
    uint64_t *numbers, *sites;
    uint8_t *kinds;
    uint32_t *extents, *threads;
};

enum { KINDS = 1, EXTENTS = 2, THREADS = 4, SITES = 8, ALL = 15 };

static inline void *allocate(size_t count, size_t bytes)
{
    void *array = calloc(count + 1, bytes);
    if (array == NULL)
        abort();
    return array;
}

static inline struct columns make_columns(size_t count)
{
    return (struct columns){
        .count = count,
        .numbers = allocate(count, 8),
        .sites = allocate(count, 8),
        .kinds = allocate(count, 1),
        .extents = allocate(count, 4),
        .threads = allocate(count, 4),
    };
}

static inline void free_columns(struct columns *columns)
{
    free(columns->numbers);
    free(columns->sites);
    free(columns->kinds);
    free(columns->extents);
    free(columns->threads);
}

static inline struct margay_batch batch_of(const struct columns *columns,
                                           unsigned shown, size_t from,
                                           size_t count)
{
    return (struct margay_batch){
        .references = count,
        .numbers = columns->numbers + from,
        .kinds = shown & KINDS ? columns->kinds + from : NULL,
        .extents = shown & EXTENTS ? columns->extents + from : NULL,
        .threads = shown & THREADS ? columns->threads + from : NULL,
        .sites = shown & SITES ? columns->sites + from : NULL,
    };
}

static inline margay_writer *make_writer(struct bytes *bytes)
{
    const struct margay_sink sink = {bytes, append_bytes};
    margay_writer *writer;
    if (margay_writer_create("mgt", NULL, &sink, &writer, NULL) != MARGAY_OK)
        abort();
    return writer;
}

static inline void end_writer(margay_writer *writer)
{
    if (margay_writer_finish(writer, NULL) != MARGAY_OK)
        abort();
    margay_writer_free(writer);
}

/* Written in batches of `piece` references, a block for every `flush`. */
static inline struct bytes write_columns(const struct columns *columns,
                                         unsigned shown, size_t piece,
                                         size_t flush)
{
    struct bytes bytes = {0};
    margay_writer *writer = make_writer(&bytes);
    for (size_t done = 0; done < columns->count; done += piece) {
        size_t left = columns->count - done;
        struct margay_batch batch =
            batch_of(columns, shown, done, left < piece ? left : piece);
        if (margay_writer_put(writer, &batch, NULL) != MARGAY_OK ||
            (flush > 0 && (done + piece) % flush == 0 &&
             margay_writer_flush(writer, NULL) != MARGAY_OK))
            abort();
    }
    end_writer(writer);
    return bytes;
}

/* How many entries, from `first` on, are read as they were written, and how the
   reading ends. */
struct reading {
    size_t entries;
    bool same;
    enum margay_status status;
    struct margay_error error;
};

static inline bool same_entry(const struct columns *columns, size_t to,
                              const struct margay_batch *batch, size_t i,
                              unsigned shown)
{
    return columns->numbers[to] == batch->numbers[i] &&
           batch->kinds[i] == (shown & KINDS ? columns->kinds[to] : 0) &&
           batch->extents[i] == (shown & EXTENTS ? columns->extents[to] : 1) &&
           (!(shown & THREADS) || batch->threads[i] == columns->threads[to]) &&
           (!(shown & SITES) || batch->sites[i] == columns->sites[to]);
}

static inline void compare_batch(struct reading *reading,
                                 const struct columns *columns, size_t first,
                                 const struct margay_batch *batch,
                                 unsigned shown)
{
    reading->same = reading->same &&
                    (batch->threads != NULL) == ((shown & THREADS) != 0) &&
                    (batch->sites != NULL) == ((shown & SITES) != 0);
    for (size_t i = 0; i < batch->references; i++, reading->entries++) {
        size_t to = first + reading->entries;
        reading->same = reading->same && to < columns->count &&
                        same_entry(columns, to, batch, i, shown);
    }
}

static inline struct reading read_path_as(const char *path, uint64_t skip_refs,
                                          const struct columns *columns,
                                          size_t first, unsigned shown)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct reading reading = {.same = true};
    struct margay_batch batch;
    margay_trace *trace;
    options.format = "mgt";
    options.skip_refs = skip_refs;
    if (margay_trace_open(path, &options, &trace, NULL) != MARGAY_OK)
        abort();
    while ((reading.status = margay_trace_next(trace, -1, &batch,
                                               &reading.error)) == MARGAY_OK) {
        if (batch.references > 0)
            compare_batch(&reading, columns, first, &batch, shown);
    }
    margay_trace_free(trace);
    return reading;
}

static inline struct reading read_as(const struct bytes *bytes,
                                     const struct columns *columns,
                                     unsigned shown)
{
    char path[TEST_PATH_BYTES];
    write_file(make_path(path, "x"), bytes->data, bytes->count);
    struct reading reading = read_path_as(path, 0, columns, 0, shown);
    unlink(path);
    return reading;
}

/* How wild each column is: constant, a few values, many, any. */
static uint64_t draw(unsigned wildness, uint64_t before, unsigned bits)
{
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    switch (wildness) {
    case 0:
        return 7 & mask;
    case 1:
        return below(200) * 3 & mask;
    case 2:
        return (before + below(1000) - 500) & mask;
    default:
        return any_u64() >> below(64) & mask;
    }
}

static inline void fill_columns(struct columns *columns, unsigned wildness,
                                uint64_t seed)
{
    seed_chance(seed);
    for (size_t i = 0; i < columns->count; i++) {
        size_t before = i == 0 ? 0 : i - 1;
        columns->numbers[i] = draw(wildness, columns->numbers[before], 64);
        columns->sites[i] = draw(wildness, columns->sites[before], 64);
        columns->kinds[i] = (uint8_t)(any_u64() % 3);
        columns->extents[i] =
            (uint32_t)draw(wildness, columns->extents[before], 32);
        /* The most that end within 64 bits. */
        if (margay_extent_passes(columns->numbers[i], columns->extents[i]))
            columns->extents[i] = (uint32_t)-columns->numbers[i];
        columns->threads[i] =
            (uint32_t)draw(wildness, columns->threads[before], 32);
    }
    /* Values that are easily decoded wrong. */
    for (size_t i = 0; wildness == 3 && i < columns->count; i += 97) {
        columns->numbers[i] = i % 2 == 0 ? 0 : UINT64_MAX;
        columns->extents[i] = i % 2 == 0 ? UINT32_MAX : 0;
        columns->sites[i] = i % 2 == 0 ? UINT64_MAX : INT64_MAX;
    }
}

#define SMALL       24
#define SMALL_FLUSH 6

/* The ends of the blocks; the header counts as a block without entries. */
static inline size_t whole_entries(const size_t ends[5], size_t bytes)
{
    size_t entries = 0;
    for (size_t i = 1; i < 5; i++)
        entries += bytes >= ends[i] ? SMALL_FLUSH : 0;
    return entries;
}

/* Four blocks of six entries each, and where they end; two modules. */
static inline struct bytes make_small(struct columns *columns, size_t ends[5])
{
    struct bytes bytes = {0};
    margay_writer *writer = make_writer(&bytes);
    *columns = make_columns(SMALL);
    fill_columns(columns, 1, 3);
    for (size_t i = 0; i < 4; i++) {
        struct margay_batch batch =
            batch_of(columns, ALL, i * SMALL_FLUSH, SMALL_FLUSH);
        margay_writer_put(writer, &batch, NULL);
        margay_writer_flush(writer, NULL);
        ends[i + 1] = bytes.count;
    }
    if (margay_writer_set_module(writer, 0, "/bin/a", NULL) != MARGAY_OK ||
        margay_writer_set_module(writer, 7, "b", NULL) != MARGAY_OK)
        abort();
    end_writer(writer);
    return bytes;
}

#endif
