# heatmap.gp - which places of a trace are used when, from a table of
# margay info --heatmap
#
# A cell for each place and part of the trace: the darker, the more references, on
# a logarithmic scale where they differ by more than fifty times.  Places without
# a use are not there, so that the axis names the first number of some of them.

# The trace; then a block of "FROM TO PLACE REFERENCES", and one of "PLACE LOW".
program = '{ if (NR == 2) print "# " joined(base(of("trace")),' \
. '        block_text(of("block_bytes"))) "\n# cells";' \
. '    print of("from"), of("to"), of("place"), of("references");' \
. '    last = of("place"); low[last] = of("low") }' \
. 'END { if (!NR || last == "") exit;' \
. '    print "\n\n# places"; for (i = 0; i <= last; i++) print i, low[i] }'
load HERE . "blocks.gp"
stats $lines index 0 using 2:(note_ratio($4)) nooutput
end = STATS_max_x
first_place = 6 + ROWS[1]
places = ROWS[2]

HEADING = "Places over time"
SUBTITLE = after($lines[1], 1)
load HERE . "heading.gp"
hexadecimal = strstrt($lines[first_place], "0x") > 0
low_text(i) = hexadecimal ? word($lines[first_place + i], 2) \
    : count_text(real(word($lines[first_place + i], 2)))
set xrange [0:end]
every = nice_step(end, (1 - 9 * em_x - left) / (6 * em_x))
eval "set xtics (" . count_tics(0, end, every) . ")"
set xlabel "references" offset 0,0.2
set yrange [-0.5:places - 0.5]
set ytics ()
longest = 1
every = int(ceil(places * 2.0 * em_y / (top - bottom)))
do for [i = 0:places - 1:every] {
    set ytics add (low_text(i) i - 0.5)
    longest = strlen(low_text(i)) > longest ? strlen(low_text(i)) : longest
}
set ylabel hexadecimal ? "addresses that are used, from" \
    : "objects in the order of their first use, from" offset 0.5,0
set lmargin at screen (0.62 * longest + 4) * em_x
set rmargin at screen 1 - 9 * em_x
set palette defined (0 "#fff7bc", 1 "#fe9929", 2 "#993404", 3 "#26100a")
unset grid
if (highest > 50 * lowest) { set logscale cb }
if (highest > lowest) { set cbrange [lowest:highest] }
set format cb COUNT_FORMAT
set cblabel "references of a cell" offset 1.5,0
plot $lines index 0 using (($1 + $2) / 2):3:1:2:($3 - 0.5):($3 + 0.5):4 \
    with boxxyerror fillstyle solid 1 noborder fillcolor palette notitle
