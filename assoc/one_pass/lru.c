/*
 * lru.c - every set-associative LRU cache from one pass
 *
 * Algorithm: a level is one block size with one number of sets.  It keeps the
 *   blocks of each set in recency order, up to the most ways.  A reference that
 *   finds its block at recency i hits in sets of more than i ways, so that one
 *   count per recency serves all ways.  With 2S sets, a set holds a part of the
 *   blocks of a set of S sets.  So a block that is the most recent of its set
 *   at one level is the most recent at all levels of more sets, and the
 *   reference need not visit those.
 * Source: Mattson, Gecsei, Slutz, Traiger 1970, for the recency order; Hill
 *   and Smith, "Evaluating associativity in CPU caches", IEEE Trans.
 *   Computers 38(12), 1989, for the refinement; Sugumar and Abraham's Cheetah,
 *   1993, did both in one pass.
 * Guarantee: exact, for any 64-bit numbers.
 * Cost: O(levels) cache lines per reference at worst; margay_grid_bytes() of
 *   memory.
 *
 * Tags are 32 bits wide while the numbers fall into few regions.  When there
 * are too many regions, all tags are widened once, to 64 bits.  The loops over
 * references are in kernel.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "assoc/one_pass/levels.h"
#include "assoc/room.h"

/* References that pass through the levels together.  With more of them, a set
   is used more often while it is in the processor's caches. */
#define LIST_REFS ((size_t)1 << 17)

/* All levels of a simulation: [block index][set index].  Their tags are in one
   piece, so that they are on large pages. */
struct caches {
    size_t count, tags_bytes;
    struct margay_level *levels;
    void *tags;
};

/* Adjacent levels of one block size: the work of one thread at a time. */
struct unit {
    size_t block_index;
    unsigned shift; /* from the smallest blocks to these */
    size_t first_level, level_count;
    uint64_t last; /* the block of the reference before */
    struct margay_work work;
};

#define REGION_SLOTS 8192 /* of the hash table */

/* Real traces touch few regions of the 64-bit space.  The high bits of a number
   name its region, and the regions are numbered as they appear: the region's
   number and the low bits fit into 32 bits together. */
struct regions {
    unsigned low_bits; /* that a narrow number keeps: 20 .. 32 */
    uint32_t count, limit;
    uint64_t high[REGION_SLOTS / 2]; /* by the region's number */
    struct region_slot {
        uint64_t high; /* the high bits, plus 1; 0 = free */
        uint32_t name; /* the region's number, shifted above the low bits */
    } slots[REGION_SLOTS];
};

struct margay_assoc {
    size_t block_count, set_count, unit_count;
    unsigned set_shifts[MARGAY_MOST_SET_SHIFT + 1];
    unsigned first_shift, most_ways;
    bool by_kind, wide, started;
    enum margay_target target;
    const struct margay_levels_kernel *kernel;
    struct regions *regions;
    struct caches caches;
    struct unit *units;
    uint64_t references[MARGAY_KINDS];

    /* References fill one list while the crew works on the other. */
    struct margay_work lists[2];
    unsigned filling;
    uint64_t last; /* the smallest block, a wide number, that was fed last */
    margay_crew *crew;
};

/* -------------------------------------------------------------- regions -- */

static uint64_t home_of(uint64_t high)
{
    return (high * UINT64_C(0x9e3779b97f4a7c15)) >> 51;
}

/* The slot of a region that is new or not in its first slot; NULL if it is one
   region too many. */
static const struct region_slot *find_slot(struct regions *r, uint64_t high)
{
    uint64_t i = home_of(high);
    while (r->slots[i].high != 0 && r->slots[i].high != high + 1)
        i = (i + 1) % REGION_SLOTS;
    struct region_slot *slot = &r->slots[i];
    if (slot->high == 0) {
        if (r->count == r->limit)
            return NULL;
        slot->high = high + 1;
        slot->name = (uint32_t)((uint64_t)r->count << r->low_bits);
        r->high[r->count++] = high;
    }
    return slot;
}

