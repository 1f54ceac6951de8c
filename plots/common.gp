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

columns_of(file) = int(system(sprintf("head -n 1 %s | tr -cd , | wc -c", \
    shell_word(file)))) + 1

# The first field of a row.  gnuplot ends a quoted field at a comma or quote
# within, so sed cuts the others off the end and undoes the quoting.
trace_of(file, row) = system(sprintf("sed -n %d'{s/\\(,[^,]*\\)\\{%d\\}$//" \
    . ";/^\".*\"$/{s/^\"//;s/\"$//;s/\"\"/\"/g};p}' %s", \
    row + 2, columns_of(file) - 1, shell_word(file)))

# --------------------------------------------------------------- series --

# A series begins where the trace or the block size changes, or where the
# ascending column does not ascend; that alone tells names apart of which
# strcol() sees the same beginning.
note_row(key, value) = (row = row + 1, \
    begins = (row == 0 || key ne last_key || !(value > last_value)), \
    lasts = begins && row > 0 ? lasts . sprintf(" %d", row - 1) : lasts, \
    firsts = begins ? firsts . sprintf(" %d", row) : firsts, \
    last_key = key, last_value = value, 1)

# An infinite distance ends the numbers that ascend.
number_of(text) = text eq "inf" ? 1e30 : real(text)

# A minor column has less than 100 values.
if (!exists("MINOR")) { MINOR = 0 }
minor_of(n) = n == 0 ? 0 : 0.01 * column(n)

files = ""
firsts = ""
lasts = ""
do for [f = 1:|CSV|] {
    row = -1
    last_key = ""
    last_value = 0
    before = words(firsts)
    stats CSV[f] using (note_row(strcol(1) . "\n" . strcol(2), \
        number_of(strcol(ASCENDING)) + minor_of(MINOR))) skip 1 nooutput
    if (row >= 0) {
        lasts = lasts . sprintf(" %d", row)
    }
    do for [i = before + 1:words(firsts)] {
        files = files . sprintf(" %d", f)
    }
}
series = words(firsts)
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
block = ""
do for [i = 1:series] {
    FILE[i] = CSV[int(word(files, i))]
    FIRST[i] = int(word(firsts, i))
    LAST[i] = int(word(lasts, i))
    TRACE[i] = trace_of(FILE[i], FIRST[i])
    stats FILE[i] using (block = strcol(2), 1) skip 1 \
        every ::FIRST[i]::FIRST[i] nooutput
    BLOCK[i] = block
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
    do for [i = 1:series] {
        trace = detail == 0 ? base_name(TRACE[i]) : TRACE[i]
        LABEL[i] = joined(several_traces ? trace : "", \
                          several_blocks ? block_text(BLOCK[i]) : "")
        if (detail == 2) { LABEL[i] = joined(LABEL[i], base_name(FILE[i])) }
        do for [j = 1:i - 1] {
            if (LABEL[j] eq LABEL[i]) { same = 1 }
        }
    }
    if (!same) { break }
}
COMMON = joined(several_traces ? "" : base_name(TRACE[1]), \
                several_blocks || BLOCK[1] eq "" ? "" : block_text(BLOCK[1]))

if (series > 1) {
    # Beside the picture, as lines may pass anywhere in it.
    set rmargin -1
    set key outside
} else {
    unset key
}
set label 1 HEADING at screen 0.095,0.955 noenhanced font ",18"
set label 2 COMMON at screen 0.095,0.908 noenhanced textcolor "#666666"
