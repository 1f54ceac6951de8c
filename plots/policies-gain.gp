# policies-gain.gp - how far policies go from LRU to the optimum, in a table of
# `margay curve --policy`
#
# A line per policy, trace and block size, of (LRU - policy) / (LRU - optimum)
# in misses: 0 is as good as LRU, 1 as good as can be, and what is below 0 is
# worse than LRU.  Sizes at which LRU and the optimum are less than 0.001 of the
# references apart are left out, and what is below -1 is not drawn.

GAIN = 1
HEADING = "From LRU to the optimum, by policy"
load HERE . "policy-series.gp"

do for [i = 1:series] {
    if (LABEL[i] ne "opt" && LABEL[i] ne "lru" \
        && NAME[i] ne "lru" && (NAME[i] ne "opt" || TURN[i] > 1)) {
        line = add_policy(i)
    }
}
others = 2
others_longest = 3
load HERE . "end-lines.gp"
load HERE . "size-axis.gp"
set ylabel "gain: LRU 0, optimum 1" offset 0.5,0
y_log = 0
y_least = y_from(least < -1 ? -1 : least > 0 ? 0 : floor(10 * least) / 10.0)
y_most = y_to(highest > 1 ? 1.1 : 1)
set yrange [y_least:y_most]
set format y "%g"
command = "plot 0 with lines linecolor rgb '#000000' linewidth 2.5 title 'lru'," \
    . " 1 with lines linecolor rgb '#000000' linewidth 2.5 dashtype 2" \
    . " title 'opt', "
STEPS = 0
load HERE . "draw-lines.gp"
