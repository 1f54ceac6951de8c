# assoc-map.gp - a table of `margay assoc`: miss ratios over sets and ways
#
# A cell for each cache of one trace, block size and policy.  The colour is the
# logarithm of the miss ratio where ratios differ by more than fifty times.  A
# broken line leads through caches of equal capacity.

ASCENDING = 3
MINOR = 4
load HERE . "common.gp"
HEADING = "Miss ratio by sets and ways"
load HERE . "heading.gp"
if (series > 1) {
    print sprintf("%d traces, block sizes or policies, expected one for a" \
        . " map", series)
    exit status 2
}

# Cells stand side by side, for any sets and ways.
sets_there = " "
ways_there = " "
seen(list, n) = strstrt(list, sprintf(" %d ", n)) > 0
note(sets, ways) = ( \
    sets_there = seen(sets_there, sets) ? sets_there \
        : sets_there . sprintf("%d ", sets), \
    ways_there = seen(ways_there, ways) ? ways_there \
        : ways_there . sprintf("%d ", ways), 1)
stats FILE[1] using (note($3, $4)) skip 1 \
    every ::FIRST[1]::LAST[1] nooutput
nearest_power(n) = int(log(n) / log(2) + 0.5)
sets_text(n) = 2 ** nearest_power(n) == n ? size_text(nearest_power(n), "") \
    : sprintf("%d", n)
place(list, n) = words(list[1:strstrt(list, sprintf(" %d ", n))]) + 1

set xrange [0.5:words(sets_there) + 0.5]
set yrange [0.5:words(ways_there) + 0.5]
set xtics ()
every_set = int(ceil(words(sets_there) * 3.6 * em_x / (1 - 9 * em_x - left)))
do for [k = 1:words(sets_there):every_set] {
    set xtics add (sets_text(int(word(sets_there, k))) k)
}
set ytics ()
every_way = int(ceil(words(ways_there) * 1.3 * em_y / (top - bottom)))
do for [k = 1:words(ways_there):every_way] {
    set ytics add (word(ways_there, k) k)
}
set xlabel "sets" offset 0,0.2
set ylabel "ways" offset 0.5,0
set rmargin at screen 1 - 9 * em_x
set palette defined (0 "#fff7bc", 1 "#fe9929", 2 "#993404", 3 "#26100a")
unset grid
if (highest > 50 * lowest) { set logscale cb }
if (highest > lowest) { set cbrange [lowest:highest] }
set format cb "%g"
set cblabel "miss ratio" offset 1.5,0
# ------------------------------------------------------------ capacities --

# Where a number of ways stands, between those that are there.
below(n, k) = k < words(ways_there) && int(word(ways_there, k + 1)) <= n \
    ? below(n, k + 1) : k
between(n, k) = k == words(ways_there) ? k \
    : k + (n - real(word(ways_there, k) . ".0")) \
          / (int(word(ways_there, k + 1)) - int(word(ways_there, k)))
height(n) = between(n, below(n, 1))
sets_at(k) = int(word(sets_there, k))
first_ways = int(word(ways_there, 1))
last_ways = int(word(ways_there, words(ways_there)))
passes(blocks, k) = blocks >= first_ways * sets_at(k) \
    && blocks <= last_ways * sets_at(k)
capacity(k) = BLOCK[1] eq "" ? size_text(k, "") . " blocks" \
    : size_text(k + nearest_power(int(BLOCK[1])), "B")

# Powers of two, of which 12 lines at most; one leads through two caches or more.
least_power = ceil(log(first_ways * sets_at(1)) / log(2) - 1e-9)
most_power = floor(log(last_ways * sets_at(words(sets_there))) / log(2) + 1e-9)
room = int((1 - 9 * em_x - left) / (4 * em_x))
room = room > 12 ? 12 : room < 1 ? 1 : room
every_power = (most_power - least_power + room) / room
lines = 0
set print $capacities
print ""
do for [k = least_power:most_power:every_power] {
    points = 0
    do for [i = 1:words(sets_there)] {
        if (passes(2 ** k, i)) { points = points + 1 }
    }
    if (points > 1) {
        points = 0
        do for [i = 1:words(sets_there)] {
            if (passes(2 ** k, i)) {
                at = height(real(2 ** k) / sets_at(i))
                print sprintf("%d,%g", i, at)
                points = points + 1
                if (points == 1) {
                    set label capacity(k) at i,at center boxed front \
                        offset 0,0.7 font sprintf(",%g", 0.75 * POINTS) \
                        textcolor "#0072b2"
                }
            }
        }
        print ""
        print ""
        lines = lines + 1
    }
}
unset print
set style textbox opaque noborder fillcolor rgb "#ffffff" margins 0.4,0.3

plot FILE[1] using (place(sets_there, $3)):(place(ways_there, $4)): \
    (0.5):(0.5):($8 < lowest ? lowest : $8) skip 1 \
    every ::FIRST[1]::LAST[1] \
    with boxxyerror fillstyle solid 1 noborder fillcolor palette notitle, \
    for [k = 1:lines] $capacities index k - 1 using 1:2 with lines \
        linewidth 1.2 dashtype 2 linecolor rgb "#0072b2" notitle
