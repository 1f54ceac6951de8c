# windows.gp - miss ratio over time, from a table of `margay curve --window`
#
# A line per trace, block size and size of the cache: colours are sizes, and dashes
# and marks change with each size, trace and block size.  Of many sizes a few powers
# of two are shown, on a logarithmic axis where ratios differ by more than fifty
# times.  Where a window's table ends below a size, larger caches miss no less than
# its last row says.  A window begins at the reference after the last one of the
# window before it.  Caches of objects (--objects) have sizes in bytes alone, and
# their ratios are those of requests.

# "# NAMES UNIT LABEL": how many lines a size has, what a window counts, and what
# all have in common; then a block of "REFERENCE RATIO" for each line.
program = 'function is_power(n) { while (n > 1 && n % 2 == 0) n /= 2; return n == 1 }' \
. '{' \
. '    objects = "byte_miss_ratio" in column_of;' \
. '    place = of("trace") FS of("block_bytes") FS of("policy") FS of("tenant");' \
. '    if (!(place in rows_of)) { places[++count] = place;' \
. '        trace[count] = of("trace"); block[count] = of("block_bytes");' \
. '        who[count] = joined(of("policy"), of("tenant")) }' \
. '    rows++; row_of[place, ++rows_of[place]] = rows;' \
. '    window[rows] = $1; begin[rows] = before[place] + 0;' \
. '    if (!(place in window_of) || $1 != window_of[place]) {' \
. '        window_of[place] = $1; begin[rows] = until[place] + 0;' \
. '        before[place] = begin[rows];' \
. '        until[place] = begin[rows] + of("references") }' \
. '    size[rows] = of(objects ? "cache_bytes" : "cache_blocks") + 0;' \
. '    ratio[rows] = of("miss_ratio");' \
. '    if (!seen[size[rows]]++) { distinct++; powers += is_power(size[rows]) } }' \
. 'END {' \
. '    for (s in seen) if (distinct <= 6 || !powers || is_power(s)) {' \
. '        list[++n] = s + 0; falling[s + 0] = -s }' \
. '    sort(list, n, falling); most = n < 6 ? n : 6;' \
. '    for (k = 2; k <= count; k++) {' \
. '        if (trace[k] != trace[1]) several_traces = 1;' \
. '        if (block[k] != block[1]) several_blocks = 1;' \
. '        if (who[k] != who[1]) several = 1 }' \
. '    for (k = 1; k <= count; k++) short += !shorts[label(k)]++;' \
. '    in_full = short < count;' \
. '    print "#", count, objects ? "requests" : "references",' \
. '        joined(several ? "" : who[1], joined(several_traces ? "" : base(trace[1]),' \
. '        several_blocks ? "" : block_text(block[1])));' \
. '    for (k = 1; k <= count; k++) for (i = 1; i <= most; i++) {' \
. '        s = list[most == 1 ? n : 1 + int((i - 1) * (n - 1) / (most - 1))];' \
. '        print "# " joined(label(k), in_words(s, block[k]));' \
. '        at_window = "";' \
. '        for (j = 1; j <= rows_of[places[k]]; j++) {' \
. '            r = row_of[places[k], j];' \
. '            if (window[r] != at_window && at_window != "") print start, value;' \
. '            if (window[r] != at_window || size[r] <= s) value = ratio[r];' \
. '            at_window = window[r]; start = begin[r] }' \
. '        print start, value; print until[places[k]], value;' \
. '        print ""; print "" } }' \
. 'function in_words(size, block) {' \
. '    if (block == "" && !objects) return size (size == 1 ? " block" : " blocks");' \
. '    return size_text(size * (objects ? 1 : block), "B") }' \
. 'function label(k,   text) {' \
. '    text = joined(several ? who[k] : "", several_traces ?' \
. '        (in_full ? trace[k] : base(trace[k])) : "");' \
. '    return joined(text, several_blocks ? block_text(block[k]) : "") }'
load HERE . "blocks.gp"
unit = word($lines[1], 3)
SUBTITLE = after($lines[1], 3)
stats $lines using 1:(note_ratio(shown($2))) nooutput
end = STATS_max_x
sizes = blocks / int(word($lines[1], 2))

HEADING = (HIT ? "Hit" : "Miss") . " ratio " \
    . (unit eq "requests" ? "of requests " : "") . "over time"
load HERE . "heading.gp"
most_lines = blocks
load HERE . "lines.gp"
# A ratio of 0 is on the floor of a logarithmic axis.
y_log = 0
raised(y) = y_log && y < y_least ? y_least : y
do for [k = 1:blocks] {
    turn = (k - 1) % sizes + (k - 1) / sizes
    line = add_line(sprintf("$lines index %d", k - 1), 0, ROWS[k] - 1, "$1", \
        "raised(shown($2))", HEAD[k])
    line = look(colour((k - 1) % sizes + 1), sprintf("%d", turn % 4 + 1), 2, \
        SHAPE[turn % 6 + 1])
}
load HERE . "end-lines.gp"
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
    eval "set xtics (" . count_tics(x_least, x_most, every) . ")"
}
steep = highest > 50 * lowest
load HERE . "ratio-axis.gp"

command = "plot "
STEPS = 1
load HERE . "draw-lines.gp"
