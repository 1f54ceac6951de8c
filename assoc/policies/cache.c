/*
 * cache.c - one cache of any policy, of blocks or of objects
 *
 * The tests hold every other simulation of caches against this one, and this
 * one against the lists and loops of tests/assoc/test_policies.c and
 * tests/assoc/test_objects.c.
 */
#define _GNU_SOURCE
#include "assoc/policies/cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "assoc/room.h"

/* The parts of a cache. */
struct design {
    const struct margay_policy *policy;
    struct margay_policy_setup setup;
    enum margay_finder_form form;
    struct margay_sets sets;
    bool notes_latest;
};

static enum margay_status check_size(const struct margay_cache_options *options,
                                     const struct design *design,
                                     struct margay_error *error)
{
    const struct margay_policy_setup *setup = &design->setup;
    uint64_t blocks;
    if (setup->sets > MARGAY_MOST_SETS || options->ways < 1)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "a cache of %" PRIu64 " set%s of %" PRIu32
            " way%s (expected at most %" PRIu64 " sets and at least 1 way)",
            setup->sets, margay_plural(setup->sets, "s"), options->ways,
            margay_plural(options->ways, "s"), MARGAY_MOST_SETS);
    if (!margay_multiply_u64(setup->slots, setup->sets, &blocks) ||
        blocks > MARGAY_MOST_SLOTS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a cache of %" PRIu64 " set%s of %" PRIu32
                           " ways (expected at most %" PRIu64
                           " blocks, those included that the policy "
                           "remembers)",
                           setup->sets, margay_plural(setup->sets, "s"),
                           options->ways, MARGAY_MOST_SLOTS);
    if (options->dense_blocks && setup->sets != 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a cache of %" PRIu64
                           " sets of dense blocks (expected one set)",
                           setup->sets);
    return MARGAY_OK;
}

static enum margay_status check_powers(
    const struct margay_cache_options *options, const struct design *design,
    struct margay_error *error)
{
    const struct margay_policy_info *info = &design->policy->info;
    if ((info->abilities & MARGAY_POLICY_EVEN_WAYS) != 0 && options->ways > 1 &&
        options->ways % 2 != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu32 " ways (expected an even number)",
                           info->name, options->ways);
    if (options->index == MARGAY_INDEX_XOR &&
        !margay_is_power_of_two(design->sets.count))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%" PRIu64 " sets, whose index is an exclusive or "
                           "(expected a power of two)",
                           design->sets.count);
    return MARGAY_OK;
}

static enum margay_status find_sets(const struct margay_cache_options *options,
                                    struct design *design,
                                    struct margay_error *error)
{
    struct margay_sets *sets = &design->sets;
    unsigned slices = options->slices == 0 ? 1 : options->slices;
    if (!margay_is_power_of_two(slices) || slices > MARGAY_MOST_SLICES ||
        design->setup.sets % slices != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%u slices of %" PRIu64
                           " sets (expected 1, 2, 4 or 8, a divisor)",
                           slices, design->setup.sets);
    sets->count = design->setup.sets / slices;
    sets->rule_in_slice = margay_set_rule(options->index, sets->count);
    sets->rule = slices > 1 ? MARGAY_SETS_SLICED : sets->rule_in_slice;
    sets->slice_bits = margay_log2_floor(slices);
    sets->block_shift = options->block_shift;
    return MARGAY_OK;
}

