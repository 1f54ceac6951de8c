# annotate.gp - which lines or data miss, from a table of `margay annotate`
#
#     gnuplot -c annotate.gp OUT.png|svg|pdf|eps|tex ANNOTATE.csv
#
# A bar for each size of the cache, as high as the miss ratio, cut up among the
# lines of sources, or the data of --data: those with most misses at all sizes
# together have a colour of their own, and all others share one.  Of many sizes
# some are drawn.  Names lack the arguments of their function, and long ones their
# beginning: what tells C++ names apart stands at their end.

OUT = ARG1
CSV = ARG2
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# "# TRACES BARS HIGHEST TRACE"; then a block of "BAR SIZE", and one for each line
# of sources, below "# NAME", of "BAR FROM TO".
program = awk_cut \
. 'function base(path) { sub(/.*\//, "", path); return path }' \
. 'function plain(text) {' \
. '    if (match(text, /\([^()]*\)( const)?$/) && RSTART > 1 &&' \
. '        substr(text, 1, RSTART - 1) !~ /operator$/)' \
. '        text = substr(text, 1, RSTART - 1);' \
. '    return text }' \
. 'function short(text,   kind, keep) {' \
. '    text = plain(text); keep = 18;' \
. '    if (match(text, /^(heap|stack|other) of /)) {' \
. '        kind = substr(text, 1, RLENGTH); text = substr(text, RLENGTH + 1);' \
. '        keep = 15 }' \
. '    if (length(text) > keep + 2)' \
. '        text = ".." substr(text, length(text) - keep + 1);' \
. '    return kind text }' \
. 'function joined(a, b) { return a == "" ? b : b == "" ? a : a " " b }' \
. 'NR > 1 {' \
. '    rest = $0; for (n = 1; n <= 7; n++) field[n] = cut();' \
. '    if (!(field[1] in traces)) { traces[field[1]]; trace_count++ }' \
. '    if (!(field[5] in bars)) { sizes[++size_count] = field[5]; bars[field[5]] }' \
. '    key = field[2] SUBSEP field[3] SUBSEP field[4];' \
. '    if (!(key in all)) { keys[++count] = key; all[key] = 0;' \
. '        name[key] = joined(field[2] == "" ? "" : base(field[2]) (field[3] == "" ? "" : ":" field[3]),' \
. '            short(field[4]));' \
. '        if (name[key] == "") name[key] = "unknown" }' \
. '    misses[key, field[5]] += field[7]; all[key] += field[7];' \
. '    sum[field[5]] += field[7]; references[field[5]] += field[6] }' \
. 'END {' \
. '    for (i = 2; i <= size_count; i++)' \
. '        for (j = i; j > 1 && sizes[j - 1] + 0 > sizes[j] + 0; j--)' \
. '            { n = sizes[j]; sizes[j] = sizes[j - 1]; sizes[j - 1] = n }' \
. '    shown = size_count < room ? size_count : room;' \
. '    for (k = 1; k <= shown; k++) { at[k] = sizes[shown == 1 ? 1 :' \
. '        1 + int((k - 1) * (size_count - 1) / (shown - 1))];' \
. '        if (sum[at[k]] > highest * references[at[k]])' \
. '            highest = sum[at[k]] / references[at[k]] }' \
. '    most = count > 8 ? 7 : count;' \
. '    for (i = 1; i <= most; i++)' \
. '        for (j = i + 1; j <= count; j++) if (all[keys[j]] > all[keys[i]])' \
. '            { n = keys[i]; keys[i] = keys[j]; keys[j] = n }' \
. '    print "#", trace_count, shown, highest + 0, base(field[1]);' \
. '    for (k = 1; k <= shown; k++) print k, at[k];' \
. '    print ""; print "";' \
. '    for (i = 1; i <= most + (count > most); i++) {' \
. '        print "# " (i > most ? "all others" : name[keys[i]]);' \
. '        for (k = 1; k <= shown; k++) {' \
. '            part = i > most ? sum[at[k]] : below[k] + misses[keys[i], at[k]];' \
. '            ratio = references[at[k]] == 0 ? 1 : references[at[k]];' \
. '            print k, below[k] / ratio, part / ratio; below[k] = part }' \
. '        print ""; print "" } }'

# Bars that there is room for, beside a legend of some 30 characters.
room = int((1 - left - (exists("LEGEND") && LEGEND ne "right" ? 2 : 25) * em_x) \
    / (5.2 * em_x))
room = room < 2 ? 2 : room > 10 ? 10 : room
load lines_into("$lines", sprintf("awk -v room=%d %s %s", room, \
    shell_word(program), shell_word(CSV)))
traces = int(word($lines[1], 2))
bars = int(word($lines[1], 3))
highest = real(word($lines[1], 4))
if (traces > 1) {
    print sprintf("%d traces, expected one", traces)
    exit status 2
}
SUBTITLE = behind($lines[1], 4)
set datafile separator whitespace

array NAME[8]
places = 0
set xtics () scale 0
do for [i = 2:|$lines|] {
    text = $lines[i]
    if (text[1:1] eq "#") {
        places = places + 1
        NAME[places] = text[3:*]
    } else {
        if (places == 0 && text ne "") {
            set xtics add (amount_text(real(word(text, 2) . ".0"), "B") \
                           int(word(text, 1)))
        }
    }
}

head = system("head -n 1 " . shell_word(CSV))
HEADING = strstrt(head, ",data,") > 0 ? "Misses by data" \
    : "Misses by line of the sources"
load folder(ARG0) . "heading.gp"
load folder(ARG0) . "legend.gp"
set xlabel "cache size" offset 0,0.2
set ylabel "miss ratio" offset 0.5,0
set xrange [0.4:bars + 0.6]
set yrange [0:highest == 0 ? 1 : 1.08 * highest]
set ytics nice_step(highest == 0 ? 1 : highest, (top - bottom) / (2.5 * em_y))
set format y "%g"
set grid noxtics
set style fill solid 0.85 border
part_colour(i) = NAME[i] eq "all others" ? "#bbbbbb" : colour(i)
plot for [i = 1:places] $lines index i \
    using 1:2:($1 - 0.4):($1 + 0.4):2:3 with boxxyerror \
    linecolor rgb part_colour(i) linewidth 0.5 title NAME[i]
