# phases.gp - phases over time, from a table of `margay phases`
#
#     gnuplot -c phases.gp OUT.png|svg|pdf|eps|tex PHASES.csv
#
# A box for each phase, from its first reference to its last, as high as its
# working set; phases that recur have the colour of the first.  Of many kinds of
# phases, those with most references have a colour of their own, in the order in
# which they come.

OUT = ARG1
CSV = ARG2
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# The trace; then a block for each kind of phase, below its name, of "FROM TO
# BLOCKS".  The name of the trace may hold anything, so fields are counted from
# the end of a row.
program = awk_unquoted . 'NR > 1 {' \
. '    if (NR == 2) { trace = $0;' \
. '        sub(/,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*$/, "", trace);' \
. '        trace = unquoted(trace); sub(/.*\//, "", trace) }' \
. '    kind = $(NF - 1) == "" ? $(NF - 5) : $(NF - 1);' \
. '    if (!(kind in all)) name[++count] = kind;' \
. '    all[kind] += $(NF - 2); times[kind]++;' \
. '    boxes[kind] = boxes[kind] $(NF - 4) " " $(NF - 3) " " $NF "\n" }' \
. 'END {' \
. '    for (i = 2; i <= count; i++)' \
. '        for (j = i; j > 1 && all[name[j - 1]] < all[name[j]]; j--)' \
. '            { n = name[j]; name[j] = name[j - 1]; name[j - 1] = n }' \
. '    most = count > 8 ? 7 : count;' \
. '    for (i = 2; i <= most; i++)' \
. '        for (j = i; j > 1 && name[j - 1] + 0 > name[j] + 0; j--)' \
. '            { n = name[j]; name[j] = name[j - 1]; name[j - 1] = n }' \
. '    print (trace == "" ? " " : trace);' \
. '    for (i = 1; i <= most; i++)' \
. '        printf "\"phase %s%s\"\n%s\n\n", name[i],' \
. '            (times[name[i]] > 1 ? ", " times[name[i]] " times" : ""),' \
. '            boxes[name[i]];' \
. '    if (count > most) print "\"all others\"";' \
. '    for (i = most + 1; i <= count; i++) printf "%s", boxes[name[i]] }'

table = system("awk -F, " . shell_word(program) . " " . shell_word(CSV))
cut = strstrt(table, "\n")
set print $boxes
print table[cut + 1:*]
unset print
set datafile separator whitespace
highest = 0
note(y) = (highest = y > highest ? y : highest, 1)
stats $boxes using 2:(note($3)) nooutput
kinds = STATS_blocks
end = STATS_max_x

HEADING = "Phases over time"
SUBTITLE = table[1:cut - 1]
load folder(ARG0) . "heading.gp"
load folder(ARG0) . "legend.gp"
every = nice_step(end, (right - left) / (6 * em_x))
set xrange [0:end]
set xtics ()
do for [k = 0:int(floor(end / every))] {
    set xtics add (count_text(k * every) k * every)
}
set xlabel "references" offset 0,0.2
set ylabel "working set in blocks" offset 0.5,0
# Boxes are as high as what they count, so the axis begins at 0.
set yrange [0:highest > 0 ? 1.1 * highest : 1]
every = nice_step(highest > 0 ? 1.1 * highest : 1, (top - bottom) / (2.5 * em_y))
set ytics ()
do for [k = 0:int(floor(1.1 * highest / every))] {
    set ytics add (count_text(k * every) k * every)
}
set style fill solid 0.85 border
kind_colour(i) = i > 7 ? "#bbbbbb" : colour(i)
plot for [i = 0:kinds - 1] $boxes index i \
    using (($1 + $2) / 2):3:1:2:(0):3 with boxxyerror \
    linecolor rgb kind_colour(i + 1) linewidth 0.5 title columnheader(1)
