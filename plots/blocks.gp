# blocks.gp - what a program of awk makes of a table; loaded by the others
#
# They set `program` before, which prints a line about all, and blocks of points,
# each below "# HEAD".
#
#   $lines           all that it prints
#   blocks           how many there are
#   HEAD[i] ROWS[i]  what stands above block i, and how many points it has

if (!exists("no_rows")) { no_rows = "no rows: there is nothing to plot" }
load lines_into("$lines", sprintf("awk -v hit=%d %s <%s", HIT, \
    shell_word(awk_table . program), shell_word(CSV[1])))
if (|$lines| == 0) {
    print no_rows
    exit status 2
}
set datafile separator whitespace
set datafile missing NaN
array HEAD[|$lines|]
array ROWS[|$lines|]
blocks = 0
do for [i = 2:|$lines|] {
    if ($lines[i][1:2] eq "# ") {
        blocks = blocks + 1
        HEAD[blocks] = $lines[i][3:*]
        ROWS[blocks] = 0
    } else {
        if (blocks > 0 && $lines[i] ne "") { ROWS[blocks] = ROWS[blocks] + 1 }
    }
}
