# traffic.gp - what crosses below each cache, from a table of `margay simulate`
#
# A group of bars for each cache, and in it one for each trace and machine: the
# blocks that misses and the prefetcher bring in and those that are written back,
# per 1000 instructions, or all of them where the table does not know how many
# instructions there were.  A cache that nothing crosses has no group.

load HERE . "machines.gp"
HEADING = "Traffic below each cache"
load HERE . "heading.gp"
entries = 4
longest = 13
load HERE . "legend.gp"
set key samplen 1 invert

# ------------------------------------------------------------ the blocks --

PARTS = 4
array PART[PARTS] = ["demand misses", "other misses", "prefetches", \
                     "write-backs"]
array TINT[PARTS] = [colour(1), colour(6), colour(5), colour(2)]
part(k) = k == 1 ? column(MISS) : k == 2 ? column(5) - column(MISS) \
    : k == 3 ? column(14) : column(13)
# Of the first k parts, in the row that is read.
below(k) = k == 0 ? 0 : below(k - 1) + part(k)

array TRAFFIC[caches]
array VALUES[machines]
array SEEN[PARTS]
do for [i = 1:caches] { TRAFFIC[i] = 0 }
do for [k = 1:PARTS] { SEEN[k] = 0 }
see(k) = k == 0 ? 0 : (SEEN[k] = SEEN[k] + part(k), see(k - 1))
scale(m) = !knows ? 1 : INSTRUCTIONS[m] == 0 ? 0 : 1 / INSTRUCTIONS[m]
values(k) = FIXED + k > words(head) ? "" : joined(value_text( \
    word(head, FIXED + k), strcol(FIXED + k)), values(k + 1))
row = 0
highest = 0
tally(all) = (row = row + 1, m = (row - 1) / caches + 1, \
    c = (row - 1) % caches + 1, TRAFFIC[c] = TRAFFIC[c] + all, \
    VALUES[m] = values(1), \
    highest = all * scale(m) > highest ? all * scale(m) : highest, 1)
stats CSV[1] using (see(PARTS) + tally(below(PARTS))) skip 1 nooutput

# ------------------------------------------------------------------ bars --

# Caches stand side by side, a bar's width apart; bars of several machines are
# told apart below them, by values alone: the axis has the names of the fields.
places = 0
array FIRST[caches]
do for [i = 1:caches] {
    FIRST[i] = NaN
    if (TRAFFIC[i] > 0) {
        FIRST[i] = 1 + places * (machines + 1)
        places = places + 1
    }
}
if (places == 0) {
    print "no block went below a cache"
    exit status 2
}
bars = places * (machines + 1) - 1
bar_label(m) = joined(several_traces ? TRACE[m] : "", \
                      several_varied ? VALUES[m] : "")
names_of(k) = FIXED + k > words(head) ? "" \
    : joined(word(head, FIXED + k), names_of(k + 1))
longest = 0
wide_names = sum [m = 1:machines] widen(bar_label(m))
room = (right - left - (legend_place eq "right" ? 9 : 0) * em_x) / bars
upright = machines > 1 && 0.6 * (longest + 1) * em_x > room
small = upright && room < 1.2 * em_x && is_sized \
    ? room / (1.2 * em_x) : 1
names_high = machines == 1 ? 0 : upright \
    ? 0.55 * small * longest * em_x * WIDTH / HEIGHT : 1.1 * em_y
floor_at = 3 * em_y + names_high + (machines > 1 ? 1.6 * em_y : 0) \
    + (legend_place eq "below" ? (legend_ems - 0.8) * em_y : 0)
set bmargin at screen floor_at
high_ems = (top - floor_at) / em_y
set xtics () scale 0 noenhanced
if (upright) { set xtics rotate by 90 right }
small_font = is_sized ? sprintf(",%g", small * POINTS) : ""
set xtics font small_font
do for [i = 1:caches] {
    if (TRAFFIC[i] > 0) {
        middle = FIRST[i] + 0.5 * (machines - 1)
        set label CACHE[i] at first middle, screen floor_at - names_high \
            - 1.4 * em_y center noenhanced textcolor "#222222"
        do for [m = 1:machines] {
            set xtics add (machines == 1 ? "" : tic_text(bar_label(m)) \
                           FIRST[i] + m - 1)
        }
    }
}
if (machines > 1) {
    set label joined(several_traces ? "trace" : "", \
                     several_varied ? names_of(1) : "") \
        at graph 0.5, screen floor_at - names_high - 3.2 * em_y center noenhanced
}
set xrange [0.3:bars + 0.7]
set yrange [0:1.06 * highest]
set ytics step_up(highest)
set ylabel knows ? "blocks per 1000 instructions" : "blocks" offset 0.5,0
set format y knows ? "%g" : COUNT_FORMAT
set grid noxtics
set style fill solid 0.85 noborder
place(m) = FIRST[int($0) + 1] + m - 1
plot for [k = 1:PARTS] for [m = 1:machines] CSV[1] \
    every ::(m - 1) * caches::m * caches - 1 \
    using (place(m)):(0.5 * scale(m) * (below(k - 1) + below(k))):(0.4): \
        (0.5 * scale(m) * part(k)) skip 1 \
    with boxxyerror linecolor rgb TINT[k] \
    title m == 1 && SEEN[k] > 0 ? PART[k] : ""
