# ratio-axis.gp - ratios from the bottom up; loaded by the others
#
# They set highest, the lowest above 0, and `steep`: whether ratios differ so
# much that a logarithmic axis is better.  This sets the axis, and y_log, y_least
# and y_most.

y_log = scale_is_log("y", steep && !HIT && y_from(1) > 0)
y_least = y_from(y_log ? 10.0 ** floor(log10(lowest)) : 0)
y_most = y_to(y_log ? 10.0 ** ceil(log10(highest > 0 ? highest : 1) - 1e-9) \
              : highest > 0.7 || highest == 0 ? 1 : 1.1 * highest)
if (y_log && y_least == y_most && !exists("Y_FROM")) { y_least = y_most / 10 }
fault = range_fault("y", y_least, y_most, y_log)
# Ratios of 0 may lie below the lowest.
if (fault eq "" && (exists("Y_FROM") || exists("Y_TO"))) {
    fault = empty_fault("y", "ratios", \
        y_least > 0 && lowest < highest ? lowest : 0, highest, y_least, y_most)
}
if (fault ne "") {
    print fault
    exit status 2
}
if (y_log) { set logscale y } else { set ytics step_up(y_most - y_least) }
# All powers of ten may be too many, and alone too few.
if (y_log && log10(y_most / y_least) + 1 > high_ems / 1.4) {
    set ytics 10.0 ** ceil((log10(y_most / y_least) + 1) / (high_ems / 1.4))
}
if (y_log && y_most < 1000 * y_least) {
    set ytics ()
    do for [k = int(floor(log10(y_least))):int(ceil(log10(y_most)))] {
        do for [digit = 1:9] {
            if (digit == 1 || digit == 2 || digit == 5) {
                set ytics add (sprintf("%g", digit * 10.0 ** k) digit * 10.0 ** k)
            }
        }
    }
}
set yrange [y_least:y_most]
set format y "%g"
set ylabel ratio_word . " ratio" offset 0.5,0
