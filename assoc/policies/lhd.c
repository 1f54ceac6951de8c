/*
 * lhd.c - LHD: evicts the block with the fewest expected hits for its room
 *
 * The hit density of a block is the probability that it is hit before it is
 * evicted, divided by the time until then and, of objects, by its bytes.  It
 * follows from the ages at which blocks were hit and evicted lately, counted
 * for 16 classes, by the last two ages at which a block was hit.  After every
 * `interval` references the counts lose a tenth, and densities are computed
 * anew.  Of a sample of blocks, and the last few that came in with a density
 * below that of usual victims, the one of the least density goes.
 *
 * Source: Beckmann, Chen and Cidon, "LHD: improving cache hit rate by
 * maximizing hit density", NSDI 2018, with the numbers of the authors' program:
 * samples of 32, of 8 for the first 50 intervals, and 8 that came last; 20000
 * ages, in units of 2^10 references at first, which the mean number of blocks
 * decides after 6 intervals and 26; until the 50th interval 1 block in 32
 * explores, which is not evicted as long as such blocks have less than a
 * hundredth of the cache, so that long ages are known.  What is chosen here:
 *   - There are no classes by application.  All sets share ages and densities.
 *   - Ages of a density that is not known yet have (class + 1) / (age + 1), as
 *     there; an object of no bytes counts as one of 1 byte.
 *   - An object that has grown is passed over; one that outgrows the cache
 *     counts as evicted.
 *
 * Cost: proportional to the sample; 12 bytes for each way, 20 for each object,
 *   and 4 MB for a cache.
 */
#include <float.h>

#include "assoc/policies/cache.h"
#include "assoc/policies/held.h"

#define CLASSES    16
#define AGES       20000u
#define ADMISSIONS 8
#define SAMPLE     32
#define EARLY      8 /* the sample of the first EXPLORED intervals */
#define EXPLORED   50
#define EXPLORERS  32 /* one block in this number explores */
#define DECAY      0.9f

struct __attribute__((packed, aligned(4))) block {
    uint64_t used;
    uint32_t last : 15, before : 15; /* ages of its last hit, and before */
    uint32_t explores : 1;
};

/* Of a class, by age. */
struct class
{
    float hits[AGES], evictions[AGES], densities[AGES];
};

struct state {
    struct margay_held held;
    uint64_t slots, now;
    struct block *blocks;    /* [set][slot] */
    struct class *classes;   /* [CLASSES] */
    uint64_t interval, left; /* references of an interval, and of this one */
    unsigned intervals, shift;
    int64_t budget;                     /* of exploring blocks */
    uint64_t count;                     /* of blocks in the cache */
    float mean_count, mean_mass, usual; /* and the density of victims */
    uint64_t admitted[ADMISSIONS];      /* places plus 1; 0 = none */
    unsigned admissions;
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    margay_held_set_up(&state->held, setup, layout);
    state->slots = setup->slots;
    state->interval = state->left = setup->settings.counts[0];
    state->shift = 10;
    state->budget = (int64_t)(setup->room / 100 * setup->sets);
    state->blocks = margay_lay_out(layout, setup->sets * setup->slots *
                                               sizeof(struct block));
    state->classes = margay_lay_out(layout, CLASSES * sizeof(struct class));
}

static inline unsigned age_of(const struct state *state,
                              const struct block *block)
{
    uint64_t age = (state->now - block->used) >> state->shift;
    return age < AGES ? (unsigned)age : AGES - 1;
}

/* Ages that are hit soon are in the last classes. */
static inline unsigned class_of(const struct block *block)
{
    unsigned age = (unsigned)block->last + block->before, class = 0;
    if (age == 0)
        return CLASSES - 1;
    for (; age < AGES && class < CLASSES - 1; age *= 2)
        class ++;
    return class;
}

static inline float density_of(const struct state *state, uint64_t place)
{
    const struct block *block = &state->blocks[place];
    unsigned age = age_of(state, block), class = class_of(block);
    if (age == AGES - 1)
        return -FLT_MAX;
    float density = state->intervals == 0
                        ? (float)(class + 1) / (float)(age + 1)
                        : state->classes[class].densities[age];
    return density / (float)margay_held_bytes(&state->held, place) +
           (block->explores ? 1 : 0);
}

static inline double value_of(const void *context, uint64_t set, uint32_t slot,
                              const struct margay_use *use)
{
    const struct state *state = context;
    (void)use;
    return (double)density_of(state, set * state->slots + slot);
}

static inline int64_t bytes_at(const struct state *state, uint64_t place)
{
    const struct margay_amounts *sizes = state->held.sizes;
    return sizes == NULL ? 1 : (int64_t)margay_amount(sizes, place);
}

/* ------------------------------------------------------------ intervals -- */

/* Count ages in units of 2^shift references. */
static void change_units(struct state *state, unsigned shift)
{
    for (unsigned c = 0; c < CLASSES; c++) {
        float *counts[] = {state->classes[c].hits, state->classes[c].evictions};
        for (unsigned i = 0; i < 2; i++) {
            float *of = counts[i];
            if (shift < state->shift) {
                unsigned by = state->shift - shift;
                for (unsigned age = AGES >> by; age < AGES - 1; age++)
                    of[AGES - 1] += of[age];
                for (unsigned age = AGES - 1; age-- > 0;)
                    of[age] = of[age >> by] / (float)(1u << by);
                continue;
            }
            unsigned by = shift - state->shift;
            for (unsigned age = 0; age < AGES >> by; age++) {
                float sum = 0;
                for (unsigned k = 0; k < 1u << by; k++)
                    sum += of[(age << by) + k];
                of[age] = sum;
            }
            for (unsigned age = AGES >> by; age < AGES - 1 && by > 0; age++)
                of[age] = 0;
        }
    }
    state->shift = shift;
}

