# places.gp - whose references have which distances, from a table of
# `margay histogram`, with --by
#
# A bar for each power of two of the distance, cut up among the places: those
# with most references at 64 blocks or more have a colour of their own, all
# others share one.  Of several traces or block sizes the first is drawn.

# "# LAST TRACE", the last power of two; then a block for each place of "POSITION
# FROM TO": from where to where its part of the bar goes.
program = '{' \
. '    trace = base($2) FS $3; if (NR == 2) only = trace;' \
. '    if (trace != only) next;' \
. '    k = 0;' \
. '    if ($5 == "inf") k = 99;' \
. '    else if ($4 > 0) { for (n = 1; n <= $4; n *= 2) k++;' \
. '        if (k > last) last = k }' \
. '    if (!($1 in all)) { all[$1] = 0; place[++count] = $1 }' \
. '    share[$1, k] += $7; all[$1] += 1e-9 * $7;' \
. '    if (k >= 7) all[$1] += $7 }' \
. 'END {' \
. '    sort(place, count, all); most = count > 8 ? 7 : count;' \
. '    split(only, part, FS);' \
. '    print "#", last + 0, joined(part[1], block_text(part[2]));' \
. '    for (i = 1; i <= most + (count > most); i++) {' \
. '        print "# " (i > most ? "all others" : place[i]);' \
. '        for (k = 0; k <= last + 1; k++) {' \
. '            b = k > last ? 99 : k; height = 0;' \
. '            for (j = i; j <= (i > most ? count : i); j++)' \
. '                height += share[place[j], b];' \
. '            print k + (b == 99) / 2, sum[b] + 0, sum[b] + height;' \
. '            sum[b] += height }' \
. '        print ""; print "" } }'
load HERE . "blocks.gp"
last = int(word($lines[1], 2))
set xtics ("0" 0, "cold" last + 1.5)
do for [k = 1:last] { set xtics add (power_text(k - 1, "") k) }

HEADING = "Whose distances"
SUBTITLE = after($lines[1], 2)
load HERE . "heading.gp"
set xlabel "reuse distance in blocks, from" offset 0,0.2
set ylabel "share of references" offset 0.5,0
set yrange [0:*]
load HERE . "parts.gp"
