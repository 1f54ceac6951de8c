/*
 * counters.c - a processor's counters, for comparison with a machine
 *
 * The names are those of perf: its own ones, and of Intel's, AMD's and Arm's
 * events those that say which level they count.
 */
#define _GNU_SOURCE
#include "sim/result/machine.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* A level with blocks of as many bytes is a TLB. */
#define PAGE_BYTES 4096

/* The levels from the first one of a kind of references on, of caches or of
   TLBs, and the place of the last one among them. */
enum path { CODE, DATA, CODE_TLB, DATA_TLB };
#define LAST UINT_MAX

/* The meaning of an event: references of some kinds, or MISSES of these.  No
   kind = of all kinds, those caused by the program. */
#define R      MARGAY_KIND_BIT(MARGAY_READ)
#define W      MARGAY_KIND_BIT(MARGAY_WRITE)
#define F      MARGAY_KIND_BIT(MARGAY_FETCH)
#define MISSES (1u << MARGAY_KINDS)

static const struct counter_event {
    enum path path;
    unsigned place; /* from 1 on; 0 = of no level: instructions */
    unsigned counts;
    const char *names;
} events[] = {
    {CODE, 0, F, "instructions inst_retired.any inst_retired"},
    {CODE, 1, F, "l1-icache-loads l1i_cache"},
    {CODE, 1, F | MISSES, "l1-icache-load-misses l1i_cache_refill"},
    {DATA, 1, R, "l1-dcache-loads mem_inst_retired.all_loads l1d_cache_rd"},
    {DATA, 1, R | MISSES, "l1-dcache-load-misses mem_load_retired.l1_miss"},
    {DATA, 1, R | MISSES, "l1d_cache_refill_rd"},
    {DATA, 1, W, "l1-dcache-stores mem_inst_retired.all_stores l1d_cache_wr"},
    {DATA, 1, W | MISSES, "l1-dcache-store-misses l1d_cache_refill_wr"},
    {DATA, 1, R | W, "l1d_cache"},
    {DATA, 1, R | W | MISSES, "l1d_cache_refill l1d.replacement"},
    {DATA, 2, 0, "l2_rqsts.references l2d_cache"},
    {DATA, 2, MISSES, "l2_rqsts.miss l2d_cache_refill"},
    {DATA, 2, F | MISSES, "l2_rqsts.code_rd_miss"},
    {DATA, 2, R | MISSES, "l2_rqsts.demand_data_rd_miss"},
    {DATA, 2, R | MISSES, "mem_load_retired.l2_miss"},
    {DATA, 3, R | MISSES, "mem_load_retired.l3_miss"},
    {DATA, 3, 0, "l3d_cache"},
    {DATA, 3, MISSES, "l3d_cache_refill"},
    {DATA, LAST, R, "llc-loads ll_cache_rd"},
    {DATA, LAST, R | MISSES, "llc-load-misses ll_cache_miss_rd"},
    {DATA, LAST, 0, "cache-references longest_lat_cache.reference"},
    {DATA, LAST, MISSES, "cache-misses longest_lat_cache.miss"},
    {DATA_TLB, 1, R, "dtlb-loads"},
    {DATA_TLB, 1, W, "dtlb-stores"},
    {DATA_TLB, 1, R | W, "l1d_tlb"},
    {DATA_TLB, 1, R | W | MISSES, "l1d_tlb_refill ls_l1_d_tlb_miss.all"},
    {DATA_TLB, 2, MISSES, "l2d_tlb_refill"},
    {DATA_TLB, LAST, R | MISSES, "dtlb-load-misses"},
    {DATA_TLB, LAST, R | MISSES, "dtlb_load_misses.walk_completed"},
    {CODE_TLB, 1, F, "itlb-loads l1i_tlb"},
    {CODE_TLB, 1, F | MISSES, "l1i_tlb_refill"},
    {CODE_TLB, LAST, F | MISSES, "itlb-load-misses itlb_misses.walk_completed"},
};

/* -------------------------------------------------------------- reading -- */

/* The event of a name, without unit and modifiers (cpu_core/NAME/u, NAME:u), in
   any case; NULL = none. */
static const struct counter_event *find_event(const char *name)
{
    const char *slash = strchr(name, '/');
    name = slash == NULL ? name : slash + 1;
    size_t bytes = strcspn(name, "/:");
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        for (const char *at = events[i].names; *at != '\0';) {
            size_t length = strcspn(at, " ");
            if (length == bytes && strncasecmp(at, name, bytes) == 0)
                return &events[i];
            at += length + (at[length] == ' ');
        }
    }
    return NULL;
}

