# fu.gp - miss ratios of one program, fully associative and by ways
#
#     gnuplot -c fu.gp OUT.png|svg|pdf CSV PROGRAM METHOD
#
# CSV is fu-ways.csv, which fu.pl writes.

OUT = ARG1
CSV = ARG2
NAME = ARG3
METHOD = ARG4
load "plots/terminal.gp"
HEADING = sprintf("Misses of %s, fully associative and in sets", NAME)
SUBTITLE = "blocks of 32 bytes; the line is from reuse distances, the points " \
    . "from a simulation of each cache"
load "plots/heading.gp"
load "plots/legend.gp"

set logscale x 2
set xrange [2 ** 6:2 ** 17]
set xtics ("2 KiB" 64, "8 KiB" 256, "32 KiB" 1024, "128 KiB" 4096, \
    "512 KiB" 16384, "2 MiB" 65536)
set xlabel "size of the cache"
set ylabel "miss ratio"
set yrange [0:*]
mine(value) = strcol(1) eq NAME && strcol(2) eq METHOD ? value : NaN
set output OUT
plot CSV using 4:(mine($5)) skip 1 with lines linewidth 2 \
        linecolor rgb "#222222" title "fully associative", \
    for [i = 0:3] CSV using 4:(mine(column(9 - i))) skip 1 with linespoints \
        linecolor rgb colour(i + 1) pointtype SHAPE[i + 1] \
        pointsize MARK_SIZE linewidth 1.5 \
        title sprintf("%d way%s", 2 ** (3 - i), i == 3 ? "" : "s")
