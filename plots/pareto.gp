# pareto.gp - a table of `margay simulate` with --pareto: bytes against access time
#
# A dot for each machine, and for each trace a line of steps through those on
# its front: below and to the left of the steps there is none.  Dots of machines
# that are not on the front are grey; those on it cover theirs.  The machine at
# the knee has its name: the one that is farthest below the straight line from
# one end of the front to the other, with the logarithm of bytes.

HEADING = "Access time against bytes of caches"

# "# TRACES MACHINES FRONT SMALLEST LARGEST FASTEST SLOWEST ROWS", the rows on
# fronts, of which a machine has one for each trace; then a block of "BYTES CYCLES
# FRONT" for each trace.  "#knee BYTES CYCLES NAME" ends it.
program = 'function value(column, text) {' \
. '    return column " " (column ~ /bytes$/ && text != "" ? size_text(text, "B") : text) }' \
. 'function note(   k) {' \
. '    best_of[++ends] = $3 " " $4 " ";' \
. '    x[ends] = log($3 + 1); y[ends] = $4;' \
. '    for (k = 6; k <= NF; k++)' \
. '        best_of[ends] = best_of[ends] (k > 6 ? ", " : "") value(head[k], $k) }' \
. 'function knee(   i, a, b, best, deepest, depth) {' \
. '    a = b = 1;' \
. '    for (i = 2; i <= ends; i++) { if (x[i] < x[a]) a = i; if (x[i] > x[b]) b = i }' \
. '    for (i = 1; i <= ends; i++) {' \
. '        depth = (x[i] - x[a]) * (y[b] - y[a]) - (y[i] - y[a]) * (x[b] - x[a]);' \
. '        if (depth > deepest) { deepest = depth; best = i } }' \
. '    if (best) text = text "#knee " best_of[best] "\n";' \
. '    ends = 0 }' \
. '{' \
. '    if (NR > 2 && $2 != last) knee();' \
. '    if (NR == 2 || $2 != last) {' \
. '        text = text (NR == 2 ? "" : "\n\n") "# " base($2) "\n"; traces++ }' \
. '    last = $2; rows++; front += $5;' \
. '    text = text $3 " " $4 " " $5 "\n";' \
. '    machine = $1 FS $3; for (k = 6; k <= NF; k++) machine = machine FS $k;' \
. '    if ($5 == 1) { note(); if (!(machine in on)) { on[machine]; best++ } }' \
. '    if (NR == 2) { least = most = $3; fast = slow = $4 }' \
. '    if ($3 + 0 < least + 0) least = $3;' \
. '    if ($3 + 0 > most + 0) most = $3;' \
. '    if ($4 + 0 < fast + 0) fast = $4;' \
. '    if ($4 + 0 > slow + 0) slow = $4 }' \
. 'END { if (rows > 0) {' \
. '    knee();' \
. '    print "#", traces, rows / traces, best + 0, least, most, fast, slow, front + 0;' \
. '    printf "%s", text } }'
load HERE . "blocks.gp"
number(k) = real(word($lines[1], k + 1))
traces = blocks
machines = int(number(2))
fronts = int(number(3))
smallest = number(4)
largest = number(5)

SUBTITLE = sprintf("%s%d machine%s, %d on the front%s", \
    traces == 1 ? HEAD[1] . ": " : "", machines, \
    machines == 1 ? "" : "s", fronts, \
    traces == 1 ? "" : " of a trace")
others = machines * traces > int(number(8))
load HERE . "heading.gp"
NAMES = "HEAD"
COUNT = traces
ROOM = most_name
load HERE . "names.gp"
entries = traces + others
longest = longest < 14 || traces == 1 ? 14 : longest
load HERE . "legend.gp"
in_bytes = 1
load HERE . "size-axis.gp"
set xlabel "bytes of all caches" offset 0,0.2
set ylabel "average access time in cycles" offset 0.5,0
set format y "%g"
fastest = number(6)
slowest = number(7)
y_log = scale_is_log("y", slowest > 8 * fastest && fastest > 0)
room = 0.05 * (slowest > fastest ? slowest - fastest : slowest)
y_least = y_from(y_log ? fastest / 1.1 : fastest > room ? fastest - room : 0)
y_most = y_to(y_log ? 1.1 * slowest : slowest + room)
fault = range_fault("y", y_least, y_most, y_log)
if (fault ne "") {
    print fault
    exit status 2
}
set yrange [y_least:y_most]
if (y_log) { set logscale y 2 } else {
    set ytics step_up(y_most - y_least)
}
do for [i = 1:|$lines|] {
    if ($lines[i][1:6] eq "#knee ") {
        at = real(word($lines[i], 2))
        room = (right - left) * (1 - (log(at) - log(x_least)) \
            / (log(x_most) - log(x_least))) / (0.58 * em_x) - 2
        set label cut(after($lines[i], 3), floor(room)) \
            at at,real(word($lines[i], 3)) left boxed front offset 0.7,0.9
    }
}
set style textbox opaque noborder
# A line goes on over the machines that are not on the front.
plot for [t = 1:traces] $lines index t - 1 using ($3 == 1 ? $1 : NaN):2 \
        with steps linewidth 2 linecolor rgb colour(t) dashtype dashes(t) \
        title traces == 1 ? "the front" : HEAD[t], \
    for [t = 1:traces] $lines index t - 1 using 1:2 \
        with points pointtype 7 pointsize 0.75 * MARK_SIZE linecolor rgb "#888888" \
        title t == traces && others ? "other machines" : "", \
    for [t = 1:traces] $lines index t - 1 using ($3 == 1 ? $1 : NaN):2 \
        with points pointtype shape(t) pointsize MARK_SIZE \
        linecolor rgb colour(t) notitle
