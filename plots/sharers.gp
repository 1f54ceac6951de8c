# sharers.gp - who misses in a cache that several share, from a table of
# `margay share`, or of curve with --tenant
#
#     gnuplot -c sharers.gp OUT.png|svg|pdf|eps|tex SHARE.csv
#
# Two lines for each program or tenant: its misses in the shared cache and,
# dashed, in its part of the cache (share) or in one of its own (curve).  The
# eight with most references are drawn, and in black all together.  What was
# measured is steps, as in curve.gp, and what share estimates is not.  Objects
# have dashed lines alone.  Of several traces or block sizes the first is drawn.

OUT = ARG1
CSV = ARG2
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# The first line: how many are drawn, how many there are, whether sizes are
# bytes, whether the cache is divided (2: and nothing else is known), the rows
# of each, least and largest size, lowest and highest ratio, the trace.  Then the name of each; and a block for
# each of "SIZE SHARED APART".
program = 'function cut(line,   i, c, quoted, n) {' \
. '    split("", f); n = 1;' \
. '    if (line !~ /"/) return split(line, f, ",");' \
. '    for (i = 1; i <= length(line); i++) {' \
. '        c = substr(line, i, 1);' \
. '        if (c == "\"") { if (quoted && substr(line, i + 1, 1) == c)' \
. '            { f[n] = f[n] c; i++ } else quoted = !quoted }' \
. '        else if (c == "," && !quoted) n++; else f[n] = f[n] c }' \
. '    return n }' \
. 'function base(path) { sub(/.*\//, "", path); return path }' \
. 'function ratio(misses, all) {' \
. '    if (misses == "") return "NaN";' \
. '    misses = all ? misses / all : 0; misses = hit ? 1 - misses : misses;' \
. '    if (misses > 0 && misses < lowest) lowest = misses;' \
. '    if (misses > highest) highest = misses; return misses }' \
. 'NR == 1 { divides = ($1 == "cache_blocks") * (1 + ($8 ~ /^partition_bytes/)); lowest = 1; bytes = 1; next }' \
. '{ cut($0);' \
. '    if (divides) { b = f[1]; s = f[2]; who = f[3]; all = f[4]; m = f[5]; o = f[7] }' \
. '    else { place = f[1] SUBSEP f[2]; if (NR == 2) { only = place;' \
. '        about = base(f[1]) (f[2] == "" ? "" : ", " f[2] "-byte blocks") }' \
. '        if (place != only) next;' \
. '        b = f[3]; s = f[4]; who = f[8]; all = f[5]; m = f[9]; o = f[6] }' \
. '    if (!(who in id)) { id[who] = ++count; name[count] = who;' \
. '        refs[count] = all; total += all }' \
. '    i = id[who]; at = ++rows[i]; blocks[at] = b; size[at] = s;' \
. '    if (s == "") bytes = 0;' \
. '    shared[i, at] = m; apart[i, at] = o; if (m != "") sum[at] += m; parts[at] += o }' \
. 'END { if (!count) exit;' \
. '    for (i = 1; i <= count; i++) order[i] = i;' \
. '    for (i = 2; i <= count; i++)' \
. '        for (j = i; j > 1 && refs[order[j - 1]] < refs[order[j]]; j--)' \
. '            { k = order[j]; order[j] = order[j - 1]; order[j - 1] = k }' \
. '    drawn = count > 8 ? 8 : count; n = rows[1];' \
. '    for (k = 1; k <= drawn; k++) for (at = 1; at <= n; at++) {' \
. '        i = order[k]; a[k, at] = ratio(shared[i, at], refs[i]);' \
. '        d[k, at] = ratio(apart[i, at], refs[i]) }' \
. '    for (at = 1; at <= n; at++) { a[0, at] = ratio(sum[at], total);' \
. '        d[0, at] = divides ? ratio(parts[at], total) : 0;' \
. '        x[at] = bytes ? size[at] : blocks[at] }' \
. '    print drawn, count, bytes, divides, n, x[1], x[n], lowest, highest + 0,' \
. '        about;' \
. '    for (k = 1; k <= drawn; k++)' \
. '        print divides ? base(name[order[k]]) : name[order[k]];' \
. '    for (k = 0; k <= drawn; k++) {' \
. '        for (at = 1; at <= n; at++) print x[at], a[k, at], d[k, at];' \
. '        print ""; print "" } }'

text = system(sprintf("awk -F, -v hit=%d %s <%s", HIT, shell_word(program), \
    shell_word(CSV)))
if (text eq "") {
    print "no rows: there is nothing to plot"
    exit status 2
}
end_of(text) = strstrt(text, "\n") == 0 ? strlen(text) + 1 : strstrt(text, "\n")
first = text[1:end_of(text) - 1]
text = text[end_of(text) + 1:*]
drawn = int(word(first, 1))
count = int(word(first, 2))
in_bytes = int(word(first, 3))
divides = int(word(first, 4))
rows = int(word(first, 5))
smallest = real(word(first, 6))
largest = real(word(first, 7))
lowest = real(word(first, 8))
highest = real(word(first, 9))
about = behind(first, 9)
array NAME[drawn]
do for [i = 1:drawn] {
    NAME[i] = text[1:end_of(text) - 1]
    text = text[end_of(text) + 1:*]
}
set print $rows
print text
unset print
set datafile separator whitespace

HEADING = sprintf("%s in a cache that %s share", HIT ? "Hits" : "Misses", \
    divides ? "programs" : "tenants")
SUBTITLE = sprintf("%s%sdashed: %s", about, about eq "" ? "" : "; ", \
    divides ? "in parts of the cache, divided best" : "in a cache of its own") \
    . (drawn < count ? sprintf("; the %d of %d with most references", drawn, \
    count) : "")
load folder(ARG0) . "heading.gp"
most_lines = 2 * drawn + 2
load folder(ARG0) . "lines.gp"
do for [i = 0:drawn] {
    do for [apart = (divides == 2):(i > 0 || divides)] {
        line = add_line(sprintf("$rows index %d", i), 0, rows - 1, "$1", \
            apart ? "$3" : "$2", (i == 0 ? "all" : NAME[i]) \
            . (apart ? (divides ? ", divided" : ", alone") : ""))
        line = look(i == 0 ? "#000000" : colour((i - 1) % 6 + 1), \
            apart ? "2" : "1", i == 0 ? 2.6 : 1.6, i == 0 ? 0 : shape(i + (i > 6)))
    }
}
load folder(ARG0) . "end-lines.gp"
load folder(ARG0) . "size-axis.gp"
steep = highest > 50 * lowest
load folder(ARG0) . "ratio-axis.gp"

command = "plot "
STEPS = !divides
load folder(ARG0) . "draw-lines.gp"
