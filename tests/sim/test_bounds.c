/*
 * test_bounds.c - pfoo-l and pfoo-u against the optimum of tiny traces, which
 * tries what a cache may hold after each request, pfoo-u of longer ones against
 * a schedule that looks at each request in between, and belady-size against all
 * objects looked at
 */
#include <stdlib.h>
#include <string.h>

#include "sim/run/policies_replay.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"

#define OBJECTS  5
#define REQUESTS 16
#define LONGEST  600
#define CACHES   6
#define NONE     UINT64_MAX

static const char *const specs[] = {"pfoo-l", "pfoo-u", "belady-size", "lru",
                                    "sieve"};
#define SPECS (sizeof specs / sizeof specs[0])

static struct request {
    uint32_t object;
    uint64_t size, time, until;
} requests[LONGEST];
static size_t count, warmup;
static uint64_t first_sizes[OBJECTS], caches[CACHES];
static struct margay_series_point points[SPECS][CACHES];
static bool expires;

static void make_trace(bool alike)
{
    uint64_t most = 1 + below(12), objects = 1 + below(OBJECTS), time = 0;
    bool changes = !alike && one_in(2);
    uint64_t now[OBJECTS];
    expires = !alike && one_in(4);
    count = 1 + below(REQUESTS);
    warmup = one_in(3) ? below(count) : 0;
    for (size_t i = 0; i < OBJECTS; i++)
        now[i] = first_sizes[i] = alike ? 1 : below(most + 1);
    for (size_t i = 0; i < count; i++) {
        uint32_t object = (uint32_t)below(objects);
        if (changes && one_in(4))
            now[object] = below(most + 1);
        time += expires ? below(3) : 0;
        requests[i] = (struct request){object, now[object], time,
                                       expires ? time + below(12) : 0};
    }
    for (size_t i = 0; i < CACHES; i++)
        caches[i] = i == 0 ? 1 : caches[i - 1] + 1 + below(most);
}

/* A longer one, whose sizes make no two costs alike, with rare objects. */
static void make_long_trace(void)
{
    expires = false;
    count = 1 + below(LONGEST);
    warmup = one_in(3) ? below(count) : 0;
    for (size_t i = 0; i < OBJECTS; i++)
        first_sizes[i] = below(1 << 20);
    for (size_t i = 0; i < count; i++) {
        uint32_t object = 0;
        while (object + 1 < OBJECTS && one_in(4))
            object++;
        requests[i] = (struct request){object, below(1 << 20), 0, 0};
    }
    for (size_t i = 0; i < CACHES; i++)
        caches[i] = (i + 1) << 18;
}

/* ------------------------------------------------------- what is tested -- */

static bool measure(void)
{
    struct margay_policy_rows rows;
    struct margay_replay replay = {.rows = &rows,
                                   .sample = margay_sample_of(1, 1),
                                   .object_bytes = first_sizes,
                                   .noted = {.any = true, .last_time = 1}};
    const struct margay_share share = {.threads = 1};
    struct margay_series_point sizes[CACHES] = {{0}};
    const struct margay_series all = {.points = sizes, .count = CACHES};
    uint32_t *words, numbers[OBJECTS];
    uint64_t now[OBJECTS], objects[OBJECTS];
    size_t used = 0;
    memcpy(now, first_sizes, sizeof now);
    for (size_t i = 0; i < OBJECTS; i++)
        objects[i] = i;
    for (size_t i = 0; i < CACHES; i++)
        sizes[i].size = caches[i];
    if (margay_replay_begin(&replay, &share, "/tmp", NULL) != MARGAY_OK ||
        margay_numbering_feed(replay.numbering, objects, OBJECTS, numbers,
                              NULL) != MARGAY_OK ||
        margay_history_reserve(&replay.history, LONGEST * 10, &words, NULL) !=
            MARGAY_OK ||
        margay_policies_read(specs, SPECS, MARGAY_CACHES_OF_OBJECTS, &rows,
                             NULL) != MARGAY_OK)
        exit(1);
    for (size_t i = 0; i < count; i++) {
        const struct request *request = &requests[i];
        replay.uncounted = i == warmup ? used : replay.uncounted;
        if (request->size != now[request->object])
            used += margay_note(words + used, MARGAY_NOTE_SIZE, request->size);
        now[request->object] = request->size;
        if (expires) {
            used += margay_note(words + used, MARGAY_NOTE_TIME, request->time);
            used +=
                margay_note(words + used, MARGAY_NOTE_UNTIL, request->until);
        }
        words[used++] = request->object;
    }
    margay_history_add(&replay.history, used);
    bool done = margay_replay_run(&replay, &all, NULL) == MARGAY_OK;
    if (done)
        memcpy(points, replay.points, sizeof points);
    margay_replay_free(&replay);
    free(rows.list);
    return done;
}

