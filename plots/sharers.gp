# sharers.gp - who misses in a cache that several share, from a table of
# `margay share`, or of curve with --tenant
#
# Two lines for each program or tenant: its misses in the shared cache and,
# dashed, in its part of the cache (share) or in one of its own (curve).  The
# eight with most references are drawn, and in black all together.  What was
# measured is steps, as in curve.gp, and what share estimates is not.  Objects
# have dashed lines alone.  Of several traces or block sizes the first is drawn.

# "# COUNT BYTES DIVIDES SMALLEST LARGEST TRACE": how many there are; whether sizes
# are bytes; whether the cache is divided (2: and nothing else is known).  Then a
# block of "SIZE SHARED APART" for all together, and one for each that is drawn.
program = 'function ratio(misses, all) {' \
. '    if (misses == "") return "NaN";' \
. '    misses = all ? misses / all : 0; return hit ? 1 - misses : misses }' \
. 'NR == 2 { bytes = 1; divides = ("program" in column_of) *' \
. '    (1 + ("partition_bytes" in column_of)); only = of("trace") FS of("block_bytes");' \
. '    about = joined(base(of("trace")), block_text(of("block_bytes"))) }' \
. 'of("trace") FS of("block_bytes") == only {' \
. '    who = of(divides ? "program" : "tenant");' \
. '    if (!(who in refs)) { order[++count] = who; refs[who] = of("references");' \
. '        total += refs[who] }' \
. '    k = ++rows[who]; blocks[k] = of("cache_blocks"); size[k] = of("cache_bytes");' \
. '    if (size[k] == "") bytes = 0;' \
. '    m = shared[who, k] = of("shared_misses"); if (m != "") sum[k] += m;' \
. '    parts[k] += apart[who, k] = of(divides ? "partition_misses" : "misses") }' \
. 'function x(k) { return bytes ? size[k] : blocks[k] }' \
. 'END { if (!count) exit;' \
. '    sort(order, count, refs); n = rows[order[1]];' \
. '    print "#", count, bytes, divides, x(1), x(n), about; print "# all";' \
. '    for (k = 1; k <= n; k++) print x(k), ratio(sum[k], total),' \
. '        divides ? ratio(parts[k], total) : 0;' \
. '    for (i = 1; i <= count && i <= 8; i++) {' \
. '        print "\n\n# " (divides ? base(order[i]) : order[i]); who = order[i];' \
. '        for (k = 1; k <= n; k++) print x(k), ratio(shared[who, k], refs[who]),' \
. '            ratio(apart[who, k], refs[who]) } }'
load HERE . "blocks.gp"
drawn = blocks - 1
count = int(word($lines[1], 2))
in_bytes = int(word($lines[1], 3))
divides = int(word($lines[1], 4))
smallest = real(word($lines[1], 5))
largest = real(word($lines[1], 6))
about = after($lines[1], 6)
stats $lines using (note_ratio($2)) nooutput
stats $lines using (note_ratio($3)) nooutput

HEADING = sprintf("%s in a cache that %s share", HIT ? "Hits" : "Misses", \
    divides ? "programs" : "tenants")
SUBTITLE = sprintf("%s%sdashed: %s", about, about eq "" ? "" : "; ", \
    divides ? "in parts of the cache, divided best" : "in a cache of its own") \
    . (drawn < count ? sprintf("; the %d of %d with most references", drawn, \
    count) : "")
load HERE . "heading.gp"
most_lines = 2 * drawn + 2
load HERE . "lines.gp"
do for [i = 0:drawn] {
    do for [apart = (divides == 2):(i > 0 || divides)] {
        line = add_line(sprintf("$lines index %d", i), 0, ROWS[i + 1] - 1, "$1", \
            apart ? "$3" : "$2", HEAD[i + 1] \
            . (apart ? (divides ? ", divided" : ", alone") : ""))
        line = look(i == 0 ? "#000000" : colour((i - 1) % 6 + 1), \
            apart ? "2" : "1", i == 0 ? 2.6 : 1.6, i == 0 ? 0 : shape(i + (i > 6)))
    }
}
load HERE . "end-lines.gp"
load HERE . "size-axis.gp"
steep = highest > 50 * lowest
load HERE . "ratio-axis.gp"

command = "plot "
STEPS = !divides
load HERE . "draw-lines.gp"