static enum margay_status make_design(
    const struct margay_cache_options *options, struct design *design,
    struct margay_error *error)
{
    const char *spec = margay_policy_spec(options->policy);
    struct margay_policy_setup *setup = &design->setup;
    *setup = (struct margay_policy_setup){
        .sets = options->sets == 0 ? 1 : options->sets,
        .ways = options->ways,
        .slots = options->ways,
        .room = options->ways,
        .seed = options->seed};
    enum margay_status status =
        margay_policy_parse(spec, &design->policy, &setup->settings, error);
    if (status == MARGAY_OK && design->policy == &margay_policy_own)
        status = margay_own_open(spec, &setup->own, error);
    if (status != MARGAY_OK)
        return status;
    if (design->policy->loops == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s knows the future (expected one that a "
                           "single cache can have)",
                           design->policy->info.name);
    design->notes_latest =
        options->notes_latest && design->policy->idle_repeats;
    if (design->policy->memory != NULL)
        setup->slots += design->policy->memory(setup);
    design->form = options->dense_blocks                 ? MARGAY_FORM_DENSE
                   : setup->slots > MARGAY_SCANNED_SLOTS ? MARGAY_FORM_INDEXED
                                                         : MARGAY_FORM_SCANNED;
    status = find_sets(options, design, error);
    if (status == MARGAY_OK)
        status = check_size(options, design, error);
    return status == MARGAY_OK ? check_powers(options, design, error) : status;
}

/* A smaller finder stays in the processor's own caches. */
#define NEAR_BYTES ((uint64_t)1 << 18)

/* Lay out empty sets, of fewer than 2^32 - 1 slots together; only one if the
   form is dense. */
static void set_up_finder(struct margay_finder *finder,
                          enum margay_finder_form form,
                          const struct margay_sets *in,
                          const struct margay_policy_setup *setup,
                          struct margay_layout *layout)
{
    uint64_t sets = setup->sets, slots = setup->slots, before = layout->bytes;
    uint64_t marks = (slots + MARGAY_MARKS - 1) / MARGAY_MARKS * MARGAY_MARKS;
    unsigned bucket_bits = margay_log2_floor(sets * slots) + 1;
    *finder = (struct margay_finder){
        .form = form,
        .sets = *in,
        .ways = setup->ways,
        .slots = slots,
        .set_bytes =
            sizeof(struct margay_scanned_set) + marks * sizeof(uint16_t),
        .full = UINT64_MAX >> (setup->ways < MARGAY_SCANNED_SLOTS
                                   ? MARGAY_SCANNED_SLOTS - setup->ways
                                   : 0),
        .shift = 64 - bucket_bits,
        .blocks = margay_lay_out(layout, sets * slots * sizeof(uint64_t)),
    };
    if (form == MARGAY_FORM_SCANNED)
        finder->scanned = margay_lay_out(layout, sets * finder->set_bytes);
    else
        finder->filled = margay_lay_out(layout, sets * sizeof(uint32_t));
    if (form == MARGAY_FORM_INDEXED) {
        finder->emptied = margay_lay_out(layout, sets * sizeof(uint32_t));
        finder->heads = margay_lay_out(layout, sizeof(uint32_t) << bucket_bits);
        finder->next = margay_lay_out(layout, sets * slots * sizeof(uint32_t));
    }
    finder->far = layout->bytes - before > NEAR_BYTES;
}

/* Lay out all arrays of a cache; nothing else of it is touched. */
static void lay_out_cache(margay_cache *cache, const struct design *design,
                          struct margay_layout *layout)
{
    const struct margay_policy_setup *setup = &design->setup;
    set_up_finder(&cache->finder, design->form, &design->sets, setup, layout);
    cache->dirty_bytes = (size_t)((setup->sets * setup->slots + 7) / 8);
    cache->dirty = margay_lay_out(layout, cache->dirty_bytes);
    if (design->notes_latest)
        cache->latest =
            margay_lay_out(layout, setup->sets * sizeof *cache->latest);
    design->policy->set_up(cache->state, setup, layout);
}

uint64_t margay_cache_bytes(const struct margay_cache_options *options)
{
    struct design design;
    struct margay_layout count = {NULL, 0};
    if (make_design(options, &design, NULL) != MARGAY_OK)
        return UINT64_MAX;
    margay_cache cache = {.state = calloc(1, design.policy->state_bytes)};
    if (cache.state == NULL)
        return UINT64_MAX;
    lay_out_cache(&cache, &design, &count);
    free(cache.state);
    return count.bytes;
}

enum margay_status margay_cache_create(
    const struct margay_cache_options *options, margay_cache **result,
    struct margay_error *error)
{
    struct design design;
    struct margay_layout layout = {NULL, 0};
    *result = NULL;
    enum margay_status status = make_design(options, &design, error);
    if (status != MARGAY_OK)
        return status;
    margay_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return margay_fail_memory(error, "a cache");
    cache->policy = design.policy;
    cache->write_through = options->write_through;
    cache->no_allocate = options->no_allocate;
    cache->state = calloc(1, design.policy->state_bytes);
    if (cache->state != NULL) {
        lay_out_cache(cache, &design, &layout);
        cache->array_bytes = layout.bytes;
        cache->arrays = margay_map((size_t)layout.bytes);
    }
    if (cache->arrays == NULL) {
        margay_cache_free(cache);
        return margay_fail_memory(error, "a cache");
    }
    layout = (struct margay_layout){cache->arrays, 0};
    lay_out_cache(cache, &design, &layout);
    *result = cache;
    return MARGAY_OK;
}

static size_t place_bytes(uint64_t count)
{
    return (size_t)count * sizeof(uint32_t);
}

void margay_cache_free(margay_cache *cache)
{
    if (cache == NULL)
        return;
    free(cache->state);
    margay_unmap(cache->arrays, (size_t)cache->array_bytes);
    margay_unmap(cache->finder.places, place_bytes(cache->finder.place_count));
    free(cache);
}

/* Make room for the blocks below `blocks` in a dense finder. */
enum margay_status margay_cache_reserve(margay_cache *cache, uint64_t blocks,
                                        struct margay_error *error)
{
    struct margay_finder *finder = &cache->finder;
    uint64_t count = finder->place_count;
    if (finder->form != MARGAY_FORM_DENSE || blocks <= count)
        return MARGAY_OK;
    /* Doubled, so that blocks are copied twice on average at most. */
    count = blocks > 2 * count ? blocks : 2 * count;
    uint32_t *places = count > SIZE_MAX / 2 / sizeof *places
                           ? NULL
                           : margay_map(place_bytes(count));
    if (places == NULL)
        return margay_fail_memory(error, "a cache");
    if (finder->places != NULL)
        memcpy(places, finder->places, place_bytes(finder->place_count));
    margay_unmap(finder->places, place_bytes(finder->place_count));
    finder->places = places;
    finder->place_count = count;
    finder->far = finder->far || place_bytes(count) > NEAR_BYTES;
    return MARGAY_OK;
}

void margay_cache_tell_sites(margay_cache *cache, const uint64_t *sites)
{
    cache->sites = sites;
}

void margay_cache_feed(margay_cache *cache, const uint64_t *blocks,
                       const uint8_t *kinds, size_t count)
{
    const struct margay_uses uses = {blocks, kinds, count, cache->sites};
    uint64_t writes = 0, fetches = 0;
    cache->sites = NULL;
    for (size_t i = 0; kinds != NULL && i < count; i++) {
        writes += kinds[i] == MARGAY_WRITE;
        fetches += kinds[i] == MARGAY_FETCH;
    }
    cache->counts.references[MARGAY_READ] += count - writes - fetches;
    cache->counts.references[MARGAY_WRITE] += writes;
    cache->counts.references[MARGAY_FETCH] += fetches;
    cache->policy->loops[cache->finder.form].feed(cache, &uses);
}

size_t margay_cache_condense(margay_cache *cache, const uint64_t *blocks,
                             const uint8_t *kinds, size_t count,
                             uint64_t *left_blocks, uint8_t *left_kinds)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t block = blocks[i];
        bool again = false;
        if (cache->latest != NULL) {
            uint64_t set = margay_set_of(&cache->finder.sets, block);
            again = cache->latest[set].inverse == ~block && ~block != 0;
            cache->latest[set].inverse = ~block;
        }
        left_blocks[left] = block;
        if (kinds != NULL)
            left_kinds[left] = kinds[i];
        left += !again;
    }
    return left;
}

