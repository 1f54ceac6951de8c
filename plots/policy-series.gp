# policy-series.gp - the series of a table of `margay curve --policy`; loaded by
# the others
#
# They set OUT, CSV and HEADING before, and GAIN: 1 where ratios become shares of the way
# from LRU to the optimum.  This gives
#
#   $rows           a block for each series of "SIZE RATIO", in bytes if all rows
#                   know them; then one for each trace and block size that has
#                   both LRU and the optimum, of "SIZE LRU OPTIMUM"
#   series          how many there are
#   areas           how many blocks of the latter
#   NAME[i] TURN[i] the policy of series i, and which of its specs it is, from 1
#   PLACE[i]        its trace and block size, as a number from 1
#   LABEL[i]        what tells it from the others
#   smallest largest lowest highest   of sizes and ratios
#   in_bytes ROWS[i]
#   add_policy(i)   adds series i to the lines
#   SUBTITLE        what all series have in common

load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# A row ends with the policy, which may be quoted, and has six fields between
# the trace and that.  Where LRU and the optimum are nearly the same, there is
# no way between them.
program = awk_unquoted . 'function base(path) { sub(/.*\//, "", path); return path }' \
. 'function text_of(block) {' \
. '    return block == "" ? "block ids" : block "-byte blocks" }' \
. 'function joined(a, b) { return a == "" ? b : b == "" ? a : a ", " b }' \
. 'function note(y) { if (y > 0 && y < lowest) lowest = y;' \
. '    if (y < least) least = y; if (y > highest) highest = y }' \
. 'NR == 1 { lowest = 1; highest = 0; least = 1; smallest = 1e30; bytes = 1;' \
. '    next }' \
. '{' \
. '    row = $0;' \
. '    cut = match(row, /,"([^"]|"")*"$/) ? RSTART : 0;' \
. '    if (!cut) { match(row, /,[^,]*$/); cut = RSTART }' \
. '    policy = unquoted(substr(row, cut + 1)); row = substr(row, 1, cut - 1);' \
. '    n = split(row, field, ",");' \
. '    trace = row; for (i = 0; i < 6; i++) sub(/,[^,]*$/, "", trace);' \
. '    block = field[n - 5]; place = trace SUBSEP block;' \
. '    if (!(place in places)) { places[place] = ++place_count;' \
. '        trace_of[place_count] = trace; block_of[place_count] = block;' \
. '        if (trace != trace_of[1]) several_traces = 1;' \
. '        if (block != block_of[1]) several_blocks = 1 }' \
. '    place = places[place]; id = place SUBSEP policy;' \
. '    if (!(id in ids)) { ids[id] = ++count; spec[count] = policy;' \
. '        place_of[count] = place }' \
. '    id = ids[id]; at = ++rows[id];' \
. '    blocks[id, at] = field[n - 4]; size[id, at] = field[n - 3];' \
. '    if (field[n - 3] == "") bytes = 0; ratio[id, at] = hit ? 1 - field[n] : field[n] + 0;' \
. '    name = tolower(policy); sub(/:.*/, "", name); name_of[id] = name;' \
. '    if (name == "lru") lru[place] = id;' \
. '    if (name == "opt" && (policy == "opt" || !(place in opt)))' \
. '        opt[place] = id }' \
. 'function x(id, at) { return bytes ? size[id, at] : blocks[id, at] }' \
. 'function y(id, at,   p, way) {' \
. '    if (!gain) return ratio[id, at];' \
. '    p = place_of[id]; way = ratio[lru[p], at] - ratio[opt[p], at];' \
. '    return way < 0.001 ? "NaN" : (ratio[lru[p], at] - ratio[id, at]) / way }' \
. 'END {' \
. '    for (p = 1; p <= place_count; p++)' \
. '        if ((p in lru) && (p in opt)) areas++;' \
. '        else if (gain) exit;' \
. '    for (id = 1; id <= count; id++) for (at = 1; at <= rows[id]; at++) {' \
. '        value = x(id, at); if (value < smallest) smallest = value;' \
. '        if (value > largest) largest = value;' \
. '        value = y(id, at); if (value != "NaN") note(value) }' \
. '    printf "# %d %d %d %.17g %.17g %.17g %.17g %.17g %s\n", count, areas,' \
. '        bytes, smallest, largest, lowest, highest, least,' \
. '        joined(several_traces ? "" : base(unquoted(trace_of[1])),' \
. '        several_blocks || block_of[1] == "" ? "" : text_of(block_of[1]));' \
. '    for (id = 1; id <= count; id++) {' \
. '        turn[place_of[id], name_of[id]]++;' \
. '        p = place_of[id];' \
. '        print "# " (name_of[id] == "" ? "-" : name_of[id]),' \
. '            turn[p, name_of[id]], p, rows[id], (spec[id] == "" ? "-" : spec[id]),' \
. '            joined(several_traces ? base(unquoted(trace_of[p])) : "",' \
. '            several_blocks ? text_of(block_of[p]) : "") }' \
. '    for (id = 1; id <= count; id++) {' \
. '        for (at = 1; at <= rows[id]; at++) print x(id, at), y(id, at);' \
. '        print ""; print "" }' \
. '    for (p = 1; p <= place_count; p++) if ((p in lru) && (p in opt)) {' \
. '        for (at = 1; at <= rows[lru[p]]; at++)' \
. '            print x(lru[p], at), ratio[lru[p], at], ratio[opt[p], at];' \
. '        print ""; print "" } }'

