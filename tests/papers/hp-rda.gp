# hp-rda.gp - pictures of the measurements of hp-rda.pl
#
#     gnuplot -c hp-rda.gp OUT.png|svg|pdf CSV adjust|error|speed

OUT = ARG1
CSV = ARG2
WHAT = ARG3
load "plots/terminal.gp"
# Rows of other series do not break a line.
set datafile missing NaN

if (WHAT eq "adjust") {
    HEADING = "Error of hp-rda by how its distances are corrected"
} else { if (WHAT eq "error") {
    HEADING = "Error of hp-rda over the references of a chunk"
} else {
    HEADING = "Speed of hp-rda over the references of a chunk"
}}
SUBTITLE = WHAT eq "speed" ? "" \
    : "mean difference of the shares in log2 bars, each trace by itself"
if (WHAT eq "error") { SUBTITLE = "mean difference of the shares in log2 bars;" \
    . " corrected by the factor (adjust=on)" }
load "plots/heading.gp"

# Traces in the order of the table; no name has a blank.
traces = ""
last = ""
note(name) = name eq last ? 0 \
    : (traces = traces . " " . name, last = name, 1)
stats CSV using (note(strcol(1))) skip 1 nooutput
index_of(name) = int(sum [i = 1:words(traces)] \
    word(traces, i) eq name ? i : 0)

if (WHAT eq "adjust") {
    # Points on a logarithmic axis, at whose foot stand those without an error.
    load "plots/legend.gp"
    set key title "corrected" left
    set lmargin at screen left + 2 * em_x
    set ylabel "error" offset 0.5,0
    set logscale y
    foot = 0.001
    set yrange [0.6 * foot:10]
    set ytics ("0" foot, "0.01 %%" 0.01, "0.1 %%" 0.1, "1 %%" 1, "10 %%" 10)
    set xrange [0.5:words(traces) + 0.5]
    set xtics noenhanced ()
    do for [i = 1:words(traces)] { set xtics add (word(traces, i) i) }
    error(y) = 100 * y < foot ? foot : 100 * y
    adjusts = "off on times"
    array MEANING[3] = ["not at all (off)", "by the factor (on)", \
        "by times (default)"]
    plot for [a = 1:3] CSV using (strcol(2) eq word(adjusts, a) \
            ? index_of(strcol(1)) + 0.12 * (a - 2) : NaN):(error($3)) skip 1 \
        with points pointtype SHAPE[a] pointsize 1.6 \
        linecolor rgb colour(a == 3 ? 3 : 3 - a) title MEANING[a]
} else {
    set logscale x 2
    set xlabel "references of a chunk (st)" offset 0,0.2
    set xtics format "%.0f"
    set xrange [*:*] noextend
    if (WHAT eq "error") {
        set ylabel "error" offset 0.5,0
        set ytics format "%g %%"
        set yrange [0:*]
        load "plots/legend.gp"
        number(row) = 100 * column(4)
    } else {
        set ylabel "references per second" offset 0.5,0
        load "plots/legend.gp"
        set logscale y
        set ytics format COUNT_FORMAT
        number(row) = column(6)
    }
    plot for [i = 1:words(traces)] CSV \
        using (strcol(1) eq word(traces, i) ? $2 : NaN):(number(0)) skip 1 \
        with linespoints pointtype SHAPE[i] pointsize 0.9 linecolor rgb colour(i) \
        linewidth 2 title word(traces, i)
}