/* The number that became a narrow one, and was then shifted right. */
static uint64_t widen_number(const struct regions *regions, uint32_t narrow,
                             unsigned shift)
{
    unsigned low_bits = regions->low_bits - shift;
    uint64_t region = (uint64_t)narrow >> low_bits;
    uint64_t low = narrow & ((UINT64_C(1) << low_bits) - 1);
    return regions->high[region] << low_bits | low;
}

/* --------------------------------------------- the memory of a grid -- */

static bool ascends(const unsigned *values, size_t count, unsigned most)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] > most || (i > 0 && values[i] <= values[i - 1]))
            return false;
    }
    return count > 0;
}

static bool valid_grid(const struct margay_grid *grid)
{
    return ascends(grid->block_shifts, grid->block_count, 63) &&
           ascends(grid->set_shifts, grid->set_count, MARGAY_MOST_SET_SHIFT) &&
           grid->most_ways >= 1 && grid->most_ways <= MARGAY_MOST_WAYS;
}

/* The tags of a set, which fills whole lines of the processor's cache or
   divides one.  A whole line is faster than a part of one, which is not loaded
   at once when it was just stored.  So a set is a line where that takes little
   memory, which is up to 2^12 sets, or at most four times what is needed. */
static unsigned level_stride(unsigned ways, unsigned set_shift,
                             size_t tag_bytes)
{
    unsigned lanes = (unsigned)(MARGAY_LINE_BYTES / tag_bytes);
    if (ways > lanes)
        return (ways + lanes - 1) / lanes * lanes;
    if (ways > lanes / 4 || set_shift <= 12)
        return lanes;
    unsigned stride = 1;
    while (stride < ways)
        stride *= 2;
    return stride;
}

/* The bytes of the tags at all levels of one block size. */
static uint64_t bytes_of_tags(const unsigned *set_shifts, size_t set_count,
                              unsigned ways, size_t tag_bytes)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < set_count; i++) {
        uint64_t stride = level_stride(ways, set_shifts[i], tag_bytes);
        bytes += stride * tag_bytes << set_shifts[i];
    }
    return bytes;
}

uint64_t margay_grid_bytes(const struct margay_grid *grid)
{
    return valid_grid(grid) ? bytes_of_tags(grid->set_shifts, grid->set_count,
                                            grid->most_ways, sizeof(uint32_t)) *
                                  grid->block_count
                            : UINT64_MAX;
}

static enum margay_status fail_too_large(const struct margay_grid *grid,
                                         uint64_t room,
                                         struct margay_error *error)
{
    char needed[MARGAY_ROOM_TEXT], there[MARGAY_ROOM_TEXT];
    unsigned shift = grid->set_shifts[grid->set_count - 1];
    struct margay_grid smaller = *grid;
    margay_room_text(needed, margay_grid_bytes(grid));
    margay_room_text(there, room);
    while (shift > 0 && margay_grid_bytes(&smaller) > room) {
        /* No more than 2^shift sets, or those alone if none is so small. */
        shift--;
        while (smaller.set_count > 0 &&
               /* cppcheck-suppress objectIndex */
               smaller.set_shifts[smaller.set_count - 1] > shift)
            smaller.set_count--;
        if (smaller.set_count == 0) {
            smaller.set_shifts = &shift;
            smaller.set_count = 1;
        }
    }
    return margay_fail(error, MARGAY_NO_MEMORY,
                       "the caches would take %s of memory, and there are %s: "
                       "up to %" PRIu64 " set%s would fit",
                       needed, there, UINT64_C(1) << shift,
                       margay_plural(UINT64_C(1) << shift, "s"));
}

/* Make empty levels of the width that `assoc` has, from zero.  Destroy them in
   any case. */
