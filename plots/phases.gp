# phases.gp - phases over time, from a table of `margay phases`
#
# A box for each phase, from its first reference to its last, as high as its
# working set; phases that recur have the colour of the first.  Of many kinds of
# phases, those with most references have a colour of their own, in the order in
# which they come.

# The trace; then a block for each kind of phase of "FROM TO BLOCKS".
program = '{' \
. '    kind = $6 == "" ? $2 : $6; trace = base($1);' \
. '    if (!(kind in all)) { kinds[++count] = kind; earlier[kind] = -kind }' \
. '    all[kind] += $5; times[kind]++;' \
. '    boxes[kind] = boxes[kind] $3 " " $4 " " $7 "\n" }' \
. 'END {' \
. '    sort(kinds, count, all); most = count > 8 ? 7 : count;' \
. '    sort(kinds, most, earlier); print "# " trace;' \
. '    for (i = 1; i <= most; i++)' \
. '        print "# phase " kinds[i] (times[kinds[i]] > 1 ?' \
. '            ", " times[kinds[i]] " times" : "") "\n" boxes[kinds[i]] "\n";' \
. '    if (count > most) print "# all others";' \
. '    for (i = most + 1; i <= count; i++) printf "%s", boxes[kinds[i]] }'
load HERE . "blocks.gp"
stats $lines using 2:(note_ratio($3)) nooutput
end = STATS_max_x

HEADING = "Phases over time"
SUBTITLE = after($lines[1], 1)
load HERE . "heading.gp"
load HERE . "legend.gp"
every = nice_step(end, (right - left) / (6 * em_x))
set xrange [0:end]
eval "set xtics (" . count_tics(0, end, every) . ")"
set xlabel "references" offset 0,0.2
set ylabel "working set in blocks" offset 0.5,0
# Boxes are as high as what they count, so the axis begins at 0.
top_of = highest > 0 ? 1.1 * highest : 1
set yrange [0:top_of]
every = step_up(top_of)
eval "set ytics (" . count_tics(0, top_of, every) . ")"
set style fill solid 0.85 border
kind_colour(i) = i > 7 ? "#bbbbbb" : colour(i)
plot for [i = 1:blocks] $lines index i - 1 \
    using (($1 + $2) / 2):3:1:2:(0):3 with boxxyerror \
    linecolor rgb kind_colour(i) linewidth 0.5 title HEAD[i]
