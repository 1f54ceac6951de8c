/* plot_kinds.c - the tables that pictures and reports show */
#include "sim/plot/plot.h"

#include <string.h>

#include "sim/result/csv.h"

/* Further members follow these. */
#define KIND(header, heading, name, file, ...)                                \
    {                                                                         \
        .columns = header, .title = heading, .drawing = name, .script = file, \
        __VA_ARGS__                                                           \
    }

/* A histogram of each place, and how alike two of them are. */
#define OF_PLACE(place, ...)                                                 \
    KIND(place "," HISTOGRAM_COLUMNS, "Distances of places", NULL, "places", \
         .takes = PLOT_ALONE),                                               \
        KIND(place OVERLAP_COLUMNS, "Overlaps", NULL, "overlap",             \
             .takes = PLOT_ALONE, __VA_ARGS__)

/* The first row whose columns match is the kind of a table. */
static const struct plot_kind kinds[] = {
    KIND(CURVE_COLUMNS POLICY_COLUMN, "Replacement policies", "policies",
         "policies", .takes = PLOT_RATIOS | PLOT_ALONE, .gain = "policies-gain",
         .table = "curve --policy",
         .picture = "policies between LRU and the optimum"),
    KIND(CURVE_COLUMNS CURVE_OBJECT_COLUMNS POLICY_COLUMN,
         "Replacement policies", "objects", "objects", .takes = PLOT_RATIOS),
    KIND(CURVE_COLUMNS CURVE_OBJECT_COLUMNS, "Miss curve of objects", "objects",
         "objects", .takes = PLOT_RATIOS, .table = "curve --objects",
         .picture = "miss ratios of requests and of bytes"),
    KIND(CURVE_COLUMNS CURVE_REQUEST_COLUMNS POLICY_COLUMN,
         "Replacement policies", "requests", "curve", .takes = PLOT_RATIOS),
    KIND(CURVE_COLUMNS CURVE_REQUEST_COLUMNS, "Miss curve of requests",
         "requests", "curve", .takes = PLOT_RATIOS),
    KIND(TIER_COLUMNS, "Tiers", "tiers", "tiers", .takes = PLOT_ALONE,
         .table = "curve --tiers"),
    KIND(SPLIT_COLUMN TIER_COLUMNS, "Tiers", "tiers", "tiers",
         .takes = PLOT_ALONE),
    KIND(SHARE_COLUMNS, "A shared cache", "shared", "sharers",
         .takes = PLOT_RATIOS | PLOT_ALONE, .table = "share",
         .picture = "misses of programs or tenants who share a cache"),
    KIND(CURVE_COLUMNS CURVE_TENANT_COLUMN CURVE_SHARED_COLUMN, "Tenants",
         "tenants", "sharers", .takes = PLOT_RATIOS | PLOT_ALONE),
    KIND(CURVE_COLUMNS, "Miss curve", "curve", "curve",
         .takes = PLOT_RATIOS | PLOT_CURVE, .table = "curve",
         .picture = "miss ratios over sizes; what tiers hit (--tiers)"),
    KIND(WINDOW_COLUMN CURVE_COLUMNS, "Over time", "windows", "windows",
         .takes = PLOT_RATIOS | PLOT_ALONE, .table = "curve --window",
         .picture = "miss ratios over time, of a few sizes"),
    KIND(ROLE_COLUMN CURVE_COLUMNS, "Predicted curves", NULL, "predict",
         .takes = PLOT_RATIOS | PLOT_ALONE,
         .table = "predict --curve --with-runs",
         .picture = "a predicted curve, next to those of its runs"),
    KIND(HISTOGRAM_COLUMNS, "Reuse distances", "histogram", "histogram",
         .table = "histogram",
         .picture = "shares over distances; whose these are (--by)"),
    OF_PLACE("site", .table = "overlap",
             .picture = "how alike the places of two runs are"),
    OF_PLACE("tenant", .table = NULL),
    OF_PLACE("thread", .table = NULL),
    OF_PLACE("op", .table = NULL),
    OF_PLACE("region", .table = NULL),
    KIND(COMPARE_COLUMNS, "Set-associative caches", "caches", "compare",
         .map = "assoc-map", .causes = "three-cs", .table = "compare",
         .picture = "predicted miss ratios over simulated ones"),
    KIND(ASSOC_COLUMNS, "Set-associative caches", "caches", "assoc",
         .takes = PLOT_RATIOS | PLOT_CACHES, .map = "assoc-map",
         .table = "assoc",
         .picture = "miss ratios over capacities, each number of ways"),
    KIND(PHASES_COLUMNS, "Phases", "phases", "phases", .takes = PLOT_ALONE,
         .table = "phases",
         .picture = "working sets; places over time (info --heatmap)"),
    KIND(HEATMAP_COLUMNS, "Places over time", "heatmap", "heatmap",
         .takes = PLOT_ALONE, .table = "info --heatmap"),
    KIND(SIMULATE_COLUMNS, "A machine", "machine", "machine",
         .takes = PLOT_ALONE, .traffic = "traffic", .table = "simulate",
         .picture = "misses of caches; access times (--pareto)"),
    KIND(ANNOTATE_COLUMNS, "Lines of source", "lines", "annotate",
         .takes = PLOT_ALONE, .table = "annotate",
         .picture = "misses of lines or data, as bars of sizes"),
    KIND(PARETO_COLUMNS, "Machines", NULL, "pareto", .takes = PLOT_ALONE),
    KIND(ANNOTATE_DATA_COLUMNS, "Arrays and variables", "data", "annotate",
         .takes = PLOT_ALONE),
    KIND(ENGINES_RUN_COLUMNS, "Engines", NULL, "engines-run",
         .takes = PLOT_ALONE, .table = "engines --run",
         .picture = "errors over speeds; speeds over blocks (--sweep)"),
    KIND(ENGINES_SWEEP_COLUMNS, "Engines", NULL, "engines-sweep",
         .takes = PLOT_X | PLOT_Y | PLOT_LABELS | PLOT_ALONE),
    KIND(PROFILE_COLUMNS, "Popularity, sizes and rate", "profile", NULL,
         .takes = 0),
    KIND(SHARING_COLUMNS, "Blocks that cores share", NULL, NULL, .takes = 0),
    KIND(VALIDATE_COLUMNS, "Counters", NULL, NULL, .takes = 0),
    KIND("key,value", "The trace", NULL, NULL, .takes = 0),
};

