# curve.gp - the miss curves in one or more tables of `margay curve`
#
#     gnuplot -c curve.gp OUT.png|svg|pdf|eps|tex CURVE.csv...
#
# A line per trace and block size.  Sizes are in bytes if all rows know them,
# else in blocks.  A line stays at a size's ratio up to the next size: that is
# the curve where the table has all sizes at which it steps (--sizes all), and
# elsewhere the curve is nowhere above it.  The axis of the ratio is logarithmic
# where most curves reach so low that their knees would lie on a linear axis'
# floor.

OUT = ARG1
array CSV[ARGC - 1]
do for [i = 2:ARGC] { CSV[i - 1] = ARGV[i] }
ASCENDING = 3
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "common.gp"
HEADING = (HIT ? "Hits" : "Misses") . " of a fully associative LRU cache"
load folder(ARG0) . "heading.gp"

# ----------------------------------------------------------------- axes --

# Series i ends with the row; count it if it is steep.
end_series(row) = row < LAST[i] ? 1 : (steep_count = steep_count \
        + (high > 50 * low), \
    lowest = low < lowest ? low : lowest, \
    highest = high > highest ? high : highest, \
    low = 1, high = 0, i = i < series ? i + 1 : i)
in_bytes = 1
lowest = 1
highest = 0
low = 1
high = 0
steep_count = 0
i = 1
note_ratio(row, bytes, ratio) = (in_bytes = in_bytes && bytes ne "", \
    low = ratio > 0 && ratio < low ? ratio : low, \
    high = ratio > high ? ratio : high, end_series(row))
do for [f = 1:|CSV|] {
    stats CSV[f] using (note_ratio($0, strcol(4), shown($7))) skip 1 nooutput
}

smallest = 1e30
largest = 1
size_column = in_bytes ? 4 : 3
note_size(size) = (smallest = size < smallest ? size : smallest, \
    largest = size > largest ? size : largest, 1)
do for [f = 1:|CSV|] {
    stats CSV[f] using (note_size(column(size_column))) skip 1 nooutput
}

most_lines = series
load folder(ARG0) . "lines.gp"
do for [i = 1:series] {
    line = add_line(sprintf("FILE[%d] skip 1", i), FIRST[i], LAST[i], \
        "column(size_column)", "shown($7)", LABEL[i])
    line = look(colour(i), sprintf("%d", dashes(i)), width(i, series), shape(i))
}
load folder(ARG0) . "end-lines.gp"
steep = 2 * steep_count >= series
load folder(ARG0) . "size-axis.gp"
load folder(ARG0) . "ratio-axis.gp"
command = "plot "
STEPS = 1
load folder(ARG0) . "draw-lines.gp"
