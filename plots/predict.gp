# predict.gp - a predicted miss curve among those of the runs it was learnt
# from, and the truth where it is known; from a table of
# `margay predict --curve --with-runs`
#
#     gnuplot -c predict.gp OUT.png|svg|pdf|eps|tex CURVES.csv

OUT = ARG1
CSV = ARG2
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# Blocks of lines "SIZE RATIO" below one of "# ROLE NAME", those of the runs
# first, and before all of them "# bytes" or "# blocks".  The name of a trace may
# hold anything, so the other fields are counted from the end of a row.  Sizes are
# in bytes if all rows know them.
program = awk_unquoted . 'NR > 1 {' \
. '    name = substr($0, length($1) + 2);' \
. '    sub(/,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*$/, "", name);' \
. '    rows++; key = $1 "," name; row[key, ++rows_of[key]] = rows;' \
. '    if (rows_of[key] == 1) {' \
. '        count++; series[count] = key; role[count] = $1;' \
. '        name = unquoted(name); sub(/.*\//, "", name);' \
. '        label[count] = ($1 == "truth" ? "truth: " : "") name }' \
. '    blocks[rows] = $(NF - 4); bytes[rows] = $(NF - 3);' \
. '    ratio[rows] = $NF; if (bytes[rows] == "") unknown = 1 }' \
. 'END {' \
. '    print "# " (unknown ? "blocks" : "bytes");' \
. '    for (k = 1; k <= count; k++) {' \
. '        print "# " role[k] " " label[k];' \
. '        for (j = 1; j <= rows_of[series[k]]; j++) {' \
. '            r = row[series[k], j];' \
. '            print unknown ? blocks[r] : bytes[r], ratio[r] }' \
. '        print ""; print "" } }'

load lines_into("$lines", \
    "awk -F, " . shell_word(program) . " " . shell_word(CSV))
set datafile separator whitespace
stats $lines using 2 nooutput
series = STATS_blocks
in_bytes = $lines[1] eq "# bytes"

# What a line is, from the line above its points, and how many there are.
array ROLE[series]
array NAME[series]
array ROWS[series]
found = 0
do for [i = 2:|$lines|] {
    text = $lines[i]
    if (text[1:1] eq "#") {
        found = found + 1
        ROLE[found] = word(text, 2)
        NAME[found] = behind(text, 2)
        ROWS[found] = 0
    } else {
        if (text ne "") { ROWS[found] = ROWS[found] + 1 }
    }
}

# ----------------------------------------------------------------- axes --

lowest = 1
highest = 0
stats $lines using 1:2 nooutput
smallest = STATS_min_x
largest = STATS_max_x
note(y) = (lowest = y > 0 && y < lowest ? y : lowest, \
    highest = y > highest ? y : highest, 1)
stats $lines using (note(shown($2))) nooutput

# -------------------------------------------------------------- picture --

HEADING = (HIT ? "Predicted hits" : "Predicted misses") \
    . " of a fully associative LRU cache"
SUBTITLE = ""
load folder(ARG0) . "heading.gp"

runs = sum [i = 1:series] (ROLE[i] eq "training")
# The later a run, which is as a rule the larger, the darker.
part(i) = runs < 2 ? 1.0 : (i - 1.0) / (runs - 1)
mixed(light, dark, i) = light + (dark - light) * part(i)
shade(i) = sprintf("#%02x%02x%02x", mixed(0x7f, 0x00, i), \
    mixed(0xbf, 0x2f, i), mixed(0xe8, 0x4f, i))

# The truth is a broad line below the others, on which the prediction is to lie.
look_as(role, i) = role eq "truth" ? look("#a0a0a0", "1", 7, 0) \
    : role eq "prediction" ? look(colour(2), "1", 2, 0) \
    : look(shade(i), "(10,7)", 1.7, 0)
most_lines = series
load folder(ARG0) . "lines.gp"
do for [role in "truth training prediction"] {
    do for [i = 1:series] {
        if (ROLE[i] eq role) {
            line = add_line(sprintf("$lines index %d", i - 1), 0, ROWS[i] - 1, "$1", \
                "shown($2)", NAME[i])
            line = look_as(role, i)
        }
    }
}
load folder(ARG0) . "end-lines.gp"
steep = 0
load folder(ARG0) . "size-axis.gp"
load folder(ARG0) . "ratio-axis.gp"
command = "plot "
STEPS = 1
load folder(ARG0) . "draw-lines.gp"
