# assoc.gp - the tables of `margay assoc` or `margay compare`: miss ratios over
# capacity, a line for each number of ways
#
#     gnuplot -c assoc.gp OUT.png|svg|pdf|eps|tex ASSOC.csv... [CURVE.csv...]
#
# Colours are numbers of ways, from the seventh on with other marks; dashes change
# with each, and with traces, block sizes and policies, from the fifth of which on
# marks are others.  Of more than eight numbers of ways, the powers of two are
# drawn.  A curve of the same trace and block size is drawn in
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
load folder(ARG0) . "common.gp"
HEADING = (HIT ? "Hits" : "Misses") . " of set-associative caches"
load folder(ARG0) . "heading.gp"

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
    stats CSV[f] using (note($4, $3 * $4, strcol(5), shown($8))) skip 1 nooutput
}
if (in_bytes) {
    smallest = 1e30
    largest = 1
    do for [f = 1:|CSV|] {
        stats CSV[f] using (note($4, $5, "1", shown($8))) skip 1 nooutput
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

# -------------------------------------------------------------- picture --

ways_text(w) = w == 1 ? "1 way" : sprintf("%d ways", w)
dash(i, j) = sprintf("%d", (i + j - 2) % 4 + 1)
mark(i, j) = SHAPE[(j - 1 + (j - 1) / 6 + 2 * ((i - 1) / 4)) % 6 + 1]
most_lines = series * (words(drawn) + curves)
load folder(ARG0) . "lines.gp"
set datafile missing NaN
do for [i = 1:series] {
    do for [c = 1:curves] {
        line = add_line(sprintf("CURVE[%d] skip 1", c), 0, 1e9, "$3", \
            sprintf("strcol(1) eq TRACE[%d] && strcol(2) eq BLOCK[%d]" \
                . " ? shown($7) : NaN", i, i), \
            joined("fully associative", LABEL[i]))
        line = look("#000000", dash(i, 1), 2.5, 0)
    }
    do for [j = 1:words(drawn)] {
        line = add_line(sprintf("FILE[%d] skip 1", i), FIRST[i], LAST[i], \
            "in_bytes ? $5 : $3 * $4", \
            sprintf("$4 == %s ? shown($8) : NaN", word(drawn, j)), \
            joined(ways_text(int(word(drawn, j))), LABEL[i]))
        line = look(COLOUR[(j - 1) % 6 + 1], dash(i, j), 2, mark(i, j))
    }
}
load folder(ARG0) . "end-lines.gp"
load folder(ARG0) . "size-axis.gp"
steep = highest > 50 * lowest
load folder(ARG0) . "ratio-axis.gp"

command = "plot "
STEPS = 0
FEW = 1e9
load folder(ARG0) . "draw-lines.gp"
