# predict.gp - a predicted miss curve among those of the runs it was learnt
# from, and the truth where it is known; from a table of
# `margay predict --curve --with-runs`

# "# bytes" or "# blocks", which all rows know sizes in; then a block of "SIZE
# RATIO" for each curve, those of the runs first, below "# ROLE NAME".
program = '{' \
. '    key = $1 FS $2 FS $3;' \
. '    if (!(key in rows_of)) { keys[++count] = key;' \
. '        about[count] = $1 " " ($1 == "truth" ? "truth: " : "") base($2) }' \
. '    k = ++rows_of[key]; blocks[key, k] = $4; bytes[key, k] = $5;' \
. '    ratio[key, k] = $8; if ($5 == "") unknown = 1 }' \
. 'END {' \
. '    if (count) print "# " (unknown ? "blocks" : "bytes");' \
. '    for (i = 1; i <= count; i++) {' \
. '        print "# " about[i]; key = keys[i];' \
. '        for (k = 1; k <= rows_of[key]; k++)' \
. '            print unknown ? blocks[key, k] : bytes[key, k], ratio[key, k];' \
. '        print ""; print "" } }'
load HERE . "blocks.gp"
in_bytes = $lines[1] eq "# bytes"

# ----------------------------------------------------------------- axes --

stats $lines using 1:2 nooutput
smallest = STATS_min_x
largest = STATS_max_x
stats $lines using (note_ratio(shown($2))) nooutput

# -------------------------------------------------------------- picture --

HEADING = (HIT ? "Predicted hits" : "Predicted misses") \
    . " of a fully associative LRU cache"
SUBTITLE = ""
load HERE . "heading.gp"

runs = sum [i = 1:blocks] (word(HEAD[i], 1) eq "training")
# The later a run, which is as a rule the larger, the darker.
part(i) = runs < 2 ? 1.0 : (i - 1.0) / (runs - 1)
mixed(light, dark, i) = light + (dark - light) * part(i)
shade(i) = sprintf("#%02x%02x%02x", mixed(0x7f, 0x00, i), \
    mixed(0xbf, 0x2f, i), mixed(0xe8, 0x4f, i))

# The truth is a broad line below the others, on which the prediction is to lie.
look_as(role, i) = role eq "truth" ? look("#a0a0a0", "1", 7, 0) \
    : role eq "prediction" ? look(colour(2), "1", 2, 0) \
    : look(shade(i), "(10,7)", 1.7, 0)
most_lines = blocks
load HERE . "lines.gp"
do for [role in "truth training prediction"] {
    do for [i = 1:blocks] {
        if (word(HEAD[i], 1) eq role) {
            line = add_line(sprintf("$lines index %d", i - 1), 0, ROWS[i] - 1, "$1", \
                "shown($2)", after(HEAD[i], 1))
            line = look_as(role, i)
        }
    }
}
load HERE . "end-lines.gp"
steep = 0
load HERE . "size-axis.gp"
load HERE . "ratio-axis.gp"
command = "plot "
STEPS = 1
load HERE . "draw-lines.gp"
