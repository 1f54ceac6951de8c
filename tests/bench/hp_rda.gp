# hp_rda.gp - pictures of what hp_rda.pl measures
#
#     gnuplot -c hp_rda.gp OUT.png|svg|pdf CSV adjust|error|speed [DEVICE]
#
# DEVICE is the backend beside cpu whose speed is drawn, dashed.

OUT = ARG1
CSV = ARG2
WHAT = ARG3
DEVICE = ARG4
load "plots/terminal.gp"
# Rows of other series do not break a line.
set datafile missing NaN

if (WHAT eq "adjust") {
    HEADING = "hp-rda: error uncorrected, by the factor and by times"
} else { if (WHAT eq "error") {
    HEADING = "hp-rda: error over the references of a chunk"
} else {
    HEADING = "hp-rda: speed over the references of a chunk"
}}
set label 1 HEADING at screen 0.095,0.955 noenhanced font ",18"
set label 2 "mean difference of the shares of log2 bars, as in the paper" \
    at screen 0.095,0.908 noenhanced textcolor "#666666"

# Traces in the order of the table; no name has a blank.
traces = ""
last = ""
note(name) = name eq last ? 0 \
    : (traces = traces . " " . name, last = name, 1)
stats CSV using (note(strcol(1))) skip 1 nooutput
index_of(name) = int(sum [i = 1:words(traces)] \
    word(traces, i) eq name ? i : 0)

if (WHAT eq "adjust") {
    set key samplen 1.5
    set ylabel "error" offset 0.5,0
    set yrange [0:*]
    set ytics format "%g %%"
    set bmargin at screen 0.24
    set boxwidth 0.25
    set style fill solid 0.9 noborder
    set xrange [0.4:words(traces) + 0.6]
    set xtics noenhanced rotate by 30 right ()
    do for [i = 1:words(traces)] { set xtics add (word(traces, i) i) }
    adjusts = "off on times"
    plot for [a = 1:3] CSV using (strcol(2) eq word(adjusts, a) \
            ? index_of(strcol(1)) + 0.26 * (a - 2) : NaN):(100 * $3) skip 1 \
        with boxes linecolor rgb colour(a == 3 ? 3 : 3 - a) \
        title "adjust=" . word(adjusts, a)
} else {
    set logscale x 2
    set xlabel "references of a chunk (st)" offset 0,0.2
    set xtics format "%.0f"
    set xrange [*:*] noextend
    if (WHAT eq "error") {
        set ylabel "error" offset 0.5,0
        set ytics format "%g %%"
        set yrange [0:*]
        number(row) = 100 * column(4)
    } else {
        set label 2 "of user time; dashed: backend=" . DEVICE
        if (DEVICE eq "") { unset label 2 }
        set ylabel "references per second" offset 0.5,0
        set key outside
        set rmargin -1
        set logscale y
        set ytics format "%.0s%c"
        number(row) = column(6)
    }
    # The error is the same wherever it runs.
    backends = "cpu" . (WHAT eq "speed" && DEVICE ne "" ? " " . DEVICE : "")
    plot for [b = 1:words(backends)] for [i = 1:words(traces)] CSV \
        using (strcol(1) eq word(traces, i) \
            && strcol(3) eq word(backends, b) ? $2 : NaN):(number(0)) skip 1 \
        with linespoints pointtype 7 pointsize 0.9 linecolor rgb colour(i) \
        linewidth 2 dashtype b title word(traces, i) \
            . (words(backends) > 1 ? ", " . word(backends, b) : "")
}
