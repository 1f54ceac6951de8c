# end-lines.gp - after the last line of lines.gp: one line for those that coincide,
# with all their names as far as these have room, and the legend; loaded by the
# others
#
# They may set others before, the number of names in the legend in addition to
# those of lines, and others_longest, the length of the longest of these.

array LINE_PRINT[lines + 1]
longest = 0
if (lines > 0) {
    NAMES = "LINE_NAME"
    COUNT = lines
    ROOM = floor((right - left) / (0.6 * em_x)) - 5
    load HERE . "names.gp"
}
# Lines of the same points have the same sums.
note_point(x, y) = (points = points + 1, sum_x = sum_x + (x == x ? points * x : 0), \
    sum_y = sum_y + (y == y ? points * y : 0), 1)
kept = 0
do for [k = 1:lines] {
    points = 0
    sum_x = 0.0
    sum_y = 0.0
    eval "stats " . LINE_FILE[k] . sprintf(" every ::%d::%d using" \
        . " (note_point((%s), (%s))) nooutput", LINE_FIRST[k], LINE_LAST[k], \
        LINE_X[k], LINE_Y[k])
    LINE_PRINT[k] = sprintf("%d %.17g %.17g", points, sum_x, sum_y)
    same = 0
    do for [j = 1:kept] {
        both = LINE_NAME[j] . " = " . LINE_NAME[k]
        if (LINE_PRINT[j] eq LINE_PRINT[k] && strlen(both) <= most_name) {
            same = j
            LINE_NAME[j] = both
            wide_names = widen(both)
            break
        }
    }
    if (same == 0) {
        kept = kept + 1
        LINE_PRINT[kept] = LINE_PRINT[k]
        do for [what in "FILE FIRST LAST X Y NAME TINT DASH WIDTH MARK"] {
            eval sprintf("LINE_%s[kept] = LINE_%s[k]", what, what)
        }
    }
}
lines = kept
if (!exists("others")) { others = 0 }
entries = lines + others
if (!exists("others_longest")) { others_longest = 19 }
if (others > 0 && longest < others_longest) { longest = others_longest }
most_tics = room_for_tics(right - left)
if (longest > 0) { load HERE . "legend.gp" } else { unset key }
