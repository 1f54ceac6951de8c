# common.gp - what all our pictures share; loaded by the others
#
# They set OUT (the picture), CSV (an array of files), ASCENDING (the column that
# ascends within a series) and perhaps MINOR (one that ascends while it stays)
# before.
# The rows of a series, one trace at one block size, follow each other; here
# they are found:
#
#   series          how many there are
#   FILE[i]         what to read series i from
#   FIRST[i] LAST[i]  its rows, from 0, for "every ::FIRST::LAST"
#   TRACE[i] BLOCK[i] its trace and block size ("" = unknown), as text
#   POLICY[i]       the spec of its policy ("" = the table has none)
#   LABEL[i]        what tells it from the others
#   SUBTITLE        what they have in common
#   most_tics       for which there is room on the lower axis

load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# --------------------------------------------------------------- series --

# A minor column has less than 100 values.
if (!exists("MINOR")) { MINOR = 0 }

# The policy of a row is its last field, if the header says so.
of_row = 'function policy() {' \
. '    text = substr($0, match($0, /,("[^"]*"|[^,]*)$/) + 1);' \
. '    gsub(/"/, "", text); return text }'

# "FILE FIRST LAST BLOCK POLICY TRACE" for each series of a table, a block without
# a size and no policy as "-".  Rows are counted among those of the same policy.  A
# series begins where the trace or the block size changes, or where the
# ascending column does not ascend; an infinite distance ends the numbers that
# ascend.  The name of a trace may hold anything, so the other fields are
# counted from the end of a row, where the spec of a policy may hold commas.
program = of_row . awk_unquoted . 'function field(i) { return $(NF - columns + i) }' \
. 'function number(text) { return text == "inf" ? 1e30 : text + 0 }' \
. 'function tell(p) {' \
. '    if (row[p] > 0) print file, first[p] + 0, row[p] - 1,' \
. '        (block[p] == "" ? "-" : block[p]), p, unquoted(trace[p]);' \
. '    first[p] = row[p] }' \
. 'NR == 1 { columns = NF; has_policy = $NF == "policy"; p = "-"; next }' \
. 'has_policy { p = policy(); sub(/,"[^"]*"$/, ",-") }' \
. 'NF < columns { next }' \
. '{' \
. '    value = number(field(ascending)) + 0.01 * (minor ? field(minor) : 0);' \
. '    others = columns - 1;' \
. '    for (i = 2; i <= columns; i++) others += length(field(i));' \
. '    name = substr($0, 1, length($0) - others);' \
. '    if (!(p in row)) { specs[++spec_count] = p; row[p] = 0 }' \
. '    if (row[p] == 0 || name != trace[p] || field(2) != block[p] ||' \
. '        value <= last[p]) tell(p);' \
. '    trace[p] = name; block[p] = field(2); last[p] = value; row[p]++ }' \
. 'END { for (k = 1; k <= spec_count; k++) tell(specs[k]) }'
series_of(f) = sprintf("awk -F, -v file=%d -v ascending=%d -v minor=%d %s <%s", \
    f, ASCENDING, MINOR, shell_word(program), shell_word(CSV[f]))
# To read the header and the rows of one policy.
only = of_row . 'NR == 1 || policy() == only'
rows_of(spec, file) = sprintf("< awk -F, -v only=%s %s <%s", \
    shell_word(spec), shell_word(only), shell_word(file))

text = ""
do for [f = 1:|CSV|] { text = text . "; " . series_of(f) }
load lines_into("$series", text[3:*])
series = |$series|
if (series == 0) {
    print "no rows: there is nothing to plot"
    exit status 2
}

array FILE[series]
array FIRST[series]
array LAST[series]
array TRACE[series]
array BLOCK[series]
array POLICY[series]
array LABEL[series]
do for [i = 1:series] {
    FILE[i] = CSV[int(word($series[i], 1))]
    FIRST[i] = int(word($series[i], 2))
    LAST[i] = int(word($series[i], 3))
    block = word($series[i], 4)
    spec = word($series[i], 5)
    TRACE[i] = behind($series[i], 5)
    BLOCK[i] = block eq "-" ? "" : block
    POLICY[i] = spec eq "-" ? "" : spec
}

# --------------------------------------------------------------- labels --

block_text(text) = text eq "" ? "block ids" : text . "-byte blocks"
joined(a, b) = a eq "" ? b : b eq "" ? a : a . ", " . b

# What differs: traces, block sizes, policies; if that does not tell all series
# apart, the whole name of a trace, and after that the CSV file.
several_traces = 0
several_blocks = 0
several_policies = 0
do for [i = 2:series] {
    if (TRACE[i] ne TRACE[1]) { several_traces = 1 }
    if (BLOCK[i] ne BLOCK[1]) { several_blocks = 1 }
    if (POLICY[i] ne POLICY[1]) { several_policies = 1 }
}
do for [detail = 0:2] {
    same = 0
    seen = "\n"
    do for [i = 1:series] {
        trace = detail == 0 ? base_name(TRACE[i]) : TRACE[i]
        LABEL[i] = joined(several_traces ? trace : "", \
                          several_blocks ? block_text(BLOCK[i]) : "")
        if (several_policies) { LABEL[i] = joined(POLICY[i], LABEL[i]) }
        if (detail == 2) { LABEL[i] = joined(LABEL[i], base_name(FILE[i])) }
        same = same || strstrt(seen, "\n" . LABEL[i] . "\n") > 0
        seen = seen . LABEL[i] . "\n"
    }
    if (!same) { break }
}
SUBTITLE = joined(several_traces ? "" : base_name(TRACE[1]), \
                  several_blocks || BLOCK[1] eq "" ? "" : block_text(BLOCK[1]))
if (several_policies) {
    do for [i = 1:series] {
        if (POLICY[i] ne "") { FILE[i] = rows_of(POLICY[i], FILE[i]) }
    }
} else { if (POLICY[1] ne "lru") {
    SUBTITLE = joined(SUBTITLE, POLICY[1])
}}

# A legend takes some of the room.
NAMES = "LABEL"
COUNT = series
ROOM = most_name
load folder(ARG0) . "names.gp"
entries = series
most_tics = room_for_tics(right - left)
if (series > 1) {
    load folder(ARG0) . "legend.gp"
} else {
    unset key
}
