# engines-run.gp - accuracy over speed, from a table of `margay engines --run`
#
# A point per engine.  The error is the mean of the miss ratio's at the sizes of
# octave:16, on a logarithmic axis at whose foot stand the exact ones; engines
# that do not know the sizes are left out.

# No name has a blank.
engines = ""
note(name, error) = (engines = engines . " " . name, note_ratio(error))
stats CSV[1] using (strcol(9) eq "" ? 0 : note(strcol(1), column(9))) \
    skip 1 nooutput
if (words(engines) == 0) {
    print "no engine here knows its errors"
    exit status 2
}
foot = 10.0 ** (floor(log10(lowest)) - 1)
top = highest == 0 ? 1 : 10.0 ** ceil(log10(highest))

HEADING = "Error and speed of engines"
SUBTITLE = "dots are exact, squares are estimates"
load HERE . "heading.gp"
unset key
set logscale xy
set xlabel "references per second" offset 0,0.2
set xtics format COUNT_FORMAT
set ylabel "mean error of the miss ratio" offset 0.3,0
set yrange [foot / 2:top]
set format y "%g"
set ytics add ("exact" foot)
set offsets graph 0.05, graph 0.16, 0, 0

# Names stand next to the points instead of a legend, above those that have
# another point on their right.  The exact engines are on one line: their names
# rise from it, moved to the right where they would touch, in the order of speed.
program = 'NR > 1 && $9 != "" { print $4, ($9 + 0 < foot ? 0 : $9), $1 }'
spread = '{ x[NR] = $1; y[NR] = $2; name[NR] = $3 } END {' \
    . 'for (i = 1; i <= NR; i++) {' \
    . '    at = x[i]; above = 0;' \
    . '    if (y[i] == 0) { if (at < 1.3 * last) at = 1.3 * last; last = at }' \
    . '    for (j = i + 1; j <= NR; j++)' \
    . '        above += x[j] < 4 * x[i] && y[j] < 1.5 * y[i] && y[i] < 1.5 * y[j];' \
    . '    print x[i], y[i], at, name[i], (above > 0) } }'
set print $points
print system(sprintf("awk -F, -v foot=%.17g %s <%s | sort -g | awk %s", foot, \
    shell_word(program), shell_word(CSV[1]), shell_word(spread)))
unset print
set datafile separator whitespace
exact(y) = y == 0 ? foot : NaN
inexact(y, above) = y == 0 || above != $5 ? NaN : y
plot $points using 1:(exact($2)) with points pointtype 7 pointsize 2 * MARK_SIZE \
        linecolor rgb colour(1), \
    '' using 1:($2 == 0 ? NaN : $2) with points pointtype 5 pointsize 2 * MARK_SIZE \
        linecolor rgb colour(2), \
    '' using 1:(exact($2)):($3 - $1):(0.3 * foot) with vectors nohead \
        linecolor rgb "#999999" linewidth 0.7, \
    '' using 3:(1.35 * exact($2)):4 with labels left rotate by 60 \
        noenhanced textcolor "#222222", \
    '' using 1:(inexact($2, 0)):4 with labels left offset 1,0 noenhanced \
        textcolor "#222222", \
    '' using 1:(inexact($2, 1)):4 with labels center offset 0,0.9 noenhanced \
        textcolor "#222222"
