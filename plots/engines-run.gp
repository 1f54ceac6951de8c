# engines-run.gp - accuracy over speed, from a table of `margay engines --run`
#
#     gnuplot -c engines-run.gp OUT.png|svg|pdf RUN.csv
#
# A point per engine.  The error is the mean of the miss ratio's at the sizes of
# octave:16, on a logarithmic axis at whose foot stand the exact ones; engines
# that do not know the sizes are left out.

OUT = ARG1
CSV = ARG2
HEADING = "Engines: error and speed"
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "terminal.gp"

array SHAPE[4] = [7, 5, 9, 13]

# No name has a blank.
engines = ""
lowest = 1
highest = 0
note(name, error) = (engines = engines . " " . name, \
    lowest = error > 0 && error < lowest ? error : lowest, \
    highest = error > highest ? error : highest)
stats CSV using (strcol(9) eq "" ? 0 : note(strcol(1), column(9))) \
    skip 1 nooutput
if (words(engines) == 0) {
    print sprintf("%s: no engine here knows its errors", CSV)
    exit status 2
}
foot = 10.0 ** (floor(log10(lowest)) - 1)
top = highest == 0 ? 1 : 10.0 ** ceil(log10(highest))

set label 1 HEADING at screen 0.11,0.955 noenhanced font ",18"
set lmargin at screen 0.11
set rmargin -1
set key outside samplen 1
set logscale xy
set xlabel "references per second" offset 0,0.2
set xtics format "%.0s%c"
set ylabel "mean error of the miss ratio" offset 0.3,0
set yrange [foot / 2:top]
set format y "%g"
set ytics add ("exact" foot)
set offsets graph 0.05, graph 0.05, 0, 0
error(name) = strcol(1) ne name || strcol(9) eq "" ? NaN \
    : column(9) < foot ? foot : column(9)
plot for [i = 1:words(engines)] CSV using 4:(error(word(engines, i))) skip 1 \
    with points pointtype SHAPE[(i - 1) / 7 % 4 + 1] \
    pointsize 1.6 linecolor rgb colour(i) title word(engines, i)
