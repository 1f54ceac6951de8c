# parda.gp - the speed of an analysis in parts over the number of ranks
#
#     gnuplot -c parda.gp OUT.png|svg|pdf CSV
#
# CSV is parda-ranks.csv, which critical_path writes.

OUT = ARG1
CSV = ARG2
load "plots/terminal.gp"
HEADING = "Speed of ranks over that of one rank with the same engine and bound"
SUBTITLE = "by a schedule of steps that were timed one after the other"
load "plots/heading.gp"
load "plots/legend.gp"
set logscale xy 2
set xlabel "ranks"
set ylabel "speed"
set xrange [1:64]
set yrange [1:128]
series = "olken,0 olken,65536 olken,4096 exact,0 exact,65536 exact,4096"
name(i) = word(series, i)
mine(i, value) = strcol(1) . "," . strcol(2) eq name(i) ? value : NaN
bound(text) = text eq "0" ? "no bound" : "bound " . text
comma(i) = strstrt(name(i), ",")
set output OUT
plot x linecolor rgb "#aaaaaa" dashtype 3 title "as many as ranks", \
    for [i = 1:6] CSV using 3:(mine(i, $8)) skip 1 with linespoints \
        linecolor rgb colour((i - 1) % 3 + 1) pointtype SHAPE[(i - 1) % 3 + 1] \
        dashtype 1 + (i > 3) linewidth 1.5 pointsize MARK_SIZE \
        title sprintf("%s, %s", substr(name(i), 1, comma(i) - 1), \
            bound(substr(name(i), comma(i) + 1, strlen(name(i)))))
