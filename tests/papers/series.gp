# series.gp - the columns of a table next to each other, as bars or as lines
#
#     gnuplot -c series.gp OUT.png|svg|pdf CSV bars|lines|log HEADING SUBTITLE \
#         XLABEL YLABEL
#
# The first column says what the others are of: a text under each group of bars,
# or the place of the points of lines, on a logarithmic axis with `log`.

OUT = ARG1
CSV = ARG2
load "plots/terminal.gp"
HEADING = ARG4
SUBTITLE = ARG5
load "plots/heading.gp"
load "plots/legend.gp"
set xlabel ARG6
set ylabel ARG7
set yrange [0:*]
columns = int(system("head -n 1 '" . CSV . "' | tr ',' '\\n' | wc -l"))
name(i) = system("head -n 1 '" . CSV . "' | cut -d, -f" . i . " | tr '_' ' '")
if (ARG3 eq "bars") {
    set style data histograms
    set style histogram clustered gap 1
    set style fill solid 1 noborder
    set xtics rotate by -60
    set bmargin at screen bottom + 2.5 * em_y
    set output OUT
    plot for [i = 2:columns] CSV using i:xtic(strcol(1)) skip 1 \
        linecolor rgb colour(i - 1) title name(i)
} else {
    if (ARG3 eq "log") { set logscale x 2; set xtics format COUNT_FORMAT }
    set output OUT
    plot for [i = 2:columns] CSV using 1:i skip 1 with lines \
        linecolor rgb colour(i - 1) linewidth width(i - 1, columns - 1) \
        title name(i)
}
