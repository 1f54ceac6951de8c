# compare.gp - the tables of `margay compare`: predicted against simulated
#
#     gnuplot -c compare.gp OUT.png|svg|pdf|eps|tex COMPARE.csv...
#
# A point for each cache and prediction; on the diagonal the prediction is
# right, above it too high.

OUT = ARG1
array CSV[ARGC - 1]
do for [i = 2:ARGC] { CSV[i - 1] = ARGV[i] }
ASCENDING = 3
MINOR = 4
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "common.gp"
HEADING = "Miss ratios, predicted against simulated"
load folder(ARG0) . "heading.gp"

lowest = 1
highest = 1e-12
note(x) = (lowest = x > 0 && x < lowest ? x : lowest, \
    highest = x > highest ? x : highest, 1)
do for [f = 1:|CSV|] {
    stats CSV[f] using (note($8) + note($9) + note($10)) skip 1 nooutput
}
longest = longest + 22
entries = 2 * series
load folder(ARG0) . "legend.gp"
logarithmic = highest > 50 * lowest
if (logarithmic) { set logscale xy }
least = logarithmic ? 10.0 ** floor(log10(lowest)) : 0
most = logarithmic ? 10.0 ** ceil(log10(highest)) : 1.05 * highest
set xrange [least:most]
set yrange [least:most]
set format "%g"
if (!logarithmic) {
    set xtics nice_step(most - least, (right - left) / (5 * em_x))
    set ytics nice_step(most - least, high_ems / 2.5)
}
set xlabel "simulated miss ratio" offset 0,0.2
set ylabel "predicted miss ratio" offset 0.5,0

points(i, column, name, type) = sprintf("FILE[%d] using 8:%d skip 1" \
    . " every ::FIRST[%d]::LAST[%d] with points pointtype %d pointsize MARK_SIZE" \
    . " linecolor rgb colour(%d) title joined('%s', LABEL[%d])", \
    i, column, i, i, type, 2 * i - (type == 7), name, i)
command = "plot x with lines linecolor rgb '#555555' dashtype 2" \
    . " title 'no error'"
do for [i = 1:series] {
    command = command . ", " . points(i, 10, "binomial", 7) \
        . ", " . points(i, 9, "fully associative", 6)
}
eval command