/* --------------------------------------------------------- the optimum -- */

static uint64_t bytes_of(unsigned held, const uint64_t *sizes)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < OBJECTS; i++)
        sum += (held >> i & 1) != 0 ? sizes[i] : 0;
    return sum;
}

/* The least misses, or bytes missed, of a cache that holds any objects that fit
   after each request; the object of the request among them if it fits and
   `stores`. */
static uint64_t optimum(uint64_t cache, bool stores, bool of_bytes)
{
    uint64_t best[1 << OBJECTS], next[1 << OBJECTS], sizes[OBJECTS];
    memcpy(sizes, first_sizes, sizeof sizes);
    for (unsigned held = 0; held < 1 << OBJECTS; held++)
        best[held] = held == 0 ? 0 : NONE;
    for (size_t i = 0; i < count; i++) {
        unsigned own = 1u << requests[i].object;
        uint64_t price = of_bytes ? requests[i].size : 1;
        sizes[requests[i].object] = requests[i].size;
        for (unsigned held = 0; held < 1 << OBJECTS; held++)
            next[held] = NONE;
        for (unsigned from = 0; from < 1 << OBJECTS; from++) {
            uint64_t cost =
                best[from] + ((from & own) == 0 && i >= warmup ? price : 0);
            for (unsigned to = 0; to < 1 << OBJECTS && best[from] < NONE;
                 to++) {
                if ((to & ~(from | own)) == 0 && bytes_of(to, sizes) <= cache &&
                    (!stores || requests[i].size > cache || (to & own) != 0) &&
                    cost < next[to])
                    next[to] = cost;
            }
        }
        memcpy(best, next, sizeof best);
    }
    uint64_t least = NONE;
    for (unsigned held = 0; held < 1 << OBJECTS; held++)
        least = best[held] < least ? best[held] : least;
    return least;
}

/* ------------------------------------------------------- belady-size -- */

static uint64_t next_of(uint32_t object, size_t now)
{
    for (size_t i = now + 1; i < count; i++) {
        if (requests[i].object == object)
            return i;
    }
    return NONE;
}

static uint64_t naive_belady(uint64_t cache)
{
    uint64_t sizes[OBJECTS], found = 0;
    unsigned held = 0;
    memcpy(sizes, first_sizes, sizeof sizes);
    for (size_t i = 0; i < count; i++) {
        unsigned own = 1u << requests[i].object;
        found += (held & own) == 0 && i >= warmup;
        sizes[requests[i].object] = requests[i].size;
        if (requests[i].size > cache) {
            held &= ~own;
            continue;
        }
        held |= own;
        while (bytes_of(held, sizes) > cache) {
            uint64_t most = 0;
            uint32_t victim = OBJECTS;
            for (uint32_t j = 0; j < OBJECTS; j++) {
                uint64_t next = next_of(j, i);
                uint64_t cost = next == NONE ? NONE : sizes[j] * (next - i);
                if ((held & ~own & 1u << j) != 0 &&
                    (victim == OBJECTS || cost > most)) {
                    victim = j;
                    most = cost;
                }
            }
            held &= ~(1u << victim);
        }
    }
    return found;
}

/* ------------------------------------------------------- a schedule -- */

