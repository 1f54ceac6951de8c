/*
 * test_state.c - a run that is looked into, saved and continued
 *
 * A trace is analysed in parts, each by an engine of another kind that is
 * given the state of the one before.  Every result on the way has to be that
 * of one engine that saw it all.
 */
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/engines.h"

#define MOST_REFS 20000

static uint64_t blocks[MOST_REFS];

static bool same_state(const struct margay_engine_state *a,
                       const struct margay_engine_state *b)
{
    return a->block_count == b->block_count &&
           memcmp(a->blocks, b->blocks, a->block_count * sizeof *a->blocks) ==
               0 &&
           same_histogram(a->counts, b->counts) &&
           same_bound(a->counts, b->counts);
}

static margay_engine *make_engine(const char *spec, uint64_t bound,
                                  unsigned threads)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_error error;
    margay_engine *engine;
    options.bound_blocks = bound;
    options.threads = threads;
    options.chunk_refs = threads > 1 ? 100 : 0;
    if (margay_engine_create(spec, &options, &engine, &error) == MARGAY_OK)
        return engine;
    printf("Bail out! %s: %s\n", spec, error.message);
    exit(1);
}

/* The engine gives its place to one of another kind. */
static bool hand_over(margay_engine **engine, const char *spec, uint64_t bound,
                      unsigned threads, const margay_engine *oracle)
{
    struct margay_engine_state state, expected;
    bool same = margay_engine_export(*engine, &state, NULL) == MARGAY_OK &&
                margay_engine_export((margay_engine *)oracle, &expected,
                                     NULL) == MARGAY_OK;
    if (!same)
        return false;
    same = same_state(&state, &expected);
    margay_engine_free(*engine);
    *engine = make_engine(spec, bound, threads);
    same = same && margay_engine_import(*engine, &state, NULL) == MARGAY_OK;
    margay_engine_state_clear(&state);
    margay_engine_state_clear(&expected);
    return same;
}

static bool same_so_far(margay_engine *engine, margay_engine *oracle)
{
    struct margay_result got, expected;
    bool same = margay_engine_peek(engine, &got, NULL) == MARGAY_OK &&
                margay_engine_peek(oracle, &expected, NULL) == MARGAY_OK;
    if (!same)
        return false;
    same = same_results(&got, &expected);
    margay_result_clear(&got);
    margay_result_clear(&expected);
    return same;
}

static bool has_state(const char *spec)
{
    struct margay_engine_abilities abilities;
    return margay_engine_abilities(spec, MARGAY_REUSE_DISTANCES, &abilities,
                                   NULL) == MARGAY_OK &&
           (abilities.can & MARGAY_CAN_SAVE);
}

static const struct spec *random_spec(void)
{
    const struct spec *spec;
    do
        spec = &specs[below(spec_count)];
    while (!has_state(spec->text));
    return spec;
}

static uint64_t random_bound(void)
{
    return 1 + below(1u << below(12));
}

static bool try_once(void)
{
    bool bounded = one_in(2);
    size_t refs = (size_t)below(4000);
    uint64_t distinct = 1 + below(1000);
    for (size_t i = 0; i < refs; i++)
        blocks[i] = ~below(distinct);
    const struct spec *spec;
    do
        spec = random_spec();
    while (spec->needs_bound && !bounded);
    uint64_t bound = bounded ? random_bound() : 0;
    margay_engine *oracle = make_engine("naive", bound, 1);
    margay_engine *engine = make_engine(spec->text, bound, 1);
    bool same = true;
    for (size_t done = 0; done < refs && same;) {
        size_t some = 1 + (size_t)below(refs - done);
        margay_engine_feed(oracle, blocks + done, some, NULL, NULL);
        margay_engine_feed(engine, blocks + done, some, NULL, NULL);
        done += some;
        same = same_so_far(engine, oracle);
        do
            spec = random_spec();
        while (spec->needs_bound && !bounded);
        if (same && below(3) > 0)
            same = hand_over(&engine, spec->text, bound, 1, oracle);
        if (one_in(8)) {
            margay_engine_reset_counts(engine);
            margay_engine_reset_counts(oracle);
        }
    }
    same = same && same_so_far(engine, oracle);
    if (!same)
        printf("# %zu references, bound %" PRIu64 ", now %s\n", refs, bound,
               spec->text);
    margay_engine_free(engine);
    margay_engine_free(oracle);
    return same;
}

static void test_random(void)
{
    seed_chance(11);
    unsigned all = (unsigned)rounds(400), right = 0;
    for (unsigned i = 0; i < all; i++)
        right += try_once();
    CHECK_U64(right, all, "random traces, handed from engine to engine");
}

static void test_refusals(void)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_engine_state state;
    struct margay_result result;
    struct margay_error error;
    margay_engine *engine;
    options.measure = MARGAY_REUSE_TIMES;
    margay_engine_create("exact", &options, &engine, &error);
    CHECK(margay_engine_peek(engine, &result, &error) == MARGAY_BAD_ARGUMENT &&
              result.histogram == NULL,
          "cannot be looked into: %s", error.message);
    CHECK(margay_engine_export(engine, &state, &error) == MARGAY_BAD_ARGUMENT,
          "nor saved");
    margay_engine_free(engine);
}

int main(void)
{
    list_specs();
    test_random();
    test_refusals();
    return tap_done();
}
