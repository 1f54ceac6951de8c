# size-axis.gp - cache sizes from left to right; loaded by the others
#
# They set smallest, largest, in_bytes (else they are blocks), most_tics and perhaps
# BLOCKS, which says what these are, before.  This sets the axis, and x_log, x_least and x_most.

x_log = scale_is_log("x", 1)
first_power = floor(log(smallest) / log(2) + 1e-9)
last_power = ceil(log(largest) / log(2) - 1e-9)
if (last_power == first_power) { last_power = first_power + 1 }
# A little beyond, lest rounding loses the first and the last tick.
x_least = x_from(x_log ? 0.9999 * 2.0 ** first_power : 0)
x_most = x_to(x_log ? 1.0001 * 2.0 ** last_power : 1.02 * largest)
fault = range_fault("x", x_least, x_most, x_log)
if (fault eq "") {
    fault = empty_fault("x", "sizes", smallest, largest, x_least, x_most)
}
if (fault ne "") {
    print fault
    exit status 2
}
set xrange [x_least:x_most]
# What a sample is no guide of is faint.
unsure = in_bytes ? unsure_bytes : unsure_blocks
if (unsure > x_least) {
    set object 99 rectangle from first x_least,graph 0 \
        to first (unsure < x_most ? unsure : x_most),graph 1 front \
        fillcolor rgb "#ffffff" fillstyle transparent solid 0.75 noborder
    set label 99 "no guide: too few in the sample" at first x_least,graph 0.03 \
        offset 0.5,0 front textcolor "#555555"
}
set xtics ()
size_unit = in_bytes ? "B" : ""
if (x_log) {
    set logscale x 2
    first_power = int(ceil(log(x_least) / log(2) - 1e-9))
    last_power = int(floor(log(x_most) / log(2) + 1e-9))
}
if (x_log && (last_power > first_power + 1 || last_power < 4)) {
    every_power = (last_power - first_power + most_tics - 1) / most_tics
    if (every_power < 1) { every_power = 1 }
    do for [k = first_power:last_power:every_power] {
        if (k >= 0) { set xtics add (size_text(k, size_unit) 2.0 ** k) }
    }
} else {
    # Of few powers of two also what lies between.
    every = x_log ? 2.0 ** (last_power - (most_tics < 6 ? 2 : 3)) \
        : 2.0 ** ceil(log((x_most - x_least) / most_tics) / log(2))
    do for [k = int(ceil(x_least / every)):int(floor(x_most / every))] {
        set xtics add (amount_text(k * every, size_unit) k * every)
    }
}
if (!exists("BLOCKS")) { BLOCKS = "blocks" }
set xlabel in_bytes ? "cache size" : "cache size in " . BLOCKS offset 0,0.2
