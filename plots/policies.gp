# policies.gp - the miss curves in a table of `margay curve --policy`
#
# A line per policy, which has a colour of its own, trace and block size, which
# have dashes.  Lines join the sizes that were simulated.  LRU and the optimum are
# the borders of an area: no policy is below it, and one above it is worse than
# LRU.

GAIN = 0
HEADING = (HIT ? "Hits" : "Misses") \
    . " of fully associative caches, by policy"
load HERE . "policy-series.gp"

do for [i = 1:series] { line = add_policy(i) }
others = areas > 0
others_longest = 10
load HERE . "end-lines.gp"
load HERE . "size-axis.gp"
steep = highest > 50 * lowest
load HERE . "ratio-axis.gp"
set style fill solid 1 noborder
command = "plot "
do for [a = 1:areas] {
    command = command . sprintf("$lines index %d using 1:2:3 with filledcurves" \
        . " fillcolor rgb '#ececec' title '%s', ", series + a - 1, \
        a > 1 ? "" : "LRU to opt")
}
STEPS = 0
load HERE . "draw-lines.gp"
