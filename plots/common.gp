# common.gp - what all our pictures share; loaded by the others
#
# They set ASCENDING (the column that ascends within a series) and perhaps MINOR
# (one that ascends while it stays) before.
# The rows of a series, one trace at one block size, follow each other; here
# they are found:
#
#   series          how many there are
#   FILE[i]         what to read series i from
#   FIRST[i] LAST[i]  its rows, from 0, for "every ::FIRST::LAST"
#   TRACE[i] BLOCK[i] its trace and block size ("" = unknown), as text
#   POLICY[i]       the spec of its policy, and TENANT[i] ("" = the table has none)
#   LABEL[i]        its difference from the others
#   lowest highest smallest largest   ratios and sizes of curves, these in_bytes
#   steep_count     how many fall far
#   SUBTITLE        what they have in common
#   most_tics       for which there is room on the lower axis

# --------------------------------------------------------------- series --

# A minor column has less than 100 values.
if (!exists("MINOR")) { MINOR = 0 }

# Rows of one policy and tenant, by their number.
of_row = awk_table . '{ who = of("policy") FS of("tenant");' \
. '    if (!(who in number_of)) number_of[who] = ++whos; p = number_of[who] }'
# Three lines for each series of a table: "NUMBER FILE FIRST LAST BLOCK POLICY", what
# is empty as "-", the lowest ratio above 0, the highest, and the first and the last
# size of a curve, in bytes and in blocks, with a point, as whole numbers end at
# 2^63; "= TENANT"; and "= TRACE".  Rows are counted among those of the same number.
# A series begins where the trace or the block size changes, or where the ascending
# column does not ascend; an infinite distance ends the numbers that ascend.
program = of_row . 'function number(text) { return text == "inf" ? 1e30 : text + 0 }' \
. 'function shown(text) { return text == "" ? "-" : text }' \
. 'function tell(p) {' \
. '    if (p in row) print p, file, begin[p] + 0, row[p] - 1, shown(block[p]),' \
. '        shown(policy[p]), low[p], high[p], bytes[p], blocks[p]' \
. '        "\n=" tenant[p] "\n=" trace[p];' \
. '    begin[p] = row[p] }' \
. 'function size(column) { return of(column) == "" ? "-" : of(column) "." }' \
. 'function sizes(first, column) {' \
. '    sub(/ .*/, "", first);' \
. '    return first " " size(column) }' \
. '{' \
. '    value = number($ascending) + 0.01 * (minor ? $minor : 0);' \
. '    ratio = hit ? 1 - of("miss_ratio") : of("miss_ratio") + 0;' \
. '    if (!(p in row) || $1 != trace[p] || $2 != block[p] || value <= last[p]) {' \
. '        tell(p); low[p] = 1; high[p] = 0;' \
. '        bytes[p] = size("cache_bytes"); blocks[p] = size("cache_blocks") }' \
. '    bytes[p] = sizes(bytes[p], "cache_bytes");' \
. '    blocks[p] = sizes(blocks[p], "cache_blocks");' \
. '    if (ratio > high[p]) high[p] = ratio;' \
. '    if (ratio > 0 && ratio < low[p]) low[p] = ratio;' \
. '    trace[p] = $1; block[p] = $2; last[p] = value; row[p]++;' \
. '    policy[p] = of("policy"); tenant[p] = of("tenant") }' \
. 'END { for (p = 1; p <= whos; p++) tell(p) }'
series_of(f) = sprintf("awk -v file=%d -v hit=%d -v ascending=%d -v minor=%d %s <%s", \
    f, HIT, ASCENDING, MINOR, shell_word(program), shell_word(CSV[f]))
# To read the header and the rows of one number.
only = 'NR == 1 { print }' . of_row . 'p == only { print line }'
rows_of(number, file) = sprintf("< awk -v only=%d %s <%s", number, \
    shell_word(only), shell_word(file))