static enum margay_status create_caches(const margay_assoc *assoc,
                                        struct caches *caches,
                                        struct margay_error *error)
{
    size_t tag_bytes = assoc->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    caches->count = assoc->block_count * assoc->set_count;
    caches->levels = calloc(caches->count, sizeof *caches->levels);
    caches->tags_bytes = bytes_of_tags(assoc->set_shifts, assoc->set_count,
                                       assoc->most_ways, tag_bytes) *
                         assoc->block_count;
    caches->tags = margay_map(caches->tags_bytes);
    if (caches->levels == NULL || caches->tags == NULL)
        return margay_fail_memory(error, "the tags of the caches");
    char *tags = caches->tags;
    for (size_t i = 0; i < caches->count; i++) {
        struct margay_level *level = &caches->levels[i];
        level->set_shift = assoc->set_shifts[i % assoc->set_count];
        level->stride =
            level_stride(assoc->most_ways, level->set_shift, tag_bytes);
        level->tags = tags;
        level->hits = calloc((size_t)MARGAY_KINDS * (level->stride + 1),
                             sizeof *level->hits);
        if (level->hits == NULL)
            return margay_fail_memory(error, "the counts of the caches");
        tags += (level->stride * tag_bytes) << level->set_shift;
    }
    return MARGAY_OK;
}

static void destroy_caches(struct caches *caches)
{
    for (size_t i = 0; caches->levels != NULL && i < caches->count; i++)
        free(caches->levels[i].hits);
    free(caches->levels);
    margay_unmap(caches->tags, caches->tags_bytes);
    *caches = (struct caches){0};
}

/* ------------------------------------------------------- making objects -- */

static const struct margay_levels_kernel *kernel_of(const margay_assoc *assoc)
{
    return assoc->wide
               ? MARGAY_FOR_TARGET(&margay_wide_levels_kernel, assoc->target)
               : MARGAY_FOR_TARGET(&margay_levels_kernel, assoc->target);
}

static enum margay_status choose_target(const char *name,
                                        enum margay_target *target,
                                        struct margay_error *error)
{
    *target = margay_target_best();
    if (name == NULL)
        return MARGAY_OK;
    for (int i = MARGAY_TARGET_PORTABLE; i <= MARGAY_TARGET_V4; i++) {
        *target = (enum margay_target)i;
        if (strcmp(name, margay_target_name(*target)) == 0 &&
            margay_target_available(*target))
            return MARGAY_OK;
    }
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "target '%s': unknown, or not for this processor (the "
                       "best that is: %s)",
                       name, margay_target_name(margay_target_best()));
}

static enum margay_status make_work(struct margay_work *work, bool by_kind,
                                    struct margay_error *error)
{
    work->blocks = calloc(LIST_REFS + MARGAY_FETCH_AHEAD, sizeof(uint64_t));
    work->kinds = by_kind ? calloc(LIST_REFS, 1) : NULL;
    if (work->blocks == NULL || (by_kind && work->kinds == NULL))
        return margay_fail_memory(error, "a list of references");
    return MARGAY_OK;
}

static void free_work(struct margay_work *work)
{
    free(work->blocks);
    free(work->kinds);
}

/* Divide the levels into units, at least one for each thread if possible. */
static enum margay_status make_units(margay_assoc *assoc,
                                     const struct margay_grid *grid,
                                     unsigned threads,
                                     struct margay_error *error)
{
    size_t parts = margay_minimum(
        (threads + grid->block_count - 1) / grid->block_count, grid->set_count);
    assoc->units = calloc(parts * grid->block_count, sizeof *assoc->units);
    if (assoc->units == NULL)
        return margay_fail_memory(error, "the caches");
    for (size_t i = 0; i < grid->block_count * parts; i++) {
        struct unit *unit = &assoc->units[i];
        size_t part = i % parts;
        unit->block_index = i / parts;
        unit->shift =
            grid->block_shifts[unit->block_index] - grid->block_shifts[0];
        size_t first = part * grid->set_count / parts;
        unit->level_count = (part + 1) * grid->set_count / parts - first;
        unit->first_level = unit->block_index * grid->set_count + first;
        assoc->unit_count++;
        enum margay_status status =
            make_work(&unit->work, assoc->by_kind, error);
        if (status != MARGAY_OK)
            return status;
    }
    return MARGAY_OK;
}

