# draw-lines.gp - draw the lines of lines.gp; loaded by the others
#
# They set `command` before, "plot " or a plot of the area below the lines, with
# a comma at its end; x_least, x_most, x_log and the same of y, which the axes
# are; and STEPS: 1 where a line stays at a row's value up to the next row.

# Where few points make a line, 40 unless FEW is set, all are marked.  Of others
# eight, of different lines at different places, so that lines show that coincide.
if (!exists("FEW")) { FEW = 40 }
rows_of_line(k) = LINE_LAST[k] - LINE_FIRST[k] + 1
every_mark(k) = rows_of_line(k) <= FEW ? 1 : (rows_of_line(k) + 7) / 8
first_mark(k) = LINE_FIRST[k] + (k - 1) * every_mark(k) / lines
is_marked(k) = LINE_MARK[k] > 0 && (lines > 1 || rows_of_line(k) <= FEW)

look_of(k) = sprintf("linecolor rgb '%s' dashtype %s linewidth %g", \
    LINE_TINT[k], LINE_DASH[k], LINE_WIDTH[k])
mark_of(k) = sprintf("pointtype %d pointsize %g", LINE_MARK[k], \
    MARK_SIZE)
values(k, from, step) = sprintf("%s every %d::%d::%d using (%s):(%s)", \
    LINE_FILE[k], step, from, LINE_LAST[k], LINE_X[k], LINE_Y[k])

# gnuplot begins its dashes anew at each step, and short steps would look solid.
# So a dashed line of steps gets the corners as points.
MOST_CORNERS = 100000
has_corners(k) = STEPS && LINE_DASH[k] ne "1" \
    && rows_of_line(k) <= MOST_CORNERS
# Tables have commas, and blocks that a script made have blanks.
between = lines > 0 && strstrt(LINE_FILE[1], "$") == 1 ? " " : ","
do for [k = 1:lines] {
    if (has_corners(k)) {
        set table $points separator whitespace
        eval "plot " . values(k, LINE_FIRST[k], 1) . " with table"
        unset table
        eval sprintf("set print $corners_%d", k)
        do for [i = 1:|$points|] {
            across = word($points[i], 1)
            if (i > 1) { print across . between . height }
            height = word($points[i], 2)
            print across . between . height
        }
        unset print
    }
}

load HERE . "labels.gp"
do for [k = 1:lines] {
    command = command . sprintf("%s with %s %s notitle, ", has_corners(k) \
        ? sprintf("$corners_%d using 1:2", k) : values(k, LINE_FIRST[k], 1), \
        STEPS && !has_corners(k) ? "steps" : "lines", look_of(k))
    if (is_marked(k)) {
        command = command . sprintf("%s with points %s %s notitle, ", \
            values(k, first_mark(k), every_mark(k)), look_of(k), mark_of(k))
    }
}
if (!labelled) {
    do for [k = 1:lines] {
        command = command . sprintf("keyentry with %s %s title LINE_NAME[%d], ", \
            is_marked(k) ? "linespoints " . mark_of(k) : "lines", look_of(k), k)
    }
}
eval command[1:strlen(command) - 2]
