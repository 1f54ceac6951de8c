#!/bin/sh
# text.t - tables as text and as pictures, and the command without a command
. tests/sim/lib.sh

xz -dc "$root/tests/sample/walk.lackey.xz" >walk.lackey
letters dacbccgefafbcmtmacfbdcac >ids.lines

# ----------------------------------------------------- margay TRACE... --
"$MARGAY" walk.lackey >answer 2>err
is 'a trace is a command: the sizes from which on few references miss' \
    "$(tail -n 1 answer)" \
    "walk.lackey: 3,576,558 references; at most 10% from 1.57 KiB, 5% from \
2 KiB, 2% from 9 KiB, 1% from 95 KiB, 0.2% from 118 KiB; 0.123% at 269 KiB. \
Misses stop falling steeply at 2.63 KiB, 9 KiB, 40 KiB, 118 KiB."
is 'a chart of thirteen rows, the axis and its names above it' \
    "$(wc -l <answer | tr -d ' ') $(grep -c '^.\{8\}|' answer)" '16 13'
is 'no line of it is longer than a terminal' \
    "$(head -n 15 answer | awk 'length > 80')" ''
like 'a summary goes to standard error' "$(cat err)" '4414 distinct blocks'
run curve -q --text walk.lackey
check 'it is what curve --text writes' cmp -s out answer
run walk.lackey --csv -q
cp out csv
run curve -q walk.lackey
check '--csv: the table' cmp -s out csv
run walk.lackey -q -o file.csv
check '-o: the table, too' cmp -s file.csv csv
cp ids.lines curve
run ./curve -q
like './curve is a file' "$(cat out)" '^curve: 24 references'
run curve -q ids.lines
like 'curve is the command' "$(cat out)" '^trace,block_bytes,'
run nothing.lackey
is 'a word that is neither' "$status $(cat out)" '2 '

# Each ratio of a sentence is reached at the size that it names, and at no size
# of the table below it.
"$MARGAY" curve -q --sizes octave:64 walk.lackey >sizes.csv
expected=$(for ratio in 0.1 0.05 0.02 0.01 0.002; do
    awk -F, -v r="$ratio" 'NR > 1 && $7 <= r {
        printf "%.3g ", int($4 / 1024 * 100 + 0.99) / 100
        exit }' sizes.csv
done)
is 'the sizes are those of the table, rounded up' \
    "$(tail -n 1 answer | tr ',;' '\n\n' |
        sed -n 's/.*from \([0-9.]*\) KiB/\1/p' | tr '\n' ' ')" "$expected"
# A cache of FIFO may miss more than a smaller one: 9 of 19, and 10.
printf '%s\n' 1 2 3 4 1 2 5 1 2 3 4 5 5 5 5 5 5 5 5 >belady.lines
run curve -q --text --policy fifo --sizes 1,3,4,5 belady.lines
like 'a ratio holds for all larger sizes' "$(tail -n 1 out)" \
    'at most 50% from 5 blocks'
run curve -q --text ids.lines ids.lines belady.lines
is 'curves that coincide' "$(sed -n 's/^b: //p' out)" 'ids.lines: as a.'

# -------------------------------------------------------------- terminal --
on_terminal() {
    script -qefc "$MARGAY $*" /dev/null </dev/null | tr -d '\r'
}
if command -v script >/dev/null; then
    like 'a terminal gets text' "$(on_terminal curve -q walk.lackey)" \
        'references; at most'
    like 'and CSV if that is asked for' \
        "$(on_terminal curve -q --csv ids.lines)" '^trace,block_bytes'
    like 'other tables, too' "$(on_terminal info -q ids.lines)" \
        '^references +24 *$'
    like 'but one with a row for each reference' \
        "$(on_terminal distances -q ids.lines)" '^trace,block_bytes'
else
    skip 'a terminal gets text' 'there is no script(1)'
fi

# ----------------------------------------------------------- other tables --
run histogram -q --text walk.lackey
is 'bars: the shares are those of log2 bins' \
    "$(awk '$2 == "to" { print $4 } NF > 1 && $1 ~ /^[01]$/ { print $2 }
        /^first/ { print $4 }' out)" \
    "$("$MARGAY" histogram -q --bins log2 walk.lackey |
        awk -F, 'NR > 1 { printf "%.3g%%\n", 100 * $6 }')"
run assoc -q --text --sets 1,64 --ways 1,2,8 walk.lackey
is 'a matrix: a row for sets, a column for ways' "$(sed 1d out)" \
    "$(printf '%10s%4s way %4s ways%4s ways\n' sets 1 2 8
    "$MARGAY" assoc -q --sets 1,64 --ways 1,2,8 walk.lackey | awk -F, '
        NR > 1 { if ((NR - 2) % 3 == 0) printf "%10s", $3
            printf "%8s", sprintf("%.3g%%", 100 * $8)
            if ((NR - 2) % 3 == 2) print "" }')"
run simulate -q --text --machine intel-skylake walk.lackey
is 'columns: all rows are of one length' \
    "$(sed '1d; $d' out | awk '{ print length }' | sort -u | wc -l)" 1
is 'names stand in lines' "$(sed -n '2,3p' out)" "\
                               miss               read              write
cache  references  misses     ratio      reads  misses     writes  misses"
is 'counts have separators' "$(grep L1D out)" \
    "L1D     3,576,558  56,048     1.57%  2,570,463  53,273  1,006,095   2,775"
