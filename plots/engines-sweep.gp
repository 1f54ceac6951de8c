# engines-sweep.gp - speed over blocks, from a table of engines with --sweep

# The engines in the order of the table; no name has a blank.
engines = ""
rows = ""
last = ""
row = 0
lowest = 1e30
note(name, blocks, speed) = ( \
    engines = name eq last ? engines : engines . " " . name, \
    rows = name eq last ? rows : rows . sprintf(" %d", row), \
    last = name, row = row + 1, \
    note_size(blocks) + note_ratio(speed))
stats CSV[1] using (note(strcol(1), $2, $5)) skip 1 nooutput
rows = rows . sprintf(" %d", row)

HEADING = "Speed of engines over the number of blocks"
SUBTITLE = "M blocks in 100 parts, each gone through twice"
load HERE . "heading.gp"
most_lines = words(engines)
load HERE . "lines.gp"
do for [i = 1:words(engines)] {
    line = add_line("CSV[1] skip 1", int(word(rows, i)), int(word(rows, i + 1)) - 1, \
        "$2", "$5", word(engines, i))
    line = look(colour(i), sprintf("%d", dashes(i)), 2, shape(i))
}
load HERE . "end-lines.gp"
x_log = scale_is_log("x", 1)
y_log = scale_is_log("y", 1)
x_least = x_from(x_log ? smallest : 0)
x_most = x_to(largest > x_least ? largest : 10 * x_least)
y_least = y_from(y_log ? 10.0 ** floor(log10(lowest)) : 0)
y_most = y_to(10.0 ** ceil(log10(highest)))
fault = range_fault("x", x_least, x_most, x_log) . range_fault("y", y_least, \
    y_most, y_log)
if (fault ne "") {
    print fault
    exit status 2
}
if (x_log) { set logscale x }
if (y_log) { set logscale y }
set xrange [x_least:x_most]
set yrange [y_least:y_most]
set xlabel "distinct blocks" offset 0,0.2
set ylabel "references per second" offset 0.3,0
set xtics format COUNT_FORMAT
set ytics format COUNT_FORMAT

command = "plot "
STEPS = 0
load HERE . "draw-lines.gp"
