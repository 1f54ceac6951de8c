/* test_engine_specs.c - the table of engines and the words that name one */
#include "stackdist/engine.h"
#include "tests/tap.h"

static enum margay_status create(const char *spec, uint64_t bound,
                                 struct margay_error *error)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine;
    options.bound_blocks = bound;
    enum margay_status status =
        margay_engine_create(spec, &options, &engine, error);
    if (status != MARGAY_OK && engine != NULL)
        return MARGAY_OK; /* it should be NULL then: fail the check */
    margay_engine_free(engine);
    return status;
}

static void test_good(void)
{
    static const char *const good[] = {
        "exact",
        "exact:filter=on",
        "exact:target=portable",
        "exact:target=portable,filter=off",
        "exact:filter=auto,target=auto",
        "naive",
        "olken",
        "bennett-kruskal:k=2",
        "holes:form=vector",
        "markers",
        "markers:at=1",
        "markers:at=16384+32",
        "scale-tree:e=0.0001",
        "absolute:b=0,c=0,tree=splay",
        "shen:sample=0.5",
        "shards:rate=1,adjust=off",
        "shards:blocks=16,adjust=off",
        "hp-rda:st=64,nb=1,adjust=times",
        "hp-rda:adjust=off,backend=opencl,device=1",
    };
    struct margay_error error = {0};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        CHECK(create(good[i], 0, &error) == MARGAY_OK, "'%s' %s", good[i],
              error.message);
    CHECK(create("bounded", 5, &error) == MARGAY_OK, "'bounded' with a bound");
}

/* What is refused, and two things that its message must say. */
static const struct {
    const char *spec, *says, *says_too;
} bad[] = {
    {"", "''", "exact, naive, olken, "},
    {"exat", "'exat'", "did you mean exact?"},
    {"olekn:tree=splay", "'olekn'", "did you mean olken?"},
    {"zzzzzz", "'zzzzzz'", "exact, naive, olken, "},
    {"EXACT", "'EXACT'", "naive"},
    {"exact ", "'exact '", "naive"},
    {"=", "'='", "naive"},
    {":", "''", "naive"},
    {"bounded", "bounded", "bound"},
    {"bounded:tree=splay", "bounded", "bound"},
    {"naive:", "naive", "KEY=VALUE"},
    {"naive:x=1", "takes no parameters", "'x'"},
    {"exact:", "''", "KEY=VALUE"},
    {"exact:filter", "'filter'", "KEY=VALUE"},
    {"exact:filter=", "'filter='", "KEY=VALUE"},
    {"exact:=on", "'=on'", "KEY=VALUE"},
    {"exact:filter=on,", "''", "KEY=VALUE"},
    {"exact:,filter=on", "''", "KEY=VALUE"},
    {"exact:filtre=on", "'filtre'", "did you mean filter?"},
    {"exact:zzzzzz=on", "'zzzzzz'", "filter=auto|on|off"},
    {"exact:filter=maybe", "filter=maybe", "auto|on|off"},
    {"exact:filter=o", "filter=o ", "auto|on|off"},
    {"exact:filter=auto|on", "filter=auto|on ", "auto|on|off"},
    {"exact:filter=on=off", "filter=on=off", "auto|on|off"},
    {"exact:filter=on:target=auto", "filter=on:target=auto", "auto|on|off"},
    {"exact:filter=on,filter=on", "'filter'", "twice"},
    {"exact:filter=on,filter=off", "'filter'", "twice"},
    {"scale-tree:e=0", "e=0 is not in 0.0001..0.99", "takes e="},
    {"scale-tree:e=1", "e=1 is not in 0.0001..0.99", "takes e="},
    {"scale-tree:e=1e-2", "e=1e-2", "0.0001..0.99"},
    {"scale-tree:e=nan", "e=nan", "0.0001..0.99"},
    {"scale-tree:b=3", "no parameter 'b'", "e=0.01"},
    {"absolute:b=-1", "b=-1 is not in 0..1000000000", "tree=btree|splay"},
    {"absolute:b=1.5", "b=1.5", "0..1000000000"},
    {"absolute:c=1000000001", "c=1000000001", "0..1000000000"},
    {"shards:rate=2", "rate=2 is not in 0.000001..1", "adjust=on|off"},
    {"shards:blocks=15", "blocks=15", "16..1000000000"},
    {"shards:blocks=none", "blocks=none", "16..1000000000"},
    {"shards:rate=0.1,blocks=100", "rate", "no meaning with blocks"},
    {"hp-rda:st=1", "st=1 ", "64..65536"},
    {"bennett-kruskal:k=3", "k=3", "16|2|256"},
    {"markers:at=0", "at=0 ", "SIZE+SIZE+..."},
    {"markers:at=5+5", "at=5+5", "SIZE+SIZE+..."},
    {"markers:at=5+", "at=5+", "SIZE+SIZE+..."},
    {"markers:at=x", "at=x", "SIZE+SIZE+..."},
    {"olken:tree=splay", "takes no parameters", "'tree'"},
    {"holes:form=tre", "form=tre", "tree"},
    {"hp-rda:backend=vulkan", "backend=vulkan", "auto|opencl|emulate"},
    {"hp-rda:device=64", "device=64", "0..63"},
};

