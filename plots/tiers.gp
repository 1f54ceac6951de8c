# tiers.gp - what tiers of caches hit, from a table of margay curve --tiers
#
# A bar for each split, cut up among its tiers from below, as high as the hits of all:
# shares of tokens where these are known, else of references.  Below a bar stand
# the sizes of the tiers that have several; one that has a single size has it in
# the legend.

# "# TRACES BARS LONGEST KNOWN TRACE NAME...", whose blanks are "_"; then a block
# for each tier, of "BAR FROM TO".
program = '{' \
. '    traces[of("trace") FS of("block_bytes")];' \
. '    tier = of("tier") + 0; if (tier == 1) { bars++; top = 0 }' \
. '    size = of("cache_bytes") == "" ? of("cache_blocks") " blocks"' \
. '        : size_text(of("cache_bytes"), "B");' \
. '    if (tier in first && first[tier] != size) varied[tier]; else first[tier] = size;' \
. '    sizes[tier, bars] = size; count = tier > count ? tier : count;' \
. '    known = of("request_tokens") > 0; trace = base(of("trace"));' \
. '    part = known ? of("hit_tokens") / of("request_tokens") : of("hit_ratio");' \
. '    from[tier, bars] = top; top += part; to[tier, bars] = top }' \
. 'END {' \
. '    if (bars == 0) exit;' \
. '    for (k in traces) several++;' \
. '    for (k = 1; k <= bars; k++) {' \
. '        for (t = 1; t <= count; t++)' \
. '            if (t in varied) name[k] = name[k] (name[k] == "" ? "" : " + ") sizes[t, k];' \
. '        if (name[k] == "") name[k] = " ";' \
. '        longest = length(name[k]) > longest ? length(name[k]) : longest;' \
. '        gsub(/ /, "_", name[k]) }' \
. '    gsub(/ /, "_", trace);' \
. '    printf "# %d %d %d %d %s", several, bars, longest, known, trace;' \
. '    for (k = 1; k <= bars; k++) printf " %s", name[k];' \
. '    print "";' \
. '    for (t = 1; t <= count; t++) {' \
. '        print "# tier " t (t in varied ? "" : ", " first[t]);' \
. '        for (k = 1; k <= bars; k++) print k, from[t, k], to[t, k];' \
. '        print ""; print "" } }'
load HERE . "blocks.gp"
traces = int(word($lines[1], 2))
bars = int(word($lines[1], 3))
longest_name = int(word($lines[1], 4))
if (traces > 1) {
    print sprintf("%d traces or block sizes, expected one", traces)
    exit status 2
}
stats $lines using (note_ratio($3)) nooutput

SUBTITLE = replaced(word($lines[1], 6), "_", " ")
HEADING = "Hits of tiers, by their sizes"
load HERE . "heading.gp"
room = (right - left - 16 * em_x) / bars
every = 1 + int(1.3 * em_x / room)
set xtics () scale 0
if (0.6 * (longest_name + 1) * em_x > room) {
    set xtics rotate by 90 right
    set bmargin at screen (0.6 * longest_name * em_x * WIDTH / HEIGHT + 3 * em_y)
}
do for [i = 1:bars:every] {
    set xtics add (replaced(word($lines[1], 6 + i), "_", " ") i)
}
set xlabel "sizes of the tiers" offset 0,0.2
set ylabel int(word($lines[1], 5)) ? "share of tokens that hit" : "hit ratio" \
    offset 0.5,0
set xrange [0.4:bars + 0.6]
set yrange [0:highest == 0 ? 1 : 1.08 * highest]
set ytics step_up(highest == 0 ? 1 : highest)
set key invert
load HERE . "parts.gp"
