/* plot_kinds.c - the tables that can be drawn */
#include "sim/plot/plot.h"

#include <string.h>

#include "sim/result/csv.h"

/* The rows that others speak of, and those before them. */
enum { POLICIES, OBJECTS, SHARED, TENANTS, CURVE };

/* A histogram of each place, and how alike two of them are. */
#define OF_PLACE(place, ...)                                      \
    {.columns = place "," HISTOGRAM_COLUMNS,                      \
     .script = "places.gp",                                       \
     .is_alone = true},                                           \
    {                                                             \
        .columns = place OVERLAP_COLUMNS, .script = "overlap.gp", \
        .is_alone = true, __VA_ARGS__                             \
    }

/* The first row whose columns match is the kind of a table. */
static const struct plot_kind kinds[] = {
    [POLICIES] = {.columns = CURVE_COLUMNS POLICY_COLUMN,
                  .script = "policies.gp",
                  .gain = "policies-gain.gp",
                  .table = "curve --policy",
                  .picture = "policies between LRU and the optimum",
                  .takes = PLOT_RATIOS,
                  .is_alone = true},
    [OBJECTS] = {.columns = CURVE_COLUMNS CURVE_OBJECT_COLUMNS,
                 .script = "objects.gp",
                 .table = "curve --objects",
                 .picture = "miss ratios of requests and of bytes",
                 .takes = PLOT_RATIOS},
    [SHARED] = {.columns = SHARE_COLUMNS,
                .script = "sharers.gp",
                .table = "share",
                .picture = "misses of programs or tenants who share a cache",
                .takes = PLOT_RATIOS,
                .is_alone = true},
    [TENANTS] = {.columns =
                     CURVE_COLUMNS CURVE_TENANT_COLUMN CURVE_SHARED_COLUMN,
                 .script = "sharers.gp",
                 .takes = PLOT_RATIOS,
                 .is_alone = true},
    [CURVE] = {.columns = CURVE_COLUMNS,
               .script = "curve.gp",
               .table = "curve",
               .picture = "miss ratios over sizes of the cache",
               .takes = PLOT_RATIOS},
    {.columns = WINDOW_COLUMN CURVE_COLUMNS,
     .script = "windows.gp",
     .table = "curve --window",
     .picture = "miss ratios over time, of a few sizes",
     .takes = PLOT_RATIOS,
     .is_alone = true},
    {.columns = ROLE_COLUMN CURVE_COLUMNS,
     .script = "predict.gp",
     .table = "predict --curve --with-runs",
     .picture = "a predicted curve, beside those of its runs",
     .takes = PLOT_RATIOS,
     .is_alone = true},
    {.columns = HISTOGRAM_COLUMNS,
     .script = "histogram.gp",
     .table = "histogram",
     .picture = "shares over distances; whose these are (--by)"},
    OF_PLACE("site", .table = "overlap",
             .picture = "how alike the places of two runs are"),
    OF_PLACE("tenant", .table = NULL),
    OF_PLACE("thread", .table = NULL),
    OF_PLACE("op", .table = NULL),
    OF_PLACE("region", .table = NULL),
    {.columns = COMPARE_COLUMNS,
     .script = "compare.gp",
     .map = "assoc-map.gp",
     .causes = "three-cs.gp",
     .table = "compare",
     .picture = "predicted miss ratios over simulated ones"},
    {.columns = ASSOC_COLUMNS,
     .script = "assoc.gp",
     .map = "assoc-map.gp",
     .table = "assoc",
     .picture = "miss ratios over capacities, each number of ways",
     .takes = PLOT_RATIOS,
     .beside = &kinds[CURVE]},
    {.columns = PHASES_COLUMNS,
     .script = "phases.gp",
     .table = "phases",
     .picture = "working sets of phases over time",
     .is_alone = true},
    {.columns = SIMULATE_COLUMNS,
     .script = "machine.gp",
     .traffic = "traffic.gp",
     .table = "simulate",
     .picture = "misses of caches; access times (--pareto)",
     .is_alone = true},
    {.columns = ANNOTATE_COLUMNS,
     .script = "annotate.gp",
     .table = "annotate",
     .picture = "misses of lines or data, as bars of sizes",
     .is_alone = true},
    {.columns = PARETO_COLUMNS, .script = "pareto.gp", .is_alone = true},
    {.columns = ANNOTATE_DATA_COLUMNS,
     .script = "annotate.gp",
     .is_alone = true},
    {.columns = ENGINES_RUN_COLUMNS,
     .script = "engines-run.gp",
     .table = "engines --run",
     .picture = "errors over speeds; speeds over blocks (--sweep)",
     .is_alone = true},
    {.columns = ENGINES_SWEEP_COLUMNS,
     .script = "engines-sweep.gp",
     .takes = PLOT_X | PLOT_Y | PLOT_LABELS,
     .is_alone = true},
};

const struct plot_kind *plot_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof kinds[0] ? &kinds[index] : NULL;
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
    if (kind->is_alone || other->is_alone)
        return NULL;
    if (kind == other || kind->beside == other)
        return kind;
    return other->beside == kind ? other : NULL;
}
