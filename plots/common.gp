# common.gp - what all our pictures share; loaded by the others
#
# They set OUT (the picture), CSV (an array of files), ASCENDING (the column that
# ascends within a series), perhaps MINOR (one that ascends while it stays) and
# HEADING before.
# The rows of a series, one trace at one block size, follow each other; here
# they are found:
#
#   series          how many there are
#   FILE[i]         the file that series i is in
#   FIRST[i] LAST[i]  its rows, from 0, for "every ::FIRST::LAST"
#   TRACE[i] BLOCK[i] its trace and block size ("" = unknown), as text
#   LABEL[i]        what tells it from the others
#   COMMON          what they have in common, for the title

load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# --------------------------------------------------------------- series --

# A minor column has less than 100 values.
if (!exists("MINOR")) { MINOR = 0 }

# "FIRST LAST BLOCK TRACE" for each series of a table, a block without a size as
# "-".  A series begins where the trace or the block size changes, or where the
# ascending column does not ascend; an infinite distance ends the numbers that
# ascend.  The name of a trace may hold anything, so the other fields are
# counted from the end of a row, where the spec of a policy may hold commas.
program = 'function field(i) { return $(NF - columns + i) }' \
. 'function number(text) { return text == "inf" ? 1e30 : text + 0 }' \
. 'function plain(text) {' \
. '    if (text !~ /^".*"$/) return text;' \
. '    text = substr(text, 2, length(text) - 2);' \
. '    gsub(/""/, "\"", text); return text }' \
. 'function tell() {' \
. '    if (row > 0) print first + 0, row - 1, (block == "" ? "-" : block),' \
. '        plain(trace); first = row }' \
. 'NR == 1 { columns = NF; policy = $NF == "policy"; next }' \
. 'policy && match($0, /,"[^"]*"$/) { $0 = substr($0, 1, RSTART) "-" }' \
. 'NF < columns { next }' \
. '{' \
. '    value = number(field(ascending)) + 0.01 * (minor ? field(minor) : 0);' \
. '    others = columns - 1;' \
. '    for (i = 2; i <= columns; i++) others += length(field(i));' \
. '    name = substr($0, 1, length($0) - others);' \
. '    if (row == 0 || name != trace || field(2) != block || value <= last)' \
. '        tell();' \
. '    trace = name; block = field(2); last = value; row++ }' \
. 'END { tell() }'
series_of(file) = system(sprintf("awk -F, -v ascending=%d -v minor=%d %s <%s", \
    ASCENDING, MINOR, shell_word(program), shell_word(file)))

array COUNT[|CSV|]
set print $series
do for [f = 1:|CSV|] {
    text = series_of(CSV[f])
    if (text ne "") { print text }
    COUNT[f] = |$series|
}
unset print
series = |$series|
if (series == 0) {
    print sprintf("%s: no rows: there is nothing to plot", CSV[1])
    exit status 2
}

array FILE[series]
array FIRST[series]
array LAST[series]
array TRACE[series]
array BLOCK[series]
array LABEL[series]
f = 1
do for [i = 1:series] {
    while (i > COUNT[f]) { f = f + 1 }
    FILE[i] = CSV[f]
    FIRST[i] = int(word($series[i], 1))
    LAST[i] = int(word($series[i], 2))
    block = word($series[i], 3)
    before = strlen(sprintf("%d %d %s ", FIRST[i], LAST[i], block))
    text = $series[i]
    TRACE[i] = text[before + 1:*]
    BLOCK[i] = block eq "-" ? "" : block
}

# --------------------------------------------------------------- labels --

block_text(text) = text eq "" ? "block ids" : text . "-byte blocks"
joined(a, b) = a eq "" ? b : b eq "" ? a : a . ", " . b

# What differs: traces, block sizes; if that does not tell all series apart,
# the whole name of a trace, and after that the CSV file.
several_traces = 0
several_blocks = 0
do for [i = 2:series] {
    if (TRACE[i] ne TRACE[1]) { several_traces = 1 }
    if (BLOCK[i] ne BLOCK[1]) { several_blocks = 1 }
}
do for [detail = 0:2] {
    same = 0
    seen = "\n"
    do for [i = 1:series] {
        trace = detail == 0 ? base_name(TRACE[i]) : TRACE[i]
        LABEL[i] = joined(several_traces ? trace : "", \
                          several_blocks ? block_text(BLOCK[i]) : "")
        if (detail == 2) { LABEL[i] = joined(LABEL[i], base_name(FILE[i])) }
        same = same || strstrt(seen, "\n" . LABEL[i] . "\n") > 0
        seen = seen . LABEL[i] . "\n"
    }
    if (!same) { break }
}
COMMON = joined(several_traces ? "" : base_name(TRACE[1]), \
                several_blocks || BLOCK[1] eq "" ? "" : block_text(BLOCK[1]))

if (series > 1) {
    load folder(ARG0) . "legend.gp"
} else {
    unset key
}
set label 1 HEADING at screen 0.095,0.955 noenhanced font HEADING_FONT
set label 2 COMMON at screen 0.095,0.908 noenhanced textcolor "#666666"
