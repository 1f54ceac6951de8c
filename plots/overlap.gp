# overlap.gp - how alike each place of two runs is, from a table of
# `margay overlap`
#
#     gnuplot -c overlap.gp OUT.png|svg|pdf|eps|tex OVERLAP.csv
#
# A bar for each place, those with most references first, and of many the first
# 24.  Behind it stands the place's share of the references of both runs.

OUT = ARG1
CSV = ARG2
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# "# PLACES KIND": how many places there are, and what they are called.  Then
# rows of "SHARE OVERLAP", each below "# NAME".
program = awk_unquoted . 'NR == 1 { kind = $1; next }' \
. '{ n++; other[n] = $(NF - 1); base[n] = $(NF - 2);' \
. '    overlap[n] = $NF == "" ? "NaN" : $NF;' \
. '    text = $0; sub(/,[^,]*,[^,]*,[^,]*$/, "", text);' \
. '    text = unquoted(text); name[n] = text == "" ? " " : text;' \
. '    bases += base[n]; others += other[n] }' \
. 'END { if (!n) exit; print "#", n, kind;' \
. '    for (i = 1; i <= n; i++) { order[i] = i;' \
. '        share[i] = (bases ? base[i] / bases : 0) / 2 +' \
. '            (others ? other[i] / others : 0) / 2;' \
. '        for (j = i; j > 1 && share[order[j - 1]] < share[order[j]]; j--)' \
. '            { k = order[j]; order[j] = order[j - 1]; order[j - 1] = k } }' \
. '    for (i = 1; i <= n && i <= 24; i++)' \
. '        printf "# %s\n%.6g %s\n", name[order[i]], share[order[i]],' \
. '            overlap[order[i]] }'
load lines_into("$rows", \
    "awk -F, " . shell_word(program) . " <" . shell_word(CSV))
if (|$rows| == 0) {
    print "no rows: there is nothing to plot"
    exit status 2
}
places = int(word($rows[1], 2))
kind = word($rows[1], 3)
drawn = places > 24 ? 24 : places
set datafile separator whitespace

HEADING = sprintf("How alike each %s is in two runs", kind)
SUBTITLE = drawn < places ? sprintf("the %d of %d with most references", \
    drawn, places) : ""
load folder(ARG0) . "heading.gp"
load folder(ARG0) . "legend.gp"
set bmargin 7
set xtics () rotate by 45 right scale 0 noenhanced
do for [i = 1:drawn] {
    set xtics add (tic_text(short(behind($rows[2 * i], 1))) i - 1)
}
set xrange [-0.6:drawn - 0.4]
set yrange [0:1]
set ylabel "share of 1" offset 0.5,0
set grid noxtics
set style fill solid 0.85 noborder
plot $rows using 0:1:(0.9) with boxes linecolor rgb "#cccccc" \
        title "references", \
    $rows using 0:2:(0.5) with boxes linecolor rgb colour(1) \
        title "overlap"