/* The number of a set consists of low bits of a block.  The largest blocks are
   shifted from the smallest, so that all bits up to the number of their set
   must stay in a narrow number.  A narrow number has at least 20 low bits, so
   that regions are few. */
static enum margay_status make_regions(margay_assoc *assoc,
                                       const struct margay_grid *grid,
                                       struct margay_error *error)
{
    unsigned low_bits = grid->block_shifts[grid->block_count - 1] -
                        grid->block_shifts[0] +
                        grid->set_shifts[grid->set_count - 1];
    assoc->wide = low_bits > 31;
    if (assoc->wide)
        return MARGAY_OK;
    assoc->regions = calloc(1, sizeof *assoc->regions);
    if (assoc->regions == NULL)
        return margay_fail_memory(error, "the table of regions");
    assoc->regions->low_bits = low_bits < 20 ? 20 : low_bits;
    assoc->regions->limit =
        (uint32_t)(UINT64_C(1) << (32 - assoc->regions->low_bits));
    return MARGAY_OK;
}

enum margay_status margay_assoc_create(
    const struct margay_grid *grid, const struct margay_assoc_options *options,
    margay_assoc **result, struct margay_error *error)
{
    *result = NULL;
    if (!valid_grid(grid))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "not a grid of caches (expected ascending block "
                           "shifts up to 63, set shifts up to %d, 1 to %d "
                           "ways)",
                           MARGAY_MOST_SET_SHIFT, MARGAY_MOST_WAYS);
    if (margay_grid_bytes(grid) > margay_room_bytes())
        return fail_too_large(grid, margay_room_bytes(), error);
    margay_assoc *assoc = calloc(1, sizeof *assoc);
    if (assoc == NULL)
        return margay_fail_memory(error, "the caches");
    assoc->block_count = grid->block_count;
    assoc->set_count = grid->set_count;
    memcpy(assoc->set_shifts, grid->set_shifts,
           grid->set_count * sizeof *grid->set_shifts);
    assoc->first_shift = grid->block_shifts[0];
    assoc->most_ways = grid->most_ways;
    assoc->by_kind = options->by_kind;
    enum margay_status status =
        choose_target(options->target, &assoc->target, error);
    if (status == MARGAY_OK)
        status = make_regions(assoc, grid, error);
    if (status == MARGAY_OK) {
        assoc->kernel = kernel_of(assoc);
        status = create_caches(assoc, &assoc->caches, error);
    }
    if (status == MARGAY_OK)
        status = make_units(assoc, grid, options->threads, error);
    for (int i = 0; i < 2 && status == MARGAY_OK; i++)
        status = make_work(&assoc->lists[i], assoc->by_kind, error);
    if (status == MARGAY_OK)
        status = margay_crew_create(options->threads, &assoc->crew, error);
    if (status == MARGAY_OK)
        *result = assoc;
    else
        margay_assoc_free(assoc);
    return status;
}

void margay_assoc_free(margay_assoc *assoc)
{
    if (assoc == NULL)
        return;
    if (assoc->crew != NULL)
        margay_crew_finish(assoc->crew);
    margay_crew_free(assoc->crew);
    destroy_caches(&assoc->caches);
    for (size_t i = 0; i < assoc->unit_count; i++)
        free_work(&assoc->units[i].work);
    for (int i = 0; i < 2; i++)
        free_work(&assoc->lists[i]);
    free(assoc->units);
    free(assoc->regions);
    free(assoc);
}

/* -------------------------------------------------------------- the crew -- */

/* Feed the full list to all levels of a unit. */
static void run_unit(void *context, size_t index)
{
    const margay_assoc *assoc = context;
    struct unit *unit = &assoc->units[index];
    assoc->kernel->begin(&assoc->lists[!assoc->filling], unit->shift,
                         &unit->last, &unit->work);
    struct margay_level *levels = assoc->caches.levels + unit->first_level;
    for (size_t i = 0; i < unit->level_count && unit->work.count > 0;)
        i +=
            assoc->kernel->pass(&levels[i], unit->level_count - i, &unit->work);
}

