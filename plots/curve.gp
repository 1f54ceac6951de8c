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
# Of requests "blocks of 16 tokens on average", or "blocks"; of others "".
of_requests = system(sprintf("{ read -r head; case $head in *missed_requests*)" \
    . " read -r row; printf '%%s\\n' \"$head\" \"$row\" | awk %s;; esac; } <%s", \
    shell_word(awk_table . 'of("missed_requests") != "" {' \
        . ' tokens = of("request_tokens"); all = of("references");' \
        . ' print "blocks" (tokens > 0 && all > 0' \
        . '     ? sprintf(" of %.4g tokens on average", tokens / all) : "") }'), shell_word(CSV[1])))
HEADING = (HIT ? "Hits" : "Misses") . (of_requests ne "" ? " of a prefix cache" \
    : POLICY[1] eq "" ? " of a fully associative LRU cache" \
    : " of a fully associative cache")
if (of_requests ne "") {
    BLOCKS = of_requests
    if (in_bytes) { SUBTITLE = joined(SUBTITLE, of_requests) }
}
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
if (of_requests ne "") { set ylabel ratio_word . " ratio of blocks" offset 0.5,0 }
command = "plot "
STEPS = POLICY[1] eq ""
load HERE . "draw-lines.gp"
