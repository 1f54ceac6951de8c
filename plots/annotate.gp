# annotate.gp - which lines or data miss, from a table of `margay annotate`
#
# A bar for each size of the cache, as high as the miss ratio, cut up among the
# lines of sources, or the data of --data: those with most misses at all sizes
# together have a colour of their own, and all others share one.  Of many sizes
# some are drawn.  Names lack the arguments of their function, and long ones their
# beginning: C++ names differ at their end.

# "# TRACES BARS TRACE SIZE..."; then a block for each line of sources, of "BAR
# FROM TO".
program = 'function plain(text) {' \
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
. '{' \
. '    if (!($1 in traces)) { traces[$1]; trace_count++ }' \
. '    if (!($5 in bars)) { sizes[++size_count] = $5; bars[$5] = -$5 }' \
. '    key = $2 FS $3 FS $4; trace = base($1);' \
. '    if (!(key in all)) { keys[++count] = key; all[key] = 0;' \
. '        owner[key] = $2 == "" ? "" : base($2) ($3 == "" ? "" : ":" $3);' \
. '        owner[key] = owner[key] (owner[key] == "" || $4 == "" ? "" : " ") short($4);' \
. '        if (owner[key] == "") owner[key] = "unknown" }' \
. '    misses[key, $5] += $7; all[key] += $7;' \
. '    sum[$5] += $7; references[$5] += $6 }' \
. 'END {' \
. '    sort(sizes, size_count, bars); sort(keys, count, all);' \
. '    shown = size_count < room ? size_count : room;' \
. '    printf "# %d %d", trace_count, shown;' \
. '    for (k = 1; k <= shown; k++) { at[k] = sizes[shown == 1 ? 1 :' \
. '        1 + int((k - 1) * (size_count - 1) / (shown - 1))];' \
. '        printf " %s", at[k] }' \
. '    print " " trace; most = count > 8 ? 7 : count;' \
. '    for (i = 1; i <= most + (count > most); i++) {' \
. '        print "# " (i > most ? "all others" : owner[keys[i]]);' \
. '        for (k = 1; k <= shown; k++) {' \
. '            part = i > most ? sum[at[k]] : below[k] + misses[keys[i], at[k]];' \
. '            ratio = references[at[k]] == 0 ? 1 : references[at[k]];' \
. '            print k, below[k] / ratio, part / ratio; below[k] = part }' \
. '        print ""; print "" } }'

# Bars that there is room for, next to a legend of some 30 characters.
room = int((1 - left - (exists("LEGEND") && LEGEND ne "right" ? 2 : 25) * em_x) \
    / (5.2 * em_x))
room = room < 2 ? 2 : room > 10 ? 10 : room
program = sprintf("BEGIN { room = %d }", room) . program
load HERE . "blocks.gp"
traces = int(word($lines[1], 2))
bars = int(word($lines[1], 3))
if (traces > 1) {
    print sprintf("%d traces, expected one", traces)
    exit status 2
}
SUBTITLE = after($lines[1], 3 + bars)
set xtics () scale 0
do for [i = 1:bars] {
    set xtics add (amount_text(real(word($lines[1], 3 + i) . ".0"), "B") i)
}
stats $lines using (note_ratio($3)) nooutput

HEADING = strstrt(system("head -n 1 " . shell_word(CSV[1])), ",data,") > 0 \
    ? "Misses by data" : "Misses by line of the sources"
load HERE . "heading.gp"
set xlabel "cache size" offset 0,0.2
set ylabel "miss ratio" offset 0.5,0
set xrange [0.4:bars + 0.6]
set yrange [0:highest == 0 ? 1 : 1.08 * highest]
set ytics step_up(highest == 0 ? 1 : highest)
load HERE . "parts.gp"
