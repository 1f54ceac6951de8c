/* test_data.c - what addresses hold, against an array with an entry for each
   address; through files of the formats that tell it */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/traces/mgt_files.h"
#include "traces/formats/data.h"

enum { ADDRESSES = 400, MOST_REFERENCES = 400000 };

/* What each address holds, and when that came there. */
static struct {
    struct margay_data_event event; /* data UNKNOWN: nothing */
    uint64_t from;
} holds[ADDRESSES];

static void clear_naive(void)
{
    memset(holds, 0, sizeof holds);
}

static void take_out(uint64_t from)
{
    for (size_t i = 0; i < ADDRESSES; i++) {
        if (holds[i].event.data != MARGAY_DATA_UNKNOWN && holds[i].from == from)
            holds[i].event.data = MARGAY_DATA_UNKNOWN;
    }
}

/* Take the range at an address out of [from, to), and keep the rest; its later
   part begins anew. */
static void cut(uint64_t at, uint64_t from, uint64_t to)
{
    uint64_t of = holds[at].from;
    for (size_t i = 0; i < ADDRESSES; i++) {
        if (holds[i].event.data == MARGAY_DATA_UNKNOWN || holds[i].from != of)
            continue;
        if (i >= from && i < to)
            holds[i].event.data = MARGAY_DATA_UNKNOWN;
        if (i >= to) {
            if (holds[i].event.data == MARGAY_DATA_VARIABLE)
                holds[i].event.site += to - of;
            holds[i].from = to;
        }
    }
}

/* Take out what overlaps, from below; false: something younger does. */
static bool make_room(const struct margay_data_event *event, uint64_t bytes)
{
    for (uint64_t i = event->address; i < event->address + bytes; i++) {
        if (holds[i].event.data == MARGAY_DATA_UNKNOWN)
            continue;
        if (holds[i].event.order > event->order)
            return false;
        take_out(holds[i].from);
    }
    return true;
}

static void follow_naively(const struct margay_data_event *event)
{
    uint64_t bytes = event->bytes == 0 ? 1 : event->bytes;
    uint64_t at = event->address;
    if (event->data == MARGAY_DATA_UNKNOWN) {
        for (uint64_t i = at; i < at + event->bytes; i++) {
            if (holds[i].event.data != MARGAY_DATA_UNKNOWN &&
                holds[i].event.order <= event->order)
                cut(i, at, at + event->bytes);
        }
        if (event->bytes == 0 && holds[at].event.data != MARGAY_DATA_UNKNOWN &&
            holds[at].from == at && holds[at].event.order < event->order)
            take_out(at);
        return;
    }
    if (!make_room(event, bytes))
        return;
    for (uint64_t i = at; i < at + bytes; i++) {
        holds[i].event = *event;
        holds[i].from = at;
    }
}

static uint64_t find_naively(uint64_t address, uint64_t site)
{
    const struct margay_data_event *event = &holds[address].event;
    return event->data == MARGAY_DATA_ALLOCATED
               ? margay_datum(event->data, event->site)
           : event->data == MARGAY_DATA_VARIABLE
               ? margay_datum(event->data,
                              event->site + address - holds[address].from)
               : margay_datum(event->data, site);
}

/* In a quarter of all cases the number is that of an earlier event. */
static struct margay_data_event any_event(uint64_t order)
{
    uint64_t address = below(ADDRESSES);
    uint64_t most = ADDRESSES - address < 40 ? ADDRESSES - address : 40;
    uint64_t back = one_in(4) ? below(order) : 0;
    return (struct margay_data_event){
        .address = address,
        .bytes = below(most),
        .site = below(1000) + (UINT64_C(3) << 48),
        .order = order - back,
        .data = (enum margay_data)below(MARGAY_DATA_KINDS),
    };
}

