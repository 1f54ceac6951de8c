# policies.gp - the miss curves in a table of `margay curve --policy`
#
#     gnuplot -c policies.gp OUT.png|svg|pdf POLICIES.csv
#
# A line per policy, which has a colour of its own, trace and block size, which
# have dashes.  LRU and the optimum are the borders of an area: no policy is
# below it, and one above it is worse than LRU.

OUT = ARG1
CSV = ARG2
GAIN = 0
HEADING = "Misses of fully associative caches, by policy"
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "policy-series.gp"

set ylabel "miss ratio" offset 0.5,0
if (highest > 50 * lowest) {
    set logscale y
    set yrange [10.0 ** floor(log10(lowest)):10.0 ** ceil(log10(highest))]
} else {
    set yrange [0:highest > 0.7 || highest == 0 ? 1 : 1.1 * highest]
}
set format y "%g"
set style fill solid 1 noborder
command = "plot "
do for [a = 1:areas] {
    command = command . sprintf("$rows index %d using 1:2:3 with filledcurves" \
        . " fillcolor rgb '#ececec' title %s, ", series + a - 1, \
        a > 1 ? "''" : "'between LRU and opt'")
}
do for [i = 1:series] {
    command = command . (i == 1 ? "" : ", ") . line(i)
}
eval command
