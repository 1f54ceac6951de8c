# shen.gp - a histogram of distances, true and inferred from times
#
#     gnuplot -c shen.gp OUT.png|svg|pdf CSV PROGRAM
#
# CSV is shen-PROGRAM.csv, which shen.pl writes.

OUT = ARG1
CSV = ARG2
load "plots/terminal.gp"
HEADING = sprintf("Reuse distances of %s, in blocks of 64 bytes", ARG3)
SUBTITLE = "shares of all references in log2 bins; the last is of infinite ones"
load "plots/heading.gp"
load "plots/legend.gp"
set style data histograms
set style histogram clustered gap 1
set style fill solid 1 noborder
set yrange [0:*]
set ylabel "share of references"
set xlabel "distance, from"
set xtics rotate by -60
set output OUT
plot CSV using 2:xtic(strcol(1)) skip 1 linecolor rgb colour(1) title "exact", \
    CSV using 3 skip 1 linecolor rgb colour(2) title "from times (shen)"
