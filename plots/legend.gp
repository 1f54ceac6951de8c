# legend.gp - where the legend stands; loaded by the others
#
# They set longest, the length of the longest name in it, and entries, before.  margay plot
# --legend sets LEGEND: right, below, inside or none.  Without it the legend
# stands right of the axes, as lines may pass anywhere between these, if that
# leaves the picture three fifths of the width and it is no higher, and else
# below.  There it is in smaller letters, down to half, where it would take more
# than two fifths of the height.
#
# This sets most_tics, for which there is room on the axis below, and in heights
# of the font high_ems, that of the axes, and legend_ems, that of a legend below.

legend_width = (0.6 * longest + 6) * em_x
if (!exists("LEGEND")) {
    LEGEND = 1 - left - legend_width < 0.6 \
        || 1.7 * entries * em_y > top - bottom ? "below" : "right"
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
columns_at(scale) = floor((right - left) / (scale * (0.6 * longest + 3.5) * em_x))
rows_at(scale) = ceil(1.0 * entries \
    / (columns_at(scale) < 1 ? 1 : columns_at(scale)))
legend_scale = 1
while (legend_scale > 0.5 && suffix ne ".tex" \
    && 1.25 * legend_scale * rows_at(legend_scale) * em_y > 0.4) {
    legend_scale = legend_scale - 0.1
}
if (LEGEND eq "below" && legend_scale < 1) {
    LEGEND_FONT = sprintf(",%g", legend_scale * POINTS)
    set key font LEGEND_FONT
}
legend_ems = LEGEND eq "below" ? 1.25 * legend_scale * rows_at(legend_scale) + 1 \
                               : 0
high_ems = (top - bottom) / em_y - legend_ems
most_tics = room_for_tics(LEGEND eq "right" ? 1 - left - legend_width \
                                            : right - left)