/* Ages reach to a hundred times as many references as there are blocks. */
static void choose_units(struct state *state)
{
    unsigned shift = 1;
    state->mean_count = state->mean_count * DECAY + (float)state->count;
    state->mean_mass = state->mean_mass * DECAY + 1;
    if (state->intervals != 5 && state->intervals != 25)
        return;
    float best = state->mean_count / state->mean_mass / (0.01f * AGES);
    while (shift < 31 && (float)(1u << shift) < best)
        shift++;
    change_units(state, shift);
    state->mean_count *= 8;
    state->mean_mass *= 8;
}

/* From the last age to the first, the hits to come of each block of that age,
   for all references that they are waited for. */
static void model(struct class *class)
{
    float hits = class->hits[AGES - 1];
    float events = hits + class->evictions[AGES - 1], lifetime = events;
    for (unsigned age = AGES - 1; age-- > 0;) {
        hits += class->hits[age];
        events += class->hits[age] + class->evictions[age];
        lifetime += events;
        class->densities[age] = events > 1e-5f ? hits / lifetime : 0;
    }
}

static void end_interval(struct state *state)
{
    for (unsigned c = 0; c < CLASSES; c++) {
        for (unsigned age = 0; age < AGES; age++) {
            state->classes[c].hits[age] *= DECAY;
            state->classes[c].evictions[age] *= DECAY;
        }
    }
    choose_units(state);
    for (unsigned c = 0; c < CLASSES; c++)
        model(&state->classes[c]);
    state->left = state->interval;
    state->intervals++;
}

/* ------------------------------------------------------------ the policy -- */

/* A block is used: it may explore, and the time goes on. */
static inline void use_place(struct state *state, uint64_t place, bool is_new)
{
    struct block *block = &state->blocks[place];
    bool explores = margay_random_below(&state->held.random, EXPLORERS) == 0;
    block->used = state->now;
    block->explores =
        explores && state->budget > 0 && state->intervals < EXPLORED;
    if (block->explores)
        state->budget -= bytes_at(state, place);
    if (is_new && !explores && density_of(state, place) < state->usual)
        state->admitted[state->admissions++ % ADMISSIONS] = place + 1;
    state->now++;
    if (--state->left == 0)
        end_interval(state);
}

/* A block stops exploring. */
static inline void return_budget(struct state *state, uint64_t place)
{
    if (state->blocks[place].explores)
        state->budget += bytes_at(state, place);
    state->blocks[place].explores = false;
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    uint64_t place = set * state->slots + slot;
    struct block *block = &state->blocks[place];
    unsigned age = age_of(state, block);
    (void)use;
    state->classes[class_of(block)].hits[age]++;
    return_budget(state, place);
    block->before = block->last;
    block->last = age & INT16_MAX;
    use_place(state, place, false);
}

static void remove_slot(void *context, uint64_t set, uint32_t slot)
{
    struct state *state = context;
    uint64_t place = set * state->slots + slot;
    const struct block *block = &state->blocks[place];
    state->classes[class_of(block)].evictions[age_of(state, block)]++;
    return_budget(state, place);
    for (unsigned i = 0; i < ADMISSIONS; i++) {
        if (state->admitted[i] == place + 1)
            state->admitted[i] = 0;
    }
    state->count--;
    margay_held_remove(&state->held, set, slot);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    struct state *state = context;
    uint32_t slot = margay_held_least(
        &state->held, set, state->intervals > EXPLORED ? SAMPLE : EARLY, use,
        value_of);
    float least = density_of(state, set * state->slots + slot);
    for (unsigned i = 0; i < ADMISSIONS; i++) {
        uint64_t place = state->admitted[i] - 1;
        if (state->admitted[i] == 0 || place / state->slots != set ||
            (uint32_t)(place % state->slots) == margay_use_grown(use) ||
            !(density_of(state, place) < least))
            continue;
        slot = (uint32_t)(place % state->slots);
        least = density_of(state, place);
    }
    state->usual = DECAY * state->usual + (1 - DECAY) * least;
    remove_slot(state, set, slot);
    return slot;
}

static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    struct state *state = context;
    uint64_t place = set * state->slots + slot;
    state->blocks[place] = (struct block){.last = 0, .before = AGES};
    state->count++;
    if (use->sized)
        margay_held_add(&state->held, slot);
    use_place(state, place, true);
}

static void resize(void *context, uint32_t slot, uint64_t bytes)
{
    struct state *state = context;
    if (state->blocks[slot].explores)
        state->budget += bytes_at(state, slot) - (int64_t)bytes;
}

MARGAY_OBJECT_POLICY_LOOPS(lhd, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_lhd = {
    .info = {.name = "lhd",
             .parameters = "interval=1048576|16..4294967296",
             .help = "the block goes that is expected to hit least for its "
                     "time and bytes",
             .source = "Beckmann et al. 2018",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    MARGAY_OBJECT_POLICY_MEMBERS(lhd),
    .remove = remove_slot,
    .resize = resize,
};
