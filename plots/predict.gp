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
load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# Blocks of lines "SIZE RATIO" below a label and a role, those of the runs
# first.  The name of a trace may hold anything, so the other fields are counted
# from the end of a row.  Sizes are in bytes if all rows know them.
program = 'NR > 1 {' \
. '    name = substr($0, length($1) + 2);' \
. '    sub(/,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*$/, "", name);' \
. '    rows++; key = $1 "," name; row[key, ++rows_of[key]] = rows;' \
. '    if (rows_of[key] == 1) {' \
. '        count++; series[count] = key; role[count] = $1;' \
. '        gsub(/"/, "", name); sub(/.*\//, "", name);' \
. '        label[count] = ($1 == "truth" ? "truth: " : "") name }' \
. '    blocks[rows] = $(NF - 4); bytes[rows] = $(NF - 3);' \
. '    ratio[rows] = $NF; if (bytes[rows] == "") unknown = 1 }' \
. 'END {' \
. '    print "\"" (unknown ? "blocks" : "bytes") "\""; print 1, 1;' \
. '    print ""; print "";' \
. '    for (k = 1; k <= count; k++) {' \
. '        print "\"" label[k] "\"", "\"" role[k] "\"";' \
. '        for (j = 1; j <= rows_of[series[k]]; j++) {' \
. '            r = row[series[k], j];' \
. '            print unknown ? blocks[r] : bytes[r], ratio[r] }' \
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

stats $lines index 1:series using 1:2 nooutput
smallest = STATS_min_x
largest = STATS_max_x
most_tics = 8
load folder(ARG0) . "size-axis.gp"
set ylabel "miss ratio" offset 0.5,0
set yrange [0:STATS_max_y > 0.7 ? 1 : 1.1 * STATS_max_y]
set format y "%g"

# -------------------------------------------------------------- picture --

set label 1 HEADING at screen 0.095,0.955 noenhanced font HEADING_FONT
load folder(ARG0) . "legend.gp"

runs = sum [i = 1:series] (ROLE[i] eq "training")
# The later a run, which is as a rule the larger, the darker.
part(i) = runs < 2 ? 1.0 : (i - 1.0) / (runs - 1)
mixed(light, dark, i) = light + (dark - light) * part(i)
shade(i) = sprintf("#%02x%02x%02x", mixed(0x7f, 0x00, i), \
    mixed(0xbf, 0x2f, i), mixed(0xe8, 0x4f, i))

# The truth is a broad line below the others, on which the prediction is to lie.
look(i) = ROLE[i] eq "truth" ? "linecolor rgb '#c8c8c8' linewidth 7" \
    : ROLE[i] eq "prediction" ? "linecolor rgb colour(2) linewidth 2" \
    : sprintf("linecolor rgb '%s' dashtype (16,8) linewidth 1.7", shade(i))
line(i) = sprintf("$lines index %d using 1:2 with lines %s" \
    . " title columnheader(1)", i, look(i))
command = ""
do for [role in "truth training prediction"] {
    do for [i = 1:series] {
        if (ROLE[i] eq role) {
            command = command . (command eq "" ? "plot " : ", ") . line(i)
        }
    }
}
eval command
