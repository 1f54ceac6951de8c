# parts.gp - bars side by side, cut up among owners; loaded by the others
#
# They set axes before, and have blocks of "POSITION FROM TO", one for each owner,
# the last of which may be all others.

array NAME[blocks]
do for [i = 1:blocks] { NAME[i] = short(HEAD[i]) }
longest = 0
wide_names = sum [i = 1:blocks] widen(NAME[i])
entries = blocks
load HERE . "legend.gp"
set format y "%g"
set grid noxtics
set style fill solid 0.85 border
part_colour(i) = NAME[i] eq "all others" ? "#bbbbbb" : colour(i)
plot for [i = 1:blocks] $lines index i - 1 \
    using 1:2:($1 - 0.42):($1 + 0.42):2:3 with boxxyerror \
    linecolor rgb part_colour(i) linewidth 0.5 title NAME[i]