/* Hand the full list to the crew, and fill the other one meanwhile. */
static void hand_over(margay_assoc *assoc)
{
    if (assoc->lists[assoc->filling].count == 0)
        return;
    margay_crew_finish(assoc->crew);
    assoc->filling = !assoc->filling;
    assoc->lists[assoc->filling].count = 0;
    margay_crew_start(assoc->crew, run_unit, assoc, assoc->unit_count);
}

/* Wait until all levels have seen all references. */
static void flush(margay_assoc *assoc)
{
    hand_over(assoc);
    margay_crew_finish(assoc->crew);
}

/* -------------------------------------------------------------- widening -- */

/* Copy a level.  Where the sets of one width have more places than those of the
   other, the additional places are beyond the most ways, where no count makes a
   difference. */
static void widen_level(const margay_assoc *assoc, unsigned shift,
                        const struct margay_level *from,
                        struct margay_level *to)
{
    const uint32_t *narrow = from->tags;
    uint64_t *wide = to->tags;
    unsigned stride = from->stride < to->stride ? from->stride : to->stride;
    for (uint64_t set = 0; set >> from->set_shift == 0; set++) {
        for (unsigned i = 0; i < stride; i++) {
            uint32_t tag = narrow[set * from->stride + i];
            bool there = from->set_shift == 0 ? i < from->filled : tag != 0;
            if (there)
                wide[set * to->stride + i] =
                    widen_number(assoc->regions, tag, shift);
        }
    }
    to->filled = from->filled < to->stride ? from->filled : to->stride;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        for (unsigned i = 0; i <= from->stride; i++) {
            unsigned at = i < to->stride && i < from->stride ? i : to->stride;
            to->hits[kind * (to->stride + 1) + at] +=
                from->hits[kind * (from->stride + 1) + i];
        }
    }
}

/* Make all tags wide; after a failure the object can only be freed. */
static enum margay_status widen(margay_assoc *assoc, struct margay_error *error)
{
    struct caches wide = {0};
    flush(assoc);
    assoc->wide = true;
    assoc->kernel = kernel_of(assoc);
    enum margay_status status = create_caches(assoc, &wide, error);
    if (status != MARGAY_OK) {
        destroy_caches(&wide);
        return status;
    }
    for (size_t i = 0; i < assoc->unit_count; i++) {
        struct unit *unit = &assoc->units[i];
        for (size_t k = 0; k < unit->level_count; k++)
            widen_level(assoc, unit->shift,
                        &assoc->caches.levels[unit->first_level + k],
                        &wide.levels[unit->first_level + k]);
        if (assoc->started)
            unit->last =
                widen_number(assoc->regions, (uint32_t)unit->last, unit->shift);
    }
    destroy_caches(&assoc->caches);
    assoc->caches = wide;
    return MARGAY_OK;
}

/* --------------------------------------------------------------- feeding -- */

/* Append numbers, or those of 32 bits that stand for them.  Returns how many
   are done, which is fewer than `count` where the next number lies in one
   region more than the limit.  Apart, so that the loop has all registers. */
static __attribute__((noinline)) size_t append_blocks(
    struct margay_work *list, const uint64_t *numbers, size_t count,
    unsigned shift, uint64_t *last, struct regions *regions)
{
    const unsigned low_bits = regions == NULL ? 0 : regions->low_bits;
    const uint64_t low_mask = (UINT64_C(1) << low_bits) - 1;
    uint32_t *narrow = list->blocks;
    uint64_t *wide = list->blocks, before = *last;
    size_t kept = list->count, i = 0;
    for (; i < count; i++) {
        uint64_t number = numbers[i] >> shift, high = number >> low_bits;
        if (regions == NULL) {
            wide[kept] = number;
        } else {
            const struct region_slot *slot = &regions->slots[home_of(high)];
            if (__builtin_expect(slot->high != high + 1, 0)) {
                slot = find_slot(regions, high);
                if (slot == NULL)
                    break;
            }
            narrow[kept] = slot->name | (uint32_t)(number & low_mask);
        }
        kept += number != before;
        before = number;
    }
    *last = before;
    list->count = kept;
    return i;
}