const struct plot_kind *plot_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof kinds[0] ? &kinds[index] : NULL;
}

bool plot_draws(const char *command)
{
    const struct plot_kind *kind;
    const size_t bytes = strlen(command);
    for (size_t i = 0; (kind = plot_kind_at(i)) != NULL; i++) {
        if (kind->table != NULL && strcspn(kind->table, " ") == bytes &&
            strncmp(kind->table, command, bytes) == 0)
            return true;
    }
    return false;
}

const struct plot_kind *plot_kind_of(const char *columns)
{
    const struct plot_kind *kind;
    for (size_t i = 0; (kind = plot_kind_at(i)) != NULL; i++) {
        size_t bytes = strlen(kind->columns);
        if (strncmp(columns, kind->columns, bytes) == 0 &&
            (columns[bytes] == ',' || columns[bytes] == '\0'))
            break;
    }
    return kind;
}

const struct plot_kind *plot_kind_join(const struct plot_kind *kind,
                                       const struct plot_kind *other)
{
    unsigned both = kind->takes | other->takes;
    if (both & PLOT_ALONE)
        return NULL;
    if (kind != other && (both & PLOT_CACHES) != 0 && (both & PLOT_CURVE) != 0)
        return kind->takes & PLOT_CACHES ? kind : other;
    return strcmp(kind->script, other->script) == 0 ? kind : NULL;
}
