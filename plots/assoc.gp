# assoc.gp - the tables of `margay assoc` or `margay compare`: miss ratios over
# capacity, a line for each number of ways
#
# Colours are numbers of ways, from the seventh on with other marks; dashes change
# with each, and with traces, block sizes and policies, from the fifth of which on
# marks are others.  Of more than eight numbers of ways, the powers of two are
# drawn.  A curve of the same trace and block size is drawn in
# black, as the fully associative cache; sizes are then in blocks.

# The third column of a curve; of no other table.
is_curve(file) = int(system(sprintf("head -n 1 %s | grep -c '^trace," \
    . "block_bytes,cache_blocks,' || true", shell_word(file))))
array TABLE[|CSV|]
array CURVE[|CSV|]
tables = 0
curves = 0
do for [i = 1:|CSV|] {
    if (is_curve(CSV[i])) {
        curves = curves + 1
        CURVE[curves] = CSV[i]
    } else {
        tables = tables + 1
        TABLE[tables] = CSV[i]
    }
}
array CSV[tables]
do for [i = 1:tables] { CSV[i] = TABLE[i] }
ASCENDING = 3
MINOR = 4
load HERE . "common.gp"
HEADING = (HIT ? "Hits" : "Misses") . " of set-associative caches"
load HERE . "heading.gp"

# ------------------------------------------------------ what is there --

in_bytes = in_bytes && curves == 0
smallest = 1e30
ways_there = " "
note(ways, size) = (ways_there = strstrt(ways_there, sprintf(" %d ", ways)) > 0 \
    ? ways_there : ways_there . sprintf("%d ", ways), note_size(size))
do for [f = 1:|CSV|] {
    stats CSV[f] using (note($4, in_bytes ? $5 : $3 * $4)) skip 1 nooutput
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
load HERE . "lines.gp"
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
load HERE . "end-lines.gp"
load HERE . "size-axis.gp"
steep = highest > 50 * lowest
load HERE . "ratio-axis.gp"

command = "plot "
STEPS = 0
FEW = 1e9
load HERE . "draw-lines.gp"
