# compare.gp - the tables of `margay compare`: predicted against simulated
#
# A point for each cache and prediction; on the diagonal the prediction is
# right, above it too high.

ASCENDING = 3
MINOR = 4
load HERE . "common.gp"
HEADING = "Miss ratios, predicted against simulated"
load HERE . "heading.gp"

highest = 1e-12
do for [f = 1:|CSV|] {
    stats CSV[f] using (note_ratio($8) + note_ratio($9) + note_ratio($10)) skip 1 nooutput
}
longest = longest + 22
entries = 2 * series
load HERE . "legend.gp"
logarithmic = highest > 50 * lowest
if (logarithmic) { set logscale xy }
least = logarithmic ? 10.0 ** floor(log10(lowest)) : 0
most = logarithmic ? 10.0 ** ceil(log10(highest)) : 1.05 * highest
set xrange [least:most]
set yrange [least:most]
set format "%g"
if (!logarithmic) {
    set xtics nice_step(most - least, (right - left) / (5 * em_x))
    set ytics step_up(most - least)
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
