# objects.gp - the miss curves in tables of `margay curve --objects`
#
# Two lines per trace and policy: the misses of requests, and, dashed, those of
# bytes.  They are steps, as in curve.gp, but between policies, which were
# simulated at single sizes, straight lines.

ASCENDING = 4
load HERE . "common.gp"
HEADING = sprintf("%s of %s", HIT ? "Hits" : "Misses", several_policies \
    ? "caches of objects, by policy" : "an LRU cache of objects")
load HERE . "heading.gp"

# Where everything misses there is nothing to see.
least = smallest
smallest = 1e30
# A column that is named by a variable may be empty.
bytes_at = 10
note(size, miss_ratio, bytes) = note_ratio(bytes) + (miss_ratio < 1 \
    && size < smallest ? (smallest = size) : 0)
do for [f = 1:|CSV|] {
    stats CSV[f] using (note($4, $7, strcol(10) eq "" ? 0 \
        : shown(column(bytes_at)))) skip 1 nooutput
}
if (smallest > largest) { smallest = least }
steep = 0

# -------------------------------------------------------------- picture --

most_lines = 2 * series
load HERE . "lines.gp"
do for [i = 1:series] {
    do for [bytes = 0:1] {
        line = add_line(sprintf("FILE[%d] skip 1", i), FIRST[i], LAST[i], \
            "$4", \
            bytes ? "strcol(10) eq '' ? NaN : shown(column(bytes_at))" : "shown($7)", \
            joined(LABEL[i], bytes ? "bytes" : "requests"))
        line = look(colour(i), bytes ? "2" : "1", width(i, series), series == 1 ? 0 : shape(i))
    }
}
# Of requests, what lies between a policy and the bound below all is shaded, and
# darker what lies between the two bounds, where the optimum is.
points_of(i) = sprintf("plot FILE[%d] skip 1 every ::%d::%d using ($4):(shown($7))" \
    . " with table", i, FIRST[i], LAST[i])
gaps = 0
others = 0
command = "plot "
do for [shade = 0:1] {
    heading = shade ? "pfoo-l to pfoo-u" : "policies to pfoo-l"
    do for [l = 1:series] {
        do for [i = 1:series] {
            if (POLICY[l] eq "pfoo-l" && i != l && TRACE[i] eq TRACE[l] \
                && TENANT[i] eq TENANT[l] && shade == (POLICY[i] eq "pfoo-u")) {
                set table $bound separator whitespace
                eval points_of(l)
                set table $policy separator whitespace
                eval points_of(i)
                unset table
                gaps = gaps + 1
                eval sprintf("set print $gap_%d", gaps)
                do for [k = 1:(|$bound| < |$policy| ? |$bound| : |$policy|)] {
                    print word($policy[k], 1) . "," . word($policy[k], 2) \
                        . "," . word($bound[k], 2)
                }
                unset print
                command = command . sprintf("$gap_%d using 1:2:3 with" \
                    . " filledcurves fillcolor rgb '%s' title '%s', ", gaps, \
                    shade ? "#cccccc" : "#ececec", heading)
                others = others + (heading ne "")
                heading = ""
            }
        }
    }
}
set style fill solid 1 noborder
others_longest = 18
load HERE . "end-lines.gp"
load HERE . "size-axis.gp"
load HERE . "ratio-axis.gp"

STEPS = POLICY[1] eq ""
load HERE . "draw-lines.gp"
