# histogram.gp - the reuse distances in one or more tables of
# `margay histogram`
#
# A bar per bin over an axis of log2(distance), with 0 in a place of its own
# on the left and the infinite distances in one on the right; where all bins
# are of one width above 1, over a linear axis.  Several traces or block sizes
# share the width of a bin.

ASCENDING = 4
load HERE . "common.gp"
HEADING = "Reuse distances"
load HERE . "heading.gp"

# ----------------------------------------------------------------- axes --

# The last row of a series holds the infinite distances: from "inf" when they
# are cold, from the bound when one was exceeded.
farthest = 1
narrowest = 1e30
widest = 0
cold = 0
beyond = 0
note_finite(from, to) = (farthest = to > farthest ? to : farthest, \
    narrowest = to - from < narrowest ? to - from : narrowest, \
    widest = to - from > widest ? to - from : widest, 1)
note_infinite(from) = from eq "inf" ? (cold = 1) : (beyond = real(from))
note(from, to, share) = (highest = share > highest ? share : highest, \
    to eq "inf" ? note_infinite(from) : note_finite(real(from), real(to)))
do for [f = 1:|CSV|] {
    stats CSV[f] using (note(strcol(3), strcol(4), $6)) skip 1 nooutput
}

# The bins of an exact histogram are too narrow to be seen: it gets those of log2.
fold = 'function tell() { if (share > 0)' \
    . '    print "t,b," int(high / 2) "," high "," references "," share;' \
    . '    references = share = 0 }' \
    . 'BEGIN { CONVFMT = OFMT = "%.12g"; print "" }' \
    . 'NR - 2 < first || NR - 2 > last { next }' \
    . '$(NF - 2) == "inf" { tell(); print "t,b," $(NF - 3) ",inf,"' \
    . '    $(NF - 1) "," $NF; next }' \
    . '{ for (power = 1; power <= $(NF - 3); power *= 2) { }' \
    . '    if (power != high) tell();' \
    . '    high = power; references += $(NF - 1); share += $NF }' \
    . 'END { tell() }'
if (widest == 1 && farthest > 16) {
    highest = 0
    do for [i = 1:series] {
        FILE[i] = sprintf("< awk -F, -v first=%d -v last=%d %s <%s", \
            FIRST[i], LAST[i], shell_word(fold), shell_word(FILE[i]))
        FIRST[i] = 0
        LAST[i] = 1000
        stats FILE[i] using (highest = $6 > highest ? $6 : highest, 1) \
            skip 1 nooutput
    }
}
if (narrowest == widest && widest > 1) {
    position(distance) = real(distance)
    end = farthest
    step = 10.0 ** floor(log10(end / most_tics))
    while (end / step > most_tics) {
        step = step * (int(step / 10 ** floor(log10(step)) + 0.5) == 2 ? 2.5 \
                                                                      : 2)
    }
    span = end / 14
    width = span
    set xtics (0)
    do for [k = 1:int(end / step)] {
        set xtics add (sprintf("%.0f", k * step) k * step)
    }
} else {
    # [0, 1) is as wide as [1, 2), and lies before it.
    position(distance) = distance < 1 ? -1 : log(distance) / log(2)
    end = ceil(position(farthest) - 1e-9)
    step = (end + most_tics - 1) / most_tics
    span = step < 1 ? 1 : step
    width = 1
    set xtics ("0" -0.5)
    do for [k = span == 1 ? 0 : span:end:span] {
        set xtics add (size_text(k, "") k)
    }
}

# The infinite ones stand apart.
infinity = end + 0.9 * span
set xrange [position(0) - 0.3 * span:infinity + width + 0.3 * span]
power = floor(log(beyond < 1 ? 1 : beyond) / log(2) + 1e-9)
beyond_text = beyond == 2.0 ** power ? size_text(power, "") \
                                     : sprintf("%.0f", beyond)
set xtics add ((beyond == 0 ? "cold" : cold ? "cold or beyond" \
                : "≥ " . beyond_text) infinity + 0.5 * width)
set grid noxtics
set xlabel "reuse distance in blocks" offset 0,0.2
set yrange [0:highest > 0 ? 1.08 * highest : 1]
set ytics step_up(highest > 0 ? highest : 1)
set ylabel "share of references" offset 0.5,0
set format y "%g"

# -------------------------------------------------------------- picture --

# The part of [low, high] that series i of all gets, with a gap between bins
# that are wide enough for one.
gap(low, high) = high - low > 0.2 * width ? 0.06 * (high - low) : 0
part(low, high, i) = low + gap(low, high) \
    + (high - low - 2 * gap(low, high)) * i / series
low_of(from, to) = to eq "inf" ? infinity : position(real(from))
high_of(from, to) = to eq "inf" ? infinity + width : position(real(to))
left(i) = part(low_of(strcol(3), strcol(4)), high_of(strcol(3), strcol(4)), \
               i - 1)
right(i) = part(low_of(strcol(3), strcol(4)), high_of(strcol(3), strcol(4)), i)

set style fill solid 0.85 border
bars(i) = sprintf("FILE[%d] using (left(%d)):(0):(left(%d)):(right(%d))" \
    . ":(0):6 skip 1 every ::FIRST[%d]::LAST[%d] with boxxyerror" \
    . " linecolor rgb colour(%d) linewidth 0.5 title LABEL[%d]", \
    i, i, i, i, i, i, i, i)
command = ""
do for [i = 1:series] {
    command = command . (i == 1 ? "plot " : ", ") . bars(i)
}
eval command
