# policy-series.gp - the series of a table of `margay curve --policy`; loaded by
# the others
#
# They set HEADING before, and GAIN: 1 where ratios become shares of the way from LRU
# to the optimum.  This gives
#
#   $lines          a block for each series of "SIZE RATIO", in bytes if all rows
#                   know them; then one for each trace, block size and tenant that
#                   has both LRU and the optimum, of "SIZE LRU OPTIMUM"
#   series areas    how many there are of each
#   NAME[i] TURN[i] the policy of series i, and which of its specs it is, from 1
#   PLACE[i]        its trace, block size and tenant, as a number from 1
#   LABEL[i]        its difference from the others
#   smallest largest lowest highest   of sizes and ratios
#   in_bytes ROWS[i]
#   add_policy(i)   adds series i to the lines
#   SUBTITLE        what all series have in common

# "# SERIES BYTES SUBTITLE", and the blocks below "# NAME TURN PLACE LABEL" and
# "# area".  Where LRU and the optimum are nearly the same, there is no way between
# them.
program = '{' \
. '    place = of("trace") FS of("block_bytes") FS of("tenant"); policy = of("policy");' \
. '    if (NR == 2) { bytes = 1; split(place, same, FS) }' \
. '    if (!(place in places)) { places[place] = ++place_count;' \
. '        n = split(place, part, FS);' \
. '        for (i = 1; i <= 3; i++) { parts[place_count, i] = part[i];' \
. '            if (part[i] != same[i]) several[i] = 1 } }' \
. '    place = places[place]; id = place FS policy;' \
. '    if (!(id in ids)) { ids[id] = ++count; spec[count] = policy;' \
. '        place_of[count] = place }' \
. '    id = ids[id]; k = ++rows[id]; if (of("cache_bytes") == "") bytes = 0;' \
. '    blocks[id, k] = of("cache_blocks"); size[id, k] = of("cache_bytes");' \
. '    ratio[id, k] = hit ? 1 - of("miss_ratio") : of("miss_ratio") + 0;' \
. '    kind = tolower(policy); sub(/:.*/, "", kind); kind_of[id] = kind;' \
. '    if (kind == "lru") lru[place] = id;' \
. '    if (kind == "opt" && (policy == "opt" || !(place in opt))) opt[place] = id }' \
. 'function x(id, k) { return bytes ? size[id, k] : blocks[id, k] }' \
. 'function y(id, k,   p, way) {' \
. '    if (!gain) return ratio[id, k];' \
. '    p = place_of[id]; way = ratio[lru[p], k] - ratio[opt[p], k];' \
. '    return way < 0.001 ? "NaN" : (ratio[lru[p], k] - ratio[id, k]) / way }' \
. 'function label(p, those) {' \
. '    return joined(joined(several[3] == those ? parts[p, 3] : "",' \
. '        several[1] == those ? base(parts[p, 1]) : ""),' \
. '        several[2] != those ? "" : those && parts[p, 2] == "" ? "block ids" :' \
. '        block_text(parts[p, 2])) }' \
. 'END {' \
. '    for (p = 1; p <= place_count; p++)' \
. '        if (gain && !((p in lru) && (p in opt))) exit;' \
. '    print "#", count, bytes, label(1, 0);' \
. '    for (id = 1; id <= count; id++) {' \
. '        p = place_of[id]; kind = kind_of[id] == "" ? "-" : kind_of[id];' \
. '        print "#", kind, ++turn[p, kind], p, joined(spec[id], label(p, 1));' \
. '        for (k = 1; k <= rows[id]; k++) print x(id, k), y(id, k);' \
. '        print ""; print "" }' \
. '    for (p = 1; !gain && p <= place_count; p++) if ((p in lru) && (p in opt)) {' \
. '        print "# area";' \
. '        for (k = 1; k <= rows[lru[p]]; k++)' \
. '            print x(lru[p], k), ratio[lru[p], k], ratio[opt[p], k];' \
. '        print ""; print "" } }'
no_rows = "--gain needs the policies lru and opt, of each trace and block size"
program = sprintf("BEGIN { gain = %d }", GAIN) . program
load HERE . "blocks.gp"
series = int(word($lines[1], 2))
areas = blocks - series
in_bytes = int(word($lines[1], 3))
SUBTITLE = after($lines[1], 3)
stats $lines using 1 nooutput
smallest = STATS_min
largest = STATS_max
stats $lines using (note_ratio($2), $2) nooutput
least = exists("STATS_min") ? STATS_min : 0
array NAME[series]
array TURN[series]
array PLACE[series]
array LABEL[series]
do for [i = 1:series] {
    NAME[i] = word(HEAD[i], 1)
    TURN[i] = int(word(HEAD[i], 2))
    PLACE[i] = int(word(HEAD[i], 3))
    LABEL[i] = after(HEAD[i], 3)
}

# A policy has the same colour, dash and mark in all pictures, and further specs of it
# have other colours; LRU and the optimum are black.  Other names follow these, in the order in which they come.
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
is_further(i) = TURN[i] > 1 && !is_border(i)
colour_of(i) = word(values, is_further(i) ? 13 + (KIND[i] + TURN[i] - 3) % 4 \
    : KIND[i] <= 12 ? KIND[i] : 13 + (KIND[i] - 13) % 4)
shape_of(i) = int(word("1 2 5 7 9 13 11 15 4 6 8 12", (KIND[i] - 1) % 12 + 1))
is_border(i) = NAME[i] eq "lru" || NAME[i] eq "opt"
# Of one policy, dashes distinguish traces and parameters.
dashes_of(i) = (KIND[i] + TURN[i] + PLACE[i] - 3) % 5 + 1
add_policy(i) = (add_line(sprintf("$lines index %d", i - 1), 0, ROWS[i] - 1, \
    "$1", "$2", LABEL[i]), look(colour_of(i), \
    sprintf("%d", dashes_of(i)), is_border(i) ? 2.8 : width(i, series), \
    is_border(i) ? 0 : shape_of(i)))

load HERE . "heading.gp"
most_lines = series
load HERE . "lines.gp"