enum margay_status margay_traffic_reserve(struct margay_traffic *traffic,
                                          size_t room,
                                          struct margay_error *error)
{
    if (room <= traffic->room)
        return MARGAY_OK;
#define RESERVE(array)                                                  \
    {                                                                   \
        void *grown =                                                   \
            reallocarray(traffic->array, room, sizeof *traffic->array); \
        if (grown == NULL)                                              \
            return margay_fail_memory(error, "what a cache passes on"); \
        traffic->array = grown;                                         \
    }
    RESERVE(blocks)
    RESERVE(kinds)
    RESERVE(causes)
    RESERVE(purposes)
    if (traffic->covers)
        RESERVE(extents)
#undef RESERVE
    traffic->room = room;
    return MARGAY_OK;
}

void margay_traffic_clear(struct margay_traffic *traffic)
{
    free(traffic->blocks);
    free(traffic->kinds);
    free(traffic->causes);
    free(traffic->purposes);
    free(traffic->extents);
    *traffic = (struct margay_traffic){.count = 0};
}

void margay_cache_feed_through(margay_cache *cache, const uint64_t *blocks,
                               const uint8_t *kinds, size_t count,
                               struct margay_traffic *traffic)
{
    traffic->count = 0;
    cache->traffic = traffic;
    margay_cache_feed(cache, blocks, kinds, count);
    cache->traffic = NULL;
}

void margay_cache_reset_counts(margay_cache *cache)
{
    cache->counts = (struct margay_cache_counts){0};
}

