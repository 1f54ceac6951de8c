# objects.gp - the miss curves in tables of `margay curve --objects`
#
#     gnuplot -c objects.gp OUT.png|svg|pdf|eps|tex CURVE.csv...
#
# Two lines per trace and policy: the misses of requests, and, dashed, those of
# bytes.  They are steps, as in curve.gp, but between policies, which were
# simulated at single sizes, straight lines.

OUT = ARG1
array CSV[ARGC - 1]
do for [i = 2:ARGC] { CSV[i - 1] = ARGV[i] }
ASCENDING = 4
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "common.gp"
HEADING = sprintf("%s of %s", HIT ? "Hits" : "Misses", several_policies \
    ? "caches of objects, by policy" : "an LRU cache of objects")
load folder(ARG0) . "heading.gp"

# ----------------------------------------------------------------- axes --

smallest = 1e30
largest = 1
lowest = 1
highest = 0
least = 1e30
# A column that is named by a variable may be empty.
bytes_at = 10
low(y) = y > 0 && y < lowest ? y : lowest
high(y) = y > highest ? y : highest
# Where everything misses there is nothing to see.
note(size, miss_ratio, requests, bytes) = ( \
    least = size < least ? size : least, \
    smallest = miss_ratio < 1 && size < smallest ? size : smallest, \
    largest = size > largest ? size : largest, \
    lowest = low(requests), lowest = low(bytes), \
    highest = high(requests), highest = high(bytes), 1)
do for [f = 1:|CSV|] {
    stats CSV[f] using (note($4, $7, shown($7), \
        strcol(10) eq "" ? 0 : shown(column(bytes_at)))) skip 1 nooutput
}
if (smallest > largest) { smallest = least }
in_bytes = 1
steep = 0

# -------------------------------------------------------------- picture --

most_lines = 2 * series
load folder(ARG0) . "lines.gp"
do for [i = 1:series] {
    do for [bytes = 0:1] {
        line = add_line(sprintf("FILE[%d] skip 1", i), FIRST[i], LAST[i], \
            "$4", \
            bytes ? "strcol(10) eq '' ? NaN : shown(column(bytes_at))" : "shown($7)", \
            joined(LABEL[i], bytes ? "bytes" : "requests"))
        line = look(colour(i), bytes ? "2" : "1", width(i, series), series == 1 ? 0 : shape(i))
    }
}
load folder(ARG0) . "end-lines.gp"
load folder(ARG0) . "size-axis.gp"
load folder(ARG0) . "ratio-axis.gp"

command = "plot "
STEPS = 1
do for [i = 1:series] { if (POLICY[i] ne "") { STEPS = 0 } }
load folder(ARG0) . "draw-lines.gp"