text = ""
do for [f = 1:|CSV|] { text = text . "; " . series_of(f) }
load lines_into("$series", text[3:*])
series = |$series| / 3
if (series == 0) {
    print "no rows: there is nothing to plot"
    exit status 2
}

array FILE[series]
array TABLE[series]
array FIRST[series]
array LAST[series]
array TRACE[series]
array BLOCK[series]
array POLICY[series]
array TENANT[series]
array LABEL[series]
several_whos = 0
steep_count = 0
in_bytes = 1
number(k) = word(about, k) eq "-" ? NaN : real(word(about, k))
known(text) = text eq "-" ? "" : text
do for [i = 1:series] {
    about = $series[3 * i - 2]
    several_whos = several_whos || int(word(about, 1)) > 1
    TABLE[i] = int(word(about, 2))
    FILE[i] = CSV[TABLE[i]]
    FIRST[i] = int(word(about, 3))
    LAST[i] = int(word(about, 4))
    BLOCK[i] = known(word(about, 5))
    POLICY[i] = known(word(about, 6))
    steep_count = steep_count + (number(8) > 50 * number(7))
    in_bytes = in_bytes && word(about, 9) ne "-"
    TENANT[i] = $series[3 * i - 1][2:*]
    TRACE[i] = $series[3 * i][2:*]
}

do for [i = 1:series] {
    about = $series[3 * i - 2]
    noted = (number(8) > 0 ? note_ratio(number(7)) + note_ratio(number(8)) : 0) \
        + note_size(number(in_bytes ? 9 : 11)) + note_size(number(in_bytes ? 10 : 12))
}

# --------------------------------------------------------------- labels --

block_text(text) = text eq "" ? "block ids" : text . "-byte blocks"
joined(a, b) = a eq "" ? b : b eq "" ? a : a . ", " . b

# The differences: traces, block sizes, policies, tenants; if these are not enough,
# the whole name of a trace, and after that the CSV file.
several_traces = 0
several_blocks = 0
several_policies = 0
several_tenants = 0
do for [i = 2:series] {
    if (TRACE[i] ne TRACE[1]) { several_traces = 1 }
    if (BLOCK[i] ne BLOCK[1]) { several_blocks = 1 }
    if (POLICY[i] ne POLICY[1]) { several_policies = 1 }
    if (TENANT[i] ne TENANT[1]) { several_tenants = 1 }
}
do for [detail = 0:2] {
    same = 0
    seen = "\n"
    do for [i = 1:series] {
        trace = detail == 0 ? base_name(TRACE[i]) : TRACE[i]
        LABEL[i] = joined(several_traces ? trace : "", \
                          several_blocks ? block_text(BLOCK[i]) : "")
        if (several_tenants) { LABEL[i] = joined(TENANT[i], LABEL[i]) }
        if (several_policies) { LABEL[i] = joined(POLICY[i], LABEL[i]) }
        if (detail == 2) { LABEL[i] = joined(LABEL[i], base_name(SHOWN[TABLE[i]])) }
        same = same || strstrt(seen, "\n" . LABEL[i] . "\n") > 0
        seen = seen . LABEL[i] . "\n"
    }
    if (!same) { break }
}
SUBTITLE = joined(several_traces ? "" : base_name(TRACE[1]), \
                  several_blocks || BLOCK[1] eq "" ? "" : block_text(BLOCK[1]))
if (!several_policies && POLICY[1] ne "lru") {
    SUBTITLE = joined(SUBTITLE, POLICY[1])
}
if (!several_tenants) { SUBTITLE = joined(SUBTITLE, TENANT[1]) }
if (several_whos) {
    do for [i = 1:series] {
        FILE[i] = rows_of(int(word($series[3 * i - 2], 1)), FILE[i])
    }
}

# A legend takes some of the room.
NAMES = "LABEL"
COUNT = series
ROOM = most_name
load HERE . "names.gp"
entries = series
most_tics = room_for_tics(right - left)
if (series > 1) {
    load HERE . "legend.gp"
} else {
    unset key
}