const struct margay_cache_counts *margay_cache_counts(const margay_cache *cache)
{
    return &cache->counts;
}

/* ------------------------------------------------------------- the steps -- */

bool margay_cache_take_out(margay_cache *cache, uint64_t at)
{
    uint64_t set = at / cache->finder.slots;
    uint32_t slot = (uint32_t)(at % cache->finder.slots);
    bool dirty = margay_cache_make_clean(cache, at);
    margay_finder_empty(&cache->finder, set, slot);
    if (cache->policy->remove != NULL)
        cache->policy->remove(cache->state, set, slot);
    return dirty;
}

/* ----------------------------------------------------- caches of objects -- */

/* How many objects of their mean size the cache has room for. */
static uint32_t usual_objects(const struct margay_object_cache_options *options)
{
    margay_u128 bytes = 0, held = options->objects;
    for (uint32_t i = 0; i < options->objects; i++)
        bytes += options->sizes[i];
    if (options->bytes < bytes)
        held = held * options->bytes / bytes;
    return held == 0 ? 1 : (uint32_t)held;
}

static enum margay_status design_of_objects(
    const struct margay_object_cache_options *options,
    const struct margay_policy **policy, struct margay_policy_setup *setup,
    struct margay_admission *admission, struct margay_error *error)
{
    *setup = (struct margay_policy_setup){
        .sets = 1,
        .slots = options->objects,
        .room = options->bytes,
        .seed = options->seed,
    };
    char *plain = strdup(options->policy);
    enum margay_status status =
        plain == NULL
            ? margay_fail_memory(error, "a spec")
            : margay_admission_take(options->policy, plain, admission, error);
    if (status == MARGAY_OK)
        status = margay_policy_parse(plain, policy, &setup->settings, error);
    free(plain);
    if (status == MARGAY_OK && (*policy)->feed_objects == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s is not defined for objects with sizes",
                           (*policy)->info.name);
    if (status == MARGAY_OK)
        status =
            margay_admission_check(admission, *policy, options->policy, error);
    if (status == MARGAY_OK && (options->bytes < 1 || options->objects < 1 ||
                                options->objects > MARGAY_MOST_OBJECTS))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a cache of objects: expected at least 1 byte and "
                           "up to 2^31 objects");
    if (status == MARGAY_OK)
        setup->ways = usual_objects(options);
    if (options->scale > 1 && admission->tier_bytes > 0)
        admission->tier_bytes =
            (uint64_t)((double)admission->tier_bytes / options->scale) + 1;
    return status;
}

/* Lay out all arrays; the state is not touched otherwise. */
static void lay_out_objects(const struct margay_object_cache_options *options,
                            struct margay_policy_setup *setup,
                            margay_object_cache *cache,
                            struct margay_layout *layout)
{
    uint32_t objects = options->objects;
    margay_lay_out_amounts(&cache->sizes, objects, options->noted.most_bytes,
                           layout);
    if (options->noted.last_time > 0)
        margay_lay_out_amounts(&cache->expiries, objects,
                               options->noted.last_time / cache->tick, layout);
    if (cache->tier.bytes != 0)
        margay_order_set_up(&cache->tier.order, 1, objects, 1, layout);
    if (cache->tier.bytes != 0 && options->noted.most_cost > 0)
        margay_lay_out_amounts(&cache->tier.costs, objects,
                               options->noted.most_cost, layout);
    margay_admission_set_up(&cache->admission, setup, layout);
    setup->sizes = &cache->sizes;
    cache->policy->set_up(cache->state, setup, layout);
}

enum margay_status margay_object_cache_create(
    const struct margay_object_cache_options *options,
    margay_object_cache **result, struct margay_error *error)
{
    const struct margay_policy *policy;
    struct margay_policy_setup setup;
    struct margay_admission admission;
    struct margay_layout layout = {NULL, 0};
    *result = NULL;
    enum margay_status status =
        design_of_objects(options, &policy, &setup, &admission, error);
    if (status != MARGAY_OK)
        return status;
    margay_object_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return margay_fail_memory(error, "a cache");
    cache->policy = policy;
    cache->bytes = options->bytes;
    cache->cost = 1;
    cache->tick = options->noted.whole_seconds ? MARGAY_SECOND : 1;
    cache->nexts = options->nexts;
    cache->admission = admission;
    cache->tier.bytes = admission.tier_bytes;
    cache->heeds = options->noted.any && admission.tier_bytes == 0;
    cache->state = calloc(1, policy->state_bytes);
    if (cache->state != NULL) {
        lay_out_objects(options, &setup, cache, &layout);
        cache->array_bytes = layout.bytes;
        status = margay_room_check("a cache", layout.bytes, error);
        if (status == MARGAY_OK)
            cache->arrays = margay_map((size_t)layout.bytes);
    }
    if (cache->arrays == NULL) {
        margay_object_cache_free(cache);
        return status == MARGAY_OK ? margay_fail_memory(error, "a cache")
                                   : status;
    }
    layout = (struct margay_layout){cache->arrays, 0};
    lay_out_objects(options, &setup, cache, &layout);
    for (uint32_t i = 0; i < options->objects; i++)
        margay_amount_set(&cache->sizes, i, options->sizes[i]);
    *result = cache;
    return MARGAY_OK;
}