like 'the rest is said to be there' "$(cat out)" 'more columns: --csv'
run compare -q --text --sets 1,2 --ways 1 walk.lackey
is 'what all rows share stands above them' "$(sed -n 1p out)" \
    'walk.lackey, blocks of 64 B, ways 1, 3,576,558 references'
like 'predictions are ratios' "$(cat out)" \
    '^   2  128 B  2,306,751  64\.5%  +64\.8% +64\.2% +0\.307% +-0\.305%$'
run phases -q --text walk.lackey
is 'numbers below their names' "$(tail -n 1 out)" \
    '    6  2,899,968  3,576,558     676,590       4    2,031'
run curve -q --text --policy lru,fifo -b 64,128 walk.lackey
is 'curves with a letter each' "$(sed -n 's/:.*//; 16,$p' out | tr '\n' ' ')" \
    'a b c d '
like 'and what tells them apart' "$(cat out)" \
    '^d: walk.lackey, blocks of 128 B, policy fifo: 3,576,558 references; '
run curve -q --text /dev/null -f lines
is 'no references: said, and no chart' "$status $(cat out)" '0 no references'
run curve -q --text ids.lines
like 'blocks without a size' "$(tail -n 1 out)" '; 37\.5% at 9 blocks\.'
run curve -q --text walk.lackey ids.lines
is 'sizes are blocks where a trace knows no bytes' \
    "$(sed -n 's/.*; \([0-9.]*% at .*s\.\) Mis.*/\1/p' out | paste -sd ' ')" \
    '0.123% at 4,300 blocks. 37.5% at 9 blocks.'
run curve -q --text --sizes 1,2,3,4,5,6 ids.lines
is 'sizes that may end amid a fall have no knee there' \
    "$(sed -n 's/.*Misses //p' out)" 'stop falling steeply at 2 blocks.'
run curve -q --text --sizes 5 ids.lines
is 'a size alone is no chart' "$(cat out)" \
    'ids.lines: 24 references; 66.7% at 5 blocks.'
awk 'BEGIN { for (i = 0; i < 90; i++) print i % 3 }' >three.lines
run curve -q --text --warmup 30 three.lines
is 'no misses at all' "$(tail -n 1 out)" \
    'three.lines: 60 references; at most 50% from 3 blocks; 0% at 3 blocks. Misses stop falling steeply at 3 blocks.'
"$MARGAY" curve -q --text --sizes 1,2,1000000 ids.lines >wide
is 'sizes far apart' "$(awk 'length > 80 && !/references/' wide)" ''
for options in '--text --csv' '--text --json' '--csv --json'; do
    # shellcheck disable=SC2086
    run curve $options ids.lines
    is "$options: one form" "$status $(cat out)" '2 '
done

# --------------------------------------------------------------- pictures --
if command -v gnuplot >/dev/null; then
    run curve -q walk.lackey -o direct.svg
    "$MARGAY" curve -q walk.lackey -o table.csv
    "$MARGAY" plot table.csv -o table.svg
    check '-o x.svg draws the table' cmp -s direct.svg table.svg
    run plot walk.lackey -o trace.svg
    check 'plot analyses a trace first' cmp -s trace.svg table.svg
    run curve -q --csv walk.lackey -o forced.svg
    check '--csv: it is a table after all' cmp -s forced.svg table.csv
    run plot missing.lackey -o no.svg
    is 'a trace that is not there' "$status $(ls no.svg 2>&1 | wc -l)" '2 1'
    run distances -q ids.lines -o no.svg
    is 'a table that is not drawn: no file' \
        "$status $(test -e no.svg; echo $?)" '2 1'
    like 'the message names it' "$(cat err)" '^margay distances: no.svg:1: found'
    run plot -q walk.lackey --map -o no.svg
    like 'or the trace' "$(cat err)" '^margay plot: walk.lackey: --map needs'
    run simulate -q --machine intel-skylake --vary L1D.ways=1..16,L2.bytes=128K..1M \
        -o no.svg \
        walk.lackey --limit 1000
    like 'also where a script refuses it' "$(cat err)" \
        '^margay simulate: no.svg: 20 machines, expected at most 12'
    run curve -q walk.lackey -o direct.SVG
    check 'suffixes of any case' cmp -s direct.SVG table.svg
    is 'an SVG has a title' "$(sed -n '/^<title>/p' direct.SVG)" \
        '<title>Misses of a fully associative LRU cache (walk.lackey, 64-byte blocks)</title>'
    run plot table.csv --title 'a<b & ü 𝄞' -o title.svg
    like 'with any characters' "$(cat title.svg)" '^<title>a&lt;b &amp; ü 𝄞 \('
    run plot table.csv --title 'a<b & ü 𝄞' -o title.pdf
    if command -v pdfinfo >/dev/null; then
        is 'and a PDF' "$(pdfinfo -enc UTF-8 title.pdf 2>&1 |
            sed -n 's/^Title: *//p')" \
            'a<b & ü 𝄞 (walk.lackey, 64-byte blocks)'
    else
        skip 'and a PDF' 'there is no pdfinfo'
    fi
else
    skip '-o x.svg draws the table' 'there is no gnuplot'
fi
refuses "'x.JPG' .expected a picture that ends in .png" curve ids.lines -o x.JPG
refuses '--every shows a table' curve ids.lines --every 5 -o x.png
run curve -q --csv ids.lines -o x.jpg
check '--csv: of any name' grep -q '^trace,' x.jpg

finish
