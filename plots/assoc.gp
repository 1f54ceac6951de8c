# assoc.gp - the tables of `margay assoc` or `margay compare`: miss ratios over
# capacity, a line for each number of ways
#
#     gnuplot -c assoc.gp OUT.png|svg|pdf ASSOC.csv... [CURVE.csv...]
#
# Colours are numbers of ways, from the seventh on with other points; dashes are
# traces, block sizes and policies.  Of more than eight numbers of ways, the
# powers of two are drawn.  A curve of the same trace and block size is drawn in
# black, as the fully associative cache; sizes are then in blocks.

OUT = ARG1
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "text.gp"
# The third column of a curve; of no other table.
is_curve(file) = int(system(sprintf("head -n 1 %s | grep -c '^trace," \
    . "block_bytes,cache_blocks,' || true", shell_word(file))))
tables = 0
curves = 0
array IS_CURVE[ARGC]
do for [i = 2:ARGC] {
    IS_CURVE[i] = is_curve(ARGV[i])
    if (IS_CURVE[i]) { curves = curves + 1 } else { tables = tables + 1 }
}
if (tables == 0) {
    print "a table of 'margay assoc' or 'margay compare' is missing"
    exit status 2
}
array CSV[tables]
array CURVE[curves + 1]
t = 0
c = 0
do for [i = 2:ARGC] {
    if (IS_CURVE[i]) {
        c = c + 1
        CURVE[c] = ARGV[i]
    } else {
        t = t + 1
        CSV[t] = ARGV[i]
    }
}
ASCENDING = 3
MINOR = 4
HEADING = "Misses of set-associative caches"
load folder(ARG0) . "common.gp"

# ------------------------------------------------------ what is there --

in_bytes = curves == 0
ways_there = " "
lowest = 1
highest = 0
smallest = 1e30
largest = 1
note(ways, blocks, bytes, ratio) = ( \
    ways_there = strstrt(ways_there, sprintf(" %d ", ways)) > 0 \
        ? ways_there : ways_there . sprintf("%d ", ways), \
    in_bytes = in_bytes && bytes ne "", \
    smallest = blocks < smallest ? blocks : smallest, \
    largest = blocks > largest ? blocks : largest, \
    lowest = ratio > 0 && ratio < lowest ? ratio : lowest, \
    highest = ratio > highest ? ratio : highest, 1)
do for [f = 1:|CSV|] {
    stats CSV[f] using (note($4, $3 * $4, strcol(5), $8)) skip 1 nooutput
}
if (in_bytes) {
    smallest = 1e30
    largest = 1
    do for [f = 1:|CSV|] {
        stats CSV[f] using (note($4, $5, "1", $8)) skip 1 nooutput
    }
}
is_power(n) = n < 1 ? 0 : n == 1 ? 1 : int(n) % 2 == 0 ? is_power(n / 2) : 0
drawn = ""
do for [w = 1:64] {
    if (strstrt(ways_there, sprintf(" %d ", w)) > 0 \
        && (words(ways_there) <= 8 || is_power(w))) {
        drawn = drawn . sprintf(" %d", w)
    }
}

# ----------------------------------------------------------------- axes --

most_tics = 8
load folder(ARG0) . "size-axis.gp"
set ylabel "miss ratio" offset 0.5,0
if (highest > 50 * lowest) {
    set logscale y
    set yrange [10.0 ** floor(log10(lowest)):10.0 ** ceil(log10(highest))]
} else {
    set yrange [0:highest > 0.7 || highest == 0 ? 1 : 1.1 * highest]
}
set format y "%g"
load folder(ARG0) . "legend.gp"

# -------------------------------------------------------------- picture --

ways_text(w) = w == 1 ? "1 way" : sprintf("%d ways", w)
line(i, j) = sprintf("FILE[%d] using (in_bytes ? $5 : $3 * $4):" \
    . "($4 == %s ? $8 : NaN) skip 1 every ::FIRST[%d]::LAST[%d]" \
    . " with linespoints pointtype %d pointsize 0.7 linewidth 2" \
    . " linecolor rgb colour(%d) dashtype %d title joined(ways_text(%s)," \
    . " LABEL[%d])", i, word(drawn, j), i, i, j > 6 ? 5 : 7, (j - 1) % 6 + 1, \
    (i - 1) % 4 + 1, word(drawn, j), i)
full(i, c) = sprintf("CURVE[%d] using 3:(strcol(1) eq TRACE[%d] &&" \
    . " strcol(2) eq BLOCK[%d] ? $7 : NaN) skip 1 with lines linewidth 2.5" \
    . " linecolor rgb '#000000' dashtype %d title joined(" \
    . "'fully associative', LABEL[%d])", c, i, i, (i - 1) % 4 + 1, i)
command = ""
set datafile missing NaN
do for [i = 1:series] {
    do for [c = 1:curves] {
        command = command . (command eq "" ? "plot " : ", ") . full(i, c)
    }
    do for [j = 1:words(drawn)] {
        command = command . (command eq "" ? "plot " : ", ") . line(i, j)
    }
}
eval command
