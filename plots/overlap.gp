# overlap.gp - how alike each place of two runs is, from a table of
# `margay overlap`
#
# A bar for each place, those with most references first, and of many the first
# 24.  Behind it stands the place's share of the references of both runs.

# "# PLACES KIND": how many places there are, and what they are called; then rows
# of "SHARE OVERLAP".
program = '{ n++; order[n] = n; place[n] = $1; one[n] = $2; other[n] = $3;' \
. '    overlap[n] = $4 == "" ? "NaN" : $4; ones += $2; others += $3 }' \
. 'END { if (!n) exit; print "#", n, head[1];' \
. '    for (i = 1; i <= n; i++) share[i] = (ones ? one[i] / ones : 0) / 2 +' \
. '        (others ? other[i] / others : 0) / 2;' \
. '    sort(order, n, share);' \
. '    for (i = 1; i <= n && i <= 24; i++)' \
. '        printf "# %s\n%.6g %s\n", place[order[i]], share[order[i]],' \
. '            overlap[order[i]] }'
load HERE . "blocks.gp"
places = int(word($lines[1], 2))

HEADING = sprintf("How alike each %s is in two runs", \
    word($lines[1], 3))
SUBTITLE = blocks < places ? sprintf("the %d of %d with most references", \
    blocks, places) : ""
load HERE . "heading.gp"
load HERE . "legend.gp"
set bmargin 7
set xtics () rotate by 45 right scale 0 noenhanced
do for [i = 1:blocks] { set xtics add (tic_text(short(HEAD[i])) i - 1) }
set xrange [-0.6:blocks - 0.4]
set yrange [0:1]
set ylabel "share of 1" offset 0.5,0
set grid noxtics
set style fill solid 0.85 noborder
plot $lines using 0:1:(0.9) with boxes linecolor rgb "#cccccc" \
        title "references", \
    $lines using 0:2:(0.5) with boxes linecolor rgb colour(1) \
        title "overlap"
