# machine.gp - the caches of machines, from a table of `margay simulate`
#
# A group of bars for each cache, and in it one for each trace and machine:
# demand misses per 1000 instructions, or per reference of the program where the
# table does not know how many instructions there were: ratios of those that
# reach a cache would mislead, as few reach the last.  What never misses, such as
# a memory, has no group.

load HERE . "machines.gp"

HEADING = "Demand misses of each cache"
load HERE . "heading.gp"
longest = 0
wide_names = sum [m = 1:machines] widen(label(m, several_traces, several_varied))
entries = machines
load HERE . "legend.gp"
set key samplen 1
if (machines == 1) { unset key }
set ylabel knows ? "misses per 1000 instructions" : "misses per reference"
set format y "%g"
array PLACE[caches]
places = 0
do for [i = 1:caches] { places = MISSES[i] > 0 ? places + 1 : places }
miss = places > 0
places = 0
set xtics ("" 0)
do for [i = 1:caches] {
    PLACE[i] = NaN
    if (MISSES[i] > 0 || !miss) {
        places = places + 1
        PLACE[i] = places
        set xtics add (tic_text(CACHE[i]) places)
    }
}
set xrange [0.4:places + 0.6]
set xtics noenhanced scale 0
set style fill solid 0.85 noborder
# Okabe and Ito's, and darker ones: no two machines have the same.
array MORE[5] = ["#882255", "#888888", "#332288", "#999933", "#f0e442"]
bar_colour(m) = m <= 7 ? colour(m) : MORE[m - 7]
width = 0.8 / machines
height(m) = knows ? column(MPKI) \
    : REFERENCES[m] == 0 ? 0 : column(MISS) / REFERENCES[m]
do for [m = 1:machines] {
    stats CSV[1] every ::(m - 1) * caches::m * caches - 1 \
        using (note_ratio(height(m))) skip 1 nooutput
}
set yrange [0:highest == 0 ? 1 : 1.12 * highest]
set ytics step_up(highest == 0 ? 1 : highest)
place(m) = PLACE[int($0) + 1] - 0.4 + (m - 0.5) * width
bars = "CSV[1] every ::(m - 1) * caches::m * caches - 1 skip 1 using"
# A value stands on its bar where that is wide enough.
has_values = (right - left) / (places + 0.2) * 0.92 * width > 3.6 * em_x
command = "plot for [m = 1:machines] " . bars \
    . " (place(m)):(height(m)):(0.92 * width) with boxes" \
    . " linecolor rgb bar_colour(m) title label(m, several_traces, several_varied)"
if (has_values) {
    command = command . ", for [m = 1:machines] " . bars . " (place(m)):" \
        . "(height(m)):(sprintf(knows ? '%.3g' : '%.2g%%', knows ? height(m)" \
        . " : 100 * height(m))) with labels offset 0,0.6 font VALUE_FONT notitle"
}
VALUE_FONT = sprintf(",%g", 0.8 * POINTS)
eval command