/* Lines are VALUE,UNIT,EVENT,...; those of a comment, and of a further metric
   of the event before, are none. */
static enum margay_status take_row(void *context, const struct csv_row *row,
                                   struct margay_error *error)
{
    struct counters *counters = context;
    const char *value = row->fields[0];
    const char *name = row->count > 2 ? row->fields[2] : "";
    struct counter counter = {.event = find_event(name)};
    bool counted = value[0] != '<';
    char text[64];
    if (value[0] == '#' || (row->count > 2 && *value == '\0' && *name == '\0'))
        return MARGAY_OK;
    csv_join_row(row, text, sizeof text);
    if (*name == '\0' || (counted && counter.event != NULL &&
                          !margay_parse_u64(value, &counter.count)))
        return csv_fail(counters->path, row->line, error,
                        "found '%s', expected COUNT,UNIT,EVENT,... as perf "
                        "stat -x, writes them, without -I, -A and --per-core",
                        text);
    if (counter.event == NULL || !counted) {
        message_keep("%s:%" PRIu64 ": %s %s", counters->path, row->line, name,
                     counted ? "is no event of a cache or TLB that is known"
                             : "was not counted");
        return MARGAY_OK;
    }
    counter.name = strdup(name);
    if (counter.name == NULL ||
        !MARGAY_MAKE_ROOM(counters->list, counters->count, 1, counters->room)) {
        free(counter.name);
        return margay_fail_memory(error, "the counters");
    }
    counters->list[counters->count++] = counter;
    return MARGAY_OK;
}

enum margay_status counters_read(struct counters *counters, const char *path,
                                 struct margay_error *error)
{
    counters->path = path;
    enum margay_status status = csv_read(path, NULL, take_row, counters, error);
    if (status == MARGAY_OK && counters->count == 0)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found no count of an event of caches or TLBs, "
                           "expected some, such as L1-dcache-load-misses",
                           path);
    return status;
}

void counters_clear(struct counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        free(counters->list[i].name);
    free(counters->list);
    *counters = (struct counters){.count = 0};
}

/* ----------------------------------------------------------- comparison -- */

/* The level of an event; MARGAY_NO_LEVEL = the machine has none. */
static size_t find_level(const struct margay_level *levels, size_t count,
                         const struct counter_event *event)
{
    bool is_data = event->path % 2 != 0, is_tlb = event->path >= CODE_TLB;
    size_t at = 0;
    while (at < count && (!margay_level_is_first(levels, count, at) ||
                          (levels[at].holds & (is_data ? R : F)) == 0 ||
                          (levels[at].block_bytes >= PAGE_BYTES) != is_tlb))
        at++;
    for (unsigned place = 1; at < count && place < event->place; place++) {
        size_t next = levels[at].next;
        if (next == MARGAY_NO_LEVEL || levels[next].bytes == 0)
            return event->place == LAST ? at : MARGAY_NO_LEVEL;
        at = next;
    }
    return at < count ? at : MARGAY_NO_LEVEL;
}

static uint64_t simulated(const struct margay_level_counts *counts,
                          unsigned what)
{
    bool misses = (what & MISSES) != 0;
    uint64_t sum = 0;
    if ((what & MARGAY_ALL_KINDS) == 0)
        return misses ? counts->demand_misses : counts->demand_references;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        if ((what >> kind & 1) != 0)
            sum += misses ? counts->misses[kind] : counts->references[kind];
    }
    return sum;
}

void table_counters(struct csv_writer *csv,
                    const struct machine_results *results,
                    const struct counters *counters)
{
    size_t count = results->machine->count;
    for (size_t i = 0; i < machine_count(results->machine) * counters->count;
         i++) {
        const struct counter *counter = &counters->list[i % counters->count];
        const struct counter_event *event = counter->event;
        size_t machine = i / counters->count;
        size_t level =
            find_level(results->levels + machine * count, count, event);
        bool of_level = event->place > 0;
        if (of_level && level == MARGAY_NO_LEVEL) {
            if (machine == 0)
                message_keep("%s: %s has no such level", counter->name,
                             results->name);
            continue;
        }
        uint64_t got = machine_instructions(results);
        if (of_level)
            got = simulated(&results->counts[machine * count + level],
                            event->counts);
        csv_text(csv, results->name);
        csv_text(csv, results->trace);
        csv_text(csv, counter->name);
        csv_text(csv, of_level ? results->machine->levels[level].name : "");
        csv_u64(csv, counter->count);
        csv_u64(csv, got);
        csv_share(csv, got, counter->count);
        table_varied(csv, results->machine, machine);
        csv_end_row(csv);
    }
}
