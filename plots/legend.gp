# legend.gp - where the legend stands; loaded by the others
#
# They set longest, the length of the longest name in it, and entries, before.  margay plot
# --legend sets LEGEND: right, below, inside or none.  Without it the legend
# stands right of the axes, as lines may pass anywhere between these, if that
# leaves the picture three fifths of the width and it is no higher, and else
# below.  There it is in smaller letters, down to half, where it would leave the
# axes less than a third of the height, and with a note where it does so still.
#
# This sets most_tics, for which there is room on the axis below, and in heights
# of the font high_ems, that of the axes, and legend_ems, that of a legend below.

legend_width = (0.6 * longest + 6) * em_x
legend_place = exists("LEGEND") ? LEGEND : 1 - left - legend_width < 0.6 \
    || 1.7 * entries * em_y > top - bottom ? "below" : "right"
if (legend_place eq "right") {
    set rmargin -1
    set key outside
} else { if (legend_place eq "below") {
    set bmargin -1
    # The empty title keeps it off that of the axis.
    set key outside center bottom horizontal title " " samplen 2
} else { if (legend_place eq "inside") {
    set key inside opaque
} else {
    unset key
}}}
# gnuplot takes the letters of an SVG for wider than those of others.
columns_at(scale) = floor((right - left) / (scale * em_x \
    * (0.6 * longest + (suffix eq ".svg" ? 5.2 : 3.5))))
rows_at(scale) = ceil(1.0 * entries \
    / (columns_at(scale) < 1 ? 1 : columns_at(scale)))
lacks_height(scale) = 1.25 * scale * rows_at(scale) * em_y > top - bottom - 0.33
legend_scale = 1
while (legend_scale > 0.55 && is_sized && lacks_height(legend_scale)) {
    legend_scale = legend_scale - 0.1
}
if (legend_place eq "below" && legend_scale < 1) {
    LEGEND_FONT = sprintf(",%g", legend_scale * POINTS)
    set key font LEGEND_FONT
}
if (legend_place eq "below" && exists("FORMAT") && lacks_height(legend_scale)) {
    print "note: the legend leaves the picture no room (--legend none, --size)"
}
legend_ems = legend_place eq "below" ? 1.25 * legend_scale * rows_at(legend_scale) + 1 \
                               : 0
high_ems = (top - bottom) / em_y - legend_ems
most_tics = room_for_tics(legend_place eq "right" ? 1 - left - legend_width \
                                            : right - left)