/* The misses, or the bytes missed, where intervals are taken from the cheapest
   on as long as they fit at each request in between. */
static uint64_t naive_schedule(uint64_t cache, bool of_bytes)
{
    static uint64_t room[LONGEST], nexts[LONGEST];
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++) {
        nexts[i] = next_of(requests[i].object, i);
        room[i] = cache - (requests[i].size <= cache ? requests[i].size : 0);
        if (i >= warmup)
            found += of_bytes ? requests[i].size : 1;
    }
    for (;;) {
        size_t from = LONGEST;
        double least = 0;
        for (size_t i = 0; i < count; i++) {
            if (nexts[i] == NONE || nexts[i] < warmup)
                continue;
            double cost = (double)(requests[i].size * (nexts[i] - i));
            if (of_bytes)
                cost /= (double)requests[nexts[i]].size;
            if (from == LONGEST || cost < least) {
                from = i;
                least = cost;
            }
        }
        if (from == LONGEST)
            return found;
        size_t to = nexts[from];
        bool fits = requests[from].size <= cache;
        nexts[from] = NONE;
        for (size_t i = from + 1; i < to; i++)
            fits = fits && requests[from].size <= room[i];
        if (!fits)
            continue;
        for (size_t i = from + 1; i < to; i++)
            room[i] -= requests[from].size;
        found -= of_bytes ? requests[to].size : 1;
    }
}

static void check_schedules(void)
{
    uint64_t traces = rounds(40), wrong = 0;
    for (uint64_t i = 0; i < traces; i++) {
        make_long_trace();
        if (!measure())
            exit(1);
        for (size_t c = 0; c < CACHES; c++)
            wrong +=
                points[1][c].misses != naive_schedule(caches[c], false) ||
                points[1][c].missed_bytes != naive_schedule(caches[c], true);
    }
    CHECK_U64(wrong, 0, "pfoo-u of longer traces: as a schedule by hand");
}

/* ------------------------------------------------------------- the cases -- */

/* Of equal products any goes, so belady-size is held against the naive cache
   where all objects have one size. */
int main(void)
{
    uint64_t traces = rounds(3000), below_l = 0, above_u = 0, any = 0;
    uint64_t belady = 0, crossed = 0, tight = 0, tried = 0;
    seed_chance(38);
    for (uint64_t i = 0; i < traces; i++) {
        bool alike = i % 4 == 0;
        make_trace(alike);
        if (!measure())
            exit(1);
        for (size_t c = 0; c < CACHES; c++) {
            crossed += points[0][c].misses > points[1][c].misses ||
                       points[0][c].missed_bytes > points[1][c].missed_bytes;
            for (size_t p = 2; p < SPECS; p++)
                any += points[p][c].misses < points[0][c].misses ||
                       points[p][c].missed_bytes < points[0][c].missed_bytes;
            if (expires)
                continue;
            uint64_t least = optimum(caches[c], false, false);
            uint64_t stored = optimum(caches[c], true, false);
            below_l +=
                points[0][c].misses > least ||
                points[0][c].missed_bytes > optimum(caches[c], false, true);
            above_u +=
                points[1][c].misses < stored ||
                points[1][c].missed_bytes < optimum(caches[c], true, true);
            tried++;
            tight += points[1][c].misses == stored;
            belady += alike && warmup == 0 && points[2][c].misses != stored;
            belady += alike && points[2][c].misses != naive_belady(caches[c]);
        }
    }
    CHECK_U64(below_l, 0, "pfoo-l: never above the optimum (%" PRIu64 ")",
              traces);
    CHECK_U64(above_u, 0, "pfoo-u: never below that of a cache that stores");
    CHECK_U64(crossed, 0, "and never below pfoo-l");
    CHECK_U64(any, 0,
              "no policy is better than pfoo-l, even where objects "
              "expire");
    CHECK_U64(belady, 0,
              "belady-size of objects alike: as all looked at, and "
              "the optimum");
    CHECK(tight * 10 > tried * 8, "pfoo-u is mostly the optimum");
    check_schedules();
    return tap_done();
}
