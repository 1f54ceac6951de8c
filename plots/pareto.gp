# pareto.gp - a table of `margay simulate` with --pareto: bytes against access time
#
#     gnuplot -c pareto.gp OUT.png|svg|pdf|eps|tex PARETO.csv
#
# A dot for each machine, and for each trace a line of steps through those on
# its front: below and to the left of the steps there is none.  Dots of machines
# that are not on the front are grey; those on it cover theirs.  The machine at
# the knee has its name: the one that is farthest below the straight line from
# one end of the front to the other, with the logarithm of bytes.

OUT = ARG1
CSV = ARG2
HEADING = "Access time against bytes of caches"
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# "TRACES MACHINES FRONT SMALLEST LARGEST FASTEST SLOWEST ROWS", the rows on
# fronts, of which a machine has one for each trace; then a block for
# each trace, of "BYTES CYCLES FRONT", below "# NAME".  The name of a trace may
# hold anything.  "#knee BYTES CYCLES NAME" ends a block.
program = awk_cut \
. 'function value(name, text,   unit) {' \
. '    if (name !~ /bytes$/ || text == "") return name " " text;' \
. '    for (unit = 0; text >= 1024 && unit < 4; unit++) text /= 1024;' \
. '    return name " " sprintf("%.4g ", text) substr("B  KiBMiBGiBTiB", ' \
. '        3 * unit + 1, unit ? 3 : 1) }' \
. 'function note(   k) {' \
. '    best_of[++ends] = number[1] " " number[2] " ";' \
. '    x[ends] = log(number[1] + 1); y[ends] = number[2];' \
. '    for (k = 6; rest != ""; k++)' \
. '        best_of[ends] = best_of[ends] (k > 6 ? ", " : "") value(head[k], cut()) }' \
. 'function knee(   i, a, b, best, deepest, depth) {' \
. '    a = b = 1;' \
. '    for (i = 2; i <= ends; i++) { if (x[i] < x[a]) a = i; if (x[i] > x[b]) b = i }' \
. '    for (i = 1; i <= ends; i++) {' \
. '        depth = (x[i] - x[a]) * (y[b] - y[a]) - (y[i] - y[a]) * (x[b] - x[a]);' \
. '        if (depth > deepest) { deepest = depth; best = i } }' \
. '    if (best) text = text "#knee " best_of[best] "\n";' \
. '    ends = 0 }' \
. 'NR == 1 { split($0, head, ","); next }' \
. '{' \
. '    rest = $0; machine = cut(); name = cut(); split(rest, number, ",");' \
. '    cut(); cut(); cut(); machine = machine "," number[1] "," rest;' \
. '    if (NR > 2 && name != last) knee();' \
. '    if (NR == 2 || name != last) {' \
. '        text = text (NR == 2 ? "" : "\n\n") "# " name "\n"; traces++ }' \
. '    last = name; rows++; front += number[3];' \
. '    if (number[3] == 1 && !((machine) in on)) { on[machine]; best++ }' \
. '    text = text number[1] " " number[2] " " number[3] "\n";' \
. '    if (number[3] == 1) note();' \
. '    if (NR == 2) { least = most = number[1]; fast = slow = number[2] }' \
. '    if (number[1] + 0 < least + 0) least = number[1];' \
. '    if (number[1] + 0 > most + 0) most = number[1];' \
. '    if (number[2] + 0 < fast + 0) fast = number[2];' \
. '    if (number[2] + 0 > slow + 0) slow = number[2] }' \
. 'END { if (rows > 0) {' \
. '    knee();' \
. '    print traces, rows / traces, best + 0, least, most, fast, slow, front + 0;' \
. '    print ""; print ""; printf "%s", text } }'
load lines_into("$machines", \
    sprintf("awk %s <%s", shell_word(program), shell_word(CSV)))
if (|$machines| == 0) {
    print "no machine to draw"
    exit status 2
}
number(k) = real(word($machines[1], k))
traces = int(number(1))
machines = int(number(2))
fronts = int(number(3))
smallest = number(4)
largest = number(5)
array TRACE[traces]
t = 0
do for [i = 1:|$machines|] {
    if ($machines[i][1:2] eq "# ") {
        t = t + 1
        TRACE[t] = base_name($machines[i][3:*])
    }
}

SUBTITLE = sprintf("%s%d machine%s, %d on the front%s", \
    traces == 1 ? TRACE[1] . ": " : "", machines, \
    machines == 1 ? "" : "s", fronts, \
    traces == 1 ? "" : " of a trace")
others = machines * traces > int(number(8))
load folder(ARG0) . "heading.gp"
NAMES = "TRACE"
COUNT = traces
ROOM = most_name
load folder(ARG0) . "names.gp"
entries = traces + others
longest = longest < 14 || traces == 1 ? 14 : longest
load folder(ARG0) . "legend.gp"
in_bytes = 1
load folder(ARG0) . "size-axis.gp"
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
    set ytics nice_step(y_most - y_least, high_ems / 2.5)
}
do for [i = 1:|$machines|] {
    if ($machines[i][1:6] eq "#knee ") {
        at = real(word($machines[i], 2))
        room = (right - left) * (1 - (log(at) - log(x_least)) \
            / (log(x_most) - log(x_least))) / (0.58 * em_x) - 2
        set label cut(behind($machines[i], 3), floor(room)) \
            at at,real(word($machines[i], 3)) left boxed front offset 0.7,0.9
    }
}
set style textbox opaque noborder
# A line goes on over the machines that are not on the front.
set datafile missing NaN
set datafile separator whitespace
plot for [t = 1:traces] $machines index t using ($3 == 1 ? $1 : NaN):2 \
        with steps linewidth 2 linecolor rgb colour(t) dashtype dashes(t) \
        title traces == 1 ? "the front" : TRACE[t], \
    for [t = 1:traces] $machines index t using 1:2 \
        with points pointtype 7 pointsize 0.75 * MARK_SIZE linecolor rgb "#888888" \
        title t == traces && others ? "other machines" : "", \
    for [t = 1:traces] $machines index t using ($3 == 1 ? $1 : NaN):2 \
        with points pointtype shape(t) pointsize MARK_SIZE \
        linecolor rgb colour(t) notitle