load lines_into("$rows", sprintf("awk -F, -v gain=%d -v hit=%d %s <%s", GAIN, \
    HIT, shell_word(program), shell_word(CSV)))
if (|$rows| == 0) {
    print "--gain needs the policies lru and opt, of each trace and block size"
    exit status 2
}
first = $rows[1]
series = int(word(first, 2))
areas = int(word(first, 3))
in_bytes = int(word(first, 4))
smallest = real(word(first, 5))
largest = real(word(first, 6))
lowest = real(word(first, 7))
highest = real(word(first, 8))
least = real(word(first, 9))
SUBTITLE = behind(first, 9)
array NAME[series]
array TURN[series]
array PLACE[series]
array ROWS[series]
array LABEL[series]
do for [i = 1:series] {
    line = $rows[i + 1]
    NAME[i] = word(line, 2)
    TURN[i] = int(word(line, 3))
    PLACE[i] = int(word(line, 4))
    ROWS[i] = int(word(line, 5))
    place = behind(line, 6)
    LABEL[i] = word(line, 6) . (place eq "" ? "" : ", " . place)
}
set datafile separator whitespace
set datafile missing NaN

# A policy has the same colour, dash and mark in all pictures; LRU and the optimum
# are black.  Other names follow these, in the order in which they come.
names = "lru opt fifo clock sieve s3fifo lfu arc 2q lirs tinylfu random"
values = "#000000 #000000 #d55e00 #e69f00 #009e73 #0072b2 #cc79a7 #56b4e9" \
    . " #8c564b #7b3294 #a6d96a #999999" \
    . " #666666 #44aa99 #aa4499 #999933"
find(name, i) = i > words(names) || word(names, i) eq name ? i : find(name, i + 1)
array KIND[series]
do for [i = 1:series] {
    KIND[i] = find(NAME[i], 1)
    if (KIND[i] > words(names)) { names = names . " " . NAME[i] }
}
colour_of(i) = word(values, KIND[i] <= 12 ? KIND[i] : 13 + (KIND[i] - 13) % 4)
shape_of(i) = int(word("1 2 5 7 9 13 11 15 4 6 8 12", (KIND[i] - 1) % 12 + 1))
is_border(i) = NAME[i] eq "lru" || NAME[i] eq "opt"
# Of one policy, dashes tell traces and parameters from each other.
dashes_of(i) = (KIND[i] + TURN[i] + PLACE[i] - 3) % 5 + 1
add_policy(i) = (add_line(sprintf("$rows index %d", i - 1), 0, ROWS[i] - 1, \
    "$1", "$2", LABEL[i]), look(colour_of(i), \
    sprintf("%d", dashes_of(i)), is_border(i) ? 2.8 : width(i, series), \
    is_border(i) ? 0 : shape_of(i)))

load folder(ARG0) . "heading.gp"
most_lines = series
load folder(ARG0) . "lines.gp"