void margay_object_cache_free(margay_object_cache *cache)
{
    if (cache == NULL)
        return;
    margay_unmap(cache->arrays, (size_t)cache->array_bytes);
    free(cache->state);
    free(cache);
}

void margay_object_cache_drop(margay_object_cache *cache, uint32_t object)
{
    if (!margay_object_cache_holds(cache, object))
        return;
    cache->policy->remove(cache->state, 0, object);
    cache->sizes.list[object].mark = 0;
    cache->used_bytes -= margay_amount(&cache->sizes, object);
}

void margay_object_cache_note(margay_object_cache *cache, const uint32_t *note)
{
    uint64_t value = note[1] | (uint64_t)note[2] << 32;
    if (note[0] == MARGAY_NOTE_SIZE) {
        cache->size = value;
        cache->has_size = true;
    } else if (note[0] == MARGAY_NOTE_TIME) {
        cache->time = value / cache->tick;
    } else if (note[0] == MARGAY_NOTE_COST) {
        cache->cost = value;
    } else if (note[0] == MARGAY_NOTE_DROP) {
        margay_tier_drop(cache, (uint32_t)value);
        margay_object_cache_drop(cache, (uint32_t)value);
    } else {
        cache->until = value / cache->tick;
        cache->stores = note[0] == MARGAY_NOTE_STORE;
    }
}

void margay_object_cache_resize(margay_object_cache *cache, uint32_t object)
{
    if (!cache->has_size)
        return;
    if (cache->admission.rule == MARGAY_ADMIT_ADAPTED)
        margay_adaptsize_resize(&cache->admission.adaptsize, object,
                                margay_amount(&cache->sizes, object),
                                cache->size);
    if (cache->policy->resize != NULL)
        cache->policy->resize(cache->state, object, cache->size);
    margay_amount_set(&cache->sizes, object, cache->size);
    cache->has_size = false;
}

bool margay_object_cache_heed(margay_object_cache *cache, uint32_t object,
                              bool *fits)
{
    bool held = margay_object_cache_holds(cache, object);
    bool valid = held && !margay_object_cache_expired(cache, object);
    bool stored = !valid || cache->stores;
    if (stored && cache->expiries.list != NULL)
        margay_amount_set(&cache->expiries, object, cache->until);
    if (stored && held && !cache->has_size)
        cache->counts.written_bytes += margay_amount(&cache->sizes, object);
    cache->stores = false;
    *fits = *fits && !cache->has_size;
    if (held && cache->has_size)
        cache->used_bytes -= margay_amount(&cache->sizes, object);
    margay_object_cache_resize(cache, object);
    return valid;
}

bool margay_object_cache_admits(margay_object_cache *cache, uint32_t object)
{
    uint64_t bytes = margay_amount(&cache->sizes, object);
    uint32_t victim = MARGAY_NO_SLOT;
    if (cache->admission.rule == MARGAY_ADMIT_FREQUENT &&
        bytes > cache->bytes - cache->used_bytes)
        victim = cache->policy->victim(cache->state);
    return margay_admission_admits(&cache->admission, object, bytes, victim);
}

size_t margay_object_cache_feed(margay_object_cache *cache,
                                const uint32_t *words, size_t count)
{
    return cache->tier.bytes == 0
               ? cache->policy->feed_objects(cache, words, count)
               : margay_object_cache_run(cache, NULL, words, count);
}

void margay_object_cache_reset_counts(margay_object_cache *cache)
{
    cache->counts = (struct margay_object_counts){.misses = 0};
}

struct margay_object_counts margay_object_cache_counts(
    const margay_object_cache *cache)
{
    return cache->counts;
}
