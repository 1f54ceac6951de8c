# three-cs.gp - misses by cause, from a table of `margay compare`
#
# A bar for each cache of one trace and block size, by capacity and ways: cold
# misses, capacity misses above them, and conflict misses above these, as shares
# of the references.  Where a cache misses less than the fully associative one
# its conflicts are below 0, and the bar goes down there.

ASCENDING = 3
MINOR = 4
load HERE . "common.gp"
MOST = 64
caches = LAST[1] - FIRST[1] + 1
if (series > 1) {
    print sprintf("%d traces or block sizes, expected one for a picture" \
        . " of causes", series)
    exit status 2
}
if (caches > MOST) {
    print sprintf("%d caches, expected at most %d", caches, MOST)
    exit status 2
}
HEADING = "Misses by cause"
longest = 8
entries = 3
load HERE . "heading.gp"
load HERE . "legend.gp"

# ----------------------------------------------------------------- bars --

array BLOCKS[caches]
array WAYS[caches]
array COLD[caches]
array FULL[caches]
array ALL[caches]
row = 0
note(sets, ways, references, cold, capacity, conflict) = (row = row + 1, \
    BLOCKS[row] = int(sets * ways), WAYS[row] = int(ways), \
    COLD[row] = references == 0 ? 0 : cold / references, \
    FULL[row] = references == 0 ? 0 : (cold + capacity) / references, \
    ALL[row] = references == 0 ? 0 : conflict / references, 1)
stats FILE[1] using (note($3, $4, $6, $13, $14, $15)) skip 1 \
    every ::FIRST[1]::LAST[1] nooutput

# By capacity and ways; bars of one capacity stand together.
array ORDER[caches]
do for [i = 1:caches] { ORDER[i] = i }
before(a, b) = BLOCKS[a] < BLOCKS[b] \
    || (BLOCKS[a] == BLOCKS[b] && WAYS[a] < WAYS[b])
do for [i = 1:caches] {
    do for [k = i + 1:caches] {
        if (before(ORDER[k], ORDER[i])) {
            kept = ORDER[i]
            ORDER[i] = ORDER[k]
            ORDER[k] = kept
        }
    }
}
power(n) = int(log(n) / log(2) + 0.5)
bytes_of(blocks) = BLOCK[1] eq "" ? blocks : blocks * int(BLOCK[1])
unit = BLOCK[1] eq "" ? "" : "B"
capacity_text(blocks) = 2 ** power(bytes_of(blocks)) == bytes_of(blocks) \
    ? size_text(power(bytes_of(blocks)), unit) \
    : amount_text(bytes_of(blocks), unit)

# The widths of all bars and gaps between capacities are those of one bar.
array FRESH[caches]
width = 0.4
do for [i = 1:caches] {
    FRESH[i] = i == 1 || BLOCKS[ORDER[i]] != BLOCKS[ORDER[i > 1 ? i - 1 : 1]]
    width = width + (FRESH[i] && i > 1 ? 1.9 : 1)
}
ems_per_bar = (right - left - (legend_place eq "right" ? legend_width : 0)) \
    / (width * em_x)
# Does a text centred at `at` leave a gap to the one that ended before?
has_room(at, text, last) = (at - last) * ems_per_bar > 0.3 * strlen(text) + 0.3
end_of(at, text) = at + 0.3 * strlen(text) / ems_per_bar

at = 0
begins = 0
floor_at = bottom + (1.4 + (legend_place eq "below" ? legend_ems : 0)) * em_y
lowest = 0
highest = 0
last_ways = -100
last_capacity = -100
set xtics () scale 0
set print $bars
do for [i = 1:caches] {
    c = ORDER[i]
    at = at + (FRESH[i] && i > 1 ? 1.9 : 1)
    begins = FRESH[i] ? at : begins
    top_of = FULL[c] + (ALL[c] > 0 ? ALL[c] : 0)
    print sprintf("%g,%.12g,%.12g,%.12g,%.12g", at, COLD[c], FULL[c], top_of, \
        ALL[c] < 0 ? ALL[c] : 0)
    lowest = ALL[c] < lowest ? ALL[c] : lowest
    highest = top_of > highest ? top_of : highest
    ways = sprintf("%d", WAYS[c])
    if (has_room(at, ways, last_ways)) {
        set xtics add (ways at)
        last_ways = end_of(at, ways)
    }
    capacity = capacity_text(BLOCKS[c])
    middle = 0.5 * (begins + at)
    if ((i == caches || FRESH[i < caches ? i + 1 : i]) \
        && has_room(middle, capacity, last_capacity)) {
        last_capacity = end_of(middle, capacity)
        set label capacity at first middle, screen floor_at - 2.7 * em_y \
            center font sprintf(",%g", 0.85 * POINTS) textcolor "#222222"
    }
}
unset print

set xrange [0.3:at + 0.7]
set yrange [1.05 * lowest:highest == 0 ? 1 : 1.08 * highest]
set ytics step_up(highest - lowest == 0 ? 1 : highest - lowest)
set format y "%g"
set xlabel BLOCK[1] eq "" ? "ways, and blocks of capacity" \
    : "ways, and bytes of capacity" offset 0,-1.1
set ylabel "share of references" offset 0.5,0
set bmargin at screen floor_at
set grid noxtics
set style fill solid 0.85 noborder
if (lowest < 0) { set arrow from 0.3,0 to at + 0.7,0 nohead linecolor "#555555" }
plot $bars using 1:(0.5 * ($3 + $4)):(0.4):(0.5 * ($4 - $3)) \
        with boxxyerror linecolor rgb colour(2) title "conflict", \
    $bars using 1:(0.5 * $5):(0.4):(-0.5 * $5) \
        with boxxyerror linecolor rgb colour(2) notitle, \
    $bars using 1:(0.5 * ($2 + $3)):(0.4):(0.5 * ($3 - $2)) \
        with boxxyerror linecolor rgb colour(1) title "capacity", \
    $bars using 1:(0.5 * $2):(0.4):(0.5 * $2) \
        with boxxyerror linecolor rgb "#999999" title "cold"
