# policies.gp - the miss curves in a table of `margay curve --policy`
#
#     gnuplot -c policies.gp OUT.png|svg|pdf|eps|tex POLICIES.csv
#
# A line per policy, which has a colour of its own, trace and block size, which
# have dashes.  Lines join the sizes that were simulated.  LRU and the optimum are the borders of an area: no policy is
# below it, and one above it is worse than LRU.

OUT = ARG1
CSV = ARG2
GAIN = 0
HEADING = (exists("HIT") && HIT ? "Hits" : "Misses") \
    . " of fully associative caches, by policy"
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "policy-series.gp"

do for [i = 1:series] { line = add_policy(i) }
others = areas > 0
others_below = 0
load folder(ARG0) . "end-lines.gp"
load folder(ARG0) . "size-axis.gp"
steep = highest > 50 * lowest
load folder(ARG0) . "ratio-axis.gp"
set style fill solid 1 noborder
command = "plot "
do for [a = 1:areas] {
    command = command . sprintf("$rows index %d using 1:2:3 with filledcurves" \
        . " fillcolor rgb '#ececec' title %s, ", series + a - 1, \
        a > 1 || legend_place eq "below" ? "''" : "'between LRU and opt'")
}
STEPS = 0
load folder(ARG0) . "draw-lines.gp"
