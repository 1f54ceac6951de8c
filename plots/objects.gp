# objects.gp - the miss curves in tables of `margay curve --objects`
#
#     gnuplot -c objects.gp OUT.png|svg|pdf CURVE.csv...
#
# Two lines per trace and policy: the misses of requests, and, dashed, those of
# bytes.

OUT = ARG1
array CSV[ARGC - 1]
do for [i = 2:ARGC] { CSV[i - 1] = ARGV[i] }
ASCENDING = 4
HEADING = "Misses of an LRU cache of objects"
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "common.gp"
if (several_policies) { set label 1 "Misses of caches of objects, by policy" }

# ----------------------------------------------------------------- axes --

smallest = 1e30
largest = 1
highest = 0
least = 1e30
note(size, requests, bytes) = ( \
    least = size < least ? size : least, \
    smallest = requests < 1 && size < smallest ? size : smallest, \
    largest = size > largest ? size : largest, \
    highest = requests > highest ? requests : highest, \
    highest = bytes > highest ? bytes : highest, 1)
do for [f = 1:|CSV|] {
    stats CSV[f] using (note($4, $7, $10)) skip 1 nooutput
}
# Where everything misses there is nothing to see.
if (smallest > largest) { smallest = least }
in_bytes = 1
load folder(ARG0) . "size-axis.gp"
set ylabel "miss ratio" offset 0.5,0
set yrange [0:highest > 0.7 || highest == 0 ? 1 : 1.1 * highest]
set format y "%g"
if (series == 1) {
    LEGEND = exists("LEGEND") ? LEGEND : "right"
    load folder(ARG0) . "legend.gp"
    if (LEGEND eq "right") {
        set rmargin at screen 0.965
        set key inside left bottom
    }
}

# -------------------------------------------------------------- picture --

named(i, what) = LABEL[i] eq "" ? what : LABEL[i] . ", " . what
line(i, y, dash, what) = sprintf("FILE[%d] using 4:%d skip 1" \
    . " every ::FIRST[%d]::LAST[%d] with lines linecolor rgb colour(%d)" \
    . " dashtype %d linewidth 2 title named(%d, '%s')", \
    i, y, i, i, i, dash, i, what)
command = ""
do for [i = 1:series] {
    command = command . (i == 1 ? "plot " : ", ") \
        . line(i, 7, 1, "requests") . ", " . line(i, 10, 2, "bytes")
}
eval command
