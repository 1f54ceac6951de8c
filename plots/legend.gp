# legend.gp - where the legend stands; loaded by the others
#
# margay plot --legend sets LEGEND: inside, below, none or, as without it,
# right.

if (!exists("LEGEND")) { LEGEND = "right" }
if (LEGEND eq "right") {
    # Beside the picture, as lines may pass anywhere in it.
    set rmargin -1
    set key outside
} else { if (LEGEND eq "below") {
    set bmargin -1
    # The empty title keeps it off that of the axis.
    set key outside center bottom horizontal title " "
} else { if (LEGEND eq "inside") {
    set key inside opaque
} else {
    unset key
}}}