static void test_map(void)
{
    uint64_t wrong = 0, all = rounds(300);
    seed_chance(4);
    for (uint64_t round = 0; round < all; round++) {
        struct margay_data_map *map;
        if (margay_data_map_create(&map, NULL) != MARGAY_OK)
            abort();
        clear_naive();
        for (uint64_t order = 1; order < 200; order++) {
            struct margay_data_event event = any_event(order);
            margay_data_map_follow(map, &event, NULL);
            follow_naively(&event);
            for (uint64_t i = 0; i < 20; i++) {
                uint64_t address = below(ADDRESSES);
                wrong += margay_data_map_find(map, address, i) !=
                         find_naively(address, i);
            }
        }
        margay_data_map_free(map);
    }
    CHECK(wrong == 0,
          "%" PRIu64 " histories of 200 events: what each address holds", all);
}

static void test_edges(void)
{
    struct margay_data_map *map;
    if (margay_data_map_create(&map, NULL) != MARGAY_OK)
        abort();
    CHECK(!margay_data_map_has_events(map), "no event yet");
    struct margay_data_event event = {.address = UINT64_MAX - 1,
                                      .bytes = 1,
                                      .site = 7,
                                      .order = 1,
                                      .data = MARGAY_DATA_ALLOCATED};
    margay_data_map_follow(map, &event, NULL);
    CHECK(margay_data_map_find(map, UINT64_MAX - 1, 9) ==
                  margay_datum(MARGAY_DATA_ALLOCATED, 7) &&
              margay_data_map_find(map, UINT64_MAX, 9) == 9 &&
              margay_data_map_has_events(map),
          "the highest range");
    event.address = UINT64_MAX;
    margay_data_map_follow(map, &event, NULL);
    event.bytes = UINT64_MAX;
    margay_data_map_follow(map, &event, NULL);
    CHECK(margay_data_map_find(map, UINT64_MAX, 9) == 9,
          "no range reaches beyond all addresses");
    margay_data_map_free(map);
}

/* ----------------------------------------------------------------- files -- */

static uint64_t numbers[MOST_REFERENCES], sites[MOST_REFERENCES];
static uint64_t wanted[MOST_REFERENCES];

/* Write random references and events, `one_in` references to an event, and fill
   `wanted`. */
static struct bytes write_trace(const char *format, size_t references,
                                uint64_t one_in)
{
    struct bytes bytes = {0};
    const struct margay_sink sink = {&bytes, append_bytes};
    margay_writer *writer;
    uint64_t order = 1;
    size_t done = 0;
    if (margay_writer_create(format, NULL, &sink, &writer, NULL) != MARGAY_OK ||
        !margay_writer_takes_data(writer))
        abort();
    clear_naive();
    for (size_t i = 0; i < references; i++) {
        while (below(one_in + 1) == 0) {
            struct margay_data_event event = any_event(order++);
            struct margay_batch batch = {.references = i - done,
                                         .numbers = numbers + done,
                                         .sites = sites + done};
            margay_writer_put(writer, &batch, NULL);
            margay_writer_put_data(writer, &event, NULL);
            follow_naively(&event);
            done = i;
        }
        numbers[i] = below(ADDRESSES);
        sites[i] = below(50) << 4;
        wanted[i] = find_naively(numbers[i], sites[i]);
    }
    struct margay_batch rest = {.references = references - done,
                                .numbers = numbers + done,
                                .sites = sites + done};
    margay_writer_put(writer, &rest, NULL);
    end_writer(writer);
    return bytes;
}

/* Read a file from reference `skip` on; the number of wrong references, or of
   all that are missing. */
static size_t read_trace(const char *path, bool data, size_t references,
                         size_t skip, bool *tells)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    const struct margay_reading reading = {.data = data};
    const uint64_t *expected = data ? wanted : sites;
    struct margay_batch batch;
    margay_trace *trace;
    size_t at = skip, wrong = 0;
    options.skip_refs = skip;
    if (margay_trace_open_for(path, &options, &reading, &trace, NULL) !=
        MARGAY_OK)
        abort();
    while (margay_trace_next(trace, -1, &batch, NULL) == MARGAY_OK) {
        for (size_t i = 0; i < batch.references; i++, at++)
            wrong += batch.numbers[i] != numbers[at] ||
                     batch.sites[i] != expected[at];
    }
    *tells = margay_trace_tells_data(trace);
    margay_trace_free(trace);
    return wrong + (references - at);
}

