# labels.gp - the names of lines at their ends; loaded by draw-lines.gp
#
# With LABELS, if there is room for all of them, names stand on the right of the
# axes, each joined to where its line ends.  This sets labelled, and unsets the
# legend.

name_gap = 1.3 * em_y / (top - bottom)
labelled = LABELS && lines * name_gap <= 1
if (labelled) {
    unset key
    longest = 0
    wide_names = sum [k = 1:lines] widen(LINE_NAME[k])
    right = 1 - (0.58 * longest + 3) * em_x
    right = right < 0.4 ? 0.4 : right
    set rmargin at screen right

    array END_X[lines]
    array END_Y[lines]
    array NAME_Y[lines]
    array ORDER[lines]
    clipped(x, least, most) = x < least ? least : x > most ? most : x
    high_share(y) = y_log ? log(y / y_least) / log(y_most / y_least) \
                          : (y - y_least) / (y_most - y_least)
    note_end(k, x, y) = x != x || y != y || x > x_most ? 0 \
        : (END_X[k] = clipped(x, x_least, x_most), \
           END_Y[k] = clipped(y, y_least, y_most), 1)
    do for [k = 1:lines] {
        END_X[k] = x_least
        END_Y[k] = y_least
        eval "stats " . LINE_FILE[k] . sprintf(" every ::%d::%d using" \
            . " (note_end(%d, (%s), (%s))) nooutput", LINE_FIRST[k], \
            LINE_LAST[k], k, LINE_X[k], LINE_Y[k])
        ORDER[k] = k
    }
    # From the top down, and each as near to its line as the others let it.
    do for [i = 2:lines] {
        do for [j = i:2:-1] {
            if (END_Y[ORDER[j]] > END_Y[ORDER[j - 1]]) {
                k = ORDER[j]
                ORDER[j] = ORDER[j - 1]
                ORDER[j - 1] = k
            }
        }
    }
    place = 1 + name_gap
    do for [i = 1:lines] {
        k = ORDER[i]
        NAME_Y[k] = high_share(END_Y[k])
        NAME_Y[k] = NAME_Y[k] < place - name_gap ? NAME_Y[k] : place - name_gap
        place = NAME_Y[k]
    }
    place = -name_gap
    do for [i = lines:1:-1] {
        k = ORDER[i]
        NAME_Y[k] = NAME_Y[k] > place + name_gap ? NAME_Y[k] : place + name_gap
        place = NAME_Y[k]
        set label 100 + k LINE_NAME[k] at graph 1.03,NAME_Y[k] left noenhanced \
            textcolor rgb LINE_TINT[k]
        set arrow 100 + k from first END_X[k],END_Y[k] to graph 1.025,NAME_Y[k] \
            nohead linecolor rgb LINE_TINT[k] linewidth 0.6
    }
}
