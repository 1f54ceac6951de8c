# curve.gp - the miss curves in one or more tables of `margay curve`
#
#     gnuplot -c curve.gp OUT.png|svg|pdf CURVE.csv...
#
# A line per trace and block size.  Sizes are in bytes if all rows know them,
# else in blocks.  The axis of the ratio is logarithmic where most curves reach
# so low that their knees would lie on a linear axis' floor.

OUT = ARG1
array CSV[ARGC - 1]
do for [i = 2:ARGC] { CSV[i - 1] = ARGV[i] }
ASCENDING = 3
HEADING = "Misses of a fully associative LRU cache"
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "common.gp"

# ----------------------------------------------------------------- axes --

# Series i ends with the row; count it if it is steep.
end_series(row) = row < LAST[i] ? 1 : (steep = steep + (high > 50 * low), \
    lowest = low < lowest ? low : lowest, \
    highest = high > highest ? high : highest, \
    low = 1, high = 0, i = i < series ? i + 1 : i)
in_bytes = 1
lowest = 1
highest = 0
low = 1
high = 0
steep = 0
i = 1
note_ratio(row, bytes, ratio) = (in_bytes = in_bytes && bytes ne "", \
    low = ratio > 0 && ratio < low ? ratio : low, \
    high = ratio > high ? ratio : high, end_series(row))
do for [f = 1:|CSV|] {
    stats CSV[f] using (note_ratio($0, strcol(4), $7)) skip 1 nooutput
}
most_rows = 0
do for [i = 1:series] {
    rows = LAST[i] - FIRST[i] + 1
    most_rows = rows > most_rows ? rows : most_rows
}

smallest = 1e30
largest = 1
size_column = in_bytes ? 4 : 3
note_size(size) = (smallest = size < smallest ? size : smallest, \
    largest = size > largest ? size : largest, 1)
do for [f = 1:|CSV|] {
    stats CSV[f] using (note_size(column(size_column))) skip 1 nooutput
}

load folder(ARG0) . "size-axis.gp"
set ylabel "miss ratio" offset 0.5,0

if (2 * steep >= series) {
    set logscale y
    set yrange [10.0 ** floor(log10(lowest)):10.0 ** ceil(log10(highest))]
} else {
    set yrange [0:highest > 0.7 || highest == 0 ? 1 : 1.1 * highest]
}
set format y "%g"

# -------------------------------------------------------------- picture --

# Few points are all marked; many would hide the line, and of several lines
# eight points each are marked.
marked = most_rows <= 40 ? "pointinterval 1" : "pointnumber 8"
points(i) = series == 1 && most_rows > 40 ? "lines" \
    : sprintf("linespoints pointtype shape(%d) pointsize 0.8 %s", i, marked)
line(i) = sprintf("FILE[%d] using size_column:7 skip 1" \
    . " every ::FIRST[%d]::LAST[%d] with %s linecolor rgb colour(%d)" \
    . " dashtype dashes(%d) linewidth width(%d, series) title LABEL[%d]", \
    i, i, i, points(i), i, i, i, i)
command = ""
do for [i = 1:series] {
    command = command . (i == 1 ? "plot " : ", ") . line(i)
}
eval command