/* Append references to the list but those that repeat the one before, which are
   at recency 0 wherever they are; returns as append_blocks(). */
static size_t append(margay_assoc *assoc, const uint64_t *numbers,
                     const uint8_t *kinds, size_t count)
{
    struct margay_work *list = &assoc->lists[assoc->filling];
    const unsigned shift = assoc->first_shift;
    size_t kept = list->count;
    bool starts = !assoc->started;
    /* The first block must differ from its predecessor, which does not
       exist. */
    if (starts)
        assoc->last = ~(numbers[0] >> shift);
    uint64_t last = assoc->last;
    count = append_blocks(list, numbers, count, shift, &assoc->last,
                          assoc->wide ? NULL : assoc->regions);
    for (size_t i = 0; starts && i < assoc->unit_count; i++) {
        struct unit *unit = &assoc->units[i];
        unit->last = assoc->wide ? *(const uint64_t *)list->blocks
                                 : *(const uint32_t *)list->blocks;
        unit->last = ~(unit->last >> unit->shift);
    }
    assoc->started = true;
    if (!assoc->by_kind) {
        assoc->references[MARGAY_READ] += count;
        return count;
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t kind = kinds == NULL ? MARGAY_READ : kinds[i];
        assoc->references[kind]++;
        list->kinds[kept] = kind;
        kept += numbers[i] >> shift != last;
        last = numbers[i] >> shift;
    }
    return count;
}

enum margay_status margay_assoc_feed(margay_assoc *assoc,
                                     const uint64_t *numbers,
                                     const uint8_t *kinds, size_t count,
                                     struct margay_error *error)
{
    for (size_t done = 0; done < count;) {
        size_t room = LIST_REFS - assoc->lists[assoc->filling].count;
        size_t wanted = count - done < room ? count - done : room;
        size_t taken = append(assoc, numbers + done,
                              kinds == NULL ? NULL : kinds + done, wanted);
        done += taken;
        if (taken < wanted) {
            enum margay_status status = widen(assoc, error);
            if (status != MARGAY_OK)
                return status;
        } else if (assoc->lists[assoc->filling].count == LIST_REFS) {
            hand_over(assoc);
        }
    }
    return MARGAY_OK;
}

/* --------------------------------------------------------------- counts -- */

void margay_assoc_reset_counts(margay_assoc *assoc)
{
    flush(assoc);
    memset(assoc->references, 0, sizeof assoc->references);
    for (size_t i = 0; i < assoc->caches.count; i++)
        memset(assoc->caches.levels[i].hits, 0,
               (size_t)MARGAY_KINDS * (assoc->caches.levels[i].stride + 1) *
                   sizeof *assoc->caches.levels[i].hits);
}

uint64_t margay_assoc_references(margay_assoc *assoc, unsigned kinds)
{
    uint64_t references = 0;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        if ((kinds & MARGAY_KIND_BIT(kind)) != 0)
            references += assoc->references[kind];
    }
    return references;
}

/* A reference that was dropped on its way is a hit at recency 0. */
uint64_t margay_assoc_misses(margay_assoc *assoc, size_t block_index,
                             size_t set_index, unsigned ways, unsigned kinds)
{
    const struct margay_level *level =
        &assoc->caches.levels[block_index * assoc->set_count + set_index];
    uint64_t misses = 0;
    flush(assoc);
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        const uint64_t *hits = level->hits + kind * (level->stride + 1);
        if ((kinds & MARGAY_KIND_BIT(kind)) == 0)
            continue;
        for (unsigned i = ways; i <= level->stride; i++)
            misses += hits[i];
    }
    return misses;
}
