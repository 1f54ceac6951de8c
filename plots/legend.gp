# legend.gp - where the legend stands; loaded by the others
#
# They set longest, the length of the longest name in it, before.  margay plot
# --legend sets LEGEND: right, below, inside or none.  Without it the legend
# stands right of the axes, as lines may pass anywhere between these, if that
# leaves the picture three fifths of the width, and else below.
#
# This sets most_tics, for which there is room on the axis below.

legend_width = (0.6 * longest + 6) * em_x
if (!exists("LEGEND")) {
    LEGEND = 1 - left - legend_width < 0.6 ? "below" : "right"
}
if (LEGEND eq "right") {
    set rmargin -1
    set key outside
} else { if (LEGEND eq "below") {
    set bmargin -1
    # The empty title keeps it off that of the axis.
    set key outside center bottom horizontal title " " samplen 2
} else { if (LEGEND eq "inside") {
    set key inside opaque
} else {
    unset key
}}}
most_tics = room_for_tics(LEGEND eq "right" ? 1 - left - legend_width \
                                            : right - left)
