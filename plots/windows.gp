# windows.gp - miss ratio over time, from a table of `margay curve --window`
#
#     gnuplot -c windows.gp OUT.png|svg|pdf|eps|tex WINDOWS.csv
#
# A line per trace, block size and size of the cache: colours are sizes, and dashes
# and marks change with each size, trace and block size.  Of many sizes a few powers
# of two are shown, on a logarithmic axis where ratios differ by more than fifty
# times.  Where a window's table ends below a size, larger caches miss no less than
# its last row says.  A window begins at the reference after the last one of the
# window before it.  Caches of objects (--objects) have sizes in bytes alone, and
# their ratios are those of requests.

OUT = ARG1
CSV = ARG2
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# "# NAMES UNIT LABEL": how many traces and block sizes there are, what a window
# counts, and what they have in common; then blocks of lines "REFERENCE RATIO"
# below one of "# NAME".  The name of a trace may hold anything, so the other
# fields are counted from the end of a row.
program = awk_unquoted . 'NR == 1 { objects = /,byte_miss_ratio/ }' \
. 'function in_words(size, block,   bytes, unit) {' \
. '    if (block == "" && !objects) return size (size == 1 ? " block" : " blocks");' \
. '    for (bytes = size * (objects ? 1 : block); bytes >= 1024; unit++) bytes /= 1024;' \
. '    return sprintf("%.4g ", bytes) substr("B  KiBMiBGiBTiBPiB", 1 + 3 * unit, 3) }' \
. 'function is_power(n) { while (n > 1 && n % 2 == 0) n /= 2; return n == 1 }' \
. 'NR > 1 {' \
. '    past = objects ? NF - 3 : NF;' \
. '    name = substr($0, length($1) + 2);' \
. '    for (i = past - 5; i < NF; i++) sub(/,[^,]*$/, "", name);' \
. '    if (name != last) { last = name; series[++count] = name }' \
. '    rows++; row[name, ++rows_of[name]] = rows;' \
. '    at[rows] = $1; begin[rows] = before[name] + 0;' \
. '    if (!(name in window_of) || $1 != window_of[name]) {' \
. '        window_of[name] = $1; begin[rows] = until[name] + 0;' \
. '        before[name] = begin[rows]; until[name] = begin[rows] + $(past - 2) }' \
. '    if (until[name] > end) end = until[name];' \
. '    size[rows] = $(past - (objects ? 3 : 4)) + 0; ratio[rows] = $past;' \
. '    if (!seen[size[rows]]++) { distinct++; powers += is_power(size[rows]) } }' \
. 'END {' \
. '    for (s in seen) if (distinct <= 6 || !powers || is_power(s)) list[++n] = s + 0;' \
. '    for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j - 1] > list[j]; j--)' \
. '        { s = list[j]; list[j] = list[j - 1]; list[j - 1] = s }' \
. '    most = n < 6 ? n : 6; names = count_names();' \
. '    for (k = 1; k <= count; k++) short += !shorts[plain(series[k])]++;' \
. '    in_full = short < names;' \
. '    for (k = 1; k <= count; k++)' \
. '        if (block_of(series[k]) != block_of(series[1])) several_blocks = 1;' \
. '    print "# " names, (objects ? "requests" : "references"),' \
. '        (names == 1 ? plain(last) :' \
. '        several_blocks ? "" : block_text(block_of(last)));' \
. '    for (k = 1; k <= count; k++) if (!drawn[series[k]]++)' \
. '        for (i = 1; i <= most; i++) {' \
. '            s = list[most == 1 ? n : 1 + int((i - 1) * (n - 1) / (most - 1))];' \
. '            label = in_words(s, block_of(series[k]));' \
. '            if (names > 1) label = (several_blocks ? plain(series[k]) :' \
. '                name_of(series[k])) ", " label;' \
. '            sub(/ +$/, "", label);' \
. '            print "# " label;' \
. '            window = "";' \
. '            for (j = 1; j <= rows_of[series[k]]; j++) {' \
. '                r = row[series[k], j];' \
. '                if (at[r] != window && window != "") print start, value;' \
. '                if (at[r] != window || size[r] <= s) value = ratio[r];' \
. '                window = at[r]; start = begin[r] }' \
. '            print start, value; print until[series[k]], value;' \
. '            print ""; print "" } }' \
. 'function block_of(name) { sub(/.*,/, "", name); return name }' \
. 'function block_text(block) {' \
. '    return block == "" ? "" : block "-byte blocks" }' \
. 'function name_of(name) {' \
. '    sub(/,[^,]*$/, "", name); name = unquoted(name);' \
. '    if (!in_full) sub(/.*\//, "", name);' \
. '    return name }' \
. 'function plain(name,   block) {' \
. '    block = block_text(block_of(name));' \
. '    return name_of(name) (block == "" ? "" : ", " block) }' \
. 'function count_names(   k, n, had) {' \
. '    for (k = 1; k <= count; k++) n += !had[series[k]]++; return n }'

load lines_into("$lines", \
    "awk -F, " . shell_word(program) . " " . shell_word(CSV))
names = int(word($lines[1], 2))
unit = word($lines[1], 3)
SUBTITLE = behind($lines[1], 3)
set datafile separator whitespace
lowest = 1
highest = 0
note(y) = (lowest = y > 0 && y < lowest ? y : lowest, \
    highest = y > highest ? y : highest, 1)
stats $lines using 1:(note(shown($2))) nooutput
series = STATS_blocks
end = STATS_max_x
sizes = series / names

HEADING = (HIT ? "Hit" : "Miss") . " ratio " \
    . (unit eq "requests" ? "of requests " : "") . "over time"
load folder(ARG0) . "heading.gp"
most_lines = series
load folder(ARG0) . "lines.gp"
# A ratio of 0 is on the floor of a logarithmic axis.
y_log = 0
raised(y) = y_log && y < y_least ? y_least : y
k = 0
do for [i = 2:|$lines|] {
    text = $lines[i]
    if (text[1:1] eq "#") {
        turn = k / sizes
        line = add_line(sprintf("$lines index %d", k), 0, -1, "$1", "raised(shown($2))", \
            text[3:*])
        line = look(colour(k % sizes + 1), \
            sprintf("%d", (k % sizes + turn) % 4 + 1), 2, \
            SHAPE[(k % sizes + turn) % 6 + 1])
        k = k + 1
    } else {
        if (text ne "") { LINE_LAST[lines] = LINE_LAST[lines] + 1 }
    }
}
load folder(ARG0) . "end-lines.gp"
x_log = scale_is_log("x", 0)
x_least = x_from(0)
x_most = x_to(end)
fault = range_fault("x", x_least, x_most, x_log)
if (fault ne "") {
    print fault
    exit status 2
}
if (x_log) { set logscale x }
set xrange [x_least:x_most]
set xlabel unit offset 0,0.2
if (x_log) { set xtics format COUNT_FORMAT } else {
    every = nice_step(x_most - x_least, (right - left) / (6 * em_x))
    set xtics ()
    do for [k = int(ceil(x_least / every)):int(floor(x_most / every))] {
        set xtics add (count_text(k * every) k * every)
    }
}
steep = highest > 50 * lowest
load folder(ARG0) . "ratio-axis.gp"

command = "plot "
STEPS = 1
load folder(ARG0) . "draw-lines.gp"