static void test_files(const char *format)
{
    static const struct {
        size_t references;
        uint64_t one_in;
    } cases[] = {{1, 1},      {50, 1},        {3000, 3},
                 {70000, 50}, {100000, 1000}, {1000, 2000}};
    char path[TEST_PATH_BYTES];
    make_path(path, "data.trace");
    seed_chance(9);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t references = cases[i].references, wrong = 0;
        struct bytes bytes = write_trace(format, references, cases[i].one_in);
        bool tells, ignores;
        write_file(path, bytes.data, bytes.count);
        wrong += read_trace(path, true, references, 0, &tells);
        wrong += read_trace(path, false, references, 0, &ignores);
        wrong += read_trace(path, false, references, references / 2, &ignores);
        wrong += read_trace(path, true, references, references / 2, &tells);
        CHECK(wrong == 0 && (tells || cases[i].one_in > 1) && !ignores,
              "%s: %zu references, an event for each %" PRIu64
              ", with and without what they are to, as a whole and half",
              format, references, cases[i].one_in);
        free(bytes.data);
    }
    unlink(path);
}

/* More events in a row than a part holds. */
static void test_many_events(void)
{
    struct bytes bytes = {0};
    margay_writer *writer = make_writer(&bytes);
    char path[TEST_PATH_BYTES];
    bool tells;
    make_path(path, "many.mgt");
    for (uint64_t i = 0; i < 200000; i++) {
        const struct margay_data_event event = {.address = 16 * i,
                                                .bytes = 16,
                                                .site = i,
                                                .order = 1 + i,
                                                .data = MARGAY_DATA_ALLOCATED};
        margay_writer_put_data(writer, &event, NULL);
    }
    for (size_t i = 0; i < 1000; i++) {
        numbers[i] = i * 3000 + 7;
        wanted[i] = margay_datum(MARGAY_DATA_ALLOCATED, numbers[i] / 16);
    }
    const struct margay_batch batch = {.references = 1000, .numbers = numbers};
    margay_writer_put(writer, &batch, NULL);
    end_writer(writer);
    write_file(path, bytes.data, bytes.count);
    CHECK(read_trace(path, true, 1000, 0, &tells) == 0,
          "200000 events before the first reference");
    unlink(path);
    free(bytes.data);
}

/* Each byte of a file changed: an error, and no wrong reference before it. */
static void test_damage(void)
{
    char path[TEST_PATH_BYTES];
    size_t bad = 0;
    make_path(path, "damaged.mgt");
    seed_chance(5);
    struct bytes bytes = write_trace("mgt", 300, 4);
    for (size_t i = 0; i < bytes.count; i++) {
        struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
        const struct margay_reading reading = {.data = true};
        struct margay_batch batch;
        margay_trace *trace;
        size_t at = 0;
        enum margay_status status;
        options.format = "mgt";
        bytes.data[i] ^= 0x20;
        write_file(path, bytes.data, bytes.count);
        bytes.data[i] ^= 0x20;
        if (margay_trace_open_for(path, &options, &reading, &trace, NULL) !=
            MARGAY_OK)
            continue;
        while ((status = margay_trace_next(trace, -1, &batch, NULL)) ==
               MARGAY_OK) {
            for (size_t k = 0; k < batch.references; k++, at++)
                bad += batch.numbers[k] != numbers[at] ||
                       batch.sites[k] != wanted[at];
        }
        bad += status == MARGAY_END;
        margay_trace_free(trace);
    }
    CHECK(bad == 0, "each of %zu bytes damaged: none goes unnoticed",
          bytes.count);
    unlink(path);
    free(bytes.data);
}

int main(void)
{
    test_map();
    test_edges();
    test_files("mgt");
    test_files("words");
    test_many_events();
    test_damage();
    return tap_done();
}
