# predict.gp - a predicted miss curve among those of the runs it was learnt
# from, and the truth where it is known; from a table of
# `margay predict --curve --with-runs`
#
#     gnuplot -c predict.gp OUT.png|svg|pdf CURVES.csv

OUT = ARG1
CSV = ARG2
HEADING = "Predicted misses of a fully associative LRU cache"
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "terminal.gp"

# One word for the shell, whatever is in it.
shell_rest(text) = strstrt(text, "'") == 0 ? text \
    : text[1:strstrt(text, "'")] . "\\''" \
      . shell_rest(text[strstrt(text, "'") + 1:*])
shell_word(text) = "'" . shell_rest(text) . "'"

# Blocks of lines "SIZE RATIO" below a label and a role, those of the runs
# first.  The name of a trace may hold anything, so the other fields are counted
# from the end of a row.  Sizes are in bytes if all rows know them.
program = 'NR > 1 {' \
. '    name = substr($0, length($1) + 2);' \
. '    sub(/,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*$/, "", name);' \
. '    rows++; key[rows] = $1 "," name; if (!seen[key[rows]]++) {' \
. '        count++; series[count] = key[rows]; role[count] = $1;' \
. '        gsub(/"/, "", name); sub(/.*\//, "", name);' \
. '        label[count] = ($1 == "truth" ? "truth: " : "") name }' \
. '    blocks[rows] = $(NF - 4); bytes[rows] = $(NF - 3);' \
. '    ratio[rows] = $NF; if (bytes[rows] == "") unknown = 1 }' \
. 'END {' \
. '    print "\"" (unknown ? "blocks" : "bytes") "\""; print 1, 1;' \
. '    print ""; print "";' \
. '    for (k = 1; k <= count; k++) {' \
. '        print "\"" label[k] "\"", "\"" role[k] "\"";' \
. '        for (r = 1; r <= rows; r++) if (key[r] == series[k])' \
. '            print unknown ? blocks[r] : bytes[r], ratio[r];' \
. '        print ""; print "" } }'

set print $lines
print system("awk -F, " . shell_word(program) . " " . shell_word(CSV))
unset print
set datafile separator whitespace
stats $lines using 2 nooutput
series = STATS_blocks - 1
in_bytes = $lines[1] eq '"bytes"'

# What a line is, from the line above its points.
array ROLE[series]
found = 0
do for [i = 2:|$lines|] {
    text = $lines[i]
    if (text[1:1] eq '"') {
        found = found + 1
        ROLE[found] = text[strstrt(text, '" "') + 3:strlen(text) - 1]
    }
}

# ----------------------------------------------------------------- axes --

power_text(k, unit) = sprintf("%d%s%s%s", 2 ** (k % 10), \
    k < 10 && unit eq "" ? "" : " ", \
    k < 10 ? "" : word("Ki Mi Gi Ti Pi Ei", k / 10), unit)
size_text(k, unit) = unit eq "" && k <= 13 ? sprintf("%d", 2 ** k) \
                                           : power_text(k, unit)
stats $lines index 1:series using 1:2 nooutput
first_power = floor(log(STATS_min_x) / log(2) + 1e-9)
last_power = ceil(log(STATS_max_x) / log(2) - 1e-9)
if (last_power == first_power) { last_power = first_power + 1 }
set logscale x 2
set xrange [2.0 ** first_power:1.0001 * 2.0 ** last_power]
unit = in_bytes ? "B" : ""
set xtics ()
do for [k = first_power:last_power:(last_power - first_power + 7) / 8] {
    set xtics add (size_text(k, unit) 2.0 ** k)
}
set xlabel in_bytes ? "cache size" : "cache size in blocks" offset 0,0.2
set ylabel "miss ratio" offset 0.5,0
set yrange [0:STATS_max_y > 0.7 ? 1 : 1.1 * STATS_max_y]
set format y "%g"

# -------------------------------------------------------------- picture --

set label 1 HEADING at screen 0.095,0.955 noenhanced font ",18"
set key outside right top vertical Left reverse noenhanced samplen 1.5 \
    spacing 1.25 textcolor "#222222"
set rmargin -1

# The truth is a broad line, on which the prediction is to lie.
look(i, role) = role eq "truth" ? "linecolor rgb '#bbbbbb' linewidth 7" \
    : role eq "prediction" ? "linecolor rgb colour(2) linewidth 2" \
    : sprintf("linecolor rgb colour(1) dashtype %d linewidth 1.2", i % 4 + 2)
line(i) = sprintf("$lines index %d using 1:2 with lines %s title columnheader(1)", \
    i, look(i, ROLE[i]))
command = ""
do for [i = 1:series] {
    command = command . (i == 1 ? "plot " : ", ") . line(i)
}
eval command
