# engines-sweep.gp - speed over blocks, from a table of `margay engines --sweep`
#
#     gnuplot -c engines-sweep.gp OUT.png|svg|pdf SWEEP.csv

OUT = ARG1
CSV = ARG2
HEADING = "Engines: speed over the number of blocks"
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "terminal.gp"

# The engines in the order of the table; no name has a blank.
engines = ""
last = ""
note(name) = name eq last ? 0 \
    : (engines = engines . " " . name, last = name, 1)
stats CSV using (note(strcol(1))) skip 1 nooutput

set label 1 HEADING at screen 0.095,0.955 noenhanced font HEADING_FONT
set label 2 "M blocks in 100 parts, each gone through twice" \
    at screen 0.095,0.908 noenhanced textcolor "#666666"
load folder(ARG0) . "legend.gp"
set logscale xy
set xrange [*:*] noextend
set xlabel "distinct blocks" offset 0,0.2
set ylabel "references per second" offset 0.5,0
set xtics format "%.0s%c"
set ytics format "%.0s%c"
plot for [i = 1:words(engines)] CSV \
    using (strcol(1) eq word(engines, i) ? $2 : NaN):5 skip 1 \
    with linespoints pointtype shape(i) pointsize 0.9 \
    linecolor rgb colour(i) \
    dashtype dashes(i) linewidth 2 title word(engines, i)