/* What making an engine refuses, asking refuses in the same words; but for the
   lack of a bound, which is no matter of the spec. */
static void check_asking(const char *spec, enum margay_measure measure)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_engine_abilities abilities;
    struct margay_error made = {0}, asked = {0};
    margay_engine *engine;
    options.measure = measure;
    options.bound_blocks = strncmp(spec, "bounded", 7) == 0;
    enum margay_status status =
        margay_engine_create(spec, &options, &engine, &made);
    CHECK(margay_engine_abilities(spec, measure, &abilities, &asked) ==
                  status &&
              strcmp(made.message, asked.message) == 0 &&
              (status == MARGAY_OK || abilities.info == NULL),
          "'%s' is refused before it is made: %s", spec, asked.message);
    margay_engine_free(engine);
}

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct margay_error error = {0};
        CHECK(create(bad[i].spec, 0, &error) == MARGAY_BAD_ARGUMENT,
              "'%s' is refused", bad[i].spec);
        CHECK(strstr(error.message, bad[i].says) &&
                  strstr(error.message, bad[i].says_too),
              "it says: %s", error.message);
        check_asking(bad[i].spec, MARGAY_REUSE_DISTANCES);
    }
    check_asking("olken", MARGAY_REUSE_TIMES);
    check_asking("exact:filter=on", MARGAY_FOOTPRINT);
    struct margay_error error;
    CHECK(create("shen", 5, &error) == MARGAY_BAD_ARGUMENT &&
              strstr(error.message, "engine shen takes no bound"),
          "a bound where none is taken: %s", error.message);
    CHECK(create("nothing", 0, NULL) == MARGAY_BAD_ARGUMENT,
          "the reason is told");
}

/* A thousand characters must neither overflow a buffer nor a message. */
static void test_long(void)
{
    char spec[5000];
    struct margay_error error;
    memset(spec, 'x', sizeof spec - 1);
    spec[sizeof spec - 1] = '\0';
    CHECK(create(spec, 0, &error) == MARGAY_BAD_ARGUMENT, "a long name");
    memcpy(spec, "exact:", 6);
    CHECK(create(spec, 0, &error) == MARGAY_BAD_ARGUMENT, "a long key");
    spec[100] = '=';
    CHECK(create(spec, 0, &error) == MARGAY_BAD_ARGUMENT, "a long value");
}

static void test_table(void)
{
    static const char *const names[] = {
        "exact",   "naive",  "olken",   "bennett-kruskal", "holes",
        "bounded", "parda",  "markers", "scale-tree",      "absolute",
        "shen",    "shards", "hp-rda",
    };
    CHECK_U64(margay_engine_count(), sizeof names / sizeof names[0],
              "as many engines as there are");
    CHECK(margay_engine_at(margay_engine_count()) == NULL, "none beyond");
    for (size_t i = 0; i < margay_engine_count(); i++) {
        const struct margay_engine_info *info = margay_engine_at(i);
        CHECK_TEXT(info->name, names[i], "engine %zu", i);
        CHECK(info->guarantee && info->time && info->space && info->source,
              "%s says what it is", info->name);
    }
}

int main(void)
{
    margay_engine_free(NULL);
    test_table();
    test_good();
    test_bad();
    test_long();
    return tap_done();
}
