# size-axis.gp - cache sizes from left to right; loaded by the others
#
# They set smallest, largest, in_bytes (else they are blocks) and most_tics
# before.

first_power = floor(log(smallest) / log(2) + 1e-9)
last_power = ceil(log(largest) / log(2) - 1e-9)
if (last_power == first_power) { last_power = first_power + 1 }
every_power = (last_power - first_power + most_tics - 1) / most_tics
set logscale x 2
# A little beyond, lest rounding loses the last tick.
set xrange [2.0 ** first_power:1.0001 * 2.0 ** last_power]
set xtics ()
do for [k = first_power:last_power:every_power] {
    set xtics add (size_text(k, in_bytes ? "B" : "") 2.0 ** k)
}
set xlabel in_bytes ? "cache size" : "cache size in blocks" offset 0,0.2
