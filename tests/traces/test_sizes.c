/*
 * test_sizes.c - which size of an object counts, where some are not said
 *
 * Random tables, read with each of the four rules, against an oracle that looks
 * for each request along the whole table.
 */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/traces/read_all.h"
#include "traces/formats/reading.h"

#define MOST    60
#define UNKNOWN UINT64_MAX

static struct request {
    uint64_t object, size, tenant;
    bool deletes;
} requests[MOST];
static size_t count, begin, end; /* of these, what is read: [begin, end) */

/* ---------------------------------------------------------------- oracle -- */

/* Does request i say the size of the object of request `at`? */
static bool says(size_t i, size_t at)
{
    return requests[i].object == requests[at].object &&
           requests[i].tenant == requests[at].tenant && !requests[i].deletes &&
           requests[i].size != UNKNOWN;
}

/* What counts at request `at`; UNKNOWN where no request up to the end says one.
   Requests that are skipped say sizes to later ones, but are none of those
   among which the first, last or largest is taken. */
static uint64_t expected(enum margay_sizes_from from, size_t at)
{
    uint64_t found = UNKNOWN;
    if (from == MARGAY_SIZES_REQUEST) {
        for (size_t i = at + 1; i-- > 0;) {
            if (says(i, at))
                return requests[i].size;
        }
        from = MARGAY_SIZES_FIRST;
    }
    for (size_t i = begin; i < end; i++) {
        uint64_t size = requests[i].size;
        if (!says(i, at))
            continue;
        if (found == UNKNOWN || from == MARGAY_SIZES_LAST ||
            (from == MARGAY_SIZES_MAX && size > found))
            found = size;
    }
    return found;
}

/* ----------------------------------------------------------------- cases -- */

static bool has_tenants;

static void make_table(const char *path)
{
    static const char *const unsaid[] = {"", "-"};
    uint64_t objects = 1 + below(8), kind = below(3);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        exit(1);
    count = 1 + below(MOST);
    has_tenants = one_in(2);
    fputs("who,op,id,size\n", file);
    for (size_t i = 0; i < count; i++) {
        struct request *request = &requests[i];
        request->object = below(objects);
        request->tenant = has_tenants ? below(3) : 0;
        request->deletes = kind == 2 && one_in(6);
        request->size = kind > 0 && one_in(3) ? UNKNOWN : below(40);
        fprintf(file, "%" PRIu64 ",%s,%" PRIu64 ",", request->tenant,
                request->deletes ? "delete" : "get", request->object);
        if (request->size == UNKNOWN)
            fprintf(file, "%s\n", unsaid[below(2)]);
        else
            fprintf(file, "%" PRIu64 "\n", request->size);
    }
    fclose(file);
}

/* How many requests of the span from..to have another size than is expected. */
static size_t differing(const char *path, enum margay_sizes_from from,
                        size_t skip, size_t limit)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    /* Sizes do not depend on who asks for operations. */
    const struct margay_reading reading = {
        .unused_columns = one_in(2) ? MARGAY_COLUMN_OPS : 0};
    struct margay_error error;
    struct margay_batch batch;
    margay_trace *trace;
    size_t at = skip, wrong = 0, unknown = 0, never = 0;
    begin = skip;
    end = limit < count - skip ? skip + limit : count;
    options.column = "id=id,size=size,op=op";
    options.tenant = has_tenants ? "who" : NULL;
    options.sizes_from = from;
    options.skip_refs = skip;
    options.limit_refs = limit;
    if (margay_trace_open_for(path, &options, &reading, &trace, &error) !=
        MARGAY_OK)
        return MOST + 1;
    enum margay_status status;
    while ((status = margay_trace_next(trace, -1, &batch, &error)) ==
           MARGAY_OK) {
        for (size_t i = 0; i < batch.references; i++, at++) {
            uint64_t size = expected(from, at);
            if (requests[at].deletes)
                size = requests[at].size;
            if (size == UNKNOWN)
                size = 0;
            wrong += batch.sizes[i] != size;
        }
    }
    for (size_t i = skip; i < end; i++) {
        unknown += !requests[i].deletes && requests[i].size == UNKNOWN;
        never += !requests[i].deletes && expected(from, i) == UNKNOWN;
    }
    uint64_t told_never, told = margay_trace_unknown_sizes(trace, &told_never);
    if (status != MARGAY_END)
        printf("# %s\n", error.message);
    margay_trace_free(trace);
    if (told != unknown || told_never != never)
        printf("# told %" PRIu64 " unknown, %" PRIu64
               " never; expected %zu, %zu (skip %zu, limit %zu of %zu)\n",
               told, told_never, unknown, never, skip, limit, count);
    return wrong + (status != MARGAY_END) + (at != end) +
           (told != unknown || told_never != never);
}

static void compare(const char *path, const char *what, bool cut)
{
    static const char *const names[] = {"request", "first", "last", "max"};
    size_t wrong[4] = {0};
    for (uint64_t i = 0; i < rounds(300); i++) {
        make_table(path);
        for (unsigned from = 0; from < 4; from++) {
            size_t skip = cut ? below(count) : 0;
            size_t limit = cut ? 1 + below(count) : MOST;
            if (wrong[from] < 3)
                wrong[from] += differing(path, from, skip, limit) != 0;
        }
    }
    for (unsigned from = 0; from < 4; from++)
        CHECK_U64(wrong[from], 0, "sizes from %s, %s: those of the oracle",
                  names[from], what);
}

int main(void)
{
    char path[TEST_PATH_BYTES];
    seed_chance(33);
    make_path(path, "sizes.csv");
    compare(path, "whole tables", false);
    compare(path, "parts of tables", true);
    unlink(path);
    return tap_done();
}
