# curve.gp - the miss curves in one or more tables of `margay curve`
#
# A line per trace and block size.  Sizes are in bytes if all rows know them,
# else in blocks.  A line stays at a size's ratio up to the next size: that is
# the curve where the table has all sizes at which it steps (--sizes all), and
# elsewhere the curve is nowhere above it.  Policies were simulated at single sizes,
# and straight lines join these.  The axis of the ratio is logarithmic where most
# curves reach so low that their knees would lie on a linear axis' floor.

ASCENDING = 3
load HERE . "common.gp"
HEADING = (HIT ? "Hits" : "Misses") . " of a fully associative " \
    . (POLICY[1] eq "" ? "LRU cache" : "cache")
load HERE . "heading.gp"
size_column = in_bytes ? 4 : 3
most_lines = series
load HERE . "lines.gp"
do for [i = 1:series] {
    line = add_line(sprintf("FILE[%d] skip 1", i), FIRST[i], LAST[i], \
        "column(size_column)", "shown($7)", LABEL[i])
    line = look(colour(i), sprintf("%d", dashes(i)), width(i, series), shape(i))
}
load HERE . "end-lines.gp"
steep = 2 * steep_count >= series
load HERE . "size-axis.gp"
load HERE . "ratio-axis.gp"
command = "plot "
STEPS = POLICY[1] eq ""
load HERE . "draw-lines.gp"
