# places.gp - whose references have which distances, from a table of
# `margay histogram`, with --by
#
#     gnuplot -c places.gp OUT.png|svg|pdf|eps|tex PLACES.csv
#
# A bar for each power of two of the distance, cut up among the places: those
# with most references at 64 blocks or more have a colour of their own, all
# others share one.  Of several traces or block sizes the first is drawn.

OUT = ARG1
CSV = ARG2
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# "# TRACE"; then a block with the label of each power of two, and one for each
# place, below "# NAME", of "POSITION FROM TO": from where to where its part of
# the bar goes.
program = awk_unquoted . 'function first_field(line,   i) {' \
. '    if (substr(line, 1, 1) != "\"")' \
. '        return substr(line, 1, index(line, ",") - 1);' \
. '    for (i = 2; i < length(line) && (substr(line, i, 1) != "\"" ||' \
. '        substr(line, i + 1, 1) == "\""); i++)' \
. '        if (substr(line, i, 1) == "\"") i++;' \
. '    return substr(line, 1, i) }' \
. 'function plain(text) {' \
. '    text = unquoted(text); return text == "" ? " " : text }' \
. 'function text_of(k,   n) {' \
. '    if (k == 0) return "0";' \
. '    for (n = 2 ^ (k - 1); n >= 1024; k -= 10) { n /= 1024; unit++ }' \
. '    if (unit) n = n " " substr("KiMiGiTiPi", 2 * unit - 1, 2); unit = 0; return n }' \
. 'NR > 1 {' \
. '    place = first_field($0);' \
. '    trace = substr($0, length(place) + 2);' \
. '    sub(/,[^,]*,[^,]*,[^,]*,[^,]*$/, "", trace);' \
. '    if (NR == 2) only = trace;' \
. '    if (trace != only) next;' \
. '    from = $(NF - 3); k = 0;' \
. '    if ($(NF - 2) == "inf") k = 99;' \
. '    else if (from > 0) { for (n = 1; n <= from; n *= 2) k++;' \
. '        if (k > last) last = k }' \
. '    if (!(place in all)) { all[place] = 0; name[++count] = place }' \
. '    share[place, k] += $NF; all[place] += 1e-9 * $NF;' \
. '    if (k >= 7) all[place] += $NF }' \
. 'END {' \
. '    for (i = 2; i <= count; i++)' \
. '        for (j = i; j > 1 && all[name[j - 1]] < all[name[j]]; j--)' \
. '            { n = name[j]; name[j] = name[j - 1]; name[j - 1] = n }' \
. '    most = count > 8 ? 7 : count;' \
. '    n = split(only, part, ","); block = part[n];' \
. '    sub(/,[^,]*$/, "", only); only = plain(only); sub(/.*\//, "", only);' \
. '    print "# " only (block == "" ? "" : ", " block "-byte blocks");' \
. '    for (k = 0; k <= last; k++) print k, "\"" text_of(k) "\"";' \
. '    print last + 1.5, "cold"; print ""; print "";' \
. '    for (i = 1; i <= most + (count > most); i++) {' \
. '        print "# " (i > most ? "all others" : plain(name[i]));' \
. '        for (k = 0; k <= last + 1; k++) {' \
. '            b = k > last ? 99 : k; height = 0;' \
. '            for (j = i; j <= (i > most ? count : i); j++)' \
. '                height += share[name[j], b];' \
. '            print k + (b == 99) / 2, sum[b] + 0, sum[b] + height;' \
. '            sum[b] += height }' \
. '        print ""; print "" } }'

load lines_into("$lines", \
    "awk -F, " . shell_word(program) . " " . shell_word(CSV))
set datafile separator whitespace
array NAME[8]
places = 0
do for [i = 2:|$lines|] {
    if ($lines[i][1:1] eq "#") {
        places = places + 1
        NAME[places] = short(behind($lines[i], 1))
    }
}

HEADING = "Whose distances"
SUBTITLE = behind($lines[1], 1)
load folder(ARG0) . "heading.gp"
wide_names = sum [i = 1:places] widen(NAME[i])
entries = places
load folder(ARG0) . "legend.gp"
set xlabel "reuse distance in blocks, from" offset 0,0.2
set ylabel "share of references" offset 0.5,0
set yrange [0:*]
set format y "%g"
set grid noxtics
set style fill solid 0.85 border
part_colour(i) = i > 7 ? "#bbbbbb" : colour(i)
plot $lines index 0 using 1:(0):xtic(2) with points pointtype 0 notitle, \
    for [i = 1:places] $lines index i \
    using 1:2:($1 - 0.44):($1 + 0.44):2:3 with boxxyerror \
    linecolor rgb part_colour(i) linewidth 0.5 title NAME[i]
